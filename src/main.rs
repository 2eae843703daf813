//! The binary: argv, logging, then the command line; nothing else.

fn main() {}
