//! Any bytes as a bundle; and a bundle whose header or database somebody changed, with its digest made right.
#![no_main]

use std::cell::OnceCell;
use std::io::{Read as _, Write as _};
use std::path::Path;

use codelens::link::{Causes, link};
use codelens::reconcile::reconcile;
use codelens::search::{Filters, Wanted, parse, search};
use codelens::store::bundle::{self, Origin};
use codelens::store::{Pointer, RepoHome, key};
use codelens_fuzz::{Place, discard, states, unlimited};
use libfuzzer_sys::fuzz_target;

const FIXTURE: &str = include_str!("../../fixtures/shop.repo");

/// A bundle in its parts.
struct Parts {
    place: Place,
    home: RepoHome,
    pointer: Pointer,
    header: Vec<u8>,
    /// Manifest and database, unpacked.
    body: Vec<u8>,
}

thread_local! {
    static PARTS: OnceCell<Parts> = const { OnceCell::new() };
}

fn parts() -> Parts {
    let place = Place::new();
    place.write(&states(FIXTURE).pop().expect("there is one"));
    let repo = place.repo();
    let mut index = place.index(&repo);
    reconcile(&repo, &mut index, &unlimited(), &|_, _| ()).expect("fixtures can be indexed");
    let (home, pointer) = (index.home().clone(), index.pointer().clone());
    drop(index);
    let path = place.root().join("bundle");
    let origin = Origin {
        layout: "any".to_owned(),
        commit: "0123456789012345678901234567890123456789".to_owned(),
        clone_family: None,
    };
    bundle::write(&home, &pointer, origin, &path, &|_| Ok(())).expect("a bundle can be written");
    let bytes = std::fs::read(&path).expect("it was just written");
    let n = u32::from_le_bytes(bytes[20..24].try_into().expect("four bytes")) as usize;
    let header = bytes[24..24 + n].to_vec();
    let mut body = Vec::new();
    zstd::stream::read::Decoder::new(&bytes[24 + n..bytes.len() - 32])
        .expect("a frame")
        .single_frame()
        .read_to_end(&mut body)
        .expect("the frame is whole");
    Parts { place, home, pointer, header, body }
}

fn sealed(header: &[u8], body: &[u8]) -> Vec<u8> {
    let mut out = b"codelens-bundle\n\x01\0\0\0".to_vec();
    out.extend_from_slice(&u32::try_from(header.len()).expect("inputs are small").to_le_bytes());
    out.extend_from_slice(header);
    let mut frame = zstd::stream::write::Encoder::new(&mut out, 1).expect("zstd starts");
    frame.write_all(body).expect("memory takes it");
    frame.finish().expect("memory takes it");
    let digest = blake3::hash(&out);
    out.extend_from_slice(digest.as_bytes());
    out
}

/// Changes bytes of the database: each five bytes of `patches` are where (24 bits), how and what.
fn patched(body: &[u8], patches: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    for patch in patches.chunks_exact(5) {
        let at = usize::from(patch[0]) << 16 | usize::from(patch[1]) << 8 | usize::from(patch[2]);
        let n = body.len();
        let byte = &mut body[at % n];
        match patch[3] % 4 {
            0 => *byte = patch[4],
            1 => *byte ^= 1 << (patch[4] % 8),
            2 => *byte = byte.wrapping_add(patch[4]),
            _ => {
                let run = usize::from(patch[4]).min(n - at % n);
                body[at % n..at % n + run].fill(patch[3]);
            }
        }
    }
    body
}

fuzz_target!(|data: &[u8]| {
    let Some((how, data)) = data.split_first() else {
        return;
    };
    PARTS.with(|cell| {
        let parts = cell.get_or_init(parts);
        let bytes = match how % 4 {
            0 => data.to_vec(),
            1 => sealed(data, &parts.body),
            _ => sealed(&parts.header, &patched(&parts.body, data)),
        };
        let path = parts.place.root().join("bundle");
        std::fs::write(&path, bytes).expect("it can be written");
        take_in(parts, &path);
    });
});

/// A bundle is refused, or serves: whatever is read of it later is an error at most.
fn take_in(parts: &Parts, path: &Path) {
    drop(bundle::header(path));
    let pointer = Pointer {
        build: key::new_build(),
        ..parts.pointer.clone()
    };
    let Ok((mut index, _, _)) = bundle::read(&parts.home, &pointer, path, &|_| Ok(()), &|_| Ok(())) else {
        let left = parts.home.database(&pointer.index_id, &pointer.build);
        assert!(!left.exists(), "what was refused is still there");
        return;
    };
    {
        let read = index.read().expect("it was accepted");
        drop(read.dump());
        let query = parse("open the store").expect("there are words");
        let wanted = Wanted { limit: 20, max_of_a_file: 3, is_explained: true };
        drop(search(&read, &query, &Filters::default(), wanted, &unlimited()));
    }
    if let Ok(mut writer) = index.writer()
        && writer.relink_all().is_ok()
    {
        drop(writer.commit(true));
    }
    drop(link(&mut index, &Causes::default(), &unlimited()));
    discard(index);
}
