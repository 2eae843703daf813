//! An index as lines of JSON: one object a line, each with its `type`.
//!
//! Made to be loaded into a database (`read_json` of `DuckDB`) or a graph. The fields are described in `docs/export.md`.

use std::collections::HashMap;
use std::io::Write;

use serde_json::{Value, json};

use super::{FileWriter, WrittenExport, write_failed};
use crate::error::Result;
use crate::model::{CommitId, FileRole};
use crate::store::{FileSummary, ImportTarget};
use crate::workspace::View;

/// The version of the fields; raised when one changes its meaning.
const VERSION: u32 = 1;

/// Writes a line for each file, symbol, import and edge.
pub(super) struct LineWriter<'a> {
    view: &'a View<'a>,
    files: &'a [FileSummary],
    out: &'a mut dyn Write,
}

impl<'a> LineWriter<'a> {
    /// Writes the first line, which tells of the index as a whole.
    pub(super) fn begin(
        view: &'a View<'a>,
        head: Option<&CommitId>,
        files: &'a [FileSummary],
        out: &'a mut dyn Write,
    ) -> Result<Self> {
        let mut writer = Self { view, files, out };
        writer.line(&json!({
            "type": "index",
            "version": VERSION,
            "tool": "codelens",
            "toolVersion": env!("CARGO_PKG_VERSION"),
            "indexId": view.index_id,
            "headSha": head.map(ToString::to_string),
            "files": files.len(),
        }))?;
        Ok(writer)
    }

    fn line(&mut self, value: &Value) -> Result<()> {
        writeln!(self.out, "{value}").map_err(|error| write_failed(&error))
    }
}

fn role_word(role: FileRole) -> &'static str {
    match role {
        FileRole::Code => "code",
        FileRole::Example => "example",
        FileRole::TestSupport => "test support",
        FileRole::Test => "test",
    }
}

impl FileWriter for LineWriter<'_> {
    fn file(&mut self, at: usize, counts: &mut WrittenExport) -> Result<()> {
        let file = &self.files[at];
        let path = file.path.as_str();
        let read = self.view.read;
        counts.n_files += 1;
        self.line(&json!({
            "type": "file",
            "path": path,
            "language": file.language,
            "lines": file.n_lines,
            "role": role_word(self.view.roles.of(&file.path)),
            "leftOut": file.skip.map(crate::model::SkipReason::as_str),
        }))?;
        let mut ids = HashMap::new();
        for symbol in read.symbols_of(file.id)? {
            counts.n_symbols += 1;
            let id = symbol.handle.to_string();
            ids.insert(symbol.id, id.clone());
            self.line(&json!({
                "type": "symbol",
                "id": id,
                "path": path,
                "name": symbol.name,
                "qualifiedName": symbol.qualified_name,
                "kind": symbol.kind.as_str(),
                "exported": symbol.exported,
                "line": symbol.name_line,
                "startLine": symbol.span.start_line,
                "endLine": symbol.span.end_line,
                "signature": symbol.signature,
            }))?;
        }
        for import in read.imports(file.id)? {
            let target = match import.target {
                Some(ImportTarget::File(id)) => read.path_of(id)?,
                _ => None,
            };
            counts.n_uses += u64::from(target.is_some());
            self.line(&json!({
                "type": "import",
                "path": path,
                "specifier": import.specifier,
                "kind": import.kind.as_str(),
                "target": target.as_ref().map(crate::model::RepoPath::as_str),
                "isExternal": import.target == Some(ImportTarget::External),
            }))?;
        }
        // Rows are numbered in the order of the build, which differs from one to the next.
        let mut edges = Vec::new();
        for edge in read.edges_from(file.id)? {
            let Some(to) = read.symbol_by_id(edge.dst)? else {
                continue;
            };
            let from = edge.src.and_then(|id| ids.get(&id));
            let to_id = to.handle.to_string();
            edges.push((
                edge.line,
                from,
                to_id,
                edge.kind,
                edge.provenance,
                edge.count,
                to,
            ));
        }
        edges.sort_by(|a, b| (a.0, &a.1, &a.2, a.3, a.4).cmp(&(b.0, &b.1, &b.2, b.3, b.4)));
        for (line, from, to_id, kind, provenance, count, to) in edges {
            counts.n_uses += 1;
            self.line(&json!({
                "type": "edge",
                "from": from,
                "path": path,
                "line": line,
                "to": to_id,
                "toPath": to.path.as_str(),
                "toName": to.qualified_name,
                "kind": kind.as_str(),
                "provenance": provenance.as_str(),
                "count": count,
            }))?;
        }
        Ok(())
    }
}
