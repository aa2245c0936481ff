//! The browser App's files, embedded by the build script.

/// One file of the App.
#[derive(Debug)]
pub(crate) struct Asset {
    /// Where it is in a URL, from the leading slash on.
    pub(crate) path: &'static str,
    /// Value of the `Content-Type` header.
    pub(crate) content_type: &'static str,
    /// Value of the `ETag` header: changes when the file does. Valid for both forms of the file.
    pub(crate) etag: &'static str,
    /// The file as it is.
    pub(crate) bytes: &'static [u8],
    /// The file compressed by brotli; `None` where that would not make it smaller.
    pub(crate) brotli: Option<&'static [u8]>,
}

static ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The file at this path of a URL, without query; the root is the page itself.
pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    let path = if path == "/" { "/index.html" } else { path };
    ASSETS.iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_page() {
        let page = find("/").unwrap();
        assert_eq!(page.content_type, "text/html; charset=utf-8");
        assert!(page.bytes.starts_with(b"<!doctype html>") || page.bytes.starts_with(b"<!DOCTYPE html>"));
        assert!(std::ptr::eq(page, find("/index.html").unwrap()));
    }

    #[test]
    fn only_embedded_files_are_found() {
        for path in ["", "/nothing", "/../Cargo.toml", "//index.html", "index.html"] {
            assert!(find(path).is_none(), "{path}");
        }
    }

    #[test]
    fn every_file_has_a_tag_of_its_own_and_a_smaller_compressed_form() {
        for asset in ASSETS {
            assert!(asset.etag.starts_with("W/\""), "{}", asset.path);
            assert!(asset.brotli.is_none_or(|brotli| brotli.len() < asset.bytes.len()), "{}", asset.path);
        }
    }

    #[test]
    fn wasm_is_served_as_what_browsers_compile_while_it_arrives() {
        for asset in ASSETS.iter().filter(|asset| asset.path.ends_with(".wasm")) {
            assert_eq!(asset.content_type, "application/wasm");
        }
    }
}
