//! How the netcode does over links of all kinds: `cargo xtask bench virtual_link [SECONDS]`.
//!
//! Eight seats, four bots and four people whose inputs look like those of people, each over a link of its own.

mod link;

use link::{Conditions, percentile, play};

/// Length of each match, without another wish.
const SECONDS: u32 = 300;

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    let links = [(0.0, 0.0), (50.0, 0.0), (150.0, 30.0), (300.0, 60.0)];
    println!("{seconds} s a link, four people and four bots; stalls of 200 ms each way fill 2 % of the time, or none");
    println!();
    println!(
        "| round trip, stalls | at once | corrected apart | in contact | at restarts | late inputs | exact | wrong | \
         lead | down B/s | up B/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut balls = Vec::new();
    for (rtt_ms, jitter_ms) in links {
        for stalled in [0.0, 0.02] {
            let figures = play(Conditions { rtt_ms, jitter_ms, stalled }, seconds, 1);
            let name = format!("{rtt_ms}±{jitter_ms} ms, {} %", stalled * 100.0);
            println!(
                "| {name} | {:.2} % | {:.2} % of {} | {:.2} % of {} | {:.2} % of {} | {:.2} % | {:.1} % | {} | {:.1} | \
                 {:.0} | {:.0} |",
                figures.at_once.percent(),
                figures.apart.percent(),
                figures.apart.of,
                figures.in_contact.percent(),
                figures.in_contact.of,
                figures.restarts.percent(),
                figures.restarts.of,
                figures.late.percent(),
                figures.exact.percent(),
                figures.wrong,
                figures.lead_ticks,
                figures.down_per_second,
                figures.up_per_second,
            );
            if figures.snapped + figures.resyncs + figures.jumps > 0 {
                eprintln!("{name}: {} snapped, {} resyncs, {} jumps", figures.snapped, figures.resyncs, figures.jumps);
            }
            balls.push((name, figures));
        }
    }
    println!();
    println!(
        "| ball, in units (p50 / p95) | moved by a view | without rules | off the truth | shown late | without rules |"
    );
    println!("|---|---|---|---|---|---|");
    for (name, figures) in balls {
        let pair = |values: &[f32]| format!("{:.1} / {:.1}", percentile(values, 0.5), percentile(values, 0.95));
        println!(
            "| {name} | {} | {} | {} | {} | {} |",
            pair(&figures.ball_corrections),
            pair(&figures.extrapolated_corrections),
            pair(&figures.ball_errors),
            pair(&figures.interpolated_errors),
            pair(&figures.extrapolated_errors),
        );
    }
}
