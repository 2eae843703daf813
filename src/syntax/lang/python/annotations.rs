//! Parsing of annotations from their text, so that those in strings are read as the others are.

/// The most parts of one annotation.
const MAX_PARTS: usize = 500;
/// The deepest nesting of brackets.
const MAX_NESTING: usize = 20;

/// One name of a dotted chain, with its first byte in the source.
pub(super) type ChainPart<'t> = (&'t str, usize);

/// An annotation: `dict[str, a.B | None]`.
#[derive(Clone, Debug)]
pub(super) enum Annotation<'t> {
    /// `a.B`, with the arguments of `a.B[C]`.
    Name(Vec<ChainPart<'t>>, Vec<Annotation<'t>>),
    /// `A | B`
    Union(Vec<Annotation<'t>>),
    /// `[A, B]`
    List(Vec<Annotation<'t>>),
    /// `...`
    Ellipsis,
    /// Anything else.
    Other,
}

/// Parses the bytes of `source` in `range`.
pub(super) fn parse(source: &str, range: std::ops::Range<usize>) -> Annotation<'_> {
    let mut parser = Parser {
        source,
        at: range.start,
        end: range.end.min(source.len()),
        n_parts: 0,
    };
    parser.union(0)
}

struct Parser<'t> {
    source: &'t str,
    at: usize,
    end: usize,
    n_parts: usize,
}

impl<'t> Parser<'t> {
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.source.as_bytes();
        while self.at < self.end {
            match bytes[self.at] {
                b' ' | b'\t' | b'\n' | b'\r' | b'\\' | b'\x0c' => self.at += 1,
                b'#' => {
                    while self.at < self.end && bytes[self.at] != b'\n' {
                        self.at += 1;
                    }
                }
                byte => return Some(byte),
            }
        }
        None
    }

    fn union(&mut self, nesting: usize) -> Annotation<'t> {
        let mut all = vec![self.one(nesting)];
        loop {
            match self.peek() {
                Some(b'|') => {
                    self.at += 1;
                    all.push(self.one(nesting));
                }
                None | Some(b',' | b']' | b')') => break,
                Some(_) => {
                    // An expression that is no type.
                    self.skip();
                    all = vec![Annotation::Other];
                }
            }
        }
        match all.len() {
            1 => all.remove(0),
            _ => Annotation::Union(all),
        }
    }

    fn one(&mut self, nesting: usize) -> Annotation<'t> {
        self.n_parts += 1;
        if self.n_parts > MAX_PARTS || nesting > MAX_NESTING {
            self.at = self.end;
            return Annotation::Other;
        }
        match self.peek() {
            Some(b'*') => {
                self.at += 1;
                self.one(nesting + 1)
            }
            Some(b'[') => {
                self.at += 1;
                Annotation::List(self.list(b']', nesting))
            }
            Some(b'(') => {
                self.at += 1;
                let mut all = self.list(b')', nesting);
                match all.len() {
                    1 => all.remove(0),
                    _ => Annotation::List(all),
                }
            }
            Some(quote @ (b'"' | b'\'')) => self.string(quote, nesting),
            Some(b'.') if self.source[self.at..self.end].starts_with("...") => {
                self.at += 3;
                Annotation::Ellipsis
            }
            Some(byte) if byte == b'_' || byte.is_ascii_alphabetic() || byte >= 0x80 => {
                self.name(nesting)
            }
            Some(b',' | b']' | b')') | None => Annotation::Other,
            Some(_) => {
                self.skip();
                Annotation::Other
            }
        }
    }

    fn name(&mut self, nesting: usize) -> Annotation<'t> {
        let mut parts = Vec::new();
        loop {
            let rest = &self.source[self.at..self.end];
            let len = rest
                .find(|c: char| c != '_' && !c.is_alphanumeric())
                .unwrap_or(rest.len());
            if len == 0 {
                break;
            }
            if parts.len() < 16 {
                parts.push((&rest[..len], self.at));
            }
            self.at += len;
            if self.peek() != Some(b'.') {
                break;
            }
            self.at += 1;
            self.peek();
        }
        let last = parts.last().map_or("", |it| it.0);
        let mut arguments = Vec::new();
        if self.peek() == Some(b'[') {
            self.at += 1;
            if last == "Literal" {
                while !matches!(self.peek(), None | Some(b']')) {
                    self.skip();
                    if self.peek() == Some(b',') {
                        self.at += 1;
                    }
                }
                self.at = (self.at + 1).min(self.end);
            } else {
                arguments = self.list(b']', nesting);
            }
        }
        Annotation::Name(parts, arguments)
    }

    /// Reads up to the closing bracket.
    fn list(&mut self, close: u8, nesting: usize) -> Vec<Annotation<'t>> {
        let mut all = Vec::new();
        loop {
            match self.peek() {
                None => return all,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return all;
                }
                Some(b',' | b']' | b')') => self.at += 1,
                Some(_) => all.push(self.union(nesting + 1)),
            }
        }
    }

    fn string(&mut self, quote: u8, nesting: usize) -> Annotation<'t> {
        let rest = &self.source[self.at..self.end];
        let one = if quote == b'"' { "\"" } else { "'" };
        let three = if quote == b'"' { "\"\"\"" } else { "'''" };
        let mark = if rest.starts_with(three) { three } else { one };
        let inner = &rest[mark.len()..];
        let Some(len) = inner.find(mark) else {
            self.at = self.end;
            return Annotation::Other;
        };
        let start = self.at + mark.len();
        let mut within = Parser {
            source: self.source,
            at: start,
            end: start + len,
            n_parts: self.n_parts,
        };
        let annotation = within.union(nesting + 1);
        self.n_parts = within.n_parts;
        self.at = start + len + mark.len();
        annotation
    }

    /// Steps over an expression, up to a comma or a closing bracket of the list around.
    fn skip(&mut self) {
        let bytes = self.source.as_bytes();
        let mut n_open = 0_usize;
        while self.at < self.end {
            match bytes[self.at] {
                b'[' | b'(' | b'{' => n_open += 1,
                b']' | b')' | b',' if n_open == 0 => return,
                b']' | b')' | b'}' => n_open = n_open.saturating_sub(1),
                quote @ (b'"' | b'\'') => {
                    let rest = &bytes[self.at + 1..self.end];
                    let len = rest.iter().position(|byte| *byte == quote);
                    self.at += len.map_or(rest.len(), |len| len + 1);
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.end);
    }
}
