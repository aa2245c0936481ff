//! Which web pages may talk to the Room: its own. Programs send no `Origin` and may too.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::agents::answer;
use crate::room::Answer;

/// The host names under which the Room may be reached. A foreign name that somebody points at this machine is refused, so
/// that no web page can pass for the Room's own; `localhost` and plain addresses cannot be pointed anywhere.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    /// Names besides those.
    pub names: Vec<String>,
}

impl Hosts {
    fn allow(&self, authority: &str) -> bool {
        let Ok(authority) = authority.parse::<axum::http::uri::Authority>() else { return false };
        let host = authority.host();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost")
            || address.parse::<IpAddr>().is_ok()
            || self.names.iter().any(|name| name.eq_ignore_ascii_case(host))
    }
}

/// Refuses requests under foreign names, and those that foreign pages make.
pub(super) async fn check(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let Some(host) = text(headers, header::HOST).filter(|host| hosts.allow(host)) else {
        return (StatusCode::MISDIRECTED_REQUEST, "This Room is not reached under that name. See --allow-host.")
            .into_response();
    };
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
        if origin.as_ref().and_then(|origin| origin.authority()).is_none_or(|authority| authority.as_str() != host) {
            return answer(Answer::error(403, "forbidden_origin"));
        }
    }
    next.run(request).await
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_cannot_be_pointed_elsewhere_are_allowed() {
        let hosts = Hosts { names: vec!["room.test".to_owned()] };
        for good in ["localhost:1", "LOCALHOST", "127.0.0.1:80", "[::1]:80", "192.168.1.7:8083", "room.test:80"] {
            assert!(hosts.allow(good), "{good}");
        }
        for bad in ["evil.test", "localhost.evil.test", "", "a b"] {
            assert!(!hosts.allow(bad), "{bad}");
        }
    }
}
