//! Small sources and the facts that they lower to.

use std::fmt::Write as _;

use super::FRONTEND;
use crate::ir::{ContainerKind, Expr, ExprId, FileFacts, Slot, Target};
use crate::model::Budget;
use crate::syntax::lang::frontend::LoweredFile;

fn lower(source: &str) -> LoweredFile {
    let budget = Budget::unlimited(std::sync::Arc::default());
    let file = FRONTEND
        .read(source, &budget)
        .expect("the budget is not spent");
    assert_eq!(file.leads.len(), file.facts.symbols.len());
    file
}

/// Writes an expression: `Call(Member(Name app, task), [Name f])`.
fn dump(facts: &FileFacts, id: ExprId) -> String {
    let symbol = |at: u32| facts.symbols[at as usize].qualified_name.clone();
    let around = |at: Option<u32>| at.map_or("-".to_owned(), symbol);
    let one = |id: &ExprId| dump(facts, *id);
    let all = |ids: &[ExprId]| ids.iter().map(one).collect::<Vec<_>>().join(", ");
    let name = |id| facts.exprs.name_of(id);
    match facts.exprs.get(id) {
        Expr::Unknown => "?".to_owned(),
        Expr::Name { name: it, .. } => format!("Name {}", name(*it)),
        Expr::Receiver { scope } => format!("Receiver {}", around(*scope)),
        Expr::Super { scope } => format!("Super {}", around(*scope)),
        Expr::Symbol(at) => format!("Symbol {}", symbol(*at)),
        Expr::Imported { import, name: it } => {
            let specifier = &facts.imports[*import as usize].specifier;
            format!("Imported({specifier}, {})", name(*it))
        }
        Expr::Member { object, name: it } => format!("Member({}, {})", one(object), name(*it)),
        Expr::Element { object } => format!("Element({})", one(object)),
        Expr::LoopVariable { object } => format!("Key({})", one(object)),
        Expr::ComputedMember { object, key } => format!("Keyed({}, {})", one(object), name(*key)),
        Expr::Item { object, index } => format!("Item({}, {index})", one(object)),
        Expr::Call { callee, args, .. } if args.is_empty() => format!("Call({})", one(callee)),
        Expr::Call { callee, args, .. } => format!("Call({}, [{}])", one(callee), all(args)),
        Expr::Construct { class } => format!("Construct({})", one(class)),
        Expr::Instance { of } => format!("Instance({})", one(of)),
        Expr::Specialized { base, args } => format!("Specialized({}, [{}])", one(base), all(args)),
        Expr::Container { kind, element } => match kind {
            ContainerKind::Sequence => format!("Sequence({})", one(element)),
            ContainerKind::Stream => format!("Stream({})", one(element)),
            ContainerKind::Map => format!("Map({})", one(element)),
            ContainerKind::IndexSignature => format!("IndexSignature({})", one(element)),
        },
        Expr::Tuple(items) => format!("Tuple({})", all(items)),
        Expr::Callable { result } => format!("Callable({})", one(result)),
        Expr::Param { callee, index } => format!("Param({}, {index})", one(callee)),
        Expr::Entered { object } => format!("Entered({})", one(object)),
        Expr::TypeParam { owner, index, .. } => format!("TypeParam({}, {index})", symbol(*owner)),
        Expr::Argument { index } => format!("Argument {index}"),
        Expr::Callee { call } => format!("Callee({})", one(call)),
        Expr::Accessor { of, result } => format!("Accessor({}, {})", one(of), one(result)),
        Expr::Bounded { by } => format!("Bounded({})", one(by)),
        Expr::Named { value, .. } => format!("Named({})", one(value)),
        Expr::Union(parts) => format!("Union({})", all(parts)),
        Expr::Fallback {
            variable,
            first,
            other,
        } => format!(
            "Fallback({}, {}, {})",
            one(variable),
            one(first),
            one(other)
        ),
    }
}

fn symbols(source: &str) -> String {
    let facts = lower(source).facts;
    let mut out = String::new();
    for symbol in &facts.symbols {
        let mark = if symbol.exported { "+" } else { "-" };
        let flags: Vec<_> = symbol.flags.iter_names().map(|it| it.0).collect();
        let lines = (symbol.span.start_line, symbol.span.end_line);
        let _ = writeln!(
            out,
            "{mark}{} {} {}-{} {} | {} | {}",
            symbol.kind.as_str(),
            symbol.qualified_name,
            lines.0,
            lines.1,
            flags.join("|"),
            symbol.signature,
            symbol.doc.replace('\n', "/"),
        );
    }
    out
}

fn bindings(source: &str) -> String {
    let facts = lower(source).facts;
    let mut out = String::new();
    for binding in &facts.bindings {
        let owner = binding
            .owner
            .map_or("-", |at| &facts.symbols[at as usize].qualified_name);
        let mut path = String::new();
        for slot in facts.exprs.slots(binding.path) {
            let _ = match slot {
                Slot::Member(name) | Slot::Key(name) => {
                    write!(path, ".{}", facts.exprs.name_of(name))
                }
                other => write!(path, " {other:?}"),
            };
        }
        let _ = writeln!(out, "{owner}{path} = {}", dump(&facts, binding.value));
    }
    out
}

fn references(source: &str) -> String {
    let facts = lower(source).facts;
    let mut out = String::new();
    for reference in &facts.references {
        let target = match reference.target {
            Target::Lexical => "lexical".to_owned(),
            Target::Value(expr) => format!("value {}", dump(&facts, expr)),
            Target::Symbol(at) => format!("symbol {}", facts.symbols[at as usize].qualified_name),
            Target::Member {
                receiver,
                is_inferred,
            } => {
                let mark = if is_inferred { "~" } else { "" };
                format!("member {mark}{}", dump(&facts, receiver))
            }
            Target::Markup(_) => "markup".to_owned(),
            Target::Unknown => "unknown".to_owned(),
        };
        let around = reference
            .symbol
            .map_or("-", |at| &facts.symbols[at as usize].qualified_name);
        let _ = writeln!(
            out,
            "{around}:{} {} {} {target}",
            reference.line,
            reference.kind.as_str(),
            facts.name(reference),
        );
    }
    out
}

/// The receivers of the calls of `use`, in source order.
fn receivers(source: &str) -> Vec<String> {
    references(source)
        .lines()
        .filter(|line| line.contains(" call use "))
        .map(|line| line.split(" call use ").nth(1).unwrap_or("").to_owned())
        .collect()
}

#[test]
fn symbols_have_kinds_flags_docs_and_signatures() {
    let source = r#"
# The most.
LIMIT: int = 3
_app = App()
class Store(Base):
    """Keeps rows.

        Deeply.
    """
    name: str
    def reset(self):
        self.rows = []
    def __init__(self, a, *, b=1):
        self.rows = a
    @property
    def size(self) -> int:
        return 1
    @size.setter
    def size(self, value): ...
    @overload
    def get(self, at: int) -> Row: ...
    @overload
    def get(self, at: str) -> Col: ...
    def get(self, at):
        def inner(): yield 1
    @classmethod
    def make(cls): ...
    @abc.abstractmethod
    def _run(self): ...
def test_it(): ...
Rows = Union[Row, Col]
"#;
    assert_eq!(
        symbols(source),
        "+constant LIMIT 3-3  | LIMIT: int = 3 | The most.
-variable _app 4-4  | _app = App() | 
+class Store 5-29  | class Store(Base) | Keeps rows.//Deeply.
+field Store.name 10-10  | name: str | 
+method Store.reset 11-12  | def reset(self) | 
+constructor Store.__init__ 13-14  | def __init__(self, a, *, b=1) | 
+field Store.rows 14-14  | self.rows = a | 
+property Store.size 15-19 ACCESSOR | def size(self) -> int | 
+method Store.get 20-25  | def get(self, at) | 
-function Store.get.inner 25-25 GENERATOR | def inner() | 
+method Store.make 26-27 CLASS_RECEIVER | def make(cls) | 
-method Store._run 28-29 ABSTRACT | def _run(self) | 
+function test_it 30-30 TEST | def test_it() | 
+type Rows 31-31  | Rows = Union[Row, Col] | 
"
    );
}

#[test]
fn a_literal_all_decides_what_is_exported() {
    let file = lower(
        "__all__ = ['a']\n__all__ += ['_b']\n__all__.extend(['c'])\ndef a(): ...\ndef _b(): ...\ndef d(): ...\n",
    );
    let facts = &file.facts;
    let all: Vec<_> = facts
        .all
        .iter()
        .flatten()
        .map(|it| facts.exprs.name_of(*it))
        .collect();
    assert_eq!(all, ["a", "_b", "c"]);
    let exported: Vec<_> = facts
        .symbols
        .iter()
        .map(|it| (it.name.as_str(), it.exported))
        .collect();
    assert_eq!(exported, [("a", true), ("_b", true), ("d", false)]);
}

#[test]
fn imports_have_a_row_for_each_module_that_may_be_meant() {
    let source = "import a.b\nimport c.d as e\nfrom . import f\nfrom ..p import g as h\nfrom q import *\ndef fn():\n    from r import s\n    s()\n    a.b.t()\n    importlib.import_module('u.v').w()\n";
    let facts = lower(source).facts;
    let rows: Vec<_> = facts
        .imports
        .iter()
        .map(|it| {
            let names: Vec<_> = it
                .names
                .iter()
                .map(|it| format!("{}>{}", it.imported, it.local))
                .collect();
            format!("{} {} {}", it.kind.as_str(), it.specifier, names.join(","))
        })
        .collect();
    assert_eq!(
        rows,
        [
            "submodule a *>a",
            "import a.b ",
            "import c.d *>e",
            "import . f>f",
            "submodule .f *>f",
            "import ..p g>h",
            "submodule ..p.g *>h",
            "re-export q ",
            "import r s>",
            "submodule r.s ",
            "dynamic u.v ",
        ]
    );
    let exports: Vec<_> = facts
        .exports
        .iter()
        .map(|it| format!("{} {}", it.kind.as_str(), it.name))
        .collect();
    assert_eq!(
        exports,
        [
            "local a", "local e", "local f", "local h", "star *", "local fn"
        ]
    );
    let uses = references(source);
    assert!(uses.contains("call s value Imported(r, s)"), "{uses}");
    assert!(uses.contains("call t member Imported(a.b, *)"), "{uses}");
    assert!(uses.contains("call w member ~Imported(u.v, *)"), "{uses}");
}

#[test]
fn receivers_are_what_locals_hold() {
    let source = r#"
def fn(a: A, b: "Optional[B]", c=C(), *rest, t: type[T], **more):
    a.use()
    b.use()
    c.use()
    with d() as x, e() as y:
        y.use()
    for i, z in enumerate(f()):
        z.use()
    try: pass
    except (G, h.H) as err:
        err.use()
    if isinstance(more, I) and more.use():
        more.use()
    if not isinstance(rest, J):
        return
    rest.use()
    if (k := K()):
        k.use()
    l: L = make()
    l.use()
    m = M()
    m = m.next()
    m.use()
    n = N() if a else (O() or P())
    n.use()
    q, (r, *s) = Q(), pair()
    q.use()
    s[0].use()
    cast("T", a).use()
    [u.use() for u in [U()]]
    (lambda v=V(): v.use())()
    (await w()).use()
    f"{X().use()}"
    partial(Y)().use()
    t().use()
    while a:
        a2 = first
        a2.use()
    match a:
        case Z() as zed:
            zed.use()
            a.use()
def A(): ...
class B: ...
class C: ...
def d(): ...
e = f = h = K = w = make = pair = first = None
class G: ...
class I: ...
class J: ...
class L: ...
class M: ...
class N: ...
class O: ...
class P: ...
class Q: ...
class T: ...
class U: ...
class V: ...
class X: ...
class Y: ...
class Z: ...
"#;
    assert_eq!(
        receivers(source),
        [
            "member ~Instance(Name A)",
            "member ~Instance(Name B)",
            "member ~Call(Name C)",
            "member ~Entered(Call(Name e))",
            "member ~Element(Call(Name f))",
            "member ~Union(Instance(Name G), Instance(Member(Name h, H)))",
            "member ~Instance(Name I)",
            "member ~Instance(Name J)",
            "member ~Call(Name K)",
            "member ~Instance(Name L)",
            "member ~Call(Member(Call(Name M), next))",
            "member ~Union(Call(Name N), Call(Name O), Call(Name P))",
            "member ~Call(Name Q)",
            "member ~Element(Call(Name pair))",
            "member ~Instance(Name T)",
            "member ~Call(Name U)",
            "member ~Call(Name V)",
            "member ~Call(Name w)",
            "member ~Call(Name X)",
            "member ~Call(Name Y)",
            "member ~Call(Name T)",
            "member ~Name first",
            "member ~Instance(Name Z)",
        ]
    );
}

#[test]
fn scopes_follow_the_rule_of_python() {
    let source = "
x = 1
class A:
    x = 2
    y = x
    def f(self):
        return x()
def g():
    global n
    n = A()
    c = A()
    def h():
        nonlocal c
        c = g()
        c.use()
    del c
    return [x() for x in (h, x)]
def k():
    n.use()
";
    let uses = references(source);
    assert!(uses.contains("A.f:7 call x lexical"), "{uses}");
    assert!(
        uses.contains("g.h:15 call use member ~Union(Call(Name A), Call(Name g))"),
        "{uses}"
    );
    assert!(uses.contains("k:19 call use member Name n"), "{uses}");
    assert!(!uses.contains("A:5 value x lexical"), "{uses}");
    assert!(bindings(source).contains("-.n = Call(Name A)"));
}

#[test]
fn classes_and_functions_hold_what_the_file_says() {
    let source = r#"
from typing import TypeVar, Generic, Iterator, Self, Callable
W = TypeVar("W", bound="Widget")
K = TypeVar("K")
class Widget: ...
class Box(Generic[K, W], Base[W], metaclass=M):
    child: "list[Widget]"
    size = Size()
    def __init__(self, db: Widget | None, raw):
        self.db = db
        self.raw = raw
        self.late = None
    def load(self):
        self.late = Widget()
    def me(self) -> Self: ...
    def item(self) -> W: ...
    @property
    def first(self):
        return self.db
    @contextmanager
    def opened(self):
        yield Widget()
def query(kind: type[K], many: list[W]) -> dict[str, K]: ...
def one(many: list[K]) -> K: ...
def made(fn: Callable[[int], K]) -> K: ...
def passed(fn): return fn
def pep[T: Widget](a: T) -> T: ...
def rows() -> Iterator["Widget"]: ...
def pair() -> tuple[Widget, int]: ...
class Base: ...
class Size: ...
app = Box(Widget())
"#;
    assert_eq!(
        bindings(source),
        "-.W = Instance(Name Widget)
-.app = Call(Name Box, [Call(Name Widget)])
Box Base(Extends) = Specialized(Name Base, [TypeParam(Box, 1)])
Box TypeParamBound(1) = Instance(Name Widget)
Box.child = Sequence(Instance(Name Widget))
Box.size = Call(Name Size)
Box.db = Instance(Name Widget)
Box.late = Call(Name Widget)
Box.__init__ Param(0) = Instance(Name Widget)
Box.me Return = Receiver Box.me
Box.item Return = TypeParam(Box, 1)
Box.first Return = Member(Receiver Box.first, db)
Box.opened Return = Sequence(Call(Name Widget))
"
        .to_owned()
            + "query TypeParamBound(1) = Instance(Name Widget)
query Param(1) = Sequence(TypeParam(query, 1))
query Return = Sequence(Construct(Argument 0))
one Param(0) = Sequence(TypeParam(one, 0))
one Return = Element(Argument 0)
made Param(0) = Callable(TypeParam(made, 0))
made Return = Call(Argument 0)
passed Return = Argument 0
pep TypeParamBound(0) = Instance(Name Widget)
pep Param(0) = TypeParam(pep, 0)
pep Return = Fallback(?, Argument 0, Instance(Name Widget))
rows Return = Sequence(Instance(Name Widget))
pair Return = Tuple(Instance(Name Widget), ?)
"
    );
}

#[test]
fn tests_are_given_what_fixtures_of_the_file_make() {
    let source = r#"
import pytest
class App: ...
@pytest.fixture
def app():
    yield App()
@pytest.fixture(scope="module")
def client(app):
    return app.client()
def test_it(client, other):
    client.use()
    other.use()
"#;
    assert_eq!(
        receivers(source),
        ["member ~Call(Name client)", "member ~Call(Name @other)"]
    );
    let bindings = bindings(source);
    assert!(
        bindings.contains("client Return = Call(Member(Call(Name app), client))"),
        "{bindings}"
    );
    assert!(references(source).contains("test_it:10 value client lexical"));
}

#[test]
fn hostile_files_end() {
    let n = 20_000;
    for source in [
        format!("x = {}1{}", "(".repeat(n), ")".repeat(n)),
        format!("x = a{}", ".b".repeat(n)),
        format!("x = a{}", ".b()".repeat(n)),
        format!("x = {}", "[".repeat(n)),
        format!("x: {}", "a[".repeat(n)),
        format!("def f(a: '{}'): a.b()", "a[".repeat(n)),
        format!(
            "def f():\n x = g()\n{} x.use()\n",
            " x = x.a or x.b or x\n".repeat(2_000)
        ),
        (0..2_000).fold("def f():\n x0 = g()\n".to_owned(), |text, at| {
            format!("{text} x{} = [x{at}.a, x{at}.b]\n", at + 1)
        }) + " x2000.use()\n",
        "class A:\n".to_owned() + &"  def f(self): self.x = self.y\n".repeat(5_000),
        (0..300).fold(String::new(), |text, at| {
            format!("{text}{}if x:\n", " ".repeat(at))
        }),
        "x = ".to_owned() + &"lambda a=".repeat(5_000),
        "\u{0}\u{feff}def \u{fffd}(:\n\tclass é(ü: x".to_owned(),
    ] {
        let file = lower(&source);
        let facts = &file.facts;
        assert!(
            facts
                .exprs
                .is_sound(facts.symbols.len(), facts.imports.len())
        );
    }
}
