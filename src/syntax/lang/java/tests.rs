//! Small sources and the facts that they lower to.

use super::FRONTEND;
use crate::ir::ReferenceKind;
use crate::model::{Budget, SymbolFlags};
use crate::syntax::lang::frontend::LoweredFile;

fn lower(source: &str) -> LoweredFile {
    let budget = Budget::unlimited(std::sync::Arc::default());
    let file = FRONTEND
        .read(source, &budget)
        .expect("the budget is not spent");
    assert_eq!(file.leads.len(), file.facts.symbols.len());
    file
}

fn symbols(source: &str) -> String {
    let facts = lower(source).facts;
    let mut out = String::new();
    for symbol in &facts.symbols {
        let mark = if symbol.exported { "+" } else { "-" };
        let kind = symbol.kind.as_str();
        let line = format!(
            "{mark}{kind} {} | {}\n",
            symbol.qualified_name, symbol.signature
        );
        out.push_str(&line);
    }
    out
}

#[test]
fn symbols_have_kinds_and_signatures() {
    let found = symbols(
        "package a.b;
/** A store. */
@Service(\"x\")
public class Store<T extends Item> extends Base<T> implements Closeable {
    private static final int MAX = 3, MIN = 1;
    protected List<T> items;
    public Store(int size) {}
    @Override
    public <R> R open(String name, T... rest) throws IOException { return null; }
    static class Inner {}
    interface Visitor { void visit(); default void done() {} }
    enum Kind { ONE, TWO { void f() {} }; void f() {} }
    record Point(int x, int y) { Point { } }
    @interface Mark { String value() default \"\"; }
}
class Hidden { public void f() {} }
",
    );
    let wanted =
        "+class Store | public class Store<T extends Item> extends Base<T> implements Closeable
-field Store.MAX | private static final int MAX = 3
-field Store.MIN | MIN = 1
+field Store.items | protected List<T> items
+constructor Store.Store | public Store(int size)
+method Store.open | public <R> R open(String name, T... rest) throws IOException
-class Store.Inner | static class Inner
-interface Store.Visitor | interface Visitor
-method Store.Visitor.visit | void visit()
-method Store.Visitor.done | default void done()
-enum Store.Kind | enum Kind
-enumMember Store.Kind.ONE | ONE
-enumMember Store.Kind.TWO | TWO
-method Store.Kind.TWO.f | void f()
-method Store.Kind.f | void f()
-class Store.Point | record Point(int x, int y)
-field Store.Point.x | int x
-field Store.Point.y | int y
-constructor Store.Point.Point | Point
-interface Store.Mark | @interface Mark
-method Store.Mark.value | String value() default \"\"
-class Hidden | class Hidden
-method Hidden.f | public void f()
";
    assert_eq!(found, wanted);
}

#[test]
fn a_comment_with_two_stars_documents() {
    let facts =
        lower("/**\n * Opens.\n * @return it\n */\npublic class A {\n  // no\n  int b;\n}").facts;
    assert_eq!(facts.symbols[0].doc, "Opens.\n@return it");
    assert_eq!(facts.symbols[1].doc, "no");
}

#[test]
fn tests_are_marked() {
    let facts = lower(
        "class ATest { @Test void a() {} @org.junit.jupiter.api.BeforeEach void b() {} void c() {} }
class B extends TestCase { public void testD() {} void testE() {} }",
    )
    .facts;
    let is_test = |it: &&crate::model::Symbol| it.flags.contains(SymbolFlags::TEST);
    let tests = facts.symbols.iter().filter(is_test);
    let tests: Vec<&str> = tests.map(|it| it.name.as_str()).collect();
    assert_eq!(tests, ["a", "b", "testD"]);
}

#[test]
fn members_of_a_class_without_a_name_bear_the_name_around() {
    let found = symbols("class A { void f() { new B<C>() { int n; void g() {} }; new B() {}; } }");
    let wanted = "-class A | class A
-method A.f | void f()
-class A.f.$B | new B<C>()
-field A.f.n | int n
-method A.f.g | void g()
-class A.f.$B$2 | new B()
";
    assert_eq!(found, wanted);
}

#[test]
fn imports_name_types_of_packages() {
    let facts = lower(
        "package a.b;
import a.c.D;
import a.c.Outer.Inner;
import a.d.*;
import a.c.Outer.*;
import static a.c.D.open;
import static a.c.D.*;
class A {}",
    )
    .facts;
    assert_eq!(facts.units, ["a.b"]);
    let imports = facts.imports.iter().map(|it| {
        let name = &it.names[0];
        format!(
            "{} {} {} {}",
            it.kind.as_str(),
            it.specifier,
            name.imported,
            name.local
        )
    });
    assert_eq!(
        imports.collect::<Vec<_>>(),
        [
            "import a.c.D D D",
            "import a.c.Outer.Inner Outer.Inner Inner",
            "import a.c.Outer Outer a.c.Outer",
            "import a.d * *",
            "static member a.c.Outer Outer *",
            "static member a.c.D D open",
            "import a.c.D D a.c.D",
            "static member a.c.D D *",
        ]
    );
}

#[test]
fn local_names_are_no_uses() {
    let facts = lower(
        "class A { int n; void f(B b) { int n = 1; b.c(n); for (D d : b.all()) d.e(); x -> x.g(); this.n = 2; } }",
    )
    .facts;
    let values = facts
        .references
        .iter()
        .filter(|it| it.kind == ReferenceKind::Value);
    let values: Vec<&str> = values.map(|it| facts.name(it)).collect();
    assert_eq!(values, ["n"], "the field alone");
    let calls = facts
        .references
        .iter()
        .filter(|it| it.kind == ReferenceKind::Call);
    let calls: Vec<&str> = calls.map(|it| facts.name(it)).collect();
    assert_eq!(calls, ["c", "all", "e", "g"]);
}
