//! The names that SCIP gives to definitions: the file, the definitions around, and the name, each with a sign for its kind.
//!
//! `drain` of the class `Queue` in `src/queue.ts` is ``codelens . . . `src/queue.ts`/Queue#drain().``. The grammar stands in
//! `scip.proto` of <https://github.com/scip-code/scip> at `message Symbol`.

use std::collections::HashMap;
use std::rc::Rc;

use scip::types::descriptor::Suffix;
use scip::types::{Descriptor, Package, Symbol};

use crate::error::Result;
use crate::model::{FileId, SymbolKind};
use crate::workspace::View;

/// Files whose names are kept.
const MAX_KEPT: usize = 2_000;

/// The names of one file's definitions.
pub(super) struct FileNames {
    /// The file itself.
    pub(super) module: String,
    /// Its definitions, by their places in it.
    pub(super) definitions: Vec<DefinitionName>,
}

/// One definition as other files need it.
pub(super) struct DefinitionName {
    /// The symbol of SCIP.
    pub(super) symbol: String,
    /// Its own name.
    pub(super) name: String,
    /// The definition around it.
    pub(super) parent: Option<u32>,
    /// Whether it makes instances of the class around it.
    pub(super) is_constructor: bool,
}

/// Names of definitions by file, read when they are asked for.
pub(super) struct SymbolNames<'a> {
    view: &'a View<'a>,
    kept: HashMap<FileId, Rc<FileNames>>,
}

impl<'a> SymbolNames<'a> {
    pub(super) fn new(view: &'a View<'a>) -> Self {
        Self {
            view,
            kept: HashMap::new(),
        }
    }

    /// Returns the names of a file's definitions; `None` for a row that is not there.
    pub(super) fn of_file(&mut self, file: FileId) -> Result<Option<Rc<FileNames>>> {
        if let Some(known) = self.kept.get(&file) {
            return Ok(Some(Rc::clone(known)));
        }
        let Some(path) = self.view.read.path_of(file)? else {
            return Ok(None);
        };
        let module = vec![descriptor(path.as_str(), Suffix::Namespace, 0)];
        let mut chains: Vec<Vec<Descriptor>> = Vec::new();
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut definitions = Vec::new();
        for row in self.view.read.symbols_of(file)? {
            let around = row.parent.and_then(|parent| chains.get(parent as usize));
            let mut chain = match around {
                Some(around) => around.clone(),
                None => outer(&module, &row.qualified_name, &row.name),
            };
            let suffix = suffix_of(row.kind);
            chain.push(descriptor(&row.name, suffix, 0));
            let mut symbol = formatted(&chain);
            let n_before = seen.entry(symbol.clone()).or_default();
            if suffix == Suffix::Method && *n_before > 0 {
                // Overloads, and functions of one name in different branches.
                chain.pop();
                chain.push(descriptor(&row.name, suffix, *n_before));
                symbol = formatted(&chain);
            }
            *n_before += 1;
            chains.push(chain);
            definitions.push(DefinitionName {
                symbol,
                name: row.name,
                parent: row.parent,
                is_constructor: row.kind == SymbolKind::Constructor,
            });
        }
        let names = Rc::new(FileNames {
            module: formatted(&module),
            definitions,
        });
        if self.kept.len() >= MAX_KEPT {
            self.kept.clear();
        }
        self.kept.insert(file, Rc::clone(&names));
        Ok(Some(names))
    }
}

/// The descriptors around a definition that stands outside of its type: those of `Store` for `Store.Open` in Go.
fn outer(module: &[Descriptor], qualified: &str, name: &str) -> Vec<Descriptor> {
    let mut chain = module.to_vec();
    let before = qualified
        .strip_suffix(name)
        .and_then(|it| it.strip_suffix('.'));
    for part in before.into_iter().flat_map(|before| before.split('.')) {
        chain.push(descriptor(part, Suffix::Type, 0));
    }
    chain
}

fn suffix_of(kind: SymbolKind) -> Suffix {
    match kind {
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor => Suffix::Method,
        SymbolKind::Class | SymbolKind::Interface | SymbolKind::Type | SymbolKind::Enum => {
            Suffix::Type
        }
        SymbolKind::Property
        | SymbolKind::Field
        | SymbolKind::EnumMember
        | SymbolKind::Constant
        | SymbolKind::Variable => Suffix::Term,
        SymbolKind::Namespace | SymbolKind::Module => Suffix::Namespace,
        SymbolKind::Heading => Suffix::Meta,
        SymbolKind::Macro => Suffix::Macro,
    }
}

fn descriptor(name: &str, suffix: Suffix, n_before: u32) -> Descriptor {
    Descriptor {
        name: name.to_owned(),
        disambiguator: if n_before == 0 {
            String::new()
        } else {
            format!("+{n_before}")
        },
        suffix: suffix.into(),
        ..Descriptor::default()
    }
}

fn formatted(chain: &[Descriptor]) -> String {
    scip::symbol::format_symbol(Symbol {
        scheme: "codelens".to_owned(),
        package: Some(Package::default()).into(),
        descriptors: chain.to_vec(),
        ..Symbol::default()
    })
}
