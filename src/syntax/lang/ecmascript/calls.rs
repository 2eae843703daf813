//! What a call gives to the function it calls, and what that makes of it: `wrap(new A())` of `wrap<T>(a: T): T`.
//!
//! Refuses to know which function is called.

use std::borrow::Cow;

use tree_sitter::Node;

use super::brackets::{result, split};
use super::hints::{Owner, Rank};
use super::kinds::Kind;
use super::origin::Origin;
use super::origin::{ARGUMENT, HintKind, OWN_TYPE_PARAMETER};
use super::types::of_type;
use super::uses::is_chain;
use super::walk::{Frame, Walk};

/// Arguments and type parameters that are looked at.
const GIVEN: usize = 4;
/// Longest text of what one call gives.
const GIVEN_BYTES: usize = 120;

impl<'a> Walk<'a> {
    /// Returns the step to what a call gives back, with what it is given that has a name: types, new instances, and names
    /// that begin as those of classes do.
    pub(super) fn given_to_call(&self, call: Node<'_>) -> Cow<'static, str> {
        let fields = &self.grammar.fields;
        let types = call.child_by_field_id(fields.type_arguments);
        let types = types.map_or(String::new(), |types| self.types_given(types));
        let arguments = call.child_by_field_id(fields.arguments);
        let mut values = arguments.map_or(Vec::new(), |all| self.values_given(all));
        while values.last().is_some_and(String::is_empty) {
            values.pop();
        }
        let values = values.join(",");
        if types.len() + values.len() > GIVEN_BYTES {
            return "()".into();
        }
        match (types.is_empty(), values.is_empty()) {
            (true, true) => "()".into(),
            (true, false) => format!("({values})").into(),
            _ => format!("(<{types}>{values})").into(),
        }
    }

    fn types_given(&self, types: Node<'_>) -> String {
        let text = self.text(types).trim();
        let inside = text.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
        let all = inside.and_then(|inside| split(inside, b','));
        let all = all.unwrap_or_default().into_iter().take(GIVEN).map(|one| {
            let one = of_type(one).filter(|one| one.is_plain(HintKind::Type));
            one.as_ref().map_or(String::new(), written)
        });
        let all: Vec<String> = all.collect();
        all.join(",").trim_end_matches(',').to_owned()
    }

    fn values_given(&self, arguments: Node<'_>) -> Vec<String> {
        let mut cursor = arguments.walk();
        let all = arguments.named_children(&mut cursor);
        let all = all.filter(|one| self.grammar.kind(*one) != Kind::Comment);
        all.take_while(|one| self.grammar.kind(*one) != Kind::Spread)
            .take(GIVEN)
            .map(|one| {
                let found = match self.grammar.kind(one) {
                    Kind::NewExpression => self.origin(one),
                    Kind::Identifier | Kind::MemberExpression if is_class(self.text(one)) => {
                        self.origin(one)
                    }
                    _ => None,
                };
                let found =
                    found.filter(|it| it.is_plain(HintKind::New) || it.is_plain(HintKind::Value));
                found.as_ref().map_or(String::new(), |found| {
                    format!("{} {}", found.kind.as_str(), written(found))
                })
            })
            .collect()
    }

    /// Records what the type parameters of a function stand for in what it returns, by what it is given.
    pub(super) fn own_type_parameters(&mut self, node: Node<'_>, symbol: u32, frame: &Frame) {
        let fields = &self.grammar.fields;
        let field = |id: u16| node.child_by_field_id(id);
        let (Some(all), Some(returned)) =
            (field(fields.type_parameters), field(fields.return_type))
        else {
            return;
        };
        let returned = self.text(returned);
        let mut cursor = all.walk();
        let all: Vec<_> = all
            .named_children(&mut cursor)
            .filter(|one| self.grammar.kind(*one) == Kind::TypeParameter)
            .take(GIVEN)
            .filter_map(|one| {
                let name = self.text(one.child_by_field_id(self.grammar.fields.name)?);
                Some((name, one.child_by_field_id(self.grammar.fields.constraint)))
            })
            .collect();
        for (at, (name, bound)) in all.into_iter().enumerate() {
            if !names(returned, name) {
                continue;
            }
            let own = format!("{OWN_TYPE_PARAMETER}{at}");
            let found = Origin::new(HintKind::Type, own.clone());
            self.hint(
                Owner::Own(name, frame.scope),
                Some(found),
                Rank::Written,
                frame,
            );
            if let Some(bound) = bound {
                let text = self.text(bound).trim_start();
                let bound = of_type(text.trim_start_matches("extends"));
                let owner = Owner::Member(Some(symbol), format!("{own}=").into());
                self.hint(owner, bound, Rank::Written, frame);
            }
            if let Some(found) = self.inferred(node, name) {
                let owner = Owner::Member(Some(symbol), own.into());
                self.hint(owner, Some(found), Rank::Written, frame);
            }
        }
    }

    /// Returns what a type parameter stands for by the first argument whose type says so.
    fn inferred(&self, node: Node<'_>, name: &str) -> Option<Origin<'a>> {
        let all = self.parameters(node).into_iter().take(GIVEN).enumerate();
        let mut found = all.filter_map(|(at, one)| {
            let written = one.child_by_field_id(self.grammar.fields.type_)?;
            let text = self.text(written).trim_start_matches(':').trim();
            let step = step_to(text, name)?;
            let argument = Origin::new(HintKind::Value, format!("{ARGUMENT}{at}"));
            Some(match step {
                "" => argument,
                step => argument.then(step),
            })
        });
        found.next()
    }
}

/// Returns the step from an argument to what a type parameter stands for, where its type is that or makes it.
fn step_to(text: &str, name: &str) -> Option<&'static str> {
    if let Some(made) = text
        .strip_prefix("new ")
        .or(text.strip_prefix("abstract new "))
    {
        return (result(made)?.trim() == name).then_some("{}");
    }
    of_type(text)?.apart().find_map(|one| {
        if one.has_steps() {
            return None;
        }
        match one.kind {
            HintKind::Type if one.of == name => Some(""),
            HintKind::Element if one.of == name => Some("[]"),
            HintKind::Gives if one.of == name => Some("()"),
            // A type that is given the class itself: `Type<T>`.
            HintKind::Type => {
                let mut given = one.given.iter().flatten();
                given
                    .any(|it| it.of == name && it.is_plain(HintKind::Type))
                    .then_some("{}")
            }
            _ => None,
        }
    })
}

/// Returns what a call is given as it stands in a step: there a dot ends the step.
fn written(one: &Origin<'_>) -> String {
    one.text().replace('.', "/")
}

/// Whether a name or the last one of a chain begins as that of a class.
fn is_class(text: &str) -> bool {
    let last = text.rsplit('.').next().unwrap_or(text);
    is_chain(text) && last.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Whether a text has a word.
fn names(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.split(|c: char| !is_part(c)).any(|it| it == word)
}

/// Returns an origin with only those things given to its calls whose first name is one of the file's.
pub(super) fn given_to_calls<'o, 'a>(
    origin: Cow<'o, Origin<'a>>,
    is_top: impl Fn(&str) -> bool,
) -> Cow<'o, Origin<'a>> {
    let Some((chain, steps)) = origin.of.split_once(':').filter(|it| it.1.contains('(')) else {
        return origin;
    };
    let is_known = |name: &str| is_top(name.split(['/', '<']).next().unwrap_or(name));
    let plain = Origin {
        of: Cow::Owned(chain.to_owned()),
        others: Vec::new(),
        ..origin.as_ref().clone()
    };
    let steps = steps.split('.').map(|step| {
        if !is_given(step) {
            return Cow::Borrowed(step);
        }
        let inside = step.trim_start_matches('(').trim_end_matches(')');
        let (types, values) = match inside.strip_prefix('<').and_then(|it| close(it)) {
            Some((types, values)) => (types, values),
            None => ("", inside),
        };
        let keep = |all: &str, name: &dyn Fn(&str) -> Option<String>| {
            let all = split(all, b',').unwrap_or_default();
            let all: Vec<String> = all
                .into_iter()
                .map(|one| name(one).unwrap_or_default())
                .collect();
            all.join(",").trim_end_matches(',').to_owned()
        };
        let types = keep(types, &|one| is_known(one).then(|| one.to_owned()));
        let values = keep(values, &|one| {
            let (_, name) = one.split_once(' ')?;
            is_known(name).then(|| one.to_owned())
        });
        Cow::Owned(if types.is_empty() {
            format!("({values})")
        } else {
            format!("(<{types}>{values})")
        })
    });
    Cow::Owned(steps.fold(plain, |found, step| found.then(&step)))
}

/// Whether a step is a call with something given.
fn is_given(step: &str) -> bool {
    let inside = step.strip_prefix('(');
    inside.is_some_and(|it| !it.starts_with(|c: char| c == ')' || c.is_ascii_digit()))
}

/// Splits at the bracket that closes one that is open.
pub(super) fn close(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&text[..at], &text[at + 1..]));
        }
    }
    None
}

impl Origin<'_> {
    /// Returns whether it begins with what a call gives, or with a type parameter of what is called.
    pub(super) fn is_of_call(&self) -> bool {
        self.of.starts_with([ARGUMENT, OWN_TYPE_PARAMETER])
    }
}
