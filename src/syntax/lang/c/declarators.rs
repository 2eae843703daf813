//! Declarators taken apart: the name that one declares, and what stands around it, from the inside out: `*(*open)(int)`.

use tree_sitter::Node;

use super::grammar::Kind;
use super::lowering::Lowering;
use crate::ir::{Expr, ExprId};

/// Declarators around one name that are looked at.
const MAX_DECLARATORS: usize = 32;

/// A declarator, taken apart.
#[derive(Clone, Debug)]
pub(super) struct Declarator<'t> {
    /// The node of the name: an identifier, a qualified one, an operator; `None` for an abstract declarator.
    pub(super) name: Option<Node<'t>>,
    /// The function declarator right around the name: then it declares a function.
    pub(super) function: Option<Node<'t>>,
    /// Pointers and functions around the name, the innermost last.
    layers: Vec<Layer>,
    /// The value that it is initialized with.
    pub(super) value: Option<Node<'t>>,
    /// The sizes of the arrays around the name.
    pub(super) sizes: Vec<Node<'t>>,
    /// Whether it is a pointer to a member of a class: `void (Store::*open)(int)`.
    pub(super) is_member_pointer: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    /// A pointer, or an array.
    Pointer,
    Function,
}

impl<'t> Lowering<'t> {
    /// Takes a declarator apart.
    pub(super) fn declarator(&self, node: Node<'t>) -> Declarator<'t> {
        let fields = self.grammar.fields;
        let mut found = Declarator {
            name: None,
            function: None,
            layers: Vec::new(),
            value: None,
            sizes: Vec::new(),
            is_member_pointer: false,
        };
        let mut at = Some(node);
        for _ in 0..MAX_DECLARATORS {
            let Some(node) = at else { break };
            match self.kind(node) {
                Kind::InitDeclarator => {
                    found.value = self.field(node, fields.value);
                    at = self.field(node, fields.declarator);
                }
                Kind::PointerDeclarator
                | Kind::AbstractPointerDeclarator
                | Kind::ArrayDeclarator
                | Kind::AbstractArrayDeclarator => {
                    found.layers.push(Layer::Pointer);
                    found.sizes.extend(self.field(node, fields.size));
                    at = self.field(node, fields.declarator);
                }
                Kind::FunctionDeclarator | Kind::AbstractFunctionDeclarator => {
                    found.layers.push(Layer::Function);
                    found.function = Some(node);
                    at = self.field(node, fields.declarator);
                    continue;
                }
                Kind::ParenthesizedDeclarator => {
                    found.is_member_pointer |= self.is_cpp && self.text(node).contains("::*");
                    at = self
                        .children(node)
                        .into_iter()
                        .find(|it| !self.kind(*it).is_type());
                    continue;
                }
                // `operator bool() const`: the parameters stand in the name.
                Kind::OperatorCast => {
                    found.name = Some(node);
                    if found.layers.last() != Some(&Layer::Function) {
                        found.function = self.conversion_head(node);
                        found.layers.extend(found.function.map(|_| Layer::Function));
                    }
                    break;
                }
                Kind::Identifier
                | Kind::FieldIdentifier
                | Kind::TypeIdentifier
                | Kind::QualifiedIdentifier
                | Kind::DestructorName
                | Kind::OperatorName
                | Kind::TemplateFunction
                | Kind::TemplateMethod
                | Kind::PrimitiveType
                | Kind::StructuredBinding => {
                    found.name = Some(node);
                    break;
                }
                _ => at = self.children(node).last().copied(),
            }
            if found.layers.last() == Some(&Layer::Pointer) {
                found.function = None;
            }
        }
        if found.layers.last() != Some(&Layer::Function) {
            found.function = None;
        }
        found
    }

    /// Returns the declarator with the parameters of a conversion: `()` of `operator char*()`.
    fn conversion_head(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut at = self.field(node, self.grammar.fields.declarator)?;
        for _ in 0..MAX_DECLARATORS {
            if self.kind(at) == Kind::AbstractFunctionDeclarator {
                return Some(at);
            }
            let inner = self.field(at, self.grammar.fields.declarator);
            at = inner.or_else(|| self.children(at).last().copied())?;
        }
        None
    }

    /// Returns the value of what a declarator declares, of a value of the written type; of a function its result.
    pub(super) fn declared_value(&mut self, declarator: &Declarator<'t>, base: ExprId) -> ExprId {
        let mut value = base;
        let is_function = declarator.function.is_some();
        let n_layers = declarator.layers.len() - usize::from(is_function);
        for layer in &declarator.layers[..n_layers] {
            value = match layer {
                Layer::Pointer => {
                    if matches!(self.facts.exprs.get(value), Expr::Callable { .. }) {
                        value
                    } else {
                        self.pointer_to(value)
                    }
                }
                Layer::Function => self.add(Expr::Callable { result: value }),
            };
        }
        value
    }
}
