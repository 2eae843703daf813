//! The namespaces that names lead to.

use super::candidates;
use crate::resolve::fixture::check;

#[test]
fn a_name_is_looked_for_in_the_namespaces_around() {
    let of = |specifier| candidates(specifier).collect::<Vec<_>>();
    assert_eq!(of("A.B|C.D"), ["A.B.C.D", "A.C.D", "C.D"]);
    assert_eq!(of("|A.B"), ["A.B"]);
    assert_eq!(of("A.B"), ["A.B"]);
    assert_eq!(of("|"), [""]);
}

#[test]
fn a_namespace_is_found_wherever_its_files_are() {
    check(
        "
        //- /src/Db/Store.cs
        namespace Acme.Db
        //- /Anywhere.cs
        namespace Acme.App
        //- /app/App.csproj
        <Project><ItemGroup><Using Include=\"Xunit\"/><Using Include=\"Acme.Db\"/></ItemGroup></Project>
        //- /app/in/A.cs
        namespace Acme.App.In
        ",
        "app/in/A.cs Acme.Db cs:Acme.Db
         app/in/A.cs Acme.App.In|Db cs:Acme.Db
         app/in/A.cs Acme.App.In|Acme.App cs:Acme.App
         app/in/A.cs Acme.App.In|System external
         app/in/A.cs Acme external
         app/in/A.cs global external",
    );
}
