//! Text of a repository in Markdown.

use crate::cli::screen::visible;

/// Returns text on one line as Markdown and HTML show it: nothing in it is a mark, an entity, a tag or a mention.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A forge would notify the user of that name.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn text_means_nothing_in_markdown() {
        assert_eq!(escape("&lt; @name"), "&amp;lt; &#64;name");
        assert_eq!(escape("![a](b) ~~c~~"), r"\!\[a\](b) \~\~c\~\~");
        assert_eq!(escape("<b> `*_|#\\"), r"&lt;b&gt; \`\*\_\|\#\\");
    }
}
