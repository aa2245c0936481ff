//! What was found, for a terminal and as one page.

use std::fmt::Write as _;

use super::{
    Findings, Rung,
    live::{Found, Live},
    tally::{Estimate, Tally},
};
use crate::report::{Page, escape, page};

/// Widest chart, in pixels: a screen 720 high shows all of it.
const CHART_PX: usize = 620;

const HEADINGS: [&str; 7] = [
    "decides every",
    "lead, keys held",
    "lead, orders",
    "won, keys held",
    "won, orders",
    "still valid, keys held",
    "still valid, orders",
];

const LIVE_HEADINGS: [&str; 8] =
    ["lane", "decisions/s", "orders/s", "age at effect p50; p95", "still valid", "acts/s", "acts/decision", "lead"];

impl Findings {
    /// As a table in Markdown.
    pub(super) fn table(&self) -> String {
        let mut text = format!("\n| {} |\n|{}\n", HEADINGS.join(" | "), "---|".repeat(HEADINGS.len()));
        for row in self.rows() {
            let _ = writeln!(text, "| {} |", row.join(" | "));
        }
        let _ = writeln!(text, "\n{}", self.note());
        for (sentence, is_so) in self.claims() {
            let _ = writeln!(text, "{}: {sentence}", if is_so { "yes" } else { "no" });
        }
        if let Some(live) = &self.live {
            text += &live.table();
        }
        text
    }

    /// The page.
    pub(super) fn html(&self) -> String {
        let charts: Vec<_> =
            [Some(self.figure()), self.live.as_ref().map(Live::figure)].into_iter().flatten().collect();
        // Beside one another where there is room.
        let mut body = format!(
            "<div style=\"display:grid;gap:12px;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));max-width:{}px\">",
            CHART_PX * charts.len()
        );
        for chart in charts {
            let _ = write!(body, "<figure>{chart}</figure>");
        }
        body += "</div>\n";
        let _ =
            write!(body, "<section><h2>Every cell</h2><div class=wide><table><tr><th>{}</tr>", HEADINGS.join("<th>"));
        for row in self.rows() {
            let _ = write!(body, "<tr><td>{}</tr>", row.join("<td class=n>"));
        }
        let _ = write!(body, "</table></div><p class=note>{}</p></section>", escape(&self.note()));
        body += &self.live.as_ref().map(Live::section).unwrap_or_default();
        body += "<section><h2>What was expected</h2><table><tr><th>expected<th>so</tr>";
        for (sentence, is_so) in self.claims() {
            let (class, word) = if is_so { ("good", "yes") } else { ("bad", "no") };
            let _ = write!(body, "<tr class={class}><td>{}<td>{word}</tr>", escape(&sentence));
        }
        body += "</table></section>\n";
        page(&Page {
            title: "What a slow decision costs",
            about: "One player, one policy, one opponent. Only two things change: how long a decision takes, and whether it holds keys or gives an order that the player's own mechanics carry out.",
            is_good: None,
            footer: &format!("{}. The curves are virtual time: another machine finds the same.", self.machine),
            body: &body,
        })
    }

    fn note(&self) -> String {
        format!(
            "{} matches per cell, one against one, {} min each, seeds from {}, against the standard bot{}. Lead: own goals less the opponent's, per match. Each figure with the interval in which 95 % of 1,000 bootstrap draws of the matches lie.",
            self.matches,
            self.minutes,
            self.seed,
            if self.one_shot { "; orders for the moment only, no standing plan" } else { "" }
        )
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let rung = |rung: &Rung| {
            let cells = [&rung.keys, &rung.orders];
            let mut row = vec![latency(rung.latency_ms)];
            row.extend(cells.map(|tally| lead(tally.lead)));
            row.extend(cells.map(|tally| percent(tally.wins)));
            row.extend(cells.map(|tally| tally.valid.map_or_else(|| "–".to_owned(), percent)));
            row
        };
        let baseline = |name: &str, tally: &Tally| {
            let (lead, won, none) = (lead(tally.lead), percent(tally.wins), || "–".to_owned());
            vec![name.to_owned(), lead.clone(), lead, won.clone(), won, none(), none()]
        };
        let mut rows: Vec<_> = self.rungs.iter().map(rung).collect();
        rows.extend([baseline("never: standard bot", &self.bot), baseline("never: stands still", &self.idle)]);
        rows
    }

    /// What the split of cadences promises, and whether it is so.
    fn claims(&self) -> Vec<(String, bool)> {
        let at = |latency_ms: u32| self.rungs.iter().find(|rung| rung.latency_ms == latency_ms);
        let (Some(fast), Some(second), Some(slow)) = (at(150), at(1_000), at(5_000)) else { return Vec::new() };
        let of_lead = slow.orders.lead.value / fast.orders.lead.value;
        vec![
            (
                format!(
                    "orders every 5 s keep 80 % of the lead of orders every 150 ms ({} of {})",
                    lead(slow.orders.lead),
                    lead(fast.orders.lead)
                ),
                fast.orders.lead.value > 0.0 && of_lead >= 0.8,
            ),
            (
                format!(
                    "orders every 5 s keep 80 % of what orders every 150 ms gain over nobody in the seat ({})",
                    percent(self.kept_at_5s)
                ),
                self.kept_at_5s.value >= 0.8,
            ),
            (
                format!(
                    "keys held for 1 s do worse than the standard bot ({} to {})",
                    lead(second.keys.lead),
                    lead(self.bot.lead)
                ),
                second.keys.lead.high < self.bot.lead.low,
            ),
        ]
    }
}

impl Live {
    fn table(&self) -> String {
        let mut text = format!("\n| {} |\n|{}\n", LIVE_HEADINGS.join(" | "), "---|".repeat(LIVE_HEADINGS.len()));
        for lane in &self.lanes {
            let _ = writeln!(text, "| {} |", row(lane).join(" | "));
        }
        text + &format!("\n{}\n", self.note())
    }

    fn section(&self) -> String {
        let mut html = format!(
            "<section><h2>Live, over the real wire</h2><div class=wide><table><tr><th>{}</tr>",
            LIVE_HEADINGS.join("<th>")
        );
        for lane in &self.lanes {
            let _ = write!(html, "<tr><td>{}</tr>", row(lane).join("<td class=n>"));
        }
        html + &format!("</table></div><p class=note>{}</p></section>\n", escape(&self.note()))
    }

    fn note(&self) -> String {
        let takes: Vec<_> = self.lanes.iter().map(|lane| format!("{}: {}", lane.name, lane.takes)).collect();
        let late = self.lateness_p99_ms.map_or_else(|| "–".to_owned(), |ms| format!("{ms:.2} ms"));
        format!(
            "{} live matches in each lane at the same time, {} s each, on one server, against the standard bot. A decision takes ({}); that of the LLM is an assumption. Mechanics act in a tick when the player runs, kicks or passes. Lead: per {} min on the clock, which stands still until a kick-off is taken. Meanwhile the server ran {} ticks, p99 of their lateness {late}, {} skipped, at {:.0} % of a core.",
            self.matches,
            self.seconds,
            takes.join("; "),
            self.lead_minutes,
            self.ticks,
            self.ticks_skipped,
            self.server_cpu_percent
        )
    }
}

fn row(lane: &Found) -> Vec<String> {
    let none = || "–".to_owned();
    vec![
        format!("{}: {}", lane.rung, lane.name),
        format!("{:.2}", lane.decisions_per_second),
        format!("{:.2}", lane.orders_per_second),
        lane.age_ms.map_or_else(none, |age| format!("{:.0}; {:.0} ms", age.p50, age.p95)),
        lane.valid.map_or_else(none, percent),
        format!("{:.1}", lane.acted_per_second),
        format!("{:.0}", lane.acted_per_decision),
        lead(lane.lead),
    ]
}

/// A latency in words.
pub(super) fn latency(latency_ms: u32) -> String {
    if latency_ms < 1_000 { format!("{latency_ms} ms") } else { format!("{} s", latency_ms / 1_000) }
}

fn lead(Estimate { value, low, high }: Estimate) -> String {
    format!("{value:+.1} [{low:+.1}, {high:+.1}]")
}

fn percent(Estimate { value, low, high }: Estimate) -> String {
    format!("{:.0} % [{:.0}–{:.0}]", value * 100.0, low * 100.0, high * 100.0)
}
