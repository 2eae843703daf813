//! The names that functions of C# bind beside those that the nodes of other languages bind too.

use tree_sitter::Node;

use super::{LocalKind, LocalsReader};

impl<'t> LocalsReader<'_, 't> {
    /// Adds the names that a node of C# binds.
    pub(super) fn visit_csharp(&mut self, node: Node<'t>) {
        match node.kind() {
            "foreach_statement" => self.typed_field(node, "left", LocalKind::Variable),
            "local_function_statement" => self.definition(node, LocalKind::Function),
            "catch_declaration"
            | "declaration_expression"
            | "declaration_pattern"
            | "from_clause"
            | "list_pattern"
            | "recursive_pattern"
            | "var_pattern" => self.typed_field(node, "name", LocalKind::Variable),
            "parenthesized_variable_designation" => self.names(node, LocalKind::Variable),
            // The name is a child like others: `let rest = row.Rest`, `join b in others on …`, `into c`.
            "let_clause" | "join_into_clause" | "query_expression" => {
                let mut cursor = node.walk();
                let names: Vec<Node<'t>> = node
                    .children(&mut cursor)
                    .filter(|it| it.kind() == "identifier" && introduces_name(*it))
                    .collect();
                for name in names {
                    self.bind(name, None, LocalKind::Variable, 0);
                }
            }
            // `join Row b in others`: a type may stand before it.
            "join_clause" => {
                let mut cursor = node.walk();
                let before = node.children(&mut cursor);
                let before = before.take_while(|it| it.kind() != "in");
                if let Some(name) = before.filter(|it| it.kind() == "identifier").last() {
                    self.bind(name, None, LocalKind::Variable, 0);
                }
            }
            // `var (a, b) = pair`
            "variable_declarator" => {
                let mut cursor = node.walk();
                let pattern = node
                    .named_children(&mut cursor)
                    .find(|it| it.kind() == "tuple_pattern");
                if let Some(pattern) = pattern {
                    self.bind(pattern, None, LocalKind::Variable, 0);
                }
            }
            _ => {}
        }
    }
}

/// Whether a name in a query of C# stands behind a word that introduces one.
fn introduces_name(name: Node<'_>) -> bool {
    let before = name.prev_sibling();
    before.is_some_and(|it| matches!(it.kind(), "let" | "into"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::names;

    #[test]
    fn names_of_csharp_are_read() {
        let source = "class A {\n  int f(string a, ref int b, params int[] rest) {\n    var x = a; const int y = 1;\n    \
            foreach (Line l in x) { int k = 0; }\n    foreach (var (p, q) in pairs) { }\n    Parse(a, out var parsed);\n    \
            if (o is Row { Id: 1 } row) { }\n    int Inner(int m) => m;\n    run(z => z + 1); run((u, v) => u);\n    \
            try { } catch (IOException e) { }\n    var found = from c in rows let d = c.D join Row g in h on c equals g into j select d;\n    \
            (int s, var t) = pair; var (u1, (u2, _)) = pair;\n    switch (o) { case Line n: break; }\n    return 1;\n  }\n}\n";
        assert_eq!(
            names("A.cs", source),
            [
                "parameter a:2 string",
                "parameter b:2 int",
                "parameter rest:2 int[]",
                "variable x:3 var",
                "variable y:3 int",
                "variable l:4 Line @4",
                "variable k:4 int @4",
                "variable p:5 @5",
                "variable q:5 @5",
                "variable parsed:6 var",
                "variable row:7 Row @7",
                "function Inner:8",
                "parameter m:8 int @8",
                "parameter z:9 @9",
                "parameter u:9 @9",
                "parameter v:9 @9",
                "variable e:10 IOException @10",
                "variable found:11 var",
                "variable c:11",
                "variable d:11",
                "variable g:11",
                "variable j:11",
                "variable s:12 int",
                "variable t:12 var",
                "variable u1:12",
                "variable u2:12",
                "variable n:13 Line @13",
            ]
        );
        let source = "class A {\n  void f() {\n    using (var r = A()) { }\n    using (var r = B()) { }\n  }\n}\n";
        assert_eq!(
            names("A.cs", source),
            ["variable r:3 var @3", "variable r:4 var @4"]
        );
        let source = "class A {\n  int fill { get { var x = 1; return x; } }\n}\n";
        assert_eq!(names("A.cs", source), ["variable x:2 var @2"]);
    }
}
