//! Symbols and facts of C and C++ sources, and which of the two a source is.

use super::cleaning::{Cleaning, cleaned};
use super::reading::is_cpp;

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
    ] {
        assert_eq!(is_cpp(source), expected, "{source}");
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
        (
            "int f(void) __attribute__((noreturn));",
            "int f(void)                          ;",
        ),
    ] {
        assert_eq!(cleaned(source, true, Cleaning::Macros), expected);
    }
    let source = "#ifdef A\nint a;\n#else\nint b;\n#endif\n";
    let expected = "        \nint a;\n     \n      \n      \n";
    assert_eq!(cleaned(source, false, Cleaning::Branches), expected);
}
