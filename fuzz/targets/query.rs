//! Any text as a question, and any as a filter: the first line is the filter.
#![no_main]

use std::cell::OnceCell;
use std::time::Duration;

use codelens::model::Budget;
use codelens::reconcile::reconcile;
use codelens::search::{Filters, Wanted, parse, search};
use codelens::store::Index;
use codelens_fuzz::{Place, states, unlimited};
use libfuzzer_sys::fuzz_target;

const FIXTURES: &[&str] = &[
    include_str!("../../fixtures/shop.repo"),
    include_str!("../../fixtures/ledger.repo"),
    include_str!("../../fixtures/kiosk.repo"),
];

thread_local! {
    static INDEX: OnceCell<(Place, Index)> = const { OnceCell::new() };
}

fn index() -> (Place, Index) {
    let place = Place::new();
    let texts: Vec<_> = FIXTURES.iter().flat_map(|text| states(text).pop()).flatten().collect();
    place.write(&texts);
    let repo = place.repo();
    let mut index = place.index(&repo);
    reconcile(&repo, &mut index, &unlimited(), &|_, _| ()).expect("fixtures can be indexed");
    (place, index)
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (path, text) = text.split_once('\n').unwrap_or(("", &text));
    let Some(query) = parse(text) else {
        assert!(text.trim().is_empty());
        return;
    };
    let filters = Filters {
        path: (!path.is_empty()).then(|| path.to_owned()),
        ..Filters::default()
    };
    INDEX.with(|cell| {
        let (_, index) = cell.get_or_init(index);
        let read = index.read().expect("it can be read");
        let wanted = Wanted {
            limit: 20,
            max_of_a_file: 3,
            is_explained: data.len() % 2 == 0,
        };
        let budget = Budget::within(Duration::from_secs(5), std::sync::Arc::default());
        let hits = search(&read, &query, &filters, wanted, &budget).expect("any text is a question");
        assert!(hits.len() <= 20);
        assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
        assert!(hits.is_sorted_by(|one, other| one.score >= other.score));
    });
});
