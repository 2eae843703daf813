//! The packages that imports lead to.

use crate::resolve::fixture::check;

#[test]
fn a_type_is_in_the_package_of_the_clause() {
    check(
        "
        //- /core/src/main/java/com/acme/db/Store.java
        package com.acme.db
        //- /tools/Anywhere.java
        package com.acme.util
        //- /app/App.java
        package com.acme
        ",
        "app/App.java com.acme.db.Store java:com.acme.db
         app/App.java com.acme.db.Store.Row java:com.acme.db
         app/App.java com.acme.db java:com.acme.db
         app/App.java com.acme.util.Anywhere java:com.acme.util
         app/App.java com.acme.other.Store external
         app/App.java java.util.List external",
    );
}
