//! The App in the browser: wires page, socket and loudspeaker to session, screen and pad.

mod app;
mod audio;
mod events;
mod guest;
mod hud;
mod keyboard;
mod memory;
mod page;
mod room;
mod socket;
mod stage;
mod ticket;
mod touch;

use std::{cell::RefCell, rc::Rc};

use contract::{MatchKey, TeamId};
use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::UrlSearchParams;

use self::{
    audio::Audio,
    memory::Memory,
    page::Page,
    room::Port,
    socket::{Occurrence, Socket},
    stage::Stage,
    touch::Stick,
};
use crate::{
    games::Screen,
    netcode::{Meter, Session},
    pad::Pad,
    room::{JoinSecret, Room},
    sound::Sound,
};

/// The App.
pub(crate) struct App {
    page: Page,
    stage: Stage,
    audio: Audio,
    pad: Pad,
    stick: Stick,
    session: Session,
    memory: Memory,
    room: Room,
    /// To the Room's host, once it has spoken.
    port: Option<Port>,
    /// The contract endpoint, once it was needed.
    contract_url: Option<String>,
    screen: Option<Box<dyn Screen>>,
    socket: Option<Socket>,
    /// Sockets are numbered so that a late word from an old one is not taken for the present one's.
    socket_number: u32,
    connect_at_ms: Option<f64>,
    /// Connections that came to nothing since the last one that did.
    failures: u32,
    team: Option<TeamId>,
    sounds: Vec<Sound>,
    snapshots: Meter,
    bytes: Meter,
    seen_ms: f64,
    written_ms: f64,
    hint_until_ms: f64,
    /// What is said at the top goes away then.
    notice_until_ms: Option<f64>,
    network_shown: bool,
    arranged: bool,
    is_hidden: bool,
    /// The name field has the person's name in the Room, or what they made of it.
    is_named: bool,
}

/// A page in a frame waits this long for its host to say that it is a Room, in milliseconds. Later is not too late, but
/// by then the page shows the match anybody may watch.
const HOST_MS: f64 = 1_000.0;

/// The App as its event handlers share it.
pub(crate) type Shared = Rc<RefCell<App>>;

/// Starts the App on the page it was loaded by.
///
/// # Errors
/// When the page lacks something the App cannot do without.
pub(crate) fn start(early: &Array) -> Result<Shared, JsValue> {
    let page = Page::find()?;
    std::panic::set_hook(Box::new(|panic| fail(&panic.to_string())));
    let wanted = wanted_match(&page)?;
    // Whoever embeds a match of their choice is no Room, and does not wait for one.
    let is_early = wanted.is_none() && room::is_framed(&page.window);
    let match_key = wanted.unwrap_or_else(MatchKey::demo);
    let memory = Memory::new(&page.window, &match_key);
    let room = Room::new(fresh_secret(&page)?);
    let stage = Stage::new(&page)?;
    let now_ms = page.now_ms();
    page.name.set_value(&friendly_name());
    let app = Rc::new(RefCell::new(App {
        page,
        stage,
        audio: Audio::default(),
        pad: Pad::default(),
        stick: Stick::default(),
        session: Session::new(match_key, memory.secret()),
        memory,
        room,
        port: None,
        contract_url: None,
        screen: None,
        socket: None,
        socket_number: 0,
        connect_at_ms: Some(if is_early { now_ms + HOST_MS } else { now_ms }),
        failures: 0,
        team: None,
        sounds: Vec::new(),
        snapshots: Meter::default(),
        bytes: Meter::default(),
        seen_ms: now_ms,
        written_ms: 0.0,
        hint_until_ms: 0.0,
        notice_until_ms: None,
        network_shown: false,
        arranged: false,
        is_hidden: false,
        is_named: false,
    }));
    events::listen(&app)?;
    // A page may be opened in a tab that nobody has looked at yet.
    app.borrow_mut().look();
    app.borrow_mut().write_phase();
    room::listen(&app, early)?;
    if app.borrow().connect_at_ms == Some(now_ms) {
        connect(&app);
    }
    Ok(app)
}

/// A bug has stopped the App for good: says so on the page, and more about it in the console.
fn fail(what: &str) {
    web_sys::console::error_1(&what.into());
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    if let Some(body) = document.body() {
        let _ = body.set_attribute("data-state", "failed");
    }
    if let Some(text) = document.get_element_by_id("loading-text") {
        text.set_text_content(Some("The game has stopped working. Please reload the page."));
    }
}

/// Opens a socket.
fn connect(app: &Shared) {
    let mut this = app.borrow_mut();
    this.connect_at_ms = None;
    this.socket_number += 1;
    let number = this.socket_number;
    let teller = Rc::downgrade(app);
    let opened = Socket::connect(&this.page.window, this.session.match_key(), move |occurrence| {
        if let Some(app) = teller.upgrade()
            && app.borrow().socket_number == number
        {
            app.borrow_mut().on_socket(occurrence);
            room::act(&app);
        }
    });
    match opened {
        Ok(socket) => this.socket = Some(socket),
        Err(_) => this.on_socket(Occurrence::Closed(0)),
    }
}

/// The match that the page's address asks for, if it does.
fn wanted_match(page: &Page) -> Result<Option<MatchKey>, JsValue> {
    let search = page.window.location().search().unwrap_or_default();
    let wanted = UrlSearchParams::new_with_str(&search).ok().and_then(|parameters| parameters.get("match"));
    let key = wanted.map(|text| MatchKey::parse(&text)).transpose();
    key.map_err(|_| JsValue::from_str("There is no match at this address."))
}

/// The join secret that this page brings into a Room that has none.
fn fresh_secret(page: &Page) -> Result<JoinSecret, JsValue> {
    let mut random = [0; 16];
    page.window.crypto()?.get_random_values_with_u8_array(&mut random)?;
    Ok(JoinSecret::new(js_sys::Date::now() as u64, random))
}

/// A name for somebody who has not chosen one.
fn friendly_name() -> String {
    const FIRST: &[&str] =
        &["Swift", "Sunny", "Clever", "Lucky", "Brave", "Merry", "Nimble", "Bold", "Calm", "Witty", "Quick", "Jolly"];
    const SECOND: &[&str] = &[
        "Otter", "Falcon", "Badger", "Heron", "Lynx", "Panda", "Robin", "Tiger", "Wombat", "Gecko", "Moose", "Puffin",
    ];
    let pick = |list: &[&'static str]| list[(js_sys::Math::random() * list.len() as f64) as usize % list.len()];
    format!("{} {}", pick(FIRST), pick(SECOND))
}
