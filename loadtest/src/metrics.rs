//! What the server says of itself: its Prometheus text, before and after.

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
        let labelled = format!("{name}{{");
        self.values.iter().filter(|(key, _)| *key == name || key.starts_with(&labelled)).map(|(_, value)| value).sum()
    }

    /// A histogram's cumulative counts by upper bound, in seconds, summed over its other labels.
    fn buckets(&self, name: &str) -> Vec<(f64, f64)> {
        let prefix = format!("{name}_bucket{{");
        let mut buckets: Vec<(f64, f64)> = Vec::new();
        for (key, count) in self.values.iter().filter(|(key, _)| key.starts_with(&prefix)) {
            let Some(bound) = key.split("le=\"").nth(1).and_then(|rest| rest.split('"').next()) else { continue };
            let Ok(bound) = bound.replace("+Inf", "inf").parse::<f64>() else { continue };
            match buckets.iter_mut().find(|(known, _)| *known == bound) {
                Some((_, sum)) => *sum += count,
                None => buckets.push((bound, *count)),
            }
        }
        buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        buckets
    }
}

/// How much a counter grew.
pub(crate) fn growth(name: &str, before: &Scrape, after: &Scrape) -> f64 {
    after.sum(name) - before.sum(name)
}

/// A quantile of what a histogram gathered between two scrapes, in seconds: the upper bound of its bucket, so never
/// less than the truth. `None` when nothing was gathered.
pub(crate) fn quantile(name: &str, before: &Scrape, after: &Scrape, quantile: f64) -> Option<f64> {
    let earlier = before.buckets(name);
    let gathered = |&(bound, count): &(f64, f64)| {
        let was = earlier.iter().find(|(known, _)| *known == bound).map_or(0.0, |(_, count)| *count);
        (bound, count - was)
    };
    let buckets: Vec<_> = after.buckets(name).iter().map(gathered).collect();
    let total = buckets.last()?.1;
    if total <= 0.0 {
        return None;
    }
    buckets.iter().find(|(_, count)| *count >= total * quantile).map(|(bound, _)| *bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# HELP x y\nt_bucket{worker=\"0\",le=\"0.1\"} 10\nt_bucket{worker=\"0\",le=\"0.2\"} 10\nt_bucket{worker=\"0\",le=\"+Inf\"} 10\nn{a=\"b\"} 2\nn{a=\"c\"} 3\n";
    const AFTER: &str = "t_bucket{worker=\"0\",le=\"0.1\"} 100\nt_bucket{worker=\"0\",le=\"0.2\"} 109\nt_bucket{worker=\"0\",le=\"+Inf\"} 110\nn{a=\"b\"} 7\n";

    #[test]
    fn quantiles_are_of_what_came_in_between() {
        let (before, after) = (Scrape::parse(BEFORE).expect("text"), Scrape::parse(AFTER).expect("text"));
        assert_eq!(quantile("t", &before, &after, 0.5), Some(0.1));
        assert_eq!(quantile("t", &before, &after, 0.95), Some(0.2));
        assert_eq!(quantile("t", &before, &after, 1.0), Some(f64::INFINITY));
        assert_eq!(quantile("t", &before, &before, 0.5), None);
        assert_eq!(growth("n", &before, &after), 2.0);
    }
}
