//! The host page: html, css and script modules, embedded as they are.

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::routing::get;

use super::hub::Hub;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, type and text of every file.
const FILES: &[(&str, &str, &str)] = &[
    ("/", HTML, include_str!("../../web/index.html")),
    ("/style.css", CSS, include_str!("../../web/style.css")),
    ("/main.js", SCRIPT, include_str!("../../web/main.js")),
    ("/link.js", SCRIPT, include_str!("../../web/link.js")),
    ("/lanes.js", SCRIPT, include_str!("../../web/lanes.js")),
    ("/rules.js", SCRIPT, include_str!("../../web/rules.js")),
    ("/host.js", SCRIPT, include_str!("../../web/host.js")),
    ("/stage.js", SCRIPT, include_str!("../../web/stage.js")),
    ("/people.js", SCRIPT, include_str!("../../web/people.js")),
    ("/chat.js", SCRIPT, include_str!("../../web/chat.js")),
    ("/agents.js", SCRIPT, include_str!("../../web/agents.js")),
];

/// Everything but frames comes from here; frames are Apps, and those are elsewhere.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; frame-src http: https:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

pub(super) fn router() -> Router<Arc<Hub>> {
    FILES.iter().fold(Router::new(), |router, (path, kind, text)| {
        let headers = [
            (header::CONTENT_TYPE, *kind),
            (header::CACHE_CONTROL, "no-cache"),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
        ];
        router.route(path, get(move || async move { (headers, *text) }))
    })
}
