//! The shortest chains of edges from one place to another: of uses between definitions, of imports and uses between files.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::{Budget, Direction, EdgeKind, FileId, Provenance, SymbolId};
use crate::store::{Read, StoreResult, SymbolRow};

/// Chains that are returned.
const MAX_CHAINS: usize = 3;

/// Places that one walk visits.
const MAX_NODES: usize = 20_000;

/// A node of a chain. All of one walk are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChainNode {
    /// A definition, which leads on by its calls and names.
    Definition(SymbolId),
    /// A file, which leads on by its imports, calls and names.
    File(FileId),
}

/// The kind of one edge of a chain, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    /// It calls the next one.
    Calls,
    /// It imports the next one.
    Imports,
    /// It names the next one.
    References,
}

/// One edge of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The definition or file that uses the next one.
    pub from: ChainNode,
    /// The next one.
    pub to: ChainNode,
    /// How it uses it.
    pub kind: LinkKind,
    /// How that is known.
    pub provenance: Provenance,
    /// The line of the first use, where one is known; 0 for none.
    pub line: u32,
}

/// The chains that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chains {
    /// All of one length; each from its first link to its last.
    pub chains: Vec<Vec<Link>>,
    /// Whether a bound ended the walk before it found any.
    pub is_cut: bool,
}

/// Returns the shortest chains, three at most, from any of `from` to any of `to`, by at most `depth` edges. A place that
/// is in both is no chain.
pub fn between(
    read: &Read<'_>,
    from: &BTreeSet<ChainNode>,
    to: &BTreeSet<ChainNode>,
    depth: u32,
    budget: &Budget,
) -> StoreResult<Chains> {
    let mut edges = Edges::new(read);
    let mut seen: HashMap<ChainNode, u32> = from.iter().map(|at| (*at, 0)).collect();
    // The links by which a place is first reached, all of one length.
    let mut before: BTreeMap<ChainNode, BTreeSet<Link>> = BTreeMap::new();
    let mut frontier: BTreeSet<ChainNode> = from.clone();
    for hops in 1..=depth {
        let mut next = BTreeSet::new();
        for at in &frontier {
            if budget.is_cancelled() || seen.len() > MAX_NODES {
                return Ok(Chains {
                    chains: Vec::new(),
                    is_cut: true,
                });
            }
            for link in edges.out_of(*at)? {
                if *seen.entry(link.to).or_insert(hops) == hops {
                    before.entry(link.to).or_default().insert(link);
                    next.insert(link.to);
                }
            }
        }
        let reached: Vec<ChainNode> = next.intersection(to).copied().collect();
        if !reached.is_empty() {
            let mut chains = Vec::new();
            for goal in reached {
                lead_back(goal, &before, &mut Vec::new(), &mut chains);
            }
            return Ok(Chains {
                chains,
                is_cut: false,
            });
        }
        frontier = next;
    }
    Ok(Chains::default())
}

/// Returns the places that any of `from` uses directly or through one other, with the number of edges.
pub fn used_by(
    read: &Read<'_>,
    from: &BTreeSet<ChainNode>,
    budget: &Budget,
) -> StoreResult<BTreeMap<ChainNode, u32>> {
    let mut edges = Edges::new(read);
    let mut found = BTreeMap::new();
    let mut frontier = from.clone();
    for hops in 1..=2 {
        let mut next = BTreeSet::new();
        for at in &frontier {
            if budget.is_cancelled() || found.len() > MAX_NODES {
                return Ok(found);
            }
            for link in edges.out_of(*at)? {
                if !from.contains(&link.to) && !found.contains_key(&link.to) {
                    found.insert(link.to, hops);
                    next.insert(link.to);
                }
            }
        }
        frontier = next;
    }
    Ok(found)
}

/// Collects the chains that end at `at`; `behind` is the way from there, its first link last.
fn lead_back(
    at: ChainNode,
    before: &BTreeMap<ChainNode, BTreeSet<Link>>,
    behind: &mut Vec<Link>,
    chains: &mut Vec<Vec<Link>>,
) {
    let Some(links) = before.get(&at) else {
        chains.push(behind.iter().rev().copied().collect());
        return;
    };
    for link in links {
        if chains.len() >= MAX_CHAINS {
            return;
        }
        behind.push(*link);
        lead_back(link.from, before, behind, chains);
        behind.pop();
    }
}

/// The edges of one level.
struct Edges<'a> {
    read: &'a Read<'a>,
    /// The definitions of the files of functions on the way.
    symbols: HashMap<String, Vec<SymbolRow>>,
}

impl<'a> Edges<'a> {
    fn new(read: &'a Read<'a>) -> Self {
        Self {
            read,
            symbols: HashMap::new(),
        }
    }

    /// Returns the edges out of a place, the strongest one to each other place.
    fn out_of(&mut self, at: ChainNode) -> StoreResult<Vec<Link>> {
        let mut best: BTreeMap<ChainNode, Link> = BTreeMap::new();
        let all = match at {
            ChainNode::Definition(definition) => self.of_definition(definition)?,
            ChainNode::File(file) => self.of_file(file)?,
        };
        for link in all {
            let known = best.entry(link.to).or_insert(link);
            let key = |it: &Link| (it.provenance, it.kind, it.line);
            if key(&link) < key(known) {
                *known = link;
            }
        }
        Ok(best.into_values().collect())
    }

    fn of_definition(&mut self, at: SymbolId) -> StoreResult<Vec<Link>> {
        let own = self.with_inner_functions(at)?;
        let mut found = Vec::new();
        for src in &own {
            for edge in self.read.edges_out_of(*src)? {
                if edge.dst != at {
                    found.push(Link {
                        from: ChainNode::Definition(at),
                        to: ChainNode::Definition(edge.dst),
                        kind: match edge.kind {
                            EdgeKind::Calls => LinkKind::Calls,
                            _ => LinkKind::References,
                        },
                        provenance: edge.provenance,
                        line: edge.line,
                    });
                }
            }
        }
        Ok(found)
    }

    /// Returns a definition and, of a function, the functions inside it: what they use is used by it.
    fn with_inner_functions(&mut self, at: SymbolId) -> StoreResult<BTreeSet<SymbolId>> {
        let mut own = BTreeSet::from([at]);
        let Some(symbol) = self.read.symbol_by_id(at)? else {
            return Ok(own);
        };
        if !symbol.kind.is_function() {
            return Ok(own);
        }
        let path = symbol.path.as_str();
        if !self.symbols.contains_key(path) {
            let file = self.read.file(path)?;
            let all = match file {
                Some(file) => self.read.symbols_of(file.id)?,
                None => Vec::new(),
            };
            self.symbols.insert(path.to_owned(), all);
        }
        let inner = self.symbols[path].iter();
        let inner = inner.filter(|it| symbol.span.contains(&it.span));
        own.extend(inner.map(|it| it.id));
        Ok(own)
    }

    fn of_file(&self, at: FileId) -> StoreResult<Vec<Link>> {
        let link = |to, kind, provenance| Link {
            from: ChainNode::File(at),
            to: ChainNode::File(to),
            kind,
            provenance,
            line: 0,
        };
        let imports = self.read.import_neighbors(at, Direction::Out)?.into_iter();
        let mut found: Vec<Link> = imports
            .map(|to| link(to, LinkKind::Imports, Provenance::Resolved))
            .collect();
        for (of, kind) in [
            (EdgeKind::Calls, LinkKind::Calls),
            (EdgeKind::References, LinkKind::References),
        ] {
            let bound = self.read.edge_neighbors(at, [of; 2], Direction::Out)?;
            found.extend(
                bound
                    .into_iter()
                    .map(|(to, provenance)| link(to, kind, provenance)),
            );
        }
        Ok(found)
    }
}
