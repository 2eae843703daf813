//! Required parameters of definitions, and arguments of calls: does `f(a)` still agree with `function f(a, b)`?
//!
//! Counts alone; types and names of arguments are left to compilers. JavaScript has no required parameters, so that only
//! TypeScript and Python are counted.

use tree_sitter::{Node, Tree};

use super::Language;
use super::lang::ecmascript::kinds::Grammar;
use super::lang::frontend;
use super::language::FileShape;
use super::parse::{Parsed, parse};
use crate::model::{Budget, Span};

/// Steps from a definition to the function that it holds.
const MAX_STEPS: usize = 12;

/// Decorators of Python that leave the parameters as they are.
const TRANSPARENT: &[&str] = &[
    "abstractmethod",
    "asynccontextmanager",
    "cache",
    "cached",
    "classmethod",
    "contextmanager",
    "final",
    "lru_cache",
    "overload",
    "override",
    "staticmethod",
    "wraps",
];

/// The syntax tree of one file, asked for counts.
pub struct Arities<'s> {
    source: &'s str,
    tree: Tree,
    is_python: bool,
}

/// The code around a definition, where that is parsed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// None, or a function's body: it is a statement.
    Statements,
    /// It is a member of a class.
    Class,
    /// It is a member of an interface.
    Interface,
    /// It is a member of an object.
    Object,
}

impl Around {
    fn ends(self) -> (&'static str, &'static str) {
        match self {
            Self::Statements => ("", ""),
            Self::Class => ("class C {", "}"),
            Self::Interface => ("interface I {", "}"),
            Self::Object => ("({", "})"),
        }
    }

    /// Whether a node of that kind is surely the same in its file.
    fn holds(self, kind: &str) -> bool {
        match self {
            Self::Statements => matches!(
                kind,
                "ambient_declaration"
                    | "export_statement"
                    | "function_declaration"
                    | "function_signature"
                    | "generator_function_declaration"
                    | "lexical_declaration"
                    | "variable_declaration"
            ),
            Self::Class => matches!(
                kind,
                "abstract_method_signature"
                    | "method_definition"
                    | "method_signature"
                    | "public_field_definition"
            ),
            Self::Interface => matches!(kind, "method_signature" | "property_signature"),
            Self::Object => matches!(kind, "method_definition" | "pair"),
        }
    }
}

/// Does [`Arities::required`] for a definition of TypeScript by its text alone, which is a fraction of its file; `None` where the
/// text by itself may be read otherwise.
pub fn required_by_text(
    language: &Language,
    text: &str,
    around: Around,
    budget: &Budget,
) -> Option<Option<u32>> {
    if matches!(language.shape, FileShape::Python) {
        return None;
    }
    let (start, end) = around.ends();
    let source = [start, text, end].concat();
    let arities = Arities::of(language, &source, budget)?;
    let from = start.len();
    let node = arities.outermost(from, from + text.len())?;
    let is_alone = node.byte_range() == (from..from + text.len());
    let is_sure = is_alone && around.holds(node.kind()) && !arities.tree.root_node().has_error();
    is_sure.then(|| Arities::required_of_function(node))
}

impl<'s> Arities<'s> {
    /// Parses a file; `None` where its language has no required parameters, or the budget ended.
    pub fn of(language: &Language, source: &'s str, budget: &Budget) -> Option<Self> {
        let (grammar, is_python) = match language.shape {
            FileShape::Script(dialect) => (&Grammar::of(dialect).language, false),
            FileShape::Python => (frontend(language.shape)?.grammar(), true),
            _ => return None,
        };
        match parse(grammar, source, budget) {
            Parsed::Tree(tree) => Some(Self {
                source,
                tree,
                is_python,
            }),
            Parsed::TooHard | Parsed::Ended => None,
        }
    }

    /// Returns how many arguments a call of the definition at `span` has to pass at least; `None` where it is no function, or a
    /// decorator may change its parameters. The receiver of a method is no argument: 1 for `def put(self, key, value=0)`.
    pub fn required(&self, span: &Span, is_method: bool) -> Option<u32> {
        let node = self.outermost(span.start_byte as usize, span.end_byte as usize)?;
        if self.is_python {
            self.required_of_def(node, is_method)
        } else {
            Self::required_of_function(node)
        }
    }

    /// Returns the outermost node of exactly this place.
    fn outermost(&self, start: usize, end: usize) -> Option<Node<'_>> {
        let mut node = self
            .tree
            .root_node()
            .descendant_for_byte_range(start, end)?;
        while let Some(parent) = node.parent()
            && parent.start_byte() >= start
            && parent.end_byte() <= end
            && !matches!(parent.kind(), "program" | "module" | "block")
        {
            node = parent;
        }
        Some(node)
    }

    fn required_of_def(&self, node: Node<'_>, is_method: bool) -> Option<u32> {
        let mut is_static = false;
        let function = if node.kind() == "decorated_definition" {
            let mut cursor = node.walk();
            for decorator in node.children(&mut cursor) {
                if decorator.kind() != "decorator" {
                    continue;
                }
                let name = decorator_name(self.text(decorator).trim_start_matches('@'));
                if !TRANSPARENT.contains(&name) {
                    return None;
                }
                is_static |= name == "staticmethod";
            }
            node.child_by_field_name("definition")?
        } else {
            node
        };
        if function.kind() != "function_definition" {
            return None;
        }
        let parameters = function.child_by_field_name("parameters")?;
        let mut cursor = parameters.walk();
        let all = parameters.named_children(&mut cursor);
        let n_required = all
            .filter(|parameter| match parameter.kind() {
                "identifier" | "tuple_pattern" => true,
                // `a: int`, and not `*rest: int`
                "typed_parameter" => parameter
                    .named_child(0)
                    .is_some_and(|name| name.kind() == "identifier"),
                _ => false,
            })
            .count();
        let n_receivers = usize::from(is_method && !is_static);
        u32::try_from(n_required.saturating_sub(n_receivers)).ok()
    }

    fn required_of_function(node: Node<'_>) -> Option<u32> {
        let mut at = node;
        for _ in 0..MAX_STEPS {
            if let Some(parameters) = at.child_by_field_name("parameters") {
                return Some(required_of_list(parameters));
            }
            // `a => a`
            if at.kind() == "arrow_function" && at.child_by_field_name("parameter").is_some() {
                return Some(1);
            }
            at = match at.kind() {
                "export_statement" => at
                    .child_by_field_name("declaration")
                    .or_else(|| at.child_by_field_name("value"))?,
                "ambient_declaration"
                | "lexical_declaration"
                | "variable_declaration"
                | "parenthesized_expression"
                | "as_expression"
                | "satisfies_expression"
                | "type_annotation" => at.named_child(0)?,
                "variable_declarator" | "public_field_definition" | "pair" => {
                    let value = at.child_by_field_name("value");
                    // Of another name for a function the written type tells.
                    let is_opaque = |it: &Node<'_>| {
                        matches!(
                            it.kind(),
                            "identifier" | "member_expression" | "call_expression"
                        )
                    };
                    value
                        .filter(|it| !is_opaque(it))
                        .or_else(|| at.child_by_field_name("type"))?
                }
                "property_signature" => at.child_by_field_name("type")?,
                _ => return None,
            };
        }
        None
    }

    /// Returns how many arguments the call passes whose callee ends with the name at `start`: 2 for `open` in
    /// `store.open(a, b)`. `None` where that is no call, or an argument is spread.
    pub fn arguments(&self, start: u32) -> Option<u32> {
        let start = start as usize;
        let mut node = self
            .tree
            .root_node()
            .descendant_for_byte_range(start, start + 1)?;
        for _ in 0..MAX_STEPS {
            let parent = node.parent()?;
            let callee = parent
                .child_by_field_name("function")
                .or_else(|| parent.child_by_field_name("constructor"));
            let is_callee = callee.is_some_and(|it| it.id() == node.id());
            match parent.kind() {
                "call_expression" | "new_expression" | "call" if is_callee => {
                    let Some(arguments) = parent.child_by_field_name("arguments") else {
                        return (parent.kind() == "new_expression").then_some(0);
                    };
                    return Self::count(arguments);
                }
                "member_expression"
                | "attribute"
                | "non_null_expression"
                | "parenthesized_expression"
                | "instantiation_expression" => {
                    // The name has to be the last one of the chain.
                    if parent.end_byte() < node.end_byte()
                        || parent
                            .child_by_field_name("object")
                            .is_some_and(|it| it.id() == node.id())
                    {
                        return None;
                    }
                    node = parent;
                }
                _ => return None,
            }
        }
        None
    }

    fn count(arguments: Node<'_>) -> Option<u32> {
        if !matches!(arguments.kind(), "arguments" | "argument_list") {
            return None;
        }
        let mut cursor = arguments.walk();
        let mut n = 0;
        for argument in arguments.named_children(&mut cursor) {
            match argument.kind() {
                "comment" => {}
                "spread_element" | "list_splat" | "dictionary_splat" => return None,
                _ => n += 1,
            }
        }
        Some(n)
    }

    fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }
}

/// Returns the place of the last required parameter, from 1: parameters before it have to be passed too.
fn required_of_list(parameters: Node<'_>) -> u32 {
    let mut cursor = parameters.walk();
    let (mut n, mut required) = (0, 0);
    for parameter in parameters.named_children(&mut cursor) {
        if !matches!(
            parameter.kind(),
            "required_parameter" | "optional_parameter"
        ) {
            continue;
        }
        let pattern = parameter.child_by_field_name("pattern");
        if pattern.is_some_and(|it| it.kind() == "this") {
            continue;
        }
        n += 1;
        let is_rest = pattern.is_some_and(|it| it.kind() == "rest_pattern");
        let has_default = parameter.child_by_field_name("value").is_some();
        if parameter.kind() == "required_parameter" && !is_rest && !has_default {
            required = n;
        }
    }
    required
}

/// Whether the decorators above a definition of Python may change its parameters: `@app.route` may, `@staticmethod` does not.
pub fn has_opaque_decorator(definition: &str) -> bool {
    let lines = definition.lines().map(str::trim_start);
    let decorators = lines.map_while(|line| line.strip_prefix('@'));
    let mut names = decorators.map(decorator_name);
    names.any(|name| !TRANSPARENT.contains(&name))
}

/// Returns the last name of a decorator behind its `@`: `route` of `app.route("/")`.
fn decorator_name(text: &str) -> &str {
    let name = text.split('(').next().unwrap_or_default();
    name.rsplit('.').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Arities, Around, required_by_text};
    use crate::model::{Budget, RepoPath};
    use crate::syntax::{by_path, extract, starts};

    /// Returns the required parameters of each symbol, and the arguments of each place of `f`.
    fn counts(path: &str, source: &str) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
        let budget = Budget::unlimited(Arc::default());
        let language = by_path(&RepoPath::new(path).unwrap());
        let arities = Arities::of(language, source, &budget).unwrap();
        let symbols = extract(language, source, true, &budget)
            .unwrap()
            .facts
            .symbols;
        let required = symbols.iter();
        let required = required.map(|it| arities.required(&it.span, it.parent.is_some()));
        let arguments = starts(source, "f").map(|at| arities.arguments(at));
        (required.collect(), arguments.collect())
    }

    #[test]
    fn required_parameters_are_those_that_a_call_has_to_pass() {
        for (source, required) in [
            ("export function g(a: A, b?: B, ...c: C[]) {}", 1),
            ("export const g = (a, b = 1, c) => a", 3),
            ("const g = a => a", 1),
            ("export default async function g(this: X, { a, b }) {}", 1),
            ("const g: Fn = (function (a, b) {}) as Fn", 2),
            ("declare function g(a: A): void", 1),
            ("export const g: (a: A, b: B) => void = h", 2),
        ] {
            assert_eq!(counts("a.ts", source).0, [Some(required)], "{source}");
        }
        // `private a` is a field too.
        let class = "class C { constructor(private a: A, b?: B) {} m = (a, b) => 1; n(a?: A) {} }";
        assert_eq!(
            counts("a.ts", class).0,
            [None, Some(1), None, Some(2), Some(0)]
        );
        let (required, _) = counts("a.ts", "const g = memo((a) => a)");
        assert_eq!(required, [None]);
    }

    #[test]
    fn the_text_of_a_definition_tells_what_its_file_does() {
        let budget = Budget::unlimited(Arc::default());
        let language = by_path(&RepoPath::new("a.ts").unwrap());
        let of = |text, around| required_by_text(language, text, around, &budget);
        for (text, around, required) in [
            (
                "export function g(a: A, b?: B) {}",
                Around::Statements,
                Some(1),
            ),
            ("const g = (a, b) => a", Around::Statements, Some(2)),
            ("const g = memo(a => a)", Around::Statements, None),
            ("private async m(a: A, b = 1) {}", Around::Class, Some(1)),
            ("m(a?: A): void", Around::Interface, Some(0)),
            ("m(a, b) {}", Around::Object, Some(2)),
            ("m: a => a", Around::Object, Some(1)),
        ] {
            assert_eq!(of(text, around), Some(required), "{text}");
        }
        // One of several declared together, a label, a part of something else.
        for (text, around) in [
            ("b = (a) => a", Around::Statements),
            ("m: (a) => a", Around::Statements),
            ("m(a) {}", Around::Statements),
            ("function g(a) {", Around::Statements),
            ("a, b", Around::Class),
        ] {
            assert_eq!(of(text, around), None, "{text}");
        }
    }

    #[test]
    fn python_leaves_the_receiver_out() {
        let source = "\
def g(a, b: int, c=1, *rest, d, e: int = 2, **more): pass
class C:
    def m(self, a): pass
    @staticmethod
    def s(a): pass
    @click.command()
    def k(self, a): pass
";
        assert_eq!(
            counts("a.py", source).0,
            [Some(3), None, Some(1), Some(1), None]
        );
    }

    #[test]
    fn arguments_are_counted_where_the_name_is_called() {
        let source = "f(); f(1, g(2, 3)); a.f(1); new f; new f(1, /* x */ 2); f(...x); f.g(1); h(f); f<T>(1); a!.f!(1)";
        assert_eq!(
            counts("a.ts", source).1,
            [
                Some(0),
                Some(2),
                Some(1),
                Some(0),
                Some(2),
                None,
                None,
                None,
                Some(1),
                Some(1)
            ]
        );
        let source = "f(1, b=2)\na.f()\nf(*x)\nf.g(1)\n";
        assert_eq!(counts("a.py", source).1, [Some(2), Some(0), None, None]);
    }
}
