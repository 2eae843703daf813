//! Names of components and attributes in the two ways in which Vue writes them: `FooBar` and `foo-bar`.

/// Returns `fooBar` for `foo-bar`.
pub(super) fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut is_next = false;
    for c in name.chars() {
        if c == '-' {
            is_next = true;
        } else if is_next {
            out.extend(c.to_uppercase());
            is_next = false;
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns `FooBar` for `foo-bar` and `fooBar`.
pub(super) fn pascal(name: &str) -> String {
    let camel = camel(name);
    let mut chars = camel.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// Returns the names that the tags of a component have whose file is `name`, without its extension: `BooleanDisplay` and
/// `boolean-display`; a name of one word alone has one.
pub fn component_tags(name: &str) -> Vec<String> {
    let pascal = pascal(name);
    let mut kebab = String::with_capacity(pascal.len() + 4);
    for c in pascal.chars() {
        if c.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.extend(c.to_lowercase());
    }
    let kebab = Some(kebab).filter(|it| it.contains('-'));
    [pascal].into_iter().chain(kebab).collect()
}

#[cfg(test)]
mod tests {
    use super::{camel, component_tags, pascal};

    #[test]
    fn a_component_has_two_tags() {
        for file in ["BooleanDisplay", "boolean-display"] {
            assert_eq!(component_tags(file), ["BooleanDisplay", "boolean-display"]);
        }
        assert_eq!(component_tags("Row"), ["Row"]);
    }

    #[test]
    fn hyphens_become_capitals() {
        assert_eq!(camel("foo-bar-2x"), "fooBar2x");
        assert_eq!(pascal("foo-bar"), "FooBar");
        assert_eq!(pascal("fooBar"), "FooBar");
        assert_eq!(pascal(""), "");
    }
}
