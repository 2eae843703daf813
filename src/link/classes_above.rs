//! The classes that a class is built on, with the parts of each: for the overloads of a method, and for how well a class fits another.

use std::rc::Rc;

use super::file::LinkedFile;
use super::fits::{DISTANT_BASE, Fit, SUBCLASS};
use super::java_fits::is_named_below;
use super::linker::Linker;
use super::types::Type;
use crate::ir::SymbolIdx;
use crate::model::ModuleId;

/// How many classes are looked through for methods of one name, and how far up a hierarchy.
const MAX_CLASSES: usize = 64;

/// A class on the way up.
struct ClassAbove {
    class: (ModuleId, SymbolIdx),
    /// How many classes it is above the first one.
    depth: u32,
    /// Whether it is a part of a type of which another one came before.
    is_other_part: bool,
}

/// Classes in the order in which they are found; each once.
struct ClassesAbove(Vec<ClassAbove>);

impl ClassesAbove {
    fn new(class: (ModuleId, SymbolIdx)) -> Self {
        let mut all = Self(Vec::new());
        all.add(class, 0, false);
        all
    }

    fn add(&mut self, class: (ModuleId, SymbolIdx), depth: u32, is_other_part: bool) {
        if self.0.len() < MAX_CLASSES && self.0.iter().all(|it| it.class != class) {
            self.0.push(ClassAbove {
                class,
                depth,
                is_other_part,
            });
        }
    }
}

impl Linker<'_, '_> {
    /// Visits a class with its other parts and the classes above it, the nearest first, until `visit` returns a result; `see_base` gets what
    /// each of them is built on.
    fn climb<T>(
        &self,
        class: (ModuleId, SymbolIdx),
        mut visit: impl FnMut(&ClassAbove) -> Option<T>,
        mut see_base: impl FnMut(&Type),
    ) -> Option<T> {
        let mut seen = ClassesAbove::new(class);
        let mut next = 0;
        while let Some(above) = seen.0.get(next) {
            next += 1;
            if let Some(found) = visit(above) {
                return Some(found);
            }
            let ClassAbove { class, depth, .. } = *above;
            // Its parts came with the first of them.
            if above.is_other_part && !self.cache.may_have_bases(class) {
                continue;
            }
            let Some(loaded) = self.cache.get(class.0) else {
                continue;
            };
            let parts = self.parts(&loaded, class.1);
            for part in parts.iter().flat_map(|it| it.iter()) {
                seen.add(*part, depth, true);
            }
            for base in loaded.bases(class.1) {
                let Some(base) = self.infer(&loaded, base, None) else {
                    continue;
                };
                see_base(&base);
                if let Some(base) = base.symbol() {
                    seen.add(base, depth + 1, false);
                }
            }
        }
        None
    }

    /// Returns a class with its other parts and the classes above it, and whether one above is external and may have
    /// a member of the name.
    pub(super) fn classes_from(
        &self,
        loaded: &Rc<LinkedFile>,
        class: SymbolIdx,
        name: &str,
    ) -> (Vec<(ModuleId, SymbolIdx)>, bool) {
        let mut all = Vec::new();
        let mut is_open = false;
        self.climb::<()>(
            (loaded.file, class),
            |above| {
                all.push(above.class);
                None
            },
            |base| {
                is_open |= match base {
                    Type::External => true,
                    Type::ExternalType(of) => !of.lacks(name),
                    _ => false,
                };
            },
        );
        (all, is_open)
    }

    /// Returns the fit of a class with a class that it extends, the higher the nearer; `None` where it does not extend it.
    pub(super) fn subclass_fit(&self, arg: &Type, param: &Type) -> Fit {
        let (from, to) = (arg.symbol()?, self.first_part(param.symbol()?));
        let fit = |above: &ClassAbove| {
            let is_it = !above.is_other_part && self.first_part(above.class) == to;
            is_it.then(|| SUBCLASS.saturating_sub(above.depth).max(DISTANT_BASE))
        };
        self.climb(from, fit, |_| ())
    }

    /// Whether a class of the repository is built on an external one, by name.
    pub(super) fn extends_external(&self, arg: &Type, name: &str, depth: usize) -> bool {
        let Some((in_file, class)) = arg.symbol().filter(|_| depth < 8) else {
            return false;
        };
        let Some(loaded) = self.cache.get(in_file) else {
            return false;
        };
        loaded.bases(class).any(|base| {
            let base = self.infer(&loaded, base, None);
            base.is_some_and(|base| match &base {
                Type::ExternalType(base) => {
                    &*base.name == name
                        || base.is_sequence_as(name)
                        || self.rules().is_java() && is_named_below(&base.name, name)
                }
                base => base != arg && self.extends_external(base, name, depth + 1),
            })
        })
    }
}
