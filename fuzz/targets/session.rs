//! Any bytes as what a client says over standard input.
#![no_main]

use std::cell::OnceCell;

use codelens::config::Config;
use codelens::mcp::replay::replay;
use codelens::workspace::Workspaces;
use codelens_fuzz::{Place, states};
use libfuzzer_sys::fuzz_target;

const FIXTURE: &str = include_str!("../../fixtures/shop.repo");

thread_local! {
    static SERVED: OnceCell<Place> = const { OnceCell::new() };
}

fn served() -> Place {
    let place = Place::new();
    place.write(&states(FIXTURE).pop().expect("there is one"));
    place
}

fuzz_target!(|data: &[u8]| {
    SERVED.with(|cell| {
        let place = cell.get_or_init(served);
        let workspaces = Workspaces::new(Config::at(place.home_dir()));
        let said = replay(workspaces, Some(place.work_dir()), data.to_vec()).expect("a runtime can be started");
        for line in said.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let message: serde_json::Value = serde_json::from_slice(line).expect("every line is a message");
            assert_eq!(message["jsonrpc"], "2.0");
            let code = &message["result"]["structuredContent"]["error"]["code"];
            assert_ne!(code, "internal", "{message}");
        }
    });
});
