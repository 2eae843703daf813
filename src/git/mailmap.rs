//! `.mailmap`: the names by which a repository wants its authors called.
//!
//! Names alone are kept of a result; addresses only serve to find them.

use std::collections::HashMap;

/// Lines that are read.
const MAX_LINES: usize = 20_000;

/// The entries of a `.mailmap`, by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailmap(HashMap<String, Person>);

#[derive(Clone, Debug, Default)]
struct Person {
    /// The name for this address, whoever it was used by.
    name: Option<String>,
    /// The name for this address, by the name beside it in commits, in lower case.
    by_name: HashMap<String, Option<String>>,
}

impl Mailmap {
    /// Reads the text of a `.mailmap`: `Name <address>`, `Name <address> <address in commits>`,
    /// `Name <address> Name in commits <address in commits>`, and these without the first name. Other lines are passed over.
    pub(super) fn parse(text: &str) -> Self {
        let mut all = Self::default();
        for line in text.lines().take(MAX_LINES) {
            let line = line.trim();
            if line.starts_with('#') {
                continue;
            }
            let Some((name, address, rest)) = entry(line) else {
                continue;
            };
            let name = (!name.is_empty()).then(|| name.to_owned());
            match entry(rest) {
                None if name.is_some() => all.person(address).name = name,
                None => {}
                Some((old_name, old_address, _)) => {
                    let person = all.person(old_address);
                    if old_name.is_empty() {
                        person.name = name.or_else(|| person.name.take());
                    } else {
                        person.by_name.insert(old_name.to_lowercase(), name);
                    }
                }
            }
        }
        all
    }

    /// Returns the name that an author of a commit has: `name` itself where no entry is about it.
    pub(super) fn name<'a>(&'a self, name: &'a str, address: &str) -> &'a str {
        let Some(person) = self.0.get(&address.to_lowercase()) else {
            return name;
        };
        let by_name = person.by_name.get(&name.to_lowercase());
        let known = by_name.unwrap_or(&person.name).as_deref();
        known.unwrap_or(name)
    }

    fn person(&mut self, address: &str) -> &mut Person {
        self.0.entry(address.to_lowercase()).or_default()
    }
}

/// Splits `Name <address> rest`.
fn entry(line: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = line.split_once('<')?;
    let (address, rest) = rest.split_once('>')?;
    Some((name.trim(), address.trim(), rest))
}

#[cfg(test)]
mod tests {
    use super::Mailmap;

    #[test]
    fn names_are_those_of_the_mailmap() {
        let map = Mailmap::parse(
            "# people\nEvan You <evan@x.org>\nAnn Lee <ann@x.org> <al@old.net>\n\
             Bob <bob@x.org> robert <shared@x.org>\n<cat@x.org> <cat@old.net>\nno entry\n<broken\n",
        );
        for (name, address, wanted) in [
            ("yyx990803", "Evan@X.org", "Evan You"),
            ("al", "al@old.net", "Ann Lee"),
            ("al", "ann@x.org", "al"),
            ("Robert", "shared@x.org", "Bob"),
            ("Someone", "shared@x.org", "Someone"),
            ("Cat", "cat@old.net", "Cat"),
            ("nobody", "", "nobody"),
        ] {
            assert_eq!(map.name(name, address), wanted, "{name} <{address}>");
        }
    }

    #[test]
    fn the_later_entry_counts() {
        let map = Mailmap::parse("One <a@x.org>\nTwo <a@x.org>\n");
        assert_eq!(map.name("a", "a@x.org"), "Two");
        assert_eq!(Mailmap::parse("").name("a", "a@x.org"), "a");
    }
}
