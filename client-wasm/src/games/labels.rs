//! Names under players and speech tags above them: who plays, what kind of player that is, and what it is up to.

use contract::{Holder, RosterEntry, SeatId};
use web_sys::{CanvasRenderingContext2d, Document};

use super::paint::{DARK, FONT, LIGHT, OWN, SHADE, Sprite, circle, round_rect};

const NAME_HEIGHT: f64 = 16.0;
const TAG_HEIGHT: f64 = 20.0;
const BADGE: f64 = 5.5;
/// Between a label and the page's edge.
const MARGIN: f64 = 2.0;
/// Longer names and tags are cut on the pitch, in pixels.
const WIDTH_MAX: f64 = 132.0;

/// What is written at one player, who is up to `T`.
pub(crate) struct Label<T> {
    /// Below the player.
    pub(crate) name: Option<Sprite>,
    /// Above the player, for Agents.
    pub(crate) tag: Option<Sprite>,
    task: Option<T>,
}

impl<T> Default for Label<T> {
    fn default() -> Self {
        Self { name: None, tag: None, task: None }
    }
}

/// Where a label begins so that all of it is on a page of this length, if it wants to begin at `start`.
pub(crate) fn on_page(start: f64, length: f64, page: f64) -> f64 {
    start.min(page - length - MARGIN).max(MARGIN)
}

/// What is written at all players.
pub(crate) struct Labels<T> {
    /// By seat, as far as they have been asked for.
    labels: Vec<Label<T>>,
    own: Option<SeatId>,
    pixel_ratio: f64,
}

impl<T> Default for Labels<T> {
    fn default() -> Self {
        Self { labels: Vec::new(), own: None, pixel_ratio: 0.0 }
    }
}

impl<T: PartialEq> Labels<T> {
    /// Forgets what is painted: who plays has changed.
    pub(crate) fn clear(&mut self) {
        self.labels.clear();
    }

    /// Takes note of what all labels depend on.
    pub(crate) fn prepare(&mut self, own: Option<SeatId>, pixel_ratio: f64) {
        if self.own != own || self.pixel_ratio.to_bits() != pixel_ratio.to_bits() {
            self.own = own;
            self.pixel_ratio = pixel_ratio;
            self.clear();
        }
    }

    /// The label of a seat, painted anew if it has changed.
    pub(crate) fn of(
        &mut self,
        document: &Document,
        entry: &RosterEntry,
        task: Option<T>,
        words: impl FnOnce(&T) -> String,
    ) -> &Label<T> {
        let own = self.own == Some(entry.seat);
        let at = entry.seat.index();
        if at >= self.labels.len() {
            self.labels.resize_with(at + 1, Label::default);
        }
        let label = &mut self.labels[at];
        if label.name.is_none() {
            label.name = paint_name(document, entry, own, self.pixel_ratio);
        }
        if entry.holder == Holder::Agent && label.task != task {
            // Status and times change often, words seldom; painting one tag costs less than a frame either way.
            label.tag = task.as_ref().and_then(|task| paint_tag(document, &words(task), self.pixel_ratio));
            label.task = task;
        }
        label
    }
}

fn paint_name(document: &Document, entry: &RosterEntry, own: bool, pixel_ratio: f64) -> Option<Sprite> {
    let bot = entry.holder == Holder::Bot;
    let font = format!("{} 11px {FONT}", if bot { 500 } else { 650 });
    // Mechanics play for somebody who is away, so the name is shown as quietly as a bot's.
    let quiet = bot || entry.is_away;
    let away = format!("{} (away)", entry.name.as_str());
    let text = if entry.is_away { &away } else { entry.name.as_str() };
    let width = text_width(document, &font, text)? + 4.0 * BADGE + 4.0;
    Sprite::paint(document, (width, NAME_HEIGHT), pixel_ratio, |context| {
        context.set_fill_style_str(if own { DARK } else { SHADE });
        context.set_global_alpha(if entry.is_away {
            0.5
        } else if bot {
            0.72
        } else {
            1.0
        });
        round_rect(context, (0.0, 0.0), (width, NAME_HEIGHT), NAME_HEIGHT / 2.0);
        context.fill();
        context.set_global_alpha(if entry.is_away { 0.6 } else { 1.0 });
        let ink = if own {
            OWN
        } else if quiet {
            "#cfe0d5"
        } else {
            LIGHT
        };
        badge(context, entry.holder, (BADGE + 3.0, NAME_HEIGHT / 2.0), ink);
        write(context, &font, ink, text, (2.0 * BADGE + 6.0, NAME_HEIGHT / 2.0 + 0.5));
    })
}

fn paint_tag(document: &Document, text: &str, pixel_ratio: f64) -> Option<Sprite> {
    let font = format!("600 11px {FONT}");
    let width = text_width(document, &font, text)? + 16.0;
    let tail = 5.0;
    Sprite::paint(document, (width, TAG_HEIGHT + tail), pixel_ratio, |context| {
        context.set_fill_style_str("rgba(250, 252, 248, 0.94)");
        round_rect(context, (0.0, 0.0), (width, TAG_HEIGHT), 7.0);
        context.fill();
        context.begin_path();
        context.move_to(width / 2.0 - tail, TAG_HEIGHT - 0.5);
        context.line_to(width / 2.0 + tail, TAG_HEIGHT - 0.5);
        context.line_to(width / 2.0, TAG_HEIGHT + tail);
        context.fill();
        write(context, &font, DARK, text, (8.0, TAG_HEIGHT / 2.0 + 0.5));
    })
}

/// A mark for each kind of player: a head and shoulders, a spark, a robot's face.
fn badge(context: &CanvasRenderingContext2d, holder: Holder, (x, y): (f64, f64), ink: &str) {
    context.set_fill_style_str(ink);
    match holder {
        Holder::Person => {
            circle(context, (x, y - 2.4), 2.5);
            context.fill();
            context.begin_path();
            let _ = context.ellipse(x, y + 5.0, 4.6, 4.4, 0.0, 0.5 * super::paint::TURN, super::paint::TURN);
            context.fill();
        }
        Holder::Agent => {
            context.begin_path();
            context.move_to(x, y - BADGE);
            for (cx, cy, ex, ey) in
                [(1.0, -1.0, BADGE, 0.0), (1.0, 1.0, 0.0, BADGE), (-1.0, 1.0, -BADGE, 0.0), (-1.0, -1.0, 0.0, -BADGE)]
            {
                context.quadratic_curve_to(x + cx, y + cy, x + ex, y + ey);
            }
            context.fill();
        }
        Holder::Bot => {
            round_rect(context, (x - 4.2, y - 2.4), (8.4, 6.6), 1.8);
            context.fill();
            context.fill_rect(x - 0.6, y - 5.2, 1.2, 3.0);
            context.set_fill_style_str(DARK);
            for eye in [-1.9, 1.9] {
                circle(context, (x + eye, y + 0.7), 1.0);
                context.fill();
            }
        }
    }
}

fn write(context: &CanvasRenderingContext2d, font: &str, ink: &str, text: &str, (x, y): (f64, f64)) {
    context.set_font(font);
    context.set_text_baseline("middle");
    context.set_fill_style_str(ink);
    let _ = context.fill_text_with_max_width(text, x, y, WIDTH_MAX);
}

fn text_width(document: &Document, font: &str, text: &str) -> Option<f64> {
    let mut width = 0.0;
    Sprite::paint(document, (1.0, 1.0), 1.0, |context| {
        context.set_font(font);
        width = context.measure_text(text).map_or(0.0, |metrics| metrics.width());
    })?;
    Some(width.min(WIDTH_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "nothing is rounded")]
    fn a_label_at_the_edge_is_all_on_the_page() {
        assert_eq!(on_page(-30.0, 80.0, 320.0), MARGIN);
        assert_eq!(on_page(100.0, 80.0, 320.0), 100.0);
        assert_eq!(on_page(300.0, 80.0, 320.0), 320.0 - 80.0 - MARGIN);
        assert_eq!(on_page(10.0, 400.0, 320.0), MARGIN, "of a longer one than the page, the beginning");
    }
}
