//! Embeds the browser App, so that `matchd` is one file that needs nothing beside it.
//!
//! `cargo xtask web` puts the App into `target/web`. Each file there is compressed once, here, and becomes a line of the table that
//! `src/assets.rs` looks things up in. Without the App the server still builds, and serves a page that says so.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

const SITE: &str = "MATCHD_WEB_DIR";

const NOTICE: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>matchd</title>
<style>body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1rem }</style>
<h1>The game page is not part of this build</h1>
<p>This server is running, but it was compiled before the page was. To have both, stop it and run:</p>
<pre>cargo xtask play</pre>
<p>or build the page with <code>cargo xtask web</code> and then compile the server again.</p>
</html>
"#;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed={SITE}");
    println!("cargo::rerun-if-changed=build.rs");
    let site = std::env::var_os(SITE)
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/web"), PathBuf::from);
    // Cargo takes a watched folder that is missing for one that has changed, and would build the server every time.
    // A source tree that cannot be written to only costs that.
    let _ = fs::create_dir_all(&site);
    println!("cargo::rerun-if-changed={}", site.display());

    let mut files = Vec::new();
    collect(&site, "", &mut files)?;
    if !files.iter().any(|(name, _)| name == "/index.html") {
        files = vec![("/index.html".to_owned(), NOTICE.as_bytes().to_vec())];
    }
    files.sort();

    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut table = String::from("&[\n");
    for (index, (name, bytes)) in files.iter().enumerate() {
        table += &line(&out, index, name, bytes)?;
    }
    table += "]\n";
    fs::write(out.join("assets.rs"), table)
}

/// The files below `folder`, named as they appear in a URL.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, files)?;
        } else {
            files.push((name, fs::read(entry.path())?));
        }
    }
    Ok(())
}

/// One line of the table. The bytes are copied beside it, so that a site rebuilt meanwhile cannot mix with this one.
fn line(out: &Path, index: usize, name: &str, bytes: &[u8]) -> io::Result<String> {
    let plain = out.join(format!("{index}.bin"));
    fs::write(&plain, bytes)?;
    let compressed = compress(bytes)?;
    let brotli = if compressed.len() < bytes.len() {
        let file = out.join(format!("{index}.br"));
        fs::write(&file, compressed)?;
        format!("Some(include_bytes!({:?}))", file.display().to_string())
    } else {
        "None".to_owned()
    };
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Ok(format!(
        "Asset {{ path: {name:?}, content_type: {:?}, etag: {:?}, bytes: include_bytes!({:?}), brotli: {brotli} }},\n",
        content_type(name),
        // Weak, because the plain and the compressed bytes go by the same tag.
        format!("W/\"{:016x}\"", hasher.finish()),
        plain.display().to_string(),
    ))
}

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, size_hint: bytes.len(), ..Default::default() };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut compressed, &parameters)?;
    Ok(compressed)
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        // Browsers compile wasm while it arrives only under this type.
        "wasm" => "application/wasm",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "ogg" => "audio/ogg",
        "mp3" => "audio/mpeg",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
