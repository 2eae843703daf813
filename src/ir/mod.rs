//! The typed facts of one file: expressions, reduced to the parts that name resolution uses, and their owners.
//!
//! Facts are a function of (bytes, language, facts version) alone: no other file, no clock and no setting enters. `syntax`
//! extracts them, `link` binds names of other files.

mod ambient;
mod arena;
mod binding;
mod endpoint;
mod expr;
mod facts;
mod fingerprint;
mod names;
mod own_uses;
mod pasted;

pub use ambient::{AMBIENT_UNIT, ambient_export};
pub use arena::{Adopted, ExprArena};
pub use binding::{BaseKind, Binding, PathId, Slot};
pub use endpoint::{
    BRIDGE, Endpoint, EndpointRole, HttpObject, HttpRoute, JAVA_PACKAGE, LINKAGE, LINKAGE_KEY,
    LinkageReach, MOUNTS, Mount, MountTarget, PROTOBUF_FILE, PROTOBUF_SERVICE, PYTHON_MODULE,
    PYTHON_NATIVES, Request, Router, java_member_key, join_paths, named_segment,
    protobuf_message_key, protobuf_method_key, protobuf_service_key, python_module_key,
    python_native_key, python_use_key, request_keys, route_key, unit_of_key,
};
pub use expr::{ContainerKind, Expr, ExprId, ImportIdx, NameId, SymbolIdx};
pub use facts::{
    ANONYMOUS, BLANKET_IMPLS, CONVERSIONS, Conversion, DOCUMENTED, Directive, Export, ExportKind,
    Extraction, FileFacts, INDEXER, INJECTED, Import, ImportKind, ImportedName, N_PROJECT_USINGS,
    N_VISIBLE_PROJECTS, NamedOwner, Reference, ReferenceKind, TYPE_NAME_UNIT, Target,
    TemplateNameKind, all_projects, extension_name, files_of_type, generic_name, global_usings,
    in_namespace, injected_name, is_type_export, java_module_unit, linkage_unit, member_name,
    split_generic_name, visible_projects,
};
pub use fingerprint::Fingerprints;
pub use own_uses::OwnUses;
pub use pasted::{PastedPattern, pasted_beginnings, pasted_between, pasted_names, pasted_patterns};
