//! The files that includes lead to.

use super::build_files::{directories, directory};
use crate::resolve::fixture::check;

#[test]
fn an_include_leads_to_the_nearest_header() {
    check(
        "
        //- /src/server.c
        //- /src/server.h
        //- /src/sds.h
        //- /deps/hiredis/sds.h
        //- /deps/hiredis/hiredis.h
        //- /src/Makefile
        CFLAGS += -I../deps/hiredis
        //- /include/lib/api.h
        //- /tests/a/util.h
        //- /tests/b/util.h
        //- /tools/tool.c
        ",
        "src/server.c server.h src/server.h
         src/server.c <sds.h> deps/hiredis/sds.h
         src/server.c sds.h src/sds.h
         src/server.c hiredis.h deps/hiredis/hiredis.h
         src/server.c <stdio.h> external
         src/server.c <lib/api.h> include/lib/api.h
         src/server.c api.h include/lib/api.h
         src/server.c ../deps/hiredis/sds.h deps/hiredis/sds.h
         src/server.c util.h missing
         src/server.c <util.h> missing
         tools/tool.c <server.h> src/server.h
         src/server.c nowhere.h missing
         src/server.c ../../../etc/passwd missing",
    );
}

#[test]
fn build_files_name_include_directories() {
    assert_eq!(
        directories(
            "CMakeLists.txt",
            "include_directories(\"${PROJECT_SOURCE_DIR}/a\" b)\ntarget_include_directories(lib PUBLIC\n  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)"
        ),
        [
            "${PROJECT_SOURCE_DIR}/a",
            "b",
            "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>"
        ]
    );
    assert_eq!(
        directories("Makefile", "A= -I../x -I y\n-I$(OUT)/gen"),
        ["../x", "y", "$(OUT)/gen"]
    );
    assert_eq!(
        directories("meson.build", "inc = include_directories('include', 'src')"),
        ["include", "src"]
    );
    assert_eq!(
        directory(
            "lib",
            "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>"
        )
        .as_deref(),
        Some("lib/include")
    );
    assert_eq!(directory("src", "../deps").as_deref(), Some("deps"));
    assert_eq!(directory("src", "$(OUT)/gen"), None);
    assert_eq!(directory("", "../outside"), None);
}
