//! `cl_save`: keeps code and texts about it.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Call, Tool};
use crate::error::{Error, Result};
use crate::model::RepoPath;
use crate::workspace::{
    DocumentLocation, DocumentToSave, ItemToSave, NamedTest, Quarantined, RecordKind, RecordToSave,
    outside, wanted,
};

/// `cl_save`.
pub struct Save;

/// Input of `cl_save`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveInput {
    /// The same name replaces; a context needs one.
    pub name: Option<String>,
    /// "context" by default.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<KindInput>,
    /// The code it is about.
    #[command(flatten)]
    #[serde(default)]
    pub items: Items,
    /// Your finding; a failure's message; a mark's word.
    #[arg(long, value_name = "TEXT")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// `id` of the failure.
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixes: Option<String>,
    /// Command that shows it.
    #[command(flatten)]
    #[serde(default, skip_serializing_if = "TestInput::is_empty")]
    pub test: TestInput,
    /// A file or https address.
    #[command(flatten)]
    #[serde(default, skip_serializing_if = "DocumentInput::is_empty")]
    pub document: DocumentInput,
    /// Keep its index, too.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Path of the repository, where it is not the working directory's.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum KindInput {
    /// Code and notes by name.
    Context,
    /// A remark about code.
    Note,
    /// A word that labels code.
    Mark,
    /// A failure and what was tried.
    Failure,
    /// Why a failure is solved.
    Fix,
    /// A document that belongs to code.
    Document,
}

impl KindInput {
    /// Returns the kind that is meant.
    pub fn meaning(self) -> RecordKind {
        match self {
            Self::Context => RecordKind::Context,
            Self::Note => RecordKind::Note,
            Self::Mark => RecordKind::Mark,
            Self::Failure => RecordKind::Failure,
            Self::Fix => RecordKind::Fix,
            Self::Document => RecordKind::Document,
        }
    }
}

/// The test of a fix.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestInput {
    #[arg(
        id = "test",
        long = "test",
        value_name = "COMMAND",
        help = "The command that shows a fix"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", help = "Whether it passed, as you say")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passed: Option<bool>,
}

impl TestInput {
    fn is_empty(&self) -> bool {
        self.command.is_none() && self.passed.is_none()
    }
}

/// A document.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentInput {
    #[arg(
        id = "document",
        long = "document",
        value_name = "PATH",
        help = "A document: a file of the repository"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[arg(
        long,
        value_name = "URL",
        help = "A document: an https address, never fetched"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[arg(
        long,
        value_name = "WORD",
        help = "What a document is to the code, for example `design`"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
    #[arg(
        long,
        value_name = "PLACE",
        help = "The place in a document: a page, a heading"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    locator: Option<String>,
    #[arg(long, value_name = "TITLE", help = "The title of a document")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
}

impl DocumentInput {
    fn is_empty(&self) -> bool {
        [
            &self.path,
            &self.url,
            &self.relation,
            &self.locator,
            &self.title,
        ]
        .iter()
        .all(|field| field.is_none())
    }

    fn meaning(&self) -> Result<Option<DocumentToSave>> {
        if self.is_empty() {
            return Ok(None);
        }
        let place = match (&self.path, &self.url) {
            (Some(path), None) => {
                let path = path.strip_prefix("rel:").unwrap_or(path);
                let found = RepoPath::normalise(path).ok_or_else(|| outside(path))?;
                DocumentLocation::Path(found.to_string())
            }
            (None, Some(url)) => DocumentLocation::Address(url.clone()),
            _ => {
                return Err(Error::invalid(
                    "`document` needs exactly one of `path` and `url`",
                    "pass the `path` of a file of the repository, or an https `url`",
                ));
            }
        };
        Ok(Some(DocumentToSave {
            place,
            title: self.title.clone(),
            relation: self.relation.clone(),
            locator: self.locator.clone(),
        }))
    }
}

/// A list of items; on the command line `--handle` and `--path`, each as often as needed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Items(Vec<ItemInput>);

impl Items {
    /// Returns the code that is meant. `relative` gives the path in the repository for one that is written another way.
    ///
    /// # Errors
    /// `unknown_handle`, `outside_repo` or `invalid_argument` for an invalid item.
    pub fn meaning(&self, relative: impl Fn(&str) -> Option<String>) -> Result<Vec<ItemToSave>> {
        self.0
            .iter()
            .map(|item| item_to_save(item, &relative))
            .collect()
    }
}

/// A handle or a path.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ItemInput {
    #[serde(
        default,
        alias = "symbol_id",
        alias = "chunk_id",
        skip_serializing_if = "Option::is_none"
    )]
    handle: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

impl Args for Items {
    fn augment_args(command: Command) -> Command {
        let list = |name: &'static str, value: &'static str| {
            Arg::new(name)
                .long(name)
                .value_name(value)
                .action(ArgAction::Append)
        };
        command
            .arg(
                list("handle", "HANDLE").help(
                    "A handle from another command (sym_…, chk_…, rel:path); may be repeated",
                ),
            )
            .arg(list("path", "PATH").help("A file, relative to the repository; may be repeated"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Items {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        // In the order in which they were written.
        let mut items: Vec<(usize, ItemInput)> = Vec::new();
        for (name, is_handle) in [("handle", true), ("path", false)] {
            let places = matches.indices_of(name).into_iter().flatten();
            let values = matches.get_many::<String>(name).into_iter().flatten();
            items.extend(places.zip(values).map(|(at, value)| {
                let value = Some(value.clone());
                let (handle, path) = if is_handle {
                    (value, None)
                } else {
                    (None, value)
                };
                (at, ItemInput { handle, path })
            }));
        }
        items.sort_by_key(|(at, _)| *at);
        Ok(Self(items.into_iter().map(|(_, item)| item).collect()))
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The saved record.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaveOutput {
    pub(crate) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) kind: &'static str,
    pub(crate) pinned: bool,
    pub(crate) item_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verification: Option<String>,
    /// Records that say much the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<std::collections::BTreeMap<String, String>>")]
    pub(crate) similar: Vec<SimilarOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// A record that says much the same.
#[derive(Debug, Serialize)]
pub struct SimilarOutput {
    pub(crate) id: String,
    pub(crate) title: String,
}

impl Tool for Save {
    const NAME: &'static str = "cl_save";
    const TITLE: &'static str = "Save findings about code";
    const ABOUT: &'static str = "Keeps notes, failures, fixes, marks, links to documents, and contexts (code and notes by name) for later \
        sessions, on every branch.";
    const EXAMPLES: &'static str = "codelens save login --path src/login.ts --handle sym_0123456789abcdef --notes \"session is made here\"\n\
        codelens save --kind failure --notes \"TypeError: x is not a function\"\n\
        codelens save --kind fix --fixes mem_0123456789abcdef --path src/login.ts --notes \"x is made later\" --test \"npm test\" --passed";
    const READ_ONLY: bool = false;
    const IDEMPOTENT: bool = false;
    type Input = SaveInput;
    type Output = SaveOutput;

    fn run(input: SaveInput, call: &Call<'_>) -> Result<SaveOutput> {
        let items = input.items.meaning(|_| None)?;
        let test = (!input.test.is_empty()).then(|| NamedTest {
            command: input.test.command.clone().unwrap_or_default(),
            passed: input.test.passed,
        });
        let claims = test.as_ref().is_some_and(|test| test.passed == Some(true));
        let kind = input.kind.map_or(RecordKind::Context, KindInput::meaning);
        let workspace = call.workspaces.open(input.repo.as_deref(), call.places)?;
        let wanted = RecordToSave {
            kind,
            name: input.name.as_deref(),
            notes: input.notes.as_deref(),
            items: &items,
            fixes: input.fixes.as_deref(),
            test,
            document: input.document.meaning()?,
            pinned: input.pinned,
            author: call.author,
        };
        let saved = call.with_question("", |question| workspace.save_record(&wanted, question))?;
        let has_test = matches!(kind, RecordKind::Failure | RecordKind::Fix);
        let verification = if claims { "claimed" } else { "none" };
        let similar = saved.similar.into_iter().map(|similar| SimilarOutput {
            id: similar.uid,
            title: super::title(&similar.title),
        });
        Ok(SaveOutput {
            id: saved.record.uid,
            name: saved.record.name,
            kind: kind.as_str(),
            pinned: saved.record.pinned,
            item_count: saved.record.n_items,
            verification: has_test.then(|| verification.to_owned()),
            similar: similar.collect(),
            note: saved.quarantined.map(|Quarantined { name, n_readable }| {
                let readable = match n_readable {
                    0 => "None of them could be read.".to_owned(),
                    n => format!(
                        "{n} of them could be read: cl_doctor (`codelens doctor`) names the export that `codelens note import` takes back."
                    ),
                };
                format!("The saved records were damaged: they are kept as `{name}` in the data directory, and new ones are begun. {readable}")
            }),
        })
    }
}

/// Returns the item that a caller names.
fn item_to_save(item: &ItemInput, relative: impl Fn(&str) -> Option<String>) -> Result<ItemToSave> {
    match (&item.handle, &item.path) {
        (Some(handle), _) => wanted(handle, true),
        (None, Some(path)) => wanted(relative(path).as_deref().unwrap_or(path), false),
        (None, None) => Err(Error::invalid(
            "an item names neither `handle` nor `path`",
            "give each item a `handle` from another tool, or the `path` of a file",
        )),
    }
}
