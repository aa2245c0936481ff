//! The screen of one match: the seam between netcode, picture, words and sounds.

use contract::{
    GameData as _, Pace, RosterEntry, SeatId, Snapshot, Steps, Tick, Welcome, WireInput as _,
    games::skirmish::{HappeningKind, Input, Skirmish as Data, View},
};
use sim::games::skirmish::Skirmish as Rules;

use super::{
    controls,
    craft::colour,
    effects::Flash,
    picture::{Painter, Scene},
    shot_at,
    words::{self, News},
};
use crate::{
    games::{Frame, Furniture, Screen, Words},
    netcode::{Figures, Play, Point},
    sound::Sound,
};

/// How long a loss and a win are called out, in ticks.
const BANNER_TICKS: i32 = 45;
/// Happenings older than this are news to nobody: the page has just come.
const STALE_TICKS: i32 = 30;
/// A place that changes by more than this in a tick is a new start, in units.
const START_UNITS: f32 = 60.0;
/// Sounds from farther away than this are as soft as they get, in units.
const EARSHOT: f32 = 1200.0;

/// A match of Skirmish on the page.
pub struct Skirmish {
    play: Play<Rules>,
    roster: Vec<RosterEntry>,
    roster_count: u32,
    painter: Painter,
    /// The tick up to which happenings have been shown; `None` before the first view.
    shown: Option<Tick>,
    /// Where the craft were when last looked at, to see who starts anew.
    places: Vec<Point>,
    /// The tick of the own newest shot that was heard.
    heard_shot: Option<Tick>,
    lost: Option<(Tick, SeatId)>,
    won: Option<(Tick, SeatId)>,
    words: Words,
    /// What `words` was made from.
    words_of: Option<WordsOf>,
    words_fresh: bool,
    frame_ms: f64,
}

/// Everything the words depend on.
#[derive(Clone, PartialEq)]
struct WordsOf {
    scores: Vec<u16>,
    hp: Option<u8>,
    news: News,
    own: Option<SeatId>,
    roster_count: u32,
}

impl Skirmish {
    /// Opens the screen of a match; `None` when this page does not understand its setup.
    pub(crate) fn open(welcome: &Welcome, now_ms: f64) -> Option<Self> {
        let setup = super::setup(welcome)?;
        Some(Self {
            play: Play::new(setup, welcome, now_ms),
            roster: Vec::new(),
            roster_count: 0,
            painter: Painter::default(),
            shown: None,
            places: Vec::new(),
            heard_shot: None,
            lost: None,
            won: None,
            words: Words::default(),
            words_of: None,
            words_fresh: false,
            frame_ms: now_ms,
        })
    }

    /// Shows and sounds what the server says has happened since the last frame. A hit is told when it is sure: one that
    /// was only predicted may not have been one.
    fn look(&mut self, sounds: &mut Vec<Sound>) {
        let Some(confirmed) = self.play.confirmed() else { return };
        let own = self.play.seat();
        let bodies = self.play.bodies();
        let nearness = |at: Point| {
            let ear = own.and_then(|own| bodies.get(own.index()));
            ear.map_or(0.35, |ear| (1.0 - ear.distance(at) / EARSHOT).clamp(0.0, 1.0))
        };
        let since = self.shown.unwrap_or(Tick(confirmed.tick.0.wrapping_sub(STALE_TICKS.unsigned_abs())));
        for happening in confirmed.happenings.iter().flatten() {
            let is_news = happening.tick.since(since) > 0 && confirmed.tick.since(happening.tick) < STALE_TICKS;
            let Some(at) = self.places.get(happening.to.index()).copied().filter(|_| is_news) else { continue };
            let ink = colour(happening.to.index(), own == Some(happening.to));
            match happening.kind {
                HappeningKind::Hit => {
                    self.painter.effects.light(Flash::Spark, at, ink);
                    sounds.push(Sound::Hit(nearness(at)));
                }
                HappeningKind::Down => {
                    self.painter.effects.light(Flash::Burst, at, ink);
                    sounds.push(Sound::Burst(nearness(at)));
                    if own == Some(happening.by) {
                        self.won = Some((confirmed.tick, happening.to));
                        sounds.push(Sound::Cheer(0.5));
                    }
                    if own == Some(happening.to) {
                        self.lost = Some((confirmed.tick, happening.by));
                    }
                }
            }
            if own == Some(happening.to) {
                self.painter.effects.hurt();
            }
        }
        self.shown = Some(confirmed.tick);
        self.mark_starts();
        self.hear_own_shot(sounds);
    }

    /// Craft that have jumped since the last frame start anew where they are.
    fn mark_starts(&mut self) {
        let own = self.play.seat().map(SeatId::index);
        for (seat, (before, at)) in self.places.iter().zip(self.play.bodies()).enumerate() {
            if before.distance(*at) > START_UNITS {
                self.painter.effects.light(Flash::Start, *at, colour(seat, own == Some(seat)));
            }
        }
        self.places.clear();
        self.places.extend_from_slice(self.play.bodies());
    }

    /// The own gun is heard with the frame it is fired in.
    fn hear_own_shot(&mut self, sounds: &mut Vec<Sound>) {
        let (Some(own), Some(view)) = (self.play.seat(), self.play.view()) else { return };
        let newest = view.shots.iter().filter(|shot| shot.owner == own).map(|shot| shot.age).min();
        let fired = newest.map(|age| Tick(view.tick.0.wrapping_sub(u32::from(age))));
        // A correction may move a shot by a tick or two; two shots are much farther apart.
        let is_new = |fired: &Tick| self.heard_shot.is_none_or(|heard| fired.since(heard) > 5);
        if let Some(fired) = fired.filter(is_new) {
            self.heard_shot = Some(fired);
            sounds.push(Sound::Shot);
        }
    }

    fn note_words(&mut self) {
        let Some(view) = self.play.confirmed() else { return };
        let fresh = |event: Option<(Tick, SeatId)>| {
            event.filter(|(tick, _)| (0..BANNER_TICKS).contains(&view.tick.since(*tick))).map(|(_, seat)| seat)
        };
        let of = WordsOf {
            scores: view.craft.iter().map(|craft| craft.score).collect(),
            hp: self.play.seat().and_then(|own| view.craft.get(own.index())).map(|craft| craft.hp),
            news: News { lost_to: fresh(self.lost), won_over: fresh(self.won) },
            own: self.play.seat(),
            roster_count: self.roster_count,
        };
        if self.words_of.as_ref() != Some(&of) {
            self.words = words::words(view, of.news, of.own, &self.roster);
            self.words_of = Some(of);
            self.words_fresh = true;
        }
    }
}

impl Screen for Skirmish {
    fn furniture(&self) -> &'static Furniture {
        &controls::FURNITURE
    }

    fn resumed(&mut self, welcome: &Welcome, now_ms: f64) -> bool {
        let is_same = welcome.game == Data::ID && super::setup(welcome).as_ref() == Some(self.play.setup());
        if is_same {
            self.play.resumed(welcome, now_ms);
        }
        is_same
    }

    fn snapshot(&mut self, snapshot: &Snapshot, now_ms: f64) {
        self.play.snapshot(snapshot, now_ms);
    }

    fn steps(&mut self, steps: &Steps, now_ms: f64) {
        self.play.steps(steps, now_ms);
    }

    fn lacks_view(&self) -> bool {
        self.play.lacks_view()
    }

    fn hide(&mut self, is_hidden: bool) {
        self.play.hide(is_hidden);
    }

    fn roster(&mut self, roster: &[RosterEntry]) {
        self.roster.clear();
        self.roster.extend_from_slice(roster);
        self.roster_count += 1;
        self.painter.labels.clear();
    }

    fn seated(&mut self, seat: SeatId, tick: Tick) {
        self.play.seated(seat, tick);
    }

    fn unseated(&mut self) {
        self.play.unseated();
    }

    fn paced(&mut self, pace: Pace) {
        self.play.paced(pace);
    }

    fn stalled(&mut self, ticks: u32) {
        self.play.stalled(ticks);
    }

    fn round_trip(&mut self, rtt_ms: f64) {
        self.play.round_trip(rtt_ms);
    }

    fn frame(&mut self, frame: &mut Frame<'_>) {
        let elapsed_ms = frame.now_ms - self.frame_ms;
        self.frame_ms = frame.now_ms;
        let camera = self.painter.camera;
        // The person aims at what the last picture showed.
        let own = self.play.seat().and_then(|seat| self.play.bodies().get(seat.index()).copied());
        let by_itself = self.play.seat().zip(self.play.view()).map(|(seat, view)| controls::aim_by_itself(seat, view));
        let (pad, send) = (&mut *frame.pad, &mut *frame.send);
        self.play.frame(
            frame.now_ms,
            &mut || controls::input(pad.sample(), &camera, own, by_itself.unwrap_or_default()),
            &mut |tick, input| send(tick, packed(input)),
        );
        self.look(frame.sounds);
        self.note_words();
        let (Some(view), Some(nearing), Some(confirmed)) =
            (self.play.view(), self.play.nearing(), self.play.confirmed())
        else {
            return;
        };
        let scene = Scene {
            view,
            nearing,
            instructions: &confirmed.instructions,
            bodies: self.play.bodies(),
            roster: &self.roster,
            own: self.play.seat(),
        };
        self.painter.paint(frame, &scene, elapsed_ms);
    }

    fn rest(&mut self, send: &mut dyn FnMut(Tick, Vec<u8>)) {
        self.play.rest(&mut |tick, input| send(tick, packed(input)));
    }

    fn words(&mut self) -> Option<&Words> {
        std::mem::take(&mut self.words_fresh).then_some(&self.words)
    }

    fn figures(&self) -> Figures {
        self.play.figures()
    }

    fn tick(&self) -> Tick {
        self.play.confirmed().map_or_else(Tick::default, |view| view.tick)
    }

    fn describe(&self) -> String {
        let (Some(confirmed), Some((nearing, short))) = (self.play.confirmed(), self.play.nearing()) else {
            return "null".into();
        };
        describe(confirmed, (nearing, short), self.play.bodies(), &self.roster, self.play.seat())
    }
}

fn packed(input: Input) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(contract::limits::INPUT_BYTES_MAX);
    input.pack(&mut bytes);
    bytes
}

/// The picture as JSON: what is shown where, in units of the arena.
fn describe(
    view: &View,
    (nearing, short): (&View, f32),
    bodies: &[Point],
    roster: &[RosterEntry],
    own: Option<SeatId>,
) -> String {
    let place = |point: Point| serde_json::json!({ "x": point.x, "y": point.y });
    let players: Vec<_> = roster
        .iter()
        .map(|entry| {
            let at = entry.seat.index();
            let craft = view.craft.get(at).copied().unwrap_or_default();
            serde_json::json!({
                "seat": entry.seat,
                "holder": entry.holder,
                "is_away": entry.is_away,
                "name": entry.name,
                "at": place(bodies.get(at).copied().unwrap_or_default()),
                "hp": craft.hp,
                "score": craft.score,
                "intent": view.instructions.get(at).map(|told| words::intent(told, roster)),
            })
        })
        .collect();
    let shots: Vec<_> = nearing
        .shots
        .iter()
        .filter_map(|shot| Some(serde_json::json!({ "owner": shot.owner, "at": place(shot_at(shot, short)?) })))
        .collect();
    serde_json::json!({ "game": "skirmish", "tick": view.tick, "own": own, "players": players, "shots": shots })
        .to_string()
}
