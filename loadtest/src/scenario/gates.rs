//! What a run must keep to: each threshold that is set becomes a line of the report, and decides about the exit status.

use serde::{Deserialize, Serialize};

/// Thresholds. What is left out is not looked at.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Gates {
    /// 50th percentile of tick lateness.
    pub(crate) tick_lateness_p50_ms_max: Option<f64>,
    /// 99th percentile of tick lateness.
    pub(crate) tick_lateness_p99_ms_max: Option<f64>,
    /// 99.9th percentile of tick lateness.
    pub(crate) tick_lateness_p999_ms_max: Option<f64>,
    /// Ticks left out.
    pub(crate) ticks_skipped_max: Option<f64>,
    /// Median of input to ack.
    pub(crate) input_to_ack_p50_ms_max: Option<f64>,
    /// 99th percentile of input to ack.
    pub(crate) input_to_ack_p99_ms_max: Option<f64>,
    /// Share of players' inputs that came late.
    pub(crate) inputs_late_percent_max: Option<f64>,
    /// Received by a client per second.
    pub(crate) bytes_received_per_client_second_max: Option<f64>,
    /// Of one core, per client.
    pub(crate) cpu_percent_per_client_max: Option<f64>,
    /// 99th percentile of what `observe` takes at the endpoint: from a call's last byte to its answer.
    pub(crate) observe_p99_ms_max: Option<f64>,
    /// The same of an act, with its wait for the tick at which it takes effect.
    pub(crate) act_p99_ms_max: Option<f64>,
    /// Failures of players and Agents.
    pub(crate) errors_max: Option<f64>,
    /// Matches that failed.
    pub(crate) match_panics_max: Option<f64>,
    /// Slowest cut-off of somebody who stopped reading.
    pub(crate) cut_off_max_s_max: Option<f64>,
    /// Bytes that waited in the system for one socket, at most.
    pub(crate) unsent_kib_max: Option<f64>,
    /// Growth of memory after the first third, as a line through all samples tells it.
    pub(crate) rss_percent_per_hour_max: Option<f64>,
    /// Memory at the end against the middle of the run.
    pub(crate) rss_growth_percent_max: Option<f64>,
    /// Tasks more than at the start, once everybody has left.
    pub(crate) tasks_left_max: Option<f64>,
    /// Descriptors more than at the start, once everybody has left.
    pub(crate) descriptors_left_max: Option<f64>,
    /// Matches made, at least.
    pub(crate) matches_made_min: Option<f64>,
    /// Between any arm and the first: how much more the 99.9th percentile of tick lateness is.
    pub(crate) arms_tick_lateness_p999_ms_more_max: Option<f64>,
    /// Between any arm and the first: how much more the 99th percentile of input to ack is.
    pub(crate) arms_input_to_ack_p99_percent_more_max: Option<f64>,
    /// Between any arm and the first: ticks skipped more.
    pub(crate) arms_ticks_skipped_more_max: Option<f64>,
}

/// One threshold and how the run did.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Verdict {
    pub(crate) gate: &'static str,
    pub(crate) limit: f64,
    /// `None` when the run has nothing to show for it, which is a failure.
    pub(crate) value: Option<f64>,
    pub(crate) is_met: bool,
}

impl Verdict {
    /// Judges a value that must not be over the limit.
    pub(crate) fn at_most(gate: &'static str, limit: f64, value: Option<f64>) -> Self {
        Self { gate, limit, value, is_met: value.is_some_and(|value| value <= limit) }
    }

    /// Judges a value that must not be under the limit.
    pub(crate) fn at_least(gate: &'static str, limit: f64, value: Option<f64>) -> Self {
        Self { gate, limit, value, is_met: value.is_some_and(|value| value >= limit) }
    }

    /// The verdict in words.
    pub(crate) fn text(&self) -> String {
        let value = self.value.map_or_else(|| "nothing measured".to_owned(), |value| format!("{value:.3}"));
        let word = if self.is_met { "met" } else { "MISSED" };
        format!("{word}: {} is {value}, limit {}", self.gate, self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_inclusive_and_nothing_measured_is_a_failure() {
        assert!(Verdict::at_most("g", 2.0, Some(2.0)).is_met);
        assert!(!Verdict::at_most("g", 2.0, Some(2.1)).is_met);
        assert!(!Verdict::at_most("g", 2.0, None).is_met);
        assert!(Verdict::at_least("g", 2.0, Some(2.0)).is_met);
        assert!(!Verdict::at_least("g", 2.0, Some(f64::NAN)).is_met);
    }
}
