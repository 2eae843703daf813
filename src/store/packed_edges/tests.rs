//! Packed edges: what is packed comes back, damage is an error, and no edge leads to a definition that is gone.

use super::{EdgeList, block_of, each_edge, order, pack, unpack};
use crate::model::{
    EdgeKind, FileId, Provenance, RepoPath, Span, Symbol, SymbolFlags, SymbolId, SymbolKind,
};
use crate::store::remove::tests::{made, prepared};
use crate::store::{EdgeRow, Index, PreparedFile, Writer};

/// Returns an edge by file, source (0: top level), target, kind, provenance, count and line.
fn edge(of: (i64, i64, i64), kind: EdgeKind, provenance: Provenance, uses: (u32, u32)) -> EdgeRow {
    EdgeRow {
        src_file: FileId::new(of.0),
        src: Some(SymbolId::new(of.1)).filter(|src| *src != SymbolId::NONE),
        dst: SymbolId::new(of.2),
        kind,
        provenance,
        count: uses.0,
        line: uses.1,
    }
}

fn call(src_file: i64, src: i64, dst: i64) -> EdgeRow {
    let uses = (1, 3);
    let of = (src_file, src, dst);
    edge(of, EdgeKind::Calls, Provenance::Resolved, uses)
}

/// Edges of one file into one block, with the bounds of each field.
fn various() -> Vec<EdgeRow> {
    let (first, last) = (i64::MAX - 63, i64::MAX);
    let mut edges = vec![
        call(7, 0, first),
        call(7, 1, first),
        call(7, i64::MAX, first),
        edge(
            (7, 0, first + 1),
            EdgeKind::Tests,
            Provenance::PathHeuristic,
            (u32::MAX, u32::MAX),
        ),
        edge(
            (7, 200, last),
            EdgeKind::Calls,
            Provenance::Overload,
            (2, 0),
        ),
        edge(
            (7, 200, last),
            EdgeKind::References,
            Provenance::Bridge,
            (1, 300),
        ),
    ];
    edges.sort_by_key(order);
    edges
}

fn unpacked(of: &EdgeRow, packed: &[u8]) -> rusqlite::Result<Vec<EdgeRow>> {
    let mut found = Vec::new();
    unpack((block_of(of.dst), of.src_file, packed), |edge| {
        found.push(edge);
        Ok(())
    })?;
    Ok(found)
}

#[test]
fn packed_edges_are_unpacked_as_they_were() {
    let edges = various();
    for n in 1..=edges.len() {
        let packed = pack(&edges[..n]);
        assert_eq!(unpacked(&edges[0], &packed).unwrap(), edges[..n]);
    }
    let small: Vec<EdgeRow> = (0..40).map(|n| call(3, 900 + n, 640 + n / 2)).collect();
    let packed = pack(&small);
    assert_eq!(unpacked(&small[0], &packed).unwrap(), small);
    // 2 for the first source, 3 an edge, 1 for each other target.
    assert_eq!(packed.len(), 2 + 3 * 40 + 20);
    assert!(pack(&[]).is_empty());
}

#[test]
fn damaged_edges_are_an_error_or_other_edges() {
    let edges = various();
    let packed = pack(&edges);
    let mut n_errors = 0;
    let mut is_sound = |bytes: &[u8]| match unpacked(&edges[0], bytes) {
        // Edges that came out of the bytes are in order, so that they can be packed again.
        Ok(other) => assert_eq!(unpacked(&edges[0], &pack(&other)).unwrap(), other),
        Err(_) => n_errors += 1,
    };
    for n in 0..packed.len() {
        is_sound(&packed[..n]);
    }
    for at in 0..packed.len() {
        for byte in 0..=u8::MAX {
            let mut bytes = packed.clone();
            bytes[at] = byte;
            is_sound(&bytes);
            bytes.insert(at, byte ^ 0x80);
            is_sound(&bytes);
        }
    }
    assert!(n_errors > 1_000, "{n_errors}");
    for (bytes, fault) in [
        (&[][..], "no edges"),
        (&[5], "no edges"),
        (&[0, 0x22, 0, 0], "the target before the first one"),
        (&[0, 0x20, 64, 0, 0], "a target of another block"),
        (&[0, 0xc0, 0, 0, 0], "no kind"),
        (&[0, 0x21, 0, 0, 0, 0], "no use"),
        (&[0, 0x20, 0, 1, 0], "a source of no definition"),
        (&[0, 0x20, 0, 0, 0, 0x22, 0, 0], "one edge twice"),
        (&[0, 0x20, 1, 0, 0, 0x20, 0, 0, 0], "in no order"),
    ] {
        assert!(unpacked(&call(1, 0, 1), bytes).is_err(), "{fault}");
    }
    assert!(unpacked(&call(1, 0, i64::MIN), &[0, 0x20, 0, 0, 0]).is_ok());
    let beyond = (i64::MAX, FileId::new(1), &[0, 0x20, 0, 0, 0][..]);
    assert!(unpack(beyond, |_| Ok(())).is_err());
}

fn file(path: &str, names: &[&str]) -> PreparedFile {
    let symbols = names.iter().map(|name| {
        let symbol = Symbol {
            name: (*name).into(),
            qualified_name: (*name).into(),
            kind: SymbolKind::Function,
            span: Span::default(),
            name_line: 0,
            exported: true,
            flags: SymbolFlags::empty(),
            signature: String::new(),
            doc: String::new(),
            parent: None,
        };
        (name.bytes().map(u64::from).sum(), symbol)
    });
    PreparedFile {
        symbols: symbols.collect(),
        ..prepared(path)
    }
}

/// Returns source and target of every edge, by target.
fn all(index: &Index) -> Vec<(i64, i64)> {
    let mut found = Vec::new();
    each_edge(index.connection(), EdgeList::All, |edge| {
        found.push((edge.src.map_or(0, SymbolId::row), edge.dst.row()));
        Ok(())
    })
    .unwrap();
    found
}

#[test]
fn edges_of_a_definition_go_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let (home, pointer) = made(dir.path());
    let mut index = Index::open(&home, pointer).unwrap();
    let mut writer = index.writer().unwrap();
    // Definitions 1 to 4, of the files 1 and 2.
    writer.replace_file(&file("b.go", &["a", "b"])).unwrap();
    writer.replace_file(&file("a.go", &["c", "d"])).unwrap();
    let of = |file: i64, edges: &[(i64, i64)]| -> Vec<EdgeRow> {
        let edges = edges.iter().map(|(src, dst)| call(file, *src, *dst));
        edges.collect()
    };
    let link = |writer: &mut Writer<'_>, file, edges: &[EdgeRow]| {
        let file = FileId::new(file);
        writer.set_links(file, edges, &[], &[], &[]).unwrap();
    };
    link(&mut writer, 1, &of(1, &[(1, 2), (2, 1), (0, 4)]));
    link(&mut writer, 2, &of(2, &[(3, 1), (4, 2), (4, 3), (3, 4)]));
    writer.commit(true).unwrap();
    let read = index.read().unwrap();
    let into = |dst| read.edges_into(SymbolId::new(dst)).unwrap();
    assert_eq!(into(1), [call(2, 3, 1), call(1, 2, 1)], "by path");
    assert_eq!(into(4), [call(2, 3, 4), call(1, 0, 4)]);
    let out = |src| read.edges_out_of(SymbolId::new(src)).unwrap();
    assert_eq!(out(4), [call(2, 4, 2), call(2, 4, 3)]);
    assert_eq!(out(99), []);
    assert_eq!(read.n_users("b.go").unwrap(), 1);
    drop(read);

    // `d` goes: what it uses, and what uses it.
    let mut writer = index.writer().unwrap();
    writer.replace_file(&file("a.go", &["c"])).unwrap();
    writer.commit(true).unwrap();
    let rest = [(2, 1), (1, 2), (3, 1)];
    assert_eq!(all(&index), rest);

    // Another definition gets its id, and no edge.
    let mut writer = index.writer().unwrap();
    writer.replace_file(&file("a.go", &["c", "e"])).unwrap();
    writer.commit(true).unwrap();
    let ids = index.read().unwrap().symbol_ids(FileId::new(2)).unwrap();
    assert_eq!((ids[1], all(&index)), (SymbolId::new(4), rest.to_vec()));

    let mut writer = index.writer().unwrap();
    writer.remove_file(&RepoPath::new("b.go").unwrap()).unwrap();
    writer.commit(true).unwrap();
    assert_eq!(all(&index), []);
}

#[test]
fn an_index_with_damaged_edges_is_built_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (home, pointer) = made(dir.path());
    let mut index = Index::open(&home, pointer).unwrap();
    let mut writer = index.writer().unwrap();
    writer.replace_file(&file("a.go", &["a", "b"])).unwrap();
    let links = [call(1, 1, 2)];
    writer
        .set_links(FileId::new(1), &links, &[], &[], &[])
        .unwrap();
    writer.run("UPDATE edge SET packed = x'01'", []).unwrap();
    let refused = writer.replace_file(&file("a.go", &["a"])).unwrap_err();
    assert!(refused.is_corrupt(), "{refused}");
    writer.commit(true).unwrap();
    let read = index.read().unwrap();
    let refused = read.edges_into(SymbolId::new(2)).unwrap_err();
    assert!(refused.is_corrupt(), "{refused}");
}
