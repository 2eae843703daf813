//! The names that functions of C and C++ bind: a declaration has its names inside declarators, `*name`, `rows[2]`, `(*run)(int)`.

use tree_sitter::Node;

use super::{LocalKind, LocalsReader, MAX_PATTERN_DEPTH, line_of, type_on_one_line};

impl<'t> LocalsReader<'_, 't> {
    /// Adds the names that a node of C or C++ binds.
    pub(super) fn visit_c(&mut self, node: Node<'t>) {
        match node.kind() {
            // `int a = 1, *b`, `for (auto &[key, value] : rows)`, `typedef struct row row_t`.
            "declaration" | "for_range_loop" => self.declared(node, LocalKind::Variable),
            "type_definition" => self.declared(node, LocalKind::Class),
            "catch_clause" => {
                if let Some(list) = node.child_by_field_name("parameters") {
                    let mut cursor = list.walk();
                    let all: Vec<Node<'t>> = list.named_children(&mut cursor).collect();
                    for one in all {
                        self.declared(one, LocalKind::Variable);
                    }
                }
            }
            // A method of a class inside, a function that GNU C allows.
            "function_definition" => self.inner_function(node),
            // `[total = 0]` of a lambda.
            "lambda_capture_initializer" => self.field(node, "left", None, LocalKind::Variable),
            "alias_declaration" => self.definition(node, LocalKind::Class),
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier"
                if node.child_by_field_name("body").is_some() =>
            {
                self.definition(node, LocalKind::Class);
            }
            _ => {}
        }
    }

    /// Adds the names that the declarators of a declaration of C hold, with their types.
    pub(super) fn declared(&mut self, node: Node<'t>, kind: LocalKind) {
        let mut cursor = node.walk();
        let all: Vec<Node<'t>> = node
            .children_by_field_name("declarator", &mut cursor)
            .collect();
        let base = base_type(self.source, node);
        for declarator in all {
            if self.is_full() {
                return;
            }
            let written = base
                .as_deref()
                .and_then(|base| self.c_type(base, declarator));
            self.bind(declarator, written.as_deref(), kind, 0);
        }
    }

    /// Returns the type that a declaration gives to one of its declarators: `const char*` of `static const char *name`, of which
    /// `base` is `const char`.
    fn c_type(&self, base: &str, declarator: Node<'t>) -> Option<String> {
        let mut text = base.to_owned();
        let mut at = declarator;
        for _ in 0..MAX_PATTERN_DEPTH {
            match at.kind() {
                "pointer_declarator" => text.push('*'),
                "reference_declarator" => {
                    text.push_str(at.child(0).map_or("", |it| &self.source[it.byte_range()]));
                }
                "array_declarator" => text.push_str("[]"),
                "variadic_declarator" => text.push_str("..."),
                // What a pointer to a function takes is not told: no type is better than half of one.
                "function_declarator" => return None,
                _ => {}
            }
            let Some(inner) = Self::inner_declarator(at) else {
                break;
            };
            at = inner;
        }
        Some(type_on_one_line(&text))
    }

    /// Adds a function inside the one that is read.
    fn inner_function(&mut self, node: Node<'t>) {
        if self.root.is_some_and(|root| root.id() == node.id()) {
            return;
        }
        let mut name = node.child_by_field_name("declarator");
        for _ in 0..MAX_PATTERN_DEPTH {
            name = name.map(|it| Self::inner_declarator(it).unwrap_or(it));
        }
        let is_name = |it: &Node<'t>| matches!(it.kind(), "identifier" | "field_identifier");
        if let Some(name) = name.filter(is_name) {
            let scope = node.parent().and_then(|outer| self.scope_of(outer));
            let end_line = Some(line_of(node.end_position().row));
            self.push(name, LocalKind::Function, None, end_line, scope);
        }
    }

    /// Returns the declarator inside a declarator of C: `rows[2]` of `*rows[2] = {…}`.
    pub(super) fn inner_declarator(node: Node<'t>) -> Option<Node<'t>> {
        let field = node.child_by_field_name("declarator");
        field.or_else(|| match node.kind() {
            "parenthesized_declarator"
            | "reference_declarator"
            | "attributed_declarator"
            | "variadic_declarator" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor)
                    .find(|it| it.kind() == "identifier" || it.kind().ends_with("_declarator"))
            }
            _ => None,
        })
    }

    /// Returns the list of parameters of a function of C: `(int a)` of `static int *f(int a) {…}`.
    pub(super) fn c_parameters(function: Node<'t>) -> Option<Node<'t>> {
        let mut at = function.child_by_field_name("declarator")?;
        for _ in 0..MAX_PATTERN_DEPTH {
            if matches!(
                at.kind(),
                "function_declarator" | "abstract_function_declarator"
            ) {
                // `int (*f(int a))(int b)` is a function of `a`.
                let inner = at.child_by_field_name("declarator");
                let deeper = inner.filter(|it| it.kind() == "parenthesized_declarator");
                if deeper.is_none() {
                    return at.child_by_field_name("parameters");
                }
            }
            at = Self::inner_declarator(at)?;
        }
        None
    }
}

/// Returns the part of their types that all declarators of a declaration share: `const struct row` of `const struct row { … } *a, b`.
fn base_type(source: &str, declaration: Node<'_>) -> Option<String> {
    let mut cursor = declaration.walk();
    let named = declaration.child_by_field_name("type")?;
    let qualifiers = declaration.children(&mut cursor);
    let qualifiers = qualifiers.filter(|it| it.kind() == "type_qualifier");
    let mut words: Vec<&str> = qualifiers.map(|it| &source[it.byte_range()]).collect();
    // Of a type with a body the name tells.
    let is_defined = named.child_by_field_name("body").is_some();
    let named = if is_defined {
        named.child_by_field_name("name")?
    } else {
        named
    };
    words.push(&source[named.byte_range()]);
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::tests::names;

    #[test]
    fn names_of_c_are_read() {
        let source = "static const char *f(const struct row *rows, int n, char **argv, int (*run)(int), size_t sizes[]) {\n    \
            int i, *at = 0, cells[4] = {0};\n    for (int k = 0; k < n; k++) {\n        unsigned long sum = k;\n    }\n    \
            struct pair { int a; } one;\n    extern int other(int);\n    at->next = 0;\n    return 0;\n}\n";
        assert_eq!(
            names("a.c", source),
            [
                "parameter rows:1 const struct row*",
                "parameter n:1 int",
                "parameter argv:1 char**",
                "parameter run:1",
                "parameter sizes:1 size_t[]",
                "variable i:2 int",
                "variable at:2 int*",
                "variable cells:2 int[]",
                "variable k:3 int @3",
                "variable sum:4 unsigned long @3",
                "variable one:6 pair",
                "class pair:6",
                "variable other:7",
            ]
        );
    }

    #[test]
    fn names_of_cpp_are_read() {
        let source = "template <class T>\nint Store::f(const std::vector<T> &rows, T &&last, int n = 3, Args... rest) const {\n    \
            auto add = [total = 0, &rows](int p) mutable { return p; };\n    for (const auto &[key, value] : rows) {\n        use(key);\n    }\n    \
            try {\n    } catch (const Error &e) {\n    }\n    if (auto it = rows.find(n); it) {\n    }\n    using Row = int;\n    return 0;\n}\n";
        assert_eq!(
            names("a.cc", source),
            [
                "parameter rows:2 const std::vector<T>&",
                "parameter last:2 T&&",
                "parameter n:2 int",
                "parameter rest:2 Args...",
                "variable add:3 auto",
                "parameter p:3 int @3",
                "variable total:3 @3",
                "variable key:4 @4",
                "variable value:4 @4",
                "variable e:8 const Error& @8",
                "variable it:10 auto @10",
                "class Row:12",
            ]
        );
    }

    #[test]
    fn names_without_end_are_cut() {
        let all: Vec<String> = (0..20_000).map(|n| format!("a{n}")).collect();
        let source = format!("void f(void) {{ int {}; }}", all.join(", "));
        assert_eq!(names("a.c", &source).len(), 500);
        let source = "void f() { struct A { int open(int p) { return p; } }; }\n";
        assert_eq!(
            names("a.cc", source),
            ["class A:1", "function open:1", "parameter p:1 int @1"]
        );
    }
}
