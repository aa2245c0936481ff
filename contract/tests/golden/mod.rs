//! Committed files that show every change of the wire and of the schema.

use std::{env, fs, path::Path};

/// Compares with the committed file; with `UPDATE_GOLDEN=1` writes it instead.
pub(crate) fn check(name: &str, now: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        fs::write(&path, now).expect("the file can be written");
        return;
    }
    let committed = fs::read(&path).unwrap_or_default();
    assert!(
        committed == now,
        "golden/{name} is not what the code gives; if the change is meant, run with UPDATE_GOLDEN=1 and commit it"
    );
}
