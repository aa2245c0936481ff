//! The games as a person sees them. One module each and a line in [`open`].

use contract::{GameData as _, Pace, RosterEntry, SeatId, Snapshot, Steps, Tick, Welcome};
use web_sys::{CanvasRenderingContext2d, Document};

use crate::{netcode::Figures, pad::Pad, sound::Sound};

pub mod kickabout;
mod labels;
mod paint;
pub mod skirmish;

/// One match of some game on the page: what the rest of the page needs of it.
pub trait Screen {
    /// What of the page belongs to the game.
    fn furniture(&self) -> &'static Furniture;
    /// The server welcomes this page again over another connection. Returns whether it is still the same match.
    fn resumed(&mut self, welcome: &Welcome, now_ms: f64) -> bool;
    /// A view arrived.
    fn snapshot(&mut self, snapshot: &Snapshot, now_ms: f64);
    /// What every seat did since the last view arrived.
    fn steps(&mut self, steps: &Steps, now_ms: f64);
    /// Whether nothing can be made of what arrives until a whole view does.
    fn lacks_view(&self) -> bool;
    /// The page is hidden, or seen again.
    fn hide(&mut self, is_hidden: bool);
    /// Who plays has changed.
    fn roster(&mut self, roster: &[RosterEntry]);
    /// This page plays a seat from a tick on.
    fn seated(&mut self, seat: SeatId, tick: Tick);
    /// This page only watches.
    fn unseated(&mut self);
    /// How early inputs arrive.
    fn paced(&mut self, pace: Pace);
    /// The server left out ticks.
    fn stalled(&mut self, ticks: u32);
    /// A round trip took so long.
    fn round_trip(&mut self, rtt_ms: f64);
    /// Plays what is due and draws the moment.
    fn frame(&mut self, frame: &mut Frame<'_>);
    /// The page lost the keyboard: the player stands still.
    fn rest(&mut self, send: &mut dyn FnMut(Tick, Vec<u8>));
    /// What to write around the picture, if it has changed since it was last asked for.
    fn words(&mut self) -> Option<&Words>;
    /// How the link does.
    fn figures(&self) -> Figures;
    /// The newest tick shown.
    fn tick(&self) -> Tick;
    /// The moment as JSON, for tools that look at the page from outside.
    fn describe(&self) -> String;
}

/// What a screen is given to make one frame.
pub struct Frame<'a> {
    /// The page's clock.
    pub now_ms: f64,
    /// What is drawn on, in CSS pixels.
    pub context: &'a CanvasRenderingContext2d,
    /// For drawing things once that are shown often.
    pub document: &'a Document,
    /// The picture's place on the page.
    pub layout: Layout,
    /// What the person does.
    pub pad: &'a mut Pad,
    /// Takes each tick's packed input.
    pub send: &'a mut dyn FnMut(Tick, Vec<u8>),
    /// Sounds to be made now.
    pub sounds: &'a mut Vec<Sound>,
}

/// Sizes in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Layout {
    /// Width of the page.
    pub width: f64,
    /// Height of the page.
    pub height: f64,
    /// Height at the top that other things cover.
    pub top: f64,
    /// Height at the bottom that other things cover.
    pub bottom: f64,
    /// Device pixels per CSS pixel.
    pub pixel_ratio: f64,
    /// The person prefers little motion.
    pub calm: bool,
}

/// What of the page belongs to a game. What `index.html` marks with `data-of` and the game's id is shown beside it.
#[derive(Debug)]
pub struct Furniture {
    /// The game's id.
    pub id: &'static str,
    /// What a person calls it.
    pub name: &'static str,
    /// What can be pressed.
    pub buttons: &'static [Button],
    /// The bit that asks for another match; 0 when matches have no end.
    pub rematch: u8,
}

/// What is written around the picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// Points of both sides.
    pub score: [u8; 2],
    /// Time left, as `2:05`.
    pub clock: String,
    /// A short remark beside the clock.
    pub remark: &'static str,
    /// Something to call out over the picture.
    pub banner: Option<Banner>,
    /// The result, once the match is over.
    pub finish: Option<Finish>,
    /// The best and the person, where everybody plays for themselves.
    pub standings: Vec<ScoreLine>,
    /// The person's health in percent, in a game that has any.
    pub health: Option<u8>,
}

/// A line of the standings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreLine {
    /// Place, from 1; equal points share one.
    pub rank: usize,
    /// The player's name.
    pub name: String,
    /// Points.
    pub points: u16,
    /// The player's colour.
    pub colour: &'static str,
    /// Whether it is the person at this page.
    pub is_own: bool,
}

/// Something to call out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Banner {
    /// One or two words.
    pub title: String,
    /// More about it.
    pub line: String,
    /// The side it is about.
    pub team: Option<u8>,
}

/// The end of a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finish {
    /// Who won.
    pub title: String,
    /// The side that won.
    pub team: Option<u8>,
    /// Who did what, one a line.
    pub lines: Vec<String>,
    /// Whether the person has asked for another match.
    pub asked_again: bool,
}

/// A button of a game, on the keyboard and under a thumb.
#[derive(Clone, Copy, Debug)]
pub struct Button {
    /// Its name in the page.
    pub name: &'static str,
    /// Its bit in [`Pad`].
    pub bit: u8,
    /// Keys that press it, by `KeyboardEvent.code`.
    pub keys: &'static [&'static str],
    /// Whether a click on the picture presses it.
    pub mouse: bool,
}

/// Opens the screen of the game a server has welcomed the page to; `None` when this page does not know it or its setup.
#[must_use]
pub fn open(welcome: &Welcome, now_ms: f64) -> Option<Box<dyn Screen>> {
    match welcome.game.as_str() {
        contract::games::kickabout::Kickabout::ID => {
            kickabout::Kickabout::open(welcome, now_ms).map(|screen| Box::new(screen) as Box<dyn Screen>)
        }
        contract::games::skirmish::Skirmish::ID => {
            skirmish::Skirmish::open(welcome, now_ms).map(|screen| Box::new(screen) as Box<dyn Screen>)
        }
        _ => None,
    }
}
