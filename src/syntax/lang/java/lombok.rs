//! Members that Lombok adds for annotations: accessors, builders, factories and loggers.
//!
//! Each stands for the field that it reads or writes, or for the class that it makes: `order.getId()` is a use of `id`,
//! `Order.builder()` one of `Order`. A member that is written by hand comes first.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use super::names::method_name;
use super::symbols::Modifiers;
use crate::ir::{Expr, ExprId, PathId, Slot, SymbolIdx};
use crate::model::SymbolKind;
use crate::model::hash::HashMap;
use crate::syntax::lang::use_recorder::offset;

/// Annotations that add a field `log`.
const LOGGERS: &[&str] = &[
    "CommonsLog",
    "CustomLog",
    "Flogger",
    "JBossLog",
    "Log",
    "Log4j",
    "Log4j2",
    "Slf4j",
    "XSlf4j",
];

/// A field of a class, or a component of a record.
struct Field<'t> {
    name: &'t str,
    symbol: SymbolIdx,
    modifiers: Modifiers<'t>,
    is_boolean: bool,
}

/// The names of the members of a class that are written, with whether they are methods.
type WrittenMembers = HashMap<(String, bool), SymbolIdx>;

impl<'t> Lowering<'t> {
    /// Binds the members that Lombok adds to a class or a record.
    pub(super) fn lombok_members(
        &mut self,
        class: SymbolIdx,
        modifiers: &Modifiers<'t>,
        declaration: Node<'t>,
    ) {
        if !self.imports_lombok() {
            return;
        }
        let mut written = WrittenMembers::default();
        for (at, symbol) in self.facts.symbols.iter().enumerate().skip(class as usize) {
            if symbol.parent == Some(class) {
                let is_method = symbol.kind == SymbolKind::Method;
                written.insert((symbol.name.clone(), is_method), offset(at));
            }
        }
        let fields = self.lombok_fields(declaration, &written);
        for field in &fields {
            self.accessors(class, modifiers, field, &written);
        }
        self.logger(class, modifiers, &written);
        self.factories(class, modifiers, &written);
        self.builder(class, modifiers, &fields, declaration, &written);
    }

    /// Whether the file imports an annotation of Lombok, or may write one with its package.
    fn imports_lombok(&self) -> bool {
        let imports = self.facts.imports.iter();
        let mut specifiers = imports.map(|it| it.specifier.as_str());
        specifiers.any(|it| it == "lombok" || it.starts_with("lombok."))
            || self.source.contains("@lombok.")
    }

    /// Returns an annotation of Lombok.
    fn lombok(&self, modifiers: &Modifiers<'t>, name: &str) -> Option<Node<'t>> {
        let (_, node) = modifiers.annotations.iter().find(|it| it.0 == name)?;
        let written = self.field(*node, self.grammar.fields.name)?;
        let mut imports = self.facts.imports.iter();
        let is_lombok = self.text(written).starts_with("lombok.")
            || imports.any(|import| {
                let rest = import.specifier.strip_prefix("lombok");
                rest.is_some_and(|rest| {
                    rest.is_empty() || rest.starts_with('.') && import_names(import, name)
                })
            });
        is_lombok.then_some(*node)
    }

    /// Returns the text of an argument of an annotation: `of` for `staticName = "of"`.
    fn annotation_argument(&self, annotation: Node<'t>, name: &str) -> Option<&'t str> {
        let arguments = self.field(annotation, self.grammar.fields.arguments)?;
        let all = self.children(arguments).into_iter();
        let mut pairs = all.filter(|it| self.kind(*it) == Kind::ElementValuePair);
        let pair = pairs.find(|it| it.named_child(0).is_some_and(|key| self.text(key) == name))?;
        let value = self.field(pair, self.grammar.fields.value)?;
        Some(self.text(value).trim_matches('"'))
    }

    /// Whether an annotation asks for its member: not with `AccessLevel.NONE`.
    fn is_on(&self, annotation: Node<'t>) -> bool {
        let arguments = self.field(annotation, self.grammar.fields.arguments);
        !arguments.is_some_and(|it| self.text(it).contains("NONE"))
    }

    fn lombok_fields(&self, declaration: Node<'t>, written: &WrittenMembers) -> Vec<Field<'t>> {
        let fields = self.grammar.fields;
        let mut found = Vec::new();
        let mut add = |name: Option<Node<'t>>, node: Node<'t>| {
            let Some(name) = name.map(|it| self.text(it)) else {
                return;
            };
            let type_ = self.field(node, fields.type_);
            if let Some(symbol) = written.get(&(name.to_owned(), false)) {
                found.push(Field {
                    name,
                    symbol: *symbol,
                    modifiers: self.modifiers(node),
                    is_boolean: type_.is_some_and(|it| self.kind(it) == Kind::BooleanType),
                });
            }
        };
        if let Some(components) = self.field(declaration, fields.parameters) {
            for component in self.children(components) {
                add(self.field(component, fields.name), component);
            }
        }
        let Some(body) = self.field(declaration, fields.body) else {
            return found;
        };
        let mut members = self.children(body);
        // Those of an enumeration stand behind its constants.
        let inner = members
            .iter()
            .find(|it| self.kind(**it) == Kind::EnumBodyDeclarations);
        if let Some(inner) = inner {
            members = self.children(*inner);
        }
        for field in members {
            if self.kind(field) == Kind::FieldDeclaration {
                for declarator in self.children(field) {
                    if self.kind(declarator) == Kind::VariableDeclarator {
                        add(self.field(declarator, fields.name), field);
                    }
                }
            }
        }
        found
    }

    fn accessors(
        &mut self,
        class: SymbolIdx,
        of_class: &Modifiers<'t>,
        field: &Field<'t>,
        written: &WrittenMembers,
    ) {
        let own = &field.modifiers;
        // The annotation of the field decides, else one of the class.
        let wanted = |lowering: &Self, name: &str, on_class: &[&str]| {
            if let Some(annotation) = lowering.lombok(own, name) {
                return lowering.is_on(annotation);
            }
            let mut on_class = on_class.iter();
            !own.is_static
                && on_class.any(|name| {
                    let annotation = lowering.lombok(of_class, name);
                    annotation.is_some_and(|it| lowering.is_on(it) || *name == "Value")
                })
        };
        let is_read = wanted(self, "Getter", &["Getter", "Data", "Value"]);
        let is_written = wanted(self, "Setter", &["Setter", "Data"])
            && (!own.is_final || self.lombok(own, "Setter").is_some());
        let is_copied = wanted(self, "With", &["With"]) || wanted(self, "Wither", &["Wither"]);
        let style = self
            .lombok(own, "Accessors")
            .or_else(|| self.lombok(of_class, "Accessors"));
        let is_set = |lowering: &Self, name: &str| {
            style.and_then(|it| lowering.annotation_argument(it, name)) == Some("true")
        };
        let is_fluent = is_set(self, "fluent");
        let is_chained = is_fluent || is_set(self, "chain");
        let means = self.add(Expr::Symbol(field.symbol));
        let this = self.add(Expr::Receiver { scope: Some(class) });
        let name_of = |prefix: &str| {
            if is_fluent && prefix != "with" {
                field.name.to_owned()
            } else {
                accessor(prefix, field.name, field.is_boolean)
            }
        };
        let add = |lowering: &mut Self, name: &str, value: ExprId| {
            if !written.contains_key(&(name.to_owned(), true)) {
                lowering.bind_member(class, &method_name(name), value);
            }
        };
        if is_fluent && is_read && is_written {
            // Reading and writing have one name.
            let read = self.member_of(this, field.name);
            let result = self.union(vec![read, this]);
            let value = self.standing_for(means, result);
            add(self, &name_of("get"), value);
        } else if is_read {
            let value = self.getter(class, field.symbol, field.name);
            add(
                self,
                &name_of(if field.is_boolean { "is" } else { "get" }),
                value,
            );
        }
        if is_written {
            let result = if is_chained { this } else { self.unknown };
            let value = self.standing_for(means, result);
            add(self, &name_of("set"), value);
        }
        if is_copied {
            let value = self.standing_for(means, this);
            add(self, &name_of("with"), value);
        }
    }

    fn logger(&mut self, class: SymbolIdx, modifiers: &Modifiers<'t>, written: &WrittenMembers) {
        let mut loggers = LOGGERS.iter();
        let is_logger = loggers.any(|name| self.lombok(modifiers, name).is_some());
        if is_logger && !written.contains_key(&("log".to_owned(), false)) {
            let outside = self.primitive("Object");
            self.bind_member(class, "log", outside);
        }
    }

    /// Binds the static methods that make an instance: `@AllArgsConstructor(staticName = "of")`.
    fn factories(&mut self, class: SymbolIdx, modifiers: &Modifiers<'t>, written: &WrittenMembers) {
        for (annotation, argument) in [
            ("AllArgsConstructor", "staticName"),
            ("RequiredArgsConstructor", "staticName"),
            ("NoArgsConstructor", "staticName"),
            ("Data", "staticConstructor"),
            ("Value", "staticConstructor"),
        ] {
            let annotation = self.lombok(modifiers, annotation);
            let name = annotation.and_then(|it| self.annotation_argument(it, argument));
            if let Some(name) = name
                && !written.contains_key(&(name.to_owned(), true))
            {
                let means = self.add(Expr::Symbol(class));
                let made = self.instance(means);
                let value = self.standing_for(means, made);
                self.bind_member(class, &method_name(name), value);
            }
        }
    }

    /// Binds `builder()` and the members of the object that it returns. It is no symbol where no class for it is written.
    fn builder(
        &mut self,
        class: SymbolIdx,
        modifiers: &Modifiers<'t>,
        fields: &[Field<'t>],
        declaration: Node<'t>,
        written: &WrittenMembers,
    ) {
        let mut names = ["Builder", "SuperBuilder"].iter();
        let found = names.find_map(|name| self.lombok(modifiers, name));
        let Some(annotation) = found.or_else(|| self.builder_of_constructor(declaration)) else {
            return;
        };
        let argument = |lowering: &Self, name: &str, usual: &str| {
            let written = lowering.annotation_argument(annotation, name);
            written
                .filter(|it| !it.is_empty())
                .unwrap_or(usual)
                .to_owned()
        };
        let own_name = &self.facts.symbols[class as usize].name;
        let name = argument(self, "builderClassName", &format!("{own_name}Builder"));
        let by_hand = written.get(&(name.clone(), false)).copied();
        let means = self.add(Expr::Symbol(class));
        let made = self.instance(means);
        let this = self.add(Expr::Receiver { scope: by_hand });
        let mut path = PathId::EMPTY;
        let mut in_builder = WrittenMembers::default();
        let object = if let Some(by_hand) = by_hand {
            for (at, symbol) in self.facts.symbols.iter().enumerate() {
                if symbol.parent == Some(by_hand) && symbol.kind == SymbolKind::Method {
                    in_builder.insert((symbol.name.clone(), true), offset(at));
                }
            }
            let named = self.add(Expr::Symbol(by_hand));
            self.instance(named)
        } else {
            let slot = Slot::Member(self.facts.exprs.name(&name));
            path = self.facts.exprs.path(path, slot);
            self.member_of(means, &name)
        };
        let owner = by_hand.unwrap_or(class);
        let add = |lowering: &mut Self, name: &str, value: ExprId| {
            if !in_builder.contains_key(&(name.to_owned(), true)) {
                let slot = Slot::Member(lowering.facts.exprs.name(&method_name(name)));
                let path = lowering.facts.exprs.path(path, slot);
                lowering.bind_at(owner, path, value);
            }
        };
        for field in fields.iter().filter(|it| !it.modifiers.is_static) {
            let means = self.add(Expr::Symbol(field.symbol));
            let value = self.standing_for(means, this);
            add(self, field.name, value);
            if let Some(singular) = self.lombok(&field.modifiers, "Singular") {
                let arguments = self.field(singular, self.grammar.fields.arguments);
                let arguments = arguments.map_or("", |it| self.text(it));
                let written = arguments.split('"').nth(1).map(str::to_owned);
                let one = written.unwrap_or_else(|| singular_of(field.name));
                add(self, &one, value);
                add(self, &accessor("clear", field.name, false), value);
            }
        }
        let value = self.standing_for(means, made);
        let build = argument(self, "buildMethodName", "build");
        add(self, &build, value);
        let value = self.standing_for(means, object);
        let mut names = vec![argument(self, "builderMethodName", "builder")];
        if self.annotation_argument(annotation, "toBuilder") == Some("true") {
            names.push("toBuilder".to_owned());
        }
        for name in names {
            if !written.contains_key(&(name.clone(), true)) {
                self.bind_member(class, &method_name(&name), value);
            }
        }
    }

    /// Returns the annotation for a builder that stands at a constructor.
    fn builder_of_constructor(&self, declaration: Node<'t>) -> Option<Node<'t>> {
        let body = self.field(declaration, self.grammar.fields.body)?;
        let mut members = self.children(body).into_iter();
        members.find_map(|member| {
            let is_constructor = self.kind(member) == Kind::Constructor;
            is_constructor.then(|| self.lombok(&self.modifiers(member), "Builder"))?
        })
    }

    /// Adds a method that stands for a definition and gives `result`.
    fn standing_for(&mut self, means: ExprId, result: ExprId) -> ExprId {
        self.add(Expr::Accessor { of: means, result })
    }
}

/// Whether an import of Lombok takes an annotation: `lombok.Data`, `lombok.*`, `lombok.experimental.*`.
fn import_names(import: &crate::ir::Import, annotation: &str) -> bool {
    let last = import.specifier.rsplit('.').next();
    last == Some(annotation) || import.names.iter().any(|it| it.imported == "*")
}

/// Returns `getName` for `get` and `name`. Of a boolean `isOpen` the accessors are `isOpen` and `setOpen`.
fn accessor(prefix: &str, field: &str, is_boolean: bool) -> String {
    let stem = match field.strip_prefix("is") {
        Some(rest) if is_boolean && rest.starts_with(|c: char| c.is_uppercase()) => rest,
        _ => field,
    };
    let mut letters = stem.chars();
    let first = letters.next().map(char::to_uppercase);
    let first: String = first.into_iter().flatten().collect();
    format!("{prefix}{first}{}", letters.as_str())
}

/// Returns the name of one of several, by the rules of English that are regular: `entry` for `entries`.
fn singular_of(plural: &str) -> String {
    for (end, one) in [("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("xes", "x")] {
        if let Some(stem) = plural.strip_suffix(end) {
            return format!("{stem}{one}");
        }
    }
    plural.strip_suffix('s').unwrap_or(plural).to_owned()
}
