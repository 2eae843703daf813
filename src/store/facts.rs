//! Facts and configuration files as they are kept: packed, so that linking never parses a file again
//! and resolving never reads the disk.
//!
//! Packing is postcard, then zstd. Before it qualified names are shortened and the numbers of references become differences, which
//! takes a seventh of the bytes off.

use std::cell::RefCell;
use std::mem::swap;

use rusqlite::OptionalExtension as _;
use zstd::bulk::{Compressor, Decompressor};

use super::{ErrorContext, Read, StoreResult};
use crate::ir::{Endpoint, EndpointRole, FileFacts, MountTarget, OwnUses, Router};
use crate::model::{FileId, Span, Symbol};

/// The most that one packed value may unpack to, in bytes: four times the largest file that is indexed,
/// so that a hostile index cannot fill the memory.
const MAX_UNPACKED_BYTES: usize = 8 << 20;

/// How hard zstd tries: facts of 1.2 MB take 600 kB in 7 ms at 1, 592 in 9 at 3, 585 in 13 at 4, 578 in 35 at 9.
const LEVEL: i32 = 4;

/// The facts of a file, packed in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedFacts {
    /// All but the uses.
    pub declared: Vec<u8>,
    /// The uses.
    pub uses: Vec<u8>,
}

/// Returns the facts, packed, without the fields that symbol rows hold anyway (signature, doc and places).
///
/// Takes those fields out while it packs and puts them back: a copy of all facts costs more. Names and expressions have other
/// numbers afterwards, those by which they are packed.
pub fn pack_facts(facts: &mut FileFacts) -> PackedFacts {
    let mut uses = facts.take_uses();
    let packed = pack_parts(facts, &mut uses);
    facts.put_uses(uses);
    packed
}

fn pack_parts(declared: &mut FileFacts, uses: &mut OwnUses) -> PackedFacts {
    let mut fields: Vec<SymbolFields> = (declared.symbols.iter())
        .map(|symbol| SymbolFields {
            qualified_name: short_qualified_name(&declared.symbols, symbol),
            ..SymbolFields::default()
        })
        .collect();
    let mut swap_all = |facts: &mut FileFacts| {
        let symbols = facts.symbols.iter_mut().zip(&mut fields);
        symbols.for_each(|(symbol, fields)| fields.swap_with(symbol));
    };
    swap_all(declared);
    let packed = postcard::to_stdvec(declared).expect("facts hold only what postcard can write");
    swap_all(declared);
    uses.take_differences();
    let packed_uses = postcard::to_stdvec(uses).expect("uses hold only what postcard can write");
    uses.restore_numbers();
    PackedFacts {
        declared: pack(&packed),
        uses: pack(&packed_uses),
    }
}

/// The fields of a symbol that are packed otherwise: the qualified name, and those that its row holds, which are left out.
#[derive(Default)]
struct SymbolFields {
    qualified_name: String,
    signature: String,
    doc: String,
    span: Span,
    name_line: u32,
}

impl SymbolFields {
    fn swap_with(&mut self, symbol: &mut Symbol) {
        swap(&mut symbol.qualified_name, &mut self.qualified_name);
        swap(&mut symbol.signature, &mut self.signature);
        swap(&mut symbol.doc, &mut self.doc);
        swap(&mut symbol.span, &mut self.span);
        swap(&mut symbol.name_line, &mut self.name_line);
    }
}

/// Returns the qualified name of a symbol as it is packed: empty where it is the name behind that of the parent (`Store.open`), else
/// all of it behind a `=`.
fn short_qualified_name(symbols: &[Symbol], symbol: &Symbol) -> String {
    let whole = symbol.qualified_name.as_str();
    let parent = symbol.parent.map(|at| symbols.get(at as usize));
    let own = match parent {
        None => Some(whole),
        Some(parent) => parent
            .and_then(|parent| whole.strip_prefix(&parent.qualified_name))
            .and_then(|own| own.strip_prefix('.')),
    };
    if own == Some(symbol.name.as_str()) {
        String::new()
    } else {
        format!("={whole}")
    }
}

/// Makes the qualified names whole again that [`short_qualified_name`] shortened; `None` for damaged ones, and for more than the bound
/// in all: each of many nested symbols repeats the names of all around it.
fn restore_qualified_names(symbols: &mut [Symbol]) -> Option<()> {
    let mut n_left = MAX_UNPACKED_BYTES;
    for at in 0..symbols.len() {
        let (before, rest) = symbols.split_at_mut(at);
        let symbol = &mut rest[0];
        if let Some(whole) = symbol.qualified_name.strip_prefix('=') {
            symbol.qualified_name = whole.to_owned();
        } else if symbol.qualified_name.is_empty() {
            symbol.qualified_name = match symbol.parent {
                None => symbol.name.clone(),
                Some(parent) => [
                    &before.get(parent as usize)?.qualified_name,
                    ".",
                    &symbol.name,
                ]
                .concat(),
            };
        } else {
            return None;
        }
        n_left = n_left.checked_sub(symbol.qualified_name.len())?;
    }
    Some(())
}

/// Returns the facts that [`pack_facts`] packed; `None` for damaged data, and for facts with an index out of range:
/// readers follow every index without asking.
pub(super) fn unpack_facts(packed: &PackedFacts) -> Option<FileFacts> {
    let mut facts = unpack_first_part(&packed.declared)?;
    let mut uses: OwnUses = postcard::from_bytes(&unpack(&packed.uses)?).ok()?;
    uses.restore_numbers();
    facts.put_uses(uses);
    let mut references = facts.references.iter();
    let is_sound = is_sound(&facts) && references.all(|it| facts.is_sound_reference(it));
    is_sound.then_some(facts)
}

/// Does [`unpack_facts`] for all but the uses: the facts have no references.
pub(super) fn unpack_declared(packed: &[u8]) -> Option<FileFacts> {
    let facts = unpack_first_part(packed)?;
    (facts.references.is_empty() && is_sound(&facts)).then_some(facts)
}

fn unpack_first_part(packed: &[u8]) -> Option<FileFacts> {
    let mut facts: FileFacts = postcard::from_bytes(&unpack(packed)?).ok()?;
    restore_qualified_names(&mut facts.symbols)?;
    Some(facts)
}

/// Returns whether every index in the facts is within its table; those of references apart.
fn is_sound(facts: &FileFacts) -> bool {
    let below = |at: u32, n: usize| usize::try_from(at).is_ok_and(|at| at < n);
    let is_symbol = |at: u32| below(at, facts.symbols.len());
    let is_symbol_if_any = |at: Option<u32>| at.is_none_or(is_symbol);
    let exprs = &facts.exprs;
    let mut symbols = facts.symbols.iter().enumerate();
    symbols.all(|(at, symbol)| symbol.parent.is_none_or(|parent| below(parent, at)))
        && exprs.is_sound(facts.symbols.len(), facts.imports.len())
        && facts.bindings.iter().all(|binding| {
            is_symbol_if_any(binding.owner)
                && exprs.has_path(binding.path)
                && exprs.has(binding.value)
        })
        && facts.directives.iter().all(|it| is_symbol(it.symbol))
        && facts
            .endpoints
            .iter()
            .all(|it| is_sound_endpoint(facts, it))
        && facts
            .endpoint_uses
            .iter()
            .all(|it| facts.is_sound_reference(it))
        && facts.owners.is_sorted_by_key(|it| it.symbol)
        && facts
            .owners
            .iter()
            .all(|it| is_symbol(it.symbol) && exprs.has(it.owner))
        && facts.all.iter().flatten().all(|it| exprs.has_name(*it))
}

fn is_sound_endpoint(facts: &FileFacts, endpoint: &Endpoint) -> bool {
    let below = |at: u32, n: usize| usize::try_from(at).is_ok_and(|at| at < n);
    let is_symbol = |at: u32| below(at, facts.symbols.len());
    let is_reference = |at: u32| below(at, facts.endpoint_uses.len());
    let is_router = |router: Router| match router {
        Router::Symbol(at) => is_symbol(at),
        Router::Imported(at) => is_reference(at),
        Router::Root | Router::File | Router::Global | Router::Unknown => true,
    };
    let is_role = match &endpoint.role {
        EndpointRole::Route(route) => {
            is_router(route.router) && route.handler.is_none_or(is_reference)
        }
        EndpointRole::Mount(mount) => {
            let is_target = match mount.target {
                MountTarget::Reference(at) => is_reference(at),
                MountTarget::Import(at) => below(at, facts.imports.len()),
                MountTarget::Symbol(at) => is_symbol(at),
                MountTarget::Global => true,
            };
            is_router(mount.parent) && is_target
        }
        EndpointRole::Request(request) => request.client.is_none_or(is_reference),
        EndpointRole::Object { .. } | EndpointRole::Use { .. } | EndpointRole::Offer { .. } => true,
    };
    endpoint.symbol.is_none_or(is_symbol) && is_role
}

/// Returns `bytes` packed.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    thread_local! {
        static PACKER: RefCell<Compressor<'static>> =
            RefCell::new(Compressor::new(LEVEL).expect("the level is one of zstd's"));
    }
    PACKER.with_borrow_mut(|packer| {
        packer
            .compress(bytes)
            .expect("compressing into memory cannot fail")
    })
}

/// Returns the unpacked bytes; `None` for damaged data or more than the bound.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    thread_local! {
        static UNPACKER: RefCell<Option<Decompressor<'static>>> = RefCell::new(Decompressor::new().ok());
    }
    // The frame says how much it holds: no more room than that is made, and never more than the bound.
    let n_bytes = zstd::zstd_safe::get_frame_content_size(packed).ok()??;
    let n_bytes = usize::try_from(n_bytes)
        .ok()
        .filter(|n| *n <= MAX_UNPACKED_BYTES)?;
    UNPACKER.with_borrow_mut(|unpacker| unpacker.as_mut()?.decompress(packed, n_bytes).ok())
}

impl Read<'_> {
    /// Returns the facts of a file with the signatures and places of its symbols, which [`Self::facts`] leaves empty. Docs stay
    /// empty.
    pub fn facts_with_places(&self, file: FileId) -> StoreResult<Option<FileFacts>> {
        let Some(mut facts) = self.facts(file)? else {
            return Ok(None);
        };
        let rows = self.symbols_of(file)?;
        if rows.len() != facts.symbols.len() {
            return Ok(None);
        }
        for row in rows {
            let Some(symbol) = facts.symbols.get_mut(row.ordinal as usize) else {
                return Ok(None);
            };
            symbol.signature = row.signature;
            symbol.span = row.span;
            symbol.name_line = row.name_line;
        }
        Ok(Some(facts))
    }

    /// Returns the facts of a file, with empty signatures, docs and places; `None` if it has none.
    pub fn facts(&self, file: FileId) -> StoreResult<Option<FileFacts>> {
        let packed: Option<PackedFacts> = self
            .tx
            .prepare_cached("SELECT declared, uses FROM facts WHERE file = ?1")
            .and_then(|mut statement| {
                let packed = |row: &rusqlite::Row<'_>| {
                    Ok(PackedFacts {
                        declared: row.get(0)?,
                        uses: row.get(1)?,
                    })
                };
                statement.query_row([file], packed).optional()
            })
            .context("reading facts")?;
        Ok(packed.and_then(|packed| unpack_facts(&packed)))
    }

    /// Does [`Self::facts`] without the uses of the file, for who looks up names in it: a third of the cost. Expressions and names
    /// have the same numbers as in the whole.
    pub fn declared_facts(&self, file: FileId) -> StoreResult<Option<FileFacts>> {
        let packed: Option<Vec<u8>> = self
            .tx
            .prepare_cached("SELECT declared FROM facts WHERE file = ?1")
            .and_then(|mut statement| statement.query_row([file], |row| row.get(0)).optional())
            .context("reading facts")?;
        Ok(packed.and_then(|packed| unpack_declared(&packed)))
    }

    /// The buckets of the names that a file exports (see [`super::interface::exported_names`]); `None` if it has no
    /// facts.
    pub fn exported_names(&self, file: FileId) -> StoreResult<Option<u64>> {
        self.tx
            .prepare_cached("SELECT exported_names FROM facts WHERE file = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([file], |row| row.get::<_, i64>(0))
                    .optional()
            })
            .map(|mask| mask.map(i64::cast_unsigned))
            .context("reading the exported names of a file")
    }
}

#[cfg(test)]
mod tests {
    use super::{pack_facts, pack_parts, restore_qualified_names, unpack_declared, unpack_facts};
    use crate::ir::{
        Binding, Expr, ExprArena, ExprId, FileFacts, NameId, OwnUses, PathId, Reference,
        ReferenceKind, Slot, Target,
    };
    use crate::model::{Span, Symbol, SymbolFlags, SymbolKind};

    fn facts() -> FileFacts {
        let symbol = |name: &str, parent| Symbol {
            name: name.into(),
            qualified_name: name.into(),
            kind: SymbolKind::Class,
            span: Span::default(),
            name_line: 0,
            exported: true,
            flags: SymbolFlags::empty(),
            signature: String::new(),
            doc: String::new(),
            parent,
        };
        let mut exprs = ExprArena::default();
        let name = exprs.name("c");
        let made = exprs.add(Expr::Symbol(0));
        let made = exprs.add(Expr::Construct { class: made });
        let path = exprs.path(PathId::EMPTY, Slot::Return);
        FileFacts {
            symbols: vec![symbol("A", None), symbol("b", Some(0))],
            references: vec![Reference {
                name,
                target: Target::Value(made),
                kind: ReferenceKind::Call,
                symbol: Some(1),
                line: 1,
                count: 1,
            }],
            bindings: vec![Binding {
                owner: Some(1),
                path,
                value: made,
            }],
            exprs,
            ..FileFacts::default()
        }
    }

    #[test]
    fn facts_that_point_to_nothing_are_damaged() {
        assert_eq!(unpack_facts(&pack_facts(&mut facts())), Some(facts()));
        let spoils: [fn(&mut FileFacts, &mut OwnUses); 12] = [
            |facts, _| facts.symbols[1].parent = Some(1),
            |facts, _| facts.symbols[0].parent = Some(7),
            |_, uses| uses.references[0].symbol = Some(2),
            |_, uses| uses.references[0].name = NameId(1),
            |_, uses| uses.references[0].target = Target::Value(ExprId(2)),
            |_, uses| uses.references[0].target = Target::Symbol(u32::MAX),
            |_, uses| {
                let references = std::mem::take(&mut uses.references);
                *uses = OwnUses::default();
                uses.references = references;
            },
            |facts, _| facts.bindings[0].owner = Some(2),
            |facts, _| facts.bindings[0].path = PathId(2),
            |facts, _| facts.bindings[0].value = ExprId(9),
            |facts, _| facts.all = Some(vec![NameId(1)]),
            |facts, _| facts.exprs.renumber(|_| 9),
        ];
        for (at, spoil) in spoils.into_iter().enumerate() {
            let mut facts = facts();
            let mut uses = facts.take_uses();
            spoil(&mut facts, &mut uses);
            let packed = pack_parts(&mut facts, &mut uses);
            assert_eq!(unpack_facts(&packed), None, "{at}");
        }
    }

    #[test]
    fn qualified_names_come_back_whole() {
        let mut all = facts();
        let names = ["A", "A.b", "A.b.=x", "", "=A.b", "B.c", "A.b"];
        for (at, whole) in (0_u32..).zip(names) {
            for name in ["A", "b", "=x", ""] {
                for parent in [None, at.checked_sub(1), Some(0)] {
                    all.symbols.push(Symbol {
                        name: name.into(),
                        qualified_name: whole.into(),
                        parent,
                        ..all.symbols[0].clone()
                    });
                }
            }
        }
        let whole = all.clone();
        assert_eq!(unpack_facts(&pack_facts(&mut all)), Some(whole.clone()));
        assert_eq!(all, whole);
    }

    #[test]
    fn names_of_nested_symbols_do_not_fill_the_memory() {
        let facts = facts();
        let nested = |at: u32| Symbol {
            qualified_name: String::new(),
            parent: at.checked_sub(1),
            ..facts.symbols[0].clone()
        };
        let mut symbols: Vec<Symbol> = (0..6_000).map(nested).collect();
        let mut some = symbols[..1_000].to_vec();
        assert_eq!(restore_qualified_names(&mut symbols), None);
        assert_eq!(restore_qualified_names(&mut some), Some(()));
        assert!(some[999].qualified_name.ends_with(".A.A"));
    }

    #[test]
    fn what_others_look_up_does_not_lead_into_the_uses() {
        let mut facts = facts();
        let mut uses = facts.take_uses();
        let declared = unpack_declared(&pack_parts(&mut facts, &mut uses).declared).unwrap();
        assert_eq!((&declared, declared.exprs.names().len()), (&facts, 0));
        // The name of the reference is in the other part.
        facts.all = Some(vec![NameId(0)]);
        let packed = pack_parts(&mut facts, &mut uses);
        assert!(unpack_facts(&packed).is_some());
        assert_eq!(unpack_declared(&packed.declared), None);
    }
}
