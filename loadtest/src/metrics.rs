//! What the server says of itself: its Prometheus text.

use std::collections::BTreeMap;

use anyhow::Context as _;

use crate::http::Endpoint;

/// All values of one scrape, by name with labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scrape {
    values: BTreeMap<String, f64>,
}

impl Scrape {
    pub(crate) async fn read(ops: &Endpoint) -> anyhow::Result<Self> {
        Self::parse(&ops.get("/metrics").await?)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let samples = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let values = samples.map(|line| {
            let (name, value) = line.rsplit_once(' ').with_context(|| format!("not a metric: {line}"))?;
            Ok((name.to_owned(), value.parse()?))
        });
        Ok(Self { values: values.collect::<anyhow::Result<_>>()? })
    }

    /// Sum over all labels of a metric; 0 when there is none.
    pub(crate) fn sum(&self, name: &str) -> f64 {
        self.series(name).map(|(_, value)| value).sum()
    }

    /// The values of a metric by their labels.
    pub(crate) fn series(&self, name: &str) -> impl Iterator<Item = (&str, f64)> {
        let from = self.values.range(name.to_owned()..);
        let own = from.map_while(move |(key, value)| Some((key.strip_prefix(name)?, *value)));
        own.filter(|(labels, _)| labels.is_empty() || labels.starts_with('{'))
    }

    /// A histogram, summed over all that have this among their labels; nothing is among all labels.
    pub(crate) fn histogram(&self, name: &str, label: &str) -> Buckets {
        let mut cumulative: Vec<(f64, f64)> = Vec::new();
        for (labels, count) in self.series(&format!("{name}_bucket")).filter(|(labels, _)| labels.contains(label)) {
            let Some(bound) = labels.split("le=\"").nth(1).and_then(|rest| rest.split('"').next()) else { continue };
            let Ok(bound) = bound.replace("+Inf", "inf").parse::<f64>() else { continue };
            match cumulative.iter_mut().find(|(known, _)| *known == bound) {
                Some((_, sum)) => *sum += count,
                None => cumulative.push((bound, count)),
            }
        }
        cumulative.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut below = 0.0;
        let own = |(bound, count)| (bound, count - std::mem::replace(&mut below, count));
        Buckets { counts: cumulative.into_iter().map(own).collect() }
    }
}

/// How much a counter grew.
pub(crate) fn growth(name: &str, before: &Scrape, after: &Scrape) -> f64 {
    after.sum(name) - before.sum(name)
}

/// How often a time was how long: counts by upper bound in seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    counts: Vec<(f64, f64)>,
}

impl Buckets {
    /// What came in since an earlier reading of the same histogram.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let was = |bound: f64| before.counts.iter().find(|(known, _)| *known == bound).map_or(0.0, |(_, count)| *count);
        Self { counts: self.counts.iter().map(|&(bound, count)| (bound, count - was(bound))).collect() }
    }

    /// Adds another reading with the same bounds.
    pub(crate) fn add(&mut self, other: &Self) {
        if self.counts.is_empty() {
            self.counts.clone_from(&other.counts);
            return;
        }
        for ((_, sum), (_, more)) in self.counts.iter_mut().zip(&other.counts) {
            *sum += more;
        }
    }

    pub(crate) fn total(&self) -> f64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// A quantile in seconds, as if times were spread evenly within a bucket. `None` when there are none.
    pub(crate) fn quantile(&self, quantile: f64) -> Option<f64> {
        let total = self.total();
        if total <= 0.0 {
            return None;
        }
        let (mut below, mut lower) = (0.0, 0.0);
        for &(bound, count) in &self.counts {
            if count > 0.0 && below + count >= total * quantile {
                let part = ((total * quantile - below) / count).clamp(0.0, 1.0);
                return Some(if bound.is_finite() { lower + (bound - lower) * part } else { lower });
            }
            below += count;
            lower = bound;
        }
        None
    }

    /// The bound that no time was above, as far as the buckets tell.
    pub(crate) fn max(&self) -> Option<f64> {
        self.counts.iter().rev().find(|(_, count)| *count > 0.0).map(|(bound, _)| *bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# HELP x y\nt_bucket{worker=\"0\",le=\"0.1\"} 10\nt_bucket{worker=\"0\",le=\"0.2\"} 10\nt_bucket{worker=\"0\",le=\"+Inf\"} 10\nn{a=\"b\"} 2\nn{a=\"c\"} 3\nnn 9\n";
    const AFTER: &str = "t_bucket{worker=\"0\",le=\"0.1\"} 100\nt_bucket{worker=\"0\",le=\"0.2\"} 109\nt_bucket{worker=\"0\",le=\"+Inf\"} 110\nn{a=\"b\"} 7\n";

    #[test]
    fn quantiles_are_of_what_came_in_between() {
        let (before, after) = (Scrape::parse(BEFORE).expect("text"), Scrape::parse(AFTER).expect("text"));
        let between = after.histogram("t", "").since(&before.histogram("t", ""));
        assert_eq!(between.total(), 100.0);
        assert_eq!(between.quantile(0.45), Some(0.05), "half of the first bucket");
        assert!(between.quantile(0.95).is_some_and(|at| at > 0.1 && at < 0.2));
        assert_eq!(between.quantile(1.0), Some(0.2), "no more is known of what is beyond the last bound");
        assert_eq!(between.max(), Some(f64::INFINITY));
        assert_eq!(between.since(&between).quantile(0.5), None);
        assert_eq!(after.histogram("t", "worker=\"0\"").total(), 110.0);
        assert_eq!(after.histogram("t", "worker=\"1\"").total(), 0.0);
        assert_eq!(growth("n", &before, &after), 2.0);
    }

    #[test]
    fn readings_add_up() {
        let after = Scrape::parse(AFTER).expect("text").histogram("t", "");
        let mut sum = Buckets::default();
        sum.add(&after);
        sum.add(&after);
        assert_eq!(sum.total(), 220.0);
        assert_eq!(sum.quantile(0.5), after.quantile(0.5));
    }
}
