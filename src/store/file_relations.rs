//! The relations of a file or a definition to others, with the strength of each, and files by name.

use std::collections::BTreeMap;

use rusqlite::OptionalExtension as _;

use super::import_kinds::{IS_LEADING, IS_STATED};
use super::packed_edges::{EdgeList, block_of, each_edge};
use super::{EdgeRow, ErrorContext, Read, StoreResult};
use crate::model::hash::HashSet;
use crate::model::{Direction, EdgeKind, FileId, Provenance, RepoPath, SymbolId};

/// A relation of one file to another: imports, or edges of one kind and provenance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRelation {
    /// The file that uses the other.
    pub from: FileId,
    /// The file that is used.
    pub to: FileId,
    /// The kind of its edges.
    pub kind: EdgeKind,
    /// How they are known.
    pub provenance: Provenance,
    /// How many there are.
    pub n_uses: u64,
    /// Line of the first one in the file that uses.
    pub line: u32,
}

/// The part of a relation that tells it from others: the files, the kind and the provenance.
type RelationKey = (FileId, FileId, EdgeKind, Provenance);

fn relation_key(relation: &FileRelation) -> RelationKey {
    (
        relation.from,
        relation.to,
        relation.kind,
        relation.provenance,
    )
}

/// A file that another one uses, or that uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedFile {
    /// The file.
    pub path: RepoPath,
    /// The best known edge between them.
    pub provenance: Provenance,
    /// How many uses there are.
    pub n_uses: u64,
}

impl Read<'_> {
    /// Returns the relations between files: imports, and edges between their definitions by kind and provenance, sorted by these. One
    /// pass over all edges.
    pub fn file_relations(&self) -> StoreResult<Vec<FileRelation>> {
        let mut found: Vec<FileRelation> = self
            .tx
            .prepare_cached(
                &format!("SELECT file, target, count(*), min(line) FROM (
                   SELECT file, target, line FROM import WHERE target > 0 AND {IS_LEADING}
                   UNION ALL SELECT n.file, n.target, i.line FROM import_file n JOIN import i ON i.file = n.file AND i.ordinal = n.ordinal
                 ) WHERE target <> file GROUP BY 1, 2"),
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        Ok(FileRelation {
                            from: row.get(0)?,
                            to: row.get(1)?,
                            kind: EdgeKind::Imports,
                            provenance: Provenance::Resolved,
                            n_uses: super::files::unsigned(row, 2)?,
                            line: row.get(3)?,
                        })
                    })?
                    .collect()
            })
            .context("reading what binds files")?;
        found.extend(self.edge_relations()?.into_values());
        found.sort_by_key(relation_key);
        Ok(found)
    }

    /// Returns how many [`Self::file_relations`] there are.
    pub fn n_file_relations(&self) -> StoreResult<u64> {
        let n_imports = self
            .tx
            .prepare_cached(
                &format!("SELECT (SELECT count(*) FROM (SELECT file, target FROM import WHERE target > 0 AND target <> file AND {IS_LEADING}
                      UNION SELECT file, target FROM import_file WHERE target <> file))"),
            )
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)))
            .map(i64::cast_unsigned)
            .context("counting what binds files")?;
        Ok(n_imports + self.edge_relations()?.len() as u64)
    }

    /// Returns the relations between files by edges.
    fn edge_relations(&self) -> StoreResult<BTreeMap<RelationKey, FileRelation>> {
        let mut found = BTreeMap::new();
        let mut file_of = self
            .tx
            .prepare_cached("SELECT file FROM symbol WHERE id = ?1")
            .context("reading what binds files")?;
        let mut target = (SymbolId::NONE, None);
        each_edge(&self.tx, EdgeList::All, |edge| {
            if target.0 != edge.dst {
                let file: Option<FileId> =
                    file_of.query_row([edge.dst], |row| row.get(0)).optional()?;
                target = (edge.dst, file);
            }
            if let Some(to) = target.1.filter(|to| *to != edge.src_file) {
                let relation = FileRelation {
                    from: edge.src_file,
                    to,
                    kind: edge.kind,
                    provenance: edge.provenance,
                    n_uses: 0,
                    line: edge.line,
                };
                let known = found.entry(relation_key(&relation)).or_insert(relation);
                known.n_uses += u64::from(edge.count);
                known.line = known.line.min(edge.line);
            }
            Ok(())
        })
        .context("reading what binds files")?;
        Ok(found)
    }

    /// Returns the files whose definitions a file uses (`out`), or that use its own, by path.
    pub fn related_files(
        &self,
        of: &str,
        kind: EdgeKind,
        out: bool,
    ) -> StoreResult<Vec<RelatedFile>> {
        let Some(file) = self.file(of)? else {
            return Ok(Vec::new());
        };
        let direction = if out { Direction::Out } else { Direction::In };
        let mut found: BTreeMap<FileId, (Provenance, u64)> = BTreeMap::new();
        for (other, edge) in self.edges_between(file.id, direction, |edge| edge.kind == kind)? {
            let (best, n_uses) = found.entry(other).or_insert((edge.provenance, 0));
            *best = edge.provenance.min(*best);
            *n_uses += u64::from(edge.count);
        }
        let mut related = Vec::with_capacity(found.len());
        for (other, (provenance, n_uses)) in found {
            related.extend(self.path_of(other)?.map(|path| RelatedFile {
                path,
                provenance,
                n_uses,
            }));
        }
        related.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(related)
    }

    /// The files whose definitions a file uses by one of two kinds of edge ([`Direction::Out`]), or that use its own,
    /// each with the best provenance. Costs as much as there are uses.
    pub fn edge_neighbors(
        &self,
        file: FileId,
        kinds: [EdgeKind; 2],
        direction: Direction,
    ) -> StoreResult<BTreeMap<FileId, Provenance>> {
        let mut found = BTreeMap::new();
        let edges = self.edges_between(file, direction, |edge| kinds.contains(&edge.kind))?;
        for (other, edge) in edges {
            let best = found.entry(other).or_insert(edge.provenance);
            *best = edge.provenance.min(*best);
        }
        Ok(found)
    }

    /// Returns the wanted edges from a file to others ([`Direction::Out`]), or from others to its definitions, each with the other file.
    fn edges_between(
        &self,
        file: FileId,
        direction: Direction,
        is_wanted: impl Fn(&EdgeRow) -> bool,
    ) -> StoreResult<Vec<(FileId, EdgeRow)>> {
        let mut found = Vec::new();
        if direction == Direction::Out {
            let mut target = (SymbolId::NONE, None);
            for edge in self.edges(EdgeList::OutOf(file), is_wanted)? {
                if target.0 != edge.dst {
                    target = (edge.dst, self.file_of(edge.dst)?);
                }
                found.extend(target.1.map(|other| (other, edge)));
            }
        } else {
            let mut own = self.symbol_ids(file)?;
            own.sort_unstable();
            for own in own.chunk_by(|a, b| block_of(*a) == block_of(*b)) {
                let is_into = |edge: &EdgeRow| own.binary_search(&edge.dst).is_ok();
                let edges = self.edges(EdgeList::Into(block_of(own[0])), |edge| {
                    is_into(edge) && is_wanted(edge)
                })?;
                found.extend(edges.into_iter().map(|edge| (edge.src_file, edge)));
            }
        }
        found.retain(|(other, _)| *other != file);
        Ok(found)
    }

    /// Returns the files that a file imports by a statement ([`Direction::Out`]), or that import it so, each once.
    pub fn stated_imports(&self, file: FileId, direction: Direction) -> StoreResult<Vec<FileId>> {
        self.imports_of_kinds(file, direction, IS_STATED)
    }

    /// Does [`Self::stated_imports`], with the modules that code reaches without a statement: `app.db` of `app.db.open()` after
    /// `import app`.
    pub fn import_neighbors(&self, file: FileId, direction: Direction) -> StoreResult<Vec<FileId>> {
        self.imports_of_kinds(file, direction, IS_LEADING)
    }

    fn imports_of_kinds(
        &self,
        file: FileId,
        direction: Direction,
        kinds: &str,
    ) -> StoreResult<Vec<FileId>> {
        let query = if direction == Direction::Out {
            format!(
                "SELECT target FROM import WHERE file = ?1 AND target > 0 AND target <> ?1 AND {kinds}
             UNION SELECT target FROM import_file WHERE file = ?1 AND target <> ?1"
            )
        } else {
            format!(
                "SELECT file FROM import WHERE target = ?1 AND file <> ?1 AND {kinds}
             UNION SELECT file FROM import_file WHERE target = ?1 AND file <> ?1"
            )
        };
        self.tx
            .prepare_cached(&query)
            .and_then(|mut statement| statement.query_map([file], |row| row.get(0))?.collect())
            .context("reading imports")
    }

    /// Returns how many other files use a definition of a file. Costs as much as it has uses.
    pub fn n_users(&self, of: &str) -> StoreResult<u64> {
        let Some(file) = self.file(of)? else {
            return Ok(0);
        };
        let edges = self.edges_between(file.id, Direction::In, |_| true)?;
        let users: HashSet<FileId> = edges.into_iter().map(|(user, _)| user).collect();
        Ok(users.len() as u64)
    }

    /// Returns the files whose own name begins with `stem` (ASCII case ignored), by path. One pass over
    /// the paths, in memory.
    pub fn files_named(&self, stem: &str) -> StoreResult<Vec<RepoPath>> {
        let begins = |name: &str| {
            name.get(..stem.len())
                .is_some_and(|begin| begin.eq_ignore_ascii_case(stem))
        };
        let rows = self.file_rows()?;
        let found = rows.iter().filter(|row| begins(row.path.file_name()));
        Ok(found.map(|row| row.path.clone()).collect())
    }
}
