//! Which sounds a moment makes.

use contract::{
    TeamId, Tick,
    games::kickabout::{HAPPENINGS_MAX, Happening, HappeningKind, View},
};

use crate::sound::Sound;

/// Prediction may move a happening by a few ticks when it is corrected. The same thing by the same player within so many
/// ticks is the same happening.
const SAME_TICKS: u32 = 10;
/// Happenings older than this are news to nobody: the page has just come.
const STALE_TICKS: i32 = 30;

/// Remembers what has been heard.
#[derive(Debug)]
pub(super) struct Ears {
    heard: [Option<Happening>; 2 * HAPPENINGS_MAX],
    next: usize,
}

impl Default for Ears {
    fn default() -> Self {
        Self { heard: [None; 2 * HAPPENINGS_MAX], next: 0 }
    }
}

impl Ears {
    /// Hands each happening that is new to `note`. `predicted` is for what must not wait for the server, such as a kick;
    /// what decides a match is told only when the server has said so.
    pub(super) fn listen(&mut self, confirmed: &View, predicted: &View, mut note: impl FnMut(Happening)) {
        for happening in confirmed.happenings.iter().flatten() {
            self.hear(*happening, confirmed.tick, &mut note);
        }
        for happening in predicted.happenings.iter().flatten() {
            if is_small(happening.kind) {
                self.hear(*happening, predicted.tick, &mut note);
            }
        }
    }

    fn hear(&mut self, happening: Happening, now: Tick, note: &mut impl FnMut(Happening)) {
        let same = |known: &&Happening| {
            known.kind == happening.kind
                && known.seat == happening.seat
                && known.tick.since(happening.tick).unsigned_abs() <= SAME_TICKS
        };
        if self.heard.iter().flatten().any(|known| same(&known)) {
            return;
        }
        self.heard[self.next] = Some(happening);
        self.next = (self.next + 1) % self.heard.len();
        if now.since(happening.tick) < STALE_TICKS {
            note(happening);
        }
    }
}

const fn is_small(kind: HappeningKind) -> bool {
    matches!(kind, HappeningKind::Kick | HappeningKind::Pass | HappeningKind::Touch | HappeningKind::Bounce)
}

/// The sound of a happening, heard by somebody of this side.
pub(super) fn sound(happening: Happening, speed: f32, side: Option<TeamId>) -> Sound {
    match happening.kind {
        HappeningKind::Whistle => Sound::Whistle(1),
        HappeningKind::GoldenGoal => Sound::Whistle(2),
        HappeningKind::FullTime => Sound::Whistle(3),
        HappeningKind::Kick => Sound::Kick((speed / 8.0).clamp(0.2, 1.0)),
        HappeningKind::Pass => Sound::Pass,
        HappeningKind::Touch => Sound::Touch,
        HappeningKind::Bounce => Sound::Bounce,
        HappeningKind::GoalRed => Sound::Cheer(joy(0, side)),
        HappeningKind::GoalBlue => Sound::Cheer(joy(1, side)),
    }
}

fn joy(scored: u8, side: Option<TeamId>) -> f32 {
    match side {
        Some(TeamId(team)) if team != scored => 0.45,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use contract::SeatId;

    use super::*;

    fn view(tick: u32, happenings: &[(u32, HappeningKind, u8)]) -> View {
        let mut view = View { tick: Tick(tick), ..View::default() };
        for (slot, &(tick, kind, seat)) in view.happenings.iter_mut().zip(happenings) {
            *slot = Some(Happening { tick: Tick(tick), kind, seat: Some(SeatId(seat)) });
        }
        view
    }

    fn heard(ears: &mut Ears, confirmed: &View, predicted: &View) -> Vec<HappeningKind> {
        let mut kinds = Vec::new();
        ears.listen(confirmed, predicted, |happening| kinds.push(happening.kind));
        kinds
    }

    #[test]
    fn a_predicted_kick_is_heard_at_once_and_once() {
        let mut ears = Ears::default();
        let quiet = view(100, &[]);
        assert_eq!(heard(&mut ears, &quiet, &view(104, &[(104, HappeningKind::Kick, 2)])), [HappeningKind::Kick]);
        let corrected = view(104, &[(103, HappeningKind::Kick, 2)]);
        assert!(heard(&mut ears, &corrected, &corrected).is_empty());
        let another = view(150, &[(150, HappeningKind::Kick, 2)]);
        assert_eq!(heard(&mut ears, &quiet, &another), [HappeningKind::Kick]);
    }

    #[test]
    fn a_goal_waits_for_the_server() {
        let mut ears = Ears::default();
        let goal = view(200, &[(200, HappeningKind::GoalRed, 0)]);
        assert!(heard(&mut ears, &view(190, &[]), &goal).is_empty());
        assert_eq!(heard(&mut ears, &goal, &goal), [HappeningKind::GoalRed]);
    }

    #[test]
    fn old_news_are_silent() {
        let old = view(200, &[(150, HappeningKind::FullTime, 0)]);
        assert!(heard(&mut Ears::default(), &old, &old).is_empty());
    }
}
