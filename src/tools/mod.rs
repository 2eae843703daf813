//! The tools: the only list of them, and the parts of each that the faces read.
//!
//! A tool is one function with one input type and one output type. MCP and HTTP go through [`ToolSpec::call`]; commands
//! go through [`call_one`], print the fields of the output or make the same value of it for `--json`: for equal input all give
//! equal values.

mod affected;
pub(crate) mod analysed;
pub mod answer;
pub mod changes;
pub mod chunks;
pub mod complete;
pub mod doctor;
pub mod expand;
pub mod explore;
mod external_packages;
mod federation;
pub(crate) mod file_history;
pub mod hits;
pub mod impact;
pub mod index_state;
mod input_errors;
pub mod lines;
pub mod manual;
pub mod map;
mod map_definition;
pub mod map_lists;
pub mod memory;
mod module_names;
mod named_object;
mod near_paths;
mod normalize_input;
pub(crate) mod notes;
pub mod number;
pub(crate) mod places;
pub mod prune;
pub(crate) mod ranking;
pub mod related;
pub(crate) mod related_paths;
mod related_symbol;
mod revision;
pub mod runs;
pub mod schema;
pub mod search;
pub mod toolset;
mod unresolved_includes;

pub use federation::Federation;
pub use revision::revision_by_name;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::model::Handle;
use crate::workspace::{Author, Patience, Question, Revision, View, Workspace, Workspaces};

/// The means of one call besides its input.
pub struct Call<'a> {
    /// The repositories that this process has open.
    pub workspaces: &'a Workspaces,
    /// Where to look for the repository if the input names none, in this order: the place given at the start, the
    /// client's root, the working directory. The first that exists is used.
    pub places: &'a [PathBuf],
    /// The directory to which the caller's relative paths belong, on the command line; they belong to the root of the
    /// repository where it is `None` or holds no such path.
    pub cwd: Option<&'a Path>,
    /// Set from outside to stop the call.
    pub interrupt: Arc<AtomicBool>,
    /// Told how far a long call is; called from any thread, at most some hundred times.
    pub progress: &'a (dyn Fn(Progress) + Send + Sync),
    /// How long a question may bring the index up; `budgetMs` of the input goes before it.
    pub patience: Patience<'a>,
    /// Who makes it, as saved records note it.
    pub author: Author<'a>,
    /// The commit that `ref` of the input names, or `HEAD` of a bare repository; `None` for the work tree.
    pub revision: Option<&'a Revision>,
}

impl Call<'_> {
    /// Answers from the index of a work tree, or of the commit that is asked for, which is brought up first. `words` are those of the question, as far
    /// as they may occur in paths.
    ///
    /// # Errors
    /// Those of the answer, and of a repository or an index that can't be read.
    pub fn query<T>(
        &self,
        workspace: &Arc<Workspace>,
        words: &str,
        answer: impl Fn(&View<'_>) -> Result<T>,
    ) -> Result<T> {
        self.with_question(words, |question| workspace.query(question, answer))
    }

    /// Hands `work` this call as a question to an index.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn with_question<T>(
        &self,
        words: &str,
        work: impl FnOnce(Question<'_>) -> Result<T>,
    ) -> Result<T> {
        work(Question {
            interrupt: &self.interrupt,
            patience: self.patience,
            revision: self.revision,
            on_progress: &|done, total| (self.progress)(Progress { done, total }),
            words,
        })
    }
}

/// How far a long call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Files done.
    pub done: u64,
    /// Files in all, as far as known.
    pub total: u64,
}

/// A tool: its words, its types and its function.
pub trait Tool {
    /// The name on the wire (`cl_search`).
    const NAME: &'static str;
    /// A short name for people.
    const TITLE: &'static str;
    /// Its purpose and when to use it; the description that an agent reads.
    const ABOUT: &'static str;
    /// Examples for the command line's help: a line each.
    const EXAMPLES: &'static str;
    /// Whether it only reads the index.
    const READ_ONLY: bool = true;
    /// Whether it may delete data that cannot be restored at once.
    const DESTRUCTIVE: bool = false;
    /// Whether a second call with the same input changes nothing that the first did not.
    const IDEMPOTENT: bool = true;
    /// Whether it takes `ref`, a commit that it is about in place of the work tree.
    const TAKES_REF: bool = false;
    /// Whether its answer is cut to what an agent's client takes.
    const IS_CAPPED: bool = true;
    /// How it answers for several repositories at once.
    const FEDERATION: Federation = Federation::None;
    /// The input. Its doc comments feed `--help`, the schema and TOOLS.md.
    type Input: DeserializeOwned + Serialize + JsonSchema + clap::Args;
    /// The output.
    type Output: Serialize + JsonSchema;

    /// Does the work.
    fn run(input: Self::Input, call: &Call<'_>) -> Result<Self::Output>;
}

/// A tool as the faces see it.
#[derive(Clone, Copy, Debug)]
pub struct ToolSpec {
    /// The name on the wire (`cl_search`).
    pub name: &'static str,
    /// A short name for people.
    pub title: &'static str,
    /// The description.
    pub about: &'static str,
    /// Examples for the command line's help.
    pub examples: &'static str,
    /// Whether it only reads the index.
    pub read_only: bool,
    /// Whether it may delete data that cannot be restored at once.
    pub destructive: bool,
    /// Whether a second call with the same input changes nothing that the first did not.
    pub idempotent: bool,
    /// Returns the JSON Schema of the input.
    pub input_schema: fn() -> Map<String, Value>,
    /// Returns the JSON Schema of the output.
    pub output_schema: fn() -> Map<String, Value>,
    /// Returns the command of the tool, without the options that all commands share.
    pub command: fn() -> clap::Command,
    /// Returns the input that the command's arguments mean, as [`ToolSpec::call`] takes it.
    pub input_of: fn(&clap::ArgMatches) -> std::result::Result<Value, clap::Error>,
    /// Does the work: checks the input, runs the tool, returns the output as one compact value.
    pub call: fn(Value, &Call<'_>) -> Result<Value>,
}

impl ToolSpec {
    /// Returns the description of a tool for the faces.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            about: T::ABOUT,
            examples: T::EXAMPLES,
            read_only: T::READ_ONLY,
            destructive: T::DESTRUCTIVE,
            idempotent: T::IDEMPOTENT,
            input_schema: input_schema::<T>,
            output_schema: output_schema::<T>,
            command: command::<T>,
            input_of: input_of::<T>,
            call: call::<T>,
        }
    }

    /// Returns the name of the command (`search` for `cl_search`).
    pub fn command_name(&self) -> &'static str {
        self.name.strip_prefix("cl_").unwrap_or(self.name)
    }
}

/// Every tool, in the order of use.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec::of::<explore::Explore>(),
    ToolSpec::of::<search::Search>(),
    ToolSpec::of::<expand::Expand>(),
    ToolSpec::of::<map::Map>(),
    ToolSpec::of::<impact::Impact>(),
    ToolSpec::of::<changes::Changes>(),
    ToolSpec::of::<related::Related>(),
    ToolSpec::of::<memory::Load>(),
    ToolSpec::of::<memory::Save>(),
    ToolSpec::of::<index_state::Current>(),
    ToolSpec::of::<index_state::Refresh>(),
    ToolSpec::of::<index_state::Stats>(),
    ToolSpec::of::<doctor::Doctor>(),
    ToolSpec::of::<prune::Prune>(),
    ToolSpec::of::<prune::Drop>(),
];

/// Returns the tool of a name on the wire.
pub fn by_name(name: &str) -> Option<&'static ToolSpec> {
    TOOLS.iter().find(|tool| tool.name == name)
}

fn input_schema<T: Tool>() -> Map<String, Value> {
    let schema = schema::input::<T::Input>();
    if T::TAKES_REF {
        schema::with_ref(schema)
    } else {
        schema
    }
}

fn output_schema<T: Tool>() -> Map<String, Value> {
    let schema = schema::output::<T::Output>();
    match T::FEDERATION {
        Federation::None => schema,
        Federation::Entries | Federation::Lists(_) => schema::with_repos(schema),
    }
}

fn command<T: Tool>() -> clap::Command {
    let name = T::NAME.strip_prefix("cl_").unwrap_or(T::NAME);
    // The words come last: the input type's own comment would take their place.
    let command = <T::Input as clap::Args>::augment_args(clap::Command::new(name));
    let reference = clap::Arg::new(schema::REF)
        .long(schema::REF)
        .value_name("REF")
        .allow_hyphen_values(true)
        .help(schema::ABOUT_REF.trim_end_matches('.'));
    let command = if T::TAKES_REF {
        command.arg(reference)
    } else {
        command
    };
    command
        .about(T::TITLE)
        .long_about(T::ABOUT)
        .after_help(T::EXAMPLES)
}

fn input_of<T: Tool>(matches: &clap::ArgMatches) -> std::result::Result<Value, clap::Error> {
    let input = <T::Input as clap::FromArgMatches>::from_arg_matches(matches)?;
    let mut value = serde_json::to_value(input).expect("an input type is plain data");
    if T::TAKES_REF
        && let Some(name) = matches.get_one::<String>(schema::REF)
    {
        value[schema::REF] = Value::from(name.as_str());
    }
    Ok(value)
}

/// An output of a tool, and how its handles are written.
pub struct TypedAnswer<T: Tool> {
    /// The output, of one repository.
    pub output: T::Output,
    /// The repository that the handles of the input named.
    repository: Option<String>,
}

impl<T: Tool> TypedAnswer<T> {
    /// Returns the output as all faces give it: one compact value, cut to what a client takes.
    ///
    /// # Errors
    /// `internal` for an output that is no JSON.
    pub fn into_value(self) -> Result<Value> {
        let mut value = value_of::<T>(self.output)?;
        if let Some(name) = self.repository {
            federation::qualify_handles(&mut value, &name);
        }
        Ok(value)
    }
}

/// Checks an input and runs a tool about one repository, as [`ToolSpec::call`] does, for a caller that reads the output's fields.
///
/// # Errors
/// Those of the tool, and `invalid_argument` for an input that it does not take.
pub fn call_one<T: Tool>(input: Value, call: &Call<'_>) -> Result<TypedAnswer<T>> {
    let (input, repository) = read::<T>(input, call)?;
    Ok(TypedAnswer {
        output: run_one::<T>(input, call)?,
        repository,
    })
}

/// Reads an input, and the repository that its handles name.
fn read<T: Tool>(input: Value, call: &Call<'_>) -> Result<(Value, Option<String>)> {
    let mut input = normalize_input::conform(input, &schema::input::<T::Input>())?;
    let of_handles = federation::take_repository_of_handles(&mut input, |name| {
        federation::is_repository(name, call)
    })?;
    Ok((input, of_handles))
}

fn call<T: Tool>(input: Value, call: &Call<'_>) -> Result<Value> {
    let (input, repository) = read::<T>(input, call)?;
    if let Some(names) = federation::asked_repositories(&input, call)? {
        return federation::call_each(T::FEDERATION, &input, &names, call, |input| {
            value_of::<T>(run_one::<T>(input, call)?)
        });
    }
    let output = run_one::<T>(input, call)?;
    TypedAnswer::<T> { output, repository }.into_value()
}

/// Runs a tool about one repository.
fn run_one<T: Tool>(mut input: Value, call: &Call<'_>) -> Result<T::Output> {
    let patience = match schema::take_budget(&mut input)? {
        Some(limit) if T::READ_ONLY => Patience::Within(limit),
        _ => call.patience,
    };
    let name = if T::TAKES_REF {
        schema::take_ref(&mut input)?
    } else {
        None
    };
    let revision = if T::TAKES_REF {
        revision::of_call(name.as_deref(), &input, call)?
    } else {
        None
    };
    let call = &Call {
        interrupt: Arc::clone(&call.interrupt),
        patience,
        revision: revision.as_ref(),
        ..*call
    };
    normalize_input::make_paths_relative(&mut input, call)?;
    let read = schema::read::<T::Input>(input.clone())
        .map_err(|error| schema::with_shared_fields(error, T::TAKES_REF, T::READ_ONLY))?;
    T::run(read, call).map_err(|error| near_paths::with_near_paths(error, &input, call))
}

/// Returns an output as the value of the wire.
fn value_of<T: Tool>(output: T::Output) -> Result<Value> {
    let value = serde_json::to_value(output).map(|value| {
        let value = answer::put_state_first(value);
        if T::IS_CAPPED {
            answer::cap(value)
        } else {
            value
        }
    });
    value.map_err(|error| {
        Error::new(
            crate::error::Code::Internal,
            "the answer could not be written",
            "report this as a fault",
        )
        .because(error)
    })
}

/// Returns the error for a handle that names nothing.
fn unknown_handle(handle: &str) -> Error {
    let hint = if Handle::parse(handle).is_some() {
        "search again: the code was removed or renamed, or the handle is of another repository"
    } else {
        "a handle is `sym_` or `chk_` with 16 hexadecimal digits, or `rel:PATH`: take that of a result of cl_search (`--json` prints it), or pass the name of the definition"
    };
    Error::new(
        crate::error::Code::UnknownHandle,
        format!(
            "no code in this index has the handle `{}`",
            crate::workspace::cut_argument(handle)
        ),
        hint,
    )
}

/// Whether a text that names nothing was meant as a handle: `sym_12ab`, `chk_…`, `core/sym_0123456789abcdef`, `S:99`.
fn is_like_handle(text: &str) -> bool {
    let own = text.rsplit([':', '/']).next().unwrap_or_default();
    let hex = own
        .strip_prefix("sym_")
        .or_else(|| own.strip_prefix("chk_"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let is_short = |(kind, number): (&str, &str)| {
        kind.len() == 1 && kind.bytes().all(|it| it.is_ascii_alphabetic()) && is_digits(number)
    };
    hex.is_some_and(|hex| hex.chars().all(|c| c.is_ascii_hexdigit() || c == '…'))
        || text.split_once(':').is_some_and(is_short)
}

#[cfg(test)]
mod tests {
    use super::is_like_handle;

    #[test]
    fn texts_of_the_form_of_a_handle_are_told_from_names() {
        for handle in ["S:99", "sym_12ab", "chk_0123456789abcdef", "core/sym_0123…"] {
            assert!(is_like_handle(handle), "{handle}");
        }
        for name in [
            "",
            "S",
            "a::b",
            "sym_table",
            "Store:open",
            "std:9",
            ":9",
            "a:",
        ] {
            assert!(!is_like_handle(name), "{name}");
        }
    }
}
