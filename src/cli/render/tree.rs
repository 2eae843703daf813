//! Trees of lines.

use crate::cli::screen::{FAINT, Screen};

/// A line with those below it.
#[derive(Debug, Default)]
pub(super) struct TreeNode {
    /// The line: the plain text, by which its width is known, and the styled one.
    pub(super) line: StyledLine,
    /// The nodes below it.
    pub(super) below: Vec<TreeNode>,
}

/// A line in parts, each with its style.
#[derive(Debug, Default)]
pub(super) struct StyledLine(Vec<(anstyle::Style, String)>);

impl StyledLine {
    /// Returns the line with another part behind it; an empty one adds nothing.
    pub(super) fn with(mut self, style: anstyle::Style, text: &str) -> Self {
        if !text.is_empty() {
            self.0.push((style, text.to_owned()));
        }
        self
    }

    /// Returns the line within `width` columns: the rest is cut, and only on a terminal.
    fn text(&self, screen: &Screen, width: usize) -> String {
        let mut text = String::new();
        let mut left = width;
        for (at, (style, part)) in self.0.iter().enumerate() {
            if at > 0 {
                text.push_str("  ");
                left = left.saturating_sub(2);
            }
            if screen.is_terminal && left == 0 {
                break;
            }
            let cut = screen.fit(part, left);
            left = left.saturating_sub(cut.chars().count());
            text += &screen.paint(*style, &cut);
        }
        text.trim_end().to_owned()
    }
}

/// Returns the lines of the trees, one below the other.
pub(super) fn draw(nodes: &[TreeNode], screen: &Screen) -> String {
    let mut text = String::new();
    branches(nodes, "", screen, &mut text);
    text
}

fn branches(nodes: &[TreeNode], before: &str, screen: &Screen, text: &mut String) {
    for (at, node) in nodes.iter().enumerate() {
        let is_last = at + 1 == nodes.len();
        let (branch, beside) = if is_last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        let before_it = format!("{before}{branch}");
        let width = screen.width.saturating_sub(before_it.chars().count());
        *text += &screen.paint(FAINT, &before_it);
        *text += &node.line.text(screen, width);
        text.push('\n');
        branches(&node.below, &format!("{before}{beside}"), screen, text);
    }
}

#[cfg(test)]
mod tests {
    use super::{StyledLine, TreeNode, draw};
    use crate::cli::screen::{PLACE, STRONG, Screen};

    #[test]
    fn lines_are_cut_on_a_narrow_terminal_alone() {
        let leaf = |place: &str| TreeNode {
            line: StyledLine::default()
                .with(PLACE, place)
                .with(STRONG, "name")
                .with(STRONG, ""),
            below: Vec::new(),
        };
        let mut first = leaf("src/a.ts:1");
        first.below.push(leaf("src/deep/b.ts:2"));
        let nodes = [first, leaf("src/c.ts:3")];
        let mut screen = Screen {
            width: 20,
            is_terminal: true,
            is_coloured: false,
            links: None,
        };
        assert_eq!(
            draw(&nodes, &screen),
            "├─ src/a.ts:1  name\n│  └─ src/deep/b.ts…\n└─ src/c.ts:3  name\n"
        );
        screen.is_terminal = false;
        assert_eq!(
            draw(&nodes, &screen),
            "├─ src/a.ts:1  name\n│  └─ src/deep/b.ts:2  name\n└─ src/c.ts:3  name\n"
        );
    }
}
