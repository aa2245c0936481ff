//! What the App does as a guest of a Room: it plays the match it is given, and has the host keep what it must not forget.

use contract::{MatchKey, PlayerName, ResumeSecret};

use super::{
    App,
    hud::{self, Remedy},
    room::Port,
};
use crate::netcode::{Phase, Session};

impl App {
    /// This page is part of a Room, and will be told which match to play.
    pub(super) fn enter_room(&mut self, port: Port) {
        self.port = Some(port);
        if !self.room.has_match() {
            self.part();
            self.notice("Looking for this Room's match…", Remedy::None);
            self.write_phase();
        }
    }

    /// Plays this match in place of any other.
    pub(super) fn play(&mut self, match_key: MatchKey, seat: Option<ResumeSecret>) {
        let name = PlayerName::clean(&self.page.name.value());
        let goes_on = matches!(self.session.phase(), Phase::Playing(_) | Phase::Joining);
        self.part();
        self.session = Session::new(match_key, seat);
        self.session.hide(self.is_hidden, self.page.now_ms());
        if let (true, Ok(name)) = (goes_on, name) {
            self.session.join(name, self.team);
        }
        self.write_phase();
    }

    /// Leaves the match that was shown until now.
    fn part(&mut self) {
        self.session.leave();
        self.flush();
        self.socket = None;
        self.socket_number += 1;
        self.connect_at_ms = None;
        self.screen = None;
    }

    /// Writes what a person should know of the Room.
    pub(super) fn write_room(&mut self) {
        if !self.room.changed() {
            return;
        }
        hud::write_room(&self.page, &self.room);
        if let Some(name) = self.room.roster().own().and_then(|own| own.name.as_ref())
            && !std::mem::replace(&mut self.is_named, true)
        {
            self.page.name.set_value(name.as_str());
        }
        self.arranged = false;
    }

    /// Keeps the secret of the seat for a page loaded anew: in a Room its host does.
    pub(super) fn remember(&mut self) {
        if self.room.is_there() {
            self.room.remember(self.session.secret(), self.page.now_ms());
        } else {
            self.memory.keep(self.session.secret());
        }
    }
}
