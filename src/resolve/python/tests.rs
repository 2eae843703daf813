//! Repositories as text, and the files that imports in them stand for.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::Ecosystem;
use super::config::{DeclaredRoots, is_config};
use crate::ir::ImportKind;
use crate::model::RepoPath;
use crate::resolve::fixture::{TextFiles, check, check_files, files};
use crate::resolve::{AffectedByEcosystem, KnownTarget, PathChanges, Resolution, Resolver, kept};

fn roots(path: &str, text: &str) -> Vec<(String, String)> {
    let bytes = kept(&RepoPath::new(path).unwrap(), text.as_bytes()).into_owned();
    assert_eq!(kept(&RepoPath::new(path).unwrap(), text.as_bytes()), bytes);
    DeclaredRoots::read(path, &bytes).roots
}

fn check_roots(path: &str, text: &str, wanted: &[&str]) {
    let found: Vec<String> = roots(path, text)
        .into_iter()
        .map(|(package, place)| match package.as_str() {
            "" => place,
            _ => format!("{package}={place}"),
        })
        .collect();
    assert_eq!(found, wanted, "{path}: {text}");
}

#[test]
fn dots_count_from_the_package_of_the_file() {
    check(
        "//- p/__init__.py p/a.py p/q/__init__.py p/q/b.py p/q/c.pyi n/x.py n/m/y.py a.py",
        "p/q/b.py .c p/q/c.pyi
         p/q/b.py . p/q/__init__.py
         p/q/b.py .. p/__init__.py
         p/q/b.py ..a p/a.py
         p/q/b.py ..q.b p/q/b.py
         p/q/__init__.py .b p/q/b.py
         p/q/__init__.py . p/q/__init__.py
         p/q/__init__.py ..a p/a.py
         p/q/b.py ...a a.py
         p/q/b.py ....a missing
         p/q/b.py .none missing
         n/x.py . external
         n/x.py .m external
         n/x.py .m.y n/m/y.py",
    );
}

#[test]
fn a_package_comes_before_a_module_and_a_module_before_its_declarations() {
    check(
        "//- pyproject.toml a/__init__.py a.py b.py b.pyi c.pyi d/__init__.pyi e/x.py a.pyw",
        "m.py a a/__init__.py
         m.py b b.py
         m.py c c.pyi
         m.py d d/__init__.pyi
         m.py e external
         m.py e.x e/x.py
         m.py e.y external
         m.py a.y missing
         m.py b.y missing
         m.py requests external
         m.pyi a a/__init__.py
         m.pyw a a/__init__.py",
    );
}

#[test]
fn projects_have_the_roots_that_packaging_tools_take_by_themselves() {
    check(
        "//- pyproject.toml src/shop/__init__.py shop/__init__.py
         //- one/setup.py one/src/__init__.py one/src/a.py one/a.py
         //- psycopg/setup.cfg psycopg/psycopg/__init__.py psycopg/psycopg/sql.py psycopg/psycopg/psycopg/__init__.py
         //- rust/pyproject.toml rust/python/fast/__init__.py",
        "tests/t.py shop src/shop/__init__.py
         one/b.py a one/a.py
         one/b.py src.a one/src/a.py
         psycopg/t.py psycopg.sql psycopg/psycopg/sql.py
         rust/t.py fast rust/python/fast/__init__.py
         other/t.py fast rust/python/fast/__init__.py",
    );
    let named = "//- /pkgs/db/pyproject.toml\n[project]\nname = 'shop-db'\n//- pkgs/db/shop_db/shop_db/__init__.py";
    check(
        named,
        "pkgs/db/t.py shop_db pkgs/db/shop_db/shop_db/__init__.py",
    );
}

#[test]
fn code_is_preferred_to_stubs_in_a_root_of_their_own() {
    check(
        "//- /pyproject.toml
         [tool.mypy]
         mypy_path = 'stubs'
         //- stubs/shop/__init__.pyi stubs/redis.pyi src/shop/__init__.py",
        "t.py shop src/shop/__init__.py
         t.py redis stubs/redis.pyi",
    );
}

#[test]
fn a_repository_needs_no_configuration() {
    check(
        "//- src/shop/__init__.py tests/test_a.py app/models.py app/views/a.py util.py",
        "tests/test_a.py shop src/shop/__init__.py
         app/views/a.py app.models app/models.py
         app/views/a.py models app/models.py
         tests/test_a.py util util.py",
    );
}

#[test]
fn the_nearest_project_comes_first_and_those_elsewhere_give_packages_alone() {
    check(
        "//- pyproject.toml a/pyproject.toml a/tests/__init__.py a/tests/util.py a/conf.py a/core/__init__.py
         //- b/pyproject.toml b/tests/__init__.py b/tests/util.py b/conf.py b/src/one.py
         //- tests/fixtures/p/setup.py tests/fixtures/p/requests/__init__.py tests/fixtures/p/x.py",
        "a/core/x.py tests.util a/tests/util.py
         b/x.py tests.util b/tests/util.py
         b/x.py core a/core/__init__.py
         a/x.py one b/src/one.py
         b/x.py conf b/conf.py
         c/x.py conf external
         c/x.py tests.util external
         a/x.py requests external
         tests/fixtures/p/x.py requests tests/fixtures/p/requests/__init__.py",
    );
}

#[test]
fn scripts_and_tests_import_their_neighbours() {
    check(
        "//- pyproject.toml util.py tests/util.py tests/conftest.py tests/unit/__init__.py tests/unit/helper.py
         //- tools/deep/run.py tools/deep/step.py tools/common.py redis.py pkg/__init__.py pkg/attr.py pkg/a.py",
        "tests/unit/t.py conftest tests/conftest.py
         tests/unit/t.py unit.helper tests/unit/helper.py
         tests/unit/t.py helper external
         tests/t.py util util.py
         tools/deep/run.py step tools/deep/step.py
         tools/deep/run.py common tools/common.py
         redis.py redis external
         pkg/a.py attr external",
    );
}

#[test]
fn a_name_of_the_standard_library_is_taken_from_a_declared_package_alone() {
    check(
        "//- /pyproject.toml
         [tool.pytest.ini_options]
         pythonpath = ['lib']
         //- json.py types/__init__.py lib/queue/__init__.py lib/time.py test/__init__.py distutils/__init__.py p/types.py",
        "a.py json external
         a.py types external
         p/a.py types external
         p/a.py .types p/types.py
         a.py queue lib/queue/__init__.py
         a.py queue.none missing
         a.py time external
         a.py os.path external
         a.py test test/__init__.py
         a.py distutils distutils/__init__.py",
    );
}

#[test]
fn a_name_of_a_module_may_be_no_module() {
    check_files(
        files("//- setup.py src/p/__init__.py src/p/a.py p/__init__.py p/b.py"),
        ImportKind::Submodule,
        "src/p/x.py p.a src/p/a.py
         src/p/x.py p.b external
         src/p/x.py .none external
         src/p/x.py .a src/p/a.py",
    );
}

#[test]
fn every_tool_declares_roots_in_its_own_key() {
    let toml = |text: &str, wanted: &[&str]| check_roots("d/pyproject.toml", text, wanted);
    toml(
        "[tool.setuptools]\npackage-dir = {'' = 'src', shop = 'lib/own'}\n[tool.setuptools.packages.find]\nwhere = ['a', 'src']",
        &["d/src", "shop=d/lib/own", "d/a"],
    );
    toml(
        "[tool.poetry]\npackages = [{include = 'x', from = 'lib'}, {include = 'y'}, 3]",
        &["d/lib"],
    );
    toml(
        "[tool.hatch.build]\nsources = ['src']\n[tool.hatch.build.targets.wheel]\npackages = ['py/shop']",
        &["d/src", "d/py"],
    );
    toml(
        "[tool.hatch.build.targets.wheel.sources]\n'src/a' = 'b/c'",
        &["b.c=d/src/a"],
    );
    toml(
        "[tool.pyright]\nextraPaths = ['x']\nexecutionEnvironments = [{root = 'y', extraPaths = ['z']}]",
        &["d/x", "d/y", "d/z"],
    );
    toml(
        "[tool.mypy]\nmypy_path = '$MYPY_CONFIG_FILE_DIR/src:stubs'",
        &["d/src", "d/stubs"],
    );
    toml(
        "[tool.pytest.ini_options]\npythonpath = 'a b'",
        &["d/a", "d/b"],
    );
    toml(
        "[tool.ty.environment]\nroot = ['./src', '.']",
        &["d/src", "d"],
    );
    check_roots(
        "setup.cfg",
        "[options]\npackage_dir =\n    =src\n[options.packages.find]\nwhere = src\n[tool:pytest]\npythonpath = t",
        &["src", "t"],
    );
    check_roots(
        "a/pytest.ini",
        "[pytest]\npythonpath =\n  .\n  ../lib\n",
        &["a", "lib"],
    );
    check_roots(
        "tox.ini",
        "[pytest]\npythonpath = src\n[mypy]\nmypy_path = no",
        &["src"],
    );
    check_roots(
        "mypy.ini",
        "[mypy]\nmypy_path = stubs, typings",
        &["stubs", "typings"],
    );
    check_roots(
        "setup.py",
        "setup(package_dir={'': 'lib', \"a.b\": 'x'}, packages=find_packages(where='src', exclude=()))",
        &["lib", "a.b=x", "src"],
    );
    check_roots(
        "pyrightconfig.json",
        "{ // all\n\"extraPaths\": [\"src\",], }",
        &["src"],
    );
    check_roots("ty.toml", "[environment]\nroot = 'src'", &["src"]);
}

#[test]
fn a_package_may_lie_in_a_directory_of_another_name() {
    check(
        "//- /pyproject.toml
         [tool.setuptools]
         package-dir = {shop = 'lib/own'}
         //- lib/own/__init__.py lib/own/cart.py",
        "t.py shop lib/own/__init__.py
         t.py shop.cart lib/own/cart.py
         t.py shop.none missing
         t.py shops external",
    );
}

#[test]
fn an_edit_that_moves_no_root_keeps_the_same_bytes() {
    let of =
        |text: &str| kept(&RepoPath::new("pyproject.toml").unwrap(), text.as_bytes()).into_owned();
    assert_eq!(
        of("[project]\nname = 'a'\nversion = '1'\n[tool.ruff]\nselect = []"),
        of("[project]\nname = 'a'\nversion = '2'\ndependencies = ['x']"),
    );
    assert_ne!(
        of("[tool.ty.environment]\nroot = ['a']"),
        of("[tool.ty.environment]\nroot = ['b']")
    );
}

#[test]
fn broken_and_hostile_configuration_declares_nothing() {
    for text in [
        "",
        "[",
        "\u{feff}\0",
        "tool = 3",
        "[tool]\npytest = []\nmypy = 'x'\nsetuptools = {packages = ['a'], package-dir = [1]}",
        "[tool.pytest.ini_options]\npythonpath = ['/etc', '../..', '~/x', 'a*', 'C:\\x', '', 3, {}]",
        "[tool.setuptools]\npackage-dir = {'' = '/', 'a/b' = 'x', '..' = 'y'}",
        "[tool.pyright]\nexecutionEnvironments = {root = 'a'}\nextraPaths = {a = 'b'}",
        "[tool.mypy]\nmypy_path = '$HOME/x:%(here)s/../../..'",
        &format!("a = {}1", "[".repeat(100_000)),
        &format!(
            "[tool.ty.environment]\nroot = ['a']\nx = '{}'",
            "x".repeat(1 << 20)
        ),
    ] {
        check_roots("pyproject.toml", text, &[]);
    }
    for text in [
        "",
        "package_dir",
        "package_dir={",
        "package_dir={:,'a'}",
        "find_packages(",
        "package_dir={'': f'{x}'}",
        "package_dir={'é': '\u{1f600}",
    ] {
        check_roots("setup.py", text, &[]);
    }
    for text in [
        "[options]\npackage_dir",
        "[options]\npackage_dir=\n  =\n",
        "[tool:pytest\npythonpath=a",
        "{}",
    ] {
        check_roots("setup.cfg", text, &[]);
    }
    let many: Vec<String> = (0..1000).map(|n| format!("'d{n}'")).collect();
    let many = format!("[tool.ty.environment]\nroot = [{}]", many.join(","));
    assert_eq!(roots("pyproject.toml", &many).len(), 64);
}

#[test]
fn no_specifier_leads_out_of_the_repository() {
    let resolver = Resolver::new(Arc::new(TextFiles(files(
        "//- setup.py a.py a/b.py c/__init__.py",
    ))));
    let long = format!("a{}", ".b".repeat(5_000));
    let dots = ".".repeat(900);
    for specifier in [
        "", ".", "..", "a..b", "a.", "a/b", "../a", "a\0", "a\\b", "é.ü", "..a..", &long, &dots,
        "./a", "a b",
    ] {
        for from in ["a.py", "x/y/z.py", "c/__init__.pyi"] {
            let from = RepoPath::new(from).unwrap();
            for kind in [ImportKind::Static, ImportKind::Submodule] {
                if let Resolution::File(path) = resolver.resolve(&from, specifier, kind) {
                    assert!(
                        ["a.py", "c/__init__.py"].contains(&path.as_str()),
                        "{specifier}: {path}"
                    );
                }
            }
        }
    }
}

fn is_affected(changes: &PathChanges, from: &str, specifier: &str) -> bool {
    let affected = AffectedByEcosystem::of(changes, std::iter::empty(), &[], false);
    affected.contains(from, specifier, KnownTarget::External)
}

#[test]
fn changes_concern_imports_of_python_by_their_name() {
    let came = |path: &str, from: &str, specifier: &str| {
        let mut changes = PathChanges::default();
        changes.add(&RepoPath::new(path).unwrap());
        is_affected(&changes, from, specifier)
    };
    assert!(came("src/a/b.py", "x.py", "a.b") && came("src/a/b.py", "x.py", "b.c"));
    assert!(!came("src/a/b.py", "x.py", "a.c") && !came("src/a/b.py", "x.py", "numpy"));
    assert!(came("p/a/b.py", "p/x.py", ".a.b") && !came("p/a/b.py", "q/x.py", ".a.b"));
    assert!(came("a/__init__.py", "a/x.py", "numpy") && !came("a/__init__.py", "b/x.py", "numpy"));
    assert!(came("src/__init__.py", "b/x.py", "numpy"));
    assert!(!came("src/a/b.ts", "x.py", "a.b") && !came("package.json", "x.py", "a.b"));
    assert!(came("d/setup.py", "x.py", "numpy") && !came("d/setup.py", "x.ts", "numpy"));
    assert!(
        came("tests/p/setup.py", "tests/p/x.py", "numpy")
            && !came("tests/p/setup.py", "x.py", "numpy")
    );
    let mut edited = PathChanges::default();
    edited.add_edited(&RepoPath::new("pyproject.toml").unwrap());
    assert!(is_affected(&edited, "x.py", "a") && !is_affected(&edited, "x.ts", "./a"));
    assert_eq!(edited.configs(Ecosystem::Node).count(), 0);
}

const DIRECTORIES: [&str; 12] = [
    "",
    "src/",
    "src/shop/",
    "shop/",
    "shop/shop/",
    "python/a/",
    "tests/",
    "tests/a/",
    "lib/",
    "lib/a/",
    "examples/b/",
    "examples/b/src/a/",
];

const NAMES: [&str; 9] = [
    "__init__.py",
    "__init__.pyi",
    "shop.py",
    "a.py",
    "a.pyi",
    "json.py",
    "pyproject.toml",
    "setup.py",
    "data.txt",
];

const SPECIFIERS: [&str; 16] = [
    "shop",
    "shop.a",
    "shop.shop",
    "a",
    "a.a",
    "a.shop",
    "json",
    "json.a",
    "src.shop",
    "tests.a",
    "setup",
    ".",
    ".a",
    "..",
    "..a.shop",
    "numpy",
];

fn repository(picked: &[usize], also: bool) -> BTreeMap<String, Vec<u8>> {
    let path = |at: &usize| {
        let (dir, name) = (DIRECTORIES[at / NAMES.len()], NAMES[at % NAMES.len()]);
        (format!("{dir}{name}"), name)
    };
    let config =
        b"[tool.pytest.ini_options]\npythonpath = ['lib', '../shop']\n[project]\nname = 'shop'";
    let skipped = usize::from(!also);
    let files = picked[skipped..].iter().map(path);
    files
        .map(|(path, name)| {
            (
                path,
                if is_config(name) {
                    config.to_vec()
                } else {
                    Vec::new()
                },
            )
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// An import that leads elsewhere after a file came or went is among those that are looked at.
    #[test]
    fn no_import_that_leads_elsewhere_is_missed(
        picked in proptest::collection::vec(0..DIRECTORIES.len() * NAMES.len(), 2..20)
    ) {
        let (small, large) = (repository(&picked, false), repository(&picked, true));
        let mut came = large.keys().filter(|path| !small.contains_key(*path));
        let Some(came) = came.next().cloned() else { return Ok(()) };
        let mut changes = PathChanges::default();
        changes.add(&RepoPath::new(&came).unwrap());
        let affected = AffectedByEcosystem::of(&changes, std::iter::empty(), &[], false);
        let froms = ["main.py", "src/shop/x.py", "shop/x.py", "shop/shop/x.py", "tests/t.py", "tests/a/t.py", "lib/x.py", "examples/b/x.py"];
        let (small, large) = (Resolver::new(Arc::new(TextFiles(small))), Resolver::new(Arc::new(TextFiles(large))));
        for from in froms {
            for specifier in SPECIFIERS {
                for kind in [ImportKind::Static, ImportKind::Submodule] {
                    let path = RepoPath::new(from).unwrap();
                    let (without, with) = (small.resolve(&path, specifier, kind), large.resolve(&path, specifier, kind));
                    for before in [&without, &with] {
                        let target = match before {
                            Resolution::File(path) => KnownTarget::File(path.as_str()),
                            Resolution::External => KnownTarget::External,
                            Resolution::Unit(_) => KnownTarget::Unit,
                            Resolution::Missing => KnownTarget::Missing,
                        };
                        prop_assert!(
                            without == with || affected.contains(from, specifier, target),
                            "{came} leads {specifier} of {from} from {without:?} to {with:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn conftest_files_are_counted_upwards() {
    check_files(
        files("//- conftest.py a/b/conftest.py a/b/test_x.py a/c/test_y.py d/test_z.py"),
        ImportKind::Scope,
        "a/b/test_x.py conftest.1 a/b/conftest.py
         a/b/test_x.py conftest.2 conftest.py
         a/b/test_x.py conftest.3 external
         a/b/test_x.py conftest.0 external
         a/b/test_x.py conftest.x missing
         a/b/conftest.py conftest.1 conftest.py
         conftest.py conftest.1 external
         a/c/test_y.py conftest.1 conftest.py
         d/test_z.py d.test_z d/test_z.py",
    );
}
