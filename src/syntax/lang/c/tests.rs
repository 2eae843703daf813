//! Symbols and facts of C and C++ sources, and which of the two a source is.

use super::cleaning::{Cleaning, cleaned};
use super::reading::is_cpp;
use crate::model::Budget;
use crate::syntax::OccurrenceRole;

#[test]
fn a_local_name_is_one_in_its_own_definition_alone() {
    use OccurrenceRole::{Definition, Local};

    let roles = |source: &str, word: &str| -> Vec<OccurrenceRole> {
        let language = crate::syntax::by_id("cpp").unwrap();
        let budget = Budget::unlimited(std::sync::Arc::default());
        let found = crate::syntax::occurrences(language, source, word, &budget).unwrap();
        found.places.iter().map(|it| it.role).collect()
    };
    // Members of a class in a function are members, and no locals of other functions.
    let is_use = |role: &OccurrenceRole| matches!(role, OccurrenceRole::Use { .. });
    let source =
        "void a() { int size = 1; use(size); }\nvoid b() { struct c { int d = size; }; }\n";
    let found = roles(source, "size");
    assert_eq!(found[..2], [Definition, Local]);
    assert!(is_use(&found[2]), "{found:?}");
    let source = "void b() { struct c { int d = make<int>(1); int e[kSize]; }; }\n";
    assert!(is_use(&roles(source, "make")[0]));
    assert!(is_use(&roles(source, "kSize")[0]));
    let source = "void b() { struct c { ns::kind e = ns::kind::block; }; }\n";
    assert!(is_use(&roles(source, "block")[0]));
}

#[test]
fn a_header_is_of_the_language_that_it_is_written_in() {
    for (source, expected) in [
        ("struct a { int b; };\n", false),
        (
            "#ifdef __cplusplus\nextern \"C\" {\nclass A;\n#endif\nint class;\n",
            false,
        ),
        ("/* std::vector */ int a;\n", false),
        ("// a::b\nint a = b ? c : d;\n", false),
        ("namespace a {\n", true),
        ("class Store {\n", true),
        ("template <typename T>\n", true),
        (" public:\n", true),
        ("std::string a();\n", true),
        ("#include <string>\n", true),
        ("#include <string.h>\n#include <sys/types.h>\n", false),
        ("#ifdef __cplusplus\n#include <atomic>\n#endif\n", false),
        (
            "#ifndef __cplusplus\nint a;\n#else\n#include <atomic>\n#endif\n",
            false,
        ),
        ("#ifndef __cplusplus\n#endif\n#include <atomic>\n", true),
        ("int a(const struct_b& c, int n);\n", true),
        ("int a(int n,\n      const B &c);\n", true),
        ("int a = (const_b & c), d = (b & c);\n", false),
    ] {
        assert_eq!(is_cpp(source), expected, "{source}");
    }
}

#[test]
fn cleaning_takes_out_macros_of_functions_and_parameters() {
    for (source, expected) in [
        (
            "NONNULL ACCESS(1, 2)\ndouble f(int n);",
            "                    \ndouble f(int n);",
        ),
        (
            "NONNULL PURE ACCESS(1) ALLOC(2)\nstatic a *f(int n) {",
            "                               \nstatic a *f(int n) {",
        ),
        // Old style: the type of a function, and a function.
        ("NUMBER DIGITS(n) int n; {", "NUMBER DIGITS(n) int n; {"),
        (
            "int f(UNUSED a b, UNUSED const c* d, UNUSED struct e f, UNUSED int);",
            "int f(       a b,        const c* d,        struct e f,        int);",
        ),
        (
            "int f(DWORD a, DWORD const b, DWORD* c, DWORD const* d, int e);",
            "int f(DWORD a, DWORD const b, DWORD* c, DWORD const* d, int e);",
        ),
        ("n = f(MASK & a, SIZE * b);", "n = f(MASK & a, SIZE * b);"),
    ] {
        assert_eq!(cleaned(source, true, Cleaning::Macros).0, expected);
    }
}

#[test]
fn cleaning_keeps_each_byte_in_its_place() {
    for (source, expected) in [
        ("class LOCKABLE Mutex {", "class          Mutex {"),
        (
            "FOO_EXPORT Status Open(int a);",
            "           Status Open(int a);",
        ),
        ("FILE open(int a);", "FILE open(int a);"),
        ("void NFA::Step(int a) {", "void NFA::Step(int a) {"),
        ("void f() REQUIRES(mu) {", "void f()              {"),
        (
            "Mutex* const mu GUARDED_BY(a);",
            "Mutex* const mu              ;",
        ),
        ("int a[3] GUARDED_BY(mu);", "int a[3]               ;"),
        (
            "HEAP_EXPORT(void f(struct a* b)) {",
            "            void f(struct a* b)  {",
        ),
        (
            "struct a {\n FIELDS\n OTHER_FIELDS\n};",
            "struct a {\n       \n             \n};",
        ),
        (
            "#define F \\\n /* a */ \\\n int b;",
            "#define F \\\n         \\\n int b;",
        ),
        (
            "int f(void) __attribute__((noreturn));",
            "int f(void)                          ;",
        ),
        (
            "struct a { CX a(int n) : b(n), c(0) {} };",
            "struct a {    a(int n) : b(n), c(0) {} };",
        ),
        (
            "class a : b { explicit OLD(\"c\") a(int n); };",
            "class a : b { explicit          a(int n); };",
        ),
        (
            "PART pool::pool(int n) : b(n) {",
            "     pool::pool(int n) : b(n) {",
        ),
        // No constructors: a function with a structure as its result, and calls.
        (
            "struct a next(int n) { each(n) next(n); }",
            "struct a next(int n) { each(n) next(n); }",
        ),
        (
            "struct a { a b = a(1); void c() { d a(1); } };",
            "struct a { a b = a(1); void c() { d a(1); } };",
        ),
        (
            "rows<int> FOO_INLINE pool::all(int n) {",
            "rows<int>            pool::all(int n) {",
        ),
        (
            "template <typename T> ROW open(T a);",
            "template <typename T> ROW open(T a);",
        ),
        (
            "int f(unsigned char a BUILTIN, char* b UNUSED);",
            "int f(unsigned char a        , char* b       );",
        ),
        (
            "int f(unsigned char MASK, struct a ROW);",
            "int f(unsigned char MASK, struct a ROW);",
        ),
    ] {
        assert_eq!(
            cleaned(source, true, Cleaning::Macros).0,
            expected,
            "{source}"
        );
    }
    for (source, expected) in [
        // Whole declarations are all read.
        (
            "#ifdef A\nint a;\n#else\nint b;\n#endif\n",
            "        \nint a;\n     \nint b;\n      \n",
        ),
        // One brace closes either of two.
        (
            "#ifdef A\nif (a) {\n#else\nif (b) {\n#endif\n}\n",
            "        \nif (a) {\n     \n        \n      \n}\n",
        ),
        (
            "#if 0\nint a;\n#else\nint b;\n#endif\n",
            "     \n      \n     \nint b;\n      \n",
        ),
        (
            "int a =\n#ifdef A\n1;\n#else\n2;\n#endif\n",
            "int a =\n        \n1;\n     \n  \n      \n",
        ),
    ] {
        assert_eq!(cleaned(source, false, Cleaning::Branches).0, expected);
    }
}

#[test]
fn code_is_no_part_of_what_comments_or_branches_cut_off() {
    let names = |path: &str, source: &str| -> Vec<String> {
        let facts = crate::syntax::tests::read(path, source).facts;
        let names = facts.symbols.iter();
        names
            .map(|it| format!("{} {}", it.kind.as_str(), it.qualified_name))
            .collect()
    };
    let source = "#define FIELDS \\\n  /* queue */ \\\n  void* data; \\\n\nint n;\n";
    assert_eq!(names("a.h", source), ["constant FIELDS", "variable n"]);
    let source = "struct A {\n  int a[3] GUARDED_BY(mu);\n  void (A::*method)(int);\n};\n";
    assert_eq!(names("a.cc", source), ["class A"]);
    // A brace that either branch opens ends one function.
    let source =
        "int f(int n) {\n#ifdef A\n  if (n) {\n#else\n  if (!n) {\n#endif\n  }\n}\nint g;\n";
    assert_eq!(names("a.c", source), ["function f", "variable g"]);
}

#[test]
fn cleaning_takes_out_what_dissolves_a_file() {
    for (source, expected) in [
        (
            "void f() { TRY { g(); } CATCH_ALL { h(); } }",
            "void f() {     { g(); }           { h(); } }",
        ),
        (
            "void f() { CHECK(unsigned short, 1, int, MASK); }",
            "void f() { CHECK(0             , 1, 0  , MASK); }",
        ),
        (
            "DECORATOR(fails, bool, true);\nnamespace a {}",
            "DECORATOR(fails, 0   , true);\nnamespace a {}",
        ),
        (
            "void f() { if (unsigned(a) < b) c(); }",
            "void f() { if (        (a) < b) c(); }",
        ),
        (
            "void f() { THROWS(g(&a, b * c), a::Error&, const char*); }",
            "void f() { THROWS(g(&a, b * c), a::Error , const char ); }",
        ),
        (
            "struct a { OLD operator bool() const; ROW operator+(a b); };",
            "struct a {     operator bool() const; ROW operator+(a b); };",
        ),
        (
            "char * cdecl a(int b) { return R\"({ TRY {)\"; }",
            "char *       a(int b) { return R\"({ TRY {)\"; }",
        ),
        (
            "API int (*a)(int b); API int (c)(int d);",
            "    int (*a)(int b);     int (c)(int d);",
        ),
    ] {
        let (cleaned, _) = cleaned(source, true, Cleaning::Macros);
        assert_eq!(cleaned, expected, "{source}");
    }
}
