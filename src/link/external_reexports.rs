//! External names that a module passes on: `export { Box } from 'ext'`, and in Python each import.

use super::name_binder::NameBinder;
use crate::ir::{ExportKind, FileFacts};
use crate::model::{Family, ModuleId};
use crate::store::ImportTarget;

/// Modules of one look-up.
const MAX_MODULES: usize = 100;

impl NameBinder<'_> {
    /// Whether a module passes on an external `name`, or may do so: of what `export * from 'ext'` passes on no
    /// name is known. Follows re-exports; false behind a hundred modules.
    ///
    /// ```text
    /// // store.ts                              // app.ts
    /// export { Box } from 'ext'                import { Box } from './store'    // external
    /// ```
    pub(super) fn passes_on_external(&self, module: ModuleId, name: &str) -> bool {
        let mut open = vec![(module, name.to_owned())];
        let mut n_seen = 0;
        while n_seen < open.len() && n_seen < MAX_MODULES {
            let (module, name) = open[n_seen].clone();
            n_seen += 1;
            let loaded = (module.unit().is_none()).then(|| self.cache.get(module));
            let Some(loaded) = loaded.flatten() else {
                continue;
            };
            let Ok(targets) = self.targets(module.file()) else {
                continue;
            };
            for source in sources(&loaded.facts, &name) {
                match targets.get(source.import).copied().flatten() {
                    Some(ImportTarget::External) => return true,
                    Some(target) => {
                        let next = target.module().map(|it| (it, source.name));
                        open.extend(next.filter(|it| !open.contains(it)));
                    }
                    None => {}
                }
            }
        }
        false
    }
}

/// An import from which a module may take a name, and the name there.
struct NameSource {
    import: usize,
    name: String,
}

/// Returns the imports of a module from which `name` may come.
fn sources(facts: &FileFacts, name: &str) -> Vec<NameSource> {
    let mut sources = Vec::new();
    // In Python what a module imports it passes on.
    let mut locals = Vec::from_iter((facts.family == Family::Python).then_some(name));
    for export in &facts.exports {
        let is_star = export.kind == ExportKind::Star;
        let is_named = export.name == name;
        match export.kind {
            ExportKind::Local if is_named && !export.local.is_empty() => {
                locals.push(export.local.split('.').next().unwrap_or_default());
            }
            ExportKind::From | ExportKind::Namespace | ExportKind::Star if is_named || is_star => {
                let leads = |at: &usize| facts.imports[*at].specifier == export.specifier;
                let taken = if is_star { name } else { &export.local };
                let import = (0..facts.imports.len()).find(leads);
                sources.extend(import.map(|import| NameSource {
                    import,
                    name: taken.to_owned(),
                }));
            }
            _ => {}
        }
    }
    for (import, row) in facts.imports.iter().enumerate() {
        let bound = row.names.iter().filter(|it| locals.contains(&&*it.local));
        sources.extend(bound.map(|it| NameSource {
            import,
            name: it.imported.clone(),
        }));
    }
    sources
}
