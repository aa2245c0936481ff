//! Watching: views are shown a little after they arrive, so that there is nearly always a later one to move towards.

use std::collections::VecDeque;

use contract::{Cadence, Tick, WireView};

/// Views kept.
const VIEWS_MAX: usize = 24;
/// Longest delay, in ticks.
const DELAY_TICKS_MAX: f64 = 18.0;
/// How much the delay grows each time the newest view is too old, in ticks.
const DELAY_GROWTH: f64 = 1.0;
/// How much it shrinks with each view that is shown in time.
const DELAY_SHRINK: f64 = 0.01;

/// The last views that arrived, shown with a delay that follows the link's jitter.
#[derive(Clone, Debug)]
pub struct Playout<V> {
    views: VecDeque<V>,
    delay_min: f64,
    delay: f64,
    starving: bool,
}

impl<V: WireView> Playout<V> {
    /// For a server that sends views at this cadence.
    #[must_use]
    pub fn new(cadence: Cadence) -> Self {
        let delay_min = f64::from(cadence.ticks_apart_max()) + 1.0;
        Self { views: VecDeque::with_capacity(VIEWS_MAX), delay_min, delay: delay_min, starving: false }
    }

    /// A view arrived. One that is not newer than the last is the start of another count and clears the rest.
    pub fn push(&mut self, view: V) {
        if self.views.back().is_some_and(|last| view.tick().since(last.tick()) <= 0) {
            self.views.clear();
        }
        if self.views.len() == VIEWS_MAX {
            self.views.pop_front();
        }
        self.views.push_back(view);
    }

    /// Forgets all views.
    pub fn clear(&mut self) {
        self.views.clear();
    }

    /// The newest view.
    #[must_use]
    pub fn newest(&self) -> Option<&V> {
        self.views.back()
    }

    /// The views before and after the moment to show, and how far the moment is from the first to the second (0 to 1).
    pub fn show(&mut self, (tick, fraction): (Tick, f64)) -> Option<(&V, &V, f32)> {
        let newest = self.views.back()?.tick();
        let late = f64::from(tick.since(newest)) + fraction - self.delay;
        if late > 0.0 && !self.starving {
            self.delay = (self.delay + DELAY_GROWTH).min(DELAY_TICKS_MAX);
        } else if late <= 0.0 {
            self.delay = (self.delay - DELAY_SHRINK).max(self.delay_min);
        }
        self.starving = late > 0.0;
        let is_ahead = |view: &V| f64::from(tick.since(view.tick())) + fraction <= self.delay;
        let after = self.views.iter().position(is_ahead).unwrap_or(self.views.len() - 1);
        let before = after.saturating_sub(1);
        let (first, second) = (&self.views[before], &self.views[after]);
        let span = f64::from(second.tick().since(first.tick()));
        let since = f64::from(tick.since(first.tick())) + fraction - self.delay;
        let part = if span > 0.0 { (since / span).clamp(0.0, 1.0) } else { 1.0 };
        Some((first, second, part as f32))
    }

    /// The view of a tick, if it is still there.
    #[must_use]
    pub fn of(&self, tick: Tick) -> Option<&V> {
        self.views.iter().find(|view| view.tick() == tick)
    }

    /// Delay in ticks.
    #[must_use]
    pub fn delay_ticks(&self) -> f64 {
        self.delay
    }
}

#[cfg(test)]
mod tests {
    use contract::games::kickabout::View;

    use super::*;

    fn view(tick: u32) -> View {
        View { tick: Tick(tick), player_count: 2, ..View::default() }
    }

    #[test]
    fn a_moment_lies_between_two_views() {
        let mut playout = Playout::new(Cadence::new(60, 30));
        for tick in [10, 12, 14, 16] {
            playout.push(view(tick));
        }
        let (before, after, part) = playout.show((Tick(16), 0.5)).expect("views are there");
        assert_eq!((before.tick, after.tick), (Tick(12), Tick(14)));
        assert!((part - 0.75).abs() < 1e-6);
    }

    #[test]
    fn the_delay_grows_while_views_are_missing_and_shrinks_again() {
        let mut playout = Playout::new(Cadence::new(60, 30));
        playout.push(view(0));
        for tick in 1..200 {
            // Every other time the views of half a second are held up.
            playout.show((Tick(tick), 0.0));
            if tick % 20 == 0 {
                playout.push(view(tick));
            }
        }
        let grown = playout.delay_ticks();
        assert!(grown > 6.0 && grown <= DELAY_TICKS_MAX, "{grown}");
        for tick in 200..3000 {
            playout.push(view(tick));
            playout.show((Tick(tick), 0.0));
        }
        assert!(playout.delay_ticks() < 3.5);
    }

    #[test]
    fn shows_through_the_wrap() {
        let mut playout = Playout::new(Cadence::new(60, 30));
        for tick in [u32::MAX - 3, u32::MAX - 1, 1, 3] {
            playout.push(view(tick));
        }
        let (before, after, _) = playout.show((Tick(3), 0.0)).expect("views are there");
        assert_eq!((before.tick, after.tick), (Tick(u32::MAX - 1), Tick(1)));
    }
}
