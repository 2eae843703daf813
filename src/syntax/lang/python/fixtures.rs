//! Fixtures of pytest: functions whose result a test asks for by the name of a parameter, `def test_open(client)`.
//!
//! A file offers its fixture `client` as the name `@client`. A test looks that name up in its class, its file and the
//! `conftest.py` files upwards; which files those are is decided in `resolve`.

use tree_sitter::Node;

use super::builders::BuilderId;
use super::context::DeclarationContext;
use super::grammar::Kind;
use super::lowering::Lowering;
use super::references::UsePlace;
use super::scopes::ScopeIdx;
use crate::ir::{
    Expr, ExprId, INJECTED, Import, ImportIdx, ImportKind, ReferenceKind, Slot, Target,
    injected_name,
};
use crate::model::SymbolFlags;
use crate::syntax::lang::use_recorder::offset;

/// The most `conftest.py` files upwards of one file.
const MAX_CONFTESTS: usize = 6;

/// The most modules of a literal `pytest_plugins`.
const MAX_PLUGINS: usize = 64;

impl<'t> Lowering<'t> {
    /// Returns the name by which tests ask for a function with decorators: `client` for `@pytest.fixture` before
    /// `def client()` and for `@pytest.fixture(name="client")`. `None` where it is no fixture.
    pub(super) fn fixture_name(&self, whole: Node<'t>, own: &'t str) -> Option<&'t str> {
        let mut decorators = self.decorator_nodes(whole).into_iter();
        let decorator = decorators.find(|it| self.last_name(*it) == Some("fixture"))?;
        let given = self
            .keyword(decorator, "name")
            .and_then(|it| self.string_text(it));
        Some(given.unwrap_or(own))
    }

    /// Lowers a parameter of a test or fixture: the result of the fixture that it names.
    pub(super) fn fixture_result(&mut self, function: BuilderId, name: &'t str) -> ExprId {
        let Some(callee) = self.fixture_of_param(function, name) else {
            return self.unknown;
        };
        self.add(Expr::Call {
            callee,
            types: Box::default(),
            args: Box::default(),
        })
    }

    /// Records that a test or fixture uses the fixtures which its parameters name.
    pub(super) fn use_param_fixtures(&mut self, inner: ScopeIdx) {
        let Some(builder) = self.scopes.get(inner).symbol else {
            return;
        };
        let Some(function) = &self.builders[builder as usize].function else {
            return;
        };
        for param in function.params.clone() {
            if let Some(fixture) = self.fixture_of_param(builder, param.name) {
                self.use_fixture(param.name, fixture, inner, param.node.start_byte());
            }
        }
    }

    /// Records the fixtures that a call names in strings: `pytest.mark.usefixtures("db")`,
    /// `request.getfixturevalue("db")`. A decorator's are uses of the definition below it.
    pub(super) fn use_named_fixtures(&mut self, call: Node<'t>, place: UsePlace) {
        let is_mark = match self.last_name(call) {
            Some("usefixtures") => true,
            Some("getfixturevalue") => false,
            _ => return,
        };
        let Some(arguments) = self.field(call, self.grammar.fields.arguments) else {
            return;
        };
        let decorated = call
            .parent()
            .filter(|it| is_mark && self.kind(*it) == Kind::Decorator)
            .and_then(|it| it.parent())
            .and_then(|it| self.field(it, self.grammar.fields.definition))
            .and_then(|it| self.scopes.of_node.get(&it.id()).copied());
        let user = decorated.unwrap_or(place.scope());
        let class = self.class_around(user);
        for argument in self.children(arguments) {
            if self.kind(argument) != Kind::Str {
                continue;
            }
            let Some(name) = self.string_text(argument).filter(|it| is_name(it)) else {
                continue;
            };
            let fixture = self.fixture_in(class, None, name);
            let opening = argument.child(0).unwrap_or(argument);
            self.use_fixture(name, fixture, user, opening.end_byte());
        }
    }

    /// `pytest_plugins = ["tests.fixtures"]`: the fixtures of those modules are offered below.
    pub(super) fn plugin_modules(&mut self, value: Node<'t>, context: DeclarationContext<'t>) {
        let written = match self.kind(value) {
            Kind::Str => vec![value],
            Kind::List | Kind::Tuple => self.children(value),
            _ => return,
        };
        for node in written.into_iter().take(MAX_PLUGINS) {
            let name = (self.kind(node) == Kind::Str).then(|| self.string_text(node));
            let Some(name) = name.flatten() else {
                continue;
            };
            if name.split('.').all(is_name) {
                self.import_row(name, ImportKind::Dynamic, node, context, Vec::new());
                let row = self.import_row(name, ImportKind::Scope, node, context, Vec::new());
                self.plugins.push(row);
            }
        }
    }

    /// Offers the fixtures of the file and its classes, and those of the modules around it.
    pub(super) fn offer_fixtures(&mut self) {
        let mut fixtures: Vec<_> = self.fixtures.iter().map(|(key, it)| (*key, *it)).collect();
        fixtures.sort_unstable();
        for ((scope, name), builder) in fixtures {
            let owner = if scope == 0 {
                None
            } else if self.is_class_scope(scope) {
                self.symbol_around(scope)
            } else {
                continue;
            };
            let symbol = self.symbol(builder);
            let value = self.add(Expr::Symbol(symbol));
            let slot = Slot::Member(self.facts.exprs.name(&injected_name(name)));
            self.push(owner, [slot], value);
        }
        let modules = [self.conftests.clone(), self.plugins.clone()].concat();
        for row in modules {
            let value = self.imported(row, "*");
            let slot = Slot::Member(self.facts.exprs.name(INJECTED));
            self.push(None, [slot, Slot::All], value);
        }
    }

    fn use_fixture(&mut self, name: &str, fixture: ExprId, scope: ScopeIdx, at: usize) {
        let target = match self.facts.exprs.get(fixture) {
            Expr::Symbol(symbol) => Target::Symbol(*symbol),
            Expr::Name { name: used, .. } if self.facts.exprs.name_of(*used) == name => {
                Target::Lexical
            }
            _ => Target::Value(fixture),
        };
        self.push_use(name, target, ReferenceKind::Value, scope, at);
    }

    /// Returns the fixture that a parameter names; `None` for one that pytest does not fill.
    fn fixture_of_param(&mut self, function: BuilderId, name: &'t str) -> Option<ExprId> {
        let of = &self.builders[function as usize];
        let syntax = of.function.as_ref()?;
        if !syntax.is_fixture && !of.symbol.flags.contains(SymbolFlags::TEST) {
            return None;
        }
        let skipped = usize::from(syntax.has_receiver);
        let mut params = syntax.params.iter().skip(skipped);
        let param = params.find(|it| it.name == name)?;
        if param.n_stars > 0 || param.default.is_some() || name == "request" {
            return None;
        }
        let (scope, whole) = (of.scope, syntax.whole);
        let class = self.class_around(scope);
        let class_node = class.and_then(|it| self.class_node(it));
        if class_node.is_some_and(|it| self.is_unittest(it)) {
            return None;
        }
        let around = class_node.and_then(|it| it.parent());
        let is_given = |it: Node<'t>| self.is_parametrized(it, name);
        if is_given(whole) || around.is_some_and(is_given) {
            return None;
        }
        Some(self.fixture_in(class, Some(function), name))
    }

    /// Returns the fixture of a name as code of a class or of the file sees it. A fixture that has the name itself gets
    /// the one that it overrides.
    fn fixture_in(
        &mut self,
        class: Option<ScopeIdx>,
        user: Option<BuilderId>,
        name: &'t str,
    ) -> ExprId {
        let known = |scope: ScopeIdx| self.fixtures.get(&(scope, name)).copied();
        let own = class.and_then(known);
        let overrides = own.is_some() && own == user;
        if let Some(own) = own.filter(|_| !overrides) {
            let symbol = self.symbol(own);
            return self.add(Expr::Symbol(symbol));
        }
        let outer = match known(0) {
            Some(own) if Some(own) == user => {
                let name = injected_name(name);
                let farthest_first = self.conftests().into_iter().rev();
                farthest_first.fold(self.unknown, |other, row| {
                    let first = self.imported(row, &name);
                    self.fallback(first, other)
                })
            }
            Some(own) if self.builders[own as usize].symbol.name == name => self.top_name(name),
            Some(own) => {
                let symbol = self.symbol(own);
                self.add(Expr::Symbol(symbol))
            }
            None => {
                self.conftests();
                self.top_name(&injected_name(name))
            }
        };
        let bases = class
            .and_then(|it| self.class_node(it))
            .and_then(|it| self.field(it, self.grammar.fields.superclasses));
        match class.and_then(|it| self.symbol_around(it)) {
            Some(class) if bases.is_some() && !overrides => {
                let class = self.add(Expr::Symbol(class));
                let inherited = self.member(class, &injected_name(name));
                self.fallback(inherited, outer)
            }
            _ => outer,
        }
    }

    /// Returns the imports of the `conftest.py` files upwards, the nearest first.
    fn conftests(&mut self) -> Vec<ImportIdx> {
        if self.conftests.is_empty() {
            for n in 1..=MAX_CONFTESTS {
                self.facts.imports.push(Import {
                    specifier: format!("conftest.{n}"),
                    kind: ImportKind::Scope,
                    type_only: false,
                    line: 1,
                    names: Vec::new(),
                });
                self.conftests.push(offset(self.facts.imports.len() - 1));
            }
        }
        self.conftests.clone()
    }

    /// Returns the class that a scope is, or that a method's scope is in.
    fn class_around(&self, scope: ScopeIdx) -> Option<ScopeIdx> {
        let parent = self.scopes.get(scope).parent;
        [scope, parent]
            .into_iter()
            .find(|it| self.is_class_scope(*it))
    }

    fn class_node(&self, scope: ScopeIdx) -> Option<Node<'t>> {
        let builder = self.scopes.get(scope).symbol?;
        Some(self.builders[builder as usize].class.as_ref()?.node)
    }

    /// Whether a class is one of unittest by its written bases: pytest fills no parameters of its methods.
    fn is_unittest(&self, class: Node<'t>) -> bool {
        let bases = self.field(class, self.grammar.fields.superclasses);
        bases.is_some_and(|it| self.text(it).contains("TestCase"))
    }

    /// Whether decorators give a parameter its values: `@pytest.mark.parametrize("name", […])`, unless the values are
    /// handed to the fixture (`indirect`).
    fn is_parametrized(&self, whole: Node<'t>, name: &str) -> bool {
        self.decorator_nodes(whole).into_iter().any(|call| {
            if self.last_name(call) != Some("parametrize") {
                return false;
            }
            let arguments = self.field(call, self.grammar.fields.arguments);
            let first = arguments.and_then(|it| self.children(it).first().copied());
            let first = first.filter(|it| self.kind(*it) != Kind::KeywordArgument);
            let names = first.or_else(|| self.keyword(call, "argnames"));
            let is_indirect = self.keyword(call, "indirect").is_some_and(|it| {
                self.text(it) == "True" || self.names_in(it).any(|it| it == name)
            });
            !is_indirect && names.is_some_and(|it| self.names_in(it).any(|it| it == name))
        })
    }

    /// Returns the names in a string `"a, b"`, or in a list of strings.
    fn names_in(&self, node: Node<'t>) -> impl Iterator<Item = &'t str> + use<'_, 't> {
        let strings = match self.kind(node) {
            Kind::Str => vec![node],
            _ => self.children(node),
        };
        let texts = strings
            .into_iter()
            .filter(|it| self.kind(*it) == Kind::Str)
            .filter_map(|it| self.string_text(it));
        texts.flat_map(|it| it.split(',').map(str::trim))
    }

    /// Returns the expressions of the decorators of a decorated definition.
    fn decorator_nodes(&self, whole: Node<'t>) -> Vec<Node<'t>> {
        if self.kind(whole) != Kind::DecoratedDefinition {
            return Vec::new();
        }
        let all = self.children(whole).into_iter();
        all.filter(|it| self.kind(*it) == Kind::Decorator)
            .filter_map(|it| it.named_child(0))
            .collect()
    }

    /// Returns the last name of `a.b.c` or `a.b.c(…)`.
    fn last_name(&self, node: Node<'t>) -> Option<&'t str> {
        let fields = self.grammar.fields;
        let callee = match self.kind(node) {
            Kind::Call => self.field(node, fields.function)?,
            _ => node,
        };
        match self.kind(callee) {
            Kind::Identifier => Some(self.text(callee)),
            Kind::Attribute => Some(self.text(self.field(callee, fields.attribute)?)),
            _ => None,
        }
    }

    /// Returns the value of a keyword argument of a call.
    fn keyword(&self, call: Node<'t>, name: &str) -> Option<Node<'t>> {
        let fields = self.grammar.fields;
        if self.kind(call) != Kind::Call {
            return None;
        }
        let arguments = self.field(call, fields.arguments)?;
        self.children(arguments).into_iter().find_map(|argument| {
            let key = self.field(argument, fields.name)?;
            let is_it = self.kind(argument) == Kind::KeywordArgument && self.text(key) == name;
            is_it.then(|| self.field(argument, fields.value))?
        })
    }
}

/// Whether a text is an identifier.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}
