//! Instance methods of .NET's standard library, which hide extension methods of the repository: `list.AddRange(rows)` of a `List<Row>`
//! runs none of these, whatever it is called.
//!
//! Only methods that every version of .NET has stand here. The types of members are in `dotnet_std`.

use std::rc::Rc;

use super::cache::Def;
use super::csharp_delegates::LAMBDA;
use super::file::LinkedFile;
use super::linker::Linker;
use super::types::{ExternalType, Type};
use crate::ir::{ExprId, Slot, SymbolIdx};
use crate::model::{BuiltinTable, ModuleId, SymbolFlags};

/// Classes above one that are looked through for an external base.
const MAX_CLASSES: usize = 32;

/// The least and the greatest number of arguments of each method, by its type.
static INSTANCE_METHODS: BuiltinTable<(usize, usize)> = BuiltinTable::new(
    "C#: instance methods",
    &[
        (
            (0, 0),
            "Collection.Clear Dictionary.Clear HashSet.Clear IDictionary.Clear HashSet.TrimExcess List.AsReadOnly List.Clear List.ToArray \
             List.TrimExcess Queue.Clear Queue.Dequeue Queue.Peek Queue.ToArray Stack.Clear Stack.Peek Stack.Pop Stack.ToArray \
             Stream.Close Stream.Flush Stream.ReadByte StringBuilder.Clear Task.GetAwaiter string.ToLowerInvariant \
             string.ToUpperInvariant",
        ),
        ((0, 1), "Stream.FlushAsync StringBuilder.AppendLine"),
        ((0, 2), "List.Reverse StringBuilder.ToString Task.Wait"),
        ((0, 3), "List.Sort"),
        (
            (1, 1),
            "Collection.Add Collection.Contains Collection.IndexOf Collection.Remove Collection.RemoveAt \
             Dictionary.ContainsKey Dictionary.ContainsValue Dictionary.Remove HashSet.Add HashSet.Contains HashSet.ExceptWith \
             HashSet.IntersectWith HashSet.Overlaps HashSet.Remove HashSet.RemoveWhere HashSet.SetEquals \
             HashSet.SymmetricExceptWith HashSet.UnionWith IDictionary.Contains IDictionary.ContainsKey \
             IDictionary.Remove List.Add List.AddRange List.Contains List.ConvertAll List.Exists \
             List.Find List.FindAll List.FindLast List.ForEach List.Remove List.RemoveAll List.RemoveAt List.TrueForAll \
             Queue.Contains Queue.Enqueue Stack.Contains Stack.Push Stream.SetLength Stream.WriteByte Task.ConfigureAwait",
        ),
        (
            (1, 2),
            "IDictionary.Add Stream.CopyTo string.PadLeft string.PadRight string.Remove string.Substring",
        ),
        (
            (1, 3),
            "List.FindIndex List.FindLastIndex List.IndexOf List.LastIndexOf StringBuilder.Append Stream.CopyToAsync",
        ),
        ((1, 4), "List.BinarySearch List.CopyTo Task.ContinueWith"),
        (
            (2, 2),
            "Collection.CopyTo Collection.Insert Dictionary.Add Dictionary.TryGetValue IDictionary.CopyTo \
             IDictionary.TryGetValue List.GetRange List.Insert List.InsertRange \
             List.RemoveRange Stream.Seek StringBuilder.Remove string.Insert",
        ),
        ((2, 4), "StringBuilder.Insert StringBuilder.Replace"),
        ((2, 8), "StringBuilder.AppendFormat"),
        ((3, 3), "Stream.Read Stream.Write"),
        ((3, 4), "Stream.ReadAsync Stream.WriteAsync"),
    ],
);

/// Types whose instance methods are all known, each with the type under which these stand above.
static TYPES: BuiltinTable<&str> = BuiltinTable::new(
    "C#: types with known methods",
    &[
        (
            "Collection",
            "Collection ICollection IList KeyedCollection ObservableCollection",
        ),
        ("Dictionary", "Dictionary"),
        ("IDictionary", "IDictionary"),
        ("HashSet", "HashSet ISet"),
        ("List", "List"),
        ("Queue", "Queue"),
        ("Stack", "Stack"),
        ("Stream", "FileStream MemoryStream Stream"),
        ("StringBuilder", "StringBuilder"),
        ("Task", "Task"),
        ("string", "String string"),
    ],
);

/// The types under which methods stand above.
const FAMILIES: [&str; 11] = [
    "Collection",
    "Dictionary",
    "HashSet",
    "IDictionary",
    "List",
    "Queue",
    "Stack",
    "Stream",
    "StringBuilder",
    "Task",
    "string",
];

/// Those of them that take a function, or an element that may be one.
const TAKING_FUNCTIONS: [&str; 17] = [
    "Add",
    "ContinueWith",
    "ConvertAll",
    "Enqueue",
    "Exists",
    "Find",
    "FindAll",
    "FindIndex",
    "FindLast",
    "FindLastIndex",
    "ForEach",
    "Insert",
    "Push",
    "RemoveAll",
    "RemoveWhere",
    "Sort",
    "TrueForAll",
];

/// Methods that every object has, with the number of their arguments.
const OF_OBJECT: [(&str, usize); 4] = [
    ("Equals", 1),
    ("GetHashCode", 0),
    ("GetType", 0),
    ("ToString", 0),
];

/// Whether an external type has an instance method that takes a number of arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InstanceMethod {
    Present,
    /// Its methods are not known, and others have one of that name.
    Possible,
    Absent,
}

impl ExternalType {
    /// Whether it is a collection of the standard library that has an interface of sequences.
    pub(super) fn is_sequence_as(&self, interface: &str) -> bool {
        match TYPES.get(&self.name).copied() {
            Some("Collection" | "List") => Self::is_interface_of_sequences(interface),
            Some("Dictionary" | "HashSet" | "IDictionary") => {
                matches!(interface, "ICollection" | "IEnumerable")
            }
            Some("Queue" | "Stack") => interface == "IEnumerable",
            _ => false,
        }
    }

    fn instance_method(&self, method: &str, n_args: usize) -> InstanceMethod {
        match TYPES.get(&self.name) {
            Some(known) if has_method(known, method, n_args) => InstanceMethod::Present,
            Some(_) => InstanceMethod::Absent,
            // Whether it is a usual one was asked before.
            None => InstanceMethod::Possible,
        }
    }
}

/// Whether the types of a family have a method that takes a number of arguments.
fn has_method(family: &str, method: &str, n_args: usize) -> bool {
    let takes = INSTANCE_METHODS.get(&format!("{family}.{method}"));
    takes.is_some_and(|(least, most)| (*least..=*most).contains(&n_args))
}

impl Linker<'_, '_> {
    /// Returns the meaning of a call for which an extension method was found: a member of the receiver's external type hides it.
    /// [`Type::unknown`] where that type may have such a member. `args` are the arguments in the file that writes them.
    pub(super) fn unless_hidden(
        &self,
        found: Type,
        object: Option<&Type>,
        (file, args): (&Rc<LinkedFile>, &[ExprId]),
    ) -> Type {
        let Type::Definition(Def::Symbol(there, at)) = found else {
            return found;
        };
        let Some(loaded) = self.cache.get(there) else {
            return found;
        };
        let (extension, n_args) = ((there, at), args.len());
        let method = loaded.symbol(at).name.clone();
        if OF_OBJECT.contains(&(&method, n_args)) {
            return Type::External;
        }
        let is_usual = ExternalType::is_usual_method(&method);
        if !is_usual && !FAMILIES.iter().any(|it| has_method(it, &method, n_args)) {
            return found;
        }
        let Some(object) = object.and_then(|it| self.member_value_type(it)) else {
            return found;
        };
        if is_usual && object.symbol().is_some() && !self.is_for_inside(extension) {
            // Of a collection the methods of LINQ are hardly those of the repository that replace them in some builds.
            let mut bases = self.external_bases(&object).into_iter();
            if let Some(of) = bases.find(|of| of.is_sequence_as("IEnumerable")) {
                return Type::ExternalMethod(of, method.as_str().into());
            }
        }
        if !FAMILIES.iter().any(|it| has_method(it, &method, n_args)) {
            return found;
        }
        let is_lambda = |arg: &ExprId| matches!(self.infer(file, *arg, None), Some(Type::ExternalType(of)) if &*of.name == LAMBDA);
        if !TAKING_FUNCTIONS.contains(&method.as_str()) && args.iter().any(is_lambda) {
            return found;
        }
        let presence = match &object {
            Type::ExternalType(of) => self.presence_in(of, extension, (&method, n_args)),
            Type::External => InstanceMethod::Possible,
            _ => self.presence_above(&object, extension, (&method, n_args)),
        };
        // `AddRange(params Row[] rows)` may take what the member of that name does not.
        let takes_any = loaded.symbol(at).flags.contains(SymbolFlags::VARIADIC);
        match (presence, &object) {
            (InstanceMethod::Absent, _) => found,
            (InstanceMethod::Present, Type::ExternalType(of)) if !takes_any => {
                Type::ExternalMethod(Rc::clone(of), method.as_str().into())
            }
            (InstanceMethod::Present, _) if !takes_any => Type::External,
            _ => Type::unknown(),
        }
    }

    /// Whether an external type hides an extension method. One that is written for just this type is not hidden by a member that nobody
    /// knows of.
    fn presence_in(
        &self,
        of: &ExternalType,
        extension: (ModuleId, SymbolIdx),
        (method, n_args): (&str, usize),
    ) -> InstanceMethod {
        let presence = of.instance_method(method, n_args);
        let is_for_it = || matches!(self.receiver_of_extension(extension), Some(Type::ExternalType(param)) if param.name == of.name);
        match presence {
            InstanceMethod::Possible if is_for_it() => InstanceMethod::Absent,
            presence => presence,
        }
    }

    /// As [`Self::presence_in`], of the external bases of a type of the repository.
    fn presence_above(
        &self,
        object: &Type,
        extension: (ModuleId, SymbolIdx),
        call: (&str, usize),
    ) -> InstanceMethod {
        let bases = self.external_bases(object);
        let presences = bases.iter().map(|of| self.presence_in(of, extension, call));
        let presences: Vec<InstanceMethod> = presences.collect();
        if presences.contains(&InstanceMethod::Present) {
            InstanceMethod::Present
        } else if presences.contains(&InstanceMethod::Possible) && !self.is_for_inside(extension) {
            InstanceMethod::Possible
        } else {
            InstanceMethod::Absent
        }
    }

    /// Whether an extension method is written for a type of the repository, whose bases its author knew.
    fn is_for_inside(&self, extension: (ModuleId, SymbolIdx)) -> bool {
        let receiver = self.receiver_of_extension(extension);
        receiver.is_some_and(|it| it.symbol().is_some())
    }

    /// The external types that a type of the repository is built on, at any height.
    fn external_bases(&self, object: &Type) -> Vec<Rc<ExternalType>> {
        let mut seen: Vec<(ModuleId, SymbolIdx)> = object.symbol().into_iter().collect();
        let mut external = Vec::new();
        let mut next = 0;
        while let Some(class) = seen.get(next).copied() {
            next += 1;
            for (file, at) in self.all_parts(class) {
                let has_bases = self.cache.may_have_bases((file, at));
                let Some(loaded) = self.cache.get(file).filter(|_| has_bases) else {
                    continue;
                };
                for base in loaded.bases(at) {
                    let base = self.infer(&loaded, base, None);
                    if let Some(above) = base.as_ref().and_then(Type::symbol)
                        && !seen.contains(&above)
                        && seen.len() < MAX_CLASSES
                    {
                        seen.push(above);
                    }
                    if let Some(Type::ExternalType(of)) = base {
                        external.push(of);
                    }
                }
            }
        }
        external
    }

    /// The type of the first parameter of an extension method.
    fn receiver_of_extension(&self, (file, at): (ModuleId, SymbolIdx)) -> Option<Type> {
        let loaded = self.cache.get(file)?;
        self.infer(&loaded, loaded.value(at, Slot::Param(0))?, None)
    }
}
