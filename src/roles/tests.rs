//! Configurations as they are found in repositories, and the roles that follow from them.

use super::FileRole::{self, Code, Example, Test, TestSupport};
use super::runner::FileIndex;
use super::{Content, Runner, Suite, compiled, kept, role};
use crate::model::RepoPath;

/// Files of a repository: `(path, text)`.
type Files<'a> = &'a [(&'a str, &'a str)];

/// A repository whose other files are not known: each pattern may match one of them.
struct AnyFiles;

impl FileIndex for AnyFiles {
    fn has_file(&self, _: &dyn Fn(&str) -> bool) -> bool {
        true
    }
}

/// The paths of all files of a repository.
struct TheseFiles<'a>(&'a [&'a str]);

impl FileIndex for TheseFiles<'_> {
    fn has_file(&self, fits: &dyn Fn(&str) -> bool) -> bool {
        self.0.iter().any(|path| fits(path))
    }
}

fn role_with(configs: Files<'_>, path: &str, content: Content) -> FileRole {
    role_among(configs, &AnyFiles, path, content)
}

fn role_among(configs: Files<'_>, index: &dyn FileIndex, path: &str, content: Content) -> FileRole {
    let suites = configs.iter().flat_map(|(path, text)| {
        let kept = kept(&RepoPath::new(path).unwrap(), text);
        kept.map_or_else(Vec::new, |text| {
            serde_json::from_str::<Vec<Suite>>(&text).unwrap()
        })
    });
    let suites = compiled(suites.collect());
    role(&RepoPath::new(path).unwrap(), &suites, index, || content)
}

/// Checks the roles of files of which nothing but the path is known.
fn check(configs: Files<'_>, wanted: &[(&str, FileRole)]) {
    for (path, wanted) in wanted {
        let found = role_with(configs, path, Content::default());
        assert_eq!(found, *wanted, "{path} by {configs:?}");
    }
}

#[test]
fn vitest_runs_what_its_projects_include() {
    let config = "import { configDefaults } from 'vitest/config'
        export default defineConfig({ test: { globals: true, projects: [
          { extends: true, test: { exclude: [...configDefaults.exclude, '**/e2e/**', 'old'] } },
          { extends: true, test: { include: ['e2e/*.spec.ts'] } },
          'packages/*', './apps/*/vitest.config.ts',
        ] } })";
    let narrow = "export default { test: { include: ['src/**/*.check.ts'] } }";
    let configs: Files<'_> = &[
        ("vitest.config.ts", config),
        ("packages/b/vite.config.ts", narrow),
    ];
    check(
        configs,
        &[
            ("src/a.test.ts", Test),
            ("src/a.test-d.ts", TestSupport),
            ("old/a.test.ts", TestSupport),
            ("e2e/a.spec.ts", Test),
            ("x/e2e/a.spec.ts", TestSupport),
            ("packages/b/src/a.check.ts", Test),
            ("src/mcp/test/tool.ts", Code),
            ("test/setup.ts", TestSupport),
            ("src/__tests__/util.ts", TestSupport),
            ("playground/a/main.ts", Example),
            ("docs/a.ts", Example),
        ],
    );
    check(
        &[("package.json", r#"{"scripts": {"test": "vitest run"}}"#)],
        &[("a.spec.ts", Test), ("test/a.ts", TestSupport)],
    );
    check(
        &[("vite.config.ts", "export default { plugins: [] }")],
        &[("test/a.ts", Test)],
    );
}

#[test]
fn groups_in_the_patterns_of_vitest_have_no_sign() {
    let config = "export default { test: { include: ['src/**/(*.)+(spec|test).+(ts|tsx|js)'] } }";
    check(
        &[("vitest.config.ts", config)],
        &[
            ("src/utils/body.test.ts", Test),
            ("src/body.test.tsx", Test),
            ("other/body.test.ts", TestSupport),
            ("src/body.ts", Code),
        ],
    );
}

#[test]
fn patterns_that_match_no_file_say_nothing_against_names() {
    let config = "export default { test: { include: ['lib/**/*.check.ts'] } }";
    let configs: Files<'_> = &[("vitest.config.ts", config)];
    let role =
        |files: &[&str], path| role_among(configs, &TheseFiles(files), path, Content::default());
    let others = ["src/a.ts", "src/a.test.ts"];
    assert_eq!(role(&others, "src/a.test.ts"), Test);
    assert_eq!(role(&others, "src/a.ts"), Code);
    let with_one = ["src/a.test.ts", "lib/b.check.ts"];
    assert_eq!(role(&with_one, "src/a.test.ts"), TestSupport);
    assert_eq!(role(&with_one, "lib/b.check.ts"), Test);
}

#[test]
fn conditions_and_computed_lists_are_read_in_favour_of_tests() {
    let config = "const more = process.env.ALL ? ['slow/**/*.spec.ts'] : []
        export default { test: { include: ['src/**/*.spec.ts', ...more], exclude: [...(isBuild ? ['src/a.spec.ts'] : [])] } }";
    check(
        &[("vitest.config.mts", config)],
        &[
            ("slow/x.spec.ts", Test),
            ("src/a.spec.ts", Test),
            ("other/a.spec.ts", TestSupport),
        ],
    );
    // Unknown values may name more files: names tell the rest.
    let config = "export default { test: { include: await find() } }";
    check(
        &[("vitest.config.ts", config)],
        &[("other/a.spec.ts", Test), ("other/a.ts", Code)],
    );
}

#[test]
fn playwright_has_projects_with_directories() {
    let config = "const testDir = path.join(__dirname, '..')
        const config = { testDir, projects: [], testIgnore: '**\\/assets/**' }
        for (const name of names) {
          const page = { name: `${name}-page`, testDir: path.join(testDir, 'page'), ...template }
          config.projects.push(page)
          config.projects.push({ testDir: path.join(testDir, 'library'), testMatch: /.*\\.pw\\.ts/ })
        }
        export default config";
    check(
        &[("tests/config/playwright.config.ts", config)],
        &[
            ("tests/page/a.spec.ts", Test),
            ("tests/page/assets/a.spec.ts", TestSupport),
            ("tests/page/pageTest.ts", TestSupport),
            ("tests/library/a.pw.ts", Test),
            ("tests/library/a.spec.ts", TestSupport),
            ("tests/config/playwright.config.ts", TestSupport),
        ],
    );
}

#[test]
fn jest_matches_patterns_or_expressions_of_whole_paths() {
    let config = "module.exports = { rootDir: '..', testRegex: '(/spec/.*|\\\\.(unit))\\\\.[jt]s$', testPathIgnorePatterns: ['<rootDir>/spec/old/'] }";
    check(
        &[("config/jest.config.js", config)],
        &[
            ("spec/a.js", Test),
            ("spec/old/a.js", TestSupport),
            ("src/a.unit.ts", Test),
            ("src/a.test.ts", TestSupport),
        ],
    );
    let config = r#"{"jest": {"roots": ["<rootDir>/src"], "testMatch": ["<rootDir>/src/**/*.t.js", "!**/skip/**"]}}"#;
    check(
        &[("app/package.json", config)],
        &[
            ("app/src/a.t.js", Test),
            ("app/src/skip/a.t.js", Code),
            ("src/a.t.js", Code),
        ],
    );
    check(
        &[("jest.config.ts", "export default { preset: 'x' }")],
        &[("a/__tests__/b.ts", Test)],
    );
}

#[test]
fn mocha_and_its_like_are_told_by_commands() {
    let scripts = r#"{"scripts": {"test": "NODE_ENV=test nyc --exclude x mocha --require test/support/env --reporter spec test/ test/acceptance/", "x": "npm run mocha"}}"#;
    check(
        &[("package.json", scripts)],
        &[
            ("test/a.js", Test),
            ("test/acceptance/a.js", Test),
            ("test/support/env.js", TestSupport),
            ("test/a.json", TestSupport),
        ],
    );
    let yaml = "# options\nspec:\n  - 'unit/**/*.ts'\nextension: [ts]\nrecursive: true\n";
    check(
        &[(".mocharc.yml", yaml)],
        &[("unit/a/b.ts", Test), ("test/a.js", TestSupport)],
    );
    let node =
        r#"{"scripts": {"test": "node --import tsx --test 'specs/**/*.ts' && tap checks/*.js"}}"#;
    check(
        &[("package.json", node)],
        &[
            ("specs/a.ts", Test),
            ("checks/a.js", Test),
            ("checks/b/a.js", Code),
        ],
    );
    let ava = r#"{"ava": {"files": ["verify/**", "!verify/data/**"]}}"#;
    check(
        &[("package.json", ava)],
        &[("verify/a.js", Test), ("verify/data/a.js", Code)],
    );
    check(
        &[("package.json", r#"{"scripts": {"test": "ava"}}"#)],
        &[("test/a.js", Test), ("test/helpers/a.js", TestSupport)],
    );
}

#[test]
fn pytest_has_names_and_places() {
    let toml = "[tool.other]\npython_files = ['x']\n[tool.pytest.ini_options]\ntestpaths = [\n  \"tests\", # all\n]\npython_files = [\"check_*.py\", \"test_*/__init__.py\"]\n[tool.z]\n";
    check(
        &[("pyproject.toml", toml)],
        &[
            ("tests/a/check_b.py", Test),
            ("tests/test_b.py", TestSupport),
            ("tests/test_c/__init__.py", Test),
            ("tests/conftest.py", TestSupport),
            ("other/test_b.py", Test),
        ],
    );
    let ini = "[pytest]\npython_files =\n    test_*.py\n    spec_*.py\naddopts = -q\n";
    check(
        &[("pytest.ini", ini)],
        &[
            ("a/spec_b.py", Test),
            ("a/b.py", Code),
            ("tests/b.py", TestSupport),
        ],
    );
    check(
        &[],
        &[
            ("test_a.py", Test),
            ("tests/a.py", TestSupport),
            ("a/tests/fixtures/b.py", TestSupport),
        ],
    );
}

#[test]
fn pytest_is_configured_in_one_of_many_files() {
    let wanted: &[(&str, FileRole)] = &[
        ("checks/check_a.py", Test),
        ("checks/a_check.py", Test),
        ("checks/test_a.py", TestSupport),
        ("checks/conftest.py", TestSupport),
        ("src/check_a.py", Code),
    ];
    for (path, section) in [
        ("pytest.ini", "pytest"),
        ("tox.ini", "pytest"),
        ("setup.cfg", "tool:pytest"),
    ] {
        let text = format!(
            "[tox]\nenvlist = py\n\n[{section}]\naddopts =\n    -p no:x=1\npython_files = check_*.py\n  # own\n  *_check.py\ntestpaths=checks\n[x]\npython_files = *\n"
        );
        check(&[(path, &text)], wanted);
    }
    for (path, section) in [
        ("pyproject.toml", "tool.pytest"),
        ("pyproject.toml", "tool.pytest.ini_options"),
        ("pytest.toml", "pytest"),
    ] {
        let text = format!(
            "[{section}]\npython_files = ['check_*.py', '*_check.py']\ntestpaths = ['checks']\n"
        );
        check(&[(path, &text)], wanted);
    }
}

#[test]
fn files_of_python_go_by_their_names_where_nothing_is_configured() {
    check(
        &[],
        &[
            ("app/tests.py", Test),
            ("app/a_test.py", Test),
            ("tests/unit/test_a.py", Test),
            ("tests/conftest.py", TestSupport),
            ("tests/unit/helper.py", TestSupport),
            ("app/contest.py", Code),
            ("app/latest.py", Code),
        ],
    );
    check(
        &[(
            "pytest.ini",
            "[pytest]\npython_files = *.py\ntestpaths = t\n",
        )],
        &[("t/a.py", Test), ("t/conftest.py", TestSupport)],
    );
}

#[test]
fn content_is_evidence_where_no_configuration_decides() {
    let framework = |runner| Content {
        framework: Some(runner),
        helps: true,
        ..Content::default()
    };
    let globals = Content {
        has_globals: true,
        ..Content::default()
    };
    assert_eq!(
        role_with(&[], "checks/a.ts", framework(Runner::Vitest)),
        Test
    );
    assert_eq!(role_with(&[], "checks/a.ts", globals), Test);
    let configs: Files<'_> = &[("vitest.config.ts", "export default { test: {} }")];
    assert_eq!(
        role_with(configs, "checks/a.ts", framework(Runner::Vitest)),
        TestSupport
    );
    assert_eq!(role_with(configs, "checks/a.ts", globals), TestSupport);
    // Of another runner this configuration says nothing.
    assert_eq!(
        role_with(configs, "checks/a.ts", framework(Runner::Playwright)),
        Test
    );
    assert_eq!(role_with(configs, "src/test/a.ts", globals), TestSupport);
}

#[test]
fn other_languages_go_by_their_conventions() {
    check(
        &[("vitest.config.ts", "export default { test: {} }")],
        &[
            ("store/index_test.go", Test),
            ("src/test/java/a/Store.java", Test),
            ("src/StoreTest.java", Test),
            ("tests/it/main.rs", Test),
            ("testdata/a.go", TestSupport),
            ("benches/a.rs", Example),
            ("src/__tests__/App.vue", TestSupport),
            ("examples/a/App.vue", Example),
        ],
    );
}

#[test]
fn a_file_of_rust_with_the_name_of_tests_is_one_where_it_has_some() {
    let role = |path, helps| {
        let content = Content {
            helps,
            ..Content::default()
        };
        role_with(&[], path, content)
    };
    for path in ["src/cli/reaching_tests.rs", "src/test_gaps.rs"] {
        assert_eq!(role(path, false), Code);
        assert_eq!(role(path, true), Test);
    }
    assert_eq!(role("tests/api_test.rs", false), Test);
}

#[test]
fn a_section_ends_where_the_next_begins() {
    let cfg = "[tool:pytest]\npython_files = check_*.py\ntestpaths = tests\n\n[coverage:run]\nbranch = True\nsource =\n    src\n\n[paths]\nsource =\n    .tox/*/lib\n";
    let role = |path| role_with(&[("setup.cfg", cfg)], path, Content::default());
    assert_eq!(role("tests/check_a.py"), FileRole::Test);
    assert_eq!(role("src/check_a.py"), FileRole::Code);
}

#[test]
fn broken_configurations_declare_nothing_wrong() {
    for (path, text) in [
        ("package.json", "{"),
        ("package.json", "[]"),
        (
            "package.json",
            r#"{"scripts": {"test": "mocha ' \\ && | ;; "}, "jest": 1}"#,
        ),
        ("vitest.config.ts", "export default { test: { include: ["),
        ("jest.config.js", "module.exports = { testRegex: '(' }"),
        (".mocharc.yml", ":\n- \n:::\n"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\ntestpaths = [\"../..\", 'x",
        ),
        ("setup.cfg", "[tool:pytest]\npython_files = [\n"),
        (
            "setup.cfg",
            "[tool:pytest]\npython_files = *.py\ntestpaths = . * [a]\n",
        ),
        (".mocharc.json", "null"),
    ] {
        role_with(&[(path, text)], "src/a.ts", Content::default());
        role_with(&[(path, text)], "src/a.py", Content::default());
    }
}
