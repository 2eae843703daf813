//! Bundles that were changed on the way, by chance or on purpose.

use super::{BundleParts, Carried, carried, is_refused};

#[test]
fn a_bundle_that_was_damaged_on_the_way_is_refused() {
    let Carried {
        repo: _repo,
        here,
        bundle,
        ..
    } = carried();
    let good = std::fs::read(&bundle).unwrap();
    for n in 0..48 {
        let at = n * (good.len() - 1) / 47;
        let mut bad = good.clone();
        bad[at] ^= 1 << (n % 8);
        is_refused(
            &here,
            &bundle,
            &bad,
            &[],
            &format!("bit {} of byte {at}", n % 8),
        );
    }
    for length in [
        0,
        10,
        24,
        60,
        good.len() / 2,
        good.len() - 33,
        good.len() - 1,
    ] {
        is_refused(
            &here,
            &bundle,
            &good[..length],
            &[],
            &format!("cut to {length}"),
        );
    }
    let longer = [good.as_slice(), b"x"].concat();
    is_refused(&here, &bundle, &longer, &[], "a byte more");
    let pipe = bundle.with_file_name("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let said = here.fails(&["bundle", "import", pipe.to_str().unwrap()], 1);
    assert!(said.contains("no regular file"), "{said}");
    let said = here.fails(&["bundle", "import", "nowhere.bundle"], 1);
    assert!(said.contains("cannot read the bundle"), "{said}");
    std::fs::write(&bundle, &good).unwrap();
    here.json(&["bundle", "import", bundle.to_str().unwrap()]);
}

#[test]
fn a_bundle_that_lies_about_itself_is_refused() {
    let Carried {
        repo: _repo,
        here,
        bundle,
        ..
    } = carried();
    let parts = BundleParts::of(&std::fs::read(&bundle).unwrap());
    let same = parts.database.len() as u64;
    for (set, part) in [
        (("schemaVersion", 1.into()), "schema 1"),
        (("layout", "other".into()), "says other things"),
        (
            ("databaseBytes", (1_u64 << 60).into()),
            "more than one may hold",
        ),
        (
            ("databaseBytes", (7_u64 << 30).into()),
            "more than the quota",
        ),
        (
            ("databaseBytes", (same + 1).into()),
            "not as long as declared",
        ),
        (
            ("databaseBytes", (same - 1).into()),
            "not as long as declared",
        ),
        (("manifestBytes", 1.into()), "declared"),
        (("manifestBytes", u64::MAX.into()), "more than one may hold"),
        (("nFiles", 5.into()), "another number of files"),
        (("commit", "../x".into()), "names no commit"),
        (("extra", 1.into()), "header says nothing"),
    ] {
        let bytes = parts.pack(std::slice::from_ref(&set));
        let said = is_refused(&here, &bundle, &bytes, &[], set.0);
        assert!(said.contains(part), "{set:?}: {said}");
    }
    // A small file that unpacks to much: no more is written than was declared.
    let bomb = BundleParts {
        header: parts.header.clone(),
        manifest: parts.manifest.clone(),
        database: vec![0; 64 << 20],
    };
    let bytes = bomb.pack(&[("databaseBytes", 4096.into())]);
    is_refused(&here, &bundle, &bytes, &[], "a bomb");
    std::fs::write(&bundle, parts.pack(&[])).unwrap();
    here.json(&["bundle", "import", bundle.to_str().unwrap()]);
}

/// Changes of an index that no bundle may have, with a part of the reason.
pub(crate) const HARMFUL: &[(&str, &str)] = &[
    (
        "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM file; END",
        "other tables",
    ),
    ("CREATE VIEW v AS SELECT 1", "other tables"),
    ("CREATE TABLE t(x)", "other tables"),
    ("CREATE INDEX extra ON file(size)", "other tables"),
    ("DROP INDEX edge_src_file", "other tables"),
    (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'meta'",
        "other tables",
    ),
    ("PRAGMA user_version = 99", "another schema"),
    (
        "UPDATE file SET path = '../../etc/passwd' WHERE path = 'src/app.ts'",
        "path or content",
    ),
    (
        "UPDATE file SET path = 'src/evil.ts' WHERE path = 'src/app.ts'",
        "other files",
    ),
    ("UPDATE file SET content = zeroblob(31)", "path or content"),
    ("DELETE FROM file WHERE path = 'src/app.ts'", ""),
    ("UPDATE file SET lines = -1", "files that cannot be"),
    ("UPDATE file SET skip = 99", "files that cannot be"),
    ("UPDATE symbol SET kind = 77", "symbols that cannot be"),
    (
        "UPDATE symbol SET parent = ordinal",
        "symbols that cannot be",
    ),
    (
        "UPDATE symbol SET extra_lines = 4000000000",
        "symbols in places",
    ),
    (
        "UPDATE symbol SET bytes = -1, start_byte = 9",
        "symbols in places",
    ),
    (
        "UPDATE symbol SET lines_to_name = 1 << 40",
        "symbols that cannot be",
    ),
    (
        "UPDATE symbol SET ordinal = ordinal + 1",
        "an order of symbols",
    ),
    ("UPDATE chunk SET packed = x'00ff'", "chunks that cannot be"),
    (
        "UPDATE chunk SET packed = (SELECT max(packed) FROM chunk)",
        "chunks",
    ),
    (
        "UPDATE file SET lines = 1, size = 1 WHERE id IN (SELECT file FROM chunk) AND id NOT IN (SELECT file FROM symbol)",
        "chunks that cannot be",
    ),
    ("UPDATE chunk_run SET first = -first", "runs of chunks"),
    ("UPDATE chunk_run SET n = n + 1", "runs of chunks"),
    ("UPDATE chunk_run SET n = 1 << 62", "runs of chunks"),
    (
        "UPDATE chunk_run SET file = (SELECT max(file) FROM chunk)",
        "without a run",
    ),
    (
        "INSERT INTO chunk_run SELECT 1000000, 1, max(file) FROM chunk",
        "runs without chunks",
    ),
    ("DELETE FROM chunk", "runs of chunks"),
    ("UPDATE facts SET declared = x'00'", "facts"),
    ("UPDATE facts SET uses = x'00'", "facts"),
    (
        "UPDATE facts SET declared = (SELECT max(packed) FROM config)",
        "facts",
    ),
    (
        "UPDATE config SET packed = zeroblob(100)",
        "configuration file",
    ),
    ("UPDATE import SET state = 9", "imports"),
    ("UPDATE edge SET packed = x''", "edges that cannot be read"),
    (
        "UPDATE edge SET packed = x'00ff'",
        "edges that cannot be read",
    ),
    (
        "UPDATE edge SET packed = x'00e0010001'",
        "edges that cannot be read",
    ),
    (
        "UPDATE edge SET packed = x'c0c40720010101'",
        "edges that cannot be",
    ),
    (
        "UPDATE edge SET dst_block = dst_block + 2000",
        "edges that cannot be",
    ),
    (
        "UPDATE edge SET src_file = src_file + 123456",
        "belong to nothing",
    ),
    (
        "INSERT INTO unbound VALUES(0, x'')",
        "unbound names that cannot be read",
    ),
    (
        "INSERT INTO unbound VALUES(0, x'000000000001250300')",
        "unbound names that cannot be read",
    ),
    (
        "INSERT INTO unbound VALUES(0, x'0000000000013903')",
        "unbound names that cannot be read",
    ),
    (
        "INSERT INTO unbound VALUES(0, x'000000000001270300')",
        "unbound names that cannot be read",
    ),
    (
        "INSERT INTO unbound VALUES(1, x'0000000000012503')",
        "unbound names that cannot be read",
    ),
    (
        "INSERT INTO unbound VALUES(1 << 62, x'0000000000012503')",
        "unbound names that cannot be read",
    ),
    (
        "INSERT INTO unbound VALUES(3200, x'0000000000012503')",
        "unbound names that cannot be",
    ),
    (
        "INSERT INTO link_queue SELECT id, 1 FROM file",
        "files left to link",
    ),
    ("INSERT INTO meta VALUES('attributes', 'x')", "settings"),
    (
        "UPDATE meta SET value = '0' WHERE key = 'complete'",
        "settings",
    ),
    (
        "UPDATE past_path SET path = '/' || path",
        "path that leaves",
    ),
    ("UPDATE touch SET moved_from = 999999", "commits"),
    ("UPDATE \"commit\" SET author = 'Ada'", "commits"),
    (
        "INSERT INTO \"commit\"(hash, time, parents, author, subject, fix) SELECT hash, time, parents, author, subject, fix FROM \"commit\" LIMIT 1",
        "commits",
    ),
    ("UPDATE symbol SET name = CAST(x'ff' AS TEXT)", "not UTF-8"),
    ("UPDATE symbol SET scope = CAST(x'ff' AS TEXT)", "not UTF-8"),
    (
        "UPDATE symbol SET short_signature = CAST(x'01ff' AS TEXT)",
        "not UTF-8",
    ),
    (
        "UPDATE symbol SET name = hex(zeroblob(9000)), short_signature = replace(hex(zeroblob(9000)), '0', char(1))",
        "a signature that is too long",
    ),
    (
        "UPDATE import SET specifier = CAST(x'c328' AS TEXT)",
        "not UTF-8",
    ),
    (
        "INSERT INTO text(rowid, symbol) VALUES(999999, 'x')",
        "words",
    ),
];

#[test]
fn an_index_that_could_do_harm_is_refused() {
    let Carried {
        repo: _repo,
        here,
        bundle,
        ..
    } = carried();
    let good = std::fs::read(&bundle).unwrap();
    for (sql, part) in HARMFUL {
        let mut parts = BundleParts::of(&good);
        let before = parts.database.clone();
        parts.run(&format!("PRAGMA foreign_keys = OFF; {sql}"));
        assert!(parts.database != before, "{sql} changes nothing");
        let said = is_refused(&here, &bundle, &parts.pack(&[]), &[], sql);
        assert!(said.contains(part), "{sql}: {said}");
    }
}

#[test]
fn a_manifest_with_paths_that_leave_is_refused() {
    let Carried {
        repo: _repo,
        here,
        bundle,
        ..
    } = carried();
    let good = std::fs::read(&bundle).unwrap();
    for path in ["../x", "/etc/passwd", "a//b", "a/../../b", "./a", ""] {
        let mut parts = BundleParts::of(&good);
        let line = format!("{} {path}\0", "0".repeat(64));
        parts.manifest.splice(0..0, line.into_bytes());
        let said = is_refused(
            &here,
            &bundle,
            &parts.pack(&[("nFiles", 5.into())]),
            &[],
            path,
        );
        assert!(said.contains("paths that leave"), "{path}: {said}");
    }
}

/// A part of a signature in the project.
const SIGNATURE: &[u8] = b"name: string";

#[test]
fn no_changed_byte_makes_a_fault() {
    let Carried {
        repo: _repo,
        mut here,
        bundle,
        ..
    } = carried();
    let good = BundleParts::of(&std::fs::read(&bundle).unwrap());
    let n_tries: u64 = std::env::var("CODELENS_BUNDLE_TRIES")
        .map_or(60, |text| text.parse().expect("it is a number"));
    here.set("CODELENS_HOUSEKEEPING", "off");
    let mut windows = good.database.windows(SIGNATURE.len());
    let signature = windows.position(|part| part == SIGNATURE).unwrap();
    let mut n_taken = 0;
    for n in 0..n_tries {
        let hash = blake3::hash(&n.to_le_bytes());
        let random = |at: usize| {
            let bytes: [u8; 4] = hash.as_bytes()[4 * at..4 * at + 4].try_into().unwrap();
            u32::from_le_bytes(bytes) as usize
        };
        let mut database = good.database.clone();
        for at in 0..=random(0) % 3 {
            let begin = random(at + 1) % database.len();
            // Zeroes are mostly room that nothing uses.
            let used = database[begin..].iter().position(|byte| *byte != 0);
            // Every other try concerns a signature, which nothing else depends on.
            let place = if n % 2 == 0 {
                begin + used.unwrap_or(0)
            } else {
                signature + random(at + 1) % SIGNATURE.len()
            };
            database[place] = u8::try_from(random(at + 4) % 256).unwrap();
        }
        let bad = BundleParts {
            header: good.header.clone(),
            manifest: good.manifest.clone(),
            database,
        };
        std::fs::write(&bundle, bad.pack(&[])).unwrap();
        let ran = here.run(&["bundle", "import", bundle.to_str().unwrap()]);
        if ran.code != 0 {
            assert_eq!(ran.code, 1, "{n}: {ran:?}");
            assert!(
                ran.stderr.contains("the bundle cannot be used"),
                "{n}: {ran:?}"
            );
            continue;
        }
        n_taken += 1;
        for args in [
            &["refresh"][..],
            &["search", "open store"],
            &["impact", "Store.open"],
            &["map", "--all"],
            &["related", "src/store.ts"],
        ] {
            let ran = here.run(args);
            let is_fault =
                ran.stderr.contains("fault of this program") || ran.stderr.contains("panicked");
            assert!(
                (ran.code == 0 || ran.code == 1) && !is_fault,
                "{n} {args:?}: {ran:?}"
            );
        }
        std::fs::remove_dir_all(here.home()).unwrap();
    }
    assert!(n_taken > 0, "some changes are of words alone");
}
