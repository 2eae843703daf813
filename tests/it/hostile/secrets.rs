//! Secrets that lie in a repository: neither indexed nor previewed, and counted.

use std::fmt::Write as _;

use serde_json::json;

use super::calls::call;
use crate::support::{Cli, Repo};

/// Secrets that no call may show. Put together here, so that no scanner takes this file for a leak.
fn tokens() -> Vec<String> {
    let random = "Zq9Xw3Vt7Ls2Kd5Mb8Nc4Pf6Rg1Hj0Ty3Bu";
    vec![
        format!("AKIA{}", "IOSFODNN7EXAMPLF"),
        format!("ghp_{random}a"),
        format!("glpat-{random}"),
        format!("xoxb-{random}"),
        format!("sk_live_{random}"),
        format!("npm_{random}a"),
    ]
}

#[test]
fn tokens_in_code_are_neither_found_nor_shown() {
    let repo = Repo::new(Vec::new());
    let mut text = String::from("export function connect() {\n");
    for (n, token) in tokens().iter().enumerate() {
        writeln!(text, "  const key{n} = '{token}' // key {n}").unwrap();
    }
    text += "}\n";
    repo.write("src/connect.ts", &text);
    repo.write(
        "src/plain.ts",
        "export function plain() { return 'ghp_' }\n",
    );
    let pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIhiddenhiddenhidden\n-----END EC PRIVATE KEY-----\n";
    repo.write("src/pem.ts", format!("export const pem = `\n{pem}`\n"));
    let cli = Cli::new(repo.path());
    let built = cli.json(&["refresh"]);
    assert_eq!(built["skippedByReason"], json!({"masked": 2}), "{built}");
    assert_eq!(built["totalFiles"], 3);
    // Everything else of the file is there.
    let found = call(&cli, &["search", "connect key", "--snippet", "full"]);
    let preview = found["results"][0]["preview"].as_str().unwrap();
    assert!(
        preview.contains("key0") && preview.contains("ghp_***"),
        "{preview}"
    );
    let shown = [
        found,
        call(&cli, &["search", "pem", "--snippet", "full"]),
        call(&cli, &["explore", "connect", "--snippet", "full"]),
        call(&cli, &["map", "--all"]),
        call(&cli, &["save", "n", "--path", "src/connect.ts"]),
        call(&cli, &["load", "n"]),
    ];
    for token in tokens()
        .iter()
        .map(|token| &token[8..])
        .chain(["hiddenhidden"])
    {
        for answer in &shown {
            assert!(!answer.to_string().contains(token), "{token}: {answer}");
        }
        let found = call(&cli, &["search", token]);
        assert_eq!(found["count"], 0, "{token}: {found}");
    }
    // What loses nothing but a key is no reason for doubt.
    let impact = call(&cli, &["impact", "connect"]);
    assert_eq!(impact["completeness"]["skippedFiles"], 0, "{impact}");
}

#[test]
fn files_that_are_secrets_are_never_read() {
    let repo = Repo::new(Vec::new());
    let canary = "canarysecret";
    let names = [
        ".env",
        ".env.local",
        "deploy/.env.production",
        "id_rsa",
        "server.pem",
        "cert/tls.key",
        ".netrc",
        ".aws/credentials",
        ".pypirc",
        "home/.docker/config.json",
    ];
    for name in names {
        repo.write(name, format!("{canary} = 1\n"));
    }
    repo.write(
        "key.txt",
        format!(
            "-----BEGIN OPENSSH PRIVATE KEY-----\n{canary}\n-----END OPENSSH PRIVATE KEY-----\n"
        ),
    );
    // What configures a package manager is a secret only where it has one in it.
    let npmrc = format!("registry=https://example.org/\n//example.org/:_authToken={canary}\n");
    repo.write(".npmrc", npmrc);
    repo.write("plain/.npmrc", "//example.org/:_authToken=${NPM_TOKEN}\n");
    std::os::unix::fs::symlink(".env", repo.path().join("harmless.ts")).unwrap();
    let cli = Cli::new(repo.path());
    let built = cli.json(&["refresh"]);
    assert_eq!(
        built["skippedByReason"],
        json!({"secret": names.len() + 2, "symlink": 1}),
        "{built}"
    );
    assert_eq!(call(&cli, &["search", canary])["count"], 0);
    for name in names
        .into_iter()
        .chain(["key.txt", ".npmrc", "harmless.ts"])
    {
        let answer = call(&cli, &["expand", name]);
        assert_eq!(answer["error"]["code"], "not_indexed", "{name}: {answer}");
        assert!(!answer.to_string().contains(canary), "{answer}");
    }
    let plain = call(&cli, &["expand", "plain/.npmrc"]);
    assert!(
        plain["content"].as_str().unwrap().contains("NPM_TOKEN"),
        "{plain}"
    );
}
