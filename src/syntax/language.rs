//! The languages, as rows of data.
//!
//! The language of a file is decided by its name alone, not by its contents.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::lang::OutlineLanguage;
use super::lang::ecmascript::kinds::Dialect;
use crate::model::Family;
use crate::model::indexing_rules::POLICY_VERSION;
use crate::model::{Analysis, RepoPath};

/// Meaning of the facts of TypeScript, JavaScript and of the components and pages that contain them; raised when extraction
/// says something else of the same bytes.
const ECMASCRIPT_FACTS: u32 = 30;
/// The same for Python.
const PYTHON_FACTS: u32 = 11;
/// The same for Go.
const GO_FACTS: u32 = 9;
/// The same for Java.
const JAVA_FACTS: u32 = 15;
/// The same for C#.
const CSHARP_FACTS: u32 = 13;
/// The same for Rust.
const RUST_FACTS: u32 = 16;
/// The same for C and C++.
const C_FACTS: u32 = 13;
/// The same for languages that are outlined.
const OUTLINE_FACTS: u32 = 105;
/// The same for languages that are cut into chunks alone.
const TEXT_FACTS: u32 = 4;

/// The same for languages that would be read to the symbol and by the user's will are not.
const WITHOUT_SYMBOLS_FACTS: u32 = 1_000 + TEXT_FACTS;

/// The languages that are read to the symbol; all where nothing was said.
static SYMBOLS: OnceLock<Vec<&'static str>> = OnceLock::new();

/// Reads only these languages to the symbol, others as text. Counts for the whole process where it is said before the first file is
/// looked at, and once.
pub fn limit_symbols_to(ids: &[&'static str]) {
    if SYMBOLS.set(ids.to_vec()).is_err() {
        tracing::debug!("the languages that are read to the symbol were said before");
    }
}

/// How a document marks its headings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadingStyle {
    /// `# A`, or a line under the title.
    Markdown,
    /// A line of punctuation under (and over) the title.
    Rst,
    /// `== A`.
    Asciidoc,
}

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileShape {
    /// A module or script.
    Script(Dialect),
    /// Markup with scripts in it.
    Component(Framework),
    /// A module of Python.
    Python,
    /// A file of a package of Go.
    Go,
    /// A compilation unit of Java.
    Java,
    /// A compilation unit of C#.
    CSharp,
    /// A module of Rust.
    Rust,
    /// A file of C, or a header that may be C++.
    C,
    /// A file of C++.
    Cpp,
    /// Definitions alone.
    Outline(OutlineLanguage),
    /// Markup that may be the template of a class in another file.
    Page,
    /// Headings and sections.
    Document(HeadingStyle),
    /// Lines.
    Plain,
}

/// The framework of a single-file component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framework {
    /// `.vue`
    Vue,
    /// `.svelte`
    Svelte,
}

/// One language: a row of `LANGUAGES`.
#[derive(Clone, Debug)]
pub struct Language {
    /// Its name in filters and answers.
    pub id: &'static str,
    /// File name extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names, lower case, for files whose extension says nothing.
    pub names: &'static [&'static str],
    /// Whether it is written for people to read.
    pub is_prose: bool,
    /// Whether its files define names that others use: code, not data, settings or style.
    pub is_code: bool,
    /// Meaning of its facts and chunks: stored facts of another version are void.
    pub facts_version: u32,
    pub(super) shape: FileShape,
}

impl Language {
    /// Whether files of this language, whose calls are not followed, may call definitions of a family: those of Java from Scala, which is
    /// compiled for the same machine.
    pub fn calls_unfollowed(&self, family: Family) -> bool {
        let callers: &[&str] = match family {
            Family::Java => &["kotlin", "scala", "groovy", "clojure"],
            Family::CSharp => &["fsharp"],
            Family::C => &["objectivec", "swift", "zig"],
            Family::Ecmascript => &["astro"],
            _ => &[],
        };
        callers.contains(&self.id) && self.analysis() != Analysis::Full
    }

    /// The rules by which names of its files are resolved; `None` for text.
    pub fn family(&self) -> Option<Family> {
        match self.shape {
            FileShape::Script(_) | FileShape::Component(_) | FileShape::Page => {
                Some(Family::Ecmascript)
            }
            FileShape::Python => Some(Family::Python),
            FileShape::Go => Some(Family::Go),
            FileShape::Java => Some(Family::Java),
            FileShape::CSharp => Some(Family::CSharp),
            FileShape::Rust => Some(Family::Rust),
            FileShape::C | FileShape::Cpp => Some(Family::C),
            FileShape::Outline(_) | FileShape::Document(_) | FileShape::Plain => None,
        }
    }

    /// Returns how deep its files are analysed.
    pub fn analysis(&self) -> Analysis {
        match self.shape {
            FileShape::Script(_)
            | FileShape::Component(_)
            | FileShape::Python
            | FileShape::Go
            | FileShape::Java
            | FileShape::CSharp
            | FileShape::Rust
            | FileShape::C
            | FileShape::Cpp => Analysis::Full,
            FileShape::Outline(_) => Analysis::Outline,
            // Its uses are known where a class names it; it has no definitions.
            FileShape::Page | FileShape::Document(_) | FileShape::Plain => Analysis::Text,
        }
    }
}

const fn row(
    id: &'static str,
    extensions: &'static [&'static str],
    names: &'static [&'static str],
    shape: FileShape,
) -> Language {
    let (is_prose, is_code, facts_version) = match shape {
        FileShape::Script(_) | FileShape::Component(_) => (false, true, ECMASCRIPT_FACTS),
        FileShape::Python => (false, true, PYTHON_FACTS),
        FileShape::Go => (false, true, GO_FACTS),
        FileShape::Java => (false, true, JAVA_FACTS),
        FileShape::CSharp => (false, true, CSHARP_FACTS),
        FileShape::Rust => (false, true, RUST_FACTS),
        FileShape::C | FileShape::Cpp => (false, true, C_FACTS),
        FileShape::Outline(_) => (false, true, OUTLINE_FACTS),
        FileShape::Page => (false, false, ECMASCRIPT_FACTS),
        FileShape::Document(_) => (true, false, TEXT_FACTS),
        FileShape::Plain => (false, false, TEXT_FACTS),
    };
    Language {
        id,
        extensions,
        names,
        is_prose,
        is_code,
        facts_version,
        shape,
    }
}

const fn plain(id: &'static str, extensions: &'static [&'static str]) -> Language {
    row(id, extensions, &[], FileShape::Plain)
}

/// A programming language that is read as text alone.
const fn code(
    id: &'static str,
    extensions: &'static [&'static str],
    names: &'static [&'static str],
) -> Language {
    Language {
        is_code: true,
        ..row(id, extensions, names, FileShape::Plain)
    }
}

/// A programming language whose definitions are known, and not their uses.
const fn outline(
    id: &'static str,
    extensions: &'static [&'static str],
    names: &'static [&'static str],
    language: OutlineLanguage,
) -> Language {
    row(id, extensions, names, FileShape::Outline(language))
}

const fn named(
    id: &'static str,
    extensions: &'static [&'static str],
    names: &'static [&'static str],
) -> Language {
    row(id, extensions, names, FileShape::Plain)
}

const fn script(
    id: &'static str,
    extensions: &'static [&'static str],
    dialect: Dialect,
) -> Language {
    row(id, extensions, &[], FileShape::Script(dialect))
}

const fn document(
    id: &'static str,
    extensions: &'static [&'static str],
    markup: HeadingStyle,
) -> Language {
    row(id, extensions, &[], FileShape::Document(markup))
}

/// The language of `.txt` and `README`, `LICENSE` and the like.
const PLAIN_PROSE: Language = Language {
    is_prose: true,
    ..named(
        "plaintext",
        &["txt"],
        &[
            "readme",
            "license",
            "licence",
            "copying",
            "changelog",
            "changes",
            "history",
            "news",
            "authors",
            "contributors",
            "contributing",
            "notice",
            "patents",
            "todo",
            "install",
            "security",
            "maintainers",
            "code_of_conduct",
            "roadmap",
            "upgrading",
        ],
    )
};

/// The last resort: a file of which nothing is known but that it is text.
const TEXT: Language = plain("text", &[]);

/// Every language. An extension or name stands in one row; the last row takes what no other takes.
pub(super) static LANGUAGES: &[Language] = &[
    script("typescript", &["ts", "mts", "cts"], Dialect::TypeScript),
    script("tsx", &["tsx"], Dialect::Tsx),
    script(
        "javascript",
        &["js", "mjs", "cjs", "jsx"],
        Dialect::JavaScript,
    ),
    row("vue", &["vue"], &[], FileShape::Component(Framework::Vue)),
    row(
        "svelte",
        &["svelte"],
        &[],
        FileShape::Component(Framework::Svelte),
    ),
    document(
        "markdown",
        &["md", "mdx", "markdown", "mdown", "mkd"],
        HeadingStyle::Markdown,
    ),
    document("rst", &["rst", "rest"], HeadingStyle::Rst),
    document(
        "asciidoc",
        &["adoc", "asciidoc", "asc"],
        HeadingStyle::Asciidoc,
    ),
    PLAIN_PROSE,
    named(
        "json",
        &[
            "json",
            "jsonc",
            "json5",
            "jsonl",
            "ndjson",
            "geojson",
            "webmanifest",
            "map",
        ],
        &[".prettierrc", ".eslintrc", ".babelrc", ".swcrc"],
    ),
    named("yaml", &["yaml", "yml"], &[".clang-format"]),
    named("toml", &["toml"], &["pipfile"]),
    plain("css", &["css", "pcss", "postcss"]),
    plain("scss", &["scss", "sass"]),
    plain("less", &["less", "styl"]),
    row(
        "html",
        &[
            "html",
            "htm",
            "xhtml",
            "ejs",
            "hbs",
            "handlebars",
            "mustache",
            "njk",
        ],
        &[],
        FileShape::Page,
    ),
    code("astro", &["astro"], &[]),
    plain("pug", &["pug", "jade"]),
    row("python", &["py", "pyi", "pyw"], &[], FileShape::Python),
    row("go", &["go"], &[], FileShape::Go),
    named("gomod", &[], &["go.mod", "go.work"]),
    row("rust", &["rs"], &[], FileShape::Rust),
    row("java", &["java"], &[], FileShape::Java),
    outline("kotlin", &["kt", "kts"], &[], OutlineLanguage::Kotlin),
    outline(
        "scala",
        &["scala", "sc", "sbt"],
        &[],
        OutlineLanguage::Scala,
    ),
    code("groovy", &["groovy", "gradle"], &[]),
    outline("swift", &["swift"], &[], OutlineLanguage::Swift),
    code("objectivec", &["m", "mm"], &[]),
    outline("dart", &["dart"], &[], OutlineLanguage::Dart),
    row("c", &["c", "h", "def"], &[], FileShape::C),
    row(
        "cpp",
        &[
            "cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "inl", "ipp", "tpp",
        ],
        &[],
        FileShape::Cpp,
    ),
    row("csharp", &["cs", "csx"], &[], FileShape::CSharp),
    code("fsharp", &["fs", "fsi", "fsx"], &[]),
    outline(
        "ruby",
        &["rb", "rake", "gemspec", "ru"],
        &["gemfile", "rakefile"],
        OutlineLanguage::Ruby,
    ),
    outline("php", &["php", "phtml"], &[], OutlineLanguage::Php),
    code("perl", &["pl", "pm"], &[]),
    outline("lua", &["lua", "rockspec"], &[], OutlineLanguage::Lua),
    code("r", &["r"], &[]),
    code("julia", &["jl"], &[]),
    outline("elixir", &["ex", "exs"], &[], OutlineLanguage::Elixir),
    code("erlang", &["erl", "hrl"], &[]),
    code("haskell", &["hs"], &[]),
    code("ocaml", &["ml", "mli"], &[]),
    code("clojure", &["clj", "cljs", "cljc", "edn"], &[]),
    outline("zig", &["zig"], &[], OutlineLanguage::Zig),
    code("nix", &["nix"], &[]),
    outline(
        "shell",
        &["sh", "bash", "zsh", "ksh", "bats"],
        &[
            ".bashrc",
            ".zshrc",
            ".profile",
            ".bash_profile",
            "gradlew",
            ".envrc",
        ],
        OutlineLanguage::Bash,
    ),
    code("fish", &["fish"], &[]),
    code("powershell", &["ps1", "psm1", "psd1"], &[]),
    code("batch", &["bat", "cmd"], &[]),
    code("sql", &["sql"], &[]),
    code("prisma", &["prisma"], &[]),
    outline(
        "graphql",
        &["graphql", "gql", "graphqls"],
        &[],
        OutlineLanguage::GraphQl,
    ),
    outline("protobuf", &["proto"], &[], OutlineLanguage::Protobuf),
    plain(
        "xml",
        &[
            "xml", "svg", "xsd", "xsl", "xslt", "csproj", "vbproj", "props", "plist", "resx",
        ],
    ),
    outline(
        "terraform",
        &["tf", "tfvars", "hcl"],
        &[],
        OutlineLanguage::Hcl,
    ),
    named(
        "dockerfile",
        &["dockerfile"],
        &["dockerfile", "containerfile"],
    ),
    named(
        "makefile",
        &["mk", "mak"],
        &["makefile", "gnumakefile", "justfile"],
    ),
    named("cmake", &["cmake"], &["cmakelists.txt"]),
    named(
        "ini",
        &["ini", "cfg", "conf", "properties", "editorconfig"],
        &[
            ".editorconfig",
            ".npmrc",
            ".yarnrc",
            ".gitconfig",
            ".gitmodules",
        ],
    ),
    named(
        "ignore",
        &["gitignore"],
        &[
            ".gitignore",
            ".gitattributes",
            ".npmignore",
            ".dockerignore",
            ".eslintignore",
            ".prettierignore",
            ".codelensignore",
        ],
    ),
    plain("diff", &["diff", "patch"]),
    plain("csv", &["csv", "tsv"]),
    plain("tex", &["tex", "sty", "bib"]),
    code("solidity", &["sol"], &[]),
    code("wgsl", &["wgsl", "glsl", "vert", "frag", "hlsl"], &[]),
    code("vim", &["vim"], &[]),
    TEXT,
];

/// Returns the rows of `LANGUAGES` as they count: those that are not to be read to the symbol as text.
pub fn languages() -> &'static [Language] {
    static COUNTING: OnceLock<Vec<Language>> = OnceLock::new();
    COUNTING.get_or_init(|| {
        let rows = LANGUAGES.iter().cloned();
        let chosen = SYMBOLS.get();
        rows.map(|row| {
            let is_text = row.analysis() == Analysis::Text;
            if is_text || chosen.is_none_or(|ids| ids.contains(&row.id)) {
                return row;
            }
            Language {
                shape: FileShape::Plain,
                facts_version: WITHOUT_SYMBOLS_FACTS,
                ..row
            }
        })
        .collect()
    })
}

/// Returns the version that a row of a file must have been made by: of the extractor and of the policy.
pub fn row_version(path: &RepoPath) -> u32 {
    by_path(path).facts_version * 100 + POLICY_VERSION
}

/// Returns the language of a file by its name. Every file has one: the last resort is `text`.
pub fn by_path(path: &RepoPath) -> &'static Language {
    let known = LanguageTable::get();
    let name = path.file_name();
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    let name = if is_plain {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.to_lowercase())
    };
    let by_name = |name: &str| known.names.get(name).copied();
    by_name(&name)
        .or_else(|| {
            let (stem, extension) = name.rsplit_once('.')?;
            if stem.is_empty() {
                return None;
            }
            // `LICENSE.MIT` and `Dockerfile.dev` say what they are before the dot.
            let by_extension = known.extensions.get(extension).copied();
            by_extension
                .or_else(|| by_name(stem))
                .or_else(|| known.part_of_c(stem, extension))
        })
        .or_else(|| {
            name.split_once(['-', '.'])
                .and_then(|(stem, _)| by_name(stem))
        })
        .unwrap_or_else(|| languages().last().expect("the list is not empty"))
}

/// The rows of [`LANGUAGES`] by what they go by; of two the first one.
struct LanguageTable {
    names: HashMap<&'static str, &'static Language>,
    extensions: HashMap<&'static str, &'static Language>,
}

impl LanguageTable {
    /// The language of a part of a file of C or C++ that is included for its text: `options.cc.inc`.
    fn part_of_c(&self, stem: &str, extension: &str) -> Option<&'static Language> {
        let (_, inner) = stem.rsplit_once('.').filter(|_| extension == "inc")?;
        let language = self.extensions.get(inner).copied()?;
        (language.family() == Some(Family::C)).then_some(language)
    }

    fn get() -> &'static Self {
        static KNOWN: OnceLock<LanguageTable> = OnceLock::new();
        KNOWN.get_or_init(|| {
            let mut names = HashMap::new();
            let mut extensions = HashMap::new();
            for row in languages() {
                for name in row.names {
                    names.entry(*name).or_insert(row);
                }
                for extension in row.extensions {
                    extensions.entry(*extension).or_insert(row);
                }
            }
            Self { names, extensions }
        })
    }
}

/// Returns the language with this name.
pub fn by_id(id: &str) -> Option<&'static Language> {
    languages().iter().find(|row| row.id == id)
}

#[cfg(test)]
mod tests {
    use super::{LANGUAGES, by_id, by_path};
    use crate::model::RepoPath;

    #[test]
    fn every_file_has_a_language() {
        let id = |path: &str| by_path(&RepoPath::new(path).unwrap()).id;
        for (path, expected) in [
            ("src/a.ts", "typescript"),
            ("src/a.d.mts", "typescript"),
            ("A.TSX", "tsx"),
            ("a.cjs", "javascript"),
            ("App.vue", "vue"),
            ("README.md", "markdown"),
            ("README", "plaintext"),
            ("LICENSE-MIT", "plaintext"),
            ("Dockerfile.dev", "dockerfile"),
            ("CMakeLists.txt", "cmake"),
            (".gitignore", "ignore"),
            (".env", "text"),
            ("a/no-extension", "text"),
            ("x.unknown", "text"),
            ("gen/options.cc.inc", "cpp"),
            ("gen/options.h.inc", "c"),
            ("page.inc", "text"),
        ] {
            assert_eq!(id(path), expected, "{path}");
        }
        assert!(by_path(&RepoPath::new("LICENSE").unwrap()).is_prose);
    }

    #[test]
    fn an_extension_stands_in_one_row() {
        let mut seen = std::collections::BTreeSet::new();
        for row in LANGUAGES {
            assert_eq!(by_id(row.id).map(|found| found.id), Some(row.id));
            for text in row.extensions {
                assert!(seen.insert(*text), "{text}");
            }
        }
    }
}
