//! Components that are registered for all templates, so that no file imports them: `<BooleanDisplay/>` or `<boolean-display/>` may be the
//! component of `BooleanDisplay.vue`.

use super::Uses;
use crate::error::Result;
use crate::model::RepoPath;
use crate::store::SymbolRow;
use crate::syntax::by_path;

/// The name under which a component is exported.
const DEFAULT: &str = "default";

/// The call that gives names of a component to those who hold it: `defineExpose({ open })`.
const EXPOSING: &str = "defineExpose";

impl Uses<'_> {
    /// Whether no other file can name a definition: a variable of the script of a component, `const isLocked = ref(false)`.
    pub(super) fn is_confined(&self, symbol: &SymbolRow) -> Result<bool> {
        let is_local = symbol.parent.is_none() && !symbol.exported && symbol.name != DEFAULT;
        if !is_local || !is_component(&symbol.path) {
            return Ok(false);
        }
        let file = self.read.file(symbol.path.as_str())?;
        let text = file.and_then(|file| self.sources.read(&symbol.path, file.content));
        Ok(text.is_some_and(|text| !text.contains(EXPOSING)))
    }
}

/// Returns the names that the tags of a component have: `BooleanDisplay` and `boolean-display`; `None` for any other definition.
pub(super) fn component_tags(symbol: &SymbolRow) -> Option<Vec<String>> {
    let is_whole = symbol.parent.is_none() && symbol.name == DEFAULT;
    if !is_whole || !is_component(&symbol.path) {
        return None;
    }
    let stem = symbol.path.file_name().rsplit_once('.')?.0;
    let pascal = pascal(stem);
    let kebab = kebab(&pascal);
    let mut tags = vec![pascal];
    tags.extend(Some(kebab).filter(|it| it.contains('-')));
    Some(tags)
}

fn is_component(path: &RepoPath) -> bool {
    matches!(by_path(path).id, "vue" | "svelte")
}

/// `boolean-display` → `BooleanDisplay`
fn pascal(name: &str) -> String {
    let words = name.split('-').filter(|it| !it.is_empty());
    words
        .map(|word| {
            let first = word.chars().next().into_iter().flat_map(char::to_uppercase);
            first.chain(word.chars().skip(1)).collect::<String>()
        })
        .collect()
}

/// `BooleanDisplay` → `boolean-display`
fn kebab(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{kebab, pascal};

    #[test]
    fn a_component_has_two_tags() {
        for (file, tags) in [
            ("BooleanDisplay", ("BooleanDisplay", "boolean-display")),
            ("boolean-display", ("BooleanDisplay", "boolean-display")),
            ("Row", ("Row", "row")),
        ] {
            let one = pascal(file);
            assert_eq!((one.as_str(), kebab(&one).as_str()), tags);
        }
    }
}
