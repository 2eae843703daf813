//! Tags of XML that are read without a parser: what is looked for is written in one way, and files may be broken elsewhere.

/// Returns the value of an attribute as it is written; `None` where the tag does not have it. `tag` begins with the name of the
/// element, and may go on behind its end.
///
/// `<Using Include="Acme.Db" />`, `Include` → `Acme.Db`.
pub fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = tag;
    loop {
        let (before, behind) = rest.split_once(name)?;
        rest = behind;
        // `NoInclude="…"` is another attribute.
        if !before.ends_with(char::is_whitespace) {
            continue;
        }
        let Some(value) = behind.trim_start().strip_prefix('=') else {
            continue;
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''))?;
        return value[1..].split(quote).next();
    }
}

#[cfg(test)]
mod tests {
    use super::attribute;

    #[test]
    fn an_attribute_is_not_the_end_of_another() {
        let tag = "Using NoInclude='a' Include = \"b\" Other='c'";
        assert_eq!(attribute(tag, "Include"), Some("b"));
        assert_eq!(attribute(tag, "Other"), Some("c"));
        assert_eq!(attribute(tag, "Using"), None);
        assert_eq!(attribute("Using Include=b", "Include"), None);
    }
}
