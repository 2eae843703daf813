//! Code that was cut up and put together at random is read to its end, and says the same twice.

use codelens::model::{Budget, RepoPath};
use codelens::syntax;

use crate::support::{Fixture, Step};

/// Mutations of each file of the fixtures; `CODELENS_HOSTILE=full` makes a hundred times as many.
const ROUNDS: usize = 12;

/// A generator of numbers that are the same in each run (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (n.max(1) as u64)).unwrap()
    }

    /// A part of a text, between two of its characters.
    fn part<'t>(&mut self, text: &'t str) -> &'t str {
        let mut at = || {
            let from = self.below(text.len() + 1);
            (0..=from)
                .rev()
                .find(|it| text.is_char_boundary(*it))
                .unwrap()
        };
        let (one, other) = (at(), at());
        &text[one.min(other)..one.max(other)]
    }
}

#[test]
fn mutated_code_is_read_to_its_end() {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/edges");
    for family in ["c", "cpp", "csharp", "go", "java", "python", "rust"] {
        let mut sources = Vec::new();
        for entry in std::fs::read_dir(folder.join(family)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let name = name.strip_suffix(".repo").unwrap();
            for step in Fixture::load(&format!("edges/{family}/{name}")).steps {
                if let Step::Write { path, text, .. } = step {
                    sources.push((path, text));
                }
            }
        }
        sources.sort();
        let marks = [
            "(", ")", "{", "}", "<", ">", "\"", "`", "//", "/*", "\0", "é", "func ", "class ", "@",
            "::", "!", "mod ", "use ",
        ];
        for n in 0..sources.len() * super::corpus::scaled(ROUNDS, 100 * ROUNDS) {
            let (path, text) = &sources[n % sources.len()];
            let other = numbers.below(sources.len());
            let mut mutated = numbers.part(text).to_owned();
            for _ in 0..numbers.below(4) {
                mutated += marks[numbers.below(marks.len())];
                mutated += numbers.part(&sources[other].1);
            }
            let path = RepoPath::new(path.as_str()).unwrap();
            let language = syntax::by_path(&path);
            let budget = Budget::unlimited(std::sync::Arc::default());
            let read = || syntax::extract(language, &mutated, true, &budget);
            let facts = read().expect("nothing ends the budget").facts;
            let (n_symbols, n_imports) = (facts.symbols.len(), facts.imports.len());
            assert!(facts.exprs.is_sound(n_symbols, n_imports), "{mutated}");
            assert!(Some(facts) == read().map(|it| it.facts), "{mutated}");
        }
    }
}
