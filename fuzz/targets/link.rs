//! Any two states of a small repository: the index that follows from one to the other is the one that is built from
//! nothing.
#![no_main]

use std::cell::RefCell;

use codelens::reconcile::reconcile;
use codelens::store::Index;
use codelens_fuzz::{Place, discard, states, unlimited};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static PLACE: RefCell<Place> = RefCell::new(Place::new());
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let states = states(&text);
    if states.iter().all(Vec::is_empty) {
        return;
    }
    PLACE.with_borrow(|place| {
        let repo = place.repo();
        let mut followed = place.index(&repo);
        for files in &states {
            place.write(files);
            bring_up(&repo, &mut followed);
        }
        let mut built = place.index(&repo);
        bring_up(&repo, &mut built);
        let dump = |index: &Index| index.read().and_then(|read| read.dump()).expect("it can be read");
        assert_eq!(dump(&followed), dump(&built));
        discard(followed);
        discard(built);
    });
});

fn bring_up(repo: &codelens::git::Repo, index: &mut Index) {
    reconcile(repo, index, &unlimited(), &|_, _| ()).expect("no file of the work tree is an error");
}
