//! Meanings of names in Angular's markup: the class of a template, and its elements, attributes and pipes, e.g. `<app-row>`.
//!
//! A template can use the imports of its class, direct ones and those by a module. A name that several of them have stays
//! unbound. Markup is parsed in `syntax::component`.

use std::rc::Rc;

use super::cache::Def;
use super::exports;
use super::file::{Access, LinkedFile};
use super::linker::Linker;
use super::types::Type;
use crate::ir::{Directive, Reference, TemplateNameKind};
use crate::model::Provenance;
use crate::model::hash::HashSet;

/// Modules inside modules that are looked into.
const MAX_DEPTH: usize = 16;
/// Directives that one template can use; the others are unknown to it.
const MAX_DIRECTIVES: usize = 5_000;

/// A directive: its file, and its place among the directives there.
#[derive(Clone)]
pub(super) struct Usable {
    file: Rc<LinkedFile>,
    at: usize,
}

impl Usable {
    fn directive(&self) -> &Directive {
        &self.file.directives()[self.at]
    }

    fn class(&self) -> Def {
        Def::Symbol(self.file.file, self.directive().symbol)
    }
}

impl Linker<'_, '_> {
    /// The class of a template that has a file of its own: `this` there.
    pub(super) fn owner_of(&self, file: &Rc<LinkedFile>) -> Option<Type> {
        let owners = self.owners(file, None).into_iter();
        let instances = owners.map(|owner| Type::Instance(owner.class()));
        instances.reduce(Type::or)
    }

    /// Resolves an element, an attribute or a pipe of a template.
    pub(super) fn in_markup(
        &self,
        file: &Rc<LinkedFile>,
        used: &Reference,
        place: TemplateNameKind,
    ) -> Option<(Type, Provenance)> {
        let usable = self.usable(file, used.symbol);
        let class = |found: Option<&Usable>| {
            let found = Type::Definition(found?.class());
            Some((found, Provenance::Resolved))
        };
        let name = file.facts.name(used);
        let by_attribute = || {
            class(only(&usable, |it| {
                selects(&it.selector, SelectorPart::Attribute(name))
            }))
        };
        match place {
            TemplateNameKind::Element => class(only(&usable, |it| {
                selects(&it.selector, SelectorPart::Element(name))
            })),
            TemplateNameKind::Attribute(None) => by_attribute(),
            TemplateNameKind::Pipe => {
                class(only_of(&usable, |it| it.is_pipe && it.selector == name))
            }
            TemplateNameKind::Attribute(Some(element)) => {
                let element = file.facts.exprs.name_of(element);
                let owner = only(&usable, |it| {
                    selects(&it.selector, SelectorPart::Element(element))
                });
                let member = owner.and_then(|owner| {
                    let mut inputs = owner.directive().inputs.iter();
                    let (_, member) = inputs.find(|it| it.0 == name)?;
                    self.declared(&Type::Instance(owner.class()), Access::Name(member))
                });
                match member {
                    Some(member) => Some((member, Provenance::Member)),
                    None => by_attribute(),
                }
            }
        }
    }

    /// Returns the classes whose template a reference is in: that of `symbol` in a file of code, those that name the file
    /// for a template of its own.
    fn owners(&self, file: &Rc<LinkedFile>, symbol: Option<u32>) -> Vec<Usable> {
        let mut found = Vec::new();
        let mut add = |file: &Rc<LinkedFile>, is_owner: &dyn Fn(&Directive) -> bool| {
            for (at, directive) in file.directives().iter().enumerate() {
                if is_owner(directive) {
                    let file = Rc::clone(file);
                    found.push(Usable { file, at });
                }
            }
        };
        if !file.facts.is_template {
            add(file, &|it| Some(it.symbol) == symbol);
            return found;
        }
        for owner in self.cache.template_owners(file.file) {
            if let Some(owner) = self.cache.get(owner) {
                add(&owner, &|it| {
                    !it.template.is_empty() && owner.target_of(&it.template) == Some(file.file)
                });
            }
        }
        found
    }

    /// Returns the directives and pipes that a template can use.
    fn usable(&self, file: &Rc<LinkedFile>, symbol: Option<u32>) -> Rc<[Usable]> {
        let key = (file.file, symbol);
        if let Some((known, found)) = &*self.usable.borrow()
            && *known == key
        {
            return Rc::clone(found);
        }
        let mut found = self.owners(file, symbol);
        let mut seen: HashSet<Def> = found.iter().map(Usable::class).collect();
        let mut open: Vec<(Usable, usize)> = found.iter().map(|it| (it.clone(), 0)).collect();
        while let Some((one, depth)) = open.pop() {
            for name in &one.directive().imports {
                let Some(def) = exports::top(self.cache, &one.file, name) else {
                    continue;
                };
                let Def::Symbol(file, symbol) = def else {
                    continue;
                };
                if found.len() >= MAX_DIRECTIVES || depth >= MAX_DEPTH || !seen.insert(def) {
                    continue;
                }
                let Some(file) = self.cache.get(file) else {
                    continue;
                };
                let all = file.directives();
                let Some(at) = all.iter().position(|it| it.symbol == symbol) else {
                    continue;
                };
                let usable = Usable { file, at };
                // The imports of a component are its own; the exports of a module are for all who import it.
                if usable.directive().selector.is_empty() {
                    open.push((usable.clone(), depth + 1));
                }
                found.push(usable);
            }
        }
        let found: Rc<[Usable]> = found.into();
        self.usable.replace(Some((key, Rc::clone(&found))));
        found
    }
}

/// Returns the only component or directive of which something is true.
fn only(all: &[Usable], is_it: impl Fn(&Directive) -> bool) -> Option<&Usable> {
    only_of(all, |it| !it.is_pipe && is_it(it))
}

fn only_of(all: &[Usable], is_it: impl Fn(&Directive) -> bool) -> Option<&Usable> {
    let mut found = all.iter().filter(|it| is_it(it.directive()));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// A part of markup that a selector may name.
#[derive(Clone, Copy)]
enum SelectorPart<'a> {
    Element(&'a str),
    Attribute(&'a str),
}

/// Whether a selector names an element or an attribute: `my-list, button[myButton]` names `my-list` and `myButton`.
fn selects(selector: &str, part: SelectorPart<'_>) -> bool {
    selector.split(',').any(|one| {
        let one = one.trim();
        // `a:not([b])` excludes `[b]`.
        let one = one.split(':').next().unwrap_or(one);
        let mut parts = one.split('[');
        let element = parts.next().unwrap_or_default();
        match part {
            SelectorPart::Element(name) => element.split('.').next() == Some(name),
            SelectorPart::Attribute(name) => parts.any(|part| {
                let end = part.find([']', '=']).unwrap_or(part.len());
                part[..end].trim() == name
            }),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{SelectorPart, selects};

    #[test]
    fn a_selector_names_elements_and_attributes() {
        let selector = "my-list, button[myButton], [a=b][myTip]:not([no])";
        for name in ["my-list", "button"] {
            assert!(selects(selector, SelectorPart::Element(name)), "{name}");
        }
        for name in ["myButton", "a", "myTip"] {
            assert!(selects(selector, SelectorPart::Attribute(name)), "{name}");
        }
        assert!(!selects(selector, SelectorPart::Element("myTip")));
        assert!(!selects(selector, SelectorPart::Attribute("no")));
        assert!(
            !selects("", SelectorPart::Attribute("a")) && !selects("", SelectorPart::Element("a"))
        );
    }
}
