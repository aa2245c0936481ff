//! What a run shows while it goes on.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::observer::Span;
use crate::tally::Timing;

/// A bar with the newest numbers beside it. Nothing when nobody looks: it is drawn only on a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(name: &str, length: Duration) -> Self {
        let bar = ProgressBar::new(length.as_secs());
        let style = ProgressStyle::with_template("{prefix:.bold} {bar:24.cyan/dim} {pos}/{len} s  {wide_msg}")
            .expect("a legal template")
            .progress_chars("━╸─");
        bar.set_style(style);
        bar.set_prefix(name.to_owned());
        Self { bar }
    }

    /// What is being done now.
    pub(crate) fn say(&self, text: &str) {
        self.bar.set_message(text.to_owned());
    }

    pub(crate) fn at(&self, time: Duration) {
        self.bar.set_position(time.as_secs());
    }

    /// Shows the newest numbers.
    pub(crate) fn show(&self, span: &Span, arm: Option<&str>, errors: u64) {
        let late = |at| span.lateness.quantile(at).map_or_else(|| "-".to_owned(), |late| format!("{:.2}", late * 1e3));
        let ack = span.cut.timing(Timing::InputToAck);
        let arm = arm.map_or_else(String::new, |arm| format!("[{arm}] "));
        let cpu = span
            .now
            .usage
            .map_or_else(String::new, |_| format!(" · cpu {:.0} %", span.server.cpu_seconds / span.seconds() * 100.0));
        let errors = if errors == 0 { String::new() } else { format!(" · {errors} ERRORS") };
        self.bar.set_message(format!(
            "{arm}{} clients · late p99 {} ms · ack p99 {:.0} ms{cpu}{errors}",
            span.now.clients,
            late(0.99),
            ack.value_at_quantile(0.99) as f64 / 1e3,
        ));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
