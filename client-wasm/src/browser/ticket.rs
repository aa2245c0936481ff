//! Getting what lets a connection in: from the server, or from the host's page around this one.

use std::{cell::RefCell, rc::Rc};

use contract::{CloseCode, MatchKey, Ticket};
use js_sys::Reflect;
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{MessageEvent, Window, XmlHttpRequest};

/// A server that gives no answer for so long gives none, in milliseconds.
const PATIENCE_MS: u32 = 5_000;
/// The same for the host's page. Less than the server waits for the first message, or its close would come first and the App
/// would try again for ever.
const HOST_PATIENCE_MS: i32 = 2_500;
/// The status of a server that leaves tickets to the page's host.
const NOT_ISSUED: u16 = 403;
/// What the host's page is asked with, and answers with.
const WANTED: &str = "matchd-ticket-wanted";
const GIVEN: &str = "matchd-ticket";

/// Told of the end of a request, from the browser's event loop: of the ticket, or of the code of a close for the same
/// reason, 0 for a server that did not answer.
type Tell = Rc<dyn Fn(Result<Ticket, u16>)>;

/// A request for a ticket. Dropped, it says nothing more.
pub(super) struct TicketRequest {
    request: XmlHttpRequest,
    _ended: Closure<dyn FnMut()>,
    /// The host's page, once the server has said that it is the one to ask.
    _host: Rc<RefCell<Option<HostRequest>>>,
}

impl TicketRequest {
    /// Asks the server that this page came from, and if that leaves tickets to the host, the host's page.
    pub(super) fn send(
        window: &Window,
        match_key: &MatchKey,
        tell: impl Fn(Result<Ticket, u16>) + 'static,
    ) -> Result<Self, JsValue> {
        let url = web_sys::Url::new_with_base("./tickets", &window.location().href()?)?;
        let request = XmlHttpRequest::new()?;
        request.open("POST", &url.href())?;
        request.set_timeout(PATIENCE_MS);
        let host = Rc::new(RefCell::new(None));
        let ended = {
            let (answered, host) = (request.clone(), Rc::clone(&host));
            let (window, match_key) = (window.clone(), match_key.clone());
            let tell: Tell = Rc::new(tell);
            Closure::<dyn FnMut()>::new(move || {
                if answered.status() != Ok(NOT_ISSUED) {
                    return tell(read(&answered));
                }
                match HostRequest::send(&window, &match_key, &tell) {
                    Ok(asked) => *host.borrow_mut() = Some(asked),
                    Err(_) => tell(Err(CloseCode::TICKET_MISSING.code)),
                }
            })
        };
        request.set_onloadend(Some(ended.as_ref().unchecked_ref()));
        // Sent as plain text, as which it needs no leave from the server to be sent from an opaque origin.
        request.send_with_opt_str(Some(&serde_json::json!({ "match": match_key.as_str() }).to_string()))?;
        Ok(Self { request, _ended: ended, _host: host })
    }
}

impl Drop for TicketRequest {
    fn drop(&mut self) {
        self.request.set_onloadend(None);
        let _ = self.request.abort();
    }
}

fn read(request: &XmlHttpRequest) -> Result<Ticket, u16> {
    let answer = request.response_text().ok().flatten().unwrap_or_default();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap_or_default();
    answer["ticket"].as_str().and_then(|text| Ticket::parse(text).ok()).ok_or(0)
}

/// A question to the page around this one. Dropped, it says nothing more.
struct HostRequest {
    window: Window,
    heard: Closure<dyn FnMut(MessageEvent)>,
    _unheard: Closure<dyn FnMut()>,
    timer: i32,
}

impl HostRequest {
    /// Fails when there is no page around this one.
    fn send(window: &Window, match_key: &MatchKey, tell: &Tell) -> Result<Self, JsValue> {
        let host = window.parent()?.filter(|host| host != window).ok_or(JsValue::NULL)?;
        let heard = {
            let (tell, host, match_key) = (Rc::clone(tell), JsValue::from(host.clone()), match_key.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let is_from_host = event.source().is_some_and(|source| JsValue::from(source) == host);
                if let Some(answer) = given(&event.data(), &match_key).filter(|_| is_from_host) {
                    tell(answer);
                }
            })
        };
        let tell = Rc::clone(tell);
        let unheard = Closure::<dyn FnMut()>::new(move || tell(Err(CloseCode::TICKET_MISSING.code)));
        let timer = window.set_timeout_with_callback_and_timeout_and_arguments_0(
            unheard.as_ref().unchecked_ref(),
            HOST_PATIENCE_MS,
        )?;
        window.add_event_listener_with_callback("message", heard.as_ref().unchecked_ref())?;
        let asked = Self { window: window.clone(), heard, _unheard: unheard, timer };
        let question = serde_json::json!({ "type": WANTED, "match": match_key.as_str() }).to_string();
        // Whoever it is: what they give is worth something only if they share a key with the server.
        host.post_message(&js_sys::JSON::parse(&question)?, "*")?;
        Ok(asked)
    }
}

impl Drop for HostRequest {
    fn drop(&mut self) {
        self.window.clear_timeout_with_handle(self.timer);
        let _ = self.window.remove_event_listener_with_callback("message", self.heard.as_ref().unchecked_ref());
    }
}

/// The host's answer, if this is one for this match. A host that gives no ticket lets nobody in.
fn given(data: &JsValue, match_key: &MatchKey) -> Option<Result<Ticket, u16>> {
    let text = |name: &str| Reflect::get(data, &name.into()).ok().and_then(|value| value.as_string());
    if !data.is_object() || text("type")? != GIVEN || text("match")? != match_key.as_str() {
        return None;
    }
    let ticket = text("ticket").ok_or(CloseCode::TICKET_MISSING.code);
    Some(ticket.and_then(|text| Ticket::parse(&text).map_err(|_| CloseCode::TICKET_BAD.code)))
}
