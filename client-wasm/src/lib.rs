//! The browser App: a page that shows a match, lets a person play in it, and runs the same simulation as the server to
//! show the own player without delay.
//!
//! [`netcode`] turns bytes and time into the numbers of a picture and knows no browser; [`room`] is the same for the Room
//! that the page may be embedded in; [`games`] draw; `browser` wires all of them to the page.

mod browser;
pub mod games;
pub mod netcode;
pub mod pad;
pub mod room;
pub mod sound;

use wasm_bindgen::prelude::*;

/// The App that runs on a page.
#[wasm_bindgen]
pub struct Matchd {
    app: browser::Shared,
}

#[wasm_bindgen]
impl Matchd {
    /// The moment that is shown, as JSON.
    #[must_use]
    pub fn picture(&self) -> String {
        self.app.borrow().describe()
    }

    /// How the link does, as JSON.
    #[must_use]
    pub fn figures(&self) -> String {
        self.app.borrow().figures()
    }
}

/// Starts the App on the page that has loaded it. `early` are the window's `message` events until now: the host of a Room
/// speaks as soon as the page is there.
///
/// # Errors
/// When the page lacks something the App cannot do without, with a text that can be shown.
#[wasm_bindgen]
pub fn start(early: &js_sys::Array) -> Result<Matchd, JsValue> {
    browser::start(early).map(|app| Matchd { app })
}
