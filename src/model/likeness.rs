//! How alike two names are: the only file that uses strsim.

/// Returns how alike two texts are, from 0 to 1: 1 less the edits (a character more, less, another or swapped with the next) for each
/// character of the longer one. `mian` and `main` are .75 alike. Costs the product of both lengths.
///
/// ```
/// use codelens::model::likeness;
///
/// assert_eq!(likeness("mian", "main"), 0.75);
/// ```
pub fn likeness(one: &str, other: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(one, other)
}
