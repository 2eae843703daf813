//! Tests among code: `#[test] fn` in the source file whose functions it checks.
//!
//! The role of a file says nothing of them; that of a definition does. Files that are tests as a whole are told in `roles`.

use std::rc::Rc;

use super::{FileRole, Roles};
use crate::ir::FileFacts;
use crate::model::{RepoPath, SymbolFlags};
use crate::syntax;

impl Roles<'_> {
    /// Returns the role of the code at a definition, by its place among the symbols of its file: that of the file, but
    /// of a test among code that of a test, and of the code beside it that is built for tests alone that of support.
    /// `None` stands for the top level. The facts of a file that may hold such tests are read once.
    pub fn of_definition(&self, path: &RepoPath, ordinal: Option<u32>) -> FileRole {
        let role = self.of(path);
        match ordinal {
            Some(ordinal) if !role.is_of_tests() && syntax::has_inline_tests(path) => {
                let inside = self.roles_inside(path);
                let own = inside.get(ordinal as usize).copied().unwrap_or(role);
                if own.is_code() { role } else { own }
            }
            _ => role,
        }
    }

    /// Returns whether tests may stand among the code of a file, as far as its language and its role tell.
    pub fn may_hold_tests(&self, path: &RepoPath) -> bool {
        syntax::has_inline_tests(path) && !self.of(path).is_of_tests()
    }

    /// Returns whether the tests of a file are run by the target and the module that they are in, and not by its path.
    pub fn is_run_by_target(&self, path: &RepoPath) -> bool {
        syntax::has_inline_tests(path)
    }

    fn roles_inside(&self, path: &RepoPath) -> Rc<[FileRole]> {
        if let Some(known) = self.inside.borrow().get(path) {
            return Rc::clone(known);
        }
        let file = self.read.file(path.as_str()).ok().flatten();
        let facts = file.and_then(|file| self.read.declared_facts(file.id).ok().flatten());
        let roles: Rc<[FileRole]> = facts.map_or_else(Vec::new, |it| roles_of(&it)).into();
        let known = Rc::clone(&roles);
        self.inside.borrow_mut().insert(path.clone(), known);
        roles
    }
}

/// Returns the role of each symbol; one inside a test is a part of it. A symbol stands behind the one around it.
fn roles_of(facts: &FileFacts) -> Vec<FileRole> {
    let mut roles: Vec<FileRole> = Vec::with_capacity(facts.symbols.len());
    for symbol in &facts.symbols {
        let around = symbol.parent.and_then(|it| roles.get(it as usize));
        let around = around.copied().unwrap_or(FileRole::Code);
        roles.push(if symbol.flags.contains(SymbolFlags::TEST) {
            FileRole::Test
        } else if around == FileRole::Code && symbol.flags.contains(SymbolFlags::TEST_ONLY) {
            FileRole::TestSupport
        } else {
            around
        });
    }
    roles
}
