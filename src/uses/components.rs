//! Components that are registered for all templates, so that no file imports them: `<BooleanDisplay/>` or `<boolean-display/>` may be the
//! component of `BooleanDisplay.vue`.

use super::Uses;
use super::unbound_uses::may_name;
use crate::error::Result;
use crate::model::{RepoPath, Symbol};
use crate::store::{SymbolRow, UnboundForm};
use crate::syntax::{self, by_path};

/// The name under which a component is exported.
const DEFAULT: &str = "default";

/// The call that gives names of a component to those who hold it: `defineExpose({ open })`.
const EXPOSING: &str = "defineExpose";

/// Directories around a component that may be a part of its name.
const MAX_PREFIXES: usize = 4;

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

impl Uses<'_> {
    /// Returns how many tags of templates lead nowhere and may name a component that is gone, whose directories may be a part of its name: `<NavFooter/>`
    /// of `nav/Footer.vue`. 0 of any other definition.
    pub(super) fn n_unbound_tags(&self, path: &RepoPath, symbol: &Symbol) -> Result<u64> {
        let is_whole = symbol.parent.is_none() && symbol.name == DEFAULT;
        let Some((stem, _)) = path.file_name().rsplit_once('.').filter(|_| is_whole) else {
            return Ok(0);
        };
        if !is_component(path) {
            return Ok(0);
        }
        let mut name = stem.to_owned();
        let mut n_places = 0;
        let around = path.as_str().rsplit('/').skip(1).take(MAX_PREFIXES);
        for directory in std::iter::once(None).chain(around.map(Some)) {
            if let Some(directory) = directory {
                name = format!("{directory}-{name}");
            }
            let tags = syntax::component_tags(&name);
            let mut places = self.read.unbound_places(&tags[0])?;
            places.retain(|it| it.form == UnboundForm::CALL && may_name(&it.path, path));
            n_places += places.len() as u64;
        }
        Ok(n_places)
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
