//! CommonJS in the forms that are met.

use super::{exports, imports, same, symbols};

#[test]
fn names_given_to_exports() {
    let source = "\
exports.a = function (x) {};
exports.b = exports.c = () => 1;
module.exports.d = class { m() {} };
exports.e = local;
exports.f = [1, 2];
exports.g = require('./g');
exports.h = require('./h').i;
exports.j = void 0;
Object.defineProperty(exports, '__esModule', { value: true });
Object.defineProperty(exports, 'k', { get: function () { return 1 } });
function local() {}
";
    same(
        &exports("a.js", source),
        "local a =
         local b =
         local c =
         local d =
         local e = local
         local f =
         from g = * from ./g
         from h = i from ./h
         local k = k",
    );
    same(
        &symbols("a.js", source),
        "function a* 1-1
         function b* 2-2
         function c* 2-2
         class d* 3-3
         method d.m* 3-3 ^d
         constant f* 5-5
         constant g* 6-6
         constant h* 7-7
         constant k* 10-10
         function local* 11-11",
    );
    same(&imports("a.js", source), "6 require ./g:\n 7 require ./h:");
}

#[test]
fn the_module_itself() {
    same(
        &exports(
            "a.js",
            "exports = module.exports = createApp; function createApp() {}",
        ),
        "assignment export= = createApp",
    );
    same(
        &symbols("a.js", "module.exports = function named() {}"),
        "function named* 1-1",
    );
    same(
        &symbols("a.js", "module.exports = () => {}"),
        "function default* 1-1",
    );
    same(
        &exports("a.js", "module.exports = () => {}"),
        "assignment export= = default",
    );
    same(
        &exports("a.js", "module.exports = require('./b')"),
        "assignment export= = * from ./b",
    );
    same(
        &symbols("a.js", "module.exports = new Foo()"),
        "module default* 1-1",
    );
    let object = "module.exports = { a, b: function () {}, c() {}, d: 1, e: a, ...require('./x') }; function a() {}";
    same(
        &exports("a.js", object),
        "assignment export= =
         local a = a
         local b = b
         local c = c
         local d = d
         local e = a
         star * = * from ./x",
    );
    same(
        &symbols("a.js", object),
        "function b* 1-1\n function c* 1-1\n constant d* 1-1\n function a* 1-1",
    );
    same(
        &exports("a.js", "Object.assign(exports, { a() {} })"),
        "local a = a",
    );
}

#[test]
fn members_given_from_outside() {
    let source = "\
var app = exports = module.exports = {};
app.init = function init() { this.late = function () {} };
app.get = app.fetch = () => {};
function Foo() {}
Foo.prototype.bar = function () {};
Foo.prototype = { baz() {}, get qux() { return 1 } };
Foo.create = function () {};
Object.defineProperty(app, 'ip', { get() { return 1 } });
defineGetter(app, 'host', function host() {});
app.count = 1;
";
    same(
        &symbols("a.js", source),
        "variable app* 1-1
         method app.init* 2-2 ^app
         method app.init.late* 2-2 ^init
         method app.get* 3-3 ^app
         method app.fetch* 3-3 ^app
         function Foo 4-4
         method Foo.bar 5-5 ^Foo
         method Foo.baz 6-6 ^Foo
         property Foo.qux 6-6 ^Foo
         method Foo.create 7-7 ^Foo
         property app.ip* 8-8 ^app
         property app.host* 9-9 ^app",
    );
    same(
        &exports("a.js", source),
        "assignment export= = app
         local init = app.init
         local get = app.get
         local fetch = app.fetch
         local ip = app.ip
         local host = app.host",
    );
}
