//! Random steps of a person who works in a repository.
//!
//! Writes files and runs git; no index is asked.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{Dice, Repo};

/// Does one step and returns its description. A git command that fails (nothing to commit, a conflict) is a
/// step like any other: the work tree is what it is afterwards.
pub(crate) fn step(repo: &Repo, dice: &mut Dice, n: usize) -> String {
    if dice.below(2) == 0 {
        return super::git_steps::step(repo, dice, n);
    }
    let files = files(&repo.path());
    match dice.below(18) {
        0..=3 => edit(repo, dice, &files, n),
        4 => edit_keeping_stat(repo, dice, &files),
        5 | 6 => add(repo, dice, n),
        7 => act(dice, &files, "delete", |file| {
            drop(std::fs::remove_file(file));
        }),
        8 => {
            let to = repo.path().join(format!("src/moved{n}.ts"));
            act(dice, &files, "rename", |file| {
                drop(std::fs::rename(file, &to));
            })
        }
        9 => {
            let (a, b) = (repo.path().join("src"), repo.path().join("lib"));
            let (from, to) = if a.is_dir() { (a, b) } else { (b, a) };
            let done = std::fs::rename(from, to).is_ok();
            format!("move a directory: {done}")
        }
        10 => {
            let rules = ["*.md\n", "src/f1.ts\n", "", "lib/\n!lib/f2.ts\n", "f*.ts\n"];
            let places = [".gitignore", ".git/info/exclude", "src/.gitignore"];
            rules_at(repo, places[dice.below(3)], rules[dice.below(5)])
        }
        11 => {
            let rules = ["*.js\n", "", "src/\n", "/package.json\n"];
            rules_at(repo, ".codelensignore", rules[dice.below(4)])
        }
        12 => {
            let rules = [
                "*.ts linguist-generated\n",
                "",
                "src/** linguist-generated=true\n",
                "*.ts text eol=crlf\n",
                "* text=auto\n*.js -text\n",
                "*.md filter=lfs diff=lfs merge=lfs -text\n",
                "*.js filter=shout\n",
            ];
            rules_at(repo, ".gitattributes", rules[dice.below(7)])
        }
        13 => {
            let paths = ["./src/*", "./lib/*"];
            let text = format!(
                "{{\"compilerOptions\":{{\"baseUrl\":\".\",\"paths\":{{\"@/*\":[\"{}\"]}}}}}}",
                dice.pick(&paths)
            );
            rules_at(repo, "tsconfig.json", &text)
        }
        14 if dice.below(3) == 0 => {
            let modules = [
                "module walk\n",
                "module walk\n\nreplace walk/lib => ./src\n",
                "module example.com/walk // moved\n",
            ];
            rules_at(repo, "go.mod", modules[dice.below(3)])
        }
        14 if dice.below(2) == 0 => {
            let settings = [
                "[tool.setuptools.packages.find]\nwhere = [\"lib\"]\n",
                "[project]\nname = \"walk\"\n",
                "[tool.pytest.ini_options]\npythonpath = [\"src\"]\n",
                "[tool.poetry]\npackages = [{ include = \"walk\", from = \"src\" }]\n",
            ];
            rules_at(repo, "pyproject.toml", settings[dice.below(4)])
        }
        14 => {
            let manifests = [
                "{\"name\":\"walk\",\"main\":\"src/f1.ts\"}",
                "{\"name\":\"walk\",\"version\":\"2.0.0\"}",
                "{\"name\":\"walk\",\"imports\":{\"#x\":\"./lib/f2.ts\"}}",
            ];
            rules_at(repo, "package.json", manifests[dice.below(3)])
        }
        15 => act(dice, &files, "chmod", change_mode),
        16 => link(repo, dice),
        _ => act(dice, &files, "rename in case alone", |file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let swapped: String = name
                .chars()
                .map(|c| {
                    if c == 'f' {
                        'F'
                    } else if c == 'F' {
                        'f'
                    } else {
                        c
                    }
                })
                .collect();
            let to = file.with_file_name(swapped);
            if !to.exists() {
                drop(std::fs::rename(file, to));
            }
        }),
    }
}

/// Writes one of the files that rule over others, unless something else stands in its place.
fn rules_at(repo: &Repo, path: &str, text: &str) -> String {
    let file = repo.path().join(path);
    let parent = file.parent().unwrap();
    if file.is_dir() || parent.exists() && !parent.is_dir() {
        return format!("{path} is taken");
    }
    repo.write(path, text);
    format!("write {path}: {text:?}")
}

fn change_mode(file: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if let Ok(meta) = std::fs::symlink_metadata(file)
            && meta.is_file()
        {
            let mode = meta.permissions().mode() ^ 0o111;
            drop(std::fs::set_permissions(
                file,
                std::fs::Permissions::from_mode(mode),
            ));
        }
    }
}

/// Puts a link in the place of whatever stands there: to a file, a directory, out of the tree, to nothing.
fn link(repo: &Repo, dice: &mut Dice) -> String {
    let at = repo
        .path()
        .join(["src/link.ts", "linked", "src/f2.ts"][dice.below(3)]);
    let to = *dice.pick(&["f1.ts", "src", "/etc/hostname", "nowhere", "."]);
    if at.is_dir() && !at.is_symlink() {
        return "a directory stays".to_owned();
    }
    drop(std::fs::remove_file(&at));
    #[cfg(unix)]
    drop(std::os::unix::fs::symlink(to, &at));
    format!("link {} to {to}", at.display())
}

fn edit(repo: &Repo, dice: &mut Dice, files: &[PathBuf], n: usize) -> String {
    let Some(file) = (!files.is_empty()).then(|| dice.pick(files)) else {
        return add(repo, dice, n);
    };
    if file.is_symlink() {
        return "a link is not edited".to_owned();
    }
    std::fs::write(file, source(dice, n, file)).unwrap();
    format!("edit {}", file.display())
}

fn edit_keeping_stat(repo: &Repo, dice: &mut Dice, files: &[PathBuf]) -> String {
    let Some(file) = (!files.is_empty()).then(|| dice.pick(files)) else {
        return "nothing to edit".to_owned();
    };
    if file.is_symlink() {
        return "a link is not edited".to_owned();
    }
    let (Ok(text), Ok(meta)) = (std::fs::read(file), std::fs::metadata(file)) else {
        return "unreadable".to_owned();
    };
    let swapped: Vec<u8> = text
        .iter()
        .map(|byte| match byte {
            b'1'..=b'8' => byte + 1,
            b'9' => b'1',
            other => *other,
        })
        .collect();
    std::fs::write(file, swapped).unwrap();
    let open = std::fs::File::options().write(true).open(file).unwrap();
    open.set_modified(meta.modified().unwrap()).unwrap();
    drop(open);
    format!(
        "edit {} in {} keeping size and time",
        file.display(),
        repo.path().display()
    )
}

fn add(repo: &Repo, dice: &mut Dice, n: usize) -> String {
    let dirs = ["src", "lib", "docs", "src/deep/er", "src/a", "lib/a"];
    let names = [
        "f1.ts",
        "f2.ts",
        "F1.ts",
        "index.ts",
        "g.js",
        "note.md",
        "c.vue",
        "f1.py",
        "f2.py",
        "f2.pyi",
        "__init__.py",
        "conftest.py",
        "g1.go",
        "g2.go",
        "g2_windows.go",
        "g1_test.go",
        "F1.java",
        "F2.java",
        "F3.java",
        "F1.cs",
        "F2.cs",
        "F3.cs",
        "A.csproj",
        "C1.java",
        "C2.java",
        "module-info.java",
        "pom.xml",
        "lib.rs",
        "mod.rs",
        "r1.rs",
        "r2.rs",
        "Cargo.toml",
    ];
    let path = format!("{}/{}", dice.pick(&dirs), dice.pick(&names));
    let file = repo.path().join(&path);
    let is_taken = |at: &Path| at.is_symlink() || at.exists() && !at.is_dir();
    if file.is_dir() || file.is_symlink() || file.ancestors().skip(1).take(3).any(is_taken) {
        return "taken".to_owned();
    }
    repo.write(&path, source(dice, n, &file));
    format!("write {path}")
}

/// Text for a file: Python, Go, Java, C# and Rust where its name says so, TypeScript everywhere else.
fn source(dice: &mut Dice, n: usize, file: &Path) -> String {
    let extension = file.extension().and_then(|extension| extension.to_str());
    match extension {
        Some("py" | "pyi") => python(dice, n),
        Some("go") => go(dice),
        Some("java") if file.ends_with("module-info.java") => java_module(dice),
        Some("java") => java(dice),
        Some("cs") => csharp(dice),
        Some("csproj") => format!(
            "<Project><Using Include=\"{}\"/></Project>",
            dice.pick(&["A", "A.B", "C"])
        ),
        Some("xml") => pom(dice),
        Some("rs") => rust(dice),
        Some("toml") => manifest(dice),
        _ => ecmascript(dice, n),
    }
}

/// A package whose library may have another name, and that names others.
fn manifest(dice: &mut Dice) -> String {
    let names = ["one", "two"];
    let roots = [
        "",
        "[lib]\npath = \"lib.rs\"\n",
        "[lib]\npath = \"r1.rs\"\n",
    ];
    let dirs = ["../lib", "../src", "deep/er", "."];
    format!(
        "[package]\nname = \"{}\"\n{}[dependencies]\none = {{ path = \"{}\" }}\ntwo = \"1\"\n",
        dice.pick(&names),
        dice.pick(&roots),
        dice.pick(&dirs),
    )
}

/// A Maven module that depends on another one, and may have its sources elsewhere.
fn pom(dice: &mut Dice) -> String {
    let names = ["one", "two", "three"];
    let roots = ["a", "../lib", "."];
    format!(
        "<project><artifactId>{}</artifactId><dependencies><dependency><artifactId>{}</artifactId></dependency></dependencies><build><sourceDirectory>{}</sourceDirectory></build></project>",
        dice.pick(&names),
        dice.pick(&names),
        dice.pick(&roots),
    )
}

/// Modules, inline and in files, whose names come by every form of `use`, with members of types, traits and macros of others.
fn rust(dice: &mut Dice) -> String {
    let modules = ["r1", "r2", "deep", "er", "inner"];
    let roots = [
        "crate",
        "super",
        "self",
        "one",
        "std",
        "r1",
        "inner",
        "super::super",
    ];
    let mut text = String::new();
    for _ in 0..dice.below(3) {
        let _ = writeln!(text, "pub mod {};", dice.pick(&modules));
    }
    for _ in 0..dice.below(3) {
        let k = dice.below(4);
        let forms = [
            format!("S{k}"),
            "*".to_owned(),
            format!("{{m{k} as n{k}, T{k}}}"),
            "inner".to_owned(),
        ];
        let public = if dice.below(2) == 0 { "pub " } else { "" };
        let _ = writeln!(
            text,
            "{public}use {}::{}::{};",
            dice.pick(&roots),
            dice.pick(&modules),
            dice.pick(&forms),
        );
    }
    for _ in 0..dice.below(4) {
        let (k, held, of) = (dice.below(4), dice.below(4), dice.below(4));
        let parts = [
            format!("pub struct S{k} {{ pub held: S{held} }}\n"),
            format!(
                "impl S{k} {{ pub fn new() -> S{held} {{ S{of}::new() }} fn m{k}(&self) {{ self.held.m{held}(); }} }}\n"
            ),
            format!("pub trait T{k}: T{of} {{ fn m{k}(&self) -> S{held}; }}\n"),
            format!(
                "impl T{k} for S{of} {{ fn m{k}(&self) -> S{held} {{ self.m{of}().m{held}() }} }}\n"
            ),
            format!(
                "fn m{k}(one: &S{held}) {{ one.held.m{of}(); x{k}!(S{of}::new().m{of}()); }}\n"
            ),
            format!("#[macro_export]\nmacro_rules! x{k} {{ ($a:expr) => {{ $a.m{k}() }}; }}\n"),
            format!(
                "pub mod inner {{ use super::*; pub fn m{k}(one: S{held}) {{ super::m{of}(&one); }} }}\n"
            ),
        ];
        text += &parts[dice.below(parts.len())];
    }
    text
}

/// A module that requires another, exports packages, and uses and provides types.
fn java_module(dice: &mut Dice) -> String {
    let packages = ["a", "a.b", "c"];
    let modules = ["m.one", "m.two"];
    let (used, provided, by) = (dice.below(6), dice.below(6), dice.below(6));
    format!(
        "module {} {{\n  requires {};\n  exports {};\n  uses {}.C{used};\n  provides {}.C{provided} with {}.C{by};\n}}\n",
        dice.pick(&modules),
        dice.pick(&modules),
        dice.pick(&packages),
        dice.pick(&packages),
        dice.pick(&packages),
        dice.pick(&packages),
    )
}

/// Types of packages that their directories do not tell, with names that are inherited, imported in every form, shared in
/// a package and overloaded.
fn java(dice: &mut Dice) -> String {
    let packages = ["a", "a.b", "c"];
    let mut text = String::new();
    if dice.below(6) > 0 {
        let _ = writeln!(text, "package {};", dice.pick(&packages));
    }
    let _ = writeln!(
        text,
        "import {}.C{};\nimport {}.*;\nimport static {}.C{}.run;\nimport java.util.List;",
        dice.pick(&packages),
        dice.below(6),
        dice.pick(&packages),
        dice.pick(&packages),
        dice.below(6),
    );
    for _ in 0..dice.below(4) {
        let (k, base, held) = (dice.below(6), dice.below(6), dice.below(6));
        let params = ["", "int n", "String text", "C1 one"];
        let _ = write!(
            text,
            "public class C{k} extends C{base} {{\n  C{held} held;\n  static C{held} run({}) {{ return run(); }}\n  C{k} m{k}({}) {{\n    held.m{held}(1).m{held}();\n    m{base}(\"a\");\n    return new C{k}() {{ void f() {{ m{base}(); }} }};\n  }}\n  interface I {{ void m(C{k} one); }}\n}}\n",
            dice.pick(&params),
            dice.pick(&params),
        );
    }
    text
}

/// Types of namespaces with parts, extension methods and every form of a using directive.
fn csharp(dice: &mut Dice) -> String {
    let namespaces = ["A", "A.B", "C"];
    let mut text = String::new();
    if dice.below(4) == 0 {
        let _ = writeln!(text, "global using {};", dice.pick(&namespaces));
    }
    let _ = writeln!(
        text,
        "using {};\nusing static {}.C{};\nusing D = {}.C{};\nusing System;",
        dice.pick(&namespaces),
        dice.pick(&namespaces),
        dice.below(6),
        dice.pick(&namespaces),
        dice.below(6),
    );
    for _ in 0..dice.below(3) {
        if dice.below(6) > 0 {
            let _ = writeln!(text, "namespace {} {{", dice.pick(&namespaces));
        } else {
            let _ = writeln!(text, "namespace A {{");
        }
        let (k, base, held) = (dice.below(6), dice.below(6), dice.below(6));
        let params = [
            "",
            "int n",
            "string text",
            "C1 one",
            "int n = 1",
            "params C1[] all",
        ];
        let partial = dice.pick(&["", "partial "]);
        let generic = dice.pick(&["", "<T>"]);
        let _ = write!(
            text,
            "public {partial}class C{k}{generic} : C{base} {{\n  C{held} held;\n  static C{held} Run({}) => Run();\n  C{k} M{k}({}) {{\n    held.M{held}(1)?.E{held}();\n    M{base}(\"a\");\n    new D().M{base}(); A.B.C{held}.Run();\n    return new();\n  }}\n}}\npublic static class X{k} {{ public static void E{k}(this C{held} it) {{ it.M{k}(); }} }}\n}}\n",
            dice.pick(&params),
            dice.pick(&params),
        );
    }
    text
}

/// Modules that import each other by every form of the language, with a class whose base may be another file's.
fn python(dice: &mut Dice, n: usize) -> String {
    let modules = [
        ".f1", ".", "..lib.f2", "src.f1", "lib", "f1", ".deep.er", "os",
    ];
    let k = dice.below(12);
    let mut text = format!(
        "from {} import work{k} as a{n}\nfrom {} import *\nfrom {} import C{k}, f2\nimport src.f1\n",
        dice.pick(&modules),
        dice.pick(&modules),
        dice.pick(&modules),
    );
    if dice.below(4) == 0 {
        let _ = writeln!(text, "__all__ = [\"work{k}\", \"C{k}\"]");
    }
    if dice.below(2) == 0 {
        let (k, j) = (dice.below(4), dice.below(4));
        let plugins = [
            "",
            "",
            "",
            "pytest_plugins = [\"src.f1\", \"lib.conftest\"]\n",
        ];
        let _ = write!(
            text,
            "{}@pytest.fixture\ndef fix{k}(fix{j}):\n    yield C{j}()\n\ndef test_{k}(fix{j}, fix{k}):\n    fix{j}.m{k}()\n\n",
            dice.pick(&plugins),
        );
    }
    for _ in 0..dice.below(4) {
        let k = dice.below(12);
        let base = if dice.below(2) == 0 { "(f2.C1)" } else { "" };
        let _ = write!(
            text,
            "def work{k}(x: \"C{k}\") -> int:\n    \"\"\"Does {k}.\"\"\"\n    x.m{k}()\n    return src.f1.work{k}(a{n}(x))\n\nclass C{k}{base}:\n    def m{k}(self):\n        return self.m1()\n\n"
        );
    }
    text
}

/// Files of a few packages that share names and methods, embed each other's types and may change their package.
fn go(dice: &mut Dice) -> String {
    let clauses = ["src", "src", "src", "lib", "lib_test", "main"];
    let paths = ["walk/src", "walk/lib", "walk/src/deep/er", "fmt", "walk"];
    let tags = [
        "",
        "",
        "",
        "//go:build windows\n\n",
        "//go:build !windows\n\n",
    ];
    let (tag, clause) = (dice.pick(&tags), dice.pick(&clauses));
    let doc = dice.pick(&["", "", "// Says what it is for.\n"]);
    let mut text = format!("{tag}{doc}package {clause}\n\n");
    let (one, other) = (dice.pick(&paths), dice.pick(&paths));
    let _ = writeln!(text, "import \"{one}\"\nimport x \"{other}\"");
    for _ in 0..dice.below(5) {
        let k = dice.below(6);
        let j = dice.below(6);
        let _ = match dice.below(3) {
            0 => writeln!(
                text,
                "// C{k} is {k}.\ntype C{k} struct {{ C{j}; f *x.C{k}; n{j} int }}"
            ),
            1 => writeln!(
                text,
                "func (c *C{k}) M{j}() *C{j} {{ c.f.M{k}(); c.n{j} = 1; return &C{j}{{n{k}: 1}} }}"
            ),
            _ => writeln!(
                text,
                "func Work{k}(c C{j}) *C{k} {{ Work{j}(c).M{k}(); return src.Work{k}(x.Work{j}()) }}"
            ),
        };
    }
    text
}

fn ecmascript(dice: &mut Dice, n: usize) -> String {
    let imports = [
        "./f1",
        "../lib/f2",
        "@/f1",
        "./deep/er",
        "fs",
        "./g.js",
        ".",
    ];
    let mut text = format!(
        "import {{ work{} as a{n} }} from \"{}\";\nexport * from \"{}\";\n",
        dice.below(12),
        dice.pick(&imports),
        dice.pick(&imports)
    );
    for _ in 0..dice.below(4) {
        let k = dice.below(12);
        let _ = write!(
            text,
            "/** Does {k}. */\nexport function work{k}(x: number) {{ return a{n}(x + {k}) }}\nclass C{k} {{ m{k}() {{}} }}\n"
        );
    }
    text
}

fn act(dice: &mut Dice, files: &[PathBuf], what: &str, on: impl Fn(&Path)) -> String {
    if files.is_empty() {
        return format!("nothing to {what}");
    }
    let file = dice.pick(files);
    on(file);
    format!("{what} {}", file.display())
}

/// The files of the work tree, sorted, without git's own.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![root.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|name| name == ".git") {
                // Git's own, also where it is a file of a submodule.
            } else if path.is_dir() && !path.is_symlink() {
                left.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
