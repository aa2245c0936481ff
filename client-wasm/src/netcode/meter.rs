//! Counts things per second.

/// How many things came within the last whole second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    since_ms: f64,
    counted: f64,
    rate: f64,
}

impl Meter {
    /// Adds `amount` at a moment.
    pub fn add(&mut self, amount: f64, now_ms: f64) {
        self.turn(now_ms);
        self.counted += amount;
    }

    /// Amount per second, over the last full second.
    pub fn per_second(&mut self, now_ms: f64) -> f64 {
        self.turn(now_ms);
        self.rate
    }

    fn turn(&mut self, now_ms: f64) {
        let elapsed = now_ms - self.since_ms;
        if elapsed >= 1000.0 {
            self.rate = self.counted * 1000.0 / elapsed;
            self.counted = 0.0;
            self.since_ms = now_ms;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_stream_has_a_steady_rate() {
        let mut meter = Meter::default();
        for n in 0..300 {
            meter.add(2.0, f64::from(n) * 20.0);
        }
        assert!((meter.per_second(6000.0) - 100.0).abs() < 2.1);
    }
}
