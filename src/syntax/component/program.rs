//! The program of a template: its expressions as TypeScript, in the scopes that the markup gives them, each with its
//! place in the file.
//!
//! `<li v-for="a in b" @click="c(a)">` becomes `const _0=(b); for(const a of _0){ {c(a)} }`, a line for each piece of the
//! file. Does not know what markup means; see `vue` and `svelte`.

use std::ops::Range;

use crate::ir::FileFacts;

use crate::model::Budget;
use crate::syntax::lang::ecmascript;
use crate::syntax::lines::Lines;

/// Pieces of one file that are read; those beyond are text.
const MAX_PIECES: usize = 100_000;

/// A part of the program that stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ProgramPiece {
    /// First byte and length in the program.
    at: usize,
    len: usize,
    /// Its line in the program, from 0.
    line: usize,
    /// Where it stands in the file.
    source: Range<usize>,
    form: PieceForm,
    /// Whether it is written as something else there.
    is_renamed: bool,
    /// Whether the grammar can't read it.
    is_broken: bool,
}

/// The form of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PieceForm {
    /// `a + b`
    Expression,
    /// `a(); b()`
    Statements,
    /// The names that a scope binds: `{ a, b }`.
    Pattern,
    /// The name of an element: `Foo`.
    Element,
}

/// A program in the making.
#[derive(Debug)]
pub(super) struct Program<'a> {
    source: &'a str,
    text: String,
    pieces: Vec<ProgramPiece>,
    /// Line breaks in the text.
    n_lines: usize,
    n_names: usize,
    /// Whether the names that it does not bind are members of an instance.
    has_instance: bool,
}

impl<'a> Program<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        let mut program = Self {
            source,
            text: String::new(),
            pieces: Vec::new(),
            n_lines: 0,
            n_names: 0,
            has_instance: false,
        };
        // Nothing in it is a definition of the file.
        program.glue(";(()=>{");
        program
    }

    /// Returns a program whose free names are members of an instance.
    pub(super) fn of_instance(source: &'a str) -> Self {
        let mut program = Self::new(source);
        program.has_instance = true;
        program
    }

    /// Whether nothing was added that stands in the file.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds code of no place. A line break before it ends comments of the piece before.
    fn glue(&mut self, code: &str) {
        self.text.push('\n');
        self.n_lines += 1;
        self.text.push_str(code);
    }

    fn piece(&mut self, source: Range<usize>, text: &str, form: PieceForm) {
        self.pieces.push(ProgramPiece {
            at: self.text.len(),
            len: text.len(),
            line: self.n_lines,
            form,
            is_renamed: self.source.get(source.clone()) != Some(text),
            source,
            is_broken: false,
        });
        self.n_lines += text.matches('\n').count();
        self.text.push_str(text);
    }

    fn own(&mut self, source: Range<usize>, form: PieceForm) {
        let text = self.own_text(&source);
        self.piece(source, text, form);
    }

    fn own_text(&self, source: &Range<usize>) -> &'a str {
        self.source.get(source.clone()).unwrap_or_default()
    }

    /// Adds a piece between code of no place, unless nothing more is taken or its range is blank.
    fn enclosed(
        &mut self,
        before: &str,
        (range, text): (Range<usize>, &str),
        form: PieceForm,
        after: &str,
    ) {
        if !self.is_over(&range) {
            self.glue(before);
            self.piece(range, text, form);
            self.glue(after);
        }
    }

    /// Whether nothing more is taken, or `range` is blank.
    fn is_over(&self, range: &Range<usize>) -> bool {
        self.pieces.len() >= MAX_PIECES || self.own_text(range).trim().is_empty()
    }

    /// `a + b`
    pub(super) fn expression(&mut self, range: Range<usize>) {
        let text = self.own_text(&range);
        self.enclosed(";(", (range, text), PieceForm::Expression, ");");
    }

    /// An expression of which some bytes are others in TypeScript: `a | b: c`. `text` is as long as the range.
    pub(super) fn rewritten(&mut self, range: Range<usize>, text: &str) {
        if !self.is_over(&range) {
            self.glue(";(");
            self.piece(range, text, PieceForm::Expression);
            self.in_place();
            self.glue(");");
        }
    }

    /// A variable of the scope around that holds a value: `a` and `b()` in `b() as a`. `text` is that of the value, as
    /// long as its range.
    pub(super) fn holding(&mut self, name: Range<usize>, value: Range<usize>, text: &str) {
        if self.is_over(&name) || self.is_over(&value) {
            return;
        }
        self.glue(";const ");
        self.own(name, PieceForm::Pattern);
        self.glue("=(");
        self.piece(value, text, PieceForm::Expression);
        self.in_place();
        self.glue(");");
    }

    /// Says that the bytes of the last piece stand where they stand in the file.
    fn in_place(&mut self) {
        if let Some(last) = self.pieces.last_mut() {
            last.is_renamed &= last.len != last.source.len();
        }
    }

    /// A function that is called with an argument of no interest: `f` in `@click="f"`.
    pub(super) fn called(&mut self, range: Range<usize>) {
        let text = self.own_text(&range);
        self.enclosed(";(", (range, text), PieceForm::Expression, ")();");
    }

    /// `a(); b()`
    pub(super) fn statements(&mut self, range: Range<usize>) {
        let text = self.own_text(&range);
        self.enclosed(";{", (range, text), PieceForm::Statements, "}");
    }

    /// A value that is written as something else: `fooBar` for `foo-bar`.
    pub(super) fn rewritten_value(&mut self, range: Range<usize>, name: &str) {
        self.enclosed(";(", (range, name), PieceForm::Expression, ");");
    }

    /// An element that is a component: `Foo`, `ns.Foo`, or one that is written as something else.
    pub(super) fn element(&mut self, range: Range<usize>, name: &str) {
        self.enclosed(";(", (range, name), PieceForm::Element, ");");
    }

    /// Begins a scope that binds one element of a value, and what else is bound beside it.
    pub(super) fn open_each(
        &mut self,
        value: Range<usize>,
        pattern: Option<Range<usize>>,
        others: &[Range<usize>],
    ) {
        let text = self.own_text(&value);
        self.open_each_of((value, text), pattern, others);
    }

    /// As [`Self::open_each`], of a value that is another text in TypeScript, as long as its range.
    pub(super) fn open_each_of(
        &mut self,
        (value, text): (Range<usize>, &str),
        pattern: Option<Range<usize>>,
        others: &[Range<usize>],
    ) {
        // The value is looked up outside the scope: `item in item.items`.
        let name = format!("_{}", self.n_names);
        self.n_names += 1;
        if self.is_over(&value) {
            self.glue(&format!(";const {name}=[];"));
        } else {
            self.glue(&format!(";const {name}=("));
            self.piece(value, text, PieceForm::Expression);
            self.in_place();
            self.glue(");");
        }
        match pattern.filter(|pattern| !self.is_over(pattern)) {
            Some(pattern) => {
                self.glue(";for(const ");
                self.own(pattern, PieceForm::Pattern);
                self.glue(&format!(" of {name}){{"));
            }
            None => self.glue(";{"),
        }
        self.glue(";((_");
        for other in others {
            self.glue(",");
            if !self.is_over(other) {
                self.own(other.clone(), PieceForm::Pattern);
            }
        }
        self.glue(")=>{");
    }

    /// Ends the scope of [`Self::open_each`].
    pub(super) fn close_each(&mut self) {
        self.glue("});}");
    }

    /// Begins a scope that binds the names of a pattern; an empty one for none.
    pub(super) fn open_scope(&mut self, patterns: &[Range<usize>]) {
        self.glue(";((_");
        for pattern in patterns {
            if !self.is_over(pattern) {
                self.glue(",");
                self.own(pattern.clone(), PieceForm::Pattern);
            }
        }
        self.glue(")=>{");
    }

    /// Ends the scope of [`Self::open_scope`].
    pub(super) fn close_scope(&mut self) {
        self.glue("});");
    }

    /// A variable of the scope around: `{@const a = b}`.
    pub(super) fn constant(&mut self, range: Range<usize>) {
        if !self.is_over(&range) {
            self.glue(";const ");
            self.own(range, PieceForm::Pattern);
            self.glue(";");
        }
    }

    /// Binds a name of the scope around that stands nowhere.
    pub(super) fn declare(&mut self, names: &str) {
        self.glue(&format!(";let {names};"));
    }

    /// Ends the program and reads it; `None` where the budget ended. `names` are those of the scripts.
    pub(super) fn read(
        mut self,
        names: &[String],
        keeps_positions: bool,
        has_stores: bool,
        budget: &Budget,
    ) -> Option<TemplateProgram> {
        self.glue("})");
        let mut elements: Vec<usize> = Vec::new();
        for piece in self
            .pieces
            .iter()
            .filter(|it| it.form == PieceForm::Element)
        {
            elements.push(piece.at);
        }
        let has_instance = self.has_instance;
        let read = |text: &str| {
            let request = ecmascript::TemplateRequest {
                source: text,
                names,
                elements: &elements,
                keeps_positions,
                has_stores,
                has_instance,
            };
            ecmascript::read_template(&request, budget)
        };
        let mut parsed = read(&self.text)?;
        if parsed.script.facts.has_errors {
            self.blank_broken(budget)?;
            parsed = read(&self.text)?;
            if parsed.script.facts.has_errors {
                // One expression spoils its neighbours: none of them can be trusted.
                for piece in &mut self.pieces {
                    piece.is_broken = true;
                }
                parsed.script.facts = FileFacts::default();
                parsed.script.positions.clear();
            }
        }
        let mut by_source: Vec<usize> = (0..self.pieces.len()).collect();
        by_source.sort_by_key(|at| self.pieces[*at].source.start);
        Some(TemplateProgram {
            by_source,
            has_broken: self.pieces.iter().any(|piece| piece.is_broken),
            text: self.text,
            pieces: self.pieces,
            parsed,
        })
    }

    /// Takes out the pieces that the grammar can't read by themselves.
    fn blank_broken(&mut self, budget: &Budget) -> Option<()> {
        let mut text = std::mem::take(&mut self.text).into_bytes();
        for piece in &mut self.pieces {
            let range = piece.at..piece.at + piece.len;
            let code = String::from_utf8_lossy(&text[range.clone()]).into_owned();
            let whole = match piece.form {
                PieceForm::Expression | PieceForm::Element => format!("(\n{code}\n)"),
                PieceForm::Statements => format!("{{\n{code}\n}}"),
                PieceForm::Pattern => format!("let {code}\n"),
            };
            let is_read = ecmascript::is_readable(&whole, budget)?
                || piece.form == PieceForm::Pattern
                    && ecmascript::is_readable(&format!("((\n{code}\n)=>0)"), budget)?;
            if is_read {
                continue;
            }
            piece.is_broken = true;
            for byte in &mut text[range.clone()] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
            if piece.form != PieceForm::Statements {
                // A line break before it would end nothing: it stands where a value or a pattern has to.
                text[piece.at] = b'_';
            }
        }
        self.text = String::from_utf8(text).unwrap_or_default();
        Some(())
    }
}

/// A template that was read.
pub(super) struct TemplateProgram {
    /// The facts, with lines and bytes of the program.
    pub(super) parsed: ecmascript::PositionedScript,
    /// The program.
    pub(super) text: String,
    /// Whether a part of it can't be read.
    pub(super) has_broken: bool,
    pieces: Vec<ProgramPiece>,
    /// The pieces by their place in the file.
    by_source: Vec<usize>,
}

/// Where a byte of the file is in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramPosition {
    /// In no expression.
    Outside,
    /// In one that can't be read.
    Broken,
    /// This byte of the program.
    At(u32),
    /// In the name of something that is called otherwise in the program.
    Renamed,
}

impl TemplateProgram {
    /// Returns the byte of the file for one of the program; `None` for code that stands in no file.
    pub(super) fn source_of(&self, at: u32) -> Option<u32> {
        let at = at as usize;
        let next = self.pieces.partition_point(|piece| piece.at <= at);
        let piece = self.pieces.get(next.checked_sub(1)?)?;
        let within = at - piece.at;
        if within >= piece.len {
            return None;
        }
        let at = piece.source.start + if piece.is_renamed { 0 } else { within };
        u32::try_from(at).ok()
    }

    /// Returns the line of the file for one of the program, both from 1; `None` for code that stands in no file.
    pub(super) fn line_of(&self, lines: &Lines<'_>, line: u32) -> Option<u32> {
        let line = (line as usize).checked_sub(1)?;
        let next = self.pieces.partition_point(|piece| piece.line <= line);
        let piece = self.pieces.get(next.checked_sub(1)?)?;
        let start = u32::try_from(piece.source.start).ok()?;
        let end = u32::try_from(piece.source.end).ok()?;
        let found = lines.line_at(start) + (line - piece.line);
        let is_in = found <= lines.line_at(end);
        is_in.then(|| u32::try_from(found + 1).unwrap_or(u32::MAX))
    }

    /// Returns where the last name of an element begins in its tag: 3 for `ns.Comp`.
    pub(super) fn name_in(&self, start: usize, length: usize) -> usize {
        let next = self
            .by_source
            .partition_point(|piece| self.pieces[*piece].source.start < start);
        let piece = self.by_source.get(next).map(|piece| &self.pieces[*piece]);
        let piece = piece.filter(|piece| piece.source == (start..start + length));
        let Some(piece) = piece.filter(|piece| !piece.is_renamed) else {
            return 0;
        };
        let name = &self.text[piece.at..piece.at + piece.len];
        name.rfind('.').map_or(0, |dot| dot + 1)
    }

    /// Returns where a byte of the file is in the program.
    pub(super) fn place_of(&self, at: u32) -> ProgramPosition {
        let at = at as usize;
        let next = self
            .by_source
            .partition_point(|piece| self.pieces[*piece].source.start <= at);
        let Some(piece) = next
            .checked_sub(1)
            .map(|next| &self.pieces[self.by_source[next]])
        else {
            return ProgramPosition::Outside;
        };
        if !piece.source.contains(&at) {
            return ProgramPosition::Outside;
        }
        if piece.is_broken {
            return ProgramPosition::Broken;
        }
        if piece.is_renamed {
            return ProgramPosition::Renamed;
        }
        let at = piece.at + (at - piece.source.start);
        u32::try_from(at).map_or(ProgramPosition::Outside, ProgramPosition::At)
    }
}
