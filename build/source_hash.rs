//! Hashes a crate's sources, for builds that must know whether they are alike. Shared by build scripts.

use std::{env, fs, path::Path};

/// Hands the compiler an environment variable with the hash of everything in the crate's `src`.
pub(crate) fn stamp(variable: &str) {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo:rerun-if-changed=src");
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    absorb(&Path::new(&root).join("src"), &mut hash);
    println!("cargo:rustc-env={variable}={hash}");
}

/// FNV-1a over names and contents, in name order so that the file system's order does not matter.
fn absorb(dir: &Path, hash: &mut u64) {
    let mut entries: Vec<_> = fs::read_dir(dir)
        .expect("the source folder is readable")
        .map(|entry| entry.expect("the source folder is readable").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            absorb(&path, hash);
            continue;
        }
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let text = fs::read(&path).expect("a source file is readable");
        for byte in name.bytes().chain(text) {
            *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
