//! Names of branches and tags that are like one that nothing has.

use super::view::cut_argument;
use crate::model::likeness;

/// How alike a name has to be.
const MIN_LIKENESS: f64 = 0.6;

/// How many are named.
const MAX_NAMED: usize = 3;

/// The longest name that is compared, in bytes: the cost of a comparison grows with its square.
const MAX_COMPARED_BYTES: usize = 100;

/// Returns the next step after a name of no branch, tag or commit, with the known names most like it.
pub(super) fn hint(asked: &str, known: Vec<String>) -> String {
    if let Some(base) = base_of_ancestor(asked)
        && (base == "HEAD" || known.iter().any(|name| name == base))
    {
        return format!(
            "`{}` is there, but has no such ancestor in this clone; a shallow one lacks the older commits (`git fetch --deepen 100`)",
            cut_argument(base)
        );
    }
    let near: Vec<String> = similar(asked, known)
        .into_iter()
        .map(|name| format!("`{}`", cut_argument(&name)))
        .collect();
    let names = "`git branch -a` and `git tag` list the names; nothing is fetched";
    if near.is_empty() {
        names.to_owned()
    } else {
        format!("did you mean {}? {names}", near.join(" or "))
    }
}

/// Returns the name that steps back are counted from: `main` of `main~2`; `None` where there are no steps.
fn base_of_ancestor(asked: &str) -> Option<&str> {
    let (base, _) = asked.split_at_checked(asked.find(['~', '^'])?)?;
    (!base.is_empty()).then_some(base)
}

/// Returns the names most like one: `feture` → `feature`, `3.4.0` → `v3.4.0`, `login` → `origin/login`.
fn similar(asked: &str, known: Vec<String>) -> Vec<String> {
    // Steps back are not part of the name.
    let asked = &asked[..asked.find(['~', '^', '@']).unwrap_or(asked.len())];
    if asked.is_empty() || asked.len() > MAX_COMPARED_BYTES {
        return Vec::new();
    }
    let asked = asked.to_lowercase();
    let alike = |name: &str| {
        let name = name.to_lowercase();
        let last = name.rsplit('/').next().unwrap_or_default();
        likeness(&asked, &name).max(likeness(&asked, last) * 0.98)
    };
    let mut found: Vec<(f64, String)> = known
        .into_iter()
        .filter(|name| name.len() <= MAX_COMPARED_BYTES)
        .map(|name| (alike(&name), name))
        .filter(|(alike, _)| *alike >= MIN_LIKENESS)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.truncate(MAX_NAMED);
    found.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn a_mistyped_name_finds_those_like_it() {
        let found = |asked: &str| {
            let known = ["main", "feature/login", "origin/main", "v3.4.0", "v3.4.1"];
            similar(asked, known.map(str::to_owned).to_vec())
        };
        assert_eq!(found("mian"), ["main", "origin/main"]);
        assert_eq!(found("login"), ["feature/login"]);
        assert_eq!(found("feature/logn~2"), ["feature/login"]);
        assert_eq!(found("3.4.0"), ["v3.4.0", "v3.4.1"]);
        assert!(found("zebra").is_empty() && found("~3").is_empty());
        assert!(found(&"x".repeat(4_000)).is_empty());
    }
}
