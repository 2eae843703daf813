//! Keyword arguments: in `Store(size=1)` `size` is a field of the class where that defines no constructor, a parameter where the callee has
//! one of that name, and else unresolved.

use super::cache::Def;
use super::linker::Linker;
use super::lookup::{BoundUse, UseMeaning};
use super::types::Type;
use crate::ir::{ExprId, Reference, SymbolIdx};
use crate::model::{ModuleId, Provenance, SymbolKind};

/// The methods that make an object, in the order in which they are called.
const CONSTRUCTORS: [&str; 2] = ["__init__", "__new__"];

impl Linker<'_, '_> {
    /// Binds the name of an argument, `size` in `Store(size=1)`, to the attribute of a class that is made of its attributes: one that
    /// defines no constructor, such as a data class.
    pub(super) fn bind_keyword(&self, used: &Reference, callee: ExprId) -> UseMeaning {
        self.refuel();
        let name = self.file.facts.name(used);
        let Some(class @ Type::Definition(Def::Symbol(in_file, at))) =
            self.infer(&self.file, callee, None)
        else {
            return UseMeaning::KeywordArgument;
        };
        let constructs = |name: &&str| {
            self.member(&class, name)
                .is_some_and(|it| !it.is_external())
        };
        if self.kind(in_file, at) != Some(SymbolKind::Class) || CONSTRUCTORS.iter().any(constructs)
        {
            return UseMeaning::KeywordArgument;
        }
        match self.member(&class, name) {
            Some(Type::Definition(Def::Symbol(file, at)))
                if matches!(
                    self.kind(file, at),
                    Some(SymbolKind::Field | SymbolKind::Property)
                ) =>
            {
                UseMeaning::Bound(BoundUse {
                    to: (file, at),
                    provenance: Provenance::Member,
                })
            }
            _ => UseMeaning::KeywordArgument,
        }
    }

    /// Whether the name of an argument is that of a parameter: of the function that is called, or of a constructor of the class. One that
    /// takes any name, `def __init__(self, **kwargs)`, passes it on to the next base. Rests on signatures, which links do not.
    pub(super) fn is_parameter(&self, used: &Reference, callee: ExprId) -> bool {
        self.refuel();
        let name = self.file.facts.name(used);
        let Some(Type::Definition(Def::Symbol(in_file, at))) = self.infer(&self.file, callee, None)
        else {
            return false;
        };
        if self.kind(in_file, at) != Some(SymbolKind::Class) {
            return self.keyword_parameter_of((in_file, at), name) == KeywordParameter::Named;
        }
        for (file, class) in self.linearization(in_file, at).iter() {
            let Some(loaded) = self.cache.get(*file) else {
                return false;
            };
            for constructor in CONSTRUCTORS {
                for method in loaded.members(*class, constructor) {
                    match self.keyword_parameter_of((*file, *method), name) {
                        KeywordParameter::Named => return true,
                        KeywordParameter::Collected => {}
                        KeywordParameter::Unknown => return false,
                    }
                }
            }
        }
        false
    }

    fn keyword_parameter_of(
        &self,
        (file, at): (ModuleId, SymbolIdx),
        name: &str,
    ) -> KeywordParameter {
        let signature = self
            .cache
            .get(file)
            .and_then(|it| self.cache.signature_of(&it, at));
        signature.map_or(KeywordParameter::Unknown, |it| keyword_parameter(&it, name))
    }
}

/// The parameter of a function that an argument with a name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeywordParameter {
    /// A parameter of the name.
    Named,
    /// A parameter that collects all other names: `**kwargs`.
    Collected,
    /// No parameter, or one that the signature does not show.
    Unknown,
}

/// Finds the parameter for a name in a signature of Python: `def open(self, path: str, *, mode="r", **rest) -> File`.
fn keyword_parameter(signature: &str, name: &str) -> KeywordParameter {
    let Some((_, list)) = signature.split_once('(') else {
        return KeywordParameter::Unknown;
    };
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut is_collected = false;
    for (at, sign) in list.char_indices() {
        match (quote, sign) {
            (Some(open), _) if sign == open => quote = None,
            (None, '"' | '\'') => quote = Some(sign),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth > 0 => depth -= 1,
            (None, ',' | ')') if depth == 0 => {
                let parameter = list[start..at].trim();
                let end = parameter.find([':', '=']).unwrap_or(parameter.len());
                if parameter[..end].trim_end() == name {
                    return KeywordParameter::Named;
                }
                is_collected |= parameter.starts_with("**");
                start = at + 1;
                if sign == ')' {
                    break;
                }
            }
            _ => {}
        }
    }
    if is_collected {
        KeywordParameter::Collected
    } else {
        KeywordParameter::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::KeywordParameter::{Collected, Named, Unknown};
    use super::keyword_parameter;

    #[test]
    fn a_signature_names_its_parameters() {
        let head =
            "def open(self, path: str, *, mode=\"a, b)\", at: dict[str, int] = {}, **rest) -> File";
        for name in ["path", "mode", "at"] {
            assert_eq!(keyword_parameter(head, name), Named, "{name}");
        }
        for name in ["str", "b", "rest", "int"] {
            assert_eq!(keyword_parameter(head, name), Collected, "{name}");
        }
        assert_eq!(keyword_parameter("def open(self, path", "mode"), Unknown);
        assert_eq!(keyword_parameter("def open(self)", "mode"), Unknown);
    }
}
