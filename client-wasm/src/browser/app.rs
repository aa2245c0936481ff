//! What the App does when something happens: on the socket, on the page, with time.

use contract::PlayerName;

use super::{
    App,
    hud::{self, Remedy},
    page,
    socket::Occurrence,
};
use crate::{
    games::{self, Frame},
    netcode::{Ending, Event, Phase},
    sound::Sound,
};

/// A longer pause between two looks at the clock means that the page was asleep, in milliseconds.
const ASLEEP_MS: f64 = 2_500.0;
/// The network overlay and the page's marks are written this often, in milliseconds.
const WRITE_MS: f64 = 250.0;
/// How long a new player is told the keys, in milliseconds.
const HINT_MS: f64 = 7_000.0;
/// How long a person is told which match this is, in milliseconds.
const NOTICE_MS: f64 = 6_000.0;
/// So many connections come to nothing before a person is told that the server cannot be reached.
const FAILURES_QUIET: u32 = 2;

impl App {
    pub(super) fn on_socket(&mut self, occurrence: Occurrence) {
        let now_ms = self.page.now_ms();
        match occurrence {
            Occurrence::Opened(ticket) => self.session.opened(ticket, now_ms),
            Occurrence::Frame(bytes) => {
                self.bytes.add(bytes.len() as f64, now_ms);
                match self.session.received(&bytes, now_ms) {
                    Ok(event) => self.on_event(event, now_ms),
                    // Nothing this server says can be trusted to be understood: start over.
                    Err(_) => self.on_closed(0),
                }
            }
            Occurrence::Closed(code) => self.on_closed(code),
        }
        self.flush();
    }

    fn on_event(&mut self, event: Event, now_ms: f64) {
        if let Event::Welcome { welcome, rtt_ms } = &event {
            let is_same = self.screen.as_mut().is_some_and(|screen| screen.resumed(welcome, now_ms));
            if let Some(screen) = self.screen.as_mut().filter(|_| self.session.phase() != Phase::Returning) {
                screen.unseated();
            }
            if !is_same {
                self.screen = games::open(welcome, now_ms);
                if let Some(screen) = &self.screen {
                    hud::write_game(&self.page, screen.furniture());
                }
                self.screen.iter_mut().for_each(|screen| screen.hide(self.is_hidden));
            }
            self.screen.iter_mut().for_each(|screen| screen.round_trip(*rtt_ms));
            self.failures = 0;
            let which = self.room.welcomed(welcome.tick).unwrap_or_default();
            if self.screen.is_some() {
                self.notice(which, Remedy::None);
                self.notice_until_ms = Some(now_ms + NOTICE_MS);
            } else {
                self.notice("This page does not know the game that is played here.", Remedy::Reload);
            }
        }
        let Some(screen) = &mut self.screen else { return };
        match event {
            Event::Snapshot(snapshot) => {
                self.snapshots.add(1.0, now_ms);
                screen.snapshot(&snapshot, now_ms);
                return;
            }
            Event::Steps(steps) => {
                self.snapshots.add(1.0, now_ms);
                screen.steps(&steps, now_ms);
                if screen.lacks_view() {
                    self.session.resync(now_ms);
                }
                return;
            }
            Event::Roster => {
                screen.roster(self.session.roster());
                hud::write_crowd(&self.page, self.session.roster());
            }
            Event::Seated { seat, tick } => {
                screen.seated(seat, tick);
                self.pad.release();
                self.hint_until_ms = now_ms + HINT_MS;
                self.sounds.push(Sound::Click);
                self.room.engaged();
                let _ = self.page.canvas.focus();
            }
            Event::Unseated => screen.unseated(),
            Event::Refused(refusal) => {
                screen.unseated();
                self.refuse(refusal.text());
            }
            Event::TryAgain => return self.on_closed(0),
            Event::Pace(pace) => screen.paced(pace),
            Event::Stalled { ticks } => screen.stalled(ticks),
            Event::RoundTrip { rtt_ms } => screen.round_trip(rtt_ms),
            Event::Welcome { .. } | Event::Unexpected => {}
        }
        self.remember();
        self.write_phase();
    }

    fn on_closed(&mut self, code: u16) {
        self.socket = None;
        self.socket_number += 1;
        let (notice, remedy) = match self.session.closed(code, js_sys::Math::random()) {
            Ending::Retry { in_ms } => {
                self.connect_at_ms = Some(self.page.now_ms() + in_ms);
                self.failures += 1;
                let text = if self.failures > FAILURES_QUIET {
                    "The match server cannot be reached. Trying again…"
                } else if self.screen.is_some() {
                    "Reconnecting…"
                } else {
                    "Connecting…"
                };
                (text, Remedy::None)
            }
            Ending::Reload => ("There is a new version of the game.", Remedy::Reload),
            Ending::Elsewhere => ("You are playing in another tab.", Remedy::Again),
            Ending::Final(text) => (text, Remedy::Reload),
        };
        // A seat that may come back is shown on: whoever held on to the keys must not see the picture change.
        if self.session.phase() == Phase::Over
            && let Some(screen) = &mut self.screen
        {
            screen.unseated();
        }
        self.remember();
        self.notice(notice, remedy);
        self.write_phase();
    }

    /// Says something at the top, for as long as it is so.
    pub(super) fn notice(&mut self, text: &str, remedy: Remedy) {
        self.notice_until_ms = None;
        hud::write_notice(&self.page, text, remedy);
    }

    /// Asks for a seat under the name in the field.
    pub(super) fn join(&mut self) {
        match PlayerName::clean(&self.page.name.value()) {
            Ok(name) => {
                self.refuse("");
                self.session.join(name, self.team);
                self.write_phase();
                self.flush();
            }
            Err(_) => self.refuse("Choose a name of 1 to 24 characters."),
        }
    }

    pub(super) fn leave(&mut self) {
        self.session.leave();
        self.remember();
        self.flush();
    }

    fn refuse(&mut self, text: &str) {
        self.page.refusal.set_text_content(Some(text));
        page::show(&self.page.refusal, !text.is_empty());
        self.arranged = false;
    }

    pub(super) fn write_phase(&mut self) {
        hud::write_phase(&self.page, &self.session, self.screen.is_some());
        self.arranged = false;
    }

    /// One picture.
    pub(super) fn frame(&mut self, now_ms: f64) {
        if !std::mem::replace(&mut self.arranged, true) {
            self.stage.arrange(&self.page);
        }
        if let Some(screen) = &mut self.screen {
            let session = &mut self.session;
            screen.frame(&mut Frame {
                now_ms,
                context: &self.stage.context,
                document: &self.page.document,
                layout: self.stage.layout,
                pad: &mut self.pad,
                send: &mut |tick, input| session.input(tick, input),
                sounds: &mut self.sounds,
            });
            if let Some(words) = screen.words() {
                hud::write_words(&self.page, words);
            }
        }
        self.flush();
        for sound in self.sounds.drain(..) {
            self.audio.play(sound);
        }
        if now_ms - self.written_ms >= WRITE_MS {
            self.written_ms = now_ms;
            self.write_now_and_then(now_ms);
        }
    }

    fn write_now_and_then(&mut self, now_ms: f64) {
        let playing = matches!(self.session.phase(), Phase::Playing(_));
        page::show(&self.page.hint, playing && now_ms < self.hint_until_ms);
        let Some(screen) = &self.screen else { return };
        self.page.mark("tick", &screen.tick().0.to_string());
        if self.network_shown {
            let (snapshots, bytes) = (self.snapshots.per_second(now_ms), self.bytes.per_second(now_ms));
            hud::write_network(&self.page, &screen.figures(), snapshots, bytes);
        }
    }

    /// Looks after the connection, also while nothing is drawn. Returns whether it is time to connect.
    pub(super) fn keep_up(&mut self) -> bool {
        let now_ms = self.page.now_ms();
        self.look();
        if self.notice_until_ms.is_some_and(|until_ms| now_ms >= until_ms) {
            self.notice("", Remedy::None);
        }
        if let Some(screen) = &self.screen {
            self.room.ticked(screen.tick());
        }
        if now_ms - self.seen_ms > ASLEEP_MS {
            self.session.woke(now_ms);
        }
        if self.screen.as_ref().is_some_and(|screen| screen.lacks_view()) {
            self.session.resync(now_ms);
        }
        self.seen_ms = now_ms;
        if self.session.keep_up(now_ms) {
            self.on_closed(0);
        }
        self.flush();
        self.connect_at_ms.is_some_and(|at_ms| now_ms >= at_ms)
    }

    /// Finds out whether anybody can see the page: a tab behind another one, or a frame of no size, nobody can.
    pub(super) fn look(&mut self) {
        let is_hidden = self.page.document.hidden() || self.page.is_without_size();
        if std::mem::replace(&mut self.is_hidden, is_hidden) != is_hidden {
            self.hide(is_hidden);
        }
    }

    /// The page is hidden, or seen again.
    fn hide(&mut self, is_hidden: bool) {
        if is_hidden {
            self.rest();
        }
        self.session.hide(is_hidden, self.page.now_ms());
        // Whoever looks at the page again wants to play now; a browser ends the connections of pages it freezes.
        if !is_hidden && self.connect_at_ms.is_some() {
            self.connect_at_ms = Some(self.page.now_ms());
        }
        if let Some(screen) = &mut self.screen {
            screen.hide(is_hidden);
        }
        self.flush();
    }

    /// A person wants to watch here although the seat is played elsewhere.
    pub(super) fn start_over(&mut self) {
        self.session.start_over();
        self.connect_at_ms = Some(self.page.now_ms());
        self.notice("Reconnecting…", Remedy::None);
        self.write_phase();
    }

    /// The page is hidden or lost the keyboard.
    pub(super) fn rest(&mut self) {
        self.pad.release();
        self.stick.let_go(&self.page, &mut self.pad);
        if let Some(screen) = &mut self.screen {
            let session = &mut self.session;
            screen.rest(&mut |tick, input| session.input(tick, input));
        }
        self.flush();
    }

    pub(super) fn flush(&mut self) {
        if let Some(socket) = &self.socket {
            self.session.flush(|frame| socket.send(frame));
        }
    }

    /// The moment as JSON, for tools that look at the page from outside.
    pub(crate) fn describe(&self) -> String {
        self.screen.as_ref().map_or_else(|| "null".into(), |screen| screen.describe())
    }

    /// How the link does, as JSON.
    pub(crate) fn figures(&self) -> String {
        let Some(screen) = &self.screen else { return "null".into() };
        let figures = screen.figures();
        serde_json::json!({
            "rtt_ms": figures.rtt_ms,
            "lead_ticks": figures.lead_ticks,
            "margin_ticks": figures.margin_ticks,
            "delay_ticks": figures.delay_ticks,
            "exact": figures.exact,
            "mispredicted": figures.mispredicted,
            "wrong": figures.wrong,
            "snapped": figures.snapped,
            "corrected": figures.corrected,
            "jumps": figures.jumps,
            "resyncs": figures.resyncs,
            "late": figures.late,
        })
        .to_string()
    }
}
