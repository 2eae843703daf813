//! External types of Rust that dereference to what they contain: `store.open()` of `store: Arc<Store>` is a method of `Store`.
//!
//! Of other external types that a type of the repository is given to it is not known whether they do: no member of theirs that
//! the given type has too is proven to be external. Results of methods are in `rust_std`.

use super::cache::Def;
use super::file::Access;
use super::linker::Linker;
use super::rust_std;
use super::types::{ExternalType, Type};
use crate::model::{BuiltinSet, BuiltinTable, SymbolFlags};

/// Types that dereference to their contents.
static TRANSPARENT: BuiltinSet = BuiltinSet::new(
    "Rust: types that dereference",
    "Arc AsMut AsRef Box CachePadded Cow Data Deref DerefMut Extension Guard Into Json LazyCell LazyLock Lazy \
     ManuallyDrop MappedMutexGuard MutexGuard OwnedMutexGuard Pin PeekMut Rc Ref RefMut RwLockReadGuard RwLockWriteGuard \
     ThinBox ToOwned UniqueRc",
);

/// Types that dereference to their contents and have common names, with the crates whose types of that name do.
static TRANSPARENT_OF_CRATES: BuiltinTable<&[&str]> = BuiltinTable::new(
    "Rust: types of crates that dereference",
    &[
        (&["axum", "rocket", "tauri"], "State"),
        (&["actix_web", "axum", "rocket"], "Form"),
        (&["actix_web", "axum"], "Path Query"),
        (&["actix_web"], "Header ReqData"),
        (&["axum_extra"], "TypedHeader"),
        (
            &["bevy", "bevy_ecs"],
            "Local Mut NonSend NonSendMut Res ResMut Single",
        ),
    ],
);

/// Types that contain values and never dereference to them, beside those of [`rust_std`].
static OPAQUE: BuiltinSet = BuiltinSet::new(
    "Rust: types that do not dereference",
    "AtomicPtr Bound BufReader BufWriter LineWriter MaybeUninit NonNull Range RangeFrom RangeInclusive Reverse \
     Saturating SyncSender Wrapping",
);

/// Methods of these types themselves, which come before those of their contents.
fn is_own_method(of: &ExternalType, name: &str) -> bool {
    match &*of.name {
        "Arc" | "Rc" => name == "clone()",
        "Data" => matches!(name, "clone()" | "into_inner()" | "get_ref()"),
        "Extension" | "Form" | "Header" | "Json" | "Path" | "Query" | "ReqData" | "State"
        | "TypedHeader" => matches!(name, "into_inner()" | "inner()" | "0"),
        _ => false,
    }
}

impl ExternalType {
    pub(super) fn is_transparent(&self) -> bool {
        let is_of_crate = || {
            let crates = TRANSPARENT_OF_CRATES.get(&self.name)?;
            let root = self.module.as_deref()?.split("::").next()?;
            Some(crates.contains(&root))
        };
        TRANSPARENT.has(&self.name) || is_of_crate() == Some(true)
    }

    /// Whether it is known not to dereference to what it is given.
    fn is_opaque(&self) -> bool {
        OPAQUE.has(&self.name) || rust_std::holds(&self.name)
    }
}

impl Linker<'_, '_> {
    /// The member of the contents of a type that dereferences to them.
    pub(super) fn pointed_member(&self, of: &ExternalType, name: &str) -> Option<Type> {
        if of.args.is_empty() || !of.is_transparent() || is_own_method(of, name) {
            return None;
        }
        // `Ref<Key, Value>` of a map.
        let is_of_map = of.args.len() == 2 && matches!(&*of.name, "Ref" | "RefMut");
        let inner = of.arg(usize::from(is_of_map))?;
        let found = self.declared(&inner, Access::Name(name))?;
        let is_reached = match &found {
            Type::Callable(_) => false,
            found if found.is_external() => name != "clone()",
            // `Arc::<Store>::default()` makes a `Store`, `Arc::<Store>::new(store)` calls none of its functions.
            found => name == "default()" || !self.is_static(found),
        };
        is_reached.then_some(found)
    }

    /// A member of an external type that is not known to dereference, as one of which nothing is known, where a type of the
    /// repository that it is given has such a member: `page.open()` of `page: Page<Store>`.
    pub(super) fn member_behind(&self, of: &ExternalType, name: &str) -> Option<Type> {
        (!of.is_transparent() && self.may_reach(of, name)).then(Type::unknown)
    }

    fn may_reach(&self, of: &ExternalType, name: &str) -> bool {
        if of.args.is_empty() || of.is_opaque() || self.step().is_none() {
            return false;
        }
        of.args.iter().flatten().any(|inner| match inner {
            Type::ExternalType(inner) => self.may_reach(inner, name),
            inner if inner.is_external() => false,
            inner => match self.declared(inner, Access::Name(name)) {
                Some(Type::Callable(_)) | None => false,
                Some(found) => !found.is_external() && !self.is_static(&found),
            },
        })
    }

    /// Whether a definition is a function without a receiver, which no value has.
    fn is_static(&self, found: &Type) -> bool {
        let Type::Definition(Def::Symbol(file, at)) = found else {
            return false;
        };
        let loaded = self.cache.get(*file);
        loaded.is_some_and(|it| {
            let symbol = it.symbol(*at);
            symbol.kind.is_function() && symbol.flags.contains(SymbolFlags::STATIC)
        })
    }
}
