//! Which tools a server offers: `default`, `lean`, `find`, `read`, or a list of names.

use super::{TOOLS, ToolSpec};

/// A named set of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toolset {
    /// Its name.
    pub name: &'static str,
    /// The purpose of the set.
    pub about: &'static str,
}

/// Every named set.
pub const TOOLSETS: &[Toolset] = &[
    Toolset {
        name: "default",
        about: "all tools",
    },
    Toolset {
        name: "lean",
        about: "what finds, reads and judges code, and saved contexts",
    },
    Toolset {
        name: "find",
        about: "what finds and reads code",
    },
    Toolset {
        name: "read",
        about: "of those that are named, or of all, what only reads",
    },
];

/// Tools of the set `lean`.
const LEAN: &[&str] = &[
    "cl_explore",
    "cl_search",
    "cl_expand",
    "cl_map",
    "cl_impact",
    "cl_load",
    "cl_save",
];

/// Tools of the set `find`.
const FIND: &[&str] = &["cl_explore", "cl_search", "cl_expand"];

/// The longest name that is looked up.
const MAX_NAME: usize = 64;

/// The tools that a list of names chooses.
#[derive(Debug)]
pub struct Selection {
    /// The tools, in the order of [`TOOLS`].
    pub tools: Vec<ToolSpec>,
    /// Names that mean no tool and no set.
    pub unknown: Vec<String>,
}

/// Reads a list such as `lean`, `default,read`, `find,map`, `+impact`, `-drop`: names of sets and of tools, with `cl_` or
/// without. `+` adds to the default, `-` takes away, `read` leaves what only reads. Unknown names are passed over; where
/// nothing else is named, or nothing is left, the default stands.
pub fn select(list: &str) -> Selection {
    let mut unknown = Vec::new();
    let mut chosen: Vec<&str> = Vec::new();
    let mut removed: Vec<&str> = Vec::new();
    let (mut has_base, mut only_reading) = (false, false);
    let items = list.split([',', ' ', '\t']).map(str::trim);
    for item in items.filter(|item| !item.is_empty()) {
        let (sign, name) = match item.as_bytes()[0] {
            sign @ (b'+' | b'-') => (Some(sign), &item[1..]),
            _ => (None, item),
        };
        let name = name.to_ascii_lowercase();
        let is_reading = name == "read" && sign.is_none();
        let Some(names) = names_of(&name).filter(|_| !is_reading) else {
            if is_reading {
                only_reading = true;
            } else {
                unknown.push(item.chars().take(MAX_NAME).collect());
            }
            continue;
        };
        match sign {
            Some(b'-') => removed.extend(names),
            Some(_) => chosen.extend(names),
            None => {
                has_base = true;
                chosen.extend(names);
            }
        }
    }
    let is_chosen = |tool: &&ToolSpec| {
        (!has_base || chosen.contains(&tool.name))
            && !removed.contains(&tool.name)
            && (!only_reading || tool.read_only)
    };
    let mut tools: Vec<ToolSpec> = TOOLS.iter().filter(is_chosen).copied().collect();
    if tools.is_empty() {
        tools = TOOLS.to_vec();
    }
    Selection { tools, unknown }
}

/// Returns the tools of a set, or the tool of a name.
fn names_of(name: &str) -> Option<Vec<&'static str>> {
    let all = || TOOLS.iter().map(|tool| tool.name);
    match name {
        "default" => Some(all().collect()),
        "lean" => Some(LEAN.to_vec()),
        "find" => Some(FIND.to_vec()),
        "read" => Some(
            TOOLS
                .iter()
                .filter(|tool| tool.read_only)
                .map(|tool| tool.name)
                .collect(),
        ),
        _ => {
            let mut tools = TOOLS.iter();
            let tool = tools.find(|tool| tool.name == name || tool.command_name() == name)?;
            Some(vec![tool.name])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FIND, LEAN, TOOLSETS, select};
    use crate::tools::TOOLS;

    fn names(list: &str) -> Vec<&'static str> {
        select(list).tools.iter().map(|tool| tool.name).collect()
    }

    #[test]
    fn sets_and_names_choose_tools() {
        let all: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names(""), all);
        assert_eq!(names("default"), all);
        assert_eq!(names("lean"), LEAN);
        assert_eq!(names(" Find , "), FIND);
        assert_eq!(
            names("find,map"),
            ["cl_explore", "cl_search", "cl_expand", "cl_map"]
        );
        assert_eq!(names("cl_search"), ["cl_search"]);
        assert_eq!(names("+map").len(), all.len(), "the default has it");
        assert_eq!(
            names("find,+map,-explore"),
            ["cl_search", "cl_expand", "cl_map"]
        );
        assert!(!names("-drop,-prune").contains(&"cl_drop"));
        assert_eq!(names("-drop").len(), all.len() - 1);
    }

    #[test]
    fn read_wins_over_all() {
        for list in ["read", "default,read", "read,drop,search", "lean read"] {
            let selection = select(list);
            assert!(selection.tools.iter().all(|tool| tool.read_only), "{list}");
            assert!(!selection.tools.is_empty(), "{list}");
        }
        assert!(!names("lean,read").contains(&"cl_save"));
    }

    #[test]
    fn unknown_names_cost_nothing_but_themselves() {
        let selection = select("lean,serch,-nothing");
        assert_eq!(selection.unknown, ["serch", "-nothing"]);
        assert_eq!(selection.tools.len(), LEAN.len());
        let selection = select(&"é".repeat(10_000));
        assert_eq!(
            (selection.unknown.len(), selection.tools.len()),
            (1, TOOLS.len())
        );
        assert_eq!(select("-default").tools.len(), TOOLS.len());
        for set in TOOLSETS {
            assert!(select(set.name).unknown.is_empty(), "{}", set.name);
        }
    }
}
