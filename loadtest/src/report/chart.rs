//! Charts as SVG that a page can hold. Colours come from the page's style sheet, so that they suit light and dark.

use std::fmt::Write as _;

/// The drawing's own units: about the width of a phone, so that text is as large there as meant.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 24.0;
/// Of the line that says what the x axis is, below everything else.
const X_TITLE: f64 = 15.0;

/// Points of a line that are drawn; of more, the highest of each stretch.
const POINTS_MAX: usize = 300;

/// A chart of lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chart {
    pub(crate) title: String,
    /// What the numbers are, such as `ms`.
    pub(crate) unit: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) bands: Vec<Band>,
    /// A threshold.
    pub(crate) limit: Option<f64>,
    /// Names of places on the x axis; seconds without them.
    pub(crate) x_names: Vec<(f64, String)>,
    /// What the x axis is, if not time.
    pub(crate) x_title: String,
    /// A sentence below.
    pub(crate) note: String,
}

/// A line of a chart.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// Which of the page's colours.
    pub(crate) colour: usize,
    pub(crate) points: Vec<(f64, f64)>,
}

/// An event on the x axis.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) at: f64,
    /// Its number in the list of events.
    pub(crate) number: usize,
}

/// A stretch of the x axis in a colour.
#[derive(Clone, Debug)]
pub(crate) struct Band {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) colour: usize,
}

impl Line {
    pub(crate) fn new(name: &str, colour: usize, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        Self { name: name.to_owned(), colour, points: points.collect() }
    }

    /// At most [`POINTS_MAX`] points, the highest of each stretch.
    fn thinned(&self) -> Vec<(f64, f64)> {
        let stretch = self.points.len().div_ceil(POINTS_MAX).max(1);
        let highest = |points: &[(f64, f64)]| points.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a });
        self.points.chunks(stretch).filter_map(highest).collect()
    }
}

/// How numbers become places in the drawing.
struct Scale {
    x: (f64, f64),
    y_max: f64,
}

impl Scale {
    fn of(chart: &Chart) -> Self {
        let points = || chart.lines.iter().flat_map(|line| &line.points);
        // Time begins at 0 even if the first reading comes later.
        let is_time = chart.x_names.is_empty();
        let x_min = points().map(|point| point.0).reduce(f64::min).filter(|_| !is_time).unwrap_or(0.0);
        let x_max = points().map(|point| point.0).reduce(f64::max).unwrap_or(1.0);
        let highest = points().map(|point| point.1).reduce(f64::max).unwrap_or(0.0);
        let y_max = highest.max(chart.limit.map_or(0.0, |limit| limit * 1.05)).max(1e-6) * 1.05;
        Self { x: (x_min, if x_max > x_min { x_max } else { x_min + 1.0 }), y_max }
    }

    fn x(&self, x: f64) -> f64 {
        LEFT + (x - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - (y / self.y_max).clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM)
    }
}

impl Chart {
    /// The chart with its heading and legend.
    pub(crate) fn figure(&self) -> String {
        let mut legend = String::new();
        for line in &self.lines {
            let _ = write!(legend, "<span><i class=\"k{}\"></i>{}</span>", line.colour, escape(&line.name));
        }
        let note =
            if self.note.is_empty() { String::new() } else { format!("<p class=note>{}</p>", escape(&self.note)) };
        format!(
            "<figure><figcaption>{}<small>{}</small></figcaption>{}<div class=legend>{legend}</div>{note}</figure>\n",
            escape(&self.title),
            escape(&self.unit),
            self.svg()
        )
    }

    fn svg(&self) -> String {
        let scale = Scale::of(self);
        let height = HEIGHT + if self.x_title.is_empty() { 0.0 } else { X_TITLE };
        let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=img aria-label=\"{}\">", escape(&self.title));
        let floor = HEIGHT - BOTTOM;
        for Band { from, to, colour } in &self.bands {
            let (x, end) = (scale.x(from.max(scale.x.0)), scale.x(to.min(scale.x.1)));
            if end > x {
                let _ = write!(
                    svg,
                    "<rect class=\"band f{colour}\" x={x:.1} y={TOP} width={:.1} height={:.1} />",
                    end - x,
                    floor - TOP
                );
            }
        }
        for tick in nice_ticks(scale.y_max, 4) {
            let y = scale.y(tick);
            let _ = write!(
                svg,
                "<path class=grid d=\"M{LEFT} {y:.1}H{:.1}\"/><text x={:.1} y={:.1} text-anchor=end>{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                number(tick)
            );
        }
        self.draw_x_axis(&scale, &mut svg);
        self.draw_marks(&scale, &mut svg);
        if let Some(limit) = self.limit {
            let y = scale.y(limit);
            let _ = write!(svg, "<path class=limit d=\"M{LEFT} {y:.1}H{:.1}\"/>", WIDTH - RIGHT);
        }
        for line in &self.lines {
            let points = line.thinned();
            let path: Vec<_> = points.iter().map(|(x, y)| format!("{:.1} {:.1}", scale.x(*x), scale.y(*y))).collect();
            match points.as_slice() {
                [] => {}
                [(x, y)] => {
                    let _ = write!(
                        svg,
                        "<circle class=\"f{}\" cx={:.1} cy={:.1} r=3 />",
                        line.colour,
                        scale.x(*x),
                        scale.y(*y)
                    );
                }
                _ => drop(write!(svg, "<path class=\"line s{}\" d=\"M{}\"/>", line.colour, path.join("L"))),
            }
        }
        svg.push_str("</svg>");
        svg
    }

    /// A line for each moment at which something happened, with the numbers of what did.
    fn draw_marks(&self, scale: &Scale, svg: &mut String) {
        let mut moments: Vec<(f64, String)> = Vec::new();
        for mark in self.marks.iter().filter(|mark| mark.at >= scale.x.0 && mark.at <= scale.x.1) {
            match moments.last_mut().filter(|(at, _)| *at == mark.at) {
                Some((_, numbers)) => drop(write!(numbers, ",{}", mark.number)),
                None => moments.push((mark.at, mark.number.to_string())),
            }
        }
        for (at, numbers) in moments {
            let x = scale.x(at);
            let _ = write!(
                svg,
                "<path class=mark d=\"M{x:.1} {TOP}V{:.1}\"/><text class=mark x={x:.1} y={:.1} text-anchor=middle>{numbers}</text>",
                HEIGHT - BOTTOM,
                TOP - 4.0
            );
        }
    }

    fn draw_x_axis(&self, scale: &Scale, svg: &mut String) {
        let y = HEIGHT - 7.0;
        let named: Vec<(f64, String)> = if self.x_names.is_empty() {
            let ticks = nice_ticks(scale.x.1, 5).into_iter().filter(|tick| *tick >= scale.x.0);
            let is_long = scale.x.1 > 300.0;
            let name = |tick: f64| {
                if is_long { format!("{} min", number(tick / 60.0)) } else { format!("{} s", number(tick)) }
            };
            let step = |tick: f64| if is_long { (tick / 60.0).round() * 60.0 } else { tick };
            ticks.map(step).map(|tick| (tick, name(tick))).collect()
        } else {
            self.x_names.clone()
        };
        for (at, name) in named {
            let x = scale.x(at);
            let anchor = if x > WIDTH - RIGHT - 20.0 { "end" } else { "middle" };
            let _ = write!(
                svg,
                "<path class=grid d=\"M{x:.1} {:.1}v4\"/><text x={x:.1} y={y} text-anchor={anchor}>{}</text>",
                HEIGHT - BOTTOM,
                escape(&name)
            );
        }
        if !self.x_title.is_empty() {
            let _ = write!(
                svg,
                "<text x={:.1} y={:.1} text-anchor=middle>{}</text>",
                (LEFT + WIDTH - RIGHT) / 2.0,
                HEIGHT + X_TITLE - 7.0,
                escape(&self.x_title)
            );
        }
    }
}

/// Rows with a point and an interval each, around a line for zero: how much more than in the first arm.
pub(crate) fn bar_rows(title: &str, unit: &str, rows: &[(String, usize, f64, f64, f64)]) -> String {
    const ROW: f64 = 26.0;
    const NAMES: f64 = 118.0;
    let reach = rows.iter().flat_map(|row| [row.2.abs(), row.3.abs(), row.4.abs()]).fold(1e-6, f64::max) * 1.1;
    let height = ROW * rows.len() as f64 + 30.0;
    let middle = NAMES + (WIDTH - NAMES - RIGHT) / 2.0;
    let x = |value: f64| middle + value / reach * (WIDTH - NAMES - RIGHT) / 2.0;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=img aria-label=\"{}\">", escape(title));
    let _ = write!(svg, "<path class=axis d=\"M{middle} 4V{:.1}\"/>", height - 22.0);
    for tick in
        nice_ticks(reach, 2).into_iter().flat_map(|tick| if tick == 0.0 { vec![0.0] } else { vec![-tick, tick] })
    {
        let _ = write!(
            svg,
            "<text x={:.1} y={:.1} text-anchor=middle>{}{}</text>",
            x(tick),
            height - 6.0,
            if tick > 0.0 { "+" } else { "" },
            number(tick)
        );
    }
    for (at, (name, colour, value, low, high)) in rows.iter().enumerate() {
        let y = ROW * at as f64 + 20.0;
        let _ = write!(
            svg,
            "<text x=0 y={:.1}>{}</text><path class=\"line s{colour}\" d=\"M{:.1} {y}H{:.1}\"/><circle class=\"f{colour}\" cx={:.1} cy={y} r=4 />",
            y + 4.0,
            escape(name),
            x(*low),
            x(*high),
            x(*value)
        );
    }
    svg.push_str("</svg>");
    format!("<figure><figcaption>{}<small>{}</small></figcaption>{svg}</figure>\n", escape(title), escape(unit))
}

/// About so many round numbers from 0 to the highest.
fn nice_ticks(highest: f64, about: usize) -> Vec<f64> {
    let raw = highest / about as f64;
    let power = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= raw);
    let step = step.unwrap_or(power * 10.0);
    (0..=about * 3).map(|at| at as f64 * step).take_while(|tick| *tick <= highest * 1.000_001).collect()
}

/// A number as short as it can be.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if size >= 10_000.0 {
        let text = format!("{:.1}", value / 1000.0);
        return format!("{}k", text.trim_end_matches(".0"));
    }
    let digits = if size >= 100.0 || value == 0.0 {
        0
    } else if size >= 10.0 {
        1
    } else if size >= 1.0 {
        2
    } else {
        3
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A text that is only text in a page.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (0.0004, "0"),
            (1.5, "1.5"),
            (12.34, "12.3"),
            (250.0, "250"),
            (12_500.0, "12.5k"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn ticks_are_round_and_in_reach() {
        assert_eq!(nice_ticks(2.1, 4), [0.0, 1.0, 2.0]);
        assert_eq!(nice_ticks(60.0, 5), [0.0, 20.0, 40.0, 60.0]);
        for exponent in -6..6 {
            let highest = 3.7 * 10_f64.powi(exponent);
            let ticks = nice_ticks(highest, 4);
            assert!((3..=9).contains(&ticks.len()) && ticks.iter().all(|tick| *tick <= highest * 1.01), "{ticks:?}");
        }
    }

    #[test]
    fn the_title_of_the_x_axis_lies_on_nothing() {
        let chart = Chart {
            lines: vec![Line::new("a", 0, [(1.0, 90.0), (2.0, 100.0)])],
            limit: Some(2.0),
            x_names: vec![(1.0, "1".to_owned()), (2.0, "2".to_owned())],
            x_title: "matches".to_owned(),
            ..Chart::default()
        };
        let svg = chart.svg();
        let y_of = |text: &str| -> f64 {
            let before = svg.split(text).next().expect("a part");
            let y = before.rsplit(" y=").next().and_then(|rest| rest.split(' ').next());
            y.and_then(|y| y.parse().ok()).expect("a number")
        };
        assert!(y_of(">matches</text>") > y_of(">1</text>") + 11.0, "{svg}");
        assert!(svg.contains(&format!("0 0 {WIDTH} {}", HEIGHT + X_TITLE)), "{svg}");
    }

    #[test]
    fn what_people_wrote_is_only_text() {
        let chart = Chart {
            title: "<script>&".to_owned(),
            lines: vec![Line::new("\"><b>", 0, [(0.0, 1.0), (1.0, f64::NAN), (2.0, 2.0)])],
            ..Chart::default()
        };
        let figure = chart.figure();
        assert!(figure.contains("&lt;script&gt;&amp;") && !figure.contains("<script") && !figure.contains("<b>"));
        assert!(!figure.contains("NaN"), "{figure}");
    }
}
