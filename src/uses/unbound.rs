//! The uses of a name whose meaning is not known, as far as they may mean one definition: code of another language does
//! not name it.

use super::Uses;
use crate::error::Result;
use crate::model::{Family, RepoPath};
use crate::store::UnboundPlace;
use crate::syntax;

impl Uses<'_> {
    /// Returns the uses of the name of a definition in `home` that lead to no definition, by file and form, in the order of
    /// the paths; those in files whose code cannot name it are left out.
    pub fn unbound_places(&self, name: &str, home: &RepoPath) -> Result<Vec<UnboundPlace>> {
        let mut places = self.read.unbound_places(name)?;
        places.retain(|place| may_name(&place.path, home));
        Ok(places)
    }
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

/// Whether an unbound use may mean a definition in `home` of its name, by its form: a member is used through an object, or by its
/// name alone in the class around.
pub(super) fn may_mean(place: &UnboundPlace, is_member: bool, home: &RepoPath) -> bool {
    let is_bare = is_member && has_implicit_receiver(syntax::by_path(&place.path).family());
    (place.is_member == is_member || is_bare) && may_name(&place.path, home)
}

/// Whether a name alone may mean a member of the class around.
pub(super) fn has_implicit_receiver(family: Option<Family>) -> bool {
    matches!(family, Some(Family::Java | Family::CSharp | Family::C))
}

#[cfg(test)]
mod tests {
    use super::may_name;
    use crate::model::RepoPath;

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
