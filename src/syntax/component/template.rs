//! The facts of a template among those of its file: which names of the scripts it can use, and whose uses they are.

use super::blocks::Blocks;
use super::markup_ranges::MarkupRanges;
use super::names::{camel, pascal};
use super::program::{self, Program};
use super::{ScriptBlock, offset, svelte, vue};
use crate::ir::{Expr, ExprArena, Reference, ReferenceKind, Target};
use crate::model::Budget;
use crate::syntax::lang::ecmascript::{LoweredScript, VueMember, VueOptions};
use crate::syntax::language::Framework;
use crate::syntax::lines::Lines;

/// A template that was read.
pub(super) struct Template {
    pub(super) program: program::TemplateProgram,
    /// For each reference of the program its place among those of the file; `None` for a name of the instance alone.
    pub(super) references: Vec<Option<u32>>,
    /// The names that options give it; `None` where it has those of a setup script.
    options: Option<VueOptions>,
    /// Names of properties.
    props: Vec<String>,
}

/// Reads the template of a file, an empty one where it has none; `None` where the budget ended.
pub(super) fn template(
    framework: Framework,
    lines: &Lines<'_>,
    blocks: &Blocks,
    parts: &[ScriptBlock],
    ranges: &mut MarkupRanges,
    keeps_positions: bool,
    budget: &Budget,
) -> Option<Template> {
    let mut names: Vec<String> = Vec::new();
    let mut imported: Vec<String> = Vec::new();
    for part in parts {
        names.extend(part.parsed.script.names.iter().cloned());
        let imports = part.parsed.script.facts.imports.iter();
        let bound = imports.flat_map(|import| &import.names);
        imported.extend(bound.map(|name| name.local.clone()));
    }
    let mut options = None;
    let mut props = Vec::new();
    if framework == Framework::Vue {
        let mut found = VueOptions::default();
        for part in parts {
            let mut one = part.parsed.vue_options(&part.text);
            found.members.append(&mut one.members);
            found.components.append(&mut one.components);
            props.append(&mut one.props);
        }
        if !parts.is_empty() && !parts.iter().any(|part| part.block.instance) {
            // What such a script binds is not visible in the template.
            names = found.members.iter().map(|it| it.0.clone()).collect();
            options = Some(found);
        }
    }
    names.sort();
    names.dedup();
    let mut program = Program::new(lines.source);
    match framework {
        Framework::Vue => {
            let components: Vec<String> = options
                .iter()
                .flat_map(|options| &options.components)
                .map(|it| pascal(&it.0))
                .collect();
            let visible = vue::TemplateNames {
                all: &names,
                imported: &imported,
                components: &components,
            };
            program.declare("$event");
            for block in &blocks.templates {
                vue::template(lines.source, block, &visible, &mut program, ranges);
            }
            for block in &blocks.styles {
                vue::styles(lines.source, block, &mut program);
            }
        }
        Framework::Svelte => svelte::template(lines.source, blocks, &mut program, ranges),
    }
    let has_stores = framework == Framework::Svelte;
    let program = program.read(&names, keeps_positions, has_stores, budget)?;
    props.retain(|name| names.binary_search(name).is_err());
    Some(Template {
        program,
        references: Vec::new(),
        options,
        props,
    })
}

impl Template {
    /// Adds the references of the template to the facts of its file.
    pub(super) fn add_to(&mut self, script: &mut LoweredScript, lines: &Lines<'_>) {
        let whole = script
            .facts
            .symbols
            .iter()
            .position(|symbol| symbol.parent.is_none() && symbol.name == "default")
            .map(offset);
        let own = &self.program.parsed.script.facts;
        let is_open = self.options.is_none();
        // Only what is known of a name of the template alone, or of an expression, has a meaning outside of it.
        let adopted = script.facts.exprs.adopt(&own.exprs, |_, expr| match expr {
            Expr::Symbol(_) | Expr::Imported { .. } | Expr::TypeParam { .. } => Expr::Unknown,
            Expr::Receiver { .. } => Expr::Receiver { scope: None },
            Expr::Super { .. } => Expr::Super { scope: None },
            Expr::Name { name, .. } => Expr::Name { name, scope: None },
            expr => expr,
        });
        let unknown = script.facts.exprs.add(Expr::Unknown);
        for reference in &own.references {
            let mut reference = adopted.reference(reference);
            reference.target = match reference.target {
                Target::Value(_) if !is_open => Target::Unknown,
                Target::Symbol(_) => Target::Unknown,
                Target::Member {
                    is_inferred: true, ..
                } if !is_open => Target::Member {
                    receiver: unknown,
                    is_inferred: true,
                },
                target => target,
            };
            reference.symbol = whole;
            let line = self.program.line_of(lines, reference.line);
            let is_kept = line.is_some() && self.bind(&mut reference, script);
            self.references
                .push(is_kept.then(|| offset(script.facts.references.len())));
            if is_kept {
                reference.line = line.unwrap_or(1);
                script.facts.references.push(reference);
            }
        }
        script.facts.has_errors |= self.program.has_broken;
    }

    /// Binds a reference to a name of the instance. Returns whether it is worth keeping.
    fn bind(&self, reference: &mut Reference, script: &mut LoweredScript) -> bool {
        let exprs = &mut script.facts.exprs;
        let (root, chain) = match reference.target {
            Target::Lexical => (reference.name, None),
            Target::Member {
                receiver,
                is_inferred: false,
            } => match exprs.get(exprs.root(receiver)) {
                Expr::Name { name, .. } => (*name, Some(receiver)),
                _ => return true,
            },
            _ => return true,
        };
        let root = exprs.name_of(root).to_owned();
        let is_bare = chain.is_none();
        // What the chain begins with is this, or nothing is known of it.
        let beginning_with = |exprs: &mut ExprArena, first: Option<Expr>| match (chain, first) {
            (None, Some(Expr::Symbol(at))) => Target::Symbol(at),
            (None, _) => Target::Unknown,
            (Some(chain), Some(first)) => {
                let first = exprs.add(first);
                Target::Member {
                    receiver: exprs.with_root(chain, first),
                    is_inferred: false,
                }
            }
            (Some(_), None) => Target::Member {
                receiver: exprs.add(Expr::Unknown),
                is_inferred: true,
            },
        };
        if self.props.contains(&root) {
            reference.target = beginning_with(exprs, None);
            return !is_bare;
        }
        let Some(options) = &self.options else {
            return true;
        };
        if reference.kind == ReferenceKind::Jsx {
            let names = [root.as_str(), &camel(&root)].map(pascal);
            let mut components = options.components.iter();
            if let Some((_, named)) = components.find(|it| names.contains(&pascal(&it.0)))
                && is_bare
            {
                reference.name = exprs.name(named);
            }
            return true;
        }
        let member = options.members.iter().find(|it| it.0 == root);
        match member.map(|it| &it.1) {
            Some(VueMember::Definition(path)) => {
                let symbols = script.facts.symbols.iter();
                let at = symbols
                    .map(|it| &it.qualified_name)
                    .position(|it| it == path);
                let symbol = at.map(|at| Expr::Symbol(offset(at)));
                reference.target = beginning_with(exprs, symbol);
                true
            }
            Some(VueMember::FileName(name)) => {
                let name = exprs.name(name);
                if is_bare {
                    reference.name = name;
                } else {
                    let first = Expr::Name { name, scope: None };
                    reference.target = beginning_with(exprs, Some(first));
                }
                true
            }
            Some(VueMember::Value) => {
                reference.target = beginning_with(exprs, None);
                !is_bare
            }
            None => {
                reference.target = beginning_with(exprs, None);
                true
            }
        }
    }
}
