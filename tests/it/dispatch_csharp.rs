//! Callers of members of C# that stand for each other: overrides, explicit implementations, properties, parts of a type.

use serde_json::Value;

use crate::dispatch::callers;
use crate::support::{Cli, Fixture};

const CSHARP: &str = "\
//- /Store.cs
namespace P;
public interface IStore { void Open(string key); void Close(); }
public interface IOther { void Open(string key); }
public class Disk : IStore, IOther {
  void IStore.Open(string key) {}
  public void Open(string key) {}
  public virtual void Close() {}
}
public class Fast : Disk {
  public override void Close() {}
}
//- /Use.cs
namespace P;
class Use {
  void ByStore(IStore s) { s.Open(\"a\"); s.Close(); }
  void ByOther(IOther s) { s.Open(\"a\"); }
  void ByClass(Disk s) { s.Open(\"a\"); }
}
";

#[test]
fn explicit_implementations_have_the_callers_of_their_interface() {
    assert_eq!(
        callers(CSHARP, "Store.cs", 5),
        ["Use.cs Use.ByStore dispatch"]
    );
    assert_eq!(
        callers(CSHARP, "Store.cs", 6),
        ["Use.cs Use.ByClass member", "Use.cs Use.ByOther dispatch"]
    );
    assert_eq!(
        callers(CSHARP, "Store.cs", 10),
        ["Use.cs Use.ByStore dispatch"]
    );
}

const CSHARP_PARTS: &str = "\
//- /A.cs
namespace P;
public abstract partial class Pool {
  public abstract int Size { get; }
  protected abstract void Fill();
}
public class Pool<T> { }
//- /B.cs
namespace P;
public abstract partial class Pool : ISized {
  public void Run() { Fill(); }
  partial void Hook();
}
public interface ISized { int Size { get; } string Name { get; set; } }
public partial class Small { partial void Hook(); }
public partial class Small { void Call() { Hook(); } }
//- /C.cs
namespace P;
public class Shared : Pool, IDisposable {
  public override int Size => 1;
  protected override void Fill() {}
  string ISized.Name { get; set; }
  void Hidden() {}
  public void Open() {}
}
public partial class Small {
  partial void Hook() {}
}
//- /Use.cs
namespace P;
class Use {
  Pool pool;
  int Of(ISized sized) => sized.Size + sized.Name.Length;
  int OfBase(Pool pool) => pool.Size;
  int OfClass(Shared all) => all.Size;
}
";

#[test]
fn properties_are_overridden() {
    let by_all = [
        "Use.cs Use.Of dispatch",
        "Use.cs Use.OfBase dispatch",
        "Use.cs Use.OfClass member",
    ];
    assert_eq!(callers(CSHARP_PARTS, "C.cs", 3), by_all);
    assert_eq!(
        callers(CSHARP_PARTS, "C.cs", 5),
        ["Use.cs Use.Of dispatch"],
        "an explicit implementation"
    );
}

#[test]
fn a_base_in_parts_dispatches_as_one_type() {
    assert_eq!(
        callers(CSHARP_PARTS, "C.cs", 4),
        ["B.cs Pool.Run dispatch"],
        "the call stands in another part than the declaration"
    );
    assert_eq!(
        callers(CSHARP_PARTS, "C.cs", 10),
        ["B.cs Small.Call dispatch"]
    );
}

#[test]
fn each_part_of_a_type_has_its_uses() {
    let of_a = callers(CSHARP_PARTS, "A.cs", 2);
    assert!(
        of_a.iter().any(|it| it.starts_with("Use.cs Use.OfBase ")),
        "{of_a:?}"
    );
    assert_eq!(callers(CSHARP_PARTS, "B.cs", 2), of_a);
    let repo = Fixture::parse(&format!("{CSHARP_PARTS}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    let both: Value = cli.json(&["impact", "Pool"]);
    assert_eq!(both["candidates"].as_array().unwrap().len(), 2, "{both}");
    let one: Value = cli.json(&["impact", "Pool<T>"]);
    assert_eq!(one["target"]["path"], "A.cs", "{one}");
    assert_eq!(one["target"]["line"], 6, "{one}");
}

#[test]
fn only_bases_from_outside_may_call_a_method() {
    let repo = Fixture::parse(&format!("{CSHARP_PARTS}//- commit all\n")).build();
    let cli = Cli::new(repo.path());
    for name in ["Shared.Hidden", "Shared.Open"] {
        let said: Value = cli.json(&["impact", name]);
        let summary = said["summary"].as_str().unwrap();
        assert!(!summary.contains("not defined here"), "{summary}");
    }
}
