//! Draws one moment.

use contract::{
    GameData as _, RosterEntry, SeatId,
    games::kickabout::{Instruction, Kickabout as Data, PLAYERS_MAX, Setup, View},
};
use sim::games::kickabout::{PLAYER_RADIUS, Pitch};

use super::{
    ball::Ball,
    camera::Camera,
    effects::Effects,
    paint::{SURROUND, Sprite},
    players::{self, Kits},
    turf::Turf,
    words,
};
use crate::{
    games::{
        Frame, Layout,
        labels::{Label, Labels, on_page},
    },
    netcode::Point,
};

/// What is to be seen at one moment.
pub(super) struct Scene<'a> {
    pub(super) pitch: &'a Pitch,
    pub(super) view: &'a View,
    pub(super) instructions: &'a [Option<Instruction>; PLAYERS_MAX],
    /// The ball, then the players by seat.
    pub(super) bodies: &'a [Point],
    pub(super) roster: &'a [RosterEntry],
    pub(super) own: Option<SeatId>,
}

/// Draws scenes, and remembers what makes motion: camera, trail, effects.
#[derive(Default)]
pub(super) struct Painter {
    pub(super) camera: Camera,
    pub(super) effects: Effects,
    pub(super) labels: Labels<Instruction>,
    turf: Turf,
    kits: Kits,
    ball: Ball,
}

impl Painter {
    /// Draws a scene, a while after the last one.
    pub(super) fn paint(&mut self, frame: &mut Frame<'_>, scene: &Scene<'_>, elapsed_ms: f64) {
        let [ball, players @ ..] = scene.bodies else { return };
        let own = scene.own.and_then(|seat| players.get(seat.index()).copied());
        self.camera.fit(scene.pitch, &frame.layout);
        self.camera.watch(own, *ball, elapsed_ms);
        self.ball.moved(*ball, elapsed_ms);
        self.effects.pass(elapsed_ms);
        self.labels.prepare(scene.own, frame.layout.pixel_ratio);
        self.kits.prepare(frame.document, &self.camera, frame.layout.pixel_ratio);

        let context = frame.context;
        context.set_fill_style_str(SURROUND);
        context.fill_rect(0.0, 0.0, frame.layout.width, frame.layout.height);
        self.turf.show(context, frame.document, scene.pitch, &self.camera, frame.layout.pixel_ratio);
        self.ball.draw_trail(context, &self.camera);
        self.effects.draw_below(context, &self.camera);
        // Names lie below the discs: nothing may hide the ball.
        self.draw_labels(frame, scene, players, |label| label.name.as_ref(), Self::below);
        self.draw_players(frame, scene, players);
        self.ball.draw(context, &self.camera);
        self.draw_labels(frame, scene, players, |label| label.tag.as_ref(), Self::above);
        players::draw_beyond(context, &self.camera, *ball);
        self.effects.draw_above(context, &frame.layout);
    }

    /// A team has scored; the ball lies in the goal.
    pub(super) fn celebrate(&mut self, team: u8, ball: Point, layout: &Layout) {
        let at = self.camera.place(ball);
        self.effects.goal(team, (at.0.clamp(0.0, layout.width), at.1.clamp(0.0, layout.height)), layout);
    }

    fn draw_players(&self, frame: &Frame<'_>, scene: &Scene<'_>, bodies: &[Point]) {
        let team_size = u8::try_from(scene.view.player_count / 2).unwrap_or(1);
        let setup = Setup { team_size, ..Setup::default() };
        for (seat, (player, at)) in (0..).map(SeatId).zip(scene.view.players().iter().zip(bodies)) {
            if scene.own == Some(seat) {
                players::draw_own(frame.context, &self.camera, player, *at);
            }
            self.kits.draw(frame.context, &self.camera, Data::team_of(&setup, seat), player, *at);
        }
    }

    fn draw_labels(
        &mut self,
        frame: &Frame<'_>,
        scene: &Scene<'_>,
        bodies: &[Point],
        part: impl Fn(&Label<Instruction>) -> Option<&Sprite>,
        top: impl Fn(f64, &Sprite, bool) -> f64,
    ) {
        let radius = f64::from(PLAYER_RADIUS) * self.camera.scale;
        for entry in scene.roster {
            let Some(at) = bodies.get(entry.seat.index()) else { continue };
            let instruction = scene.instructions.get(entry.seat.index()).copied().flatten();
            let (x, y) = self.camera.place(*at);
            let words = |instruction: &Instruction| words::intent(instruction, scene.roster);
            let label = self.labels.of(frame.document, entry, instruction, words);
            if let Some(sprite) = part(label) {
                // Whole pixels keep text sharp.
                let top = (y + top(radius, sprite, scene.own == Some(entry.seat))).round();
                let left = on_page(x - sprite.width / 2.0, sprite.width, frame.layout.width);
                sprite.show(frame.context, left.round(), top);
            }
        }
    }

    /// Where a name is from the middle of its player; the own one has rings around it.
    fn below(radius: f64, _: &Sprite, own: bool) -> f64 {
        radius + if own { 8.0 } else { 3.0 }
    }

    /// Where a speech tag is.
    fn above(radius: f64, tag: &Sprite, _: bool) -> f64 {
        -radius - 4.0 - tag.height
    }
}
