//! The elements of `index.html` that the App changes.

use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{
    Document, Element, Event, EventTarget, HtmlButtonElement, HtmlCanvasElement, HtmlElement, HtmlInputElement, Window,
};

/// The elements by what they are for.
pub(super) struct Page {
    pub(super) window: Window,
    pub(super) document: Document,
    pub(super) body: HtmlElement,
    pub(super) canvas: HtmlCanvasElement,
    pub(super) title: HtmlElement,
    pub(super) standings: HtmlElement,
    pub(super) health: HtmlElement,
    pub(super) health_text: HtmlElement,
    pub(super) scores: [HtmlElement; 2],
    pub(super) clock: HtmlElement,
    pub(super) remark: HtmlElement,
    pub(super) panel: HtmlElement,
    pub(super) crowd: HtmlElement,
    pub(super) name: HtmlInputElement,
    pub(super) join: HtmlButtonElement,
    pub(super) refusal: HtmlElement,
    pub(super) leave: HtmlButtonElement,
    pub(super) mute: HtmlButtonElement,
    pub(super) banner: HtmlElement,
    pub(super) banner_title: HtmlElement,
    pub(super) banner_line: HtmlElement,
    pub(super) finish: HtmlElement,
    pub(super) finish_title: HtmlElement,
    pub(super) finish_lines: HtmlElement,
    pub(super) rematch: HtmlButtonElement,
    pub(super) hint: HtmlElement,
    pub(super) notice: HtmlElement,
    pub(super) notice_text: HtmlElement,
    pub(super) reload: HtmlButtonElement,
    pub(super) again: HtmlButtonElement,
    pub(super) room: HtmlElement,
    pub(super) room_toggle: HtmlButtonElement,
    pub(super) room_count: HtmlElement,
    pub(super) room_card: HtmlElement,
    pub(super) room_list: HtmlElement,
    pub(super) room_note: HtmlElement,
    pub(super) network: HtmlElement,
    pub(super) stick: HtmlElement,
    pub(super) knob: HtmlElement,
}

impl Page {
    /// Finds the elements.
    ///
    /// # Errors
    /// When one is missing: page and program are not of the same build.
    pub(super) fn find() -> Result<Self, JsValue> {
        let window = web_sys::window().ok_or("no window")?;
        let document = window.document().ok_or("no document")?;
        Ok(Self {
            body: document.body().ok_or("no body")?,
            canvas: element(&document, "stage")?,
            title: element(&document, "title")?,
            standings: element(&document, "standings")?,
            health: element(&document, "health")?,
            health_text: element(&document, "health-text")?,
            scores: [element(&document, "score-red")?, element(&document, "score-blue")?],
            clock: element(&document, "clock")?,
            remark: element(&document, "remark")?,
            panel: element(&document, "panel")?,
            crowd: element(&document, "crowd")?,
            name: element(&document, "name")?,
            join: element(&document, "join")?,
            refusal: element(&document, "refusal")?,
            leave: element(&document, "leave")?,
            mute: element(&document, "mute")?,
            banner: element(&document, "banner")?,
            banner_title: element(&document, "banner-title")?,
            banner_line: element(&document, "banner-line")?,
            finish: element(&document, "finish")?,
            finish_title: element(&document, "finish-title")?,
            finish_lines: element(&document, "finish-lines")?,
            rematch: element(&document, "rematch")?,
            hint: element(&document, "hint")?,
            notice: element(&document, "notice")?,
            notice_text: element(&document, "notice-text")?,
            reload: element(&document, "reload")?,
            again: element(&document, "again")?,
            room: element(&document, "room")?,
            room_toggle: element(&document, "room-toggle")?,
            room_count: element(&document, "room-count")?,
            room_card: element(&document, "room-card")?,
            room_list: element(&document, "room-list")?,
            room_note: element(&document, "room-note")?,
            network: element(&document, "network")?,
            stick: element(&document, "stick")?,
            knob: element(&document, "knob")?,
            window,
            document,
        })
    }

    /// Milliseconds on the page's monotonic clock.
    pub(super) fn now_ms(&self) -> f64 {
        self.window.performance().map_or(0.0, |performance| performance.now())
    }

    /// Whether the page is in a frame that takes no place: one that its host does not show.
    pub(super) fn is_without_size(&self) -> bool {
        let is_zero = |size: Result<JsValue, JsValue>| size.ok().and_then(|size| size.as_f64()) == Some(0.0);
        is_zero(self.window.inner_width()) || is_zero(self.window.inner_height())
    }

    /// All elements that a selector finds.
    pub(super) fn all(&self, selector: &str) -> Vec<Element> {
        let Ok(list) = self.document.query_selector_all(selector) else { return Vec::new() };
        (0..list.length()).filter_map(|index| list.get(index)?.dyn_into().ok()).collect()
    }

    /// Whether a media query holds.
    pub(super) fn matches(&self, query: &str) -> bool {
        self.window.match_media(query).ok().flatten().is_some_and(|list| list.matches())
    }

    /// Whether the person is writing text: keys are letters then.
    pub(super) fn is_typing(&self) -> bool {
        self.document.active_element().is_some_and(|element| element.has_type::<HtmlInputElement>())
    }

    /// Sets a `data-` attribute of the body, which the style sheet and tests read.
    pub(super) fn mark(&self, name: &str, value: &str) {
        // Fails only for a malformed name.
        let _ = self.body.set_attribute(&format!("data-{name}"), value);
    }
}

/// Shows or hides an element.
pub(super) fn show(element: &HtmlElement, shown: bool) {
    element.set_hidden(!shown);
}

/// Calls `handler` for each event of a kind, as long as the page lives.
pub(super) fn listen<E: JsCast + 'static>(
    target: &EventTarget,
    kind: &str,
    mut handler: impl FnMut(E) + 'static,
) -> Result<(), JsValue> {
    let closure = Closure::<dyn FnMut(Event)>::new(move |event: Event| handler(event.unchecked_into()));
    // Not passive: a listener that keeps the page from scrolling must be allowed to.
    let options = web_sys::AddEventListenerOptions::new();
    options.set_passive(false);
    target.add_event_listener_with_callback_and_add_event_listener_options(
        kind,
        closure.as_ref().unchecked_ref(),
        &options,
    )?;
    closure.forget();
    Ok(())
}

fn element<T: JsCast>(document: &Document, id: &str) -> Result<T, JsValue> {
    document
        .get_element_by_id(id)
        .and_then(|element| element.dyn_into().ok())
        .ok_or_else(|| JsValue::from_str(&format!("the page has no element {id:?} of the right kind")))
}
