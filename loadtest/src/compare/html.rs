//! A comparison as a page.

use std::fmt::Write as _;

use super::{
    report::{Findings, Measure, try_cells},
    run::{Contender, Size},
};
use crate::{
    repeats::Middle,
    report::{Chart, Line, Page, escape, page, verdict_table},
};

impl Findings {
    pub(super) fn html(&self) -> String {
        let mut body = verdict_table(&self.verdicts);
        let sizes = self.sizes();
        // One size makes no line.
        if sizes.len() > 1 {
            body += "<section><h2>By size</h2><div class=grid>";
            let charts: [(&str, &str, Measure); 4] = [
                ("CPU per client-second", "ms", |run| run.cpu_ms_per_client_second),
                ("Payload per client", "B/s", |run| run.payload_per_client_second),
                ("Input to ack, median", "ms", |run| run.ack_p50_ms),
                ("Memory per client", "KiB", |run| run.rss_kib_per_client()),
            ];
            for (title, unit, measure) in charts {
                body += &self.chart(title, unit, &sizes, measure).figure();
            }
            body += "</div></section>";
        }
        let rows = self.groups().into_iter().map(|(size, contender)| self.cells(size, contender)).collect();
        body += &table("Turns", &[], rows);
        body += &table("Tries to hold so many matches", &["held"], self.tries.iter().map(try_cells).collect());
        let about = "The same rules and the same clients on matchd and on the peer, in turns on the same cores. Numbers are medians [least–most] of the turns.";
        let about = self.held_text().map_or_else(|| about.to_owned(), |held| format!("{held} {about}"));
        page(&Page {
            title: "Skirmish on two servers",
            about: &about,
            is_good: (!self.verdicts.is_empty()).then(|| self.is_good()),
            footer: &format!("{}.", self.machine),
            body: &body,
        })
    }

    fn sizes(&self) -> Vec<Size> {
        let mut sizes: Vec<Size> = self.groups().into_iter().map(|(size, _)| size).collect();
        sizes.dedup();
        sizes
    }

    fn chart(&self, title: &str, unit: &str, sizes: &[Size], measure: Measure) -> Chart {
        let x = |at: usize| at as f64;
        let median = |size: Size, contender| {
            let runs = self.runs.iter().filter(|run| run.size == size && run.contender == contender);
            Middle::of(runs.map(measure)).map(|middle| middle.median)
        };
        let mut contenders: Vec<Contender> = self.groups().into_iter().map(|(_, contender)| contender).collect();
        contenders.sort_by_key(|contender| *contender as usize);
        contenders.dedup();
        let line = |contender: Contender| {
            let points = sizes.iter().enumerate().filter_map(|(at, size)| Some((x(at), median(*size, contender)?)));
            Line::new(contender.name(), contender as usize, points)
        };
        Chart {
            title: title.to_owned(),
            unit: unit.to_owned(),
            x_title: "matches x players".to_owned(),
            x_names: sizes.iter().enumerate().map(|(at, size)| (x(at), size.to_string())).collect(),
            lines: contenders.into_iter().map(line).collect(),
            ..Chart::default()
        }
    }
}

fn table(title: &str, more: &[&str], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let headings: Vec<&str> = Findings::headings().into_iter().chain(more.iter().copied()).collect();
    let mut html = format!("<section><h2>{title}</h2><div class=wide><table><tr><th>{}</tr>", headings.join("<th>"));
    for row in rows {
        let _ = write!(html, "<tr><td>{}</tr>", escape(&row.join("\n")).replace('\n', "<td class=n>"));
    }
    html + "</table></div></section>\n"
}
