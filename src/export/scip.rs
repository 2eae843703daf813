//! An index in the format of SCIP: a document for each file, with the place of each definition and each bound use.
//!
//! Written by the schema `scip.proto` of <https://github.com/scip-code/scip>. Messages that follow one another are one
//! message to a reader of protocol buffers, so each document is written by itself.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;

use protobuf::Message as _;
use scip::types::symbol_information::Kind;
use scip::types::{
    Document, Index, Metadata, Occurrence, PositionEncoding, ProtocolVersion, Relationship,
    Signature, SymbolInformation, SymbolRole, TextEncoding, ToolInfo,
};

use super::positions::range;
use super::symbol_names::{FileNames, SymbolNames};
use super::{FileWriter, WrittenExport, write_failed};
use crate::error::{Error, Result};
use crate::model::uri::file_uri;
use crate::model::{Symbol, SymbolFlags, SymbolKind};
use crate::store::FileSummary;
use crate::uses::{ByteRange, DefinitionId, FileUses, UseRole, UseTarget, Uses};
use crate::workspace::View;

/// Most base classes that are followed from one.
const MAX_BASES: usize = 64;

/// Writes documents of SCIP.
pub(super) struct ScipWriter<'a> {
    view: &'a View<'a>,
    uses: &'a Uses<'a>,
    files: &'a [FileSummary],
    names: SymbolNames<'a>,
    /// The classes and interfaces that each one extends or implements.
    bases: HashMap<DefinitionId, Vec<DefinitionId>>,
    out: &'a mut dyn Write,
}

impl<'a> ScipWriter<'a> {
    /// Writes the head of the index.
    pub(super) fn begin(
        view: &'a View<'a>,
        uses: &'a Uses<'a>,
        files: &'a [FileSummary],
        root: &Path,
        out: &'a mut dyn Write,
    ) -> Result<Self> {
        let mut bases: HashMap<DefinitionId, Vec<DefinitionId>> = HashMap::new();
        for file in files {
            if view.budget.is_cancelled() {
                return Err(Error::cancelled());
            }
            for (of, base) in uses.bases_of(file.id)? {
                bases.entry((file.id, of)).or_default().push(base);
            }
        }
        let tool = ToolInfo {
            name: "codelens".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..ToolInfo::default()
        };
        let metadata = Metadata {
            version: ProtocolVersion::UnspecifiedProtocolVersion.into(),
            tool_info: Some(tool).into(),
            project_root: file_uri(root),
            text_document_encoding: TextEncoding::UTF8.into(),
            ..Metadata::default()
        };
        write(
            out,
            &Index {
                metadata: Some(metadata).into(),
                ..Index::default()
            },
        )?;
        Ok(Self {
            view,
            uses,
            files,
            names: SymbolNames::new(view),
            bases,
            out,
        })
    }

    fn document(
        &mut self,
        file: &FileSummary,
        names: &FileNames,
        found: &FileUses,
        counts: &mut WrittenExport,
    ) -> Result<Document> {
        let lines = &found.lines;
        let of_test = if self.view.roles.is_test(&file.path) {
            SymbolRole::Test as i32
        } else {
            0
        };
        let mut occurrences = vec![Occurrence {
            range: vec![0, 0, 0],
            symbol: names.module.clone(),
            symbol_roles: SymbolRole::Definition as i32 | of_test,
            ..Occurrence::default()
        }];
        let mut symbols = vec![SymbolInformation {
            symbol: names.module.clone(),
            kind: Kind::File.into(),
            display_name: file.path.as_str().to_owned(),
            ..SymbolInformation::default()
        }];
        let mut described = HashSet::new();
        let definitions = found
            .symbols
            .iter()
            .zip(&found.names)
            .zip(&names.definitions);
        for (at, ((symbol, place), named)) in definitions.enumerate() {
            occurrences.push(Occurrence {
                range: range(lines, *place),
                symbol: named.symbol.clone(),
                symbol_roles: SymbolRole::Definition as i32 | of_test,
                enclosing_range: range(
                    lines,
                    ByteRange {
                        start: symbol.span.start_byte,
                        end: symbol.span.end_byte,
                    },
                ),
                ..Occurrence::default()
            });
            if described.insert(named.symbol.as_str()) {
                let at = (file.id, u32::try_from(at).unwrap_or(u32::MAX));
                let around = named
                    .parent
                    .and_then(|it| names.definitions.get(it as usize));
                let around = around.map_or(&names.module, |around| &around.symbol);
                symbols.push(SymbolInformation {
                    relationships: self.relationships(at, symbol)?,
                    ..information(&named.symbol, around, symbol, language_name(&file.language))
                });
            }
        }
        counts.n_symbols += found.symbols.len() as u64;
        for used in &found.uses {
            let role = match used.role {
                UseRole::Import => SymbolRole::Import as i32,
                UseRole::Instance | UseRole::Other => 0,
            };
            let constructor = match used.role {
                UseRole::Instance => self.constructor_of(used.target)?,
                UseRole::Import | UseRole::Other => None,
            };
            for symbol in self.symbol_of(used.target)?.into_iter().chain(constructor) {
                occurrences.push(Occurrence {
                    range: range(lines, used.place),
                    symbol,
                    symbol_roles: role | of_test,
                    ..Occurrence::default()
                });
            }
            counts.n_uses += 1;
        }
        occurrences.sort_by(|a, b| (&a.range, &a.symbol).cmp(&(&b.range, &b.symbol)));
        Ok(Document {
            language: language_name(&file.language).to_owned(),
            relative_path: file.path.as_str().to_owned(),
            occurrences,
            symbols,
            position_encoding: PositionEncoding::UTF8CodeUnitOffsetFromLineStart.into(),
            ..Document::default()
        })
    }

    fn symbol_of(&mut self, target: UseTarget) -> Result<Option<String>> {
        let (file, ordinal) = match target {
            UseTarget::Definition((file, ordinal)) => (file, Some(ordinal as usize)),
            UseTarget::File(file) => (file, None),
        };
        let Some(names) = self.names.of_file(file)? else {
            return Ok(None);
        };
        Ok(match ordinal {
            Some(ordinal) => names.definitions.get(ordinal).map(|it| it.symbol.clone()),
            None => Some(names.module.clone()),
        })
    }

    /// The written constructor of a class: `new Store()` uses both.
    fn constructor_of(&mut self, target: UseTarget) -> Result<Option<String>> {
        let UseTarget::Definition((file, class)) = target else {
            return Ok(None);
        };
        let names = self.names.of_file(file)?;
        Ok(names.and_then(|names| {
            let mut inner = names.definitions.iter();
            let found = inner.find(|it| it.is_constructor && it.parent == Some(class));
            found.map(|it| it.symbol.clone())
        }))
    }

    /// The bases of a class, and the members of its bases that a member overrides or implements.
    fn relationships(&mut self, of: DefinitionId, symbol: &Symbol) -> Result<Vec<Relationship>> {
        let mut related = Vec::new();
        for base in self.bases.get(&of).cloned().unwrap_or_default() {
            related.extend(
                self.symbol_of(UseTarget::Definition(base))?
                    .map(|base| (base, false)),
            );
        }
        let is_member = matches!(
            symbol.kind,
            SymbolKind::Method | SymbolKind::Property | SymbolKind::Field
        );
        if let Some(class) = symbol.parent.filter(|_| is_member) {
            let mut above = self.bases.get(&(of.0, class)).cloned().unwrap_or_default();
            let mut seen: HashSet<DefinitionId> = above.iter().copied().collect();
            while let Some(base) = above.pop() {
                if let Some(names) = self.names.of_file(base.0)? {
                    let overridden = names
                        .definitions
                        .iter()
                        .find(|it| it.parent == Some(base.1) && it.name == symbol.name);
                    related.extend(overridden.map(|it| (it.symbol.clone(), true)));
                }
                let further = self.bases.get(&base).into_iter().flatten();
                let room = MAX_BASES.saturating_sub(seen.len());
                for next in further.take(room) {
                    if seen.insert(*next) {
                        above.push(*next);
                    }
                }
            }
        }
        related.sort();
        related.dedup();
        let relationship = |(symbol, is_reference)| Relationship {
            symbol,
            is_reference,
            is_implementation: true,
            ..Relationship::default()
        };
        Ok(related.into_iter().map(relationship).collect())
    }
}

impl FileWriter for ScipWriter<'_> {
    fn file(&mut self, at: usize, counts: &mut WrittenExport) -> Result<()> {
        let file = &self.files[at];
        let Some(names) = self.names.of_file(file.id)? else {
            return Ok(());
        };
        let Some(found) = self.uses.file_uses(file)? else {
            counts.n_left_out += u64::from(!names.definitions.is_empty());
            return Ok(());
        };
        let document = self.document(file, &names, &found, counts)?;
        counts.n_files += 1;
        write(
            self.out,
            &Index {
                documents: vec![document],
                ..Index::default()
            },
        )
    }
}

fn information(symbol: &str, around: &str, of: &Symbol, language: &str) -> SymbolInformation {
    let signature = Signature {
        language: language.to_owned(),
        text: of.signature.clone(),
        ..Signature::default()
    };
    SymbolInformation {
        symbol: symbol.to_owned(),
        documentation: Some(of.doc.clone())
            .filter(|doc| !doc.is_empty())
            .into_iter()
            .collect(),
        kind: kind_of(of).into(),
        display_name: of.name.clone(),
        signature_documentation: Some(signature).into(),
        enclosing_symbol: around.to_owned(),
        ..SymbolInformation::default()
    }
}

fn kind_of(symbol: &Symbol) -> Kind {
    match symbol.kind {
        SymbolKind::Function => Kind::Function,
        SymbolKind::Class => Kind::Class,
        SymbolKind::Method if symbol.flags.contains(SymbolFlags::ABSTRACT) => Kind::AbstractMethod,
        SymbolKind::Method if symbol.flags.contains(SymbolFlags::STATIC) => Kind::StaticMethod,
        SymbolKind::Method => Kind::Method,
        SymbolKind::Constructor => Kind::Constructor,
        SymbolKind::Property => Kind::Property,
        SymbolKind::Field => Kind::Field,
        SymbolKind::Interface => Kind::Interface,
        SymbolKind::Type => Kind::TypeAlias,
        SymbolKind::Enum => Kind::Enum,
        SymbolKind::EnumMember => Kind::EnumMember,
        SymbolKind::Namespace => Kind::Namespace,
        SymbolKind::Constant => Kind::Constant,
        SymbolKind::Variable => Kind::Variable,
        SymbolKind::Module => Kind::Module,
        SymbolKind::Heading => Kind::UnspecifiedKind,
        SymbolKind::Macro => Kind::Macro,
    }
}

/// The name of a language in SCIP, by its identifier here; others are written as they are.
fn language_name(id: &str) -> &str {
    match id {
        "typescript" => "TypeScript",
        "typescriptreact" => "TypeScriptReact",
        "javascript" => "JavaScript",
        "javascriptreact" => "JavaScriptReact",
        "python" => "Python",
        "go" => "Go",
        "java" => "Java",
        "rust" => "Rust",
        "c" => "C",
        "cpp" => "CPP",
        "csharp" => "CSharp",
        "vue" => "Vue",
        "svelte" => "Svelte",
        "html" => "HTML",
        other => other,
    }
}

fn write(out: &mut dyn Write, part: &Index) -> Result<()> {
    let bytes = part
        .write_to_bytes()
        .map_err(|error| write_failed(&error))?;
    out.write_all(&bytes).map_err(|error| write_failed(&error))
}
