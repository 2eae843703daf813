//! The tables of built-in names: for each row a use whose type, or whose definition, depends on that row.
//! Those of Java are in `fixtures/edges/java/each-method-of-a-container-gives-its-arguments.repo`.
//!
//! The names stand here once more on purpose: a row that is taken out of a table makes its check fail.

use codelens::ir::{Expr, Target};
use codelens::model::{Budget, RepoPath, SymbolKind};
use codelens::syntax;

use crate::types::check_types;

/// Checks a text for each name, in which `NAME` stands for it and `N` for its number; `head` stands once above all.
fn each(path: &str, head: &str, names: &str, text: &str) {
    let mut source = format!("//- {path}\n{head}\n");
    for (n, name) in names.split_whitespace().enumerate() {
        source += &text.replace("NAME", name).replace("_N", &format!("_{n}"));
        source.push('\n');
    }
    check_types(&source);
}

const DB: &str = "export class Db { open() {} }";

#[test]
fn types_of_ecmascript_stand_for_their_arguments() {
    each(
        "a.ts",
        DB,
        "Promise PromiseLike Awaited Readonly Partial Required NonNullable Omit Pick ThisType NoInfer",
        "function f_N(x: NAME<Db>) {\n  x.open() //> type Db\n}",
    );
    each(
        "a.ts",
        DB,
        "Array ReadonlyArray Set ReadonlySet WeakSet Iterable Iterator IterableIterator AsyncIterable \
         AsyncIterableIterator Generator AsyncGenerator ArrayLike",
        "function f_N(x: NAME<Db>) {\n  for (const one of x) one.open() //> type Db\n}",
    );
    each(
        "a.ts",
        DB,
        "Map ReadonlyMap WeakMap",
        "function f_N(x: NAME<string, Db>) {\n  x.get('a').open() //> type Db\n}",
    );
    each(
        "a.js",
        DB,
        "Record Object",
        "/** @param {NAME<string, Db>} x */\nfunction f_N(x) {\n  x.anything.open() //> type Db\n}",
    );
}

#[test]
fn functions_of_ecmascript_return_their_argument() {
    each(
        "a.ts",
        DB,
        "Object.freeze Object.values Array.from Promise.all Promise.resolve",
        "function f_N(all: Db[]) {\n  NAME(all)[0].open() //> type Db\n}",
    );
}

#[test]
fn methods_of_ecmascript_call_back_with_elements() {
    each(
        "a.ts",
        DB,
        "forEach map filter some every find findIndex findLast findLastIndex flatMap",
        "function f_N(all: Db[]) {\n  all.NAME((one) => {\n    one.open() //> type Db\n  })\n}",
    );
    each(
        "a.ts",
        DB,
        "sort toSorted",
        "function f_N(all: Db[]) {\n  all.NAME((a, b) => {\n    b.open() //> type Db\n  })\n}",
    );
    each(
        "a.ts",
        DB,
        "reduce reduceRight",
        "function f_N(all: Db[]) {\n  all.NAME((sum, one) => {\n    one.open() //> type Db\n  }, 0)\n}",
    );
}

#[test]
fn members_of_containers_of_ecmascript_hold_their_elements() {
    each(
        "a.ts",
        DB,
        "filter slice concat reverse sort values splice toSorted toReversed toSpliced copyWithin fill flat add",
        "function f_N(all: Db[]) {\n  all.NAME()[0].open() //> type Db\n}",
    );
    each(
        "a.ts",
        DB,
        "find findLast at pop shift get next deref",
        "function f_N(all: Db[]) {\n  all.NAME().open() //> type Db\n}",
    );
}

/// Extracts a text and returns its facts.
fn facts(path: &str, text: &str) -> codelens::ir::FileFacts {
    let path = RepoPath::new(path).unwrap();
    let budget = Budget::unlimited(std::sync::Arc::default());
    syntax::extract(syntax::by_path(&path), text, true, &budget)
        .unwrap()
        .facts
}

/// Fails unless the receiver of `x.open()` in a text is an unknown value; `name` is the type under test.
fn assert_unknown_receiver(path: &str, text: &str, name: &str) {
    let facts = facts(path, text);
    let opens = facts.references.iter().find(|it| facts.name(it) == "open");
    let Target::Member { receiver, .. } = opens.unwrap().target else {
        panic!("{name}: a member");
    };
    assert_eq!(facts.exprs.get(receiver), &Expr::Unknown, "{name}");
}

#[test]
fn plain_types_of_ecmascript_have_no_members() {
    let names = "string number boolean bigint symbol any unknown never void null undefined object true false Object \
                 Function Array Date RegExp Error String Number Boolean";
    for name in names.split_whitespace() {
        let written = format!("/** @param {{{name}}} x */\nfunction f(x) {{ x.open() }}\n");
        assert_unknown_receiver("a.js", &written, name);
    }
}

#[test]
fn functions_of_ecmascript_run_or_wrap_their_argument() {
    let kind = |text: &str| {
        let facts = facts("a.ts", text);
        facts
            .symbols
            .iter()
            .find(|it| it.name == "a")
            .map(|it| it.kind)
    };
    let runners = "setTimeout setInterval setImmediate requestAnimationFrame computed ref watch watchEffect effect useMemo \
                   describe it test Promise queueMicrotask nextTick signal reactive shallowRef customRef useState useReducer \
                   Array Object require expect atom derived writable readable createContext";
    for name in runners.split_whitespace() {
        let found = kind(&format!("export const a = {name}(() => {{}})\n"));
        assert_ne!(found, Some(SymbolKind::Function), "{name}");
    }
    let wrappers = "useCallback memo forwardRef debounce throttle once memoize useEvent promisify partial curry bind withCtx \
                    markRaw defineComponent observer cache";
    for name in wrappers.split_whitespace() {
        let found = kind(&format!("export const a = Lib.{name}(() => {{}})\n"));
        assert_eq!(found, Some(SymbolKind::Function), "{name}");
    }
}

const PY: &str = "class Db:\n    def open(self): pass\n";

/// As [`each`], of Python, each in a file of its own that imports the name from `module`.
fn each_of_python(module: &str, names: &str, text: &str) {
    for name in names.split_whitespace() {
        let import = if module.is_empty() {
            String::new()
        } else {
            format!("from {module} import {name}\n")
        };
        check_types(&format!(
            "//- a.py\n{import}{PY}\n{}\n",
            text.replace("NAME", name)
        ));
    }
}

#[test]
fn types_of_python_stand_for_their_arguments() {
    each_of_python(
        "typing",
        "Optional ClassVar Final Annotated Required NotRequired ReadOnly Awaitable InitVar Mapped Unpack Future Task",
        "def f(x: NAME[Db]):\n    x.open() #> type Db",
    );
    each_of_python(
        "typing",
        "Union",
        "def f(x: NAME[Db, int]):\n    x.open() #> type Db",
    );
    each_of_python(
        "typing",
        "list List set Set frozenset FrozenSet Sequence MutableSequence Iterable Iterator Collection Container Generator \
         AsyncIterator AsyncIterable AsyncGenerator deque Deque AbstractSet MutableSet Reversible KeysView ContextManager \
         AbstractContextManager AsyncContextManager AbstractAsyncContextManager WeakSet Counter ValuesView",
        "def f(x: NAME[Db]):\n    for one in x:\n        one.open() #> type Db",
    );
    each_of_python(
        "typing",
        "dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict WeakValueDictionary WeakKeyDictionary ChainMap",
        "def f(x: NAME[str, Db]):\n    x['a'].open() #> type Db",
    );
    each_of_python(
        "typing",
        "tuple Tuple",
        "def f(x: NAME[Db, int]):\n    x[0].open() #> type Db",
    );
    each_of_python(
        "typing",
        "type Type",
        "def f(x: NAME[Db]):\n    x().open() #> type Db",
    );
    each_of_python(
        "typing",
        "Callable",
        "def f(x: NAME[[int], Db]):\n    x(1).open() #> type Db",
    );
    each_of_python(
        "typing",
        "Coroutine",
        "async def f(x: NAME[int, int, Db]):\n    (await x).open() #> type Db",
    );
    each_of_python(
        "typing",
        "Self",
        "class A(Db):\n    def me(self) -> NAME: ...\n\nA().me().open() #> type A",
    );
}

#[test]
fn functions_of_python_return_their_argument() {
    each_of_python(
        "functools",
        "partial partialmethod copy deepcopy lru_cache cache create_task ensure_future wait_for shield run proxy closing \
         aclosing nullcontext",
        "def f(x: Db):\n    NAME(x).open() #> type Db",
    );
    each_of_python(
        "",
        "cast",
        "from typing import cast\ndef f(x):\n    NAME(Db, x).open() #> type Db",
    );
    each_of_python(
        "",
        "list tuple set frozenset sorted reversed iter",
        "def f(x: list[Db]):\n    for one in NAME(x):\n        one.open() #> type Db",
    );
    each_of_python(
        "collections",
        "deque",
        "def f(x: list[Db]):\n    for one in NAME(x):\n        one.open() #> type Db",
    );
    each_of_python(
        "",
        "next max min anext",
        "def f(x: list[Db]):\n    NAME(x).open() #> type Db",
    );
    each_of_python(
        "",
        "enumerate",
        "def f(x: list[Db]):\n    for n, one in NAME(x):\n        one.open() #> type Db",
    );
    each_of_python(
        "",
        "zip",
        "def f(x: list[Db]):\n    for one, two in NAME(x, x):\n        two.open() #> type Db",
    );
    each_of_python(
        "",
        "getattr",
        "class A:\n    db: Db\n\ndef f(x: A):\n    NAME(x, 'db').open() #> type typeof A.db",
    );
    each_of_python("", "type", "def f(x: Db):\n    NAME(x)().open() #> type Db");
    each_of_python(
        "",
        "super",
        "class A(Db):\n    def go(self):\n        NAME().open() #> type Db",
    );
    each_of_python(
        "typing",
        "NewType",
        "B = NAME('B', Db)\ndef f(x: B):\n    x.open() #> type Db",
    );
}

#[test]
fn operators_of_python_call_their_method() {
    for (operator, method) in [
        ("+", "__add__"),
        ("-", "__sub__"),
        ("*", "__mul__"),
        ("/", "__truediv__"),
        ("//", "__floordiv__"),
        ("%", "__mod__"),
        ("@", "__matmul__"),
        ("**", "__pow__"),
        ("&", "__and__"),
        ("^", "__xor__"),
        ("<<", "__lshift__"),
        (">>", "__rshift__"),
    ] {
        check_types(&format!(
            "//- a.py\n{PY}\nclass V:\n    def {method}(self, other) -> Db: ...\n\ndef f(a: V, b: V):\n    (a {operator} b).open() #> type Db\n"
        ));
    }
}

#[test]
fn modules_of_python_have_the_types() {
    for module in "typing typing_extensions collections collections.abc functools copy contextlib asyncio dataclasses weakref types \
                   builtins some.typing my.compat"
        .split_whitespace()
    {
        each_of_python(module, "Optional", "def f(x: NAME[Db]):\n    x.open() #> type Db");
    }
}

#[test]
fn plain_types_of_python_have_no_members() {
    let names = "int str float bool bytes bytearray complex object Any Literal LiteralString NoReturn Never AnyStr Hashable \
                 Sized Text TypeGuard TypeIs memoryview slice range ModuleType";
    for name in names.split_whitespace() {
        let text = format!("from typing import {name}\ndef f(x: {name}):\n    x.open()\n");
        assert_unknown_receiver("a.py", &text, name);
    }
}

#[test]
fn members_of_containers_of_python_hold_their_elements() {
    each_of_python(
        "",
        "copy values union intersection difference",
        "def f(x: list[Db]):\n    for one in x.NAME():\n        one.open() #> type Db",
    );
    each_of_python(
        "",
        "get pop popleft setdefault __getitem__ __next__",
        "def f(x: list[Db]):\n    x.NAME().open() #> type Db",
    );
    each_of_python(
        "",
        "items",
        "def f(x: dict[str, Db]):\n    for key, one in x.NAME():\n        one.open() #> type Db",
    );
}
