//! Overloads: of several methods of one name the one that takes the arguments of a call.
//!
//! By the number of arguments, then by those whose types are evident, as far as code shows them: a literal, `new A()`, a
//! declared variable. Methods of a class come before those of its bases, methods with a fixed number of parameters
//! before those that take any number (The Java Language Specification, 15.12.2; the C# language specification, 12.6.4). In C#
//! extension methods come last. Functions of C++ are in `cpp_overloads`.

use std::rc::Rc;

use super::cache::Def;
use super::csharp_delegates::LAMBDA;
use super::dotnet_bases::ImplicitConversion;
use super::file::{Access, LinkedFile};
use super::fits::{
    ANY_OBJECT, BOXES, CONVERTED, DISTANT_BASE, EXACT, Fit, POSSIBLE, SAME_SHAPE, SIMILAR, UNKNOWN,
    WEAKLY_CONVERTED, is_boxed, is_primitive, unboxed, widened,
};
use super::java_fits::{
    fit_of_external, is_literal, is_primitive_type, is_same_erasure, may_be_array_of_objects,
    needs_boxing,
};
use super::java_lambdas::ShapeFit;
use super::linker::Linker;
use super::rules;
use super::types::{ExternalType, Type};
use crate::ir::{ANONYMOUS, Expr, ExprId, PathId, Slot, SymbolIdx};
use crate::model::{ModuleId, SymbolFlags, SymbolKind};

/// How many methods of one name are compared.
const MAX_CANDIDATES: usize = 64;

/// A method, by its file and place.
type Method = (ModuleId, SymbolIdx);

/// An argument of a call.
#[derive(Clone)]
struct Argument<'n> {
    /// The parameter that it is written for: `open(size: 3)`.
    name: Option<&'n str>,
    type_: Option<Type>,
}

/// How well a method takes the arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MethodFit {
    /// The higher, the better.
    sum: u32,
    /// That of the argument that fits worst; [`EXACT`] without arguments.
    least: u32,
}

/// A phase of the choice among overloads (JLS 15.12.2): the first one in which a method takes the arguments decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Each value as it is.
    Strict,
    /// Values go into boxes and come out of them.
    Loose,
    /// The last parameter takes any number of values.
    Variadic,
}

impl Linker<'_, '_> {
    /// Returns of the methods that share the name of `found`, in its class and the bases of that, the one that takes these
    /// type arguments and arguments; `found` where none is known to. `object` is the receiver of the method.
    pub(super) fn select_overload(
        &self,
        found: Type,
        object: Option<&Type>,
        file: &Rc<LinkedFile>,
        (types, args): (&[ExprId], &[ExprId]),
        this: Option<&Type>,
    ) -> Type {
        let (found, is_undecided) = if self.rules().has_includes {
            self.included_overload(found, file, args, this)
        } else {
            let was_extension = self.is_extension_call(&found, object);
            let (found, is_undecided) =
                self.select_by_arguments(found, object, file, (types.len(), args), this);
            // The receiver stands among the arguments of an extension method.
            let n_before = usize::from(was_extension && !args.is_empty());
            let found = if self.is_extension_call(&found, object) {
                self.unless_hidden(found, object, (file, &args[n_before..]))
            } else {
                found
            };
            (found, is_undecided)
        };
        self.is_undecided.set(is_undecided);
        found
    }

    /// As [`Self::select_overload`], with whether the arguments fit others as well.
    #[expect(
        clippy::too_many_lines,
        reason = "one pass, whose steps are read in order"
    )]
    fn select_by_arguments(
        &self,
        found: Type,
        object: Option<&Type>,
        file: &Rc<LinkedFile>,
        (n_types, args): (usize, &[ExprId]),
        this: Option<&Type>,
    ) -> (Type, bool) {
        let Type::Definition(Def::Symbol(in_file, at)) = found else {
            return (found, false);
        };
        let Some(loaded) = self.cache.get(in_file) else {
            return (found, false);
        };
        let kind = loaded.symbol(at).kind;
        let is_constructor = kind == SymbolKind::Constructor && !self.rules().is_csharp();
        if kind != SymbolKind::Method && !is_constructor {
            return (found, false);
        }
        let args = args.iter().map(|arg| self.argument_of(file, *arg, this));
        let args: Vec<Argument<'_>> = args.collect();
        let held = object.and_then(|it| self.member_value_type(it));
        let object = match &held {
            Some(held) if rules::of(&loaded).is_csharp() => Some(held),
            _ => object,
        };
        let own = loaded.overloads(at);
        let is_extension = self.is_extension_call(&found, object);
        let has_types = |method: &Method| {
            n_types == 0 || !rules::of(&loaded).counts_type_params || self.arity(*method) == n_types
        };
        let fit_of_only = || self.fit_of_method((in_file, at), object, &args, Phase::Loose);
        let only_fit = (own.len() == 1 && !is_extension && has_types(&(in_file, at)))
            .then(fit_of_only)
            .flatten();
        if let Some(fit) = only_fit
            && (fit.least == EXACT || is_constructor || !rules::of(&loaded).is_java())
        {
            return (found, false);
        }
        let of_own_class = || own.iter().map(|at| (in_file, *at)).collect();
        let mut all = match object.filter(|_| is_extension) {
            // Those of a base are called by `super(…)` alone.
            _ if is_constructor => of_own_class(),
            Some(object) => {
                let mut all = self.extensions_for(file, object, &loaded.lookup_name(at));
                if all.is_empty() {
                    // Its name alone tells the method: another one is meant where it does not take the arguments.
                    all = of_own_class();
                    all.retain(|it| self.takes_some(*it, args.len()));
                    if all.is_empty() {
                        let method = &loaded.symbol(at).name;
                        return (Self::usual_method(object, method), false);
                    }
                }
                all
            }
            None => self.methods_like(&loaded, at),
        };
        if rules::of(&loaded).is_csharp() {
            self.retain_by_arity(&mut all, n_types, &args);
        }
        // Where no member takes the arguments, a method that takes the object as its first one is meant.
        let extended = object.filter(|_| !is_extension && rules::of(&loaded).has_extension_methods);
        let extension = || {
            let object = extended?;
            let mut others = self.extensions_for(file, object, &loaded.lookup_name(at));
            self.retain_by_arity(&mut others, n_types, &args);
            let receiver = Argument {
                name: None,
                type_: Some(object.clone()),
            };
            let with_object: Vec<Argument<'_>> = std::iter::once(receiver)
                .chain(args.iter().cloned())
                .collect();
            self.best_of(&others, Some(object), &with_object)
        };
        match all.as_slice() {
            [] => return (found, false),
            [only] => {
                let takes = |phase| self.fit_of_method(*only, extended, &args, phase).is_some();
                let is_taken = || {
                    extended.is_none()
                        || has_types(only) && (takes(Phase::Loose) || takes(Phase::Variadic))
                };
                if !is_taken()
                    && let Some(found) = extension()
                {
                    return found;
                }
                let is_another = !self.takes_some(*only, args.len());
                let method = &loaded.symbol(at).name;
                if is_another && is_extension && ExternalType::is_usual_method(method) {
                    let found = object.map(|it| Self::usual_method(it, method));
                    return (found.unwrap_or(Type::unknown()), false);
                }
                let is_another = is_another && self.may_inherit_overloads(*only);
                let only = Type::Definition(Def::Symbol(only.0, only.1));
                // The base may have it, or the method has got other parameters than its calls.
                return (if is_another { Type::unknown() } else { only }, false);
            }
            _ => {}
        }
        if !all.iter().any(has_types)
            && let Some(found) = extension()
        {
            return found;
        }
        if let Some((best, is_undecided)) = self.best_of(&all, object, &args) {
            // In Java methods of a class and of its bases are compared alike. Where its own and one of a base may be meant, neither
            // is known to have no use.
            if only_fit.is_some() && (is_undecided || best != found) {
                return (Type::unknown(), false);
            }
            return (best, is_undecided);
        }
        if let Some(found) = extension() {
            return found;
        }
        // None fits by what is known of the types: the number of arguments decides.
        let has_arity = |(in_file, at): &&Method| {
            let loaded = self.cache.get(*in_file);
            loaded.is_some_and(|it| takes_number(&it, *at, args.len()))
        };
        let mut by_arity = all.iter().filter(has_arity);
        match by_arity.next() {
            Some(first) => (
                Type::Definition(Def::Symbol(first.0, first.1)),
                by_arity.any(|other| self.differ(*first, *other)),
            ),
            None if all.iter().any(|it| self.may_inherit_overloads(*it)) => {
                (Type::unknown(), false)
            }
            None => (found, true),
        }
    }

    /// Returns the method of .NET that a call names where no extension method of the repository takes its arguments: the one of LINQ in
    /// `rows.First(row => row.IsOpen)` beside `First(this List<Row> rows)`. [`Type::unknown`] where .NET has none that is known.
    fn usual_method(object: &Type, method: &str) -> Type {
        let is_usual = ExternalType::is_usual_method(method);
        match object {
            Type::ExternalType(of) if is_usual => {
                Type::ExternalMethod(Rc::clone(of), method.into())
            }
            Type::Container(_, element) if is_usual => {
                match ExternalType::with("Array", [Some((**element).clone())]) {
                    Type::ExternalType(of) => Type::ExternalMethod(of, method.into()),
                    other => other,
                }
            }
            _ => Type::unknown(),
        }
    }

    /// Returns an argument of a call, with its name where it is written.
    fn argument_of<'f>(
        &self,
        file: &'f Rc<LinkedFile>,
        arg: ExprId,
        this: Option<&Type>,
    ) -> Argument<'f> {
        Argument {
            name: match file.expr(arg) {
                Expr::Named { name, .. } => Some(file.facts.exprs.name_of(*name)),
                _ => None,
            },
            type_: self.argument_type(file, arg, this),
        }
    }

    fn argument_type(
        &self,
        file: &Rc<LinkedFile>,
        arg: ExprId,
        this: Option<&Type>,
    ) -> Option<Type> {
        let found = self.infer(file, arg, this)?;
        // A bare name means a value: an external one has the type of its declaration, not its own name.
        let is_bare = matches!(file.expr(arg), Expr::Name { .. });
        if is_bare && !rules::of(file).has_method_values && found.is_external() {
            return Some(Type::External);
        }
        let is_member = matches!(file.expr(arg), Expr::Member { .. });
        if is_member && self.rules().is_java() && found.is_external() {
            return Some(self.external_constant(file, arg, this));
        }
        self.member_value_type(&found)
    }

    /// Of several methods the one that fits the arguments best, and whether others fit them as well; `None` where none does.
    fn best_of(
        &self,
        all: &[Method],
        object: Option<&Type>,
        args: &[Argument<'_>],
    ) -> Option<(Type, bool)> {
        let phases = [Phase::Strict, Phase::Loose, Phase::Variadic];
        let has_strict = self.rules().is_java();
        let mut unproved: Option<(Type, bool)> = None;
        for phase in &phases[usize::from(!has_strict)..] {
            let mut best: Vec<(MethodFit, Method)> = Vec::new();
            for method in all {
                let compare = || self.fit_of_method(*method, object, args, *phase);
                let fit = if has_strict {
                    compare()
                } else {
                    self.of_overload(compare)
                };
                if let Some(fit) = fit {
                    let known = best.first().map(|(known, _)| known.sum);
                    if known.is_none_or(|known| fit.sum > known) {
                        best.clear();
                    }
                    if known.is_none_or(|known| fit.sum >= known) {
                        best.push((fit, *method));
                    }
                }
            }
            let [(fit, first), others @ ..] = best.as_slice() else {
                continue;
            };
            let mut others = others.iter();
            // Without a step left the types of some parameters were not read. In Java the phases decide then.
            let is_undecided = !has_strict && !self.has_fuel()
                || others.any(|(_, other)| {
                    let is_level = !self.rules().counts_type_params
                        || self.arity(*first) == self.arity(*other);
                    is_level && self.differ(*first, *other)
                });
            let is_possible_alone = fit.least == POSSIBLE && self.rules().is_java();
            let first = Type::Definition(Def::Symbol(first.0, first.1));
            match &unproved {
                None if is_possible_alone && *phase != Phase::Variadic => {
                    unproved = Some((first, is_undecided));
                }
                None => return Some((first, is_undecided)),
                // That an argument fits one of an earlier phase is not known, and it is known of this one.
                Some((earlier, _)) if *earlier != first && fit.least >= DISTANT_BASE => {
                    return Some((first, true));
                }
                Some(_) => {}
            }
        }
        unproved
    }

    /// Whether a method takes so many arguments, in any form.
    fn takes_some(&self, (in_file, at): Method, n_args: usize) -> bool {
        let loaded = self.cache.get(in_file);
        loaded.is_none_or(|it| takes_number(&it, at, n_args) || takes_more(&it, at, n_args))
    }

    /// Whether a class above that of a method is external, which may have further methods of the name.
    fn may_inherit_overloads(&self, (in_file, at): Method) -> bool {
        let Some(loaded) = self.cache.get(in_file) else {
            return false;
        };
        let class = loaded.symbol(at).parent;
        class.is_some_and(|class| self.classes_from(&loaded, class, &loaded.lookup_name(at)).1)
    }

    /// Whether two methods are overloads, not one method that is declared in a class and in its base: a parameter of theirs has
    /// different types. In Java two methods of one class always are.
    pub(super) fn differ(&self, one: Method, other: Method) -> bool {
        let class_of =
            |(in_file, at): Method| Some((in_file, self.cache.get(in_file)?.symbol(at).parent?));
        if !self.rules().is_csharp() && class_of(one).is_some_and(|it| Some(it) == class_of(other))
        {
            return one != other;
        }
        let type_of = |(in_file, at): Method, index: u8| {
            let loaded = self.cache.get(in_file)?;
            let value = loaded.value(at, Slot::Param(index))?;
            let is_type_param = matches!(loaded.expr(value), Expr::TypeParam { .. });
            Some((self.infer(&loaded, value, None), is_type_param))
        };
        let is_java = self.rules().is_java();
        (0..u8::MAX)
            .map(|index| (type_of(one, index), type_of(other, index)))
            .take_while(|(one, other)| one.is_some() || other.is_some())
            .filter_map(|(one, other)| Some((one?, other?)))
            .any(|(one, other)| match (&one.0, &other.0) {
                // `set(Row row)` overrides `set(T row)`.
                _ if is_java && (one.1 || other.1) => {
                    let is_number = |it: &Option<Type>| it.as_ref().is_some_and(is_primitive_type);
                    is_number(&one.0) || is_number(&other.0)
                }
                (Some(one), Some(other)) if is_java => !is_same_erasure(one, other),
                (Some(one), Some(other)) => one != other,
                _ => false,
            })
    }

    /// The number of parameters of a method.
    pub(super) fn n_params_of(&self, (in_file, at): Method) -> Option<usize> {
        Some(n_params(&*self.cache.get(in_file)?, at))
    }

    /// Returns the methods of the name of one, from its class on upwards.
    pub(super) fn methods_like(&self, loaded: &Rc<LinkedFile>, at: SymbolIdx) -> Vec<Method> {
        let Some(class) = loaded.symbol(at).parent else {
            return vec![(loaded.file, at)];
        };
        let name = loaded.lookup_name(at);
        let mut all = Vec::new();
        for (in_file, class) in self.classes_from(loaded, class, &name).0 {
            if !self.cache.may_have_member((in_file, class), &name) {
                continue;
            }
            let Some(loaded) = self.cache.get(in_file) else {
                continue;
            };
            for method in loaded.members(class, &name) {
                if loaded.symbol(*method).kind == SymbolKind::Method && all.len() < MAX_CANDIDATES {
                    all.push((in_file, *method));
                }
            }
        }
        all
    }

    /// The number of type parameters of a method.
    fn arity(&self, (in_file, at): Method) -> usize {
        self.cache.get(in_file).map_or(0, |it| it.arity(at))
    }

    /// Whether a call that writes no type arguments can tell those of a method: each type parameter is in the type of a parameter.
    /// The parameters of a lambda tell none.
    fn infers_type_args(&self, (in_file, at): Method, has_lambda: bool) -> bool {
        let n_types = self.arity((in_file, at));
        if n_types == 0 {
            return true;
        }
        let Some(loaded) = self.cache.get(in_file) else {
            return true;
        };
        let mut is_told = vec![false; n_types];
        for index in 0..n_params(&loaded, at) {
            let slot = Slot::Param(u8::try_from(index).unwrap_or(u8::MAX));
            let mut open: Vec<ExprId> = loaded.value(at, slot).into_iter().collect();
            while let Some(expr) = open.pop() {
                if let Expr::TypeParam { owner, index, .. } = loaded.expr(expr)
                    && *owner == at
                    && let Some(told) = is_told.get_mut(usize::from(*index))
                {
                    *told = true;
                }
                let results = delegate_results(&loaded, expr).filter(|_| has_lambda);
                match results {
                    Some(results) => open.extend(results),
                    None => loaded.expr(expr).each_part(|part| open.push(part)),
                }
            }
        }
        is_told.into_iter().all(|it| it)
    }

    /// Leaves out methods with another number of type parameters than a call writes; where it writes none, one without type parameters
    /// comes first.
    fn retain_by_arity(&self, all: &mut Vec<Method>, n_types: usize, args: &[Argument<'_>]) {
        if n_types > 0 {
            let has_it = all.iter().any(|it| self.arity(*it) == n_types);
            all.retain(|it| !has_it || self.arity(*it) == n_types);
        } else {
            let is_lambda = |arg: &Argument<'_>| matches!(&arg.type_, Some(Type::ExternalType(of)) if &*of.name == LAMBDA);
            let has_lambda = args.iter().any(is_lambda);
            let told = all.iter().map(|it| self.infers_type_args(*it, has_lambda));
            let told: Vec<bool> = told.collect();
            if told.contains(&true) {
                let mut told = told.into_iter();
                all.retain(|_| told.next() == Some(true));
            }
            // In its plain form one that takes any number comes after the others.
            all.sort_by_key(|it| {
                let loaded = self.cache.get(it.0);
                let takes_any = loaded.is_some_and(|loaded| is_variadic(&loaded, it.1));
                (takes_any, self.arity(*it) > 0)
            });
        }
    }

    /// Whether a value can be the receiver of a method that takes it as its first argument.
    pub(super) fn receives(&self, object: &Type, param: Option<&Type>) -> bool {
        let Some(param) = param else {
            // A type parameter without a bound.
            return true;
        };
        if let Type::Union(all) = param {
            return all.iter().all(|one| self.receives(object, Some(one)));
        }
        match (object, param) {
            (Type::ExternalType(object), Type::ExternalType(param)) => {
                object.converts_to(param) == ImplicitConversion::Likely
                    && (object.name != param.name || self.type_args_fit(object, param, 0))
            }
            (Type::Container(_, element), Type::ExternalType(param))
                if is_sequence(&param.name)
                    && param.element().is_some_and(|wanted| {
                        self.fit(Some(element), Some(&wanted), 1).is_none()
                    }) =>
            {
                false
            }
            (Type::External, Type::ExternalType(param)) => &*param.name == "object",
            (_, Type::External) => false,
            _ => self
                .fit(Some(object), Some(param), 0)
                .is_some_and(|fit| fit > 0),
        }
    }

    fn fit_of_method(
        &self,
        (in_file, at): Method,
        object: Option<&Type>,
        args: &[Argument<'_>],
        phase: Phase,
    ) -> Option<MethodFit> {
        let loaded = self.cache.get(in_file)?;
        let is_variadic = phase == Phase::Variadic;
        let n_params = n_params(&loaded, at);
        let places = param_indexes(&loaded, at, args, is_variadic)?;
        let mut sum = 0;
        let mut least = EXACT;
        for (arg, index) in args.iter().zip(places) {
            let is_rest = is_variadic && index + 1 >= n_params;
            let index = index.min(n_params.checked_sub(1)?);
            let slot = Slot::Param(u8::try_from(index).ok()?);
            let value = loaded.value(at, slot)?;
            let mut param = self.infer(&loaded, value, object);
            if is_rest && let Some(Type::Container(_, element)) = &param {
                param = Some((**element).clone());
            }
            let (arg, param) = (arg.type_.as_ref(), param.as_ref());
            let is_boxed_array = param.is_none()
                && matches!(loaded.expr(value), Expr::Container { .. })
                && !may_be_array_of_objects(arg);
            let is_refused = phase == Phase::Strict && needs_boxing(arg, param)
                || !is_rest && self.rules().is_java() && is_boxed_array;
            if is_refused {
                return None;
            }
            let fit = self.fit(arg, param, 0)?;
            sum += fit;
            least = least.min(fit);
        }
        // One whose parameters are all given is better than one that leaves some out.
        let is_whole = args.len() == n_params;
        let sum = sum * 2 + u32::from(is_whole);
        Some(MethodFit { sum, least })
    }

    /// Returns how well a value fits a type.
    pub(super) fn fit(&self, arg: Option<&Type>, param: Option<&Type>, depth: usize) -> Fit {
        if depth > 8 {
            return Some(UNKNOWN);
        }
        let (Some(arg), Some(param)) = (arg, param) else {
            // A type parameter takes any object, and a primitive value in a box.
            return Some(UNKNOWN);
        };
        if arg == param {
            return Some(EXACT);
        }
        let is_method = |arg: &Type| matches!(arg, Type::Definition(Def::Symbol(file, at)) if self.kind(*file, *at) == Some(SymbolKind::Method));
        if self.rules().is_csharp() {
            if let Some(fit) = fit_of_tuples(arg, param) {
                return fit;
            }
            if is_method(arg) && !matches!(param, Type::Union(_) | Type::External) {
                return self.fit_of_lambda(&self.shape_of_method(arg), param);
            }
            if let Type::ExternalType(lambda) = arg
                && &*lambda.name == LAMBDA
                && !matches!(param, Type::Union(_) | Type::External)
            {
                return self.fit_of_lambda(lambda, param);
            }
            if let (Type::ExternalType(arg), Type::ExternalType(param)) = (arg, param)
                && arg.name == param.name
                && !self.type_args_fit(arg, param, depth)
            {
                return None;
            }
        }
        if let Some(fit) = self.fit_of_shape(arg, param)
            && !self.rules().is_csharp()
        {
            return match fit {
                ShapeFit::Fits(fit) => Some(fit),
                ShapeFit::Refused => None,
            };
        }
        match (arg, param) {
            (Type::Union(all), _) => all
                .iter()
                .map(|one| self.fit(Some(one), Some(param), depth + 1))
                .max()
                .flatten(),
            (_, Type::Union(_) | Type::External) => Some(UNKNOWN),
            (Type::External | Type::ExternalMethod(..), param) => {
                Some(if param.symbol().is_some() {
                    POSSIBLE
                } else {
                    UNKNOWN
                })
            }
            (Type::ExternalType(arg), Type::ExternalType(param)) => {
                let is_refused = self.rules().is_csharp() && arg.is_no_sequence(param);
                if is_refused {
                    None
                } else if self.rules().is_java() && !is_literal(arg) {
                    fit_of_external(arg, param)
                } else {
                    external_fit(arg, param)
                }
            }
            (Type::Container(_, arg), Type::Container(_, param)) => {
                self.fit_of_elements(arg, param, depth)
            }
            (Type::Container(..), Type::ExternalType(param)) if is_sequence(&param.name) => {
                Some(SIMILAR)
            }
            (Type::Container(..), Type::ExternalType(param)) => {
                is_object(&param.name).then_some(ANY_OBJECT)
            }
            (Type::ExternalType(arg), Type::Container(..)) => {
                (&*arg.name == "null").then_some(CONVERTED)
            }
            (Type::Container(..), _) | (_, Type::Container(..)) => None,
            (Type::ExternalType(arg), _) => match &*arg.name {
                "null" | "lambda" => Some(CONVERTED),
                name if is_primitive(name) || is_plain(name) => None,
                _ => Some(POSSIBLE),
            },
            (_, Type::ExternalType(param)) => match &*param.name {
                name if is_object(name) => Some(ANY_OBJECT),
                name if is_primitive(name) || is_plain(name) => None,
                name if self.rules().is_java() => self.fit_to_external_class(arg, name, depth),
                name => self
                    .extends_external(arg, name, depth)
                    .then_some(SIMILAR)
                    .or(Some(POSSIBLE)),
            },
            _ => self.subclass_fit(arg, param),
        }
    }
}

/// Of a type `Func<A, B>` or `Action<A>` the types of its results; `None` for any other.
fn delegate_results(loaded: &LinkedFile, expr: ExprId) -> Option<Vec<ExprId>> {
    let Expr::Specialized { base, args } = loaded.expr(expr) else {
        return None;
    };
    let Expr::Name { name, .. } = loaded.expr(*base) else {
        return None;
    };
    let name = loaded.facts.exprs.name_of(*name);
    match name.split('`').next().unwrap_or(name) {
        "Func" | "Converter" => Some(args.last().copied().into_iter().collect()),
        "Action" | "Predicate" | "Comparison" => Some(Vec::new()),
        _ => None,
    }
}

/// Returns the number of parameters of a method.
pub(super) fn n_params(loaded: &LinkedFile, at: SymbolIdx) -> usize {
    let has = |index: usize| {
        let slot = Slot::Param(u8::try_from(index).unwrap_or(u8::MAX));
        let path = loaded.below(PathId::EMPTY, slot);
        path.is_some() && loaded.values(Some(at), path).next().is_some()
    };
    (0..255).take_while(|index| has(*index)).count()
}

/// Returns the parameter of each argument, by its place or by its name; `None` where the method does not take them.
fn param_indexes(
    loaded: &LinkedFile,
    at: SymbolIdx,
    args: &[Argument<'_>],
    is_variadic: bool,
) -> Option<Vec<usize>> {
    let n_params = n_params(loaded, at);
    let is_taken = if is_variadic {
        takes_more(loaded, at, args.len())
    } else {
        takes_number(loaded, at, args.len())
    };
    let by_place = || is_taken.then(|| (0..args.len()).collect());
    if args.iter().all(|arg| arg.name.is_none()) {
        return by_place();
    }
    let param_path = |index: usize| {
        let slot = Slot::Param(u8::try_from(index).unwrap_or(u8::MAX));
        loaded.below(PathId::EMPTY, slot)
    };
    let is_named = |index: usize, name: &str| {
        let path = param_path(index).and_then(|path| loaded.member_path(path, Access::Name(name)));
        path.is_some() && loaded.values(Some(at), path).next().is_some()
    };
    let names = args.iter().filter_map(|arg| arg.name);
    let is_known = |name: &str| (0..n_params).any(|index| is_named(index, name));
    if loaded.overloads(at).len() == 1 && !names.clone().any(is_known) {
        // Names are not kept of a method that is the only one of its name.
        return by_place();
    }
    let mut places = Vec::with_capacity(args.len());
    for (index, arg) in args.iter().enumerate() {
        let place = match arg.name {
            Some(name) => (0..n_params).find(|index| is_named(*index, name))?,
            None if index < n_params => index,
            None => return by_place(),
        };
        if places.contains(&place) {
            return None;
        }
        places.push(place);
    }
    let is_optional = |index: usize| {
        let path = param_path(index).and_then(|path| loaded.below(path, Slot::All));
        path.is_some() && loaded.values(Some(at), path).next().is_some()
            || is_variadic && index + 1 == n_params
    };
    (0..n_params)
        .all(|index| places.contains(&index) || is_optional(index))
        .then_some(places)
}

/// Whether a method takes a number of arguments; those for optional parameters may be missing.
fn takes_number(loaded: &LinkedFile, at: SymbolIdx, n_args: usize) -> bool {
    let n_params = n_params(loaded, at);
    let is_optional = |index: usize| {
        let slot = Slot::Param(u8::try_from(index).unwrap_or(u8::MAX));
        let path = loaded.below(PathId::EMPTY, slot);
        let path = path.and_then(|path| loaded.below(path, Slot::All));
        path.is_some() && loaded.values(Some(at), path).next().is_some()
    };
    n_args <= n_params && (n_args..n_params).all(is_optional)
}

/// Whether a method takes a number of arguments in the form that takes any number of the last one.
fn takes_more(loaded: &LinkedFile, at: SymbolIdx, n_args: usize) -> bool {
    is_variadic(loaded, at) && n_args + 1 >= n_params(loaded, at)
}

fn is_variadic(loaded: &LinkedFile, at: SymbolIdx) -> bool {
    let flags = loaded.symbol(at).flags;
    flags.contains(SymbolFlags::VARIADIC)
}

/// How well a tuple or an anonymous object fits where one of both has names of its own: by the number of items alone.
fn fit_of_tuples(arg: &Type, param: &Type) -> Option<Fit> {
    let n_items = |one: &Type| match one {
        Type::Tuple(items) => Some((items.len(), false)),
        Type::ExternalType(of) if of.name.starts_with(ANONYMOUS) => Some((of.args.len(), true)),
        _ => None,
    };
    match (n_items(arg), n_items(param)) {
        (Some((n, is_named)), Some((wanted, has_names))) if is_named || has_names => {
            Some((n == wanted).then_some(SAME_SHAPE))
        }
        (Some((_, true)), _) | (_, Some((_, true))) => Some(Some(UNKNOWN)),
        _ => None,
    }
}

/// Whether a type of the standard library takes arrays.
fn is_sequence(name: &str) -> bool {
    matches!(
        name,
        "Array"
            | "IEnumerable"
            | "ICollection"
            | "IList"
            | "IReadOnlyCollection"
            | "IReadOnlyList"
            | "ReadOnlyMemory"
            | "ReadOnlySpan"
            | "Memory"
            | "Span"
    )
}

fn external_fit(arg: &ExternalType, param: &ExternalType) -> Fit {
    let (arg, param) = (&*arg.name, &*param.name);
    if arg == param {
        return Some(EXACT);
    }
    match (arg, param) {
        ("null", param) => (!is_primitive(param)).then_some(if is_object(param) {
            WEAKLY_CONVERTED
        } else {
            CONVERTED
        }),
        ("lambda", param) => {
            (!is_primitive(param) && !is_plain(param) && !is_object(param)).then_some(CONVERTED)
        }
        _ if is_primitive(arg) && is_primitive(param) => widened(arg, param),
        _ if is_primitive(arg) => is_boxed(arg, param)
            .then_some(CONVERTED)
            .or(is_object(param).then_some(ANY_OBJECT)),
        _ if is_primitive(param) => unboxed(arg).and_then(|boxed| {
            let (class, arg) = (arg, boxed);
            if is_boxed(param, class) {
                Some(CONVERTED)
            } else {
                widened(arg, param).map(|_| WEAKLY_CONVERTED)
            }
        }),
        (_, "Object" | "object") => Some(ANY_OBJECT),
        ("String", "CharSequence") => Some(SAME_SHAPE),
        _ if is_plain(arg) => is_object(param).then_some(WEAKLY_CONVERTED),
        _ if is_plain(param) => Some(POSSIBLE),
        // A `FileStream` is a `Stream`.
        _ if arg.len() > param.len() && arg.ends_with(param) => Some(SIMILAR),
        _ => Some(UNKNOWN),
    }
}

/// Whether a class of the standard library has no classes below it.
fn is_plain(name: &str) -> bool {
    matches!(name, "String" | "Class" | "string") || BOXES.iter().any(|it| it.1 == name)
}

/// Whether a type of the standard library takes boxes, strings and more.
fn is_object(name: &str) -> bool {
    matches!(
        name,
        "Object"
            | "Number"
            | "Comparable"
            | "Serializable"
            | "CharSequence"
            | "Constable"
            | "object"
            | "IComparable"
            | "IConvertible"
            | "IFormattable"
            | "ValueType"
    )
}
