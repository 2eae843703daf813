//! External types, those outside the repository: known by their names and type arguments, as far as code names them.
//!
//! The methods of standard libraries are in `java_std`, `rust_std` and `dotnet_std`, smart pointers and containers of C++ in
//! `cpp_std`.

use std::borrow::Cow;
use std::rc::Rc;

use super::types::{ExternalType, Type};

impl ExternalType {
    /// Returns a type without type arguments.
    pub(super) fn plain(name: &str) -> Type {
        let name = name.rsplit('.').next().unwrap_or(name);
        Self::with(name, [])
    }

    /// The type with type arguments.
    pub(super) fn with_args(&self, args: Rc<[Option<Type>]>) -> Type {
        Type::ExternalType(Rc::new(Self {
            args,
            ..self.clone()
        }))
    }

    /// The type `name` with type arguments.
    pub(super) fn with(name: &str, args: impl Into<Rc<[Option<Type>]>>) -> Type {
        Type::ExternalType(Rc::new(Self {
            name: name.into(),
            module: None,
            args: args.into(),
        }))
    }

    /// The item `name` of an external module or type of Rust: `Duration` of `std::time`.
    pub(super) fn item_of(around: &Type, name: &str) -> Type {
        let module = match around {
            Type::ExternalType(around) => Some(around.path().into()),
            _ => None,
        };
        Type::ExternalType(Rc::new(Self {
            name: name.into(),
            module,
            args: Rc::default(),
        }))
    }

    /// Its path as far as code says it: `std::time::Duration`.
    pub(super) fn path(&self) -> Cow<'_, str> {
        match &self.module {
            Some(module) => Cow::Owned(format!("{module}::{}", self.name)),
            None => Cow::Borrowed(&self.name),
        }
    }

    /// Returns the element type of a container.
    pub(super) fn element(&self) -> Option<Type> {
        self.args.last()?.clone()
    }

    /// Returns a member: a method, or the value of a field.
    pub(super) fn member(self: &Rc<Self>, name: &str) -> Type {
        match name.strip_suffix("()") {
            Some(method) => Type::ExternalMethod(Rc::clone(self), method.into()),
            None => Self::plain(name),
        }
    }

    /// A method of a type without a name.
    pub(super) fn method_of_some(method: &str) -> Type {
        let of = Self {
            name: "".into(),
            module: None,
            args: Rc::default(),
        };
        Type::ExternalMethod(Rc::new(of), method.into())
    }

    /// The type argument at a place.
    pub(super) fn arg(&self, at: usize) -> Option<Type> {
        self.args.get(at)?.clone()
    }

    /// Whether no type argument is of the repository.
    pub(super) fn has_external_args(&self) -> bool {
        let is_external = |arg: &Option<Type>| arg.as_ref().is_some_and(Type::is_external);
        self.args.iter().all(is_external)
    }
}

impl std::fmt::Display for ExternalType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}
