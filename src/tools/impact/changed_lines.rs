//! Which definitions changed lines belong to.

use std::collections::BTreeSet;

use crate::workspace::SymbolRow;

/// Returns the innermost definitions that hold the lines, in source order. `lines` are (first, last), from 1; where
/// first is behind last, lines between the two were removed, which changes the definition that holds both. `symbols`
/// are those of one file, in source order.
pub(super) fn definitions(symbols: Vec<SymbolRow>, lines: &[(u32, u32)]) -> Vec<SymbolRow> {
    let spans: Vec<(u32, u32)> = symbols
        .iter()
        .map(|symbol| (symbol.span.start_line, symbol.span.end_line))
        .collect();
    let changed = innermost(&spans, lines);
    symbols
        .into_iter()
        .enumerate()
        .filter(|(at, _)| changed.contains(at))
        .map(|(_, symbol)| symbol)
        .collect()
}

/// Returns the places of the innermost spans. Costs as many steps as the spans have lines together.
fn innermost(spans: &[(u32, u32)], lines: &[(u32, u32)]) -> BTreeSet<usize> {
    let last = spans.iter().map(|(_, end)| *end).max().unwrap_or(0);
    let mut holders: Vec<Option<usize>> = vec![None; last as usize + 1];
    let mut outer_first: Vec<usize> = (0..spans.len()).collect();
    outer_first.sort_by_key(|at| (spans[*at].0, std::cmp::Reverse(spans[*at].1), *at));
    for at in outer_first {
        let (start, end) = spans[at];
        holders[start as usize..=end as usize].fill(Some(at));
    }
    let around = |first: u32, last: u32| {
        let holds = |(start, end): &(u32, u32)| *start <= first && last <= *end;
        let length = |at: &usize| (spans[*at].1 - spans[*at].0, std::cmp::Reverse(*at));
        (0..spans.len())
            .filter(|at| holds(&spans[*at]))
            .min_by_key(length)
    };
    let mut found = BTreeSet::new();
    for (first, last) in lines {
        if first > last {
            found.extend(around(*last, *first));
        } else {
            let end = holders.len().min(*last as usize + 1);
            let start = (*first as usize).min(end);
            found.extend(holders[start..end].iter().flatten());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::innermost;

    fn found(lines: &[(u32, u32)]) -> Vec<usize> {
        // A class with two methods, then a function.
        let spans = [(2, 20), (3, 8), (10, 18), (22, 30)];
        innermost(&spans, lines).into_iter().collect()
    }

    #[test]
    fn the_innermost_definition_is_what_changed() {
        assert_eq!(found(&[(5, 5)]), [1]);
        assert_eq!(found(&[(9, 9)]), [0]);
        assert_eq!(found(&[(8, 10)]), [0, 1, 2]);
        assert_eq!(found(&[(1, 1), (21, 21)]), [0_usize; 0]);
        assert_eq!(found(&[(25, 40)]), [3]);
    }

    #[test]
    fn what_was_removed_changes_what_was_around_it() {
        assert_eq!(found(&[(6, 5)]), [1]);
        assert_eq!(found(&[(10, 9)]), [0]);
        assert_eq!(found(&[(22, 21)]), [0_usize; 0]);
        assert_eq!(found(&[(1, 0)]), [0_usize; 0]);
    }
}
