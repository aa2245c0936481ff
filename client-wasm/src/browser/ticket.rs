//! Fetching what lets a connection in.

use contract::{CloseCode, MatchKey, Ticket};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{Window, XmlHttpRequest};

/// A server that gives no answer for so long gives none, in milliseconds.
const PATIENCE_MS: u32 = 5_000;
/// The status of a server that leaves tickets to the page's host.
const NOT_ISSUED: u16 = 403;

/// A request for a ticket. Dropped, it says nothing more.
pub(super) struct TicketRequest {
    request: XmlHttpRequest,
    _ended: Closure<dyn FnMut()>,
}

impl TicketRequest {
    /// Asks the server that this page came from. `tell` is called once, from the browser's event loop: with the ticket,
    /// or with the code of a close for the same reason, 0 for a server that did not answer.
    pub(super) fn send(
        window: &Window,
        match_key: &MatchKey,
        tell: impl Fn(Result<Ticket, u16>) + 'static,
    ) -> Result<Self, JsValue> {
        let url = web_sys::Url::new_with_base("./tickets", &window.location().href()?)?;
        let request = XmlHttpRequest::new()?;
        request.open("POST", &url.href())?;
        request.set_timeout(PATIENCE_MS);
        let answered = request.clone();
        let ended = Closure::<dyn FnMut()>::new(move || tell(read(&answered)));
        request.set_onloadend(Some(ended.as_ref().unchecked_ref()));
        // Sent as plain text, as which it needs no leave from the server to be sent from an opaque origin.
        request.send_with_opt_str(Some(&serde_json::json!({ "match": match_key.as_str() }).to_string()))?;
        Ok(Self { request, _ended: ended })
    }
}

impl Drop for TicketRequest {
    fn drop(&mut self) {
        self.request.set_onloadend(None);
        let _ = self.request.abort();
    }
}

fn read(request: &XmlHttpRequest) -> Result<Ticket, u16> {
    if request.status() == Ok(NOT_ISSUED) {
        return Err(CloseCode::TICKET_MISSING.code);
    }
    let answer = request.response_text().ok().flatten().unwrap_or_default();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap_or_default();
    answer["ticket"].as_str().and_then(|text| Ticket::parse(text).ok()).ok_or(0)
}
