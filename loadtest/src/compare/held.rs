//! How many matches a core holds: the largest number that was held, found by trying.

use serde::Serialize;

use super::run::{Contender, Run, Size};

/// Tries at one number before it counts as not held: somebody else's burst must not decide.
const TRIES: u32 = 2;

/// One try.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Try {
    pub(super) contender: Contender,
    pub(super) size: Size,
    /// What it showed, or why it came to nothing: too many matches are a reason.
    pub(super) outcome: Result<Run, String>,
}

impl Try {
    pub(super) fn is_held(&self) -> bool {
        self.outcome.as_ref().is_ok_and(Run::is_held)
    }
}

/// Decides which number is tried next.
#[derive(Debug)]
pub(super) struct Search {
    step: usize,
    most: usize,
    /// The largest number that was held, and the smallest above it that was not.
    held: usize,
    failed: Option<usize>,
    next: usize,
    tries: u32,
}

impl Search {
    /// Begins with `from`, and ends when the answer is known to within `step`. Nothing above `most` is tried.
    pub(super) fn new(from: usize, step: usize, most: usize) -> Self {
        let step = step.max(1);
        Self { step, most, held: 0, failed: None, next: from.clamp(1, most), tries: 0 }
    }

    /// The number to try; `None` when the search is over.
    pub(super) fn next(&self) -> Option<usize> {
        match self.failed {
            Some(failed) if failed - self.held <= self.step => None,
            None if self.held == self.most => None,
            _ => Some(self.next),
        }
    }

    /// Takes note of how the try of [`Search::next`] went.
    pub(super) fn note(&mut self, is_held: bool) {
        self.tries += 1;
        if is_held {
            self.held = self.next;
        } else if self.tries < TRIES {
            return;
        } else {
            self.failed = Some(self.next);
        }
        self.tries = 0;
        self.next = match self.failed {
            // In between, on a multiple of the step.
            Some(failed) => {
                let middle = usize::midpoint(self.held, failed) / self.step * self.step;
                if middle > self.held { middle } else { (self.held + self.step).min(failed - 1) }.max(1)
            }
            None => (self.held + self.held / 2).max(self.held + self.step).min(self.most),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches where `limit` matches are held; each number in `bad` fails once although it could be held.
    fn find(from: usize, limit: usize, mut bad: Vec<usize>) -> (usize, Vec<usize>) {
        let (mut search, mut tried) = (Search::new(from, 10, 2500), Vec::new());
        while let Some(matches) = search.next() {
            tried.push(matches);
            let is_disturbed = bad.iter().position(|at| *at == matches).map(|at| bad.remove(at)).is_some();
            search.note(matches <= limit && !is_disturbed);
            assert!(tried.len() < 50, "{tried:?}");
        }
        (search.held, tried)
    }

    #[test]
    fn it_climbs_until_it_is_too_much_and_then_narrows_down() {
        for (from, limit) in
            [(100, 110), (100, 337), (100, 100), (100, 60), (100, 7), (3, 2), (100, 2500), (3000, 9000)]
        {
            let (held, tried) = find(from, limit, Vec::new());
            assert!(held <= limit && held + 10 >= limit.min(2500), "{from} {limit}: {held} after {tried:?}");
        }
    }

    #[test]
    fn one_failure_does_not_decide() {
        let (held, tried) = find(100, 160, vec![100, 150]);
        assert!(held >= 150, "{tried:?}");
        assert_eq!(tried[..4], [100, 100, 150, 150]);
    }
}
