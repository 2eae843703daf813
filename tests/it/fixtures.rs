//! The fixture repositories are what they claim: stable commit ids, real history, a dirty tail.

use crate::support::{Fixture, Marker};

/// Checks a fixture's branches, the status of its work tree and the id of a named commit.
fn check(name: &str, branches: &[&str], status: &[&str], commit: (&str, &str)) {
    let repo = Fixture::load(name).build();
    let lines = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let found = repo.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    assert_eq!(lines(found), branches, "{name}");
    let found = repo.git(&[
        "-c",
        "core.quotePath=false",
        "status",
        "--porcelain",
        "-uall",
    ]);
    assert_eq!(lines(found), status, "{name}");
    assert_eq!(
        repo.commit(commit.0),
        commit.1,
        "{name}: the id of `{}` moved",
        commit.0
    );
    repo.git(&["fsck", "--strict"]);
}

#[test]
fn shop_is_a_monorepo_with_a_branch_a_rename_and_a_dirty_tail() {
    let status = [
        " D packages/checkout/test/cart.test.ts",
        "?? packages/checkout/src/refund.ts",
    ];
    check(
        "shop",
        &["feature/discounts", "main"],
        &status,
        ("rename stock", "75a386791582fdaaf050c57be26ac8995a13707c"),
    );
    let repo = Fixture::load("shop").build();
    let moved = repo.git(&[
        "diff",
        "--name-status",
        "-M",
        "v1.0.0",
        "v1.1.0",
        "--diff-filter=R",
    ]);
    assert_eq!(
        moved,
        "R100\tpackages/catalog/src/stock.ts\tpackages/catalog/src/inventory.ts"
    );
}

#[test]
fn ledger_is_a_common_js_library_with_a_merge() {
    let status = [" D lib/csv.js", " M lib/utils.js", "?? lib/export-csv.js"];
    check(
        "ledger",
        &["csv", "main"],
        &status,
        ("test names", "830aede5a0da6a98900ac1b0d3dd3f2ce2a01c21"),
    );
    let repo = Fixture::load("ledger").build();
    assert_eq!(repo.git(&["rev-list", "--count", "--merges", "HEAD"]), "1");
}

#[test]
fn kiosk_is_a_vue_app_with_a_marked_position() {
    let status = [" M src/views/TicketPage.vue", "?? src/directives/focus.js"];
    check(
        "kiosk",
        &["main", "printing"],
        &status,
        ("page", "c33e06135825af92136bdeb008e04836f01d519d"),
    );
    let repo = Fixture::load("kiosk").build();
    let marker = repo.marker().clone();
    let text = repo.read(&marker.path);
    assert!(text[marker.byte..].starts_with("buyTicket(): Promise<void>"));
    let path = "src/views/TicketPage.vue".to_owned();
    assert_eq!(
        marker,
        Marker {
            path,
            byte: marker.byte,
            line: 19,
            column: 15
        }
    );
}

#[test]
fn attic_holds_what_is_odd_on_a_detached_head() {
    check(
        "attic",
        &["main"],
        &[" D src/same-b.ts", "?? src/fresh.ts"],
        ("filled", "d9220b307a7b38e6faeb9e0116465674041a5dbd"),
    );
    let repo = Fixture::load("attic").build();
    assert_eq!(repo.git(&["rev-parse", "--abbrev-ref", "HEAD"]), "HEAD");
}

#[test]
fn steps_can_be_played_one_by_one() {
    let fixture = Fixture::parse(
        "//- /a.ts\n1\n//- commit base\n//- branch b\n//- /a.ts\n2\n//- commit two\n//- checkout base\n",
    );
    let mut repo = fixture.begin();
    assert_eq!(repo.play(1), 1);
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? a.ts");
    assert_eq!(repo.play(4), 4);
    assert_eq!(
        (repo.read("a.ts"), repo.git(&["branch", "--show-current"])),
        ("2\n".into(), "b".into())
    );
    assert_eq!(repo.play(9), 1);
    let head = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(
        (repo.read("a.ts").as_str(), head.as_str()),
        ("1\n", repo.commit("base"))
    );
    assert_eq!(repo.play(1), 0);
}

#[test]
fn steps_can_be_added_to_a_built_repository() {
    let mut repo = Fixture::parse("//- /a.ts\n1\n//- commit base\n").build();
    repo.then("//- rename /a.ts /deep/b.ts\n//- commit moved\n//- /deep/b.ts\n2\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), " M deep/b.ts");
    assert_eq!(repo.git(&["log", "--format=%s"]), "moved\nbase");
}
