//! Which classes of files a query asks for by name.

/// Which classes a query names itself, so that they are not put down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "one wish for each class")]
pub(super) struct Wants {
    /// Tests, examples, fixtures, benchmarks.
    pub tests: bool,
    /// Documentation.
    pub prose: bool,
    /// Data and configuration.
    pub data: bool,
    /// Generated files and declarations.
    pub generated: bool,
}

impl Wants {
    /// Returns the roles that the words (normal forms) and the text of a query name.
    pub(super) fn of<'a>(words: impl IntoIterator<Item = &'a str>, text: &str) -> Self {
        let mut wants = Self::default();
        for word in words {
            match word {
                "test" | "tests" | "testing" | "spec" | "specs" | "example" | "examples"
                | "fixture" | "fixtures" | "e2e" | "mock" | "mocks" | "bench" | "benchmark"
                | "benchmarks" | "playground" | "demo" | "sample" | "samples" | "stories" => {
                    wants.tests = true;
                }
                "doc" | "docs" | "documentation" | "readme" | "changelog" | "changelogs"
                | "license" | "contributing" | "tutorial" | "markdown" | "md" | "history"
                | "guide" => wants.prose = true,
                "yaml" | "yml" | "toml" | "css" | "scss" | "lockfile" | "tsconfig" => {
                    wants.data = true;
                }
                "generated" | "dts" | "minified" | "vendor" | "vendored" | "dist" => {
                    wants.generated = true;
                }
                _ => {}
            }
        }
        wants.generated |= text.contains(".d.ts");
        wants
    }
}

#[cfg(test)]
mod tests {
    use super::Wants;

    #[test]
    fn a_query_can_ask_for_what_is_put_down() {
        let wants = |text: &str| Wants::of(text.split(' '), text);
        assert_eq!(wants("queue flush"), Wants::default());
        assert!(wants("queue spec").tests);
        assert!(wants("readme install").prose);
        assert!(wants("global.d.ts window").generated);
    }
}
