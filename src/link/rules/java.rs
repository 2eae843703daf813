//! Java.

use super::ContainerMember::SameContainer;
use super::{ContainerMember, Implicit, LanguageRules};
use crate::model::{BuiltinSet, BuiltinTable, Family};

pub(super) static RULES: LanguageRules = LanguageRules {
    family: Family::Java,
    implicit_imports: &[Implicit::OwnUnit],
    one_definition_in_unit: true,
    proves_external: true,
    predeclared: &PREDECLARED,
    iterator_methods: &["iterator()", "next()"],
    instances_have_static_members: true,
    container_members: &ARRAY_MEMBERS,
    members_in_scope: true,
    has_overloads: true,
    root_members: &ROOT_MEMBERS,
    constructor: "<init>()",
    ..LanguageRules::PLAIN
};

/// Members of arrays.
static ARRAY_MEMBERS: BuiltinTable<ContainerMember> =
    BuiltinTable::new("Java: members of arrays", &[(SameContainer, "clone()")]);

/// Members of `Object`, and of `Enum`.
static ROOT_MEMBERS: BuiltinSet = BuiltinSet::new(
    "Java: members of every class",
    "clone() compareTo() equals() finalize() getClass() getDeclaringClass() hashCode() name() notify() \
     notifyAll() ordinal() toString() wait()",
);

/// Primitive types and the like, the types of `java.lang`, and the packages that are usual at the beginning of a name.
static PREDECLARED: BuiltinSet = BuiltinSet::new(
    "Java: predeclared",
    "boolean byte char double float int lambda long null short AbstractMethodError Appendable \
     ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException AssertionError AutoCloseable Boolean \
     BootstrapMethodError Byte CharSequence Character Class ClassCastException ClassCircularityError \
     ClassFormatError ClassLoader ClassNotFoundException ClassValue CloneNotSupportedException Cloneable \
     Comparable Deprecated Double Enum EnumConstantNotPresentException Error Exception \
     ExceptionInInitializerError Float FunctionalInterface IllegalAccessError IllegalAccessException \
     IllegalArgumentException IllegalCallerException IllegalMonitorStateException IllegalStateException \
     IllegalThreadStateException IncompatibleClassChangeError IndexOutOfBoundsException InheritableThreadLocal \
     InstantiationError InstantiationException Integer InternalError InterruptedException Iterable \
     LayerInstantiationException LinkageError Long MatchException Math Module ModuleLayer \
     NegativeArraySizeException NoClassDefFoundError NoSuchFieldError NoSuchFieldException NoSuchMethodError \
     NoSuchMethodException NullPointerException Number NumberFormatException Object OutOfMemoryError Override \
     Package Process ProcessBuilder ProcessHandle Readable Record ReflectiveOperationException Runnable Runtime \
     RuntimeException RuntimePermission SafeVarargs ScopedValue SecurityException SecurityManager Short \
     StackOverflowError StackTraceElement StackWalker StrictMath String StringBuffer StringBuilder \
     StringIndexOutOfBoundsException SuppressWarnings System Thread ThreadDeath ThreadGroup ThreadLocal \
     Throwable TypeNotPresentException UnknownError UnsatisfiedLinkError UnsupportedClassVersionError \
     UnsupportedOperationException VerifyError VirtualMachineError Void android com io jakarta java javax jdk \
     junit kotlin net org scala sun",
);
