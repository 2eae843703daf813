//! Exports that a framework of the web finds by the name of their file: `page.tsx` below `app`, `+page.server.ts`, `routes/users.tsx`.
//!
//! The conventions of paths alone; nothing is read. Handlers that code registers are endpoints; see `lang::ecmascript::endpoints`.

use crate::model::{RepoPath, Symbol};

const NEXT: &str = "an export that Next.js calls, which finds it by its name and its file's";
const REMIX: &str =
    "an export that Remix or React Router calls, which finds it by its name and its file's";
const SVELTE_KIT: &str =
    "an export that SvelteKit calls, which finds it by its name and its file's";
const FILE_ROUTER: &str =
    "an export that a framework may call, which finds routes by the names of files";

/// The name of the default export in the lists of names.
const DEFAULT: &str = "default";

const METHODS: [&str; 8] = [
    "ALL", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT",
];

/// Files of Next.js below `app` whose default export is called.
const NEXT_FILES: [&str; 16] = [
    "apple-icon",
    "default",
    "error",
    "forbidden",
    "global-error",
    "icon",
    "layout",
    "loading",
    "manifest",
    "not-found",
    "opengraph-image",
    "page",
    "robots",
    "sitemap",
    "template",
    "twitter-image",
];

/// Names that those and routes may export beside.
const NEXT_NAMES: [&str; 16] = [
    "alt",
    "contentType",
    "dynamic",
    "dynamicParams",
    "fetchCache",
    "generateImageMetadata",
    "generateMetadata",
    "generateSitemaps",
    "generateStaticParams",
    "generateViewport",
    "maxDuration",
    "metadata",
    "preferredRegion",
    "revalidate",
    "runtime",
    "viewport",
];

/// Names that files of Next.js below `pages` may export.
const NEXT_PAGES_NAMES: [&str; 6] = [
    DEFAULT,
    "config",
    "getServerSideProps",
    "getStaticPaths",
    "getStaticProps",
    "reportWebVitals",
];

/// Names that modules of routes of Remix and React Router may export.
const REMIX_NAMES: [&str; 15] = [
    DEFAULT,
    "ErrorBoundary",
    "HydrateFallback",
    "Layout",
    "action",
    "clientAction",
    "clientLoader",
    "clientMiddleware",
    "handle",
    "headers",
    "links",
    "loader",
    "meta",
    "middleware",
    "shouldRevalidate",
];

/// Names that pages and layouts of `SvelteKit` may export.
const SVELTE_KIT_NAMES: [&str; 8] = [
    "actions",
    "config",
    "csr",
    "entries",
    "load",
    "prerender",
    "ssr",
    "trailingSlash",
];

/// Names that hooks of `SvelteKit` may export.
const SVELTE_KIT_HOOKS: [&str; 7] = [
    "handle",
    "handleError",
    "handleFetch",
    "handleValidationError",
    "init",
    "reroute",
    "transport",
];

/// Returns how a framework calls an export of a script by the name of its file, in words that follow "it is"; `None` for other definitions.
pub fn called_by_file_name(
    path: &RepoPath,
    symbol: &Symbol,
    is_default: bool,
) -> Option<&'static str> {
    const SCRIPTS: [&str; 6] = ["ts", "tsx", "mts", "js", "jsx", "mjs"];
    let is_script = path
        .extension()
        .is_some_and(|extension| SCRIPTS.contains(&extension));
    if !is_script || symbol.parent.is_some() || !(symbol.exported || is_default) {
        return None;
    }
    let names = [Some(symbol.name.as_str()), is_default.then_some(DEFAULT)];
    let is_of = |list: &[&str]| names.iter().flatten().any(|name| list.contains(name));
    let file = path.file_name();
    let stem = file.split_once('.').map_or(file, |it| it.0);
    let directories: Vec<&str> = path.directory().split('/').collect();
    let is_below = |directory: &str| directories.contains(&directory);
    match stem {
        "+page" | "+layout" if is_of(&SVELTE_KIT_NAMES) => return Some(SVELTE_KIT),
        "+server" if is_of(&METHODS) || is_of(&["fallback"]) => return Some(SVELTE_KIT),
        "+page" | "+layout" | "+server" => return None,
        "hooks" if is_of(&SVELTE_KIT_HOOKS) => return Some(SVELTE_KIT),
        "route" if is_of(&METHODS) || is_below("app") && is_of(&NEXT_NAMES) => {
            return Some(if is_below("app") { NEXT } else { FILE_ROUTER });
        }
        "middleware" | "proxy" if is_of(&["middleware", "proxy", "config"]) => return Some(NEXT),
        "instrumentation" if is_of(&["register", "onRequestError"]) => return Some(NEXT),
        "root" | "entry" if is_below("app") && is_of(&REMIX_NAMES) => return Some(REMIX),
        _ => {}
    }
    if is_below("app") && NEXT_FILES.contains(&stem) && (is_default || is_of(&NEXT_NAMES)) {
        return Some(NEXT);
    }
    if is_below("routes") && is_of(&REMIX_NAMES) {
        return Some(if is_below("app") { REMIX } else { FILE_ROUTER });
    }
    if is_below("pages") && (is_of(&NEXT_PAGES_NAMES) || is_of(&METHODS)) {
        let is_named = is_of(&["getServerSideProps", "getStaticPaths", "getStaticProps"]);
        return Some(if is_named { NEXT } else { FILE_ROUTER });
    }
    (is_below("server") && (is_below("api") || is_below("middleware")) && is_default)
        .then_some(FILE_ROUTER)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::called_by_file_name;
    use crate::model::{Budget, RepoPath};
    use crate::syntax::{by_path, extract};

    #[test]
    fn frameworks_call_exports_by_the_names_of_files() {
        let source = "\
export default function Page() {}
export async function load() {}
export const loader = () => 1
export function GET() {}
function own() {}
export function other() {}
export const getStaticProps = () => 1
";
        let told = |path: &str| -> Vec<String> {
            let path = RepoPath::new(path).unwrap();
            let budget = Budget::unlimited(Arc::default());
            let facts = extract(by_path(&path), source, true, &budget)
                .unwrap()
                .facts;
            let symbols = facts.symbols.iter();
            let called =
                symbols.filter(|it| called_by_file_name(&path, it, it.name == "Page").is_some());
            called.map(|it| it.name.clone()).collect()
        };
        for (path, wanted) in [
            ("web/app/(shop)/[id]/page.tsx", vec!["Page"]),
            ("app/api/users/route.ts", vec!["GET"]),
            ("src/api/users/route.ts", vec!["GET"]),
            ("app/routes/users.$id.tsx", vec!["Page", "loader"]),
            ("src/routes/+page.server.ts", vec!["load"]),
            ("src/routes/api/+server.ts", vec!["GET"]),
            ("pages/users.tsx", vec!["Page", "GET", "getStaticProps"]),
            ("app/lib/users.ts", vec![]),
            ("src/page.tsx", vec![]),
            ("src/loader.ts", vec![]),
        ] {
            assert_eq!(told(path), wanted, "{path}");
        }
    }
}
