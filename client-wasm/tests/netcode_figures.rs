//! What the netcode promises, over shorter matches than `cargo xtask bench virtual_link` measures.

#[path = "../examples/virtual_link/link/mod.rs"]
mod link;

use link::{Conditions, Figures, play};

const SECONDS: u32 = 40;

fn over(rtt_ms: f64, jitter_ms: f64, stalled: f64) -> Figures {
    let figures = play(Conditions { rtt_ms, jitter_ms, stalled }, SECONDS, 5);
    assert_eq!(figures.wrong, 0, "the rules are the same on both sides");
    assert_eq!(figures.resyncs, 0, "steps are followed without a gap");
    assert_eq!(figures.at_once.count, figures.at_once.of, "a key is in the picture of its frame");
    figures
}

#[test]
fn without_delay_nothing_is_late_and_nothing_is_corrected() {
    let figures = over(0.0, 0.0, 0.0);
    assert_eq!((figures.late.count, figures.apart.count), (0, 0));
    assert!(figures.lead_ticks >= 1.0 && figures.lead_ticks < 3.0, "{}", figures.lead_ticks);
}

#[test]
fn at_150_ms_with_jitter_and_stalls_the_own_player_is_hardly_ever_corrected() {
    for stalled in [0.0, 0.02] {
        let figures = over(150.0, 30.0, stalled);
        assert!(figures.apart.of > 2_000, "{:?}", figures.apart);
        assert!(figures.apart.percent() < 1.0, "{:?}", figures.apart);
        assert!(figures.late.percent() < 0.5, "{:?}", figures.late);
    }
}

#[test]
fn at_300_ms_the_own_player_still_answers_at_once() {
    let figures = over(300.0, 60.0, 0.0);
    assert!(figures.apart.percent() < 1.0, "{:?}", figures.apart);
}

#[test]
fn prediction_shows_the_ball_nearer_to_the_truth_than_waiting_or_guessing_does() {
    let figures = over(150.0, 30.0, 0.0);
    let half = |values: &[f32]| link::percentile(values, 0.5);
    assert!(half(&figures.ball_errors) < half(&figures.extrapolated_errors));
    assert!(half(&figures.ball_errors) < half(&figures.interpolated_errors));
}

#[test]
fn steps_cost_less_than_a_kilobyte_a_second() {
    assert!(over(50.0, 0.0, 0.0).down_per_second < 1_000.0);
}
