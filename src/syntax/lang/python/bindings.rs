//! The third pass: the values that the file, its classes and its functions hold.

use tree_sitter::Node;

use super::annotations::{Annotation, parse};
use super::builders::{Attribute, AttributePlace, BuilderId};
use super::grammar::Kind;
use super::lowering::{Lowering, MAX_UNION};
use super::scopes::{BoundValue, Site};
use super::types::TypeContext;
use crate::ir::{BaseKind, Binding, Expr, ExprId, Slot, SymbolIdx};
use crate::model::hash::HashMap;
use crate::model::{SymbolFlags, SymbolKind};

impl<'t> Lowering<'t> {
    /// Lowers all bindings of the file.
    pub(super) fn lower_bindings(&mut self) {
        self.module_bindings();
        for builder in 0..self.builders.len() {
            let builder = crate::syntax::lang::use_recorder::offset(builder);
            if self.builders[builder as usize].class.is_some() {
                self.class_bindings(builder);
            } else if self.builders[builder as usize].function.is_some() {
                self.function_bindings(builder);
            }
        }
        self.offer_fixtures();
    }

    pub(super) fn push(
        &mut self,
        owner: Option<SymbolIdx>,
        slots: impl IntoIterator<Item = Slot>,
        value: ExprId,
    ) {
        if value == self.unknown {
            return;
        }
        let path = self.facts.exprs.path_of(slots);
        self.facts.bindings.push(Binding { owner, path, value });
    }

    fn module_bindings(&mut self) {
        let mut names: Vec<_> = self.scopes.get(0).names.keys().copied().collect();
        names.sort_by_key(|name| {
            let first = self.scopes.get(0).names[name].first();
            (first.map_or(0, |site| site.start), *name)
        });
        for name in names {
            let sites = self.scopes.get(0).names[name].clone();
            if sites
                .iter()
                .any(|site| matches!(site.held, BoundValue::Symbol(_)))
            {
                continue;
            }
            let is_import = sites
                .iter()
                .any(|site| matches!(site.held, BoundValue::Import(..)));
            let builder = self.top_symbols.get(name).copied();
            if builder.is_none() && !is_import {
                self.facts.variables.push(name.to_owned());
            }
            let is_alias = builder
                .is_some_and(|it| self.builders[it as usize].symbol.kind == SymbolKind::Type);
            let value = if is_alias {
                self.alias(&sites)
            } else if self.type_vars.contains_key(name) && !is_import {
                let context = TypeContext {
                    scope: 0,
                    result_of: None,
                };
                self.bound_of(name, context, 0)
            } else {
                let own: Vec<_> = sites
                    .into_iter()
                    .filter(|site| !matches!(site.held, BoundValue::Import(..)))
                    .collect();
                self.held_by_any(&own, name)
            };
            let slot = Slot::Member(self.facts.exprs.name(name));
            self.push(None, [slot], value);
        }
        self.facts.variables.sort_unstable();
    }

    /// Lowers the type that an alias names.
    fn alias(&mut self, sites: &[Site<'t>]) -> ExprId {
        let node = sites.iter().find_map(|site| match site.held {
            BoundValue::Value(node) => Some(node),
            _ => None,
        });
        let Some(node) = node else {
            return self.unknown;
        };
        let annotation = parse(self.source, node.byte_range());
        let context = TypeContext {
            scope: 0,
            result_of: None,
        };
        self.type_path(&annotation, context, 0)
    }

    /// Lowers the union of values of a name; an annotation says it all where it is known.
    fn held_by_any(&mut self, sites: &[Site<'t>], name: &'t str) -> ExprId {
        for site in sites {
            if matches!(site.held, BoundValue::Annotation(_)) {
                let value = self.held(site, name);
                if value != self.unknown {
                    return value;
                }
            }
        }
        let all = sites.iter().map(|site| self.held(site, name)).collect();
        self.union(all)
    }

    fn class_bindings(&mut self, builder: BuilderId) {
        let Some(class) = &self.builders[builder as usize].class else {
            return;
        };
        let (node, inner) = (class.node, class.inner);
        let attributes = class.attributes.clone();
        let owner = self.symbol(builder);
        self.base_bindings(builder, node);
        self.bound_bindings(builder);
        let is_enum = self.is_enum(node);
        let mut names: Vec<&'t str> = Vec::new();
        let mut by_name: HashMap<&'t str, Vec<Attribute<'t>>> = HashMap::default();
        for attribute in attributes {
            let all = by_name.entry(attribute.name).or_default();
            if all.is_empty() {
                names.push(attribute.name);
            }
            all.push(attribute);
        }
        for name in names {
            let is_symbol = self.scopes.get(inner).names.get(name).is_some_and(|all| {
                all.iter()
                    .any(|site| matches!(site.held, BoundValue::Symbol(_)))
            });
            if is_symbol {
                continue;
            }
            let mut all = by_name.remove(name).unwrap_or_default();
            all.sort_by_key(|it| it.place);
            let is_member = |it: &Attribute<'t>| is_enum && it.place == AttributePlace::ClassBody;
            let value = if all.iter().any(is_member) {
                let class_name = self.builders[builder as usize].symbol.name.clone();
                let of = self.symbol_expr(builder, &class_name);
                self.add(Expr::Instance { of })
            } else {
                self.attribute_value(&all, name)
            };
            let slot = Slot::Member(self.facts.exprs.name(name));
            self.push(Some(owner), [slot], value);
        }
    }

    /// Whether a class is an enumeration, whose attributes are its instances.
    fn is_enum(&self, class: Node<'t>) -> bool {
        let bases = self.field(class, self.grammar.fields.superclasses);
        bases.is_some_and(|bases| {
            self.children(bases).into_iter().any(|base| {
                let last = self.text(base).rsplit('.').next().unwrap_or_default();
                last.ends_with("Enum") || matches!(last, "Flag" | "IntFlag")
            })
        })
    }

    /// Lowers what an attribute holds: its annotation, else what the constructor gives it, else other methods.
    fn attribute_value(&mut self, sorted: &[Attribute<'t>], name: &'t str) -> ExprId {
        let mut at = 0;
        while at < sorted.len() {
            let rank = |place: AttributePlace| match place {
                AttributePlace::ClassBody => AttributePlace::Constructor,
                other => other,
            };
            let first = rank(sorted[at].place);
            let mut values = Vec::new();
            while at < sorted.len() && rank(sorted[at].place) == first {
                values.push(self.held(&sorted[at].site, name));
                at += 1;
            }
            let value = self.union(values);
            if value != self.unknown {
                return value;
            }
        }
        self.unknown
    }

    fn base_bindings(&mut self, builder: BuilderId, node: Node<'t>) {
        let scope = self.builders[builder as usize].scope;
        let owner = self.symbol(builder);
        let Some(list) = self.field(node, self.grammar.fields.superclasses) else {
            return;
        };
        let inner = self
            .scopes
            .of_node
            .get(&node.id())
            .copied()
            .unwrap_or(scope);
        for child in self.children(list).into_iter().take(64) {
            let base = match self.kind(child) {
                Kind::KeywordArgument | Kind::ListSplat | Kind::DictionarySplat => continue,
                Kind::Subscript => {
                    let annotation = parse(self.source, child.byte_range());
                    if matches!(&annotation, Annotation::Name(parts, _)
                        if matches!(parts.last(), Some(("Generic" | "Protocol", _))))
                    {
                        continue;
                    }
                    let context = TypeContext {
                        scope: inner,
                        result_of: None,
                    };
                    let path = self.type_path(&annotation, context, 0);
                    match self.facts.exprs.get(path) {
                        Expr::Container { .. } | Expr::Tuple(_) => self.unknown,
                        _ => path,
                    }
                }
                Kind::Call => self.base_of_call(child, scope),
                _ => self.lower_expr(child, scope),
            };
            self.push(Some(owner), [Slot::Base(BaseKind::Extends)], base);
        }
    }

    /// `with_metaclass(Meta, Base)` is built on `Base`; other calls on their result.
    fn base_of_call(&mut self, node: Node<'t>, scope: u32) -> ExprId {
        let fields = self.grammar.fields;
        let callee = self.field(node, fields.function).map(|it| self.text(it));
        let arguments = self.field(node, fields.arguments);
        if callee.is_some_and(|it| it.ends_with("with_metaclass"))
            && let Some(base) = arguments.and_then(|it| it.named_child(1))
        {
            return self.lower_expr(base, scope);
        }
        self.lower_expr(node, scope)
    }

    /// Lowers the bounds of type parameters.
    fn bound_bindings(&mut self, builder: BuilderId) {
        let params = self.builders[builder as usize].type_params.clone();
        let inner = self.builders[builder as usize].scope;
        let owner = self.symbol(builder);
        for (index, name) in params.into_iter().enumerate().take(32) {
            let context = TypeContext {
                scope: inner,
                result_of: None,
            };
            let value = self.bound_of(name, context, 0);
            let index = u8::try_from(index).unwrap_or(u8::MAX);
            self.push(Some(owner), [Slot::TypeParamBound(index)], value);
        }
    }

    fn function_bindings(&mut self, builder: BuilderId) {
        let Some(function) = &self.builders[builder as usize].function else {
            return;
        };
        let fields = self.grammar.fields;
        let (node, inner) = (function.node, function.inner);
        let params = function.params.clone();
        let skipped = usize::from(function.has_receiver);
        let overloads = function.overloads.clone();
        // Tests get what a fixture yields.
        let is_yielded = function.is_fixture && !function.yields.is_empty();
        let owner = self.symbol(builder);
        self.bound_bindings(builder);
        for (index, param) in params.iter().skip(skipped).enumerate() {
            if let (Some(annotation), 0, Ok(index)) =
                (param.annotation, param.n_stars, u8::try_from(index))
            {
                let value = self.lower_type(annotation, inner);
                self.push(Some(owner), [Slot::Param(index)], value);
            }
        }
        let context = TypeContext {
            scope: inner,
            result_of: Some(builder),
        };
        let mut results = Vec::new();
        for stub in overloads.iter().chain([&node]) {
            if let Some(annotation) = self.field(*stub, fields.return_type)
                && (overloads.is_empty() || *stub != node || overloads.contains(&node))
            {
                let annotation = parse(self.source, annotation.byte_range());
                results.push(self.type_value(&annotation, context, 0));
            }
        }
        let is_annotated = self.field(node, fields.return_type).is_some() || !results.is_empty();
        let result = if is_annotated {
            self.joined_results(results)
        } else {
            self.inferred_result(builder)
        };
        let result = if is_yielded {
            self.element(result)
        } else {
            result
        };
        self.push(Some(owner), [Slot::Return], result);
        self.decorator_binding(builder);
    }

    /// The value that the outermost decorator puts in the place of a function: its members are those of the name.
    fn decorator_binding(&mut self, builder: BuilderId) {
        let of = &self.builders[builder as usize];
        let unchanged = SymbolFlags::ACCESSOR | SymbolFlags::DECLARATION_ONLY | SymbolFlags::TEST;
        let Some(function) = &of.function else {
            return;
        };
        if of.symbol.flags.intersects(unchanged) || function.is_fixture {
            return;
        }
        let (scope, parent, name) = (of.scope, of.parent, of.symbol.name.clone());
        let decorator = function.whole.named_child(0);
        let Some(decorator) = decorator.filter(|it| self.kind(*it) == Kind::Decorator) else {
            return;
        };
        let Some(expression) = decorator.named_child(0) else {
            return;
        };
        let callee = self.lower_expr(expression, scope);
        if callee == self.unknown {
            return;
        }
        let decorated = self.symbol(builder);
        let decorated = self.add(Expr::Symbol(decorated));
        let value = self.add(Expr::Call {
            callee,
            types: Box::default(),
            args: [decorated].into(),
        });
        let parent = parent.map(|it| self.symbol(it));
        let slot = Slot::Member(self.facts.exprs.name(&name));
        self.push(parent, [slot], value);
    }

    /// Joins the results of overloads: where the arguments solve the type variable of one, that is the result, else those of
    /// the others; the bound of the variable where there are no others.
    fn joined_results(&mut self, results: Vec<ExprId>) -> ExprId {
        let (mut variables, mut firsts) = (Vec::new(), Vec::new());
        let (mut bounds, mut others) = (Vec::new(), Vec::new());
        for result in results {
            match *self.facts.exprs.get(result) {
                Expr::Fallback {
                    variable,
                    first,
                    other,
                } => {
                    variables.push(variable);
                    firsts.push(first);
                    bounds.push(other);
                }
                _ => others.push(result),
            }
        }
        others.retain(|it| *it != self.unknown);
        let other = self.union(if others.is_empty() { bounds } else { others });
        let Some(variable) = variables.first().copied() else {
            return other;
        };
        let first = self.union(firsts);
        self.add(Expr::Fallback {
            variable,
            first,
            other,
        })
    }

    /// Lowers the union of the values that a function returns; of a generator a sequence of those that it yields.
    fn inferred_result(&mut self, builder: BuilderId) -> ExprId {
        let Some(function) = &self.builders[builder as usize].function else {
            return self.unknown;
        };
        let inner = function.inner;
        let (returns, yields) = (function.returns.clone(), function.yields.clone());
        if !yields.is_empty() {
            let mut all = Vec::new();
            for (value, is_from) in yields {
                let value = if self.kind(value) == Kind::Yield {
                    self.unknown
                } else {
                    self.lower_expr(value, inner)
                };
                all.push(if is_from { self.element(value) } else { value });
            }
            let element = self.union(all);
            return self.sequence(element);
        }
        if returns.len() > 2 * MAX_UNION {
            return self.unknown;
        }
        let mut all = Vec::new();
        for value in returns {
            all.push(match self.argument(builder, value) {
                Some(argument) => argument,
                None => self.lower_expr(value, inner),
            });
        }
        self.union(all)
    }

    /// `def f(a): return a`: the argument itself.
    fn argument(&mut self, builder: BuilderId, value: Node<'t>) -> Option<ExprId> {
        if self.kind(value) != Kind::Identifier {
            return None;
        }
        let name = self.text(value);
        let function = self.builders[builder as usize].function.as_ref()?;
        if function.is_fixture {
            return None;
        }
        let skipped = usize::from(function.has_receiver);
        let index = function
            .params
            .iter()
            .skip(skipped)
            .position(|it| it.name == name && it.n_stars == 0 && it.annotation.is_none())?;
        let sites = self.scopes.get(function.inner).names.get(name)?;
        if sites.len() != 1 {
            return None;
        }
        let index = u8::try_from(index).ok()?;
        Some(self.add(Expr::Argument { index }))
    }
}
