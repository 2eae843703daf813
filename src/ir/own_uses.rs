//! The two parts of a file's facts: what other files look up, and its own uses.
//!
//! To bind a use in one file the facts of many others are read, of which nothing but definitions, imports, exports and the values
//! of these is asked for. The uses, and the names and expressions that stand in them alone, are half of all facts.

use serde::{Deserialize, Serialize};

use super::arena::ArenaTail;
use super::{ExprId, FileFacts, NameId, Reference, Slot, SymbolIdx, Target, TemplateNameKind};

/// The uses of a file, with the names and expressions that nothing else in it speaks of.
///
/// Of `run(store.open())` in a function `main` these are the references to `run`, `store` and `open`, their names, and the
/// expressions `store` and `store.open()`; the definition of `main` is not among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnUses {
    tail: ArenaTail,
    /// The references; see [`FileFacts::references`].
    pub references: Vec<Reference>,
}

impl OwnUses {
    /// Replaces the numbers in references by differences, most of which take one byte and are equal. [`Self::restore_numbers`] is the
    /// way back; nothing else understands them.
    ///
    /// The line counts from that of the reference before. The symbol is `None` where it is the one of the reference before, else the
    /// distance to it; the name is the distance to the lowest name that is above those of all references before: 0 for a new one.
    pub fn take_differences(&mut self) {
        let (mut line, mut symbol, mut next_name) = (0, 0, 0);
        for it in &mut self.references {
            let (it_line, it_symbol, it_name) = (it.line, symbol_number(it.symbol), it.name.0);
            it.line = it_line.wrapping_sub(line);
            it.symbol = (it_symbol != symbol).then(|| zigzag(it_symbol.wrapping_sub(symbol)));
            it.name = NameId(zigzag(it_name.wrapping_sub(next_name)));
            (line, symbol) = (it_line, it_symbol);
            next_name = next_name.max(it_name.wrapping_add(1));
        }
    }

    /// Puts back the numbers that [`Self::take_differences`] replaced. Differences that come from elsewhere become any numbers.
    pub fn restore_numbers(&mut self) {
        let (mut line, mut symbol, mut next_name) = (0_u32, 0_u32, 0_u32);
        for it in &mut self.references {
            line = line.wrapping_add(it.line);
            if let Some(distance) = it.symbol {
                symbol = symbol.wrapping_add(unzigzag(distance));
            }
            let name = next_name.wrapping_add(unzigzag(it.name.0));
            next_name = next_name.max(name.wrapping_add(1));
            it.line = line;
            it.symbol = symbol.checked_sub(1);
            it.name = NameId(name);
        }
    }
}

/// Returns 0 for none, else the number above the symbol's.
fn symbol_number(symbol: Option<SymbolIdx>) -> u32 {
    symbol.map_or(0, |at| at.wrapping_add(1))
}

/// Returns a difference as a number that is small where the difference is, up or down: 0, -1, 1, -2 → 0, 1, 2, 3.
fn zigzag(difference: u32) -> u32 {
    (difference << 1) ^ (difference.cast_signed() >> 31).cast_unsigned()
}

fn unzigzag(number: u32) -> u32 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

impl FileFacts {
    /// Takes out the uses. Renumbers names and expressions, so that those that stay are the first.
    ///
    /// Costs a pass over all facts.
    pub fn take_uses(&mut self) -> OwnUses {
        let (names, exprs) = self.used_outside_references();
        let (name_order, n_names) = used_first(&names, NameId);
        let (expr_order, n_exprs) = used_first(&exprs, ExprId);
        let moved = self.exprs.reorder(&name_order, &expr_order);
        for binding in &mut self.bindings {
            *binding = moved.binding(*binding);
        }
        for owner in &mut self.owners {
            owner.owner = moved.expr(owner.owner);
        }
        for name in self.all.iter_mut().flatten() {
            *name = moved.name(*name);
        }
        for used in &mut self.endpoint_uses {
            *used = moved.reference(used);
        }
        let references = std::mem::take(&mut self.references);
        OwnUses {
            references: references.iter().map(|it| moved.reference(it)).collect(),
            tail: self.exprs.split_off(n_names, n_exprs),
        }
    }

    /// Puts back the uses that [`Self::take_uses`] took.
    pub fn put_uses(&mut self, uses: OwnUses) {
        self.exprs.append(uses.tail);
        self.references = uses.references;
    }

    /// Returns whether every index in a reference is within its table.
    pub fn is_sound_reference(&self, reference: &Reference) -> bool {
        let is_symbol = |at: u32| (at as usize) < self.symbols.len();
        let exprs = &self.exprs;
        let is_target = match reference.target {
            Target::Value(at) | Target::Member { receiver: at, .. } => exprs.has(at),
            Target::Symbol(at) => is_symbol(at),
            Target::Markup(TemplateNameKind::Attribute(Some(name))) => exprs.has_name(name),
            Target::Lexical | Target::Unknown | Target::Markup(_) => true,
        };
        exprs.has_name(reference.name) && reference.symbol.is_none_or(is_symbol) && is_target
    }

    /// Returns for each name, and for each expression, whether it stands elsewhere than in the list of references.
    fn used_outside_references(&self) -> (Vec<bool>, Vec<bool>) {
        let arena = &self.exprs;
        let mut names = vec![false; arena.names().len()];
        let mut exprs = vec![false; arena.exprs().len()];
        let values = self.bindings.iter().map(|it| it.value);
        for value in values.chain(self.owners.iter().map(|it| it.owner)) {
            exprs[value.0 as usize] = true;
        }
        for used in &self.endpoint_uses {
            names[used.name.0 as usize] = true;
            match used.target {
                Target::Value(at) | Target::Member { receiver: at, .. } => {
                    exprs[at.0 as usize] = true;
                }
                Target::Markup(TemplateNameKind::Attribute(Some(name))) => {
                    names[name.0 as usize] = true;
                }
                _ => {}
            }
        }
        // Parts stand before wholes.
        for at in (0..exprs.len()).rev() {
            if exprs[at] {
                let expr = arena.get(ExprId(u32::try_from(at).unwrap_or(u32::MAX)));
                expr.each_part(|part| exprs[part.0 as usize] = true);
                if let Some(name) = expr.name() {
                    names[name.0 as usize] = true;
                }
            }
        }
        for (_, last) in arena.paths() {
            if let Slot::Member(name) | Slot::Key(name) = last {
                names[name.0 as usize] = true;
            }
        }
        for name in self.all.iter().flatten() {
            names[name.0 as usize] = true;
        }
        (names, exprs)
    }
}

/// Returns the ids of all places, those that are used before the others, and the number of these.
fn used_first<T>(used: &[bool], id: impl Fn(u32) -> T) -> (Vec<T>, usize) {
    let all = |is_first: bool| {
        let places = (0_u32..).zip(used);
        places.filter_map(move |(at, is_used)| (*is_used == is_first).then_some(at))
    };
    let order: Vec<T> = all(true).chain(all(false)).map(id).collect();
    (order, all(true).count())
}

#[cfg(test)]
mod tests {
    use super::super::{
        Binding, Expr, ExprArena, FileFacts, NameId, PathId, Reference, ReferenceKind, Slot, Target,
    };
    use super::OwnUses;

    /// `start = store.db` and a use `run(store.open)`, in which the arena has the use first.
    fn facts() -> FileFacts {
        let mut exprs = ExprArena::default();
        let name = exprs.name("run");
        let store = exprs.name("store");
        let object = exprs.add(Expr::Name {
            name: store,
            scope: None,
        });
        let open = exprs.member_of_known(object, "open");
        let db = exprs.member_of_known(object, "db");
        let start = exprs.name("start");
        let path = exprs.path(PathId::EMPTY, Slot::Member(start));
        FileFacts {
            bindings: vec![Binding {
                owner: None,
                path,
                value: db,
            }],
            references: vec![Reference {
                name,
                target: Target::Member {
                    receiver: open,
                    is_inferred: false,
                },
                kind: ReferenceKind::Call,
                symbol: None,
                line: 1,
                count: 1,
            }],
            exprs,
            ..FileFacts::default()
        }
    }

    fn names(facts: &FileFacts) -> Vec<&str> {
        facts.exprs.names().collect()
    }

    #[test]
    fn the_uses_take_with_them_what_nothing_else_speaks_of() {
        let mut facts = facts();
        let uses = facts.take_uses();
        assert_eq!(names(&facts), ["store", "db", "start"]);
        assert_eq!((facts.exprs.exprs().len(), facts.references.len()), (2, 0));
        let declared = facts.clone();
        facts.put_uses(uses);
        assert_eq!(names(&facts), ["store", "db", "start", "run", "open"]);
        let used = facts.references[0].clone();
        let Target::Member { receiver, .. } = used.target else {
            panic!("{used:?}")
        };
        let Expr::Member { object, name } = facts.exprs.get(receiver) else {
            panic!("{used:?}")
        };
        assert_eq!(
            (facts.name(&used), facts.exprs.name_of(*name)),
            ("run", "open")
        );
        // Both parts speak of one `store`.
        let value = declared.bindings[0].value;
        let Expr::Member { object: store, .. } = declared.exprs.get(value) else {
            panic!()
        };
        assert_eq!(
            (store, facts.exprs.get(value)),
            (object, declared.exprs.get(value))
        );
        // A second time nothing moves.
        let whole = facts.clone();
        let uses = facts.take_uses();
        facts.put_uses(uses);
        assert_eq!(facts, whole);
    }

    #[test]
    fn differences_lead_back_to_the_numbers() {
        let reference = |(name, symbol, line)| Reference {
            name: NameId(name),
            target: Target::Lexical,
            kind: ReferenceKind::Call,
            symbol,
            line,
            count: 1,
        };
        let mut uses = OwnUses {
            references: [
                (0, None, 1),
                (1, Some(4), 1),
                (0, Some(4), 9),
                (9, Some(0), 7),
                (u32::MAX, None, u32::MAX),
                (2, Some(u32::MAX - 1), 0),
                (9, Some(1), 300),
            ]
            .map(reference)
            .to_vec(),
            ..OwnUses::default()
        };
        let whole = uses.clone();
        uses.take_differences();
        let numbers = |it: &Reference| (it.name.0, it.symbol, it.line);
        assert_eq!(numbers(&uses.references[1]), (0, Some(10), 0));
        assert_eq!(numbers(&uses.references[2]), (3, None, 8));
        uses.restore_numbers();
        assert_eq!(uses, whole);
    }
}
