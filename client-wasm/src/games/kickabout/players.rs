//! The players: discs in kits, and what only the own one shows (stamina, charge, aim).

use contract::{
    TeamId,
    games::kickabout::{Armed, Player},
};
use sim::games::kickabout::{CHARGE_MAX, PLAYER_RADIUS, STAMINA_MAX};
use web_sys::{CanvasRenderingContext2d, Document};

use super::{
    camera::Camera,
    controls,
    paint::{DARK, LIGHT, OWN, RIM, Sprite, TEAM, TRIM, arc, circle},
};
use crate::netcode::Point;

/// Room around a disc in its picture, in parts of the radius.
const PADDING: f64 = 1.2;

/// The kits, painted once for each size.
#[derive(Default)]
pub(super) struct Kits {
    sprites: [Option<Sprite>; 2],
    painted_for: Option<(f64, f64)>,
}

impl Kits {
    /// Paints the kits if the size has changed.
    pub(super) fn prepare(&mut self, document: &Document, camera: &Camera, pixel_ratio: f64) {
        let key = Some((camera.scale, pixel_ratio));
        if self.painted_for != key {
            self.painted_for = key;
            let radius = f64::from(PLAYER_RADIUS) * camera.scale;
            self.sprites = [0, 1].map(|team| paint_kit(document, team, radius, pixel_ratio));
        }
    }

    /// Draws one player's disc.
    pub(super) fn draw(
        &self,
        context: &CanvasRenderingContext2d,
        camera: &Camera,
        team: TeamId,
        player: &Player,
        at: Point,
    ) {
        let radius = f64::from(PLAYER_RADIUS) * camera.scale;
        let (x, y) = camera.place(at);
        if let Some(kit) = self.sprites.get(team.index()).and_then(Option::as_ref) {
            kit.show_around(context, (x, y));
        }
        if player.input.kick || player.armed != Armed::No {
            context.set_stroke_style_str("#ffffff");
            context.set_line_width((radius * 0.2).max(2.0));
            circle(context, (x, y), radius);
            context.stroke();
        }
        if let Some((dx, dy)) = controls::unit(player.input.direction) {
            let (dx, dy) = camera.turn((f64::from(dx), f64::from(dy)));
            context.set_fill_style_str(LIGHT);
            circle(context, (x + dx * radius * 0.62, y + dy * radius * 0.62), radius * 0.17);
            context.fill();
        }
    }
}

/// A disc seen from above: red with an upright stripe and a light rim, blue with hoops and a dark rim.
fn paint_kit(document: &Document, team: usize, radius: f64, pixel_ratio: f64) -> Option<Sprite> {
    let half = radius * PADDING + 3.0;
    Sprite::paint(document, (2.0 * half, 2.0 * half), pixel_ratio, |context| {
        context.set_fill_style_str("rgba(0, 20, 10, 0.28)");
        circle(context, (half + radius * 0.12, half + radius * 0.2), radius);
        context.fill();
        context.save();
        circle(context, (half, half), radius);
        context.clip();
        context.set_fill_style_str(TEAM[team]);
        context.fill_rect(0.0, 0.0, 2.0 * half, 2.0 * half);
        context.set_fill_style_str(TRIM[team]);
        if team == 0 {
            context.fill_rect(half - radius * 0.24, 0.0, radius * 0.48, 2.0 * half);
        } else {
            for hoop in [-0.62, 0.22] {
                context.fill_rect(0.0, half + hoop * radius, 2.0 * half, radius * 0.4);
            }
        }
        context.restore();
        let rim = (radius * 0.16).max(1.5);
        context.set_stroke_style_str(RIM[team]);
        context.set_line_width(rim);
        circle(context, (half, half), radius - rim / 2.0);
        context.stroke();
        context.set_stroke_style_str(DARK);
        context.set_line_width(1.0);
        circle(context, (half, half), radius);
        context.stroke();
    })
}

/// Draws what shows the own player where it is and how it stands.
pub(super) fn draw_own(context: &CanvasRenderingContext2d, camera: &Camera, player: &Player, at: Point) {
    let radius = f64::from(PLAYER_RADIUS) * camera.scale;
    let (x, y) = camera.place(at);
    let around = radius + 4.5;

    context.set_line_cap("round");
    context.set_line_width(3.5);
    context.set_stroke_style_str("rgba(9, 24, 18, 0.45)");
    circle(context, (x, y), around);
    context.stroke();
    let stamina = f64::from(player.stamina) / f64::from(STAMINA_MAX);
    if stamina > 0.01 {
        context.set_stroke_style_str(if stamina < 0.25 { "#ff9a3d" } else { OWN });
        arc(context, (x, y), around, -0.25, -0.25 + stamina.min(1.0));
        context.stroke();
    }

    let charge = (f64::from(player.charge) / f64::from(CHARGE_MAX)).min(1.0);
    if charge > 0.0 && player.input.kick {
        context.set_stroke_style_str(if charge >= 1.0 { "#ff5f3d" } else { "#ffffff" });
        context.set_line_width(4.0);
        arc(context, (x, y), around + 5.5, -0.25, -0.25 + charge);
        context.stroke();
    }

    if let Some((dx, dy)) = controls::unit(player.input.direction) {
        let (dx, dy) = camera.turn((f64::from(dx), f64::from(dy)));
        let from = around + 5.0 + if player.input.kick { 4.0 } else { 0.0 };
        let length = 9.0 + 20.0 * charge;
        pointer(context, (x, y), (dx, dy), from, length);
    }
}

/// A triangle that points away from a place.
fn pointer(context: &CanvasRenderingContext2d, (x, y): (f64, f64), (dx, dy): (f64, f64), from: f64, length: f64) {
    let half = 5.0;
    context.begin_path();
    context.move_to(x + dx * (from + length), y + dy * (from + length));
    context.line_to(x + dx * from - dy * half, y + dy * from + dx * half);
    context.line_to(x + dx * from + dy * half, y + dy * from - dx * half);
    context.close_path();
    context.set_fill_style_str(OWN);
    context.fill();
    context.set_stroke_style_str("rgba(9, 24, 18, 0.55)");
    context.set_line_width(1.0);
    context.stroke();
}

/// Draws an arrow at the edge of the picture, towards something beyond it.
pub(super) fn draw_beyond(context: &CanvasRenderingContext2d, camera: &Camera, point: Point) {
    if let Err((x, y)) = camera.edge(point, 16.0) {
        let to = camera.place(point);
        let (dx, dy) = (to.0 - x, to.1 - y);
        let length = dx.hypot(dy).max(1e-6);
        pointer(context, (x, y), (dx / length, dy / length), -4.0, 14.0);
    }
}
