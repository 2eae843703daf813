//! The part of build files that decides where imports lead: source directories, and the modules that one depends on.
//!
//! Files are read literally: `${version}` is no name, and nothing that a script computes is known.

use serde::{Deserialize, Serialize};

use crate::model::RepoPath;
use crate::model::path::file_name;

/// Bytes of a build file that is read; a larger one declares nothing.
const MAX_BUILD_FILE_BYTES: usize = 1 << 20;

/// Dependencies, included projects and source directories of one file that are read.
const MAX_ENTRIES: usize = 5_000;

/// Words of a script that are read.
const MAX_TOKENS: usize = 200_000;

/// A project that a `settings.gradle` includes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Included {
    /// Its path in the build: `:core:db`.
    pub(super) path: String,
    /// Its directory, relative to that of the file.
    pub(super) directory: String,
}

/// A build file, as far as it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct BuildFile {
    /// The `artifactId` of a Maven module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) artifact: Option<String>,
    /// The path of the parent's `pom.xml` or its directory, relative to the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<String>,
    /// The modules that it depends on: an `artifactId`, a path of Gradle (`:core:db`), an accessor (`projects.core.db`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) dependencies: Vec<String>,
    /// Directories of sources that are written out, relative to the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) sources: Vec<String>,
    /// The same for tests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) test_sources: Vec<String>,
    /// The projects of a Gradle build.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) included: Vec<Included>,
}

/// The kind of a build file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuildFileKind {
    Maven,
    /// `build.gradle`, `build.gradle.kts`, and `core/core.gradle`.
    Gradle,
    /// `settings.gradle`, `settings.gradle.kts`
    GradleSettings,
}

impl BuildFileKind {
    /// Returns the kind of the build file at a path; `None` for any other file.
    pub(super) fn of(path: &str) -> Option<Self> {
        let name = file_name(path);
        if name == "pom.xml" {
            return Some(Self::Maven);
        }
        let stem = name
            .strip_suffix(".gradle")
            .or_else(|| name.strip_suffix(".gradle.kts"))?;
        match stem {
            "settings" => Some(Self::GradleSettings),
            "build" => Some(Self::Gradle),
            _ => {
                let directory = crate::model::path::parent(path);
                (file_name(directory) == stem).then_some(Self::Gradle)
            }
        }
    }
}

impl BuildFile {
    /// Reads a build file; what is broken or computed is left out.
    pub(super) fn read(path: &RepoPath, bytes: &[u8]) -> Self {
        if bytes.len() > MAX_BUILD_FILE_BYTES {
            return Self::default();
        }
        let text = String::from_utf8_lossy(bytes);
        let mut read = match BuildFileKind::of(path.as_str()) {
            Some(BuildFileKind::Maven) => Self::of_pom(&text),
            Some(BuildFileKind::Gradle) => Self::of_gradle(&text),
            Some(BuildFileKind::GradleSettings) => Self::of_settings(&text),
            None => Self::default(),
        };
        for list in [
            &mut read.dependencies,
            &mut read.sources,
            &mut read.test_sources,
        ] {
            list.truncate(MAX_ENTRIES);
        }
        read.included.truncate(MAX_ENTRIES);
        read
    }

    /// Reads what [`Self::to_bytes`] wrote.
    pub(super) fn of_bytes(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).unwrap_or_default()
    }

    /// Writes it in the form that the index keeps.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts can be written")
    }

    fn of_pom(text: &str) -> Self {
        let mut read = Self::default();
        let Ok(document) = roxmltree::Document::parse(text.trim_start_matches('\u{feff}')) else {
            return read;
        };
        let project = document.root_element();
        read.artifact = text_in(project, "artifactId");
        read.parent = child(project, "parent").map(|parent| {
            let path = child(parent, "relativePath").map(|it| it.text().unwrap_or_default());
            path.unwrap_or("../pom.xml").trim().to_owned()
        });
        // An empty path: the parent is not looked for on disk.
        read.parent = read.parent.filter(|it| !it.is_empty());
        if let Some(dependencies) = child(project, "dependencies") {
            let all = dependencies
                .children()
                .filter(|it| it.has_tag_name_of("dependency"));
            read.dependencies
                .extend(all.filter_map(|it| text_in(it, "artifactId")));
        }
        if let Some(build) = child(project, "build") {
            read.sources
                .extend(text_in(build, "sourceDirectory").map(|it| in_basedir(&it)));
            let tests = text_in(build, "testSourceDirectory");
            read.test_sources.extend(tests.map(|it| in_basedir(&it)));
        }
        let is_literal = |it: &String| !it.contains("${");
        read.artifact = read.artifact.filter(is_literal);
        read.dependencies.retain(is_literal);
        read.sources.retain(is_literal);
        read.test_sources.retain(is_literal);
        read
    }

    fn of_gradle(text: &str) -> Self {
        let mut read = Self::default();
        let tokens = tokens(text);
        let mut blocks: Vec<&str> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let rest = &tokens[at + 1..];
            match token {
                ScriptWord::Sign('{') => blocks.push(block_name(&tokens[..at])),
                ScriptWord::Sign('}') => drop(blocks.pop()),
                ScriptWord::Word("project") if blocks.contains(&"dependencies") => {
                    if let Some(path) = project_path(rest) {
                        read.dependencies.push(path.to_owned());
                    }
                }
                ScriptWord::Word(word)
                    if word.starts_with("projects.") && blocks.contains(&"dependencies") =>
                {
                    read.dependencies.push((*word).to_owned());
                }
                ScriptWord::Word(word) if is_source_list(word) => {
                    let set = blocks.iter().rev().find(|it| !LANGUAGES.contains(it));
                    let is_in_sets = blocks.contains(&"sourceSets") || word.contains("sourceSets");
                    let list = match set {
                        Some(&"main") if is_in_sets => &mut read.sources,
                        Some(&"test") if is_in_sets => &mut read.test_sources,
                        _ if word.contains("sourceSets.main.") => &mut read.sources,
                        _ if word.contains("sourceSets.test.") => &mut read.test_sources,
                        _ => continue,
                    };
                    list.extend(
                        texts(rest)
                            .filter(|it| !it.contains('$'))
                            .map(str::to_owned),
                    );
                }
                _ => {}
            }
        }
        read
    }

    fn of_settings(text: &str) -> Self {
        let mut read = Self::default();
        let tokens = tokens(text);
        for (at, token) in tokens.iter().enumerate() {
            let rest = &tokens[at + 1..];
            match token {
                ScriptWord::Word("include") => {
                    for path in texts(rest).filter(|it| !it.contains('$')) {
                        let path = path.trim_start_matches(':');
                        read.included.push(Included {
                            path: format!(":{path}"),
                            directory: path.replace(':', "/"),
                        });
                    }
                }
                // `project(':core').projectDir = file('modules/core')`
                ScriptWord::Word("project") => {
                    let (Some(path), Some(at)) = (
                        project_path(rest),
                        rest.iter()
                            .take(6)
                            .position(|it| *it == ScriptWord::Word(".projectDir")),
                    ) else {
                        continue;
                    };
                    let directory = rest[at..].iter().take(8).find_map(|it| match it {
                        ScriptWord::Text(text) => Some(*text),
                        _ => None,
                    });
                    let known = read.included.iter_mut().find(|it| it.path == path);
                    if let (Some(known), Some(directory)) = (known, directory) {
                        let directory = directory.trim_start_matches("$rootDir/");
                        directory.clone_into(&mut known.directory);
                    }
                }
                _ => {}
            }
        }
        read
    }
}

/// Blocks of languages inside of a source set.
const LANGUAGES: &[&str] = &["java", "kotlin", "groovy", "scala"];

fn is_source_list(word: &str) -> bool {
    let last = word.rsplit('.').next().unwrap_or(word);
    let is_resources = word.contains("resources");
    matches!(last, "srcDir" | "srcDirs" | "setSrcDirs") && !is_resources
}

trait HasTagName {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl HasTagName for roxmltree::Node<'_, '_> {
    /// As `has_tag_name`, in whatever namespace.
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn child<'a, 'd>(node: roxmltree::Node<'a, 'd>, name: &str) -> Option<roxmltree::Node<'a, 'd>> {
    node.children().find(|it| it.has_tag_name_of(name))
}

fn text_in(node: roxmltree::Node<'_, '_>, name: &str) -> Option<String> {
    let text = child(node, name)?.text()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn in_basedir(path: &str) -> String {
    let starts = ["${project.basedir}/", "${basedir}/"];
    let inside = starts.iter().find_map(|start| path.strip_prefix(start));
    inside.unwrap_or(path).to_owned()
}

/// A word of a Gradle script, in Groovy or Kotlin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScriptWord<'a> {
    /// A name with the dots in it: `projects.core`.
    Word(&'a str),
    /// A string without its quotes.
    Text(&'a str),
    /// Any other sign.
    Sign(char),
}

/// Splits a script into words; comments are left out.
fn tokens(text: &str) -> Vec<ScriptWord<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if found.len() >= MAX_TOKENS {
            break;
        }
        let length = if c.is_whitespace() {
            c.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |at| at + 4)
        } else if c == '"' || c == '\'' {
            let end = rest[1..].find([c, '\n']).map_or(rest.len(), |at| at + 1);
            found.push(ScriptWord::Text(&rest[1..end]));
            (end + 1).min(rest.len())
        } else if c.is_alphanumeric() || c == '_' || c == '.' {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            found.push(ScriptWord::Word(&rest[..end]));
            end
        } else {
            found.push(ScriptWord::Sign(c));
            c.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

/// Returns the name of the block that opens behind some words: `main {`, `named("main") {`.
fn block_name<'a>(before: &[ScriptWord<'a>]) -> &'a str {
    let last = before.iter().rev().take(2).find_map(|it| match it {
        ScriptWord::Word(word) => Some(word.rsplit('.').next().unwrap_or(word)),
        ScriptWord::Text(text) => Some(*text),
        ScriptWord::Sign(_) => None,
    });
    last.unwrap_or_default()
}

/// Returns the path in `(':core')`, `(path: ':core', …)`.
fn project_path<'a>(rest: &[ScriptWord<'a>]) -> Option<&'a str> {
    if rest.first() != Some(&ScriptWord::Sign('(')) {
        return None;
    }
    let inside = rest[1..].iter().take(3);
    let path = inside.into_iter().find_map(|it| match it {
        ScriptWord::Text(text) => Some(*text),
        _ => None,
    })?;
    (path.starts_with(':') && !path.contains('$')).then_some(path)
}

/// Returns the strings of a list: `'a', 'b'`, `("a", "b")`, `= ['a']`, `(listOf("a"))`, `(files("a"))`.
fn texts<'a>(rest: &[ScriptWord<'a>]) -> impl Iterator<Item = &'a str> {
    let is_of_list = |it: &&ScriptWord<'a>| {
        matches!(
            it,
            ScriptWord::Text(_)
                | ScriptWord::Sign(',' | '(' | '[' | '=' | '+')
                | ScriptWord::Word("listOf" | "setOf" | "files" | "file" | "mutableListOf")
        )
    };
    let list: Vec<&'a str> = rest
        .iter()
        .take_while(is_of_list)
        .filter_map(|it| match it {
            ScriptWord::Text(text) => Some(*text),
            _ => None,
        })
        .collect();
    list.into_iter()
}

#[cfg(test)]
mod tests {
    use super::BuildFile;
    use crate::model::RepoPath;

    fn read(path: &str, text: &str) -> BuildFile {
        let read = BuildFile::read(&RepoPath::new(path).unwrap(), text.as_bytes());
        assert_eq!(BuildFile::of_bytes(&read.to_bytes()), read);
        read
    }

    #[test]
    fn a_pom_is_read_literally() {
        let pom = read(
            "core/pom.xml",
            "<?xml version=\"1.0\"?>\n<project xmlns=\"http://maven.apache.org/POM/4.0.0\">
               <parent><artifactId>all</artifactId></parent>
               <artifactId> core </artifactId>
               <dependencyManagement><dependencies><dependency><artifactId>no</artifactId></dependency></dependencies></dependencyManagement>
               <dependencies>
                 <!-- <dependency><artifactId>no</artifactId></dependency> -->
                 <dependency><groupId>a</groupId><artifactId>db</artifactId><exclusions><exclusion><artifactId>no</artifactId></exclusion></exclusions></dependency>
                 <dependency><artifactId>${name}</artifactId></dependency>
               </dependencies>
               <build><sourceDirectory>${project.basedir}/java</sourceDirectory><testSourceDirectory>tests</testSourceDirectory></build>
             </project>",
        );
        assert_eq!(pom.artifact.as_deref(), Some("core"));
        assert_eq!(pom.parent.as_deref(), Some("../pom.xml"));
        assert_eq!(pom.dependencies, ["db"]);
        assert_eq!(
            (pom.sources, pom.test_sources),
            (vec!["java".to_owned()], vec!["tests".to_owned()])
        );
        assert_eq!(
            read("pom.xml", "<project><artifactId>"),
            BuildFile::default()
        );
        assert_eq!(
            read("pom.xml", "<!DOCTYPE a [<!ENTITY b \"c\">]><project/>"),
            BuildFile::default()
        );
    }

    #[test]
    fn a_script_is_read_by_its_words() {
        let build = read(
            "app/build.gradle",
            "// project(':no')
             dependencies {
               implementation project(':core') // one
               testImplementation(project(path: \":util:text\", configuration: 'tests'))
               api(projects.coreDb)
               implementation \"a:b:$version\"
             }
             evaluationDependsOn(':no')
             sourceSets { main { java { srcDirs = ['src', 'gen'] } resources { srcDir 'no' } } test { java.srcDir('tests') } }",
        );
        assert_eq!(
            build.dependencies,
            [":core", ":util:text", "projects.coreDb"]
        );
        assert_eq!(build.sources, ["src", "gen"]);
        assert_eq!(build.test_sources, ["tests"]);
        let settings = read(
            "settings.gradle.kts",
            "rootProject.name = \"x\"\ninclude(\":core\", \"util:text\")\ninclude 'app',\n  'web'\nincludeBuild('no')
             project(\":core\").projectDir = file(\"modules/core\")",
        );
        let included: Vec<(&str, &str)> = settings
            .included
            .iter()
            .map(|it| (it.path.as_str(), it.directory.as_str()))
            .collect();
        assert_eq!(
            included,
            [
                (":core", "modules/core"),
                (":util:text", "util/text"),
                (":app", "app"),
                (":web", "web")
            ]
        );
        assert_eq!(read("core/core.gradle", "'"), BuildFile::default());
    }
}
