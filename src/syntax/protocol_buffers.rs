//! Definitions of Protocol Buffers, and the code that is made from them.
//!
//! A service is offered under its full name. Code of any language asks for a method of one by the path that gRPC, Connect and their
//! relatives send over the wire, `"/helloworld.Greeter/SayHello"`, and a file that says which file it was made from asks for the
//! messages and enumerations of its types' names.
//!
//! The path: <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>. The line about the source: `protoc` writes it into Go,
//! Java, C# and C++ (`// source: helloworld.proto`), `protoc-gen-es` into TypeScript (`// @generated from file helloworld.proto`).

use std::collections::BTreeSet;

use super::lang::endpoints::{MAX_ENDPOINTS, symbol_at};
use crate::ir::{
    Endpoint, EndpointRole, FileFacts, LinkageReach, SymbolIdx, protobuf_message_key,
    protobuf_method_key, protobuf_service_key,
};
use crate::model::hash::HashMap;
use crate::model::path::file_name;
use crate::model::{Symbol, SymbolKind};

/// How much of a file is looked through for the line about its source.
const MAX_HEAD_BYTES: usize = 4_096;

/// The longest path that is read.
const MAX_PATH_BYTES: usize = 512;

/// The ends of the names of types that stand for a service, by the compilers' plugins for Go, Python, TypeScript and Connect.
const STANDS_FOR_SERVICE: [&str; 7] = [
    "Client",
    "ClientImpl",
    "Server",
    "Stub",
    "Servicer",
    "Handler",
    "Service",
];

/// Adds the endpoints of a file: what a file of Protocol Buffers offers, else what is asked for.
pub(super) fn add(language: &str, source: &str, facts: &mut FileFacts) {
    if language == "protobuf" {
        offer(source, facts);
    } else {
        ask_for_methods(source, facts);
        ask_for_messages(source, facts);
        facts.import_bridges();
    }
}

fn offer(source: &str, facts: &mut FileFacts) {
    let package = package(source).unwrap_or_default();
    let symbols = facts.symbols.iter().zip(0..);
    let services = symbols.filter(|(it, _)| it.kind == SymbolKind::Interface);
    let endpoints = services.take(MAX_ENDPOINTS).map(|(it, at)| Endpoint {
        role: EndpointRole::Offer {
            key: protobuf_service_key(package, &it.name),
        },
        symbol: Some(at),
        line: it.span.start_line,
    });
    facts.endpoints.extend(endpoints);
}

/// `helloworld` of `package helloworld;`
fn package(source: &str) -> Option<&str> {
    let mut lines = source.lines();
    lines.find_map(|line| {
        let name = line.trim_start().strip_prefix("package ")?;
        let name = name.split(';').next()?.trim();
        is_full_name(name).then_some(name)
    })
}

fn ask_for_methods(source: &str, facts: &mut FileFacts) {
    let mut line = 1;
    let mut counted = 0;
    let mut asked = BTreeSet::new();
    for (slash, _) in source.match_indices('/') {
        let Some((service, method)) = method_path(source, slash) else {
            continue;
        };
        if facts.endpoints.len() >= MAX_ENDPOINTS {
            return;
        }
        line += source[counted..slash].matches('\n').count();
        counted = slash;
        facts.endpoints.push(Endpoint {
            role: EndpointRole::Use {
                key: protobuf_method_key(service, method),
                reach: LinkageReach::Repository,
            },
            symbol: symbol_at(&facts.symbols, slash),
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
        asked.insert((service, method));
    }
    if !asked.is_empty() {
        ask_for_members(&asked, facts);
    }
}

/// Methods of the types that stand for a service in the file that has the paths of its methods, `GreeterClient.SayHello`: clients
/// call these and servers implement them.
fn ask_for_members(asked: &BTreeSet<(&str, &str)>, facts: &mut FileFacts) {
    let mut members: HashMap<(&str, String), Vec<usize>> = HashMap::default();
    for (at, symbol) in facts.symbols.iter().enumerate() {
        let owner = symbol.parent.map(|at| &facts.symbols[at as usize]);
        if let Some(owner) = owner.filter(|it| is_type(it)) {
            let key = (owner.name.as_str(), symbol.name.to_ascii_lowercase());
            members.entry(key).or_default().push(at);
        }
    }
    let mut found = Vec::new();
    for (service, method) in asked {
        let own_name = service.rsplit('.').next().unwrap_or(service);
        for suffix in STANDS_FOR_SERVICE {
            let owner = format!("{own_name}{suffix}");
            let all = members.get(&(owner.as_str(), method.to_ascii_lowercase()));
            found.extend(all.into_iter().flatten().map(|at| Endpoint {
                role: EndpointRole::Use {
                    key: protobuf_method_key(service, method),
                    reach: LinkageReach::Repository,
                },
                symbol: SymbolIdx::try_from(*at).ok(),
                line: facts.symbols[*at].span.start_line,
            }));
        }
    }
    let n_left = MAX_ENDPOINTS.saturating_sub(facts.endpoints.len());
    facts.endpoints.extend(found.into_iter().take(n_left));
}

/// The service and the method of the path in quotes that begins with the slash at `slash`: those of `"/helloworld.Greeter/SayHello"`.
/// Both begin with a capital letter, as the style of Protocol Buffers has it: other paths are those of files and pages.
fn method_path(source: &str, slash: usize) -> Option<(&str, &str)> {
    let bytes = source.as_bytes();
    let quote = *bytes.get(slash.checked_sub(1)?)?;
    if !matches!(quote, b'"' | b'\'' | b'`') {
        return None;
    }
    let mut behind = bytes[slash + 1..].iter().take(MAX_PATH_BYTES);
    let end = behind.position(|it| *it == quote)?;
    let path = source.get(slash + 1..slash + 1 + end)?;
    let (service, method) = path.split_once('/')?;
    let is_capital = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase());
    let own_name = service.rsplit('.').next()?;
    let is_path = is_full_name(service) && is_name(method);
    (is_path && is_capital(own_name) && is_capital(method)).then_some((service, method))
}

fn ask_for_messages(source: &str, facts: &mut FileFacts) {
    let Some(path) = source_path(source) else {
        return;
    };
    let file = file_name(path);
    for at in 0..facts.symbols.len() {
        let symbol = &facts.symbols[at];
        if !is_type(symbol) || facts.endpoints.len() >= MAX_ENDPOINTS {
            continue;
        }
        let endpoint = Endpoint {
            role: EndpointRole::Use {
                key: protobuf_message_key(file, &nested_name(&facts.symbols, at)),
                reach: LinkageReach::Headers(vec![path.to_owned()]),
            },
            symbol: SymbolIdx::try_from(at).ok(),
            line: symbol.span.start_line,
        };
        facts.endpoints.push(endpoint);
    }
}

/// The file that a file says to be made from: `helloworld.proto` of `// source: helloworld.proto`.
fn source_path(source: &str) -> Option<&str> {
    let end = source.floor_char_boundary(MAX_HEAD_BYTES);
    let mut lines = source[..end].lines();
    lines.find_map(|line| {
        let said = line.strip_prefix("//").or(line.strip_prefix('#'))?.trim();
        let path = said
            .strip_prefix("source: ")
            .or_else(|| said.strip_prefix("Source: "))
            .or_else(|| said.strip_prefix("@generated from file "))?;
        let path = path.split_whitespace().next()?;
        let is_proto = path.strip_suffix(".proto").is_some();
        (path.len() <= MAX_PATH_BYTES && is_proto).then_some(path)
    })
}

fn is_type(symbol: &Symbol) -> bool {
    matches!(
        symbol.kind,
        SymbolKind::Class | SymbolKind::Interface | SymbolKind::Enum | SymbolKind::Type
    )
}

/// The name of a message with those around it, as Go and C++ have it: `Outer_Inner`.
fn nested_name(symbols: &[Symbol], at: usize) -> String {
    let mut name = symbols[at].name.clone();
    let mut around = symbols[at].parent;
    // A parent has a lower index, and names that are too long are no path.
    while let Some(parent) = around.map(|at| &symbols[at as usize])
        && name.len() <= MAX_PATH_BYTES
    {
        if is_type(parent) {
            name = format!("{}_{name}", parent.name);
        }
        around = parent.parent;
    }
    name
}

/// Whether a text is a name with the packages around it: `google.protobuf.Any`.
fn is_full_name(text: &str) -> bool {
    text.split('.').all(is_name)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::{method_path, package, source_path};

    #[test]
    fn a_path_in_quotes_names_a_method() {
        let of = |source: &'static str| method_path(source, source.find('/').unwrap());
        assert_eq!(
            of("f(\"/a.b.Greeter/SayHello\")"),
            Some(("a.b.Greeter", "SayHello"))
        );
        assert_eq!(of("'/Greeter/Hi',"), Some(("Greeter", "Hi")));
        for other in [
            "\"/api/users\"",
            "\"/a.Greeter/Hi/x\"",
            "\"/a.Greeter/Hi'",
            "\"/a..Greeter/Hi\"",
            "\"/.Greeter/Hi\"",
            "\"/Users/{id}\"",
            "\"/",
            "/A/B/",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn the_head_of_a_file_names_its_source_and_its_package() {
        assert_eq!(
            source_path("// x\n// source: a/b.proto\n"),
            Some("a/b.proto")
        );
        assert_eq!(source_path("//     source: b.proto"), Some("b.proto"));
        let of_script = "// @generated from file a/b.proto (package a.b, syntax proto3)";
        assert_eq!(source_path(of_script), Some("a/b.proto"));
        assert_eq!(source_path("# source: b.proto"), Some("b.proto"));
        assert_eq!(source_path("// source: b.go"), None);
        assert_eq!(source_path("s = \"// source: b.proto\""), None);
        assert_eq!(package("// package x;\n package a.b ; // c"), Some("a.b"));
        assert_eq!(package("package ;\n"), None);
    }
}
