//! The screen of one match: the seam between netcode, picture, words and sounds.

use contract::{
    GameData as _, Pace, RosterEntry, SeatId, Snapshot, Steps, Tick, Welcome, WireInput as _,
    games::kickabout::{HappeningKind, Input, Kickabout as Data, Phase, View},
};
use sim::games::kickabout::{Kickabout as Rules, Pitch};

use super::{
    controls,
    picture::{Painter, Scene},
    sounds::{self, Ears},
    words::{self, News},
};
use crate::{
    games::{Frame, Furniture, Screen, Words},
    netcode::{Figures, Play, Point},
};

/// How long the golden goal is called out, in ticks.
const BANNER_TICKS: i32 = 150;

/// A match of Kickabout on the page.
pub struct Kickabout {
    play: Play<Rules>,
    pitch: Pitch,
    roster: Vec<RosterEntry>,
    ears: Ears,
    painter: Painter,
    news: News,
    golden_since: Option<Tick>,
    words: Words,
    /// What `words` was made from; `None` before the first view.
    words_of: Option<WordsOf>,
    words_fresh: bool,
    roster_count: u32,
    frame_ms: f64,
}

/// Everything the words depend on. Words are made only when this changes, which is about once a second.
#[derive(Clone, Copy, PartialEq)]
struct WordsOf {
    score: [u8; 2],
    clock_s: u32,
    golden_goal: bool,
    phase: Phase,
    phase_is_fresh: bool,
    news: News,
    roster_count: u32,
}

impl Kickabout {
    /// Opens the screen of a match; `None` when this page does not understand its setup.
    pub(crate) fn open(welcome: &Welcome, now_ms: f64) -> Option<Self> {
        let setup = super::setup(welcome)?;
        Some(Self {
            play: Play::new(setup, welcome, now_ms),
            pitch: Pitch::new(setup.team_size),
            roster: Vec::new(),
            ears: Ears::default(),
            painter: Painter::default(),
            news: News::default(),
            golden_since: None,
            words: Words::default(),
            words_of: None,
            words_fresh: false,
            roster_count: 0,
            frame_ms: now_ms,
        })
    }

    fn listen(&mut self, frame: &mut Frame<'_>) {
        let (Some(confirmed), Some(view)) = (self.play.confirmed(), self.play.view()) else { return };
        let side = self.play.team();
        let ball = self.play.bodies().first().copied().unwrap_or_default();
        let speed = ball_speed(view);
        let (painter, news, golden_since) = (&mut self.painter, &mut self.news, &mut self.golden_since);
        self.ears.listen(confirmed, view, |happening| {
            match happening.kind {
                HappeningKind::Kick | HappeningKind::Pass => painter.effects.strike(ball, (speed / 8.0).min(1.0)),
                HappeningKind::GoalRed | HappeningKind::GoalBlue => {
                    news.goal = Some(happening);
                    painter.celebrate(u8::from(happening.kind == HappeningKind::GoalBlue), ball, &frame.layout);
                }
                HappeningKind::GoldenGoal => *golden_since = Some(happening.tick),
                _ => {}
            }
            frame.sounds.push(sounds::sound(happening, speed, side));
        });
    }

    fn note_words(&mut self) {
        let Some(view) = self.play.confirmed() else { return };
        if !matches!(view.phase, Phase::Ended(_)) {
            self.news.asked_again = false;
        }
        self.news.golden = self.golden_since.is_some_and(|since| view.tick.since(since) < BANNER_TICKS);
        let of = WordsOf {
            score: view.score,
            clock_s: view.clock_ticks.div_ceil(60),
            golden_goal: view.golden_goal,
            phase: view.phase,
            phase_is_fresh: view.phase_ticks < 120,
            news: self.news,
            roster_count: self.roster_count,
        };
        if self.words_of != Some(of) {
            self.words_of = Some(of);
            self.words = words::words(view, self.news, &self.roster);
            self.words_fresh = true;
        }
    }
}

impl Screen for Kickabout {
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
        let (pad, send, asked_again) = (&mut *frame.pad, &mut *frame.send, &mut self.news.asked_again);
        self.play.frame(
            frame.now_ms,
            &mut || {
                let mut input = controls::input(pad.sample(), &camera);
                // The rules hear the wish only a while after the end, so it is kept up until then.
                *asked_again |= input.rematch;
                input.rematch = *asked_again;
                input
            },
            &mut |tick, input| send(tick, packed(input)),
        );
        self.listen(frame);
        self.note_words();
        let (Some(view), Some(confirmed)) = (self.play.view(), self.play.confirmed()) else { return };
        let scene = Scene {
            pitch: &self.pitch,
            view,
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
        let Some(confirmed) = self.play.confirmed() else { return "null".into() };
        describe(confirmed, self.play.bodies(), &self.roster, self.play.seat())
    }
}

fn packed(input: Input) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(contract::limits::INPUT_BYTES_MAX);
    input.pack(&mut bytes);
    bytes
}

fn ball_speed(view: &View) -> f32 {
    let steps = f32::from(contract::games::kickabout::GridVelocity::STEPS);
    (f32::from(view.ball.velocity.x) / steps).hypot(f32::from(view.ball.velocity.y) / steps)
}

/// The picture as JSON: what is shown where, in units of the pitch.
fn describe(view: &View, bodies: &[Point], roster: &[RosterEntry], own: Option<SeatId>) -> String {
    let at = |index: usize| bodies.get(index).copied().unwrap_or_default();
    let place = |point: Point| serde_json::json!({ "x": point.x, "y": point.y });
    let players: Vec<_> = roster
        .iter()
        .map(|entry| {
            let instruction = view.instructions.get(entry.seat.index()).copied().flatten();
            serde_json::json!({
                "seat": entry.seat,
                "team": entry.team,
                "holder": entry.holder,
                "is_away": entry.is_away,
                "name": entry.name,
                "at": place(at(entry.seat.index() + 1)),
                "intent": instruction.map(|instruction| words::intent(&instruction, roster)),
            })
        })
        .collect();
    serde_json::json!({
        "tick": view.tick,
        "phase": format!("{:?}", view.phase),
        "score": view.score,
        "own": own,
        "ball": place(at(0)),
        "players": players,
    })
    .to_string()
}
