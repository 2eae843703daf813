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
        "namespace A.B;
/// <summary>A store.</summary>
[Serializable]
public partial class Store<T> : Base<T>, IStore where T : Item
{
    private const int Max = 3, Min = 1;
    protected List<T> _items;
    public string Name { get; init; } = \"\";
    public T this[int at] => _items[at];
    public event EventHandler Changed;
    public Store(int size) : base(size) { void Local() { } }
    ~Store() { }
    [Obsolete] public R Open<R>(string name, params T[] rest) => default;
    void IStore.Close() { }
    public static Store<T> operator +(Store<T> a, Store<T> b) => a;
    public static implicit operator int(Store<T> a) => 1;
    internal struct Inner { }
    enum Kind { One, Two = 2 }
}
public interface IStore { void Close(); int Size { get; } }
public delegate int Visit(int at);
public record Point(int X, int Y);
class Hidden { public void F() { } }
",
    );
    let wanted = "+class Store | public partial class Store<T> : Base<T>, IStore where T : Item
-field Store.Max | private const int Max = 3
-field Store.Min | Min = 1
+field Store._items | protected List<T> _items
+property Store.Name | public string Name
+property Store.this[] | public T this[int at]
+property Store.Changed | public event EventHandler Changed
+constructor Store.Store | public Store(int size) : base(size)
-function Store.Store.Local | void Local()
-method Store.~Store | ~Store()
+method Store.Open | public R Open<R>(string name, params T[] rest)
-method Store.IStore.Close | void IStore.Close()
+method Store.operator + | public static Store<T> operator +(Store<T> a, Store<T> b)
+method Store.operator int | public static implicit operator int(Store<T> a)
-class Store.Inner | internal struct Inner
-enum Store.Kind | enum Kind
-enumMember Store.Kind.One | One
-enumMember Store.Kind.Two | Two = 2
+interface IStore | public interface IStore
+method IStore.Close | void Close()
+property IStore.Size | int Size
+type Visit | public delegate int Visit(int at)
+class Point | public record Point(int X, int Y)
+property Point.X | int X
+property Point.Y | int Y
-class Hidden | class Hidden
-method Hidden.F | public void F()
";
    assert_eq!(found, wanted);
}

#[test]
fn docs_are_plain_and_tests_are_marked() {
    let file = lower(
        "/// <summary>A <see cref=\"Store\"/>.</summary>
class A {
    [Fact] public void One() { }
    [Theory, InlineData(1)] public void Two(int n) { }
    [TestMethod] public void Three() { }
    [NUnit.Framework.TestCase(1)] public void Four(int n) { }
    public void Five() { }
}",
    );
    let symbols = &file.facts.symbols;
    assert_eq!(symbols[0].doc, "A Store.");
    let tests = symbols
        .iter()
        .filter(|it| it.flags.contains(SymbolFlags::TEST));
    let tests: Vec<&str> = tests.map(|it| it.name.as_str()).collect();
    assert_eq!(tests, ["One", "Two", "Three", "Four"]);
}

#[test]
fn every_branch_of_a_condition_is_read_or_said_to_be_missing() {
    let names = |source: &str| {
        let facts = lower(source).facts;
        let names: Vec<String> = facts.symbols.into_iter().map(|it| it.name).collect();
        (names, facts.has_errors)
    };
    let whole = "class A {\n#if X\n void F() { }\n#else\n void G() { }\n#endif\n}";
    assert_eq!(
        names(whole),
        (["A", "F", "G"].map(str::to_owned).to_vec(), false)
    );
    let torn = "class A {\n#if X\n void F(int a\n#else\n void G(\n#endif\n) { }\n void H() { } }";
    assert_eq!(
        names(torn),
        (["A", "F", "H"].map(str::to_owned).to_vec(), true)
    );
}

#[test]
fn uses_of_types_calls_and_members_are_recorded() {
    let facts = lower(
        "using static A.B;
class C { D d = new(); void F(E e) { e?.G().H; nameof(I); J<K>(); var l = (L)e; } }",
    )
    .facts;
    let used = facts.references.iter().map(|it| (facts.name(it), it.kind));
    let calls: Vec<&str> = used
        .clone()
        .filter(|it| it.1 == ReferenceKind::Call)
        .map(|it| it.0)
        .collect();
    assert_eq!(calls, ["G", "J"]);
    let mut types: Vec<&str> = used
        .clone()
        .filter(|it| it.1 == ReferenceKind::Type)
        .map(|it| it.0)
        .collect();
    types.sort_unstable();
    assert_eq!(types, ["B", "D", "E", "K", "L"]);
    let made: Vec<&str> = used
        .filter(|it| it.1 == ReferenceKind::New)
        .map(|it| it.0)
        .collect();
    assert_eq!(made, ["D"]);
}
