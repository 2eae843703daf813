//! The symbols of attributes that `declarations` collected (`self.a = …`), the order of symbols, and which of them other modules can use.

use std::cmp::Reverse;

use super::builders::{Attribute, AttributePlace, BuilderId};
use super::lowering::Lowering;
use super::scopes::BoundValue;
use crate::model::hash::{HashMap, HashSet};
use crate::model::{SymbolFlags, SymbolKind};
use crate::syntax::lang::frontend::LoweredFile;
use crate::syntax::lang::use_recorder::offset;

impl<'t> Lowering<'t> {
    /// Adds the symbols of attributes and fixes the order of all symbols.
    pub(super) fn order_symbols(&mut self) {
        for builder in 0..self.builders.len() {
            if self.builders[builder].class.is_some() {
                self.add_fields(offset(builder));
            }
            let function = self.builders[builder].function.as_ref();
            if function.is_some_and(|it| !it.yields.is_empty()) {
                self.builders[builder].symbol.flags |= SymbolFlags::GENERATOR;
            }
        }
        let mut by_place: Vec<usize> = (0..self.builders.len()).collect();
        by_place.sort_by_key(|at| {
            let span = &self.builders[*at].symbol.span;
            (span.start_byte, Reverse(span.end_byte), *at)
        });
        self.order = vec![0; by_place.len()];
        for (symbol, builder) in by_place.into_iter().enumerate() {
            self.order[builder] = offset(symbol);
        }
    }

    /// Adds one symbol for each attribute of a class: at its place in the body, else in the constructor.
    fn add_fields(&mut self, class: BuilderId) {
        let Some(of) = &self.builders[class as usize].class else {
            return;
        };
        let (inner, attributes) = (of.inner, of.attributes.clone());
        let rank = |it: &Attribute<'t>| match it.place {
            AttributePlace::ClassAnnotation | AttributePlace::ClassBody => 0,
            AttributePlace::Constructor => 1,
            AttributePlace::Annotation | AttributePlace::Method => 2,
        };
        let mut best: HashMap<&'t str, usize> = HashMap::default();
        let mut names = Vec::new();
        for (at, attribute) in attributes.iter().enumerate() {
            match best.get(attribute.name) {
                None => {
                    names.push(attribute.name);
                    best.insert(attribute.name, at);
                }
                Some(known) if rank(attribute) < rank(&attributes[*known]) => {
                    best.insert(attribute.name, at);
                }
                Some(_) => {}
            }
        }
        for name in names {
            let is_defined = self.scopes.get(inner).names.get(name).is_some_and(|all| {
                all.iter()
                    .any(|site| matches!(site.held, BoundValue::Symbol(_) | BoundValue::Import(..)))
            });
            if is_defined {
                continue;
            }
            let Attribute { node, named_at, .. } = attributes[best[name]];
            self.defined_attributes.insert(named_at);
            let class_scope = inner;
            let field = self.add_symbol(
                name,
                SymbolKind::Field,
                node,
                node,
                class_scope,
                Some(class),
            );
            self.builders[field as usize].symbol.signature = self.value_signature(node);
        }
    }

    /// Ends the file.
    pub(super) fn finish(mut self, has_errors: bool) -> LoweredFile {
        self.mark_exported();
        let mut places: Vec<(u32, usize)> = Vec::new();
        for at in 0..self.builders.len() {
            let parent = self.builders[at].parent.map(|it| self.symbol(it));
            self.builders[at].symbol.parent = parent;
            places.push((self.order[at], at));
        }
        places.sort_unstable();
        let mut builders: Vec<Option<_>> = self
            .builders
            .into_iter()
            .map(|builder| Some((builder.symbol, builder.lead)))
            .collect();
        let mut leads = Vec::with_capacity(places.len());
        for (_, at) in places {
            if let Some((symbol, lead)) = builders[at].take() {
                self.facts.symbols.push(symbol);
                leads.push(lead);
            }
        }
        if let Some(all) = self.all {
            let names = &mut self.facts.exprs;
            self.facts.all = Some(all.into_iter().map(|name| names.name(name)).collect());
        }
        self.facts.has_errors = has_errors;
        LoweredFile {
            facts: self.facts,
            leads,
            positions: self.uses.into_positions(),
        }
    }

    fn mark_exported(&mut self) {
        let all: Option<HashSet<&str>> = self.all.as_ref().map(|all| all.iter().copied().collect());
        for at in 0..self.builders.len() {
            let builder = &self.builders[at];
            let name = builder.symbol.name.as_str();
            let is_dunder = name.starts_with("__") && name.ends_with("__");
            let is_public = is_dunder || !name.starts_with('_');
            let exported = match builder.parent {
                None => all.as_ref().map_or(is_public, |all| all.contains(name)),
                Some(parent) => {
                    let parent = &self.builders[parent as usize];
                    is_public && parent.class.is_some() && parent.symbol.exported
                }
            };
            self.builders[at].symbol.exported = exported;
        }
    }
}
