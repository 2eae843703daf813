//! The types of a union that a receiver is of, and which of them have a member: `event.id` of `event: Opened | Closed`.
//!
//! Members of a union as a whole are found in `members`, by the first type that has them.

use std::rc::Rc;

use super::cache::Def;
use super::linker::Linker;
use super::name_binder::{DefinitionId, NameBinder};
use super::types::Type;
use crate::ir::{ExprId, Target};
use crate::model::{FileId, SymbolKind};
use crate::store::StoreError;

/// Types of one union that are looked at.
const MAX_PARTS: usize = 64;

/// One type of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnionPart {
    /// Its definition; `None` of a type that has no name, or is external.
    pub definition: Option<DefinitionId>,
    /// Whether it has the member that was asked for, or may have it.
    pub has_member: bool,
}

impl NameBinder<'_> {
    /// Returns for each of the references of a file that `is_wanted` chooses the types of the union that its receiver is of;
    /// none where that is no union.
    pub fn union_parts(
        &self,
        file: FileId,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<Vec<UnionPart>>, StoreError> {
        self.cache.checked(|| {
            let mut parts = Vec::new();
            if let Some(own) = self.cache.get(file) {
                let linker = Linker::new(&self.cache, Rc::clone(&own));
                let references = own.facts.references.iter().enumerate();
                parts.extend(references.map(|(at, used)| match used.target {
                    Target::Member { receiver, .. } if is_wanted(at) => {
                        linker.parts_with_member(receiver, own.facts.name(used))
                    }
                    _ => Vec::new(),
                }));
            }
            Ok(parts)
        })
    }

    /// Whether the types of the union that the receiver of a reference is of have members of a name that are declared otherwise: the
    /// member may tell them apart.
    pub fn tells_parts_apart(&self, file: FileId, reference: usize, name: &str) -> bool {
        let Some(own) = self.cache.get(file) else {
            return true;
        };
        let Some(Target::Member { receiver, .. }) =
            own.facts.references.get(reference).map(|it| it.target)
        else {
            return true;
        };
        let linker = Linker::new(&self.cache, own);
        let parts = linker.parts_of_union(receiver);
        let members: Vec<Option<Type>> = parts.iter().map(|it| linker.member(it, name)).collect();
        let signature = |member: &Type| {
            let (module, at) = member.symbol()?;
            self.cache.signature_of(&*self.cache.get(module)?, at)
        };
        let is_one = |pair: &[Option<Type>]| match pair {
            [Some(one), Some(other)] => {
                one == other || signature(one).is_some_and(|it| Some(it) == signature(other))
            }
            _ => false,
        };
        !members.windows(2).all(is_one)
    }

    /// Returns the member that values of a type have by a name, where that is a definition.
    pub fn member_of(
        &self,
        (file, at): DefinitionId,
        name: &str,
    ) -> Result<Option<DefinitionId>, StoreError> {
        self.cache.checked(|| {
            let found = self.cache.get(file).and_then(|own| {
                let linker = Linker::new(&self.cache, own);
                linker.refuel();
                let object = Type::Instance(Def::Symbol(file.into(), at));
                linker.member(&object, name)?.definition()
            });
            Ok(found)
        })
    }
}

impl Linker<'_, '_> {
    fn parts_with_member(&self, receiver: ExprId, name: &str) -> Vec<UnionPart> {
        let parts = self.parts_of_union(receiver);
        let with_member = parts.iter().map(|part| UnionPart {
            definition: part.definition(),
            has_member: self.member(part, name).is_some(),
        });
        with_member.collect()
    }

    /// Returns the types of the union that an expression is a value of, through variables and aliases; none where it is no union.
    fn parts_of_union(&self, receiver: ExprId) -> Vec<Type> {
        self.refuel();
        self.is_undecided.set(false);
        let found = self.infer(&self.file, receiver, None);
        // One of the results of several overloads is no union.
        let Some(found) = found.filter(|_| !self.is_undecided.get()) else {
            return Vec::new();
        };
        let mut parts = Vec::new();
        let mut open = vec![found];
        while let Some(one) = open.pop() {
            let one = self.value_type(&one);
            match self.union_of_alias(&one).unwrap_or(one) {
                Type::Union(all) => open.extend(all.iter().rev().cloned()),
                one if parts.contains(&one) => {}
                one => parts.push(one),
            }
            if parts.len() + open.len() > MAX_PARTS {
                return Vec::new();
            }
        }
        if parts.len() < 2 {
            parts.clear();
        }
        parts
    }

    /// Returns the union for which a type stands: of `type Event = Opened | Closed`; `None` of another type.
    fn union_of_alias(&self, of: &Type) -> Option<Type> {
        let (module, at) = of.symbol()?;
        let loaded = self.cache.get(module)?;
        if loaded.symbol(at).kind != SymbolKind::Type {
            return None;
        }
        // The types of an intersection are bases of their own.
        let mut bases = loaded.bases(at);
        let (base, None) = (bases.next()?, bases.next()) else {
            return None;
        };
        let mut symbols = loaded.facts.symbols.iter();
        if symbols.any(|it| it.parent == Some(at)) {
            return None;
        }
        let base = self.infer(&loaded, base, Some(of))?.instance();
        (base != of.unspecialized()).then_some(base)
    }
}
