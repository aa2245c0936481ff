//! A stretch of play of each lane, drawn: when somebody decided, and when mechanics acted in between.

use std::fmt::Write as _;

use contract::Tick;

use super::{
    Live, WINDOW_TICKS,
    seat::{Became, Course},
    watch::Acts,
};

/// The drawing's own units, as in the chart of the curves.
const WIDTH: f64 = 440.0;
const LEFT: f64 = 14.0;
const RIGHT: f64 = 14.0;
const HEIGHT: f64 = 400.0;
const TOP: f64 = 62.0;
/// Of one lane.
const ROW: f64 = 97.0;
/// Of the strokes for what mechanics do.
const STROKE: f64 = 26.0;

/// A stretch of one match, in ticks from its beginning.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Strip {
    /// When the seat's mechanics began to do something else.
    turned: Vec<i32>,
    /// From a sight to when its decision was there.
    decisions: Vec<(i32, i32, Became)>,
}

impl Strip {
    pub(super) fn of(course: &Course, acts: &Acts) -> Self {
        let at = |tick: Tick| tick.since(course.from);
        let decisions =
            course.decisions.iter().map(|decided| (at(decided.looked), at(decided.arrived), decided.became));
        let is_shown = |tick: &i32| (0..WINDOW_TICKS).contains(tick);
        Self {
            turned: acts.turned.iter().map(|tick| at(*tick)).filter(is_shown).collect(),
            decisions: decisions.filter(|(looked, ..)| *looked < WINDOW_TICKS).collect(),
        }
    }
}

impl Live {
    /// The drawing, for a page that has the chart of the curves too: that brings the style.
    pub(in crate::cadence) fn figure(&self) -> String {
        let mut svg = format!(
            "<svg class=\"cadence\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Twenty seconds of each lane: few decisions, and mechanics that act all the time\">\n<rect class=\"card\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"10\"/>\n<text class=\"title\" x=\"14\" y=\"24\">Between two decisions, mechanics play on</text>\n<text x=\"14\" y=\"42\">{} s of one live match in each lane; gaps are goals</text>\n",
            WINDOW_TICKS / 60
        );
        for (lane, at) in self.lanes.iter().zip(0_u32..) {
            let y = TOP + ROW * f64::from(at);
            let told = match lane.is_told_once {
                true => "told once".to_owned(),
                false => format!("{:.1} s a decision", lane.decision_ms / 1e3),
            };
            let _ = writeln!(
                svg,
                "<text class=\"rung\" x=\"{LEFT}\" y=\"{:.1}\">{}: {}</text><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{told}, acts {:.0}/s</text>",
                y + 15.0,
                lane.rung,
                lane.name,
                WIDTH - RIGHT,
                y + 15.0,
                lane.acted_per_second
            );
            draw_decisions(&lane.strip, y + 34.0, &mut svg);
            draw_turns(&lane.strip, y + 47.0, &mut svg);
        }
        draw_legend(&mut svg);
        svg + "</svg>"
    }
}

fn x(tick: i32) -> f64 {
    LEFT + f64::from(tick.clamp(0, WINDOW_TICKS)) / f64::from(WINDOW_TICKS) * (WIDTH - LEFT - RIGHT)
}

/// A line from each sight to its decision, and a dot there: filled if it gave an order.
fn draw_decisions(strip: &Strip, y: f64, svg: &mut String) {
    let _ = writeln!(svg, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/>", WIDTH - RIGHT);
    for (looked, arrived, became) in &strip.decisions {
        let (from, to) = (x(*looked), x(*arrived));
        let _ = writeln!(svg, "<path class=\"thought\" d=\"M{from:.1} {y:.1}H{to:.1}\"/>");
        if *arrived <= WINDOW_TICKS {
            draw_dot(*became, to, y, svg);
        }
    }
}

fn draw_dot(became: Became, x: f64, y: f64, svg: &mut String) {
    let class = match became {
        Became::Order => "dot",
        Became::Kept => "dot kept",
        Became::Refusal => "dot refused",
    };
    let _ = writeln!(svg, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\"/>");
}

/// A stroke for each tick in which the seat began to do something else.
fn draw_turns(strip: &Strip, y: f64, svg: &mut String) {
    let strokes: String = strip.turned.iter().map(|tick| format!("M{:.1} {y:.1}v{STROKE}", x(*tick))).collect();
    let _ = writeln!(svg, "<path class=\"turns\" d=\"{strokes}\"/>");
}

fn draw_legend(svg: &mut String) {
    let y = HEIGHT - 31.0;
    for (at, became, text) in [
        (LEFT + 4.0, Became::Order, "order"),
        (84.0, Became::Kept, "goes on as told"),
        (206.0, Became::Refusal, "order came too late"),
    ] {
        draw_dot(became, at, y, svg);
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{text}</text>", at + 9.0, y + 4.5);
    }
    let y = HEIGHT - 17.0;
    let _ = writeln!(
        svg,
        "<path class=\"turns\" d=\"M16 {y:.1}v10m3 -10v10m3 -10v10\"/><text x=\"31\" y=\"{:.1}\">mechanics change what the player does</text>",
        y + 9.5
    );
}

#[cfg(test)]
mod tests {
    use super::{super::seat::Decided, *};

    #[test]
    fn a_stretch_begins_with_the_first_sight() {
        let decided = |looked, arrived| Decided { looked: Tick(looked), arrived: Tick(arrived), became: Became::Kept };
        let course = Course {
            from: Tick(100),
            lead: 0,
            decisions: vec![decided(100, 160), decided(160, 9_000), decided(9_000, 9_100)],
        };
        let acts = Acts { turned: vec![Tick(90), Tick(100), Tick(130)], ..Acts::default() };
        let strip = Strip::of(&course, &acts);
        assert_eq!(strip.turned, [0, 30]);
        assert_eq!(strip.decisions, [(0, 60, Became::Kept), (60, 8_900, Became::Kept)]);
        let mut svg = String::new();
        draw_decisions(&strip, 10.0, &mut svg);
        assert_eq!(svg.matches("<circle").count(), 1, "the second arrives after the stretch: {svg}");
    }
}
