//! Which classes of files a query asks for by name.

/// Which classes a query names itself, so that they are not put down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "one wish for each class")]
pub(super) struct RequestedRoles {
    /// Tests, examples, fixtures, benchmarks.
    pub tests: bool,
    /// Documentation.
    pub prose: bool,
    /// Data and configuration.
    pub data: bool,
    /// Generated files and declarations.
    pub generated: bool,
}

impl RequestedRoles {
    /// Returns the roles that the words (normal forms) and the text of a query name.
    pub(super) fn of<'a>(words: impl IntoIterator<Item = &'a str>, text: &str) -> Self {
        let mut requested = Self::default();
        for word in words {
            match word {
                "test" | "tests" | "testing" | "spec" | "specs" | "example" | "examples"
                | "fixture" | "fixtures" | "e2e" | "mock" | "mocks" | "bench" | "benchmark"
                | "benchmarks" | "playground" | "demo" | "sample" | "samples" | "stories" => {
                    requested.tests = true;
                }
                "doc" | "docs" | "documentation" | "readme" | "changelog" | "changelogs"
                | "license" | "contributing" | "tutorial" | "markdown" | "md" | "history"
                | "guide" => requested.prose = true,
                "yaml" | "yml" | "toml" | "css" | "scss" | "lockfile" | "tsconfig" => {
                    requested.data = true;
                }
                "generated" | "dts" | "minified" | "vendor" | "vendored" | "dist" => {
                    requested.generated = true;
                }
                _ => {}
            }
        }
        requested.generated |= text.contains(".d.ts");
        requested
    }
}

#[cfg(test)]
mod tests {
    use super::RequestedRoles;

    #[test]
    fn a_query_can_ask_for_what_is_put_down() {
        let requested = |text: &str| RequestedRoles::of(text.split(' '), text);
        assert_eq!(requested("queue flush"), RequestedRoles::default());
        assert!(requested("queue spec").tests);
        assert!(requested("readme install").prose);
        assert!(requested("global.d.ts window").generated);
    }
}
