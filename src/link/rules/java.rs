//! Java.

use super::ContainerMember::SameContainer;
use super::{Implicit, LanguageRules, MemberOrder};

pub(super) static RULES: LanguageRules = LanguageRules {
    implicit_imports: &[Implicit::OwnUnit],
    has_named_owners: false,
    proves_external: true,
    predeclared: PREDECLARED,
    members: MemberOrder::DepthFirst,
    constructs_by_call: false,
    instance_call_method: None,
    foreach_callback_method: None,
    descriptor_method: None,
    index_method: None,
    iterator_methods: &["iterator()", "next()"],
    context_enter_methods: &[],
    instances_have_static_members: true,
    first_resolved_import_binds: false,
    package_file: None,
    stars_bind: false,
    // Those of arrays.
    container_members: &[("clone()", SameContainer)],
    members_in_scope: true,
    has_overloads: true,
    // Those of `Object`, and of `Enum`.
    root_members: &[
        "clone()",
        "compareTo()",
        "equals()",
        "finalize()",
        "getClass()",
        "getDeclaringClass()",
        "hashCode()",
        "name()",
        "notify()",
        "notifyAll()",
        "ordinal()",
        "toString()",
        "wait()",
    ],
    constructor: "<init>()",
    function_calls: &[],
    function_binds: &[],
};

/// Primitive types and the like, the types of `java.lang`, and the packages that are usual at the beginning of a name.
const PREDECLARED: &[&str] = &[
    "boolean", "byte", "char", "double", "float", "int", "lambda", "long", "null", "short", "void",
    "AbstractMethodError", "Appendable", "ArithmeticException", "ArrayIndexOutOfBoundsException",
    "ArrayStoreException", "AssertionError", "AutoCloseable", "Boolean", "BootstrapMethodError", "Byte",
    "CharSequence", "Character", "Class", "ClassCastException", "ClassCircularityError",
    "ClassFormatError", "ClassLoader", "ClassNotFoundException", "ClassValue",
    "CloneNotSupportedException", "Cloneable", "Comparable", "Deprecated", "Double", "Enum",
    "EnumConstantNotPresentException", "Error", "Exception", "ExceptionInInitializerError", "Float",
    "FunctionalInterface", "IllegalAccessError", "IllegalAccessException", "IllegalArgumentException",
    "IllegalCallerException", "IllegalMonitorStateException", "IllegalStateException",
    "IllegalThreadStateException", "IncompatibleClassChangeError", "IndexOutOfBoundsException",
    "InheritableThreadLocal", "InstantiationError", "InstantiationException", "Integer", "InternalError",
    "InterruptedException", "Iterable", "LayerInstantiationException", "LinkageError", "Long",
    "MatchException", "Math", "Module", "ModuleLayer", "NegativeArraySizeException",
    "NoClassDefFoundError", "NoSuchFieldError", "NoSuchFieldException", "NoSuchMethodError",
    "NoSuchMethodException", "NullPointerException", "Number", "NumberFormatException", "Object",
    "OutOfMemoryError", "Override", "Package", "Process", "ProcessBuilder", "ProcessHandle", "Readable",
    "Record", "ReflectiveOperationException", "Runnable", "Runtime", "RuntimeException",
    "RuntimePermission", "SafeVarargs", "ScopedValue", "SecurityException", "SecurityManager", "Short",
    "StackOverflowError", "StackTraceElement", "StackWalker", "StrictMath", "String", "StringBuffer",
    "StringBuilder", "StringIndexOutOfBoundsException", "SuppressWarnings", "System", "Thread",
    "ThreadDeath", "ThreadGroup", "ThreadLocal", "Throwable", "TypeNotPresentException", "UnknownError",
    "UnsatisfiedLinkError", "UnsupportedClassVersionError", "UnsupportedOperationException",
    "VerifyError", "VirtualMachineError", "Void", "android", "com", "io", "jakarta", "java", "javax",
    "jdk", "junit", "kotlin", "net", "org", "scala", "sun",
];
