//! Members of the classes around code, which it names without a receiver: `open()` for `this.open()`, also what is
//! inherited, and members of classes further out.

use std::rc::Rc;

use super::cache::Def;
use super::file::{Access, LinkedFile};
use super::java_std::has_usual_result;
use super::linker::Linker;
use super::rules;
use super::types::{ExternalType, Type};
use crate::ir::SymbolIdx;
use crate::model::{Family, SymbolKind};

/// A member, and its owner.
type Member = (Type, Option<Type>);

impl Linker<'_, '_> {
    /// Returns the meaning of a bare name in a language whose members are in scope: a member of the innermost class
    /// around that has it, else one that a static import takes, with its owner.
    pub(super) fn in_scope(
        &self,
        file: &Rc<LinkedFile>,
        scope: Option<SymbolIdx>,
        name: &str,
    ) -> Option<Member> {
        if rules::of(file).has_includes {
            return self.included_name(file, scope, name);
        }
        if !rules::of(file).members_in_scope {
            return None;
        }
        let mut external = None;
        let mut at = scope;
        while let Some(symbol) = at {
            let around = file.symbol(symbol);
            if around.kind.is_type() || around.kind == SymbolKind::EnumMember {
                let definition = Type::Definition(Def::Symbol(file.file, symbol));
                if around.name == name && around.kind.is_type() {
                    return Some((definition, None));
                }
                let receiver = definition.instance();
                let key = (file.file, symbol);
                if self.open_scopes.borrow().contains(&key) {
                    at = around.parent;
                    continue;
                }
                self.open_scopes.borrow_mut().push(key);
                let of_external_base = self.by_external_base.replace(false);
                let found = self.declared(&receiver, Access::Name(name));
                self.open_scopes.borrow_mut().pop();
                let is_own = !self.by_external_base.get() && !name.ends_with("()");
                self.by_external_base
                    .set(of_external_base || self.by_external_base.get());
                match found {
                    // A field that nobody writes, of an external type.
                    Some(found) if is_own => return Some((found, Some(receiver))),
                    Some(found) if !found.is_external() => return Some((found, Some(receiver))),
                    found => external = external.or(found),
                }
            }
            at = around.parent;
        }
        match self.statically_imported(file, name) {
            Some(found) if !found.0.is_external() => Some(found),
            found => {
                let is_method = name.ends_with("()");
                // A field or a type that an external class may have is rather one of the file.
                found.or_else(|| Some((external.filter(|_| is_method)?, None)))
            }
        }
    }

    /// Returns the member that a static import takes: `import static a.B.open`, `import static a.B.*`. One that names it goes before all
    /// wildcards, whether its class has the member or not.
    pub(super) fn statically_imported(&self, file: &Rc<LinkedFile>, name: &str) -> Option<Member> {
        let plain = name.strip_suffix("()").unwrap_or(name);
        let mut external = None;
        for wanted in [plain, "*"] {
            let mut is_missed = false;
            for at in &file.imports.static_members {
                let class = file.facts.imports[*at as usize].names.first();
                let Some(class) = class.filter(|it| it.local == wanted) else {
                    continue;
                };
                let Some(target) = file.target(*at) else {
                    // All of an external class: a method that is nowhere else is of it; a type or a field is rather one
                    // that is imported by name or of the package.
                    if wanted == plain || name.ends_with("()") {
                        // What it gives may be known by its name.
                        let found = if has_usual_result(plain) {
                            ExternalType::plain(plain)
                        } else {
                            Type::External
                        };
                        external = external.or(Some((found, None)));
                    }
                    continue;
                };
                let found = super::exports::imported(self.cache, target, &class.imported);
                let Some(found) = found.map(Type::Definition) else {
                    is_missed = true;
                    continue;
                };
                let member = self.declared(&found, Access::Name(name));
                if let Some(member) = member.filter(|it| !it.is_external())
                    && (wanted == plain || self.is_taken_by_wildcard(file, &member))
                {
                    return Some((member, Some(found)));
                }
                is_missed |= !self.has_member_named(&found, plain);
            }
            if is_missed && wanted == plain {
                break;
            }
        }
        external
    }

    /// Whether a class of the repository has a field, a type or a method of a name.
    fn has_member_named(&self, class: &Type, name: &str) -> bool {
        let called = format!("{name}()");
        let mut all = [name, &called].into_iter();
        all.any(|it| {
            let member = self.declared(class, Access::Name(it));
            member.is_some_and(|it| !it.is_external())
        })
    }

    /// Whether a file gets a member by `import static a.B.*`: in Java those that are static and not hidden from its package.
    fn is_taken_by_wildcard(&self, file: &LinkedFile, member: &Type) -> bool {
        if file.facts.family != Family::Java {
            return true;
        }
        let Some((home, at)) = member.symbol() else {
            return true;
        };
        self.cache.get(home).is_none_or(|home| {
            let symbol = home.symbol(at);
            let is_same_package = home.facts.units.first() == file.facts.units.first();
            // Members of a class that is hidden itself may be had through a public one that is built on it.
            let is_of_hidden = symbol.parent.is_some_and(|it| !home.symbol(it).exported);
            let is_seen = symbol.exported || is_same_package || is_of_hidden;
            // By `import a.Outer.*` the types that belong to objects are taken, too.
            is_seen && (symbol.is_static() || symbol.kind.is_type())
        })
    }
}
