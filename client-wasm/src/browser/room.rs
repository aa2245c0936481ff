//! The Room around the page: the host's port, and calls to the contract endpoint.
//!
//! All of it runs from messages and answers that arrive. A hidden page's timers may rest; the deadline of a request is an
//! abort signal's, which does not.

use js_sys::{Array, JSON, JsString, Object, Reflect};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    AbortSignal, Headers, MessageEvent, MessagePort, RequestCredentials, RequestInit, Response, Url, Window,
};

use super::{Shared, connect, page};
use crate::room::{ANSWER_WITHIN_MS, Action, Call, Failure, Message};

/// Answers longer than this are not even looked at, in UTF-16 code units.
const REPLY_CHARS_MAX: u32 = 64 * 1024;

/// The port of the present bootstrap. Dropped, it closes.
pub(super) struct Port {
    port: MessagePort,
    _heard: Closure<dyn FnMut(MessageEvent)>,
}

impl Port {
    fn open(port: MessagePort, heard: impl FnMut(MessageEvent) + 'static) -> Self {
        let heard = Closure::<dyn FnMut(MessageEvent)>::new(heard);
        // Setting the handler also starts the port.
        port.set_onmessage(Some(heard.as_ref().unchecked_ref()));
        Self { port, _heard: heard }
    }

    fn post(&self, json: &str) {
        // Our own JSON; a port takes any of it.
        let _ = JSON::parse(json).and_then(|message| self.port.post_message(&message));
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.port.set_onmessage(None);
        self.port.close();
    }
}

/// Whether another page has this one in a frame.
pub(super) fn is_framed(window: &Window) -> bool {
    window.parent().ok().flatten().is_some_and(|parent| parent != *window)
}

/// Listens to the host, beginning with what it said while the App was still loading.
pub(super) fn listen(app: &Shared, early: &Array) -> Result<(), JsValue> {
    let window = app.borrow().page.window.clone();
    let shared = app.clone();
    page::listen(&window, "message", move |event: MessageEvent| bootstrap(&shared, &event))?;
    for event in early.iter().filter_map(|event| event.dyn_into::<MessageEvent>().ok()) {
        bootstrap(app, &event);
    }
    Ok(())
}

fn bootstrap(app: &Shared, event: &MessageEvent) {
    let window = app.borrow().page.window.clone();
    let parent = window.parent().ok().flatten().map(JsValue::from);
    let source = event.source().map(JsValue::from);
    let ports = event.ports();
    let is_host = is_framed(&window) && source.is_some() && source == parent;
    let Some(fields) = to_json(&event.data()).filter(|_| is_host) else { return };
    if !app.borrow_mut().room.bootstrap(&fields, ports.length()) {
        return;
    }
    let shared = app.clone();
    let port = Port::open(ports.get(0).unchecked_into(), move |event| heard(&shared, &event));
    // Drops the old one.
    app.borrow_mut().enter_room(port);
    act(app);
}

fn heard(app: &Shared, event: &MessageEvent) {
    let data = event.data();
    if !data.is_object() {
        return;
    }
    let payload = Reflect::get(&data, &"payload".into()).ok().and_then(|payload| to_json(&payload));
    let others = Object::assign(&Object::new(), data.unchecked_ref());
    let _ = Reflect::delete_property(&others, &"payload".into());
    let Some(fields) = to_json(&others) else { return };
    {
        let this = &mut *app.borrow_mut();
        let now_ms = this.page.now_ms();
        this.room.heard(Message { fields: &fields, payload: payload.as_deref() }, now_ms);
    }
    act(app);
}

/// What `JSON.stringify` makes of a value; `None` when it cannot, or for `undefined`.
fn to_json(value: &JsValue) -> Option<String> {
    JSON::stringify(value).ok().as_ref().and_then(|text| text.as_string())
}

/// Does what the Room wants done.
pub(super) fn act(app: &Shared) {
    loop {
        // Not borrowed any longer than this: what follows may borrow, too.
        let Some(action) = app.borrow_mut().room.next_action() else { break };
        match action {
            Action::Post(json) => app.borrow().port.iter().for_each(|port| port.post(&json)),
            Action::Call(call) => spawn_local(carry(app.clone(), call)),
            Action::Wake { in_ms } => wake(app, in_ms),
            Action::Play { match_key, seat } => {
                app.borrow_mut().play(match_key, seat);
                connect(app);
            }
        }
    }
    app.borrow_mut().write_room();
}

/// Lets time pass for the Room.
pub(super) fn keep_up(app: &Shared) {
    {
        let this = &mut *app.borrow_mut();
        let now_ms = this.page.now_ms();
        this.room.keep_up(now_ms);
    }
    act(app);
}

fn wake(app: &Shared, in_ms: f64) {
    let shared = app.clone();
    let woken = Closure::once_into_js(move || keep_up(&shared));
    // Kept alive by the browser until it fires.
    let signal = AbortSignal::timeout_with_f64(in_ms);
    // Fails for no kind of event.
    let _ = signal.add_event_listener_with_callback("abort", woken.unchecked_ref());
}

async fn carry(app: Shared, call: Call) {
    let outcome = post(&app, &call).await;
    {
        let this = &mut *app.borrow_mut();
        let now_ms = this.page.now_ms();
        this.room.called(call.number, outcome.as_deref().map_err(|failure| *failure), now_ms);
    }
    act(&app);
}

/// Posts a request to the contract endpoint. Returns the reply as JavaScript writes it, which is how the platform measures.
async fn post(app: &Shared, call: &Call) -> Result<String, Failure> {
    let signal = AbortSignal::timeout_with_f64(ANSWER_WITHIN_MS);
    let url = contract_url(app, &signal).await?;
    let headers = Headers::new().map_err(|_| Failure::Unreachable)?;
    let mut fields = vec![("content-type", "application/json".to_owned())];
    fields.push(("matchd-match", call.match_key.as_str().to_owned()));
    // A page that is just reconnecting has no pass: the call is a direct one then, if the server takes those.
    fields.extend(app.borrow().session.relay().map(|pass| ("matchd-relay", pass.text())));
    for (name, value) in fields {
        headers.set(name, &value).map_err(|_| Failure::Unreachable)?;
    }
    let request = RequestInit::new();
    request.set_method("POST");
    request.set_headers(&headers);
    request.set_body(&JsValue::from_str(&call.body));
    let reply = fetch(app, &url, &request, &signal).await?;
    JSON::parse(&reply).ok().as_ref().and_then(to_json).ok_or(Failure::Unreachable)
}

/// Where the contract endpoint is. Asked for once, and again as long as nobody has answered.
async fn contract_url(app: &Shared, signal: &AbortSignal) -> Result<String, Failure> {
    if let Some(url) = &app.borrow().contract_url {
        return Ok(url.clone());
    }
    let unreachable = |_| Failure::Unreachable;
    let here = app.borrow().page.window.location().href().map_err(unreachable)?;
    let url = Url::new_with_base("./addresses.json", &here).map_err(unreachable)?;
    let addresses = fetch(app, &url.href(), &RequestInit::new(), signal).await?;
    let addresses: serde_json::Value = serde_json::from_str(&addresses).map_err(|_| Failure::Unreachable)?;
    let url = match (&addresses["contract_url"], &addresses["contract_port"]) {
        (serde_json::Value::String(url), _) => url.clone(),
        (_, serde_json::Value::Number(port)) => {
            let url = Url::new_with_base("/contract", &here).map_err(unreachable)?;
            url.set_port(&port.to_string());
            url.href()
        }
        _ => return Err(Failure::Unreachable),
    };
    app.borrow_mut().contract_url = Some(url.clone());
    Ok(url)
}

/// Fetches a text, without cookies.
async fn fetch(app: &Shared, url: &str, request: &RequestInit, signal: &AbortSignal) -> Result<String, Failure> {
    request.set_credentials(RequestCredentials::Omit);
    request.set_signal(Some(signal));
    let failed = |_| if signal.aborted() { Failure::Slow } else { Failure::Unreachable };
    let fetching = app.borrow().page.window.fetch_with_str_and_init(url, request);
    let response: Response = JsFuture::from(fetching).await.map_err(failed)?.unchecked_into();
    let text: JsString = JsFuture::from(response.text().map_err(failed)?).await.map_err(failed)?.unchecked_into();
    if !response.ok() || text.length() > REPLY_CHARS_MAX {
        return Err(Failure::Unreachable);
    }
    Ok(text.into())
}
