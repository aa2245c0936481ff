//! The page and its files, for anybody to embed.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header},
};

use super::Play;
use crate::assets;

/// The page runs in sandboxed frames of hosts we do not know, so anybody may embed it. It loads from this server only, and
/// talks to this server and the contract endpoint only: whatever a match says stays between them.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; media-src 'self' data: blob:; worker-src 'self' blob:; base-uri 'none'; \
    form-action 'none'; frame-ancestors *; connect-src 'self'";

/// Longest host name that a policy is made with, in bytes.
const HOST_BYTES_MAX: usize = 255;

/// Where pages find the contract endpoint.
#[derive(Clone, Debug)]
pub(crate) enum ContractAddress {
    /// At this URL.
    Url(String),
    /// At the host they came from, on this port.
    Port(u16),
}

/// Answers with where else the page has to go, as JSON.
pub(super) async fn addresses(State(play): State<Arc<Play>>) -> Response<Body> {
    let address = match &play.contract {
        ContractAddress::Url(url) => serde_json::json!({ "contract_url": url }),
        ContractAddress::Port(port) => serde_json::json!({ "contract_port": port }),
    };
    let mut response = Response::new(Body::from(address.to_string()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    share(response.headers_mut());
    response
}

/// Answers a request for a file.
pub(super) async fn file(
    State(play): State<Arc<Play>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response<Body> {
    if method != Method::GET && method != Method::HEAD {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "GET or HEAD\n");
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let policy = policy(host, &play.contract);
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
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(header::REFERRER_POLICY, fixed("no-referrer"));
    share(headers);
    response
}

/// Lets frames load it whose origin is opaque: to them, even the server they came from is another origin.
fn share(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
}

/// The policy for a page that came from this host. Not every browser counts the WebSocket of the own server as `'self'`.
fn policy(host: Option<&str>, contract: &ContractAddress) -> HeaderValue {
    let is_plain = |c: u8| c.is_ascii_alphanumeric() || b".:[]-".contains(&c);
    let host = host.filter(|host| host.len() <= HOST_BYTES_MAX && host.bytes().all(is_plain));
    let mut policy = POLICY.to_owned();
    if let Some(host) = host {
        policy.push_str(&format!(" ws://{host} wss://{host}"));
    }
    match (contract, host) {
        (ContractAddress::Url(url), _) => {
            let origin = url.match_indices('/').nth(2).map_or(url.as_str(), |(end, _)| &url[..end]);
            policy.push_str(&format!(" {origin}"));
        }
        (ContractAddress::Port(port), Some(host)) => {
            let name = name_of(host);
            policy.push_str(&format!(" http://{name}:{port} https://{name}:{port}"));
        }
        (ContractAddress::Port(_), None) => {}
    }
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static(POLICY))
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    }
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
    fn a_page_may_talk_to_its_own_server_and_the_contract_endpoint_only() {
        let port = ContractAddress::Port(8081);
        for (host, contract, ends) in [
            (
                Some("game.test:8080"),
                &port,
                "connect-src 'self' ws://game.test:8080 wss://game.test:8080 \
                http://game.test:8081 https://game.test:8081",
            ),
            (
                Some("[::1]:80"),
                &port,
                "connect-src 'self' ws://[::1]:80 wss://[::1]:80 http://[::1]:8081 \
                https://[::1]:8081",
            ),
            (Some("[::1]"), &port, "connect-src 'self' ws://[::1] wss://[::1] http://[::1]:8081 https://[::1]:8081"),
            (Some("a; script-src *"), &port, "connect-src 'self'"),
            (None, &ContractAddress::Url("https://a.test:1/b/contract".into()), "connect-src 'self' https://a.test:1"),
            (None, &ContractAddress::Url("http://a.test".into()), "connect-src 'self' http://a.test"),
        ] {
            let policy = policy(host, contract);
            assert!(policy.to_str().expect("text").ends_with(ends), "{policy:?}");
        }
    }

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
