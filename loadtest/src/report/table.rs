//! The report for a terminal.

use std::fmt::Write as _;

use super::{Recorded, Report, Times};

pub(super) fn table(report: &Report) -> String {
    let total = &report.total;
    let mut text = format!(
        "\n{}: {} clients, {} Agents, {} attackers, {:.0} s\n\n",
        report.name, report.clients, report.agents, report.attackers, total.seconds
    );
    let mut row = |name: &str, value: String| writeln!(text, "{name:<34} {value}").expect("a string takes all");
    row("inputs sent / missed / late", {
        format!("{} / {} / {:.2} %", total.inputs_sent, total.inputs_missed, total.inputs_late_percent)
    });
    row("snapshots per client per second", format!("{:.1}", total.snapshots_per_client_second));
    row("bytes to a client per second", format!("{:.0}", total.bytes_received_per_client_second));
    row("bytes from a client per second", format!("{:.0}", total.bytes_sent_per_client_second));
    row("input to ack, ms", times(total.input_to_ack_ms));
    row("the load's own lateness, ms", times(total.lag_ms));
    for (name, value) in
        [("observe, ms", total.observe_ms), ("act, ms", total.act_ms), ("cut off, ms", total.cut_off_ms)]
    {
        if value.count > 0 {
            row(name, times(value));
        }
    }
    for (name, value) in [
        ("observe at the endpoint, ms", &total.observe_at_endpoint_ms),
        ("act at the endpoint, ms", &total.act_at_endpoint_ms),
    ] {
        if value.p50.is_some() {
            row(name, recorded(value));
        }
    }
    row("ticks run / skipped", format!("{} / {}", total.ticks, total.ticks_skipped));
    row("tick lateness, ms", recorded(&total.lateness_ms));
    if let Some(process) = total.process {
        row("server's CPU, % of its core", {
            format!(
                "{:.1}, {:.4} a client; others took {:.1}",
                process.cpu_percent, process.cpu_percent_per_client, process.foreign_percent
            )
        });
        row("server's memory, MiB", format!("{:.1}", process.rss_bytes as f64 / 1_048_576.0));
        row("unsent for one socket, KiB at most", format!("{:.1}", total.unsent_bytes_max as f64 / 1024.0));
    }
    for (answer, count) in &report.answers {
        row(answer, count.to_string());
    }
    for (reason, count) in &report.closes {
        row(&format!("server's record: {reason}"), count.to_string());
    }
    row("errors", report.errors.to_string());
    if let Some(error) = &report.first_error {
        row("first error", error.clone());
    }
    for arm in &report.arms {
        writeln!(
            text,
            "\n{}: {:.0} s, {} ticks, {} skipped, {:.0} calls/s, CPU {:.1} %, memory {:.2} MiB",
            arm.name,
            arm.seconds,
            arm.ticks,
            arm.skipped,
            arm.calls_per_second,
            arm.cpu_percent,
            arm.rss_bytes / 1_048_576.0
        )
        .expect("a string takes all");
        for measure in &arm.measures {
            let more = measure.more.map_or_else(String::new, |more| {
                format!("  {:+.3} more, 95 % in [{:+.3}, {:+.3}]", more.value, more.low, more.high)
            });
            writeln!(text, "  {:<24} {:>8.3} ms{more}", measure.what.name(), measure.value)
                .expect("a string takes all");
        }
    }
    if let Some(sameness) = &report.sameness {
        let _ = writeln!(text, "\n{}", sameness.text());
    }
    if !report.verdicts.is_empty() {
        text.push('\n');
    }
    for verdict in &report.verdicts {
        writeln!(text, "{}", verdict.text()).expect("a string takes all");
    }
    text
}

fn times(times: Times) -> String {
    format!(
        "p50 {:.2}  p95 {:.2}  p99 {:.2}  max {:.2}  ({} times)",
        times.p50, times.p95, times.p99, times.max, times.count
    )
}

fn recorded(times: &Recorded) -> String {
    let ms = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    format!("p50 {}  p99 {}  p99.9 {}  max {}", ms(times.p50), ms(times.p99), ms(times.p999), ms(times.max))
}
