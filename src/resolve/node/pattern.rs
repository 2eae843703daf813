//! Names with one `*`, as compiler options and package manifests use them.
//!
//! Chooses the best of several patterns for a name; its callers follow that to a file.

/// A name, or all names between a beginning and an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamePattern {
    start: String,
    end: Option<String>,
}

impl NamePattern {
    /// Returns the pattern that `text` writes; `None` where it has more than one `*`.
    pub(super) fn new(text: &str) -> Option<Self> {
        match text.split_once('*') {
            None => Some(Self {
                start: text.to_owned(),
                end: None,
            }),
            Some((_, end)) if end.contains('*') => None,
            Some((start, end)) => Some(Self {
                start: start.to_owned(),
                end: Some(end.to_owned()),
            }),
        }
    }

    /// Returns the pattern of everything below a directory that ends in `/`.
    pub(super) fn directory(text: &str) -> Self {
        Self {
            start: text.to_owned(),
            end: Some(String::new()),
        }
    }

    /// Returns the part of `name` that `*` matches, empty for a pattern without it; `None` where it does not match.
    pub(super) fn star<'n>(&self, name: &'n str) -> Option<&'n str> {
        match &self.end {
            None => (self.start == name).then_some(""),
            Some(end) => name
                .strip_prefix(self.start.as_str())?
                .strip_suffix(end.as_str()),
        }
    }

    /// Returns whether it says nothing about a name at all.
    pub(super) fn is_any(&self) -> bool {
        self.start.is_empty() && self.end.as_deref() == Some("")
    }

    /// Orders patterns that match the same name: an exact one first, then by the longer beginning,
    /// then by the longer end.
    fn rank(&self) -> (bool, usize, usize) {
        let end = self.end.as_ref();
        (end.is_none(), self.start.len(), end.map_or(0, String::len))
    }
}

/// Returns the best match for `name` among `patterns`, and the part that its `*` matches.
pub(super) fn best<'p, 'n, T>(
    patterns: impl IntoIterator<Item = (&'p NamePattern, T)>,
    name: &'n str,
) -> Option<(&'p NamePattern, T, &'n str)> {
    let mut found: Option<(&NamePattern, T, &str)> = None;
    for (pattern, value) in patterns {
        let Some(star) = pattern.star(name) else {
            continue;
        };
        if found
            .as_ref()
            .is_none_or(|(best, ..)| pattern.rank() > best.rank())
        {
            found = Some((pattern, value, star));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{NamePattern, best};

    #[test]
    fn the_most_exact_pattern_wins() {
        let patterns: Vec<NamePattern> = ["*", "@a/*", "@a/b/*", "@a/b/c", "@a/*.js"]
            .iter()
            .filter_map(|text| NamePattern::new(text))
            .collect();
        let of = |name| {
            let all = patterns
                .iter()
                .enumerate()
                .map(|(at, pattern)| (pattern, at));
            best(all, name).map(|(_, at, star)| (at, star))
        };
        assert_eq!(of("@a/b/c"), Some((3, "")));
        assert_eq!(of("@a/b/d"), Some((2, "d")));
        assert_eq!(of("@a/x.js"), Some((4, "x")));
        assert_eq!(of("z"), Some((0, "z")));
        assert_eq!(NamePattern::new("a*b*"), None);
        assert_eq!(NamePattern::new("aa*aa").unwrap().star("aaa"), None);
    }
}
