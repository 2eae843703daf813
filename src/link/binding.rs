//! One use of a name to the definition it means.
//!
//! Binds by the language's rules or not at all: a use whose receiver's type is not evident stays
//! unbound. Refuses to know what is written afterwards.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::directives::Usable;
use super::exports;
use super::facts::Loaded;
use super::generic::Given;
use super::library::{Def, Library};
use super::value::Value;
use crate::model::{Local, Provenance, Reference, ReferenceKind, SymbolKind};

/// How many look-ups one use may take: chains that go in circles end here.
const FUEL: u32 = 400;

/// A use that was bound.
pub(super) struct Bound {
    pub(super) to: (i64, u32),
    pub(super) provenance: Provenance,
}

/// Binds the uses of one file.
pub(super) struct Binder<'a, 'b> {
    pub(super) library: &'a Library<'b>,
    file: Rc<Loaded>,
    fuel: Cell<u32>,
    /// What the call gives whose result is looked for.
    pub(super) call: RefCell<Option<Rc<Given>>>,
    /// Directives and pipes of the template that was asked for last.
    pub(super) usable: RefCell<Option<UsableIn>>,
}

/// A template, by its file and class, with what it can use.
type UsableIn = ((i64, Option<u32>), Rc<[Usable]>);

impl<'a, 'b> Binder<'a, 'b> {
    pub(super) fn new(library: &'a Library<'b>, file: Rc<Loaded>) -> Self {
        Self {
            library,
            file,
            fuel: Cell::new(FUEL),
            call: RefCell::new(None),
            usable: RefCell::new(None),
        }
    }

    /// Returns what a use means; `None` where that is not evident or out of the repository.
    pub(super) fn bind(&self, used: &Reference) -> Option<Bound> {
        self.fuel.set(FUEL);
        let file = &self.file;
        let mut provenance = Provenance::Resolved;
        let value = if Self::is_in_markup(used) {
            let (found, known) = self.in_markup(file, used)?;
            provenance = known;
            found
        } else if used.receiver.is_empty() {
            match used.local {
                Local::Unknown => return None,
                Local::Symbol(at) => Value::Thing(Def::Symbol(file.file, at)),
                Local::Hint(at) => {
                    provenance = Provenance::Member;
                    self.hinted(file, file.facts.hints.get(at as usize)?, None)?
                }
                Local::No if used.name == "super" => self.base(file, used.symbol)?,
                Local::No => self
                    .bare(file, used.symbol, &used.name)
                    .or_else(|| self.auto_imported(file, used))?,
            }
        } else if let Some(receiver) = self.receiver(used) {
            let found = self
                .member(&receiver, &used.name)
                .or_else(|| self.option(used, &receiver))?;
            if matches!(used.local, Local::Hint(_)) || !self.is_own(&receiver, &found) {
                provenance = Provenance::Member;
            }
            found
        } else {
            let (found, known) = self.assigned(used)?;
            provenance = known;
            Value::Thing(found)
        };
        match value {
            Value::Thing(Def::Symbol(file, at)) => Some(Bound {
                to: (file, self.picked(file, at, used.kind)),
                provenance,
            }),
            _ => None,
        }
    }

    /// Returns what is called by `exports.open()`, and by `target.open()` where the file itself says `target.open = …`
    /// and nobody there says what `target` is.
    fn assigned(&self, used: &Reference) -> Option<(Def, Provenance)> {
        let file = &self.file;
        let root = used.receiver.split('.').next()?;
        let is_open = file.tops(root).is_empty() && file.import(root).is_none();
        let runs = !matches!(used.kind, ReferenceKind::Value | ReferenceKind::Type);
        if used.local != Local::No || !is_open || !runs {
            return None;
        }
        if matches!(used.receiver.as_str(), "exports" | "module.exports") {
            let found = exports::resolve(self.library, file.file, &used.name)?;
            return Some((found, Provenance::Resolved));
        }
        let named = file.tops(&used.name).iter();
        let mut own = named.filter(|at| {
            let owner = file.symbol(**at).qualified_name.rsplit_once('.');
            owner.is_some_and(|(owner, _)| owner == used.receiver)
        });
        let at = own.next()?;
        Some((Def::Symbol(file.file, *at), Provenance::Member))
    }

    /// Returns what `this.load` is in the options of a component: frameworks make one object of `methods`, `computed` and
    /// the like, and call all of them on that.
    fn option(&self, used: &Reference, receiver: &Value) -> Option<Value> {
        let (file, owner) = match receiver {
            Value::Literal(file, Some(owner), _)
            | Value::Thing(Def::Symbol(file, owner))
            | Value::Instance(Def::Symbol(file, owner)) => (*file, *owner),
            _ => return None,
        };
        if used.receiver != "this" {
            return None;
        }
        let loaded = self.library.get(file)?;
        let found = loaded
            .names_object(owner)
            .then(|| loaded.inner(owner, &used.name))??;
        Some(Value::Thing(Def::Symbol(file, found)))
    }

    /// Whether a member was found without knowing a type: in a module, or written within the definition that
    /// the receiver names.
    fn is_own(&self, receiver: &Value, found: &Value) -> bool {
        if matches!(receiver, Value::Thing(Def::Module(_))) {
            return true;
        }
        let (
            Value::Literal(file, Some(owner), _) | Value::Thing(Def::Symbol(file, owner)),
            Value::Thing(Def::Symbol(found_in, member)),
        ) = (receiver, found)
        else {
            return false;
        };
        if file != found_in {
            return false;
        }
        let Some(loaded) = self.library.get(*file) else {
            return false;
        };
        let Some(parent) = loaded.symbol(*member).parent else {
            return false;
        };
        match receiver {
            Value::Literal(_, _, path) => {
                let around = loaded.path(*member).rsplit_once('.').map(|it| it.0);
                // What a variable names may be another object by now.
                let is_constant = |kind| matches!(kind, SymbolKind::Constant | SymbolKind::Module);
                parent == *owner
                    && around == Some(&**path)
                    && is_constant(loaded.symbol(*owner).kind)
            }
            _ => parent == *owner || loaded.same(*owner).contains(&parent),
        }
    }

    /// Whether a definition is a type, a class among them.
    pub(super) fn is_type(&self, file: i64, at: u32) -> bool {
        self.library
            .get(file)
            .is_some_and(|loaded| is_type(loaded.symbol(at).kind))
    }

    /// Whether a definition is a function.
    pub(super) fn is_function(&self, file: i64, at: u32) -> bool {
        self.kind(file, at) == Some(SymbolKind::Function)
    }

    /// What a definition is.
    pub(super) fn kind(&self, file: i64, at: u32) -> Option<SymbolKind> {
        let loaded = self.library.get(file)?;
        Some(loaded.symbol(at).kind)
    }

    /// Takes one step; `None` when there were enough.
    pub(super) fn step(&self) -> Option<()> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        Some(())
    }

    /// Evaluates what stands before the name of a use.
    fn receiver(&self, used: &Reference) -> Option<Value> {
        let file = &self.file;
        let mut names = used.receiver.split('.');
        let first = names.next()?;
        let value = match used.local {
            Local::Unknown => return None,
            Local::Symbol(at) => Value::Thing(Def::Symbol(file.file, at)),
            Local::Hint(at) => self.hinted(file, file.facts.hints.get(at as usize)?, None)?,
            Local::No => self.first(file, used.symbol, first, None)?,
        };
        self.follow(value, names)
    }

    /// Evaluates the first name of a chain: one of the file's, `this` or `super`.
    pub(super) fn first(
        &self,
        file: &Rc<Loaded>,
        scope: Option<u32>,
        name: &str,
        this: Option<&Value>,
    ) -> Option<Value> {
        match name {
            "this" if file.facts.is_template => self.owner_of(file),
            "this" => this.cloned().or_else(|| this_of(file, scope)),
            "super" => {
                let base = self.base(file, scope)?;
                let in_class = matches!(this_of(file, scope)?, Value::Thing(_));
                Some(if in_class { base } else { base.instance() })
            }
            _ => self
                .bare(file, scope, name)
                .or_else(|| self.auto_value(file, name)),
        }
    }

    /// Returns the meaning of a use whose name a framework imports by itself: `useFoo()` in Nuxt.
    fn auto_imported(&self, file: &Rc<Loaded>, used: &Reference) -> Option<Value> {
        if used.kind == ReferenceKind::Jsx && !file.binds(&used.name) {
            let found = self.library.auto_component(file.file, &used.name);
            return found.map(Value::Thing);
        }
        self.auto_value(file, &used.name)
    }

    /// As [`Self::auto_imported`], of a name that is no element's.
    fn auto_value(&self, file: &Rc<Loaded>, name: &str) -> Option<Value> {
        if file.binds(name) {
            return None;
        }
        self.library.auto_value(file.file, name).map(Value::Thing)
    }

    /// Returns the definition that is imported by itself and begins a chain: `user` in `user.name`.
    pub(super) fn auto_root(&self, used: &Reference) -> Option<Bound> {
        let is_root = used.local == Local::No && !used.receiver.contains(['.', '?']);
        if used.receiver.is_empty()
            || !is_root
            || matches!(used.receiver.as_str(), "this" | "super")
        {
            return None;
        }
        match self.auto_value(&self.file, &used.receiver)? {
            Value::Thing(Def::Symbol(file, at)) => Some(Bound {
                to: (file, self.picked(file, at, ReferenceKind::Value)),
                provenance: Provenance::Resolved,
            }),
            _ => None,
        }
    }

    /// Evaluates a name of the file, or of a namespace around the scope.
    fn bare(&self, file: &Rc<Loaded>, scope: Option<u32>, name: &str) -> Option<Value> {
        self.step()?;
        let mut at = scope;
        while let Some(symbol) = at {
            let around = file.symbol(symbol);
            if around.kind == SymbolKind::Namespace
                && let Some(found) = file.members(symbol, name).first()
            {
                return Some(Value::Thing(Def::Symbol(file.file, *found)));
            }
            at = around.parent;
        }
        exports::top(self.library, file, name)
            .map(Value::Thing)
            .or_else(|| self.documented(file, name))
    }

    /// Returns a type that a comment defines, here or in the file that the name is imported from.
    fn documented(&self, file: &Rc<Loaded>, name: &str) -> Option<Value> {
        if let Some(own) = self.literal_of(file.file, name) {
            return Some(own);
        }
        let (target, imported) = file.import(name)?;
        self.literal_of(target?, imported)
    }

    /// Returns a type that a comment of a file defines: one with members, or a name for another.
    pub(super) fn literal_of(&self, target: i64, name: &str) -> Option<Value> {
        self.step()?;
        let loaded = self.library.get(target)?;
        if loaded.is_literal(None, name) {
            return Some(Value::Literal(target, None, name.into()));
        }
        let is_alias = loaded.tops(name).is_empty();
        let hint = is_alias
            .then(|| loaded.hints(None, name).next())
            .flatten()?;
        self.hinted(&loaded, hint, None)
    }

    /// Evaluates what the class around a scope extends.
    fn base(&self, file: &Rc<Loaded>, scope: Option<u32>) -> Option<Value> {
        self.step()?;
        let (Value::Instance(Def::Symbol(_, class)) | Value::Thing(Def::Symbol(_, class))) =
            this_of(file, scope)?
        else {
            return None;
        };
        let base = file.hints(Some(class), "extends").next()?;
        self.hinted(file, base, None)
    }

    /// Of the definitions of one name, returns the one that this kind of use means.
    fn picked(&self, file: i64, at: u32, kind: ReferenceKind) -> u32 {
        let Some(loaded) = self.library.get(file) else {
            return at;
        };
        let wants_type = kind == ReferenceKind::Type;
        let fits = |at: u32| match loaded.symbol(at).kind {
            SymbolKind::Interface | SymbolKind::Type => wants_type,
            SymbolKind::Class | SymbolKind::Enum | SymbolKind::Namespace => true,
            _ => !wants_type,
        };
        if fits(at) {
            return at;
        }
        loaded
            .same(at)
            .iter()
            .copied()
            .find(|at| fits(*at))
            .unwrap_or(at)
    }
}

/// Whether it can be the type of something.
pub(super) fn is_type(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Class | SymbolKind::Interface | SymbolKind::Enum | SymbolKind::Type
    )
}

/// Returns what `this` is in a scope: an instance of the class or object around it, or in what is static
/// the class.
pub(super) fn this_of(file: &Rc<Loaded>, scope: Option<u32>) -> Option<Value> {
    let mut at = scope;
    while let Some(symbol) = at {
        let found = file.symbol(symbol);
        let is_owner = matches!(
            found.kind,
            SymbolKind::Class | SymbolKind::Interface | SymbolKind::Type
        ) || found.kind == SymbolKind::Function && file.has_methods(symbol);
        if is_owner {
            return Some(Value::Instance(Def::Symbol(file.file, symbol)));
        }
        let is_member = matches!(
            found.kind,
            SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Property | SymbolKind::Field
        );
        let in_class = || {
            let owner = found.parent.map(|owner| file.symbol(owner).kind);
            owner == Some(SymbolKind::Class)
        };
        // What an arrow that is given to an object calls `this` is what is around it.
        if found.has_lexical_this() && !in_class() {
            at = found.parent;
            continue;
        }
        if let (true, Some(owner)) = (is_member, found.parent) {
            if let Some((literal, _)) = file.path(symbol).rsplit_once('.') {
                return Some(Value::Literal(file.file, Some(owner), literal.into()));
            }
            let owner = Value::Thing(Def::Symbol(file.file, owner));
            return Some(if found.is_static() {
                owner
            } else {
                owner.instance()
            });
        }
        at = found.parent;
    }
    None
}
