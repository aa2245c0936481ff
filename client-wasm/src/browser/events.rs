//! What the person and the browser do to the page.

use std::{cell::RefCell, rc::Rc};

use contract::TeamId;
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{Element, Event, KeyboardEvent, PointerEvent, Window};

use super::{Shared, connect, keyboard, page, room};
use crate::{games::Button, pad::Source, sound::Sound};

/// How often the connection is looked after, in milliseconds.
const KEEP_UP_MS: i32 = 200;

/// Listens to everything, for as long as the page lives.
pub(super) fn listen(app: &Shared) -> Result<(), JsValue> {
    keys(app)?;
    fingers(app)?;
    panel(app)?;
    toolbar(app)?;
    window(app)?;
    timers(app)
}

fn keys(app: &Shared) -> Result<(), JsValue> {
    let document = app.borrow().page.document.clone();
    let shared = app.clone();
    page::listen(&document, "keydown", move |event: KeyboardEvent| {
        let mut app = shared.borrow_mut();
        app.audio.wake();
        if app.page.is_typing() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let code = event.code();
        if press(&mut app, &code, true) {
            event.prevent_default();
        } else if !event.repeat() {
            match code.as_str() {
                "KeyM" => toggle_sound(&mut app),
                "KeyN" => {
                    app.network_shown = !app.network_shown;
                    page::show(&app.page.network, app.network_shown);
                    app.written_ms = 0.0;
                }
                _ => {}
            }
        }
    })?;
    let shared = app.clone();
    page::listen(&document, "keyup", move |event: KeyboardEvent| {
        press(&mut shared.borrow_mut(), &event.code(), false);
    })
}

/// Passes a key on to the pad. Returns whether the game has a use for it.
fn press(app: &mut super::App, code: &str, down: bool) -> bool {
    // Enter and Space press a focused button of the page rather than the ball.
    let on_button =
        app.page.document.active_element().is_some_and(|element| element.has_type::<web_sys::HtmlButtonElement>());
    if down && on_button && code == "Space" {
        return false;
    }
    if let Some(side) = keyboard::side(code) {
        app.pad.side(side, down);
        return true;
    }
    let button = button(app, |button| button.keys.contains(&code));
    if let Some(button) = button {
        app.pad.button(Source::Keyboard, button.bit, down);
    }
    button.is_some()
}

/// A button of the game that is shown.
fn button(app: &super::App, is_it: impl Fn(&Button) -> bool) -> Option<&'static Button> {
    app.screen.as_ref()?.furniture().buttons.iter().find(|button| is_it(button))
}

fn fingers(app: &Shared) -> Result<(), JsValue> {
    let canvas = app.borrow().page.canvas.clone();
    let document = app.borrow().page.document.clone();

    let shared = app.clone();
    page::listen(&document, "pointerdown", move |event: PointerEvent| {
        let mut app = shared.borrow_mut();
        app.audio.wake();
        if event.pointer_type() == "touch" && app.page.body.get_attribute("data-touch").is_none() {
            app.page.mark("touch", "");
            app.arranged = false;
        }
    })?;

    // Some browsers count only the end of a touch as one that may be answered with sound.
    let shared = app.clone();
    page::listen(&document, "pointerup", move |_: PointerEvent| shared.borrow_mut().audio.wake())?;

    let shared = app.clone();
    page::listen(&canvas, "pointerdown", move |event: PointerEvent| {
        let mut app = shared.borrow_mut();
        let _ = app.page.canvas.focus();
        if event.pointer_type() == "touch" {
            event.prevent_default();
            let app = &mut *app;
            app.stick.land(&app.page, &mut app.pad, &event, app.stage.layout.width);
        } else if let Some(button) = button(&app, |button| button.mouse && event.button() == 0) {
            app.pad.button(Source::Mouse, button.bit, true);
        }
    })?;
    let shared = app.clone();
    page::listen(&canvas, "pointermove", move |event: PointerEvent| {
        let app = &mut *shared.borrow_mut();
        if event.pointer_type() == "mouse" {
            app.pad.point(Some((event.client_x() as f32, event.client_y() as f32)));
        }
        app.stick.slide(&app.page, &mut app.pad, &event);
    })?;
    // The mouse may be let go outside the picture.
    let shared = app.clone();
    page::listen(&document, "pointerup", move |event: PointerEvent| {
        let mut app = shared.borrow_mut();
        if event.pointer_type() == "mouse"
            && let Some(button) = button(&app, |button| button.mouse)
        {
            app.pad.button(Source::Mouse, button.bit, false);
        }
    })?;
    for kind in ["pointerup", "pointercancel"] {
        let shared = app.clone();
        page::listen(&canvas, kind, move |event: PointerEvent| {
            let app = &mut *shared.borrow_mut();
            app.stick.lift(&app.page, &mut app.pad, &event);
        })?;
    }

    let thumbs = app.borrow().page.all("[data-button]");
    for thumb in thumbs {
        thumb_button(app, &thumb)?;
    }
    Ok(())
}

/// A button of the game on the glass: held as long as a finger that landed on it stays down.
fn thumb_button(app: &Shared, thumb: &Element) -> Result<(), JsValue> {
    let name = thumb.get_attribute("data-button").unwrap_or_default();
    for kind in ["pointerdown", "pointerup", "pointercancel", "lostpointercapture"] {
        let down = kind == "pointerdown";
        let (shared, element, name) = (app.clone(), thumb.clone(), name.clone());
        page::listen(thumb, kind, move |event: PointerEvent| {
            event.prevent_default();
            if down {
                let _ = element.set_pointer_capture(event.pointer_id());
                let _ = element.set_attribute("data-held", "");
            } else {
                let _ = element.remove_attribute("data-held");
            }
            let mut app = shared.borrow_mut();
            if let Some(button) = button(&app, |button| button.name == name) {
                app.pad.button(Source::Touch, button.bit, down);
            }
        })?;
    }
    Ok(())
}

fn panel(app: &Shared) -> Result<(), JsValue> {
    let (name, join, teams) = {
        let page = &app.borrow().page;
        (page.name.clone(), page.join.clone(), page.all("[data-pick]"))
    };
    let shared = app.clone();
    page::listen(&join, "click", move |_: Event| shared.borrow_mut().join())?;
    let shared = app.clone();
    page::listen(&name, "keydown", move |event: KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            shared.borrow_mut().join();
        }
    })?;
    for team in &teams {
        let (shared, picked, all) = (app.clone(), team.clone(), teams.clone());
        page::listen(team, "click", move |_: Event| {
            for other in &all {
                let _ = other.set_attribute("aria-pressed", if *other == picked { "true" } else { "false" });
            }
            let index = picked.get_attribute("data-pick").and_then(|text| text.parse().ok());
            shared.borrow_mut().team = index.map(TeamId);
        })?;
    }
    Ok(())
}

fn toolbar(app: &Shared) -> Result<(), JsValue> {
    let (leave, mute, rematch, reload, again) = {
        let page = &app.borrow().page;
        (page.leave.clone(), page.mute.clone(), page.rematch.clone(), page.reload.clone(), page.again.clone())
    };
    room_card(app)?;
    let shared = app.clone();
    page::listen(&leave, "click", move |_: Event| shared.borrow_mut().leave())?;
    let shared = app.clone();
    page::listen(&mute, "click", move |_: Event| {
        let mut app = shared.borrow_mut();
        toggle_sound(&mut app);
        // Or the next Space would press this button again instead of the ball.
        let _ = app.page.canvas.focus();
    })?;
    let shared = app.clone();
    page::listen(&rematch, "click", move |_: Event| {
        let mut app = shared.borrow_mut();
        let rematch = app.screen.as_ref().map_or(0, |screen| screen.furniture().rematch);
        app.pad.tap(rematch);
        app.sounds.push(Sound::Click);
        let _ = app.page.canvas.focus();
    })?;
    let shared = app.clone();
    page::listen(&again, "click", move |_: Event| shared.borrow_mut().start_over())?;
    let window = app.borrow().page.window.clone();
    page::listen(&reload, "click", move |_: Event| {
        let _ = window.location().reload();
    })
}

/// Who is in the Room is shown when asked for.
fn room_card(app: &Shared) -> Result<(), JsValue> {
    let (toggle, card) = (app.borrow().page.room_toggle.clone(), app.borrow().page.room_card.clone());
    let shared = app.clone();
    page::listen(&toggle.clone(), "click", move |_: Event| {
        let is_shown = card.hidden();
        page::show(&card, is_shown);
        let _ = toggle.set_attribute("aria-expanded", if is_shown { "true" } else { "false" });
        let _ = shared.borrow().page.canvas.focus();
    })
}

fn toggle_sound(app: &mut super::App) {
    let muted = app.audio.toggle();
    app.page.mark("muted", if muted { "yes" } else { "no" });
    let _ = app.page.mute.set_attribute("aria-pressed", if muted { "true" } else { "false" });
    let _ = app.page.mute.set_attribute("aria-label", if muted { "Turn sound on" } else { "Turn sound off" });
    app.sounds.push(Sound::Click);
}

fn window(app: &Shared) -> Result<(), JsValue> {
    let (window, document) = (app.borrow().page.window.clone(), app.borrow().page.document.clone());
    for kind in ["resize", "orientationchange"] {
        let shared = app.clone();
        page::listen(&window, kind, move |_: Event| {
            let mut app = shared.borrow_mut();
            app.arranged = false;
            app.look();
        })?;
    }
    let shared = app.clone();
    page::listen(&window, "blur", move |_: Event| shared.borrow_mut().rest())?;
    let shared = app.clone();
    page::listen(&document, "visibilitychange", move |_: Event| keep_up(&shared))?;
    // A long press on a phone would open a menu, and two fingers would zoom the page instead of playing.
    for kind in ["contextmenu", "gesturestart"] {
        page::listen(&document, kind, move |event: Event| {
            let on_input = event.target().is_some_and(|target| target.has_type::<web_sys::HtmlInputElement>());
            if !on_input {
                event.prevent_default();
            }
        })?;
    }
    Ok(())
}

fn timers(app: &Shared) -> Result<(), JsValue> {
    let window = app.borrow().page.window.clone();
    let shared = app.clone();
    let tick = Closure::<dyn FnMut()>::new(move || keep_up(&shared));
    window.set_interval_with_callback_and_timeout_and_arguments_0(tick.as_ref().unchecked_ref(), KEEP_UP_MS)?;
    tick.forget();
    frames(window, app.clone())
}

/// Looks after connection and Room.
fn keep_up(app: &Shared) {
    let due = app.borrow_mut().keep_up();
    if due {
        connect(app);
    }
    room::keep_up(app);
}

type FrameHandler = Closure<dyn FnMut(f64)>;

/// Draws with every frame of the display. The browser leaves frames out while the page is hidden.
fn frames(window: Window, app: Shared) -> Result<(), JsValue> {
    let next: Rc<RefCell<Option<FrameHandler>>> = Rc::default();
    let (again, display) = (next.clone(), window.clone());
    *next.borrow_mut() = Some(Closure::new(move |now_ms: f64| {
        app.borrow_mut().frame(now_ms);
        if let Some(closure) = &*again.borrow() {
            let _ = display.request_animation_frame(closure.as_ref().unchecked_ref());
        }
    }));
    if let Some(closure) = &*next.borrow() {
        window.request_animation_frame(closure.as_ref().unchecked_ref())?;
    }
    Ok(())
}
