//! The answer to the name of a field of C or C++: which types declare one, and the lines that name it. Fields are no definitions there.

use super::undefined_name::{MAX_PLACES, NamePlaceOutput, place_outputs};
use crate::error::Result;
use crate::model::{Family, RepoPath, SymbolKind};
use crate::tools::answer::{MAX_LIST_BYTES, truncate_to_bytes};
use crate::uses::{NameOccurrence, OccurrenceMeaning};
use crate::workspace::{SymbolRow, View, family_of};

/// Places that are shown of a field, whose uses nothing else lists.
const MAX_FIELD_PLACES: usize = 40;

/// The declarations of fields of one name.
pub(super) struct FieldsOfC<'m> {
    /// Each with its type.
    declared: Vec<(String, &'m NameOccurrence)>,
    /// Other types that declare a field of the name.
    others: Vec<String>,
}

impl<'m> FieldsOfC<'m> {
    /// Finds the places that declare a field of the name. A name with a type before it, `client.argv`, means those of that type.
    pub(super) fn of(
        view: &View<'_>,
        name: &str,
        occurrences: &'m [NameOccurrence],
    ) -> Result<Self> {
        let owner = name.rsplit_once(['.', ':']);
        let owner = owner.map(|it| it.0.trim_end_matches(':').replace("::", "."));
        let mut declared: Vec<(String, &NameOccurrence)> = Vec::new();
        let mut others = Vec::new();
        let mut known: Option<(&RepoPath, Vec<SymbolRow>)> = None;
        for occurrence in occurrences {
            let is_declared = occurrence.meaning == OccurrenceMeaning::OtherDefinition
                && family_of(occurrence.path.as_str()) == Some(Family::C);
            if !is_declared {
                continue;
            }
            if known.as_ref().is_none_or(|it| it.0 != &occurrence.path) {
                let file = view.read.file(occurrence.path.as_str())?;
                let all = file.map(|file| view.read.symbols_of(file.id)).transpose()?;
                known = Some((&occurrence.path, all.unwrap_or_default()));
            }
            let symbols = known.iter().flat_map(|it| &it.1);
            let around = symbols.filter(|it| {
                (it.span.start_line..=it.span.end_line).contains(&occurrence.line)
                    && Some(&it.qualified_name) == occurrence.within.as_ref()
            });
            let innermost = around.min_by_key(|it| it.span.end_byte - it.span.start_byte);
            let Some(type_) = innermost.filter(|it| it.kind == SymbolKind::Class) else {
                continue;
            };
            let is_meant = owner
                .as_ref()
                .is_none_or(|owner| *owner == type_.name || *owner == type_.qualified_name);
            if is_meant {
                declared.push((type_.qualified_name.clone(), occurrence));
            } else {
                others.push(type_.qualified_name.clone());
            }
        }
        Ok(Self { declared, others })
    }

    /// Says of which types the name is a field; `None` where it is none.
    pub(super) fn told(&self) -> Option<String> {
        let (type_, first) = self.declared.first()?;
        let place = format!("`{type_}` ({}:{})", first.path, first.line);
        let types = match self.declared.len() {
            1 => format!("of {place}"),
            n => format!("of {n} types, {place} the first"),
        };
        Some(format!(
            "It is a field {types}: fields of C and C++ are no definitions here, and which lines use which of them is not followed."
        ))
    }

    /// Whether a place may use one of the fields: a function in a field of a known type is no definition of the repository either.
    pub(super) fn may_be_used(&self, occurrence: &NameOccurrence) -> bool {
        let is_use = matches!(
            occurrence.meaning,
            OccurrenceMeaning::Unbound | OccurrenceMeaning::External
        );
        is_use
            && !self.declared.is_empty()
            && !self.is_of_other(occurrence)
            && family_of(occurrence.path.as_str()) == Some(Family::C)
    }

    /// Whether a place names the field of another type, whose method it stands in: `size_` and `this->size_` in `Other::get`.
    fn is_of_other(&self, occurrence: &NameOccurrence) -> bool {
        let owner = occurrence
            .within
            .as_ref()
            .and_then(|it| it.rsplit_once('.'));
        occurrence.is_of_receiver
            && owner.is_some_and(|it| self.others.iter().any(|one| one == it.0))
    }

    /// Returns the rank of the declarations and uses of the fields, the first first; `None` for any other place.
    pub(super) fn rank(&self, occurrence: &NameOccurrence) -> Option<u8> {
        if self.is_declaration(occurrence) {
            return Some(0);
        }
        self.may_be_used(occurrence).then_some(1)
    }

    fn is_declaration(&self, occurrence: &NameOccurrence) -> bool {
        self.declared
            .iter()
            .any(|(_, field)| std::ptr::eq(*field, occurrence))
    }

    /// Returns the first places of the name, those of the fields by their meaning.
    pub(super) fn places(&self, all: &[&NameOccurrence]) -> Vec<NamePlaceOutput> {
        if self.declared.is_empty() {
            return place_outputs(all, MAX_PLACES);
        }
        let own = all.iter().copied().filter(|it| !self.is_of_other(it));
        let mut places = place_outputs(&own.collect::<Vec<_>>(), MAX_FIELD_PLACES);
        for place in &mut places {
            let is_here = |it: &&&NameOccurrence| {
                it.path.as_str() == place.line.path && it.line == place.line.line
            };
            let Some(occurrence) = all.iter().find(is_here) else {
                continue;
            };
            if self.is_declaration(occurrence) {
                place.role = "field";
            } else if self.may_be_used(occurrence) {
                place.role = "use";
            }
        }
        truncate_to_bytes(&mut places, MAX_LIST_BYTES / 2);
        places
    }
}
