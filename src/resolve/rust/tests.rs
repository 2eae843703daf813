//! Where paths of Rust lead.

use super::super::fixture::{check, check_files, files};
use crate::ir::ImportKind;

const WORKSPACE: &str = "
    //- /Cargo.toml
    [workspace]
    members = [\"crates/*\"]
    [workspace.dependencies]
    shop-db = { path = \"crates/db\" }
    serde = \"1\"
    //- /crates/app/Cargo.toml
    [package]
    name = \"shop-app\"
    autotests = false
    [dependencies]
    shop-db = { workspace = true }
    serde = { workspace = true }
    store = { path = \"../db\", package = \"shop-db\" }
    log = \"0.4\"
    [[test]]
    name = \"all\"
    path = \"tests/all.rs\"
    //- /crates/db/Cargo.toml
    [package]
    name = \"shop-db\"
    [lib]
    path = \"src/db.rs\"
    //- crates/app/src/lib.rs crates/app/src/main.rs crates/app/src/a.rs crates/app/src/a/b.rs crates/app/src/c/mod.rs
    //- crates/app/src/c/d.rs crates/app/src/bin/tool.rs crates/app/src/bin/x/main.rs crates/app/src/bin/x/y.rs
    //- crates/app/tests/all.rs crates/app/tests/one.rs crates/db/src/db.rs crates/db/src/row.rs crates/app/build.rs
";

#[test]
fn a_path_leads_to_the_last_module_that_is_a_file() {
    check(
        WORKSPACE,
        "crates/app/src/a/b.rs crate::a::Thing crates/app/src/a.rs
         crates/app/src/a/b.rs crate::c::d crates/app/src/c/d.rs
         crates/app/src/a/b.rs crate::Thing crates/app/src/lib.rs
         crates/app/src/a/b.rs super::Thing crates/app/src/a.rs
         crates/app/src/a/b.rs super::super::c::d::X crates/app/src/c/d.rs
         crates/app/src/a.rs self::b::X crates/app/src/a/b.rs
         crates/app/src/c/d.rs super::X crates/app/src/c/mod.rs
         crates/app/src/c/mod.rs super::X crates/app/src/lib.rs
         crates/app/src/lib.rs super::X missing
         crates/app/src/main.rs shop_app::a::X crates/app/src/a.rs
         crates/app/src/a.rs shop_db::row::Row crates/db/src/row.rs
         crates/app/src/a.rs store::Row crates/db/src/db.rs
         crates/app/src/bin/x/y.rs crate::X crates/app/src/bin/x/main.rs
         crates/app/tests/one.rs crate::X crates/app/tests/all.rs
         crates/app/src/a.rs std::io::Read external
         crates/app/src/a.rs serde::Serialize external
         crates/app/src/a.rs log::info external
         crates/app/src/a.rs unknown::X missing
         crates/db/src/row.rs shop_app::X missing",
    );
}

#[test]
fn a_module_lies_beside_roots_and_below_others() {
    let declared = "
        //- /Cargo.toml
        [package]
        name = \"a\"
        //- src/lib.rs src/a.rs src/a/b.rs src/x/c.rs src/win.rs src/a/y/z.rs
    ";
    check_files(
        files(declared),
        ImportKind::Scope,
        "src/a/b.rs crate src/lib.rs
         src/a/b.rs super src/a.rs
         src/lib.rs super missing
         src/lib.rs ::std external
         src/lib.rs ::a src/lib.rs",
    );
}

#[test]
fn manifests_may_be_broken() {
    check(
        "
        //- /Cargo.toml
        [package
        //- /a/Cargo.toml
        package = 5
        dependencies = [1]
        [lib]
        //- /b/Cargo.toml
        [package]
        name = \"b\"
        [dependencies]
        up = { path = \"../../..\" }
        gone = { path = \"../gone\" }
        //- src/lib.rs a/src/lib.rs b/src/lib.rs
        ",
        "src/lib.rs crate::X src/lib.rs
         a/src/lib.rs crate::X a/src/lib.rs
         b/src/lib.rs up::X missing
         b/src/lib.rs gone::X missing
         b/src/lib.rs :: missing",
    );
}
