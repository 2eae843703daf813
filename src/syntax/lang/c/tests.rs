//! Symbols and facts of C and C++ sources.

#[test]
#[ignore = "measures"]
fn error_bytes_of_a_tree() {
    use super::reading;
    use crate::model::Budget;
    use crate::syntax::parse::Parsed;
    let budget = Budget::unlimited(std::sync::Arc::default());
    let root = std::env::var("CF_ROOT").unwrap();
    let (mut all, mut bad, mut n) = (0, 0, 0);
    for path in std::env::var("CF_FILES").unwrap().split_whitespace() {
        let Ok(text) = std::fs::read_to_string(format!("{root}/{path}")) else {
            continue;
        };
        let is_c = path.ends_with(".c") || path.ends_with(".h");
        let parsed = if is_c {
            reading::parse_c(&text, &budget)
        } else {
            reading::parse_cpp(&text, &budget)
        };
        let Parsed::Tree(tree) = parsed else {
            println!("HARD {path}");
            bad += text.len();
            continue;
        };
        let e = reading::error_bytes(&tree);
        all += text.len();
        bad += e;
        n += 1;
        if e > 0 {
            print!("{e:7} {path} cpp={}: ", reading::is_cpp(&text));
            let mut open = vec![tree.root_node()];
            let mut cursor = tree.walk();
            let mut shown = 0;
            while let Some(node) = open.pop() {
                if node.is_error() {
                    if shown < 3 {
                        print!(
                            " {}:{:?}",
                            node.start_position().row + 1,
                            text[node.byte_range()].chars().take(60).collect::<String>()
                        );
                        shown += 1;
                    }
                } else if node.has_error() {
                    let v: Vec<_> = node.children(&mut cursor).collect();
                    open.extend(v);
                }
            }
            println!();
        }
    }
    println!(
        "FILES {n} BYTES {all} ERR {bad} = {:.3} %",
        100.0 * bad as f64 / all as f64
    );
}
