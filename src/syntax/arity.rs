//! Parameters of definitions, and arguments of calls: does `f(a)` still agree with `function f(a, b)`?
//!
//! Counts alone, and the keywords of Python; types are left to compilers. JavaScript takes any number of arguments, so that only
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

/// The numbers of arguments that a definition takes: 1 to 2 of `f(a, b?)`, 1 and more of `f(a, ...rest)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arity {
    /// Arguments that a call has to pass.
    pub least: u32,
    /// Arguments that a call may pass; `None` where any number may follow, and where the bound is not known.
    pub most: Option<u32>,
}

impl Arity {
    /// That of a constructor which nobody wrote: `new Store()`.
    pub const NONE: Self = Self {
        least: 0,
        most: Some(0),
    };

    /// Whether a call that passes `n` arguments, `required` of them for what has to be passed, agrees with it.
    pub fn takes(self, n: u32, required: u32) -> bool {
        required >= self.least && self.most.is_none_or(|most| n <= most)
    }

    /// Whether there may be a number of arguments that `earlier` takes and this does not.
    pub fn is_narrower_than(self, earlier: Self) -> bool {
        let bound = |one: Self| one.most.unwrap_or(u32::MAX);
        self.least > earlier.least || bound(self) < bound(earlier)
    }

    /// Returns that of a definition with two overloads.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.zip(other.most).map(|(a, b)| a.max(b)),
        }
    }
}

/// The arguments of a call: of `open(path, mode="r")` two, with the keyword `mode`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedArguments<'s> {
    /// How many there are, those with a keyword too.
    pub n: u32,
    /// The keywords of Python's.
    pub keywords: Vec<&'s str>,
}

/// The syntax tree of one file, asked for counts.
pub struct Arities<'s> {
    source: &'s str,
    tree: Tree,
    is_python: bool,
}

/// The code around a fragment, a definition that is parsed by itself: `open() {}` is a method in a class and a call followed by a block elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentContext {
    /// None, or a function's body: it is a statement.
    Statements,
    /// It is a member of a class.
    Class,
    /// It is a member of an interface.
    Interface,
    /// It is a member of an object.
    Object,
}

impl FragmentContext {
    fn wrapper(self) -> (&'static str, &'static str) {
        match self {
            Self::Statements => ("", ""),
            Self::Class => ("class C {", "}"),
            Self::Interface => ("interface I {", "}"),
            Self::Object => ("({", "})"),
        }
    }

    /// Whether a node of that kind is surely the same in its file.
    fn is_unambiguous(self, kind: &str) -> bool {
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

/// Does [`Arities::of_definition`] for a definition of TypeScript by its text alone, which is a fraction of its file; `None` where the
/// text by itself may be read otherwise.
pub fn arity_by_text(
    language: &Language,
    text: &str,
    context: FragmentContext,
    budget: &Budget,
) -> Option<Option<Arity>> {
    if matches!(language.shape, FileShape::Python) {
        return None;
    }
    let (start, end) = context.wrapper();
    let source = [start, text, end].concat();
    let arities = Arities::of(language, &source, budget)?;
    let from = start.len();
    let node = arities.outermost(from, from + text.len())?;
    let is_alone = node.byte_range() == (from..from + text.len());
    let is_sure =
        is_alone && context.is_unambiguous(node.kind()) && !arities.tree.root_node().has_error();
    is_sure.then(|| Arities::of_function(node))
}

/// Does [`Arities::of_definition`] for a function of Python by its text alone.
pub fn arity_of_python(
    language: &Language,
    text: &str,
    is_method: bool,
    budget: &Budget,
) -> Option<Arity> {
    let arities = Arities::of(language, text, budget)?;
    arities.of_def(arities.outermost(0, text.len())?, is_method)
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

    /// Returns how many arguments the definition at `span` takes; `None` where it is no function, or a decorator may change its
    /// parameters. The receiver of a method is no argument: 1 to 2 for `def put(self, key, value=0)`.
    pub fn of_definition(&self, span: &Span, is_method: bool) -> Option<Arity> {
        let node = self.outermost(span.start_byte as usize, span.end_byte as usize)?;
        if self.is_python {
            self.of_def(node, is_method)
        } else {
            Self::of_function(node)
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

    fn of_def(&self, node: Node<'_>, is_method: bool) -> Option<Arity> {
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
        let (mut n_required, mut n_named, mut is_open) = (0_usize, 0_usize, false);
        for parameter in parameters.named_children(&mut cursor) {
            match parameter.kind() {
                "identifier" | "tuple_pattern" => n_required += 1,
                "default_parameter" | "typed_default_parameter" => n_named += 1,
                // `a: int`, and not `*rest: int`
                "typed_parameter"
                    if parameter
                        .named_child(0)
                        .is_some_and(|name| name.kind() == "identifier") =>
                {
                    n_required += 1;
                }
                "comment" | "keyword_separator" | "positional_separator" => {}
                _ => is_open = true,
            }
        }
        let n_receivers = usize::from(is_method && !is_static);
        let without_receiver = |n: usize| u32::try_from(n.saturating_sub(n_receivers)).ok();
        Some(Arity {
            least: without_receiver(n_required)?,
            most: without_receiver(n_required + n_named).filter(|_| !is_open),
        })
    }

    fn of_function(node: Node<'_>) -> Option<Arity> {
        let mut at = node;
        // Where a type is written beside the function, that one is called: `const f: Handler = (a) => a`.
        let mut has_other_type = false;
        for _ in 0..MAX_STEPS {
            let found = if let Some(parameters) = at.child_by_field_name("parameters") {
                Some(of_list(parameters))
            } else if at.kind() == "arrow_function" && at.child_by_field_name("parameter").is_some()
            {
                // `a => a`
                Some(Arity {
                    least: 1,
                    most: Some(1),
                })
            } else {
                None
            };
            if let Some(Arity { least, most }) = found {
                let most = most.filter(|_| !has_other_type);
                return Some(Arity { least, most });
            }
            at = match at.kind() {
                "export_statement" => at
                    .child_by_field_name("declaration")
                    .or_else(|| at.child_by_field_name("value"))?,
                "as_expression" => {
                    has_other_type = true;
                    at.named_child(0)?
                }
                "ambient_declaration"
                | "lexical_declaration"
                | "variable_declaration"
                | "parenthesized_expression"
                | "satisfies_expression"
                | "type_annotation" => at.named_child(0)?,
                "variable_declarator" | "public_field_definition" | "pair" => {
                    let value = at.child_by_field_name("value");
                    let type_ = at.child_by_field_name("type");
                    // Of another name for a function the written type tells.
                    let is_opaque = |it: &Node<'_>| {
                        matches!(
                            it.kind(),
                            "identifier" | "member_expression" | "call_expression"
                        )
                    };
                    let value = value.filter(|it| !is_opaque(it));
                    has_other_type |= value.is_some() && type_.is_some();
                    value.or(type_)?
                }
                "property_signature" => at.child_by_field_name("type")?,
                _ => return None,
            };
        }
        None
    }

    /// Returns the names of the parameters with a default of the function of Python at `span`, which a call need not pass; empty where it
    /// is none.
    pub fn optional_parameters(&self, span: &Span) -> Vec<&'s str> {
        let node = self.outermost(span.start_byte as usize, span.end_byte as usize);
        let function = node.map(|it| it.child_by_field_name("definition").unwrap_or(it));
        let Some(parameters) = function.and_then(|it| it.child_by_field_name("parameters")) else {
            return Vec::new();
        };
        let mut cursor = parameters.walk();
        let all = parameters.named_children(&mut cursor);
        all.filter(|it| matches!(it.kind(), "default_parameter" | "typed_default_parameter"))
            .filter_map(|it| it.child_by_field_name("name"))
            .map(|it| self.text(it))
            .collect()
    }

    /// Returns the names of the parameters of the function of Python at `span` that a call may pass by their names; `None` where it is none,
    /// and where it takes any name, `**options`.
    pub fn keyword_parameters(&self, span: &Span) -> Option<Vec<&'s str>> {
        let node = self.outermost(span.start_byte as usize, span.end_byte as usize)?;
        let function = node.child_by_field_name("definition").unwrap_or(node);
        let parameters = function.child_by_field_name("parameters")?;
        let mut names = Vec::new();
        let mut cursor = parameters.walk();
        for parameter in parameters.named_children(&mut cursor) {
            let name = match parameter.kind() {
                "default_parameter" | "typed_default_parameter" => {
                    parameter.child_by_field_name("name")?
                }
                "typed_parameter" => parameter.named_child(0)?,
                _ => parameter,
            };
            match name.kind() {
                "identifier" => names.push(self.text(name)),
                "dictionary_splat_pattern" => return None,
                // Those before `/` are passed by their places alone.
                "positional_separator" => names.clear(),
                _ => {}
            }
        }
        Some(names)
    }

    /// Returns the arguments of the call whose callee ends with the name at `start`: 2 for `open` in `store.open(a, b)`. `None` where
    /// that is no call, or an argument is spread.
    pub fn arguments(&self, start: u32) -> Option<PassedArguments<'s>> {
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
                        return (parent.kind() == "new_expression").then(PassedArguments::default);
                    };
                    return self.of_call(arguments);
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

    fn of_call(&self, arguments: Node<'_>) -> Option<PassedArguments<'s>> {
        if !matches!(arguments.kind(), "arguments" | "argument_list") {
            return None;
        }
        let mut cursor = arguments.walk();
        let mut found = PassedArguments::default();
        for argument in arguments.named_children(&mut cursor) {
            match argument.kind() {
                "comment" => continue,
                "spread_element" | "list_splat" | "dictionary_splat" => return None,
                "keyword_argument" => {
                    let name = argument.child_by_field_name("name");
                    found.keywords.extend(name.map(|it| self.text(it)));
                }
                _ => {}
            }
            found.n += 1;
        }
        Some(found)
    }

    fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }
}

/// Returns how many arguments a list of parameters takes: those before the last required one have to be passed too.
fn of_list(parameters: Node<'_>) -> Arity {
    let mut cursor = parameters.walk();
    let (mut n, mut least, mut has_rest) = (0, 0, false);
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
        has_rest |= is_rest;
        let has_default = parameter.child_by_field_name("value").is_some();
        if parameter.kind() == "required_parameter" && !is_rest && !has_default {
            least = n;
        }
    }
    Arity {
        least,
        most: (!has_rest).then_some(n),
    }
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

    use super::{Arities, Arity, FragmentContext, arity_by_text};
    use crate::model::{Budget, RepoPath};
    use crate::syntax::{by_path, extract, starts};

    fn arity(least: u32, most: impl Into<Option<u32>>) -> Arity {
        let most = most.into();
        Arity { least, most }
    }

    /// Returns how many arguments each symbol takes, and those of each place of `f`.
    fn counts(path: &str, source: &str) -> (Vec<Option<Arity>>, Vec<Option<u32>>) {
        let budget = Budget::unlimited(Arc::default());
        let language = by_path(&RepoPath::new(path).unwrap());
        let arities = Arities::of(language, source, &budget).unwrap();
        let symbols = extract(language, source, true, &budget)
            .unwrap()
            .facts
            .symbols;
        let taken = symbols.iter();
        let taken = taken.map(|it| arities.of_definition(&it.span, it.parent.is_some()));
        let arguments = starts(source, "f").map(|at| arities.arguments(at).map(|it| it.n));
        (taken.collect(), arguments.collect())
    }

    #[test]
    fn parameters_bound_the_arguments_of_a_call() {
        for (source, taken) in [
            (
                "export function g(a: A, b?: B, ...c: C[]) {}",
                arity(1, None),
            ),
            ("export function g(a: A, b?: B) {}", arity(1, 2)),
            ("export const g = (a, b = 1, c) => a", arity(3, 3)),
            ("const g = a => a", arity(1, 1)),
            (
                "export default async function g(this: X, { a, b }) {}",
                arity(1, 1),
            ),
            ("const g: Fn = (function (a, b) {}) as Fn", arity(2, None)),
            ("const g: Fn = (a, b = 1) => a", arity(1, None)),
            ("declare function g(a: A): void", arity(1, 1)),
            ("export const g: (a: A, b: B) => void = h", arity(2, 2)),
        ] {
            assert_eq!(counts("a.ts", source).0, [Some(taken)], "{source}");
        }
        // `private a` is a field too.
        let class = "class C { constructor(private a: A, b?: B) {} m = (a, b) => 1; n(a?: A) {} }";
        assert_eq!(
            counts("a.ts", class).0,
            [
                None,
                Some(arity(1, 2)),
                None,
                Some(arity(2, 2)),
                Some(arity(0, 1))
            ]
        );
        assert_eq!(counts("a.ts", "const g = memo((a) => a)").0, [None]);
    }

    #[test]
    fn a_narrower_arity_refuses_calls() {
        for (earlier, now) in [
            (arity(1, 2), arity(2, 2)),
            (arity(0, 2), arity(0, 1)),
            (arity(0, None), arity(0, 3)),
        ] {
            assert!(now.is_narrower_than(earlier), "{earlier:?} {now:?}");
            assert!(!earlier.is_narrower_than(now), "{earlier:?} {now:?}");
        }
        assert!(arity(1, 2).takes(2, 2) && !arity(1, 2).takes(3, 3) && !arity(1, 2).takes(2, 0));
        assert_eq!(arity(1, 1).or(arity(2, 3)), arity(1, 3));
        assert_eq!(arity(1, 1).or(arity(2, None)), arity(1, None));
    }

    #[test]
    fn the_text_of_a_definition_tells_what_its_file_does() {
        let budget = Budget::unlimited(Arc::default());
        let language = by_path(&RepoPath::new("a.ts").unwrap());
        let of = |text, context| arity_by_text(language, text, context, &budget);
        for (text, context, taken) in [
            (
                "export function g(a: A, b?: B) {}",
                FragmentContext::Statements,
                Some(arity(1, 2)),
            ),
            (
                "const g = (a, b) => a",
                FragmentContext::Statements,
                Some(arity(2, 2)),
            ),
            ("const g = memo(a => a)", FragmentContext::Statements, None),
            (
                "private async m(a: A, b = 1) {}",
                FragmentContext::Class,
                Some(arity(1, 2)),
            ),
            (
                "m(a?: A): void",
                FragmentContext::Interface,
                Some(arity(0, 1)),
            ),
            ("m(a, b) {}", FragmentContext::Object, Some(arity(2, 2))),
            ("m: a => a", FragmentContext::Object, Some(arity(1, 1))),
        ] {
            assert_eq!(of(text, context), Some(taken), "{text}");
        }
        // One of several declared together, a label, a part of something else.
        for (text, context) in [
            ("b = (a) => a", FragmentContext::Statements),
            ("m: (a) => a", FragmentContext::Statements),
            ("m(a) {}", FragmentContext::Statements),
            ("function g(a) {", FragmentContext::Statements),
            ("a, b", FragmentContext::Class),
        ] {
            assert_eq!(of(text, context), None, "{text}");
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
def h(a, /, b: int, *, c=1, d: int = 2): pass
";
        assert_eq!(
            counts("a.py", source).0,
            [
                Some(arity(3, None)),
                None,
                Some(arity(1, 1)),
                Some(arity(1, 1)),
                None,
                Some(arity(2, 4))
            ]
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
