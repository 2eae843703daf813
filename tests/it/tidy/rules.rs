//! Sources and the table → faults, a line for each.
//!
//! Pure: sources come in as text, so that every rule can be shown to fail.

use std::collections::{BTreeMap, BTreeSet};

use super::lexer::{Placed, Token, tokens};
use super::paths::{self, Named, Paths};
use super::table::{DOORS, MAX_LINES, REEXPORTS, ROOMS, Room};

/// A source file: its path from `src/` and its text.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    /// Path from `src/`, with `/`.
    pub(crate) path: &'a str,
    /// The text.
    pub(crate) text: &'a str,
}

/// Arrows between rooms, each with the first place that draws it.
type Arrows = BTreeMap<(String, String), String>;

/// Returns every fault of the product's sources, in the order of the files.
pub(crate) fn faults(sources: &[Source<'_>]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut arrows = Arrows::new();
    for source in sources {
        faults.extend(shape(source));
        let tokens = tokens(source.text);
        faults.extend(unfinished(source, &tokens));
        let module = module(source.path);
        let room = room_of(source.path);
        let Some(row) = row(room) else {
            faults.push(format!(
                "{}: no row for the room `{room}` in the table",
                source.path
            ));
            continue;
        };
        let mut paths = paths::of(&tokens, &module);
        if module.is_empty() {
            // At the crate's root a room is in scope under its bare name.
            paths.inside.extend(
                paths
                    .outside
                    .iter()
                    .filter(|n| is_room(&n.segments[0]))
                    .cloned(),
            );
        }
        faults.extend(forbidden_arrows(source, row, &paths, &mut arrows));
        faults.extend(second_doors(source, room, &paths));
    }
    faults.extend(cycles(&arrows));
    faults
}

/// Returns the faults that a file has whatever it says: its opening and its length.
pub(crate) fn shape(source: &Source<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    if !source.text.starts_with("//!") {
        faults.push(format!("{}:1: does not open with `//!`", source.path));
    }
    let n_lines = source.text.lines().count();
    if n_lines > MAX_LINES {
        let path = source.path;
        faults.push(format!(
            "{path}: {n_lines} lines, more than {MAX_LINES}: split it by idea"
        ));
    }
    faults
}

/// Returns the places that are left to be written.
fn unfinished(source: &Source<'_>, tokens: &[Placed]) -> Vec<String> {
    let calls = tokens
        .windows(2)
        .filter_map(|pair| match (&pair[0].1, &pair[1].1) {
            (Token::Word(word), Token::Sign('!')) if word == "todo" || word == "unimplemented" => {
                Some((pair[0].0, word))
            }
            _ => None,
        });
    calls
        .map(|(line, word)| format!("{}:{line}: `{word}!` is not a behaviour", source.path))
        .collect()
}

fn forbidden_arrows(
    source: &Source<'_>,
    row: &Room,
    paths: &Paths,
    arrows: &mut Arrows,
) -> Vec<String> {
    let mut faults = Vec::new();
    for Named { line, segments } in &paths.inside {
        let Some(first) = segments.first() else {
            continue;
        };
        let reexport = REEXPORTS.iter().find(|(name, _)| name == first);
        let target = reexport.map_or(first.as_str(), |(_, room)| room);
        if target == row.name {
            continue;
        }
        let place = format!("{}:{line}", source.path);
        if !is_room(target) {
            faults.push(format!("{place}: `crate::{first}` is no room of the table"));
            continue;
        }
        if !row.may_name.contains(&target) {
            faults.push(format!("{place}: `{}` may not name `{target}`", row.name));
        }
        arrows
            .entry((row.name.to_owned(), target.to_owned()))
            .or_insert(place);
    }
    faults
}

fn second_doors(source: &Source<'_>, room: &str, paths: &Paths) -> Vec<String> {
    let mut faults = Vec::new();
    for Named { line, segments } in &paths.outside {
        let first = segments[0].as_str();
        let door = DOORS.iter().find(|door| door.leads_to(first));
        if let Some(door) = door.filter(|door| !door.rooms.contains(&room)) {
            let doors = door.rooms.join("`, `");
            faults.push(format!(
                "{}:{line}: `{first}` is named outside its door `{doors}`",
                source.path
            ));
        }
    }
    faults
}

/// Returns each cycle among rooms once, as the shortest way back to its first room by name.
pub(crate) fn cycles(arrows: &Arrows) -> Vec<String> {
    let rooms: BTreeSet<&str> = arrows.keys().map(|(from, _)| from.as_str()).collect();
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for room in rooms {
        let Some(way) = way_back(arrows, room) else {
            continue;
        };
        if seen.insert(way.iter().cloned().collect::<BTreeSet<_>>()) {
            let places = way.windows(2).map(|pair| {
                format!(
                    "{} ({})",
                    pair[1],
                    arrows[&(pair[0].clone(), pair[1].clone())]
                )
            });
            let places = places.collect::<Vec<_>>().join(" → ");
            faults.push(format!("a cycle among rooms: {room} → {places}"));
        }
    }
    faults
}

/// Returns the shortest way from a room to itself, both ends included.
fn way_back(arrows: &Arrows, room: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![room.to_owned()]];
    let mut reached = BTreeSet::new();
    while !ways.is_empty() {
        let mut next = Vec::new();
        for way in ways {
            let last = way.last().expect("a way has its start");
            for (_, to) in arrows.keys().filter(|(from, _)| from == last) {
                let longer: Vec<String> = way.iter().cloned().chain([to.clone()]).collect();
                if to == room {
                    return Some(longer);
                }
                if reached.insert(to.clone()) {
                    next.push(longer);
                }
            }
        }
        ways = next;
    }
    None
}

/// Returns the arrows that the table allows, as if each were drawn.
pub(crate) fn allowed_arrows() -> Arrows {
    let arrows = ROOMS.iter().flat_map(|room| {
        let arrow = |to: &&str| ((room.name.to_owned(), (*to).to_owned()), "table".to_owned());
        room.may_name.iter().map(arrow)
    });
    arrows.collect()
}

fn row(room: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|row| row.name == room)
}

fn is_room(name: &str) -> bool {
    row(name).is_some()
}

fn room_of(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or(path);
    first.strip_suffix(".rs").unwrap_or(first)
}

pub(crate) fn module(path: &str) -> Vec<String> {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    match stem {
        "lib" | "main" => Vec::new(),
        _ => stem.split('/').map(str::to_owned).collect(),
    }
}
