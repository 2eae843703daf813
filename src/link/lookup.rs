//! Binds one reference to the definition that it means, by lexical look-up or by the type of its receiver.
//!
//! A reference whose receiver has no evident type stays unbound.

use std::rc::Rc;

use super::cache::Def;
use super::exports;
use super::file::{Access, LinkedFile};
use super::linker::Linker;
use super::rules::{self, MemberOrder};
use super::rust_conversions::ConversionTarget;
use super::types::{ExternalType, Type};
use crate::ir::{
    BaseKind, Expr, ExprId, FileFacts, NameId, PathId, Reference, ReferenceKind, Slot, SymbolIdx,
    Target, files_of_type, split_generic_name,
};
use crate::model::{ModuleId, Provenance, SymbolFlags, SymbolKind};

/// Files that declare a type of one name and are looked at.
const MAX_NAMESAKES: usize = 32;

/// Types of a union whose members a use is bound to.
const MAX_UNION_MEMBERS: usize = 16;

/// A use that was bound.
pub(super) struct BoundUse {
    pub(super) to: (ModuleId, SymbolIdx),
    pub(super) provenance: Provenance,
}

/// The meaning of a use.
pub(super) enum UseMeaning {
    /// A definition of the repository.
    Bound(BoundUse),
    /// A member of each type of a union: `event.id` of `event: Opened | Closed`.
    OfUnion(Vec<BoundUse>),
    /// Something external, which is proven.
    External,
    /// The name of an argument that is not known to be that of an attribute: mostly a parameter, which is no definition.
    KeywordArgument,
    /// A field of a struct without a name, which is no definition: `t.size` of `var t struct{ size int }`.
    FieldOfUnnamedStruct,
    /// Nothing is known.
    Unknown,
}

impl Linker<'_, '_> {
    /// Binds a use to its definition.
    pub(super) fn bind(&self, used: &Reference) -> UseMeaning {
        if let Target::Member { receiver, .. } = used.target
            && let Expr::Named { value, .. } = self.file.expr(receiver)
        {
            return self.bind_keyword(used, *value);
        }
        let found = self.bind_type(used).map(|(found, provenance)| {
            let found = match found {
                // A class that is made an instance of by the word for its base.
                Type::Instance(def) if used.kind == ReferenceKind::New => Type::Definition(def),
                found => match found.inside().unwrap_or(found) {
                    Type::Accessor(def, _) => Type::Definition(def),
                    found => found,
                },
            };
            (found, provenance)
        });
        if let Some((found, provenance)) = &found
            && let Some(to) = self.embedded_type(used, found)
        {
            let provenance = *provenance;
            return UseMeaning::Bound(BoundUse { to, provenance });
        }
        match found {
            Some((Type::Definition(Def::Symbol(file, at)), provenance)) => {
                let to = if self.rules().has_includes {
                    self.definition_of((file, at))
                } else {
                    (
                        file,
                        self.select_declaration(file, at, self.wants_type(used)),
                    )
                };
                UseMeaning::Bound(BoundUse { to, provenance })
            }
            Some((Type::Union(all), _)) if let Some(all) = self.members_of_union(used, &all) => {
                UseMeaning::OfUnion(all)
            }
            // Of several definitions, which one is meant is not known.
            Some((Type::Union(all), _))
                if all.is_empty() || all.iter().any(|one| matches!(one, Type::Definition(_))) =>
            {
                UseMeaning::Unknown
            }
            _ if self.is_of_unnamed_struct(used) => UseMeaning::FieldOfUnnamedStruct,
            Some((found, _)) if found.is_external() => UseMeaning::External,
            // A field that holds a function is no definition, nor is a member of an array.
            Some((found, _))
                if self.rules().proves_external && !matches!(found, Type::Definition(_)) =>
            {
                UseMeaning::External
            }
            _ if used.target == Target::Lexical
                && self
                    .certain_external_name(&self.file, self.file.facts.name(used))
                    .is_some() =>
            {
                UseMeaning::External
            }
            _ if self.names_external(used) => UseMeaning::External,
            _ => UseMeaning::Unknown,
        }
    }

    /// Returns the members that a use of a union, or of what one of several overloads returns, may mean, one of each of its types; `None` where
    /// these are no definitions, or too many.
    fn members_of_union(&self, used: &Reference, all: &[Type]) -> Option<Vec<BoundUse>> {
        let is_member = matches!(used.target, Target::Member { .. });
        if !is_member || !self.rules().is_ecmascript() {
            return None;
        }
        let members = all.iter().map(|one| match one {
            Type::Definition(Def::Symbol(file, at)) => Some(BoundUse {
                to: (*file, self.select_declaration(*file, *at, false)),
                provenance: Provenance::Dispatch,
            }),
            _ => None,
        });
        let members: Option<Vec<BoundUse>> = members.collect();
        members.filter(|it| (2..=MAX_UNION_MEMBERS).contains(&it.len()))
    }

    /// Whether a use names an export of an external package, `upgrade()`, a member of the package itself, `sys.path`, or,
    /// where values of packages are never of the repository, one of such a value: `axios.get`.
    fn names_external(&self, used: &Reference) -> bool {
        let file = &self.file;
        if self.rules().has_module_tree {
            return false;
        }
        let receiver = match used.target {
            Target::Lexical => {
                let name = file.facts.name(used);
                return file.external_import(name).is_some() && file.top_level(name).is_empty();
            }
            Target::Member { receiver, .. } => receiver,
            _ => return false,
        };
        let exprs = &file.facts.exprs;
        let imported = match file.expr(receiver) {
            Expr::Name { name, .. } => file.external_import(exprs.name_of(*name)),
            Expr::Imported { import, name } => file
                .leads_to_external(*import)
                .then(|| exprs.name_of(*name)),
            _ => None,
        };
        imported.is_some_and(|it| it == "*" || !self.rules().has_external_proxies)
    }

    /// The type that a struct embeds, where a use names it as a field: `store.Base` of `struct { Base }`.
    fn embedded_type(&self, used: &Reference, found: &Type) -> Option<(ModuleId, SymbolIdx)> {
        if self.rules().members != MemberOrder::Embedding || !found.is_instance() {
            return None;
        }
        let (module, at) = found.symbol()?;
        let name = self.file.facts.name(used);
        if self.cache.get(module)?.symbol(at).name != name {
            return None;
        }
        // A field of a struct without a name may have the name of its type.
        let object = self.struct_of_field(used)?;
        (!matches!(object, Type::AnonymousObject(..))).then_some((module, at))
    }

    /// The struct of which a use names a field, in Go: that of `row.id`, and of the key in `Row{id: 1}`.
    fn struct_of_field(&self, used: &Reference) -> Option<Type> {
        let receiver = match used.target {
            Target::Member { receiver, .. } => receiver,
            Target::Value(key) => match self.file.expr(key) {
                Expr::Fallback { first, .. } => match self.file.expr(*first) {
                    Expr::Member { object, .. } => *object,
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        self.infer(&self.file, receiver, None)
    }

    /// Whether a use names a field of a struct of Go that has no name.
    fn is_of_unnamed_struct(&self, used: &Reference) -> bool {
        if !self.rules().is_go() {
            return false;
        }
        let Some(Type::AnonymousObject(file, _, path)) = self.struct_of_field(used) else {
            return false;
        };
        // One that it embeds may have the member.
        let name = Access::Name(self.file.facts.name(used));
        let loaded = self.cache.get(file);
        loaded.is_some_and(|it| it.member_path(path, name).is_some())
    }

    /// As [`external_name`]; `None` where the name may be that of a type of the repository, in a namespace that the file does not use.
    pub(super) fn certain_external_name(&self, file: &LinkedFile, name: &str) -> Option<Type> {
        let (plain, offered) = split_generic_name(name).unwrap_or((name, name));
        let found = external_name(file, plain)?;
        (!self.may_be_inside(file, plain, offered)).then_some(found)
    }

    /// Whether a file sees a type of the repository that has a name, in whatever namespace.
    fn may_be_inside(&self, file: &LinkedFile, plain: &str, offered: &str) -> bool {
        if !rules::of(file).has_partial_types || ExternalType::is_known_everywhere(plain) {
            return false;
        }
        let Some((Some(unit), _)) = file.import(&files_of_type(offered)) else {
            return false;
        };
        let Some(unit) = self.cache.get(unit) else {
            return false;
        };
        let files = unit.files_of_unit();
        files.len() > MAX_NAMESAKES
            || files.iter().any(|it| {
                exports::distance_of_project(self.cache, file, Def::Module(*it)).is_some()
            })
    }

    fn bind_type(&self, used: &Reference) -> Option<(Type, Provenance)> {
        self.refuel();
        let file = &self.file;
        let name = file.facts.name(used);
        let mut provenance = Provenance::Resolved;
        let found = match used.target {
            Target::Unknown => return None,
            Target::Markup(place) => {
                let (found, known) = self.in_markup(file, used, place)?;
                provenance = known;
                found
            }
            Target::Symbol(at) => Type::Definition(Def::Symbol(file.file, at)),
            Target::Value(expr) => {
                let found = if self.rules().is_go() {
                    self.infer_member(file, expr, None)?.0
                } else {
                    self.infer(file, expr, None)?
                };
                let is_call = matches!(file.expr(expr), Expr::Callee { .. });
                if self.is_injected(expr) {
                    return Some((found, provenance));
                }
                // `this::add`
                let is_method_reference = !is_call
                    && used.kind == ReferenceKind::Call
                    && self.rules().is_java()
                    && matches!(file.expr(expr), Expr::Member { .. });
                let overloads = is_method_reference.then(|| self.overloads_of_reference(&found));
                let overloads = overloads.flatten();
                if overloads == Some(false) {
                    return None;
                }
                if overloads.is_some() || is_call && self.is_undecided.get() {
                    provenance = Provenance::Overload;
                } else if !(self.rules().is_plain_known() && self.needs_no_type(expr, &found)) {
                    provenance = Provenance::Member;
                }
                found
            }
            Target::Lexical if name == "super" => self.base_of_receiver(file, used.symbol)?,
            Target::Lexical if self.rules().has_method_values => {
                self.simple_name(file, used.symbol, name)?.0
            }
            Target::Lexical => {
                // Members of a class are not in scope where it says what it is built on.
                let is_head = used.kind == ReferenceKind::Heritage && self.rules().is_java();
                let scope = match used.symbol {
                    Some(class) if is_head => file.symbol(class).parent,
                    scope => scope,
                };
                self.in_scope(file, scope, name)
                    .map(|found| found.0)
                    .or_else(|| self.top_level_name(file, scope, name))
                    .or_else(|| self.auto_imported(file, used))?
            }
            Target::Member { receiver, .. }
                if self.rules().is_rust()
                    && let Some(found) = self.conversion(name, receiver) =>
            {
                provenance = Provenance::Member;
                match found {
                    ConversionTarget::Function(found) => found,
                    ConversionTarget::Unknown => return None,
                }
            }
            Target::Member {
                receiver,
                is_inferred,
            } => match self.receiver_type(receiver, name) {
                Some(object) => {
                    let found = self
                        .used_member(&object, name, used.kind)
                        .or_else(|| self.beside_namespace(receiver, name, used.kind))
                        .or_else(|| self.vue_options_member(receiver, name, &object))?;
                    let is_read = used.kind == ReferenceKind::Value;
                    if is_read && is_inferred && self.is_value_of_member(&object, &found) {
                        return None;
                    }
                    if is_inferred || !self.is_statically_qualified(&object, &found) {
                        provenance = Provenance::Member;
                    }
                    found
                }
                None if is_inferred => return None,
                None => {
                    let (found, known) = self.assigned(used, receiver)?;
                    provenance = known;
                    Type::Definition(found)
                }
            },
        };
        Some((found, provenance))
    }

    /// Whether an expression asks for a definition that is injected by its name.
    fn is_injected(&self, expr: ExprId) -> bool {
        match self.file.expr(expr) {
            Expr::Name { name, .. } | Expr::Imported { name, .. } => {
                let name = self.file.facts.exprs.name_of(*name);
                self.rules().is_injected(name)
            }
            Expr::Fallback { other, .. } => self.is_injected(*other),
            _ => false,
        }
    }

    /// The member that a use names. Where methods are no fields, calling one asks for the method.
    fn used_member(&self, object: &Type, name: &str, kind: ReferenceKind) -> Option<Type> {
        if kind == ReferenceKind::Call && self.rules().members == MemberOrder::Implementations {
            let is_value = match object {
                // `static SHOP: Shop`, with a field of the method's name.
                Type::Definition(Def::Symbol(file, at)) => {
                    let loaded = self.cache.get(*file)?;
                    matches!(
                        loaded.symbol(*at).kind,
                        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::EnumMember
                    )
                }
                Type::Definition(Def::Module(_)) => false,
                _ => true,
            };
            if is_value {
                return self.member(object, &format!("{name}()"));
            }
        }
        if self.rules().has_method_values {
            return self.member_or_method(object, name);
        }
        self.member(object, name)
    }

    /// The member of the type that has the name of a namespace, where the namespace has no such name.
    fn beside_namespace(&self, receiver: ExprId, name: &str, kind: ReferenceKind) -> Option<Type> {
        let Expr::Fallback { first, other, .. } = self.file.expr(receiver) else {
            return None;
        };
        let Expr::Imported { name: whole, .. } = self.file.expr(*first) else {
            return None;
        };
        let is_namespace = self.file.facts.exprs.name_of(*whole) == "*";
        let object = is_namespace.then(|| self.infer(&self.file, *other, None));
        self.used_member(&object??, name, kind)
    }

    /// The type of the receiver of a member `name`. Of several bases `super` is the first that has it.
    fn receiver_type(&self, receiver: ExprId, name: &str) -> Option<Type> {
        if let Expr::Super { scope } = self.file.expr(receiver)
            && let Some((_, base)) = self.member_of_base(&self.file, *scope, name)
        {
            return Some(base);
        }
        self.infer(&self.file, receiver, None)
    }

    /// Binds `exports.open`, and `target.open()` where the file assigns `target.open = …` and does not define
    /// `target`.
    fn assigned(&self, used: &Reference, receiver: ExprId) -> Option<(Def, Provenance)> {
        let file = &self.file;
        let name = file.facts.name(used);
        let object = chain(&file.facts, receiver)?;
        let root = object.split('.').next()?;
        let is_open = file.top_level(root).is_empty() && file.import(root).is_none();
        let is_exports = matches!(object.as_str(), "exports" | "module.exports");
        let runs = used.kind != ReferenceKind::Value && !used.kind.is_of_type();
        if !is_open || !(runs || is_exports && used.kind == ReferenceKind::Value) {
            return None;
        }
        if is_exports {
            let found = exports::resolve(self.cache, file.file, name)?;
            return Some((found, Provenance::Resolved));
        }
        let named = file.top_level(name).iter();
        let mut own = named.filter(|at| {
            let owner = file.symbol(**at).qualified_name.rsplit_once('.');
            owner.is_some_and(|(owner, _)| owner == object)
        });
        let at = own.next()?;
        Some((Def::Symbol(file.file, *at), Provenance::Member))
    }

    /// Returns the member `this.load` in the options of a component: frameworks make one object of `methods`,
    /// `computed` and the like, and call all of them on that.
    fn vue_options_member(&self, receiver: ExprId, name: &str, object: &Type) -> Option<Type> {
        let (file, owner) = match object {
            Type::AnonymousObject(file, Some(owner), _)
            | Type::Definition(Def::Symbol(file, owner))
            | Type::Instance(Def::Symbol(file, owner)) => (*file, *owner),
            _ => return None,
        };
        if !matches!(self.file.expr(receiver), Expr::Receiver { .. }) {
            return None;
        }
        let loaded = self.cache.get(file)?;
        let found = loaded
            .names_object(owner)
            .then(|| loaded.nested(owner, name))??;
        Some(Type::Definition(Def::Symbol(file, found)))
    }

    /// Whether a binding holds without type inference: the callee is a bare name, a member of the receiver
    /// (`this.open()`), or qualified statically.
    fn needs_no_type(&self, expr: ExprId, found: &Type) -> bool {
        let callee = match self.file.expr(expr) {
            Expr::Callee { call } => match self.file.expr(*call) {
                Expr::Call { callee, .. } => *callee,
                _ => expr,
            },
            Expr::Member { .. } | Expr::Name { .. } => expr,
            _ => return false,
        };
        if self.rules().is_c() && self.may_be_virtual(found) {
            // `Save()` and `this->Save()` may run an override, `Base::Save()` does not; `&Base::Save` is called through an object.
            return match self.file.expr(callee) {
                Expr::Name { name, .. } => {
                    callee != expr && self.file.facts.exprs.name_of(*name).contains('.')
                }
                _ => false,
            };
        }
        match self.file.expr(callee) {
            Expr::Name { .. } => true,
            Expr::Member { object, .. } => match self.file.expr(*object) {
                Expr::Receiver { .. } | Expr::Super { .. } => true,
                _ => {
                    let object = self.infer(&self.file, *object, None);
                    object.is_some_and(|object| self.is_statically_qualified(&object, found))
                }
            },
            _ => false,
        }
    }

    /// Whether a definition is a method that is not said to be static.
    fn may_be_virtual(&self, found: &Type) -> bool {
        let Type::Definition(Def::Symbol(file, at)) = found else {
            return false;
        };
        let loaded = self.cache.get(*file);
        loaded.is_some_and(|loaded| {
            let symbol = loaded.symbol(*at);
            symbol.kind == SymbolKind::Method && !symbol.is_static()
        })
    }

    /// Whether `found` is the value of the member and not the member itself: the function behind `open` in `const {
    /// open } = api` where `api` has the type `{ open: typeof open }`.
    fn is_value_of_member(&self, object: &Type, found: &Type) -> bool {
        let Type::Definition(Def::Symbol(file, at)) = found else {
            return false;
        };
        if matches!(object, Type::Definition(Def::Module(_))) {
            return false;
        }
        let loaded = self.cache.get(*file);
        loaded.is_some_and(|loaded| {
            let symbol = loaded.symbol(*at);
            symbol.qualified_name == symbol.name
        })
    }

    /// Whether a member is qualified statically: in a module, or declared in the definition that the receiver names
    /// (`Store.open` of `class Store`).
    fn is_statically_qualified(&self, object: &Type, found: &Type) -> bool {
        if matches!(object, Type::Definition(Def::Module(_))) {
            return true;
        }
        let (
            Type::AnonymousObject(file, Some(owner), _)
            | Type::Definition(Def::Symbol(file, owner)),
            Type::Definition(Def::Symbol(found_in, member)),
        ) = (object, found)
        else {
            return false;
        };
        if file != found_in {
            return false;
        }
        let Some(loaded) = self.cache.get(*file) else {
            return false;
        };
        let Some(parent) = loaded.symbol(*member).parent else {
            return false;
        };
        match object {
            Type::AnonymousObject(_, _, path) => {
                // A variable may hold another object by now.
                let is_constant = |kind| matches!(kind, SymbolKind::Constant | SymbolKind::Module);
                parent == *owner
                    && loaded.object_around(*member) == Some(*path)
                    && is_constant(loaded.symbol(*owner).kind)
            }
            _ => parent == *owner || loaded.overloads(*owner).contains(&parent),
        }
    }

    /// Whether a definition is a type, a class among them.
    pub(super) fn is_type(&self, file: ModuleId, at: u32) -> bool {
        self.cache
            .get(file)
            .is_some_and(|loaded| loaded.symbol(at).kind.is_type())
    }

    /// The kind of a definition.
    pub(super) fn kind(&self, file: ModuleId, at: u32) -> Option<SymbolKind> {
        let loaded = self.cache.get(file)?;
        Some(loaded.symbol(at).kind)
    }

    /// Returns the type of a name that no local scope binds.
    pub(super) fn free_name(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        name: &str,
    ) -> Option<Type> {
        let found = self.top_level_name(file, scope, name);
        found
            .or_else(|| self.auto_value(file, name))
            .or_else(|| external_name(file, name))
    }

    /// Returns the type of the receiver of a member (`this`, `self`): the object that the member was asked of, else an
    /// instance of the class around.
    pub(super) fn receiver(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        this: Option<&Type>,
    ) -> Option<Type> {
        if file.facts.is_template {
            return self.owner_of(file);
        }
        this.cloned().or_else(|| receiver_of(file, scope))
    }

    /// The type of `super`: the base of the class around, or an instance of it.
    pub(super) fn base_of_receiver(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
    ) -> Option<Type> {
        let base = self.base(file, scope)?;
        let in_class = matches!(receiver_of(file, scope)?, Type::Definition(_));
        Some(if in_class { base } else { base.instance() })
    }

    /// Binds a name that a framework auto-imports, `useFoo()` in Nuxt, or a declaration gives to all files.
    fn auto_imported(&self, file: &Rc<LinkedFile>, used: &Reference) -> Option<Type> {
        let name = file.facts.name(used);
        if used.kind == ReferenceKind::Jsx && !file.binds(name) {
            let found = self.cache.auto_component(file.file, name);
            return found.map(Type::Definition);
        }
        let found = self.auto_value(file, name)?;
        let is_of_type = used.kind.is_of_type() || used.kind == ReferenceKind::Heritage;
        let is_type = match found {
            Type::Definition(def) => self.cache.is_type_alone(def),
            _ => false,
        };
        (is_of_type || !is_type).then_some(found)
    }

    /// As [`Self::auto_imported`], for a name that is not a JSX element.
    fn auto_value(&self, file: &Rc<LinkedFile>, name: &str) -> Option<Type> {
        if file.binds(name) {
            return None;
        }
        let found = self.cache.auto_value(file.file, name);
        let found = found.or_else(|| self.cache.ambient(file, name));
        found.map(Type::Definition)
    }

    /// Binds a name that is imported out of the object that a module is, where the member itself is no definition:
    /// `const { NotFound } = require('./errors')` uses `codes` of `module.exports = codes`.
    pub(super) fn object_imported_from(&self, used: &Reference) -> Option<BoundUse> {
        if used.target != Target::Lexical {
            return None;
        }
        let (target, imported) = self.file.import(self.file.facts.name(used))?;
        let to = self.module_object(target?, imported)?;
        Some(BoundUse {
            to,
            provenance: Provenance::Resolved,
        })
    }

    /// The object that a module is (`module.exports = codes`), where `name` is none of the module's exports: then it can
    /// only be a member of that object.
    fn module_object(&self, module: ModuleId, name: &str) -> Option<(ModuleId, SymbolIdx)> {
        if name == "*" || exports::resolve(self.cache, module, name).is_some() {
            return None;
        }
        let (file, at) = exports::assigned(self.cache, module)?;
        let kind = self.kind(file, at)?;
        matches!(kind, SymbolKind::Constant | SymbolKind::Variable).then_some((file, at))
    }

    /// Binds an auto-imported name that is the root of a member chain: `user` in `user.name`.
    pub(super) fn auto_root(&self, used: &Reference) -> Option<BoundUse> {
        let Target::Member {
            receiver,
            is_inferred: false,
        } = used.target
        else {
            return None;
        };
        let Expr::Name { name, .. } = self.file.expr(receiver) else {
            return None;
        };
        let name = self.file.facts.exprs.name_of(*name);
        match self.auto_value(&self.file, name)? {
            Type::Definition(Def::Symbol(file, at)) => Some(BoundUse {
                to: (file, self.select_declaration(file, at, false)),
                provenance: Provenance::Resolved,
            }),
            _ => None,
        }
    }

    /// Evaluates a name of the file, or of a namespace around the scope.
    fn top_level_name(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<u32>,
        name: &str,
    ) -> Option<Type> {
        self.step()?;
        if rules::of(file).has_module_tree {
            return self.in_tree(file, scope, name);
        }
        if rules::of(file).has_includes {
            return Some(self.included_name(file, scope, name)?.0);
        }
        let mut at = scope;
        while let Some(symbol) = at {
            let around = file.symbol(symbol);
            if around.kind == SymbolKind::Namespace
                && let Some(found) = file.members(symbol, name).first()
            {
                return Some(Type::Definition(Def::Symbol(file.file, *found)));
            }
            at = around.parent;
        }
        exports::top(self.cache, file, name)
            .map(Type::Definition)
            .or_else(|| self.documented(file, name))
    }

    /// Returns a type that a comment defines, here or in the file that the name is imported from.
    fn documented(&self, file: &Rc<LinkedFile>, name: &str) -> Option<Type> {
        if let Some(own) = self.documented_type(file.file, name) {
            return Some(own);
        }
        let (target, imported) = file.import(name)?;
        let target = target?;
        self.documented_type(target, imported).or_else(|| {
            let (file, at) = self.module_object(target, imported)?;
            self.member(&Type::Definition(Def::Symbol(file, at)), imported)
        })
    }

    /// A type that a comment defines (`@typedef`), or the value of a top-level variable that is no definition.
    pub(super) fn documented_type(&self, target: ModuleId, name: &str) -> Option<Type> {
        self.step()?;
        let loaded = self.cache.get(target)?;
        let path = loaded.member_path(PathId::EMPTY, Access::Name(name));
        if let Some(path) = path
            && loaded.is_object(None, path)
        {
            return Some(Type::AnonymousObject(target, None, path));
        }
        let is_alias = loaded.top_level(name).is_empty();
        let value = is_alias.then(|| loaded.top_value(name)).flatten()?;
        self.infer(&loaded, value, None)
    }

    /// The class that the class around a scope extends.
    fn base(&self, file: &Rc<LinkedFile>, scope: Option<SymbolIdx>) -> Option<Type> {
        self.step()?;
        let (Type::Instance(Def::Symbol(_, class)) | Type::Definition(Def::Symbol(_, class))) =
            receiver_of(file, scope)?
        else {
            return None;
        };
        self.infer(file, file.extended(class)?, None)
    }

    /// Whether a use stands where a type does: in an annotation, after `implements`, after the `extends` of an interface.
    fn wants_type(&self, used: &Reference) -> bool {
        let Some(owner) = used.symbol.filter(|_| used.kind == ReferenceKind::Heritage) else {
            return used.kind == ReferenceKind::Type;
        };
        let file = &self.file;
        let implements = || {
            let path = file.below(PathId::EMPTY, Slot::Base(BaseKind::Implements));
            let mut bases = file.values(Some(owner), path);
            bases.any(|base| ends_with(&file.facts, base, used.name))
        };
        !matches!(file.symbol(owner).kind, SymbolKind::Class) || implements()
    }

    /// Of the definitions of one name, returns the one that a use of a type or of a value means.
    fn select_declaration(&self, file: ModuleId, at: u32, wants_type: bool) -> u32 {
        let Some(loaded) = self.cache.get(file) else {
            return at;
        };
        let fits = |at: u32| match loaded.symbol(at).kind {
            SymbolKind::Interface | SymbolKind::Type => wants_type,
            SymbolKind::Class | SymbolKind::Enum | SymbolKind::Namespace => true,
            _ => !wants_type,
        };
        if fits(at) {
            return at;
        }
        loaded
            .overloads(at)
            .iter()
            .copied()
            .find(|at| fits(*at))
            .unwrap_or(at)
    }
}

/// Returns [`Type::External`] for a name that an import takes from outside the repository, or that the language itself
/// defines, where its rules prove that.
pub(super) fn external_name(file: &LinkedFile, name: &str) -> Option<Type> {
    let rules = rules::of(file);
    if rules.has_module_tree {
        // Paths are resolved to external items elsewhere.
        return None;
    }
    let is_external_name = rules.proves_external
        && match file.import(name) {
            Some((target, _)) => target.is_none(),
            None => {
                rules.predeclared.has(name)
                    || file.imports.has_external_wildcard
                        && name.starts_with(char::is_uppercase)
                        && !name.ends_with("()")
                        && !file.takes_statically(name)
            }
        };
    if !rules.has_overloads {
        return is_external_name.then_some(Type::External);
    }
    // Types are followed by their names: what a `List<Item>` gives is known.
    let imported = file.import(name).map_or(name, |(_, imported)| imported);
    is_external_name.then(|| ExternalType::plain(imported))
}

/// Whether an expression is a name, or a chain that ends in it: `a.Store` with or without type arguments.
fn ends_with(facts: &FileFacts, expr: ExprId, wanted: NameId) -> bool {
    match facts.exprs.get(expr) {
        Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Imported { name, .. } => {
            *name == wanted
        }
        Expr::Specialized { base, .. } => ends_with(facts, *base, wanted),
        Expr::Instance { of } => ends_with(facts, *of, wanted),
        _ => false,
    }
}

/// Returns the names of a chain, dot-separated, where an expression is nothing else.
fn chain(facts: &FileFacts, expr: ExprId) -> Option<String> {
    match facts.exprs.get(expr) {
        Expr::Name { name, .. } => Some(facts.exprs.name_of(*name).to_owned()),
        Expr::Member { object, name } => {
            let object = chain(facts, *object)?;
            Some(format!("{object}.{}", facts.exprs.name_of(*name)))
        }
        _ => None,
    }
}

/// Returns the name that a chain begins with, where it begins with one of the file.
pub(super) fn root_of(facts: &FileFacts, expr: ExprId) -> Option<&str> {
    match facts.exprs.get(expr) {
        Expr::Name { name, .. } => {
            let name = facts.exprs.name_of(*name);
            Some(split_generic_name(name).map_or(name, |it| it.0))
        }
        Expr::Member { object, .. } => root_of(facts, *object),
        Expr::Callee { call } => match facts.exprs.get(*call) {
            Expr::Call { callee, .. } => root_of(facts, *callee),
            _ => None,
        },
        Expr::Fallback { other, .. } => root_of(facts, *other),
        _ => None,
    }
}

/// The type of `this` in a scope: an instance of the class or object around it, in static members the class.
pub(super) fn receiver_of(file: &Rc<LinkedFile>, scope: Option<SymbolIdx>) -> Option<Type> {
    let mut at = scope;
    while let Some(symbol) = at {
        let found = file.symbol(symbol);
        let is_owner = matches!(
            found.kind,
            SymbolKind::Class | SymbolKind::Interface | SymbolKind::Type
        ) || found.kind == SymbolKind::Function && file.has_methods(symbol);
        if is_owner {
            return Some(Type::Instance(Def::Symbol(file.file, symbol)));
        }
        let is_member = matches!(
            found.kind,
            SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Property | SymbolKind::Field
        );
        let in_class = || {
            let owner = found.parent.map(|owner| file.symbol(owner).kind);
            owner == Some(SymbolKind::Class)
        };
        // An arrow function has the `this` of the scope around it.
        if found.has_lexical_this() && !in_class() {
            at = found.parent;
            continue;
        }
        if let (true, Some(owner)) = (is_member, found.parent) {
            if let Some(object) = file.object_around(symbol) {
                return Some(Type::AnonymousObject(file.file, Some(owner), object));
            }
            let owner = Type::Definition(Def::Symbol(file.file, owner));
            let of_class = SymbolFlags::STATIC | SymbolFlags::CLASS_RECEIVER;
            return Some(if found.flags.intersects(of_class) {
                owner
            } else {
                owner.instance()
            });
        }
        at = found.parent;
    }
    None
}
