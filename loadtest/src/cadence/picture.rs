//! The chart: two curves over the ladder of cadences. As a file of its own it carries its colours, for light and dark.

use std::fmt::Write as _;

use super::{Findings, Rung, report::latency, tally::Tally};

/// The drawing's own units: text of 13 is readable where the drawing is as narrow as a phone.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 92.0;
const BOTTOM: f64 = 48.0;

/// Ends of the x axis, in milliseconds.
const X: (f64, f64) = (7.0, 40_000.0);
/// The rungs of the ladder: up to which latency each reaches, and who decides so fast.
const LADDER: [(f64, &str, &str); 4] = [
    (40.0, "frame", "mechanics"),
    (700.0, "sub-second", "small policy"),
    (7_000.0, "seconds", "LLM Agent"),
    (X.1, "longer", "planner"),
];
/// Latencies named on the axis: others stand too close.
const NAMED_MS: [u32; 5] = [16, 150, 1_000, 5_000, 30_000];

const STYLE: &str = "
.cadence { --ink: #1b2330; --soft: #5d6878; --rule: #dfe3ea; --card: #fff; --orders: #157f4b; --keys: #c2600c; --band: #eef1f6 }
@media (prefers-color-scheme: dark) {
  .cadence { --ink: #e6ebf2; --soft: #96a3b5; --rule: #2b3645; --card: #18202b; --orders: #4cc98a; --keys: #f5a350; --band: #212b39 }
}
.cadence text { font: 13px system-ui, sans-serif; fill: var(--soft) }
.cadence text.title { font-size: 15px; font-weight: 650; fill: var(--ink) }
.cadence text.rung { font-weight: 650; fill: var(--ink) }
.cadence text.name { font-size: 14px; font-weight: 650; paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round }
.cadence text.base { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round }
.cadence .card { fill: var(--card) }
.cadence .rungs { fill: var(--band) }
.cadence .grid { stroke: var(--rule); fill: none }
.cadence .baseline { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 4; fill: none }
.cadence .curve { fill: none; stroke-width: 2.6; stroke-linejoin: round }
.cadence .spread { stroke: none; opacity: .22 }
.cadence .orders { stroke: var(--orders) } .cadence .keys { stroke: var(--keys) }
.cadence .live { fill: var(--card); stroke: var(--orders); stroke-width: 2 }
.cadence .thought { stroke: var(--keys); stroke-width: 2.4; fill: none }
.cadence .dot { fill: var(--keys); stroke: var(--keys); stroke-width: 1.6 }
.cadence .dot.kept { fill: var(--card) }
.cadence .dot.refused { fill: var(--card); stroke: var(--soft); stroke-dasharray: 2 1.6 }
.cadence .turns { stroke: var(--orders); stroke-width: .8; fill: none }
.cadence .orders.fill, .cadence text.orders { fill: var(--orders) } .cadence .keys.fill, .cadence text.keys { fill: var(--keys) }
";

/// How latencies and leads become places.
struct Scale {
    y: (f64, f64),
}

impl Scale {
    fn of(findings: &Findings) -> Self {
        let tallies = findings.rungs.iter().flat_map(|rung| [&rung.keys, &rung.orders]);
        let lanes = findings.live.iter().flat_map(|live| &live.lanes).map(|lane| lane.lead.low);
        let lows = tallies.chain([&findings.bot, &findings.idle]).map(|tally| tally.lead.low);
        let low = lows.chain(lanes).fold(0.0, f64::min);
        let high = findings.highest();
        let height = (high - low).max(1.0);
        // Above, there is the name of the upper curve.
        Self { y: (low - height * 0.06, high + height * 0.15) }
    }

    fn x(latency_ms: f64) -> f64 {
        LEFT + (latency_ms / X.0).ln() / (X.1 / X.0).ln() * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, lead: f64) -> f64 {
        HEIGHT - BOTTOM - (lead - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - TOP - BOTTOM)
    }
}

impl Findings {
    /// The chart as a file.
    pub(super) fn svg(&self) -> String {
        self.figure().replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"660\" height=\"600\" ", 1)
            + "\n"
    }

    /// The chart within a page.
    pub(super) fn figure(&self) -> String {
        let scale = Scale::of(self);
        let mut svg = format!(
            "<svg class=\"cadence\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Goals ahead per match by time between decisions: keys held and orders carried out by mechanics\">\n<style>{STYLE}</style>\n<rect class=\"card\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"10\"/>\n<text class=\"title\" x=\"14\" y=\"24\">Slow decisions win when mechanics act on them</text>\n"
        );
        draw_ladder(&mut svg);
        self.draw_axes(&scale, &mut svg);
        self.draw_baselines(&scale, &mut svg);
        self.draw_curve(&scale, "keys", |rung| &rung.keys, &mut svg);
        self.draw_curve(&scale, "orders", |rung| &rung.orders, &mut svg);
        self.draw_lanes(&scale, &mut svg);
        self.draw_names(&scale, &mut svg);
        svg + "</svg>"
    }

    fn draw_axes(&self, scale: &Scale, svg: &mut String) {
        let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0].into_iter().find(|step| (scale.y.1 - scale.y.0) / step <= 7.0);
        let step = step.unwrap_or(100.0);
        let mut lead = (scale.y.0 / step).ceil() * step;
        while lead <= scale.y.1 {
            let y = scale.y(lead);
            let sign = if lead > 0.0 { "+" } else { "" };
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{sign}{:.0}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.5,
                lead + 0.0
            );
            lead += step;
        }
        for latency_ms in NAMED_MS {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                Scale::x(f64::from(latency_ms)),
                HEIGHT - BOTTOM + 18.0,
                latency(latency_ms)
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"14\" y=\"42\">goals ahead per match, against the standard bot</text>\n<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">time a decision takes, and until the next arrives</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 10.0
        );
    }

    fn draw_curve(&self, scale: &Scale, class: &str, of: fn(&Rung) -> &Tally, svg: &mut String) {
        let place =
            |rung: &Rung, lead: f64| format!("{:.1} {:.1}", Scale::x(f64::from(rung.latency_ms)), scale.y(lead));
        let there = self.rungs.iter().map(|rung| place(rung, of(rung).lead.high));
        let back = self.rungs.iter().rev().map(|rung| place(rung, of(rung).lead.low));
        let outline: Vec<_> = there.chain(back).collect();
        let line: Vec<_> = self.rungs.iter().map(|rung| place(rung, of(rung).lead.value)).collect();
        let _ = writeln!(
            svg,
            "<path class=\"spread fill {class}\" d=\"M{}Z\"/><path class=\"curve {class}\" d=\"M{}\"/>",
            outline.join("L"),
            line.join("L")
        );
        for rung in &self.rungs {
            let (x, y) = (Scale::x(f64::from(rung.latency_ms)), scale.y(of(rung).lead.value));
            let _ =
                writeln!(svg, "<circle class=\"fill {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" stroke=\"none\"/>");
        }
    }

    /// Live lanes as diamonds on their rung: in time where their decisions are, in height where they got.
    fn draw_lanes(&self, scale: &Scale, svg: &mut String) {
        for lane in self.live.iter().flat_map(|live| &live.lanes) {
            let (x, y) = (Scale::x(lane.ladder_ms()), scale.y(lane.lead.value));
            let (low, high) = (scale.y(lane.lead.low), scale.y(lane.lead.high));
            let _ = writeln!(svg, "<path class=\"curve orders\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>");
            draw_diamond(x, y, svg);
        }
    }

    fn draw_baselines(&self, scale: &Scale, svg: &mut String) {
        let end = WIDTH - RIGHT;
        let (bot, idle) = (scale.y(self.bot.lead.value), scale.y(self.idle.lead.value));
        for (name, y, x, text_y, anchor) in [
            ("standard bot in the seat", bot, end - 4.0, bot + 16.0, "end"),
            ("nobody in the seat", idle, LEFT + 6.0, idle - 6.0, "start"),
        ] {
            let _ = writeln!(
                svg,
                "<path class=\"baseline\" d=\"M{LEFT} {y:.1}H{end:.1}\"/><text class=\"base\" x=\"{x:.1}\" y=\"{text_y:.1}\" text-anchor=\"{anchor}\">{name}</text>"
            );
        }
    }

    /// Names beside the curves: above the upper one, and above the lower one where it has fallen.
    fn draw_names(&self, scale: &Scale, svg: &mut String) {
        let Some(rung) = self.rungs.iter().find(|rung| rung.latency_ms == 1_000) else { return };
        let end = WIDTH - RIGHT - 4.0;
        let fallen = (scale.y(self.bot.lead.value) + scale.y(rung.keys.lead.value)) / 2.0;
        for (class, y, name) in [
            ("orders", scale.y(self.highest()) - 10.0, "orders that mechanics carry out"),
            ("keys", fallen + 2.0, "keys held until"),
            ("keys", fallen + 19.0, "the next decision"),
        ] {
            let _ = writeln!(
                svg,
                "<text class=\"name {class}\" x=\"{end:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{name}</text>"
            );
        }
        if self.live.is_some() {
            let (x, y) = (LEFT + 12.0, scale.y(self.idle.lead.value) - 32.0);
            draw_diamond(x, y, svg);
            let _ = writeln!(
                svg,
                "<text class=\"base\" x=\"{:.1}\" y=\"{:.1}\">live, over the real wire</text>",
                x + 11.0,
                y + 4.5
            );
        }
    }

    /// The highest lead that is drawn.
    fn highest(&self) -> f64 {
        let lanes = self.live.iter().flat_map(|live| &live.lanes).map(|lane| lane.lead.high);
        let rungs = self.rungs.iter().flat_map(|rung| [&rung.keys, &rung.orders]);
        rungs.chain([&self.bot]).map(|tally| tally.lead.high).chain(lanes).fold(0.0, f64::max)
    }
}

/// A live lane's figure.
fn draw_diamond(x: f64, y: f64, svg: &mut String) {
    let _ = writeln!(svg, "<path class=\"live\" d=\"M{x:.1} {:.1}l6 6l-6 6l-6 -6z\"/>", y - 6.0);
}

/// The rungs as bands, each with its name and with who decides so fast.
fn draw_ladder(svg: &mut String) {
    let mut from = X.0;
    for (at, (to, name, who)) in LADDER.into_iter().enumerate() {
        let (x, end) = (Scale::x(from), Scale::x(to));
        if at % 2 == 0 {
            let _ = writeln!(
                svg,
                "<rect class=\"rungs\" x=\"{x:.1}\" y=\"50\" width=\"{:.1}\" height=\"{:.1}\"/>",
                end - x,
                HEIGHT - BOTTOM - 50.0
            );
        }
        let middle = (x + end) / 2.0;
        let _ = writeln!(
            svg,
            "<text class=\"rung\" x=\"{middle:.1}\" y=\"66\" text-anchor=\"middle\">{name}</text><text x=\"{middle:.1}\" y=\"82\" text-anchor=\"middle\">{who}</text>"
        );
        from = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cadence::{duel::Outcome, live::Live, tally::Estimate};

    #[test]
    fn everything_is_within_the_drawing() {
        let tally = |goals| Tally::of(&[Outcome { goals, against: 9, decisions: 1, valid: 1 }, Outcome::default()]);
        let rung = |latency_ms| Rung { latency_ms, keys: tally(0), orders: tally(20) };
        let findings = Findings {
            machine: String::new(),
            matches: 2,
            minutes: 1,
            seed: 1,
            one_shot: false,
            rungs: crate::cadence::LATENCIES_MS.map(rung).to_vec(),
            bot: tally(9),
            idle: tally(0),
            kept_at_5s: Estimate::default(),
            live: Some(Live::sample()),
        };
        let svg = findings.svg();
        assert!(
            svg.starts_with("<svg xmlns=") && !svg.contains("NaN") && svg.matches("<circle").count() == 20,
            "{svg}"
        );
        assert_eq!(svg.matches("class=\"live\"").count(), 4, "three lanes, and what the mark means");
        let strips = findings.live.as_ref().map(Live::figure).unwrap_or_default();
        assert!(!strips.contains("NaN") && strips.matches("class=\"rung\"").count() == 3, "{strips}");
        for drawing in [&svg, &strips] {
            is_within(drawing);
        }
    }

    fn is_within(svg: &str) {
        for (attribute, most) in [(" x=\"", WIDTH), (" cx=\"", WIDTH), (" y=\"", HEIGHT), (" cy=\"", HEIGHT)] {
            for rest in svg.split(attribute).skip(1) {
                let value: f64 = rest.split('"').next().and_then(|value| value.parse().ok()).expect("a number");
                assert!((0.0..=most).contains(&value), "{attribute}{value}");
            }
        }
    }
}
