//! Statements of `MyBatis` in mapper files: each stands for a method of an interface of Java.
//!
//! `<mapper namespace="com.acme.UserMapper">` with `<select id="find">` is the method `find` of that interface.

use super::lang::endpoints::MAX_ENDPOINTS;
use crate::ir::{Endpoint, EndpointRole, FileFacts, LinkageReach, java_member_key};
use crate::model::markup::attribute;

/// Elements that are statements.
const STATEMENTS: [&str; 4] = ["select", "insert", "update", "delete"];

/// Adds the statements of a mapper to the facts of its file; nothing where it is no mapper.
pub(super) fn add(source: &str, facts: &mut FileFacts) {
    let Some(mapper) = source.find("<mapper") else {
        return;
    };
    let Some(head) = source[mapper..].split('>').next() else {
        return;
    };
    let Some(namespace) = attribute(head, "namespace") else {
        return;
    };
    let mut in_comment = false;
    let mut line = 1;
    for (at, part) in source.split('<').enumerate() {
        if facts.endpoints.len() >= MAX_ENDPOINTS {
            break;
        }
        if at > 0 && !in_comment {
            if part.starts_with("!--") {
                in_comment = true;
            } else if let Some((name, _)) = part.split_once(char::is_whitespace)
                && STATEMENTS.contains(&name)
                && let Some(id) = part.split('>').next().and_then(|it| attribute(it, "id"))
                && let Some(key) = java_member_key(namespace, id)
            {
                let reach = LinkageReach::Repository;
                facts.endpoints.push(Endpoint {
                    role: EndpointRole::Use { key, reach },
                    symbol: None,
                    line,
                });
            }
        }
        if in_comment && part.contains("-->") {
            in_comment = false;
        }
        line += u32::try_from(part.matches('\n').count()).unwrap_or(0);
    }
    facts.import_bridges();
}

#[cfg(test)]
mod tests {
    use super::add;
    use crate::ir::{EndpointRole, FileFacts};

    #[test]
    fn statements_are_those_of_the_interface() {
        let source = "<mapper namespace=\"com.acme.UserMapper\">\n<!-- <select id=\"old\"> -->\n<sql id=\"cols\">a</sql>\n<select resultType=\"x\"\n id='find'>select 1 where a &lt; 2</select>\n</mapper>";
        let mut facts = FileFacts::default();
        add(source, &mut facts);
        let keys: Vec<_> = facts
            .endpoints
            .iter()
            .map(|it| match &it.role {
                EndpointRole::Use { key, .. } => (key.as_str(), it.line),
                _ => ("", 0),
            })
            .collect();
        assert_eq!(keys, [("java com.acme#UserMapper.find", 4)]);
        assert_eq!(facts.imports[0].specifier, "bridge:java com.acme");
    }
}
