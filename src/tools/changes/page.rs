//! Pages of an answer that has several lists: each goes on where the page before ended.

use super::entries::ChangeEntry;
use crate::error::Result;
use crate::tools::answer::Cursor;

/// How many lists go on by a count: broken uses, unresolved ones, collisions, tests, files.
const N_LISTS: usize = 5;

/// A list of the answer that goes on by a count.
#[derive(Clone, Copy, Debug)]
pub(super) enum PagedList {
    /// Broken uses.
    Broken,
    /// Unresolved uses.
    Unresolved,
    /// Collisions.
    Collisions,
    /// Tests.
    Tests,
    /// Files.
    Files,
}

/// The part of the lists that pages before have shown. Changes go on behind the last one; they stay in their order when the
/// work tree is edited between two pages.
///
/// In a cursor the counts stand before the path: `12,0,0,4,9:src/a.ts`.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    shown: [usize; N_LISTS],
    /// The last change; `None` before the first page.
    last: Option<Cursor>,
    has_more: bool,
}

impl Page {
    /// Reads the cursor of a page; the first page without one.
    ///
    /// # Errors
    /// `bad_cursor` for the cursor of another question.
    pub(super) fn read(text: Option<&str>, asked: &str, index_id: &str) -> Result<Self> {
        let Some(text) = text else {
            return Ok(Self::default());
        };
        let mut last = Cursor::decode(text, asked, index_id)?;
        let parsed = last.path.split_once(':').and_then(|(counts, path)| {
            let counts: Vec<usize> = counts
                .split(',')
                .map(|it| it.parse().ok())
                .collect::<Option<_>>()?;
            Some((counts.try_into().ok()?, path.to_owned()))
        });
        let (shown, path) = parsed.ok_or_else(Cursor::foreign)?;
        last.path = path;
        Ok(Self {
            shown,
            last: Some(last),
            has_more: false,
        })
    }

    /// Whether this is the first page.
    pub(super) fn is_first(&self) -> bool {
        self.last.is_none()
    }

    /// Returns the last change that a page before has shown.
    pub(super) fn last_change(&self) -> Option<&Cursor> {
        self.last.as_ref()
    }

    /// Takes away the entries of a list that pages before have shown.
    pub(super) fn skip<T>(&self, list: PagedList, all: &mut Vec<T>) {
        all.drain(..self.shown[list as usize].min(all.len()));
    }

    /// Notes how many entries of a list this page shows, of how many in all.
    pub(super) fn note(&mut self, list: PagedList, n_shown: usize, n_all: usize) {
        let shown = &mut self.shown[list as usize];
        *shown = (*shown + n_shown).min(n_all);
        self.has_more |= *shown < n_all;
    }

    /// Notes the changes that this page shows: the last one where more follow, else all.
    pub(super) fn note_changes(&mut self, last: Option<&ChangeEntry>) {
        self.has_more |= last.is_some();
        self.last = Some(last.map_or(
            Cursor {
                score: u32::MAX,
                line: u32::MAX,
                path: String::new(),
            },
            ChangeEntry::cursor,
        ));
    }

    /// Returns the cursor of the next page; `None` where all is shown.
    pub(super) fn next(mut self, asked: &str, index_id: &str) -> Option<String> {
        let mut last = self.last.take().filter(|_| self.has_more)?;
        let counts = self.shown.map(|n| n.to_string()).join(",");
        last.path = format!("{counts}:{}", last.path);
        Some(last.encode(asked, index_id))
    }
}

#[cfg(test)]
mod tests {
    use super::{Page, PagedList};

    #[test]
    fn each_list_goes_on_where_its_page_ended() {
        let mut page = Page::read(None, "q", "i").unwrap();
        assert!(page.is_first());
        page.note(PagedList::Broken, 2, 5);
        page.note(PagedList::Tests, 3, 3);
        page.note_changes(None);
        let text = page.next("q", "i").unwrap();
        let mut page = Page::read(Some(&text), "q", "i").unwrap();
        let (mut broken, mut tests) = (vec![1, 2, 3, 4, 5], vec![1, 2, 3]);
        page.skip(PagedList::Broken, &mut broken);
        page.skip(PagedList::Tests, &mut tests);
        assert_eq!((broken, tests), (vec![3, 4, 5], vec![]));
        page.note(PagedList::Broken, 3, 5);
        page.note_changes(None);
        assert_eq!(page.next("q", "i"), None);
        assert!(Page::read(Some(&text), "other", "i").is_err());
        assert!(Page::read(Some(&text.replace(':', "")), "q", "i").is_err());
    }
}
