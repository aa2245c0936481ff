//! Draws one moment.

use contract::{
    Holder, RosterEntry, SeatId,
    games::skirmish::{Instruction, View},
};

use super::{
    camera::Camera,
    craft::{self, colour},
    direction,
    effects::Effects,
    radar, shot_at, space, words,
};
use crate::{
    games::{
        Frame,
        labels::{Label, Labels, on_page},
        paint::Sprite,
    },
    netcode::Point,
};

/// With more craft than this, bots go without names.
const NAMES_MAX: usize = 16;

/// What is to be seen at one moment.
pub(super) struct Scene<'a> {
    /// The craft.
    pub(super) view: &'a View,
    /// The view the picture moves towards, and how many ticks it is short of it: for shots.
    pub(super) nearing: (&'a View, f32),
    /// What seats were told, as the server has it.
    pub(super) instructions: &'a [Instruction],
    pub(super) bodies: &'a [Point],
    pub(super) roster: &'a [RosterEntry],
    pub(super) own: Option<SeatId>,
}

/// Draws scenes, and remembers what makes motion.
#[derive(Default)]
pub(super) struct Painter {
    pub(super) camera: Camera,
    pub(super) effects: Effects,
    pub(super) labels: Labels<Instruction>,
}

impl Painter {
    /// Draws a scene, a while after the last one.
    pub(super) fn paint(&mut self, frame: &Frame<'_>, scene: &Scene<'_>, elapsed_ms: f64) {
        let own = scene.own.map(SeatId::index);
        let own_body = own.and_then(|own| scene.bodies.get(own)).copied();
        self.camera.watch(&frame.layout, own_body, leader(scene), elapsed_ms);
        self.effects.pass(elapsed_ms);
        self.labels.prepare(scene.own, frame.layout.pixel_ratio);
        let context = frame.context;
        space::draw(context, &self.camera, &frame.layout);
        self.draw_labels(frame, scene, |label| label.name.as_ref(), |scale, _| 30.0 * scale);
        let (towards, short) = scene.nearing;
        for shot in &towards.shots {
            let Some(at) = shot_at(shot, short) else { continue };
            let owner = shot.owner.index();
            craft::draw_shot(context, &self.camera, at, direction(shot.aim), colour(owner, own == Some(owner)));
        }
        for (seat, craft_at) in scene.view.craft.iter().zip(scene.bodies.iter().copied()).enumerate() {
            let is_own = own == Some(seat);
            craft::draw(context, &self.camera, craft_at, colour(seat, is_own), is_own);
        }
        self.effects.draw(context, &self.camera);
        self.draw_labels(frame, scene, |label| label.tag.as_ref(), |scale, tag| -34.0 * scale - tag.height);
        if own.is_some() {
            radar::draw(context, &self.camera, &frame.layout, scene.bodies, own);
        }
        self.effects.draw_rim(context, &frame.layout);
    }

    fn draw_labels(
        &mut self,
        frame: &Frame<'_>,
        scene: &Scene<'_>,
        part: impl Fn(&Label<Instruction>) -> Option<&Sprite>,
        top: impl Fn(f64, &Sprite) -> f64,
    ) {
        let scale = self.camera.scale.max(0.4);
        let shows_bots = scene.roster.len() <= NAMES_MAX;
        for entry in scene.roster.iter().filter(|entry| shows_bots || entry.holder != Holder::Bot) {
            let Some(at) = scene.bodies.get(entry.seat.index()) else { continue };
            let (x, y) = self.camera.place(*at);
            if !(-80.0..=frame.layout.width + 80.0).contains(&x) || !(-60.0..=frame.layout.height + 60.0).contains(&y) {
                continue;
            }
            let told = scene.instructions.get(entry.seat.index()).copied();
            let words = |told: &Instruction| words::intent(told, scene.roster);
            let label = self.labels.of(frame.document, entry, told, words);
            if let Some(sprite) = part(label) {
                let (mut left, mut top) = (x - sprite.width / 2.0, y + top(scale, sprite));
                // What flies beyond the edge takes its name along.
                if (0.0..=frame.layout.width).contains(&x) && (0.0..=frame.layout.height).contains(&y) {
                    left = on_page(left, sprite.width, frame.layout.width);
                    top = on_page(top, sprite.height, frame.layout.height);
                }
                // Whole pixels keep text sharp.
                sprite.show(frame.context, left.round(), top.round());
            }
        }
    }
}

/// Who is worth watching: whoever has shot down the most.
fn leader(scene: &Scene<'_>) -> Point {
    let best = scene.view.craft.iter().enumerate().max_by_key(|(seat, craft)| (craft.score, usize::MAX - seat));
    best.and_then(|(seat, _)| scene.bodies.get(seat)).copied().unwrap_or_default()
}
