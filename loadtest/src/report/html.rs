//! The report as one page that needs nothing else: no network, no script. Readable on a phone, in light and in dark.

use std::fmt::Write as _;

use super::{Band, Chart, Line, Mark, Point, QUANTILES, Report, Times, bar_rows, chart::number, escape};
use crate::{arms::What, scenario::Verdict};

const STYLE: &str = include_str!("style.css");

/// A page in the making.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    /// A sentence below the title.
    pub(crate) about: &'a str,
    /// Whether all is well; none when there was nothing to keep to.
    pub(crate) is_good: Option<bool>,
    /// What was measured on what.
    pub(crate) footer: &'a str,
    /// What comes between.
    pub(crate) body: &'a str,
}

/// A whole page.
pub(crate) fn page(page: &Page<'_>) -> String {
    let Page { title, about, is_good, footer, body } = page;
    let verdict = match is_good {
        Some(true) => "<p class=\"verdict good\">All gates met</p>",
        Some(false) => "<p class=\"verdict bad\">Not as it should be</p>",
        None => "",
    };
    format!(
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta name=viewport content=\"width=device-width\">\n<meta name=color-scheme content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n<main>\n<header><h1>{title}</h1>{verdict}<p>{about}</p></header>\n{body}<footer>{footer}</footer>\n</main>\n</html>\n",
        title = escape(title),
        about = escape(about),
        footer = escape(footer),
    )
}

/// The page of a run.
pub(super) fn run(report: &Report) -> String {
    let mut body = cards(report);
    body += &verdicts(&report.verdicts, report);
    body += &arms(report);
    body += &sameness(report);
    body += &charts(report);
    body += &events(report);
    body += &records(report);
    let footer = format!(
        "{}. Tick lateness is the server's own record; latencies count from when a message was due, so a stall cannot hide itself.",
        report.machine
    );
    let has_gates = !report.verdicts.is_empty() || report.sameness.is_some();
    let is_good = (has_gates || report.errors > 0).then(|| report.is_good());
    page(&Page { title: &report.name, about: &report.about, is_good, footer: &footer, body: &body })
}

fn cards(report: &Report) -> String {
    let total = &report.total;
    let ms = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{} ms", number(value)));
    let mut cards = vec![
        ("clients", report.clients.to_string(), format!("{} Agents, {} attackers", report.agents, report.attackers)),
        (
            "tick lateness p99.9",
            ms(total.lateness_ms.p999),
            format!("p50 {}, {} skipped of {}", ms(total.lateness_ms.p50), total.ticks_skipped, number(total.ticks)),
        ),
        (
            "input to ack p50",
            ms((total.input_to_ack_ms.count > 0).then_some(total.input_to_ack_ms.p50)),
            format!("p99 {}", ms((total.input_to_ack_ms.count > 0).then_some(total.input_to_ack_ms.p99))),
        ),
        (
            "to a client",
            format!("{} B/s", number(total.bytes_received_per_client_second)),
            format!("{} messages/s", number(total.snapshots_per_client_second)),
        ),
    ];
    if let Some(process) = total.process {
        cards.push((
            "server's CPU",
            format!("{} %", number(process.cpu_percent)),
            format!("{} % of a core a client", number(process.cpu_percent_per_client)),
        ));
        cards.push((
            "server's memory",
            format!("{} MiB", number(process.rss_bytes as f64 / 1_048_576.0)),
            format!("{} descriptors, {} threads", process.descriptors, process.threads),
        ));
    }
    let calls = if total.act_ms.count > 0 { total.act_ms } else { total.observe_ms };
    if calls.count > 0 {
        let detail = format!("{} calls/s, act p99 {} ms", number(total.calls_per_second), number(total.act_ms.p99));
        cards.push(("observe p99", format!("{} ms", number(total.observe_ms.p99)), detail));
    }
    cards.push((
        "failures",
        report.errors.to_string(),
        report.first_error.clone().unwrap_or_else(|| "none".to_owned()),
    ));
    let mut html = String::from("<section class=cards>");
    for (name, value, detail) in cards {
        let _ =
            write!(html, "<div><small>{name}</small><b>{}</b><span>{}</span></div>", escape(&value), escape(&detail));
    }
    html + "</section>\n"
}

/// What became of every gate.
pub(crate) fn verdict_table(verdicts: &[Verdict]) -> String {
    verdicts_and(verdicts, "")
}

fn verdicts(verdicts: &[Verdict], report: &Report) -> String {
    let Some(error) = &report.first_error else { return verdict_table(verdicts) };
    let failures =
        format!("<tr class=bad><td>failures<td class=n>0<td class=n>{}<td>{}</tr>", report.errors, escape(error));
    verdicts_and(verdicts, &failures)
}

fn verdicts_and(verdicts: &[Verdict], failures: &str) -> String {
    if verdicts.is_empty() && failures.is_empty() {
        return String::new();
    }
    let mut html = String::from("<section><h2>Gates</h2><table><tr><th>gate<th>limit<th>measured<th></tr>");
    for verdict in verdicts {
        let value = verdict.value.map_or_else(|| "–".to_owned(), number);
        let (class, word) = if verdict.is_met { ("good", "met") } else { ("bad", "missed") };
        let _ = write!(
            html,
            "<tr class={class}><td>{}<td class=n>{}<td class=n>{value}<td>{word}</tr>",
            verdict.gate.replace('_', " "),
            number(verdict.limit)
        );
    }
    html + failures + "</table></section>\n"
}

fn arms(report: &Report) -> String {
    let Some(base) = report.arms.first() else { return String::new() };
    let mut html = String::from(
        "<section><h2>Arms</h2><div class=wide><table><tr><th>arm<th>late p50<th>p99<th>p99.9<th>skipped<th>ack p50<th>ack p99<th>calls/s<th>CPU<th>memory</tr>",
    );
    for (at, arm) in report.arms.iter().enumerate() {
        let value = |what| arm.measure(what).map_or_else(|| "–".to_owned(), |measure| number(measure.value));
        let _ = write!(
            html,
            "<tr><td><i class=\"k{at}\"></i>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{} %<td class=n>{} MiB</tr>",
            escape(&arm.name),
            value(What::LatenessP50),
            value(What::LatenessP99),
            value(What::LatenessP999),
            arm.skipped,
            value(What::AckP50),
            value(What::AckP99),
            number(arm.calls_per_second),
            number(arm.cpu_percent),
            number(arm.rss_bytes / 1_048_576.0)
        );
    }
    html += "</table></div><p class=note>Times in ms. Arms took turns, round by round in a random order, in one run.</p><div class=grid>";
    for (title, what) in [
        ("Tick lateness p99.9: how much more", What::LatenessP999),
        ("Tick lateness p99: how much more", What::LatenessP99),
        ("Input to ack p99: how much more", What::AckP99),
    ] {
        let rows: Vec<_> = (report.arms.iter().enumerate().skip(1))
            .filter_map(|(at, arm)| {
                let more = arm.measure(what)?.more?;
                Some((arm.name.clone(), at, more.value, more.low, more.high))
            })
            .collect();
        html += &bar_rows(title, &format!("ms, against “{}”, with 95 % intervals", base.name), &rows);
    }
    let curves = (report.arms.iter().enumerate()).map(|(at, arm)| curve(&arm.name, at, &arm.lateness_ms));
    html += &percentiles(curves.collect());
    html + "</div></section>\n"
}

fn sameness(report: &Report) -> String {
    let Some(sameness) = &report.sameness else { return String::new() };
    let class = if sameness.is_proven() { "good" } else { "bad" };
    format!(
        "<section><h2>Same matches with and without Agents</h2><p class=\"verdict {class}\">{}</p></section>\n",
        escape(&sameness.text())
    )
}

fn curve(name: &str, colour: usize, values: &[f64]) -> Line {
    Line::new(name, colour, values.iter().enumerate().map(|(at, value)| (at as f64, *value)))
}

fn percentiles(lines: Vec<Line>) -> String {
    let names = QUANTILES.iter().enumerate().map(|(at, (_, name))| (at as f64, (*name).to_owned()));
    Chart {
        title: "Tick lateness by percentile".to_owned(),
        unit: "ms".to_owned(),
        lines,
        x_names: names.collect(),
        ..Chart::default()
    }
    .figure()
}

fn charts(report: &Report) -> String {
    let over_time = |title: &str, unit: &str, lines: Vec<Line>| Chart {
        title: title.to_owned(),
        unit: unit.to_owned(),
        lines,
        marks: (report.marks.iter().zip(1..)).map(|((at, _), number)| Mark { at: *at, number }).collect(),
        bands: report.turns.iter().map(|&(from, to, colour)| Band { from, to, colour }).collect(),
        ..Chart::default()
    };
    let line = |name: &str, colour: usize, of: &dyn Fn(&Point) -> Option<f64>| {
        Line::new(name, colour, report.points.iter().filter_map(|point| Some((point.at_s, of(point)?))))
    };
    let timed = |times: Times, value: f64| (times.count > 0).then_some(value);
    let late_limit = report.verdicts.iter().find(|verdict| verdict.gate == "tick_lateness_p999_ms_max");
    let mut figures = vec![
        Chart {
            limit: late_limit.map(|verdict| verdict.limit),
            ..over_time(
                "Tick lateness",
                "ms",
                vec![
                    line("p50", 0, &|point| point.summary.lateness_ms.p50),
                    line("p99", 1, &|point| point.summary.lateness_ms.p99),
                    line("p99.9", 2, &|point| point.summary.lateness_ms.p999),
                ],
            )
        }
        .figure(),
    ];
    if report.arms.is_empty() {
        figures.push(percentiles(vec![curve("whole run", 0, &report.total.lateness_ms.curve)]));
    }
    figures.push(
        over_time(
            "Input to ack",
            "ms",
            vec![
                line("p50", 0, &|point| timed(point.summary.input_to_ack_ms, point.summary.input_to_ack_ms.p50)),
                line("p99", 1, &|point| timed(point.summary.input_to_ack_ms, point.summary.input_to_ack_ms.p99)),
            ],
        )
        .figure(),
    );
    figures.push(
        over_time(
            "Who is there",
            "",
            vec![
                line("clients", 0, &|point| Some(point.clients as f64)),
                line("Agents", 1, &|point| Some(point.agents as f64)),
                line("attackers", 3, &|point| Some(point.attackers as f64)),
            ],
        )
        .figure(),
    );
    figures.push(
        over_time(
            "Bytes of a client",
            "B/s, payload",
            vec![
                line("to it", 0, &|point| Some(point.summary.bytes_received_per_client_second)),
                line("from it", 1, &|point| Some(point.summary.bytes_sent_per_client_second)),
            ],
        )
        .figure(),
    );
    if report.total.process.is_some() {
        figures.push(
            over_time(
                "CPU of a client",
                "% of one core",
                vec![line("server", 0, &|point| {
                    (point.clients > 0).then_some(point.summary.process?.cpu_percent_per_client)
                })],
            )
            .figure(),
        );
        figures.push(
            over_time(
                "CPU of the server's core",
                "%",
                vec![
                    line("server", 0, &|point| Some(point.summary.process?.cpu_percent)),
                    line("others", 3, &|point| Some(point.summary.process?.foreign_percent)),
                ],
            )
            .figure(),
        );
        figures.push(
            over_time(
                "Server's memory",
                "MiB",
                vec![line("resident", 0, &|point| Some(point.summary.process?.rss_bytes as f64 / 1_048_576.0))],
            )
            .figure(),
        );
    }
    if report.total.observe_ms.count + report.total.act_ms.count > 0 {
        figures.push(
            over_time(
                "Agents' calls",
                "ms, p99",
                vec![
                    line("observe", 0, &|point| timed(point.summary.observe_ms, point.summary.observe_ms.p99)),
                    line("act", 1, &|point| timed(point.summary.act_ms, point.summary.act_ms.p99)),
                ],
            )
            .figure(),
        );
    }
    figures.push(
        over_time(
            "The load's own lateness",
            "ms",
            vec![line("p99", 0, &|point| timed(point.summary.lag_ms, point.summary.lag_ms.p99))],
        )
        .figure(),
    );
    format!("<section><h2>Over time</h2><div class=grid>{}</div></section>\n", figures.concat())
}

fn events(report: &Report) -> String {
    if report.marks.is_empty() {
        return String::new();
    }
    let rows = report.marks.iter().map(|(at, text)| format!("<li>{} s: {}</li>", number(*at), escape(text)));
    format!("<section><h2>Events</h2><ol>{}</ol></section>\n", rows.collect::<String>())
}

fn records(report: &Report) -> String {
    let answers = report.answers.iter().map(|(answer, count)| (answer.clone(), *count as f64));
    let closes = report.closes.iter().map(|(reason, count)| (format!("server's record: {reason}"), *count));
    let rows: String = answers
        .chain(closes)
        .map(|(name, count)| format!("<tr><td>{}<td class=n>{count}</tr>", escape(&name)))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("<section><h2>Answers and endings</h2><table>{rows}</table></section>\n")
}
