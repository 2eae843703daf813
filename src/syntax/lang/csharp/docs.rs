//! Documentation comments: XML to plain text.

/// Returns the text of a documentation comment without its tags: `<see cref="Store"/>` is `Store`, and a parameter stands in a
/// line of its own, `name: …`.
pub(super) fn plain(doc: &str) -> String {
    if !doc.contains('<') {
        return doc.to_owned();
    }
    let mut out = String::with_capacity(doc.len());
    let mut rest = doc;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        let Some(end) = rest.find('>').filter(|_| is_tag) else {
            out.push('<');
            rest = &rest[1..];
            continue;
        };
        tag(&rest[1..end], &mut out);
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    let out = out
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&");
    let lines = out.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Writes what stands for a tag.
fn tag(inner: &str, out: &mut String) {
    let name: &str = inner
        .split(|c: char| c.is_whitespace() || c == '/')
        .next()
        .unwrap_or_default();
    match name {
        "see" | "seealso" | "paramref" | "typeparamref" | "inheritdoc" => {
            let named = ["cref", "name", "langword", "href"]
                .iter()
                .find_map(|it| attribute(inner, it));
            if let Some(named) = named {
                // `T:Acme.Store` is the form that compilers write.
                let plain = named.get(2..).filter(|_| named.get(1..2) == Some(":"));
                out.push_str(plain.unwrap_or(named));
            }
        }
        "param" | "typeparam" | "exception" => {
            let named = attribute(inner, "name").or_else(|| attribute(inner, "cref"));
            out.push('\n');
            out.push_str(named.unwrap_or_default());
            out.push_str(": ");
        }
        "returns" => out.push_str("\nReturns: "),
        "para" | "item" | "remarks" | "example" | "value" | "br" => out.push('\n'),
        _ => {}
    }
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let at = tag.find(&format!("{name}="))? + name.len() + 1;
    let quote = tag.get(at..=at)?;
    let value = tag.get(at + 1..)?;
    matches!(quote, "\"" | "'").then(|| value.split(quote).next())?
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn tags_give_way_to_their_text() {
        let doc = "<summary>\nOpens a <see cref=\"T:Acme.Store\"/> at <paramref name=\"path\"/>, if a &lt; b.\n</summary>\n\
                   <param name=\"path\">Where.</param>\n<returns>The store.</returns>";
        let wanted = "Opens a Acme.Store at path, if a < b.\npath: Where.\nReturns: The store.";
        assert_eq!(plain(doc), wanted);
        assert_eq!(plain("1 < 2 and <"), "1 < 2 and <");
        assert_eq!(plain("<see cref="), "<see cref=");
    }
}
