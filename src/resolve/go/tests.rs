//! Repositories as text, and the packages that import paths in them stand for.

use crate::model::RepoPath;
use crate::resolve::fixture::check;

#[test]
fn an_import_path_is_a_directory_below_the_longest_module() {
    check(
        "//- /go.mod
         module example.com/shop
         //- /store/store.go
         package store
         //- /store/store_test.go
         package store_test
         //- /store/gen.go
         package main
         //- /cmd/shop/main.go
         package main
         //- /tools/go.mod
         module example.com/shop/tools
         //- /tools/lint/lint.go
         package linter
         //- /nested/go.mod
         module example.com/other
         //- /nested/deep/deep.go
         package deep",
        "store/a.go example.com/shop/store go:store#store
         store/store_test.go example.com/shop/store go:store#store
         a.go example.com/shop/cmd/shop go:cmd/shop#main
         a.go example.com/shop/tools/lint go:tools/lint#linter
         a.go example.com/other/deep go:nested/deep#deep
         a.go example.com/shop/nested/deep missing
         a.go example.com/shop/gone missing
         a.go fmt external
         a.go example.com/shopping external
         a.go C external
         a.go ./store go:store#store
         cmd/shop/main.go ../../store go:store#store
         a.go /etc external
         a.go a//b external",
    );
}

#[test]
fn a_local_replacement_counts_for_its_module_and_vendor_comes_last() {
    check(
        "//- /a/go.mod
         module example.com/a
         replace example.com/b => ../fork
         //- /fork/go.mod
         module example.com/b
         //- /fork/x/x.go
         package x
         //- /b/go.mod
         module example.com/b
         //- /b/x/x.go
         package x
         //- /a/vendor/example.com/c/c.go
         package c
         //- /go.work
         use ./a",
        "a/m.go example.com/b/x go:fork/x#x
         z/m.go example.com/b/x go:b/x#x
         b/x/x.go example.com/b/x go:b/x#x
         a/m.go example.com/c go:a/vendor/example.com/c#c
         b/m.go example.com/c external",
    );
}

#[test]
fn without_a_module_the_end_of_a_path_is_a_directory() {
    check(
        "//- /pkg/store/a.go
         package store
         //- /fmt/a.go
         package fmt",
        "a.go github.com/x/shop/pkg/store go:pkg/store#store
         a.go store external
         a.go fmt external",
    );
}

#[test]
fn names_of_files_say_for_which_platform_they_are() {
    for (name, is_other) in [
        ("a.go", false),
        ("a_linux.go", false),
        ("a_linux_amd64.go", false),
        ("a_windows.go", true),
        ("a_windows_test.go", true),
        ("a_arm64.go", true),
        ("a_darwin_arm64.go", true),
        ("linux.go", false),
        ("windows.go", false),
        ("a_unix.go", false),
        ("a_test.go", false),
        ("a_darwin_x.go", false),
    ] {
        assert!(RepoPath::new(name).is_some());
        assert_eq!(super::is_for_other_platform(name), is_other, "{name}");
    }
}
