//! The handles of the symbols and chunks of one file.
//!
//! A handle is a hash of properties that stay when code moves: path, qualified name and kind for a symbol, its owner
//! and part for a chunk. Where these repeat within the file, the signature or the content enters too, then the number
//! of the repetition.

use std::collections::HashMap;

use super::{Chunk, Handle, HandleKind, RepoPath, Symbol};

/// Returns the hashes of the handles of a file's symbols, in their order, all different.
pub fn symbol_handles(path: &RepoPath, symbols: &[Symbol]) -> Vec<u64> {
    let mut repeated: HashMap<(&str, u8), u32> = HashMap::new();
    for symbol in symbols {
        *repeated.entry(key(symbol)).or_default() += 1;
    }
    let mut seen: HashMap<(&str, u8, &str), u32> = HashMap::new();
    symbols
        .iter()
        .map(|symbol| {
            let name = symbol.qualified_name.as_bytes();
            let kind = [symbol.kind.code()];
            let mut parts: Vec<&[u8]> = vec![name, &kind];
            let again;
            if repeated.get(&key(symbol)).is_some_and(|n| *n > 1) {
                let (name, code) = key(symbol);
                let n = seen.entry((name, code, &symbol.signature)).or_default();
                again = n.to_le_bytes();
                *n += 1;
                parts.push(symbol.signature.as_bytes());
                parts.push(&again);
            }
            Handle::of(HandleKind::Symbol, path, &parts).hash
        })
        .collect()
}

/// Returns the hashes of the handles of a file's chunks, in their order, all different. `symbols` are
/// the handles of its symbols, `source` the text that the chunks cut.
pub fn chunk_handles(path: &RepoPath, symbols: &[u64], chunks: &[Chunk], source: &str) -> Vec<u64> {
    let mut alike: HashMap<&str, u32> = HashMap::new();
    chunks
        .iter()
        .map(|chunk| {
            let owner = chunk
                .symbol
                .and_then(|at| symbols.get(at as usize).copied());
            if let Some(owner) = owner {
                return part_handle(path, owner, chunk.part).hash;
            }
            let text = source
                .get(chunk.span.start_byte as usize..chunk.span.end_byte as usize)
                .unwrap_or_default();
            let n = alike.entry(text).or_default();
            let again = n.to_le_bytes();
            *n += 1;
            Handle::of(HandleKind::Chunk, path, &[b"text", text.as_bytes(), &again]).hash
        })
        .collect()
}

/// Returns the handle of a part of a definition; `symbol` is the hash of its handle. Costs about 0.3 µs.
pub fn part_handle(path: &RepoPath, symbol: u64, part: u32) -> Handle {
    // The last one tells equal parts of one symbol apart: there are none.
    let (symbol, part, again) = (symbol.to_le_bytes(), part.to_le_bytes(), [0; 4]);
    let parts: [&[u8]; 4] = [b"symbol", &symbol, &part, &again];
    Handle::of(HandleKind::Chunk, path, &parts)
}

fn key(symbol: &Symbol) -> (&str, u8) {
    (&symbol.qualified_name, symbol.kind.code())
}

#[cfg(test)]
mod tests {
    use super::symbol_handles;
    use crate::model::{RepoPath, Span, Symbol, SymbolFlags, SymbolKind};

    fn symbol(name: &str, line: u32, signature: &str) -> Symbol {
        Symbol {
            name: name.into(),
            qualified_name: name.into(),
            kind: SymbolKind::Function,
            span: Span {
                start_byte: line,
                end_byte: line + 1,
                start_line: line,
                end_line: line,
            },
            name_line: line,
            exported: false,
            flags: SymbolFlags::empty(),
            signature: signature.into(),
            doc: String::new(),
            parent: None,
        }
    }

    #[test]
    fn a_handle_stays_when_code_moves_or_is_edited() {
        let path = RepoPath::new("a.ts").unwrap();
        let before = symbol_handles(&path, &[symbol("f", 1, "function f()")]);
        let after = symbol_handles(
            &path,
            &[
                symbol("g", 1, "function g()"),
                symbol("f", 9, "function f(a)"),
            ],
        );
        assert_eq!(before[0], after[1]);
        assert_ne!(
            before,
            symbol_handles(&RepoPath::new("b.ts").unwrap(), &[symbol("f", 1, "")])
        );
    }

    #[test]
    fn repeated_names_keep_their_handles_by_signature() {
        let path = RepoPath::new("a.ts").unwrap();
        let one = symbol_handles(&path, &[symbol("f", 1, "f(a)"), symbol("f", 2, "f(b)")]);
        let two = symbol_handles(&path, &[symbol("f", 1, "f(b)"), symbol("f", 2, "f(a)")]);
        assert_eq!(one[0], two[1]);
        assert_eq!(one[1], two[0]);
        let same = symbol_handles(&path, &[symbol("f", 1, "f"), symbol("f", 2, "f")]);
        assert_ne!(same[0], same[1]);
    }
}
