//! Parameters of templates: the names that they bind, and the uses of names in their types and defaults.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::{Local, Lowering};
use crate::ir::{ReferenceKind, SymbolIdx};
use crate::model::SymbolFlags;

impl<'t> Lowering<'t> {
    /// Binds the parameters of a template in the block at hand.
    pub(super) fn bind_type_parameters(&mut self, list: Node<'t>) {
        for parameter in self.children(list) {
            let name = match self.kind(parameter) {
                Kind::TypeParameter | Kind::VariadicTypeParameter => {
                    self.children(parameter).last().copied()
                }
                Kind::OptionalTypeParameter => self.field(parameter, self.grammar.fields.name),
                Kind::Other => self
                    .children(parameter)
                    .last()
                    .and_then(|it| self.children(*it).last().copied()),
                // `template <int n>`
                Kind::ParameterDeclaration
                | Kind::OptionalParameter
                | Kind::VariadicParameterDeclaration => self
                    .field(parameter, self.grammar.fields.declarator)
                    .and_then(|it| self.declarator(it).name),
                _ => None,
            };
            if let Some(name) = name {
                // The types and values that a template is given are not followed.
                let unknown = self.unknown;
                self.bind_local(self.text(name), Local::Type(unknown));
            }
        }
    }

    /// Records the names in the parameters of a template, `template <typename Calc = DailyCalc, Kind kind = kPlain>`, as uses by the
    /// definition behind it: the first one from `first` on.
    pub(super) fn use_template_parameters(
        &mut self,
        list: Node<'t>,
        first: SymbolIdx,
        parent: Option<SymbolIdx>,
    ) {
        let fields = self.grammar.fields;
        let made = self.facts.symbols.get(first as usize);
        let is_declared = made.is_some_and(|it| it.flags.contains(SymbolFlags::DECLARATION_ONLY));
        let user = made.map_or(parent, |_| Some(first));
        let outer = std::mem::replace(&mut self.is_declaring, is_declared);
        self.in_parent(user, |it| {
            for parameter in it.children(list) {
                let type_ = match it.kind(parameter) {
                    Kind::OptionalTypeParameter => it.field(parameter, fields.default_type),
                    Kind::ParameterDeclaration
                    | Kind::OptionalParameter
                    | Kind::VariadicParameterDeclaration => it.field(parameter, fields.type_),
                    _ => None,
                };
                if let Some(type_) = type_ {
                    it.use_type(type_, ReferenceKind::Type);
                }
                if let Some(value) = it.field(parameter, fields.default_value) {
                    it.walk(value);
                }
            }
        });
        self.is_declaring = outer;
    }
}
