//! `loadtest capacity`: how many matches one core holds, and how cost grows with matches and with players.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use clap::builder::PossibleValuesParser;
use contract::games;
use serde::Serialize;
use tokio::time::sleep;

use crate::{
    crowd::Crowd,
    game, machine,
    observer::Observer,
    progress::Progress,
    report::{Chart, Line, Outputs, Page, Summary, page},
    run::{OwnServer, Stage},
    scenario::{Players, Scenario, Spread, Stages},
    tally::Tally,
};

/// A step is over this long after everybody has come.
const SETTLE: Duration = Duration::from_secs(4);

/// How it is done.
#[derive(Debug, clap::Args)]
pub struct Options {
    #[command(flatten)]
    own: OwnServer,
    /// Game of the server to start.
    #[arg(long, default_value = games::IDS[0], value_parser = PossibleValuesParser::new(games::IDS))]
    game: String,
    /// Matches to begin with.
    #[arg(long, default_value_t = 10)]
    from: usize,
    /// Matches more in each step.
    #[arg(long, default_value_t = 10)]
    step: usize,
    /// Matches to end with at the latest.
    #[arg(long, default_value_t = 120)]
    to: usize,
    /// Players in each match.
    #[arg(long, default_value_t = 8)]
    players: usize,
    /// Matches of the table by players in each; 0 leaves it out.
    #[arg(long, default_value_t = 20)]
    by_players: usize,
    /// Seconds of a step that count.
    #[arg(long, default_value_t = 10)]
    window_s: u64,
    /// Lateness at the 99.9th percentile with which matches still count as held, in milliseconds.
    #[arg(long, default_value_t = 2.0)]
    lateness_ms: f64,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    outputs: Outputs,
}

/// What was found.
#[derive(Debug, Serialize)]
struct Findings {
    machine: String,
    game: String,
    lateness_ms: f64,
    /// The largest number of matches that was held.
    held: usize,
    by_matches: Vec<Row>,
    by_players: Vec<Row>,
}

/// One step.
#[derive(Debug, Serialize)]
struct Row {
    matches: usize,
    players: usize,
    is_held: bool,
    summary: Summary,
}

/// Finds out and reports.
///
/// # Errors
/// When a server does not start or fails.
pub async fn run(options: &Options) -> anyhow::Result<bool> {
    let counts: Vec<_> = (options.from..=options.to).step_by(options.step.max(1)).collect();
    let sizes = counts.iter().map(|matches| (*matches, options.players)).collect();
    let by_matches = climb(options, "By matches", sizes, true).await?;
    let sizes = [2, 4, 6, 8, 10, 12].iter().map(|players| (options.by_players, *players)).collect();
    let by_players =
        if options.by_players == 0 { Vec::new() } else { climb(options, "By players", sizes, false).await? };
    let held = by_matches.iter().filter(|row| row.is_held).map(|row| row.matches).max().unwrap_or(0);
    let machine = machine::describe();
    let game = options.game.clone();
    let findings = Findings { machine, game, lateness_ms: options.lateness_ms, held, by_matches, by_players };
    print!("{}", findings.table());
    options.outputs.write(&findings, || findings.html())?;
    Ok(true)
}

/// Measures one size after the other. Each has a server of its own when players change; matches are added to those there
/// are. Ends early when two sizes in a row are not held.
async fn climb(options: &Options, name: &str, sizes: Vec<(usize, usize)>, grows: bool) -> anyhow::Result<Vec<Row>> {
    let window = Duration::from_secs(options.window_s);
    let progress = Progress::new(name, (SETTLE + window) * u32::try_from(sizes.len()).unwrap_or(u32::MAX));
    let mut rows: Vec<Row> = Vec::new();
    let mut ground: Option<Ground> = None;
    for (at, (matches, players)) in sizes.into_iter().enumerate() {
        if let Some(old) = ground.take_if(|_| !grows) {
            old.clear().await?;
        }
        if ground.is_none() {
            ground = Some(Ground::new(options, players).await?);
        }
        let Some(ground) = &mut ground else { continue };
        progress.at((SETTLE + window) * u32::try_from(at).unwrap_or(0));
        let summary = ground.measure(matches * players, window, &progress).await?;
        let is_late = summary.lateness_ms.p999.is_none_or(|late| late > options.lateness_ms);
        let is_held = !is_late && summary.ticks_skipped == 0.0;
        rows.push(Row { matches, players, is_held, summary });
        if grows && rows.iter().rev().take(2).filter(|row| !row.is_held).count() == 2 {
            break;
        }
    }
    if let Some(ground) = ground {
        ground.clear().await?;
    }
    Ok(rows)
}

/// A server and whoever plays there.
struct Ground {
    stage: Stage,
    crowd: Crowd,
    observer: Observer,
    tally: Arc<Tally>,
}

impl Ground {
    async fn new(options: &Options, players: usize) -> anyhow::Result<Self> {
        let settings = game::with_room_for(&options.game, players)?;
        let stage = Stage::spawn(&settings, &options.own).await?;
        let tally = Arc::new(Tally::new());
        let observer = stage.observer(&tally).await?;
        let group = Players::constant(0, Spread::Fill(players));
        let scenario = Scenario { seed: options.seed, players: vec![group], ..Scenario::empty("capacity") };
        let crowd = Crowd::new(&scenario, &stage.addresses, &tally).await?;
        Ok(Self { stage, crowd, observer, tally })
    }

    async fn measure(&mut self, clients: usize, window: Duration, progress: &Progress) -> anyhow::Result<Summary> {
        self.crowd.set_stages(0, Stages::constant(clients));
        let newcomers = clients.saturating_sub(self.crowd.clients());
        self.crowd.follow(Duration::ZERO, None);
        sleep(SETTLE + crate::crowd::ARRIVAL_GAP * u32::try_from(newcomers).unwrap_or(u32::MAX)).await;
        self.observer.span().await?;
        sleep(window).await;
        let mut span = self.observer.span().await?;
        span.now.clients = clients;
        if let (1.., Some(error)) = self.tally.errors() {
            anyhow::bail!("with {clients} clients: {error}");
        }
        progress.show(&span, None, 0);
        Ok(Summary::of(&span, clients as f64))
    }

    async fn clear(mut self) -> anyhow::Result<()> {
        self.crowd.disperse().await;
        self.stage.clear().await
    }
}

impl Row {
    fn cells(&self) -> [String; 11] {
        let Summary { lateness_ms, input_to_ack_ms, lag_ms, .. } = &self.summary;
        let ms = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        let cpu = self.summary.process.map_or((0.0, 0.0, 0.0), |process| {
            (process.cpu_percent, process.cpu_percent_per_client, process.foreign_percent)
        });
        [
            format!("{} x {}", self.matches, self.players),
            format!("{:.1}", cpu.0),
            format!("{:.4}", cpu.1),
            ms(lateness_ms.p50),
            ms(lateness_ms.p99),
            ms(lateness_ms.p999),
            self.summary.ticks_skipped.to_string(),
            format!("{:.1}", input_to_ack_ms.p50),
            format!("{:.1}", input_to_ack_ms.p99),
            format!("{:.1}", lag_ms.p99),
            format!("{:.0}", cpu.2),
        ]
    }
}

/// Headings of a row's cells.
const HEADINGS: [&str; 11] = [
    "matches",
    "CPU %",
    "CPU % per client",
    "late p50 ms",
    "p99",
    "p99.9",
    "skipped",
    "ack p50 ms",
    "p99",
    "load late p99 ms",
    "others' CPU %",
];

impl Findings {
    /// As a table in Markdown.
    fn table(&self) -> String {
        let mut text = String::new();
        for rows in [&self.by_matches, &self.by_players] {
            if rows.is_empty() {
                continue;
            }
            let _ = writeln!(text, "\n| {} | held |\n|{}", HEADINGS.join(" | "), "---|".repeat(HEADINGS.len() + 1));
            for row in rows {
                let held = if row.is_held { "yes" } else { "no" };
                let _ = writeln!(text, "| {} | {held} |", row.cells().join(" | "));
            }
        }
        let _ = writeln!(text, "\n{}", self.verdict());
        text
    }

    fn verdict(&self) -> String {
        let players = self.by_matches.first().map_or(0, |row| row.players);
        format!(
            "One core holds {} matches of {} with {players} players, tick lateness p99.9 at most {} ms and no tick skipped.",
            self.held, self.game, self.lateness_ms
        )
    }

    fn html(&self) -> String {
        let mut body = String::from("<section><div class=grid>");
        let chart = |title: &str, unit: &str, x: &str, lines: Vec<Line>, names: Vec<(f64, String)>| Chart {
            title: title.to_owned(),
            unit: unit.to_owned(),
            x_title: x.to_owned(),
            lines,
            x_names: names,
            ..Chart::default()
        };
        for (rows, x, of) in [
            (&self.by_matches, "matches", (|row| row.matches as f64) as fn(&Row) -> f64),
            (&self.by_players, "players in each match", |row| row.players as f64),
        ] {
            if rows.is_empty() {
                continue;
            }
            let names: Vec<_> = rows.iter().map(|row| (of(row), of(row).to_string())).collect();
            let line = |name: &str, colour, value: fn(&Row) -> Option<f64>| {
                Line::new(name, colour, rows.iter().filter_map(|row| Some((of(row), value(row)?))))
            };
            let cpu = vec![
                line("server", 0, |row| Some(row.summary.process?.cpu_percent)),
                line("others", 3, |row| Some(row.summary.process?.foreign_percent)),
            ];
            body += &chart("CPU of the server's core", "%", x, cpu, names.clone()).figure();
            let late = vec![
                line("p50", 0, |row| row.summary.lateness_ms.p50),
                line("p99", 1, |row| row.summary.lateness_ms.p99),
                line("p99.9", 2, |row| row.summary.lateness_ms.p999),
            ];
            body += &Chart { limit: Some(self.lateness_ms), ..chart("Tick lateness", "ms", x, late, names) }.figure();
        }
        body += "</div></section><section><h2>Steps</h2><div class=wide>";
        for rows in [&self.by_matches, &self.by_players] {
            if rows.is_empty() {
                continue;
            }
            let _ = write!(body, "<table><tr><th>{}<th>held</tr>", HEADINGS.join("<th>"));
            for row in rows {
                let (class, held) = if row.is_held { ("good", "yes") } else { ("bad", "no") };
                let _ =
                    write!(body, "<tr class={class}><td>{}<td class=n>{held}</tr>", row.cells().join("<td class=n>"));
            }
            body += "</table><p></p>";
        }
        body += "</div></section>";
        let (about, footer) = (self.verdict(), format!("{}.", self.machine));
        page(&Page {
            title: "How many matches a core holds",
            about: &about,
            is_good: None,
            footer: &footer,
            body: &body,
        })
    }
}
