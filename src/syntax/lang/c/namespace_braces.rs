//! The namespaces around a place by their braces, where the grammar failed: an error may dissolve the namespace around it, and the
//! definitions behind it seem to be those of the whole program.

use super::tokens::{Token, TokenKind};

/// The namespaces of a source by their braces, in the order of these.
#[derive(Debug, Default)]
pub(super) struct BracedNamespaces<'t> {
    all: Vec<NamespaceBraces<'t>>,
}

/// The braces of a namespace.
#[derive(Debug)]
struct NamespaceBraces<'t> {
    start: usize,
    end: usize,
    /// The names of it and of those around it.
    names: Vec<&'t str>,
    /// Whether it or one around it has no name.
    is_internal: bool,
    /// The index of the one around it.
    parent: Option<usize>,
}

impl<'t> BracedNamespaces<'t> {
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Notes the namespace whose brace opens behind these tokens, if it is one. `around` is the innermost one that is open.
    pub(super) fn open(
        &mut self,
        source: &'t str,
        before: &[Token],
        brace: Token,
        around: Option<usize>,
    ) -> Option<usize> {
        // A sign is one byte, and may be one of several of a character.
        let text = |token: &Token| source.get(token.start..token.end).unwrap_or_default();
        let mut names = Vec::new();
        let mut rest = before;
        while let [front @ .., last] = rest
            && matches!(
                last.kind,
                TokenKind::Name | TokenKind::Capitals | TokenKind::Sign(b':')
            )
        {
            if last.kind != TokenKind::Sign(b':') {
                names.push(text(last));
            }
            rest = front;
        }
        let [front @ .., word] = rest else {
            return None;
        };
        if text(word) != "namespace" {
            return None;
        }
        let is_inline = front.last().is_some_and(|it| text(it) == "inline");
        let is_internal = names.is_empty();
        names.reverse();
        if is_inline {
            // The names of an inline namespace are those of the one around.
            names.clear();
        }
        let outer = around.map(|it| &self.all[it]);
        let mut path = outer.map_or_else(Vec::new, |it| it.names.clone());
        path.extend(names);
        let is_internal = is_internal || outer.is_some_and(|it| it.is_internal);
        self.all.push(NamespaceBraces {
            start: brace.start,
            end: usize::MAX,
            names: path,
            is_internal,
            parent: around,
        });
        Some(self.all.len() - 1)
    }

    /// Notes where the brace of a namespace is closed. Returns the one around it.
    pub(super) fn close(&mut self, at: usize, end: usize) -> Option<usize> {
        let space = &mut self.all[at];
        space.end = end;
        space.parent
    }

    /// Returns the names of the namespaces around a byte, and whether one of them has none.
    pub(super) fn around(&self, at: usize) -> (Vec<&'t str>, bool) {
        let first = self.all.partition_point(|it| it.start < at);
        let mut around = first.checked_sub(1);
        while let Some(space) = around.map(|it| &self.all[it]) {
            if space.end > at {
                return (space.names.clone(), space.is_internal);
            }
            around = space.parent;
        }
        (Vec::new(), false)
    }
}
