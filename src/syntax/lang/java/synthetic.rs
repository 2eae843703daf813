//! Members that no declaration shows: those of enumerations, and those that Lombok adds for annotations.

use tree_sitter::Node;

use super::declarations::method_name;
use super::grammar::Kind;
use super::lowering::Lowering;
use super::symbols::Modifiers;
use crate::ir::{Expr, SymbolIdx};
use crate::model::SymbolKind;
use crate::model::hash::HashMap;
use crate::syntax::lang::use_recorder::offset;

impl<'t> Lowering<'t> {
    /// Binds `values()` and `valueOf(name)` of an enumeration.
    pub(super) fn enum_members(&mut self, symbol: SymbolIdx) {
        let class = self.add(Expr::Symbol(symbol));
        let one = self.instance(class);
        let all = self.array(one);
        for (name, result) in [("values()", all), ("valueOf()", one)] {
            let method = self.add(Expr::Callable { result });
            self.bind_member(symbol, name, method);
        }
    }

    /// Binds the accessors that Lombok adds: each means its field.
    pub(super) fn synthetic_members(
        &mut self,
        class: SymbolIdx,
        modifiers: &Modifiers<'t>,
        body: Option<Node<'t>>,
    ) {
        let of_class = Accessors::of(modifiers);
        let Some(body) = body else {
            return;
        };
        let is_annotated = |lowering: &Self, field: Node<'t>| {
            lowering.kind(field) == Kind::FieldDeclaration
                && Accessors::of(&lowering.modifiers(field)).is_any()
        };
        let fields = self.children(body);
        if !of_class.is_any() && !fields.iter().any(|it| is_annotated(self, *it)) {
            return;
        }
        let mut members: HashMap<(String, bool), SymbolIdx> = HashMap::default();
        for (at, symbol) in self.facts.symbols.iter().enumerate().skip(class as usize) {
            if symbol.parent == Some(class) {
                let is_method = symbol.kind == SymbolKind::Method;
                members.insert((symbol.name.clone(), is_method), offset(at));
            }
        }
        for field in fields {
            if self.kind(field) != Kind::FieldDeclaration {
                continue;
            }
            let own = self.modifiers(field);
            let accessors = Accessors::of(&own);
            let is_read = (of_class.reads && !own.is_static) || accessors.reads;
            let is_written =
                (of_class.writes && !own.is_static && !own.is_final) || accessors.writes;
            if !is_read && !is_written {
                continue;
            }
            let type_ = self.field(field, self.grammar.fields.type_);
            let is_boolean = type_.is_some_and(|it| self.kind(it) == Kind::BooleanType);
            for declarator in self.children(field) {
                let name = self.field(declarator, self.grammar.fields.name);
                let Some(name) = name.filter(|_| self.kind(declarator) == Kind::VariableDeclarator)
                else {
                    continue;
                };
                let name = self.text(name);
                let Some(symbol) = members.get(&(name.to_owned(), false)) else {
                    continue;
                };
                let value = self.add(Expr::Symbol(*symbol));
                let mut names = Vec::new();
                if is_read {
                    names.push(accessor(if is_boolean { "is" } else { "get" }, name));
                }
                if is_written {
                    names.push(accessor("set", name));
                }
                for name in names {
                    if !members.contains_key(&(name.clone(), true)) {
                        self.bind_member(class, &method_name(&name), value);
                    }
                }
            }
        }
    }
}

/// Which accessors annotations ask for.
#[derive(Clone, Copy, Debug)]
struct Accessors {
    reads: bool,
    writes: bool,
}

impl Accessors {
    fn is_any(self) -> bool {
        self.reads || self.writes
    }

    fn of(modifiers: &Modifiers<'_>) -> Self {
        let both = modifiers.has("Data");
        Self {
            reads: both || modifiers.has("Getter") || modifiers.has("Value"),
            writes: both || modifiers.has("Setter"),
        }
    }
}

/// Returns `getName` for `get` and `name`. Of `isOpen` the accessors are `isOpen` and `setOpen`.
fn accessor(prefix: &str, field: &str) -> String {
    let stem = match field.strip_prefix("is") {
        Some(rest) if prefix != "get" && rest.starts_with(|c: char| c.is_uppercase()) => rest,
        _ => field,
    };
    let mut letters = stem.chars();
    let first = letters.next().map(char::to_uppercase);
    let first: String = first.into_iter().flatten().collect();
    format!("{prefix}{first}{}", letters.as_str())
}
