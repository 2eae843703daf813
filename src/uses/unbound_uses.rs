//! The uses of a name whose meaning is not known, as far as they may mean one definition: code of another language does
//! not name it.

use std::collections::{BTreeMap, BTreeSet};

use super::Uses;
use super::components::component_tags;
use super::name_forms::NameForm;
use crate::error::{Error, Result};
use crate::ir::{pasted_beginnings, pasted_between, pasted_patterns};
use crate::model::{Family, RepoPath, SymbolKind};
use crate::store::{SymbolRow, UnboundForm, UnboundPlace, token};
use crate::syntax::{self, OccurrenceRole};

/// Definitions of a file whose names are looked up.
const MAX_NAMES_OF_FILE: usize = 100;

/// Files that are read to look for a word.
const MAX_READ: usize = 50;

impl Uses<'_> {
    /// Returns the uses of the name of some definitions that lead to none, by file and form, in the order of the paths; those whose
    /// form or file rules all of the definitions out are left out.
    pub fn unbound_places(&self, symbols: &[&SymbolRow]) -> Result<Vec<UnboundPlace>> {
        let Some(first) = symbols.first() else {
            return Ok(Vec::new());
        };
        if let Some(tags) = component_tags(first) {
            // A tag of a template has the name of the component in the index, however it is written.
            let mut places = self.read.unbound_places(&tags[0])?;
            places.retain(|it| it.form == UnboundForm::CALL && may_name(&it.path, &first.path));
            return Ok(places);
        }
        let mut places = self.read.unbound_places(&first.name)?;
        if symbols.len() == 1 && self.is_confined(first)? {
            places.retain(|it| it.path == first.path);
        }
        places.retain(|place| {
            let mut symbols = symbols.iter();
            symbols.any(|it| may_name(&place.path, &it.path) && has_form_of(place, it.kind))
        });
        Ok(places)
    }

    /// Returns the uses in other files that lead to no definition and may mean one of those of a file, by their places.
    pub fn unbound_places_of_file(&self, symbols: &[SymbolRow]) -> Result<Vec<UnboundPlace>> {
        let mut places: BTreeMap<(RepoPath, String), Vec<UnboundPlace>> = BTreeMap::new();
        for symbol in symbols.iter().take(MAX_NAMES_OF_FILE) {
            for place in self.unbound_places(&[symbol])? {
                let key = (place.path.clone(), symbol.name.clone());
                let of_name = places.entry(key).or_default();
                if place.path != symbol.path && !of_name.contains(&place) {
                    of_name.push(place);
                }
            }
        }
        Ok(places.into_values().flatten().collect())
    }

    /// Returns the macros whose calls may make the name of a definition of C or C++ by pasting: `fs__##name` for `fs__open`, where the
    /// argument is a word of some file.
    pub fn pasting_macros(&self, symbol: &SymbolRow) -> Result<Vec<UnboundPlace>> {
        let mut places = Vec::new();
        let is_member = symbol.parent.is_some() && symbol.kind != SymbolKind::EnumMember;
        if is_member || syntax::by_path(&symbol.path).family() != Some(Family::C) {
            return Ok(places);
        }
        let mut patterns = pasted_patterns(&symbol.name);
        for (beginning, n) in pasted_beginnings(&symbol.name) {
            if !self.read.unbound_places(&beginning)?.is_empty() {
                patterns.extend(pasted_between(&symbol.name, n));
            }
        }
        for (pattern, argument) in patterns {
            let found = self.read.unbound_places(&pattern)?;
            if !found.is_empty() && argument.map_or(Ok(true), |it| self.has_word(it))? {
                places.extend(found);
            }
        }
        if places.is_empty() {
            return Ok(places);
        }
        // Calls in the file of the macro are bound; no other file sees one that stands in no header.
        let mut users = BTreeSet::new();
        for edge in self.read.edges_into(symbol.id)? {
            users.extend(self.read.path_of(edge.src_file)?);
        }
        places.retain(|it| is_header(&it.path) || !users.contains(&it.path));
        places.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
        places.dedup_by(|one, other| (&one.path, one.line) == (&other.path, other.line));
        Ok(places)
    }

    /// Returns the lines on which calls and patterns of Python pass or take an argument by a name, `filter(size=1)`, in the order of the files:
    /// each may be of a field of that name. At most [`MAX_READ`] files are read; also returns how many more hold the word.
    pub(super) fn lines_of_keywords(&self, name: &str) -> Result<(Vec<(RepoPath, u32)>, u64)> {
        let mut lines = Vec::new();
        let files = self.read.files_with_word(&token::normal_form(name))?;
        let language = |path: &RepoPath| syntax::by_path(path);
        let mut of_python: Vec<_> = files.iter().collect();
        of_python.retain(|file| language(&file.path).family() == Some(Family::Python));
        let n_more = of_python.len().saturating_sub(MAX_READ) as u64;
        for file in of_python.into_iter().take(MAX_READ) {
            let text = self.sources.read(&file.path, file.content);
            let Some(text) = text.filter(|it| syntax::starts(it, name).next().is_some()) else {
                continue;
            };
            let found = syntax::occurrences(language(&file.path), &text, name, &self.budget);
            let places = found.ok_or_else(Error::cancelled)?.places;
            let keys = places.iter().filter(|it| it.role == OccurrenceRole::Key);
            lines.extend(keys.map(|it| (file.path.clone(), it.line)));
        }
        lines.dedup();
        Ok((lines, n_more))
    }

    /// Whether a word stands in some file, by itself; in doubt it does. Reads files that have it as a part of a name.
    fn has_word(&self, word: &str) -> Result<bool> {
        let files = self.read.files_with_word(&token::normal_form(word))?;
        if files.len() > MAX_READ {
            return Ok(true);
        }
        Ok(files
            .iter()
            .any(|file| self.name_in_file(file, word).is_there))
    }
}

/// Whether a file of C or C++ is there to be included.
fn is_header(path: &RepoPath) -> bool {
    !matches!(path.extension(), Some("c" | "cc" | "cpp" | "cxx"))
}

/// Whether code of a file may name a definition in `home`: both are of one family of languages, or the names of one are not
/// resolved. A function of C is called by its name from any language.
pub fn may_name(path: &RepoPath, home: &RepoPath) -> bool {
    let family = |path: &RepoPath| syntax::by_path(path).family();
    match (family(path), family(home)) {
        (_, Some(Family::C)) => true,
        (Some(from), Some(to)) => from == to,
        _ => true,
    }
}

/// Whether the form of an unbound use may be that of a definition of some kind.
fn has_form_of(place: &UnboundPlace, kind: SymbolKind) -> bool {
    let family = syntax::by_path(&place.path).family();
    family.is_none_or(|family| NameForm::of(place).may_mean(kind, family))
}

/// Whether an unbound use may mean a definition in `home` of its name, by its form: a member is used through an object, or by its
/// name alone in the class around; a path leads to either.
pub(super) fn may_mean(place: &UnboundPlace, is_member: bool, home: &RepoPath) -> bool {
    let is_bare = is_member && has_implicit_receiver(syntax::by_path(&place.path).family());
    // `a.Keys.all()`: `a` may be a package.
    let is_java = syntax::by_path(home).family() == Some(Family::Java);
    let is_qualified = is_java && !is_member && place.form == UnboundForm::MEMBER;
    let has_form = place.is_member() == is_member;
    (has_form || place.form.contains(UnboundForm::PATH) || is_bare || is_qualified)
        && may_name(&place.path, home)
}

/// Returns how many of the unbound uses of a name in one file, a row for each form, stand beside `listed` lines. A row of one use is known by
/// its line; of a row of more uses the lines that no such row has are known.
pub(super) fn n_beside(rows: &[UnboundPlace], listed: &BTreeSet<u32>) -> u64 {
    let is_known = |row: &&UnboundPlace| row.count == 1 && listed.contains(&row.line);
    let taken: BTreeSet<u32> = rows.iter().filter(is_known).map(|row| row.line).collect();
    let n_left = listed.difference(&taken).count() as u64;
    let (single, several): (Vec<_>, Vec<_>) = rows
        .iter()
        .filter(|row| !is_known(row))
        .partition(|row| row.count == 1);
    let n_several: u64 = several.iter().map(|row| u64::from(row.count)).sum();
    let n_of_taken = several
        .iter()
        .filter(|row| taken.contains(&row.line))
        .count() as u64;
    single.len() as u64 + n_several.saturating_sub(n_left + n_of_taken)
}

/// Whether a name alone may mean a member of the class around.
pub(super) fn has_implicit_receiver(family: Option<Family>) -> bool {
    matches!(family, Some(Family::Java | Family::CSharp | Family::C))
}

#[cfg(test)]
mod tests {
    use super::{UnboundForm, UnboundPlace, may_name, n_beside};
    use crate::model::RepoPath;

    #[test]
    fn listed_lines_are_known_in_the_form_that_they_have() {
        let row = |count: u32, line: u32| UnboundPlace {
            path: RepoPath::new("a.rs").unwrap(),
            form: UnboundForm::CALL | UnboundForm::MEMBER,
            count,
            line,
        };
        for (rows, listed, wanted) in [
            (vec![row(2, 5), row(1, 13)], vec![5, 13], 1),
            (vec![row(1, 3), row(1, 3)], vec![3], 0),
            (vec![row(1, 3), row(1, 4)], vec![3], 1),
            (vec![row(3, 3)], vec![3, 4], 1),
            (vec![row(2, 3)], vec![], 2),
        ] {
            let listed = listed.into_iter().collect();
            assert_eq!(n_beside(&rows, &listed), wanted, "{rows:?}");
        }
    }

    #[test]
    fn names_stay_within_a_family_of_languages() {
        let may = |path: &str, home: &str| {
            may_name(&RepoPath::new(path).unwrap(), &RepoPath::new(home).unwrap())
        };
        for (path, home) in [
            ("a.js", "b.ts"),
            ("App.vue", "b.ts"),
            ("page.html", "b.ts"),
            ("a.cpp", "b.h"),
            ("a.go", "b.c"),
            ("a.rb", "b.go"),
            ("a.go", "b.rb"),
        ] {
            assert!(may(path, home), "{path} {home}");
        }
        for (path, home) in [
            ("a.js", "b.go"),
            ("App.vue", "b.java"),
            ("page.html", "b.py"),
            ("a.go", "b.ts"),
            ("a.c", "b.rs"),
            ("a.py", "b.cs"),
        ] {
            assert!(!may(path, home), "{path} {home}");
        }
    }
}
