//! Components that are registered for all templates, so that no file imports them: `<BooleanDisplay/>` or `<boolean-display/>` may be the
//! component of `BooleanDisplay.vue`.

use super::Uses;
use crate::error::Result;
use crate::model::RepoPath;
use crate::store::SymbolRow;
use crate::syntax::{self, by_path};

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
    let (name, _) = symbol.path.file_name().rsplit_once('.')?;
    Some(syntax::component_tags(name))
}

fn is_component(path: &RepoPath) -> bool {
    matches!(by_path(path).id, "vue" | "svelte")
}
