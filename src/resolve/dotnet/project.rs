//! Project files: the namespaces that all files of a project use.
//!
//! Read literally: conditions count as met, and a name with a property in it, `$(RootNamespace)`, is left out.

/// Using elements of one file that are read.
const MAX_USINGS: usize = 200;

/// Returns the part of a project file that decides what its files use.
pub(super) fn relevant(text: &str) -> String {
    let elements = usings(text).into_iter();
    let elements = elements.map(|it| ["<Using Include=\"", &it, "\"/>\n"].concat());
    elements.collect()
}

/// Returns the namespaces of the `Using` elements.
pub(super) fn usings(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let text = without_comments(text);
    for (at, _) in text.match_indices("<Using").take(MAX_USINGS) {
        let rest = &text[at + "<Using".len()..];
        let Some(tag) = rest.split('>').next() else {
            continue;
        };
        let is_other = !tag.starts_with(char::is_whitespace)
            || attribute(tag, "Static").is_some()
            || attribute(tag, "Alias").is_some();
        let Some(include) = attribute(tag, "Include").filter(|_| !is_other) else {
            continue;
        };
        for name in include.split(';').map(str::trim) {
            let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
            if !name.is_empty() && name.chars().all(is_plain) {
                all.push(name.to_owned());
            }
        }
    }
    all
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = behind.split_once("-->").map_or("", |it| it.1);
    }
    out.push_str(rest);
    out
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(name)?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    rest[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::{relevant, usings};

    #[test]
    fn usings_are_read_literally() {
        let text = r#"<Project><PropertyGroup><UsingToolVersion>1</UsingToolVersion></PropertyGroup><ItemGroup>
            <Using Include="Acme.Db" /><!-- <Using Include="Old" /> -->
            <Using Include="Acme.Math" Static="true" /> <Using Include="A.B" Alias="X" />
            <Using Include='Xunit;$(Root).Core; Acme.Web' Condition="'$(X)' == ''" /></ItemGroup></Project>"#;
        assert_eq!(usings(text), ["Acme.Db", "Xunit", "Acme.Web"]);
        assert_eq!(usings(&relevant(text)), usings(text));
        assert!(usings("<Using").is_empty());
    }
}
