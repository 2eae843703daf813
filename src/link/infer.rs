//! The evaluator: from an expression of a file to its type.
//!
//! One function with one arm for each form of expression. An expression that is not evident has no type: `None`.

use std::borrow::Cow;
use std::rc::Rc;

use super::cache::Def;
use super::exports;
use super::file::{Access, LinkedFile};
use super::linker::{InferredExpr, Linker};
use super::rules;
use super::types::{Substitution, Type, each};
use crate::ir::{Expr, ExprId, NameId, SymbolIdx, split_generic_name};
use crate::model::{ModuleId, SymbolKind};

impl Linker<'_, '_> {
    /// The type of an expression. `this` is the receiver of the member in which it is written.
    pub(super) fn infer(
        &self,
        file: &Rc<LinkedFile>,
        expr: ExprId,
        this: Option<&Type>,
    ) -> Option<Type> {
        let (found, object) = self.infer_member(file, expr, this)?;
        // Calling a field that holds a function uses the field.
        let is_called = self.rules().has_method_values
            && matches!(file.expr(expr), Expr::Callee { .. })
            && self.is_value_member(&found);
        // The substitution for a type parameter is known here alone.
        if object.is_some()
            && !is_called
            && let Some(held) = self.held_by_type_parameter(&found, object.as_ref())
        {
            return Some(held);
        }
        Some(found)
    }

    /// As [`Self::infer`], of an expression before a dot or a call. Also returns the object that it is a member of.
    fn infer_object(
        &self,
        file: &Rc<LinkedFile>,
        expr: ExprId,
        this: Option<&Type>,
    ) -> Option<(Type, Option<Type>)> {
        let (found, object) = self.infer_member(file, expr, this)?;
        match self.held_by_generic(&found, object.as_ref()) {
            Some(held) => Some((held, None)),
            None => Some((found, object)),
        }
    }

    pub(super) fn infer_member(
        &self,
        file: &Rc<LinkedFile>,
        expr: ExprId,
        this: Option<&Type>,
    ) -> Option<(Type, Option<Type>)> {
        self.step()?;
        let _inside = self.descend()?;
        let is_kept = self.rules().has_overloads
            && this.is_none()
            && file.file == self.file.file
            && matches!(
                file.expr(expr),
                Expr::Call { .. } | Expr::Callee { .. } | Expr::Member { .. }
            )
            && self.call.borrow().is_none()
            && self.open_scopes.borrow().is_empty();
        if !is_kept {
            return self.infer_form(file, expr, this);
        }
        let known = self.inferred.borrow().get(&expr).cloned();
        if let Some(known) = known {
            self.is_undecided.set(known.is_undecided);
            self.by_external_base
                .set(self.by_external_base.get() || known.by_external_base);
            return Some(known.found);
        }
        let outer = self.by_external_base.replace(false);
        let found = self.infer_form(file, expr, this);
        let by_external_base = self.by_external_base.get();
        self.by_external_base.set(outer || by_external_base);
        let found = found?;
        if self.has_fuel() {
            let kept = InferredExpr {
                found: found.clone(),
                is_undecided: self.is_undecided.get(),
                by_external_base,
            };
            self.inferred.borrow_mut().insert(expr, kept);
        }
        Some(found)
    }

    fn infer_form(
        &self,
        file: &Rc<LinkedFile>,
        expr: ExprId,
        this: Option<&Type>,
    ) -> Option<(Type, Option<Type>)> {
        let object_of = |object: ExprId| Some(self.infer_object(file, object, this)?.0);
        let found = match file.expr(expr) {
            Expr::Unknown => return None,
            Expr::Name { name, scope } => return self.infer_name(file, *scope, *name),
            Expr::Receiver { scope } => self.receiver(file, *scope, this)?,
            Expr::Super { scope } => self.base_of_receiver(file, *scope)?,
            Expr::Symbol(at) => Type::Definition(Def::Symbol(file.file, *at)),
            Expr::Imported { import, name } => self.infer_imported(file, *import, *name)?,
            Expr::Member { object, name } => {
                return self.infer_member_access(file, *object, *name, this);
            }
            Expr::Element { object } => self.element(&object_of(*object)?)?,
            Expr::LoopVariable { object } => self.key(&object_of(*object)?)?,
            Expr::ComputedMember { object, key } => {
                self.computed_member(file, &object_of(*object)?, *key)?
            }
            Expr::Item { object, index } => self.item(&object_of(*object)?, usize::from(*index))?,
            Expr::Entered { object } => self.entered(&object_of(*object)?)?,
            Expr::Call {
                callee,
                types,
                args,
            } => self.infer_call(file, *callee, (types, args), this)?,
            Expr::Construct { class } => {
                let is_argument = matches!(file.expr(*class), Expr::Argument { .. });
                self.instance_of(file, *class, is_argument, this)?
            }
            Expr::Instance { of } => self.instance_of(file, *of, false, this)?,
            Expr::Specialized { base, args } => {
                let found = self.infer_member(file, *base, this)?;
                let args = || {
                    args.iter()
                        .map(|arg| self.infer(file, *arg, this))
                        .collect()
                };
                return Some(match found {
                    (Type::ExternalType(of), object) => (of.with_args(args()), object),
                    (Type::External, _) if rules::of(file).is_go() => {
                        (self.external_generic(file, *base, args()), None)
                    }
                    found => found,
                });
            }
            Expr::Container { kind, element } => {
                Type::Container(*kind, Rc::new(self.infer(file, *element, this)?))
            }
            Expr::Tuple(items) => {
                let items = items.iter().map(|item| self.infer(file, *item, this));
                Type::Tuple(items.collect())
            }
            Expr::Callable { result } => Type::Callable(Rc::new(self.infer(file, *result, this)?)),
            Expr::Param { callee, index } => {
                // A variable that a call sets is no function.
                let found = self.infer_param(file, *callee, *index, this);
                return found.filter(|it| !it.0.is_assumed_callback());
            }
            Expr::TypeParam {
                owner,
                index,
                has_bound,
            } => self.type_parameter(file, *owner, *index, *has_bound, this)?,
            Expr::Argument { index } => self.argument(*index)?,
            Expr::Callee { call } => return self.infer_callee(file, *call, this),
            Expr::Accessor { of, result } => match self.infer(file, *of, this)? {
                Type::Definition(def) => {
                    Type::Accessor(def, self.infer(file, *result, this).map(Rc::new))
                }
                other => other,
            },
            Expr::Named { value, .. } => self.infer(file, *value, this)?,
            Expr::Bounded { by } => match self.infer(file, *by, this)? {
                // Of `Iterator<Item = Row>` more is known than that it is external.
                Type::ExternalType(of) if !of.args.is_empty() => Type::ExternalType(of),
                found if found.is_external() => Type::unknown(),
                found => found,
            },
            Expr::Union(all) => self.infer_union(file, all, this)?,
            Expr::Fallback {
                variable,
                first,
                other,
            } => {
                let is_first = self.is_type_variable(file, *variable);
                if rules::of(file).is_go() {
                    // The key of a literal is the field, whatever that holds.
                    let found = self.infer_member(file, *first, this);
                    if found.is_some() || self.is_key_of_struct(file, *first) {
                        return found;
                    }
                    return self.infer_member(file, *other, this);
                }
                let found = is_first.then(|| self.infer(file, *first, this)).flatten();
                self.or_other(file, (*first, found), *other, this)?
            }
        };
        Some((found, None))
    }

    /// The first of two expressions by what it was found to be, where that is known; the other one else.
    fn or_other(
        &self,
        file: &Rc<LinkedFile>,
        (first, found): (ExprId, Option<Type>),
        other: ExprId,
        this: Option<&Type>,
    ) -> Option<Type> {
        let of_other = || self.infer(file, other, this);
        match found {
            Some(outside) if outside.is_external() && is_of_glob(file, first, other) => {
                let known = of_other().filter(|it| !it.is_external());
                Some(known.unwrap_or(outside))
            }
            // The variant of a pattern says what the value does not: `Shape::Round(it)`.
            Some(found) if rules::of(file).is_rust() => Some(found.or_if_unknown(of_other)),
            found => found.or_else(of_other),
        }
    }

    /// `name`, looked up from `scope`.
    fn infer_name(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        name: NameId,
    ) -> Option<(Type, Option<Type>)> {
        let name = file.facts.exprs.name_of(name);
        if rules::of(file).has_method_values {
            return self.simple_name(file, scope, name);
        }
        match self.in_scope(file, scope, name) {
            Some(found) => Some(found),
            None => Some((self.free_name(file, scope, name)?, None)),
        }
    }

    /// `require("module").name`.
    fn infer_imported(&self, file: &LinkedFile, import: u32, name: NameId) -> Option<Type> {
        let name = file.facts.exprs.name_of(name);
        let exported = |target: ModuleId| {
            exports::imported(self.cache, target, name)
                .map(Type::Definition)
                .or_else(|| self.documented_type(target, name))
        };
        let submodule = || file.submodule_of(import, name);
        let module = || Some(Type::Definition(Def::Module(submodule()?)));
        file.target(import).and_then(exported).or_else(module)
    }

    /// `object.name`.
    fn infer_member_access(
        &self,
        file: &Rc<LinkedFile>,
        object: ExprId,
        name: NameId,
        this: Option<&Type>,
    ) -> Option<(Type, Option<Type>)> {
        let name = file.facts.exprs.name_of(name);
        if let Expr::Super { scope } = file.expr(object) {
            let (found, base) = self.member_of_base(file, *scope, name)?;
            return Some((found, Some(base)));
        }
        let found = self.infer_object(file, object, this);
        if rules::of(file).has_method_values {
            let receiver = found.map(|it| it.0);
            let is_type = is_name_of_type(file, object, receiver.as_ref());
            let found = self.member_or_extension(file, receiver.as_ref(), name, is_type)?;
            return Some((found, Some(receiver.unwrap_or(Type::External))));
        }
        let (object, _) = found?;
        let found = self.member(&object, name)?;
        Some((found, Some(object)))
    }

    /// Whether a member is that of a struct of Go, which has fields: the key of `Box{size: size}` names one of them or nothing, where
    /// that of a map may be a variable.
    fn is_key_of_struct(&self, file: &Rc<LinkedFile>, key: ExprId) -> bool {
        let Expr::Member { object, .. } = file.expr(key) else {
            return false;
        };
        let object = self.infer(file, *object, None);
        let Some((module, at)) = object.and_then(|it| it.symbol()) else {
            return false;
        };
        let declared = self.cache.get(module);
        declared.is_some_and(|there| {
            let mut all = there.facts.symbols.iter();
            all.any(|it| it.parent == Some(at) && it.kind == SymbolKind::Field)
        })
    }

    /// `object[KEY]`.
    fn computed_member(&self, file: &LinkedFile, object: &Type, key: NameId) -> Option<Type> {
        let key = file.facts.exprs.name_of(key);
        self.declared(object, Access::Key(key))
            .or_else(|| self.any_member(object))
            .or_else(|| self.element(object))
    }

    /// `callee<types>(args)`.
    fn infer_call(
        &self,
        file: &Rc<LinkedFile>,
        callee: ExprId,
        (types, written): (&[ExprId], &[ExprId]),
        this: Option<&Type>,
    ) -> Option<Type> {
        let (mut found, object) = self.infer_object(file, callee, this)?;
        let mut args = self.with_receiver(file, callee, &found, object.as_ref(), written);
        if rules::of(file).has_overloads || rules::of(file).has_includes {
            found = self.select_overload(found, object.as_ref(), file, (types, &args), this);
            args = self.with_receiver(file, callee, &found, object.as_ref(), written);
        }
        if rules::of(file).is_go() && found == Type::External {
            let call = self.substitution(file, types, &args, this);
            if let Some(result) = self.external_call(file, callee, call) {
                return Some(result);
            }
        }
        let is_given = !types.is_empty() || !args.is_empty();
        let call = is_given.then(|| self.substitution(file, types, &args, this));
        self.return_type(&found, object.as_ref(), call)
    }

    /// The parameter of a callee by its index: the contextual type of a callback.
    fn infer_param(
        &self,
        file: &Rc<LinkedFile>,
        of: ExprId,
        index: u8,
        this: Option<&Type>,
    ) -> Option<(Type, Option<Type>)> {
        let (callee, object) = match file.expr(of) {
            Expr::Param { callee, index } => self.infer_param(file, *callee, *index, this)?,
            _ => self.infer_object(file, of, this)?,
        };
        // The receiver is the first argument of an extension method.
        let is_extension = self.is_extension_call(&callee, object.as_ref());
        let index = index.saturating_add(u8::from(is_extension));
        // The parameters of an external function may depend on its other arguments.
        let written = matches!(callee, Type::ExternalMethod(..))
            .then(|| self.written_call(file, of, this))
            .flatten();
        let found = match written {
            Some(written) => {
                let outer = self.call.replace(Some(written));
                let found = self.parameter(&callee, index, object.as_ref());
                self.call.replace(outer);
                found?
            }
            None => self.parameter(&callee, index, object.as_ref())?,
        };
        Some((found, object))
    }

    /// The function that a call runs, chosen among its overloads.
    fn infer_callee(
        &self,
        file: &Rc<LinkedFile>,
        call: ExprId,
        this: Option<&Type>,
    ) -> Option<(Type, Option<Type>)> {
        let Expr::Call {
            callee,
            types,
            args,
        } = file.expr(call)
        else {
            return None;
        };
        if rules::of(file).has_method_values {
            // Calling a field that holds a function uses the field.
            let (found, object) = self.infer_member(file, *callee, this)?;
            if self.is_value_member(&found) {
                return Some((found, object));
            }
        }
        let (found, object) = self.infer_object(file, *callee, this)?;
        let args = self.with_receiver(file, *callee, &found, object.as_ref(), args);
        let found = self.select_overload(found, object.as_ref(), file, (types, &args), this);
        Some((found, object))
    }

    /// The arguments of the call that an expression is the callee of.
    fn written_call(
        &self,
        file: &LinkedFile,
        callee: ExprId,
        this: Option<&Type>,
    ) -> Option<Rc<Substitution>> {
        let Expr::Callee { call } = file.expr(callee) else {
            return None;
        };
        match file.expr(*call) {
            Expr::Call { types, args, .. } => Some(self.substitution(file, types, args, this)),
            _ => None,
        }
    }

    /// The arguments of a call, with the receiver before them where the callee takes it as its first one.
    fn with_receiver<'e>(
        &self,
        file: &LinkedFile,
        callee: ExprId,
        found: &Type,
        object: Option<&Type>,
        args: &'e [ExprId],
    ) -> Cow<'e, [ExprId]> {
        let mut callee = callee;
        if let Expr::Callee { call } = file.expr(callee)
            && let Expr::Call { callee: inner, .. } = file.expr(*call)
        {
            callee = *inner;
        }
        match file.expr(callee) {
            Expr::Member {
                object: receiver, ..
            } if self.is_extension_call(found, object) => std::iter::once(*receiver)
                .chain(args.iter().copied())
                .collect(),
            _ => Cow::Borrowed(args),
        }
    }

    /// An instance of the class that an expression names, with its type arguments.
    fn instance_of(
        &self,
        file: &Rc<LinkedFile>,
        named: ExprId,
        is_class: bool,
        this: Option<&Type>,
    ) -> Option<Type> {
        let found = self.infer(file, named, this)?;
        if is_class && !self.is_class(&found) {
            return None;
        }
        let made = self.as_instance(found)?;
        Some(match (made, file.expr(named)) {
            (Type::Instance(def), Expr::Specialized { args, .. }) => {
                Type::Specialized(def, self.substitution(file, args, &[], this))
            }
            (made, _) => made,
        })
    }

    /// Whether a name of an annotation is that of a type variable: a variable that is no other name for a type.
    fn is_type_variable(&self, file: &Rc<LinkedFile>, variable: ExprId) -> bool {
        if matches!(file.expr(variable), Expr::Unknown) {
            return true;
        }
        let Some(Type::Definition(Def::Symbol(file, at))) = self.infer(file, variable, None) else {
            return false;
        };
        let Some(loaded) = self.cache.get(file) else {
            return false;
        };
        let symbol = loaded.symbol(at);
        let mut values = loaded.values(symbol.parent, Some(loaded.path(at)));
        matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable)
            && !values.next().is_some_and(|value| is_path(&loaded, value))
    }

    pub(super) fn substitution(
        &self,
        file: &LinkedFile,
        types: &[ExprId],
        args: &[ExprId],
        this: Option<&Type>,
    ) -> Rc<Substitution> {
        Rc::new(Substitution {
            file: file.file,
            types: types.into(),
            args: args.into(),
            this: this.cloned(),
            call: self.call(),
        })
    }

    /// Whether it is a class, by its own name.
    pub(super) fn is_class(&self, found: &Type) -> bool {
        matches!(found, Type::Definition(Def::Symbol(file, at))
            if self.kind(*file, *at) == Some(SymbolKind::Class))
    }

    /// Returns an instance of a type or class, through names for it.
    fn as_instance(&self, named: Type) -> Option<Type> {
        let Type::Definition(Def::Symbol(file, at)) = named else {
            return match named {
                Type::Union(all) => each(&all, |one| self.as_instance(one.clone())),
                named => Some(named.instance()),
            };
        };
        let loaded = self.cache.get(file)?;
        let symbol = loaded.symbol(at);
        // A constant that names a class.
        if matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable)
            && let Some(value) = loaded.values(symbol.parent, Some(loaded.path(at))).next()
            && is_path(&loaded, value)
            && let Some(held) = self.infer(&loaded, value, None)
        {
            return Some(held.instance());
        }
        Some(named.instance())
    }
}

/// Whether a receiver is the name of an external type, not a value of it: `Assert` in `Assert.Equal(1, n)`.
fn is_name_of_type(file: &LinkedFile, receiver: ExprId, found: Option<&Type>) -> bool {
    let Some(Type::ExternalType(of)) = found else {
        return false;
    };
    match file.expr(receiver) {
        Expr::Name { name, .. } | Expr::Imported { name, .. } => {
            let name = file.facts.exprs.name_of(*name);
            *split_generic_name(name).map_or(name, |it| it.0) == *of.name
        }
        Expr::Specialized { .. } => true,
        Expr::Fallback { first, other, .. } => {
            is_name_of_type(file, *first, found) || is_name_of_type(file, *other, found)
        }
        _ => false,
    }
}

/// Whether a name is looked for in all that a `use` of the function brings into scope, `use rayon::prelude::*`, before the module around: what is not
/// known to have the name has it less likely than the module.
fn is_of_glob(file: &LinkedFile, first: ExprId, other: ExprId) -> bool {
    let Expr::Member { name, .. } = file.expr(first) else {
        return false;
    };
    let mut other = other;
    while let Expr::Fallback { other: outer, .. } = file.expr(other) {
        other = *outer;
    }
    matches!(file.expr(other), Expr::Name { name: own, .. } if own == name)
}

/// Types of Java whose constants a `switch` names as they are, and no enums.
const TYPES_OF_CONSTANTS: [&str; 11] = [
    "Byte",
    "Character",
    "Integer",
    "Object",
    "Short",
    "String",
    "byte",
    "char",
    "int",
    "long",
    "short",
];

impl Linker<'_, '_> {
    fn infer_union(
        &self,
        file: &Rc<LinkedFile>,
        parts: &[ExprId],
        this: Option<&Type>,
    ) -> Option<Type> {
        if self.is_external_label(file, parts, this) {
            return Some(Type::External);
        }
        let parts = parts.iter().filter_map(|one| self.infer(file, *one, this));
        parts.reduce(Type::or)
    }

    /// Whether a value is a label of Java's `switch` over an external enum, which is one of its constants: `case FIELD:` over an `ElementType`, where
    /// the class around has a `FIELD`, too.
    fn is_external_label(
        &self,
        file: &Rc<LinkedFile>,
        parts: &[ExprId],
        this: Option<&Type>,
    ) -> bool {
        let [label, own] = parts else { return false };
        let (Expr::Member { object, .. }, Expr::Name { .. }) = (file.expr(*label), file.expr(*own))
        else {
            return false;
        };
        rules::of(file).is_java()
            && matches!(
                self.infer(file, *object, this),
                Some(Type::ExternalType(of)) if !TYPES_OF_CONSTANTS.contains(&&*of.name)
            )
    }
}

/// Whether an expression is a name for something: a chain of names, an imported name, a container type.
fn is_path(file: &LinkedFile, expr: ExprId) -> bool {
    let mut at = expr;
    loop {
        at = match file.expr(at) {
            Expr::Member { object, .. }
            | Expr::Element { object }
            | Expr::ComputedMember { object, .. } => *object,
            Expr::Fallback { other, .. } => *other,
            Expr::Name { .. }
            | Expr::Receiver { .. }
            | Expr::Super { .. }
            | Expr::Symbol(_)
            | Expr::Imported { .. }
            | Expr::Container { .. } => return true,
            // It is known by the first thing that it may be.
            Expr::Union(all) => match all.first() {
                Some(first) => *first,
                None => return false,
            },
            _ => return false,
        };
    }
}
