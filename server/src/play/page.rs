//! The page and its files, for anybody to embed.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header},
};

use crate::assets;

/// The page runs in sandboxed frames of hosts we do not know, so anybody may embed it, and it may connect anywhere: its
/// own origin is opaque there. Scripts come from this server only.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; media-src 'self' data: blob:; worker-src 'self' blob:; connect-src *; base-uri 'none'; \
    form-action 'none'; frame-ancestors *";

/// Answers a request for a file.
pub(super) async fn file(method: Method, uri: Uri, headers: HeaderMap) -> Response<Body> {
    if method != Method::GET && method != Method::HEAD {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "GET or HEAD\n");
    }
    let Some(asset) = assets::find(uri.path()) else { return plain(StatusCode::NOT_FOUND, "There is no such file.\n") };
    let fixed = |text| HeaderValue::from_static(text);
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == asset.etag.as_bytes());
    let brotli = asset.brotli.filter(|_| accepts_brotli(&headers));
    let mut response = if is_known {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        Response::new(Body::from(brotli.unwrap_or(asset.bytes)))
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, fixed(asset.content_type));
    headers.insert(header::ETAG, fixed(asset.etag));
    // Always asked for again, so that a page and the server it talks to are of the same build.
    headers.insert(header::CACHE_CONTROL, fixed("no-cache"));
    headers.insert(header::VARY, fixed("accept-encoding"));
    if !is_known && brotli.is_some() {
        headers.insert(header::CONTENT_ENCODING, fixed("br"));
    }
    headers.insert(header::CONTENT_SECURITY_POLICY, fixed(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(header::REFERRER_POLICY, fixed("no-referrer"));
    // Module scripts and wasm are fetched with CORS, and the frame's origin is opaque.
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, fixed("*"));
    headers.insert("cross-origin-resource-policy", fixed("cross-origin"));
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn accepts_brotli(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_brotli = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("br"));
        is_brotli && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brotli_is_sent_only_to_those_who_take_it() {
        for (value, taken) in [("gzip, br", true), ("BR;q=0.5", true), ("br;q=0", false), ("gzip", false), ("", false)]
        {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            assert_eq!(accepts_brotli(&headers), taken, "{value}");
        }
    }
}
