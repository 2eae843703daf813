//! The aliases of `SvelteKit`: `$lib`, and those of `kit.alias`.
//!
//! <https://svelte.dev/docs/kit/$lib>. The compiler options that name them are generated and not part of a repository.

use super::files::SourceFiles;
use super::paths::{join, parent};
use super::vite::{Aliases, ViteToken, members, tokens};

/// Returns whether a file of this name configures Svelte.
pub(super) fn is_svelte_config(name: &str) -> bool {
    let rest = name.strip_prefix("svelte.config.");
    rest.is_some_and(|rest| matches!(rest, "js" | "ts" | "mjs" | "cjs"))
}

/// Returns the aliases of the configuration at `path`; `None` for any other file.
pub(super) fn aliases(files: &dyn SourceFiles, path: &str) -> Option<Aliases> {
    if !is_svelte_config(path.rsplit('/').next().unwrap_or(path)) {
        return None;
    }
    let bytes = files.read_config(path)?;
    let places: Vec<(String, String)> = serde_json::from_slice(&bytes).ok()?;
    (!places.is_empty()).then(|| Aliases::of(parent(path), places))
}

/// Returns the aliases of a configuration as JSON; none where it does not configure `SvelteKit`.
pub(super) fn kept(path: &str, bytes: &[u8]) -> Vec<u8> {
    let dir = parent(path);
    let text = String::from_utf8_lossy(bytes);
    let tokens = tokens(&text);
    let mut places = Aliases::listed_in(dir, &text);
    let follows = |at: usize, sign| tokens.get(at + 1) == Some(&ViteToken::Punctuation(sign));
    let is_kit = |at: &usize| tokens[*at].is_name("kit") && follows(*at, ':');
    if (0..tokens.len()).any(|at| is_kit(&at)) {
        let mut lib = join(dir, "src/lib");
        for at in 0..tokens.len() {
            if tokens[at].is_name("files") && follows(at, ':') {
                for (name, value) in members(&tokens, at + 2) {
                    if let ("lib", [ViteToken::Text(path)]) = (name.as_str(), value) {
                        lib = join(dir, path);
                    }
                }
            }
        }
        places.extend(lib.map(|lib| ("$lib".to_owned(), lib)));
    }
    serde_json::to_vec(&places).expect("pairs of texts can be written")
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn the_library_has_an_alias() {
        let kept = |text: &str| String::from_utf8(kept("web/svelte.config.js", text.as_bytes()));
        let plain = kept("export default { kit: { adapter: adapter() } }").unwrap();
        assert_eq!(plain, r#"[["$lib","web/src/lib"]]"#);
        let named = "const config = { kit: { files: { lib: 'lib' }, alias: { $a: './a' } } }";
        assert_eq!(
            kept(named).unwrap(),
            r#"[["$a","web/a"],["$lib","web/lib"]]"#
        );
        assert_eq!(
            kept("export default { compilerOptions: {} }").unwrap(),
            "[]"
        );
    }
}
