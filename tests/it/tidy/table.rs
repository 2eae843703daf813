//! The table: which room may name which, and which rooms are the doors of a foreign library.
//!
//! A new arrow or a new door is a line here, and a decision.

/// A room of the crate: a folder or file right under `src/`.
pub(crate) struct Room {
    /// Its name.
    pub(crate) name: &'static str,
    /// The rooms it may name.
    pub(crate) may_name: &'static [&'static str],
}

const fn room(name: &'static str, may_name: &'static [&'static str]) -> Room {
    Room { name, may_name }
}

/// Every room, from the bottom up.
pub(crate) const ROOMS: &[Room] = &[
    // Nouns.
    room("model", &[]),
    room("error", &["model"]),
    room("config", &["error", "model"]),
    // The typed facts of a file.
    room("ir", &["model"]),
    // Doors: they never name one another.
    room("git", &["model", "machine"]),
    room("syntax", &["ir", "model"]),
    room("resolve", &["ir", "model"]),
    room("store", &["ir", "model"]),
    room("watch", &["model"]),
    room("machine", &[]),
    // The way to object stores and servers of models: the only room that connects.
    room("remote", &["model"]),
    // Models: what is said to them over `remote`, and which answers are taken.
    room("embed", &["remote", "config", "model"]),
    // Zip and tar files, whose contents are not trusted.
    room("archive", &["model"]),
    // What the index means, and how it is made.
    room("link", &["store", "resolve", "ir", "model", "error"]),
    // What files are for: what the configurations of test runners declare, against what the index holds.
    room("roles", &["syntax", "store", "ir", "model"]),
    room(
        "reconcile",
        &[
            "git", "syntax", "resolve", "store", "link", "roles", "ir", "model", "error",
        ],
    ),
    room("search", &["roles", "store", "model", "error"]),
    room("graph", &["roles", "store", "model", "error"]),
    // Single uses, found again from the text: by what is stored, the rules of linking and the syntax of the place.
    room(
        "uses",
        &[
            "link", "graph", "syntax", "roles", "store", "ir", "model", "error",
        ],
    ),
    // Every line that a pattern matches, in files that the workspace reads for it.
    room("lines", &["syntax", "model"]),
    room("lifecycle", &["git", "store", "model", "error", "config"]),
    // Where a repository, its index and the reconciler come together. `search` reads the text of a hit
    // through a port of its own, which the workspace fills.
    room(
        "workspace",
        &[
            "reconcile",
            "git",
            "syntax",
            "resolve",
            "roles",
            "store",
            "search",
            "lines",
            "watch",
            "machine",
            "remote",
            "archive",
            "embed",
            "lifecycle",
            "model",
            "error",
            "config",
        ],
    ),
    // Faces.
    room(
        "tools",
        &[
            "workspace",
            "search",
            "lines",
            "graph",
            "uses",
            "roles",
            "lifecycle",
            "model",
            "error",
            "config",
        ],
    ),
    // Indexes that other tools read.
    room(
        "export",
        &[
            "workspace",
            "uses",
            "roles",
            "store",
            "ir",
            "model",
            "error",
        ],
    ),
    room(
        "mcp",
        &["tools", "workspace", "machine", "model", "error", "config"],
    ),
    // A page to look at, from plain data.
    room("view", &[]),
    // The files of agents, for which nothing of an index has to be known.
    room("clients", &[]),
    room(
        "cli",
        &[
            "tools",
            "mcp",
            "clients",
            "export",
            "view",
            "workspace",
            "model",
            "error",
            "config",
        ],
    ),
    room("main", &["cli", "error", "config"]),
    // Tests that need several rooms: the meaning of texts, from facts to links.
    room("tests", &["link", "syntax", "store", "ir", "model"]),
    // The crate's page and list of modules; re-exports its error.
    room("lib", &["error"]),
];

/// A foreign library and the rooms that may name it.
pub(crate) struct Door {
    /// The library's name in paths; a final `*` stands for any ending.
    pub(crate) library: &'static str,
    /// The only rooms in which it may be named.
    pub(crate) rooms: &'static [&'static str],
}

const fn door(library: &'static str, rooms: &'static [&'static str]) -> Door {
    Door { library, rooms }
}

/// Every library that has a door.
pub(crate) const DOORS: &[Door] = &[
    door("gix*", &["git"]),
    door("cap_std", &["git"]),
    door("cap_fs_ext", &["git"]),
    door("ignore", &["git"]),
    door("rusqlite", &["store"]),
    door("libsqlite3_sys", &["store"]),
    door("zstd", &["store", "archive"]),
    door("zip", &["archive"]),
    door("tar", &["archive"]),
    door("flate2", &["archive"]),
    door("postcard", &["store"]),
    door("scip", &["export"]),
    door("protobuf", &["export"]),
    door("toml", &["config", "resolve"]),
    door("jsonc_parser", &["clients"]),
    // In `config` for the file of the user, whose comments and order stay.
    door("toml_edit", &["clients", "config"]),
    door("tree_sitter*", &["syntax"]),
    door("libmimalloc_sys", &["machine", "syntax"]),
    door("mimalloc", &["main"]),
    door("foldhash", &["model"]),
    door("hashbrown", &["model"]),
    door("aho_corasick", &["model"]),
    // Patterns of paths in the configurations of test runners.
    door("regex", &["roles"]),
    // Patterns that are searched for in files.
    door("regex_automata", &["lines"]),
    door("regex_syntax", &["lines"]),
    door("oxc_resolver", &["resolve"]),
    door("notify", &["watch"]),
    // In `git` to list directories, which takes cap_std twice the calls; in `watch` for the kernel's queue of events.
    door("rustix", &["machine", "git", "watch"]),
    door("rmcp", &["mcp"]),
    door("object_store", &["remote"]),
    door("reqwest", &["remote"]),
    door("rustls", &["remote"]),
    door("ring", &["remote"]),
    door("futures_util", &["remote"]),
    door("url", &["remote"]),
    door("tokenizers", &["embed"]),
    door("safetensors", &["embed"]),
    door("tokio*", &["mcp", "remote"]),
    door("hyper*", &["mcp"]),
    door("http_body_util", &["mcp", "remote"]),
    door("getrandom", &["mcp"]),
    // In `tools` as a derive on input types, and to hand the commands it derives to `cli`.
    door("clap", &["cli", "tools"]),
    door("clap_complete", &["cli"]),
    door("clap_mangen", &["cli"]),
    door("strsim", &["model"]),
    door("indicatif", &["cli"]),
    door("comfy_table", &["cli"]),
    door("anstyle", &["cli"]),
    door("anstream", &["cli"]),
    door("terminal_size", &["cli"]),
];

/// Names right under `crate::` that are not rooms: re-exports of `lib.rs`, with the rooms that they are of.
pub(crate) const REEXPORTS: &[(&str, &str)] = &[("Error", "error"), ("Result", "error")];

/// Most lines of a source file.
pub(crate) const MAX_LINES: usize = 900;

impl Door {
    /// Whether a path that begins with `name` goes through this door.
    pub(crate) fn leads_to(&self, name: &str) -> bool {
        match self.library.strip_suffix('*') {
            Some(stem) => name
                .strip_prefix(stem)
                .is_some_and(|ending| ending.is_empty() || ending.starts_with('_')),
            None => name == self.library,
        }
    }
}
