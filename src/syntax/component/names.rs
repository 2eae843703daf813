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

#[cfg(test)]
mod tests {
    use super::{camel, pascal};

    #[test]
    fn hyphens_become_capitals() {
        assert_eq!(camel("foo-bar-2x"), "fooBar2x");
        assert_eq!(pascal("foo-bar"), "FooBar");
        assert_eq!(pascal("fooBar"), "FooBar");
        assert_eq!(pascal(""), "");
    }
}
