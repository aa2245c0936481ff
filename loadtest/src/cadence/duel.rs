//! One seeded match: a seat played by the policy, or by a baseline, against a standard bot. Virtual time: the world is
//! stepped as fast as it can be.

use contract::{
    Audience, SeatId,
    agent::{Glance, OrderId},
    games::kickabout::{Fact, Input, Order, Phase, Setup, Team, View},
    limits::AGENT_BASED_ON_AGE_S_MAX,
};
use sim::{Game as _, SeatOrder, games::kickabout::Kickabout};

use super::{keys::Keys, orders, policy, sight::Sight};

/// One against one: nothing but the seat and its opponent decides a match.
pub(super) const TEAM_SIZE: u8 = 1;
/// No match is longer than this many times its regular time, the golden goal included.
const LENGTH_MAX: u32 = 4;

/// Who plays the seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Player {
    /// The standard bot, without any order.
    Bot,
    /// Nobody: the player stands.
    Idle,
    /// The policy holds keys.
    Keys {
        /// From a sight to when its decision arrives.
        latency_ticks: u32,
    },
    /// The policy gives orders, and mechanics carry them out.
    Orders {
        /// From a sight to when its decision arrives.
        latency_ticks: u32,
        /// Whether it never sets a standing plan.
        one_shot: bool,
    },
}

/// How a match went for the seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) goals: u8,
    pub(super) against: u8,
    /// Inputs or orders that arrived.
    pub(super) decisions: u32,
    /// Of those, the ones that were legal and whose basis was still so.
    pub(super) valid: u32,
}

/// What is on its way from a sight to the match.
struct Decision {
    based_on: u32,
    arrives: u32,
    /// What must still be so; nothing for what is good whatever comes.
    basis: Vec<Fact>,
    act: Act,
}

impl Decision {
    /// Whether an act with this basis is refused for its age, whatever has become of the basis.
    fn is_stale(&self) -> bool {
        !self.basis.is_empty() && self.arrives - self.based_on > AGENT_BASED_ON_AGE_S_MAX * 60
    }
}

/// What a decision says, in terms of the hands that carry it out.
enum Act {
    Hold(Input),
    Give(Order),
    /// What was told before still says it.
    Nothing,
}

/// Plays a match. The seat is red's for even seeds and blue's for odd ones.
pub(super) fn play(player: Player, seed: u64, duration_s: u16) -> Outcome {
    let setup = Setup { team_size: TEAM_SIZE, duration_s };
    let seat = SeatId(u8::from(seed % 2 == 1));
    let team = Team::of(seat, TEAM_SIZE);
    let mut game = Kickabout::new(&setup, seed);
    let mut view = View::default();
    let mut keys = Keys::default();
    let mut outcome = Outcome::default();
    let mut pending: Option<Decision> = None;
    let mut orders = Vec::new();
    for tick in 0..u32::from(duration_s) * 60 * LENGTH_MAX {
        game.view(Audience(team.index() as u8), &mut view);
        if matches!(view.phase, Phase::Ended(_)) {
            break;
        }
        orders.clear();
        if let Some(arrived) = pending.take_if(|decision| decision.arrives == tick) {
            let mut is_valid = arrived.basis.iter().all(|fact| Kickabout::holds(&setup, &view, Some(seat), fact));
            match arrived.act {
                Act::Hold(input) => keys.hold(input),
                Act::Give(order) => {
                    is_valid &= !arrived.is_stale() && Kickabout::check_order(&setup, &view, seat, &order).is_ok();
                    if is_valid {
                        let id = OrderId::new(view.tick.next(), 0);
                        orders.push(SeatOrder::Give { seat, id, order, expires_in: None });
                    }
                }
                Act::Nothing => is_valid = false,
            }
            outcome.decisions += u32::from(!matches!(arrived.act, Act::Nothing));
            outcome.valid += u32::from(is_valid);
        }
        if pending.is_none() {
            pending = decide(player, &setup, &view, seat, &keys, tick);
        }
        let mut inputs = [None, None];
        inputs[seat.index()] = match player {
            Player::Bot | Player::Orders { .. } => None,
            Player::Idle => Some(Input::default()),
            Player::Keys { .. } => Some(keys.held()),
        };
        game.step(&inputs, &orders);
        keys.pass_tick();
    }
    outcome.goals = view.score[team.index()];
    outcome.against = view.score[team.other().index()];
    outcome
}

/// Looks and decides, if there is anything to decide.
fn decide(player: Player, setup: &Setup, view: &View, seat: SeatId, keys: &Keys, tick: u32) -> Option<Decision> {
    let (Player::Keys { latency_ticks } | Player::Orders { latency_ticks, .. }) = player else { return None };
    let seen = Sight::from(Kickabout::observe(setup, view, &Glance::full(Some(seat), &[])));
    if !policy::is_played(&seen) {
        return None;
    }
    let (act, basis) = match player {
        Player::Orders { one_shot, .. } => match orders::decide(&seen, one_shot) {
            Some(decision) => (Act::Give(decision.order), decision.basis),
            None => (Act::Nothing, Vec::new()),
        },
        _ => (Act::Hold(keys.input(policy::decide(&seen), &seen, latency_ticks)), policy::basis(&seen)),
    };
    Some(Decision { based_on: tick, arrives: tick + latency_ticks, basis, act })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(player: Player) -> i32 {
        (0..6).map(|seed| play(player, seed, 60)).map(|end| i32::from(end.goals) - i32::from(end.against)).sum()
    }

    #[test]
    fn orders_beat_standing_still_and_keys_held_for_ever() {
        let idle = lead(Player::Idle);
        let orders = lead(Player::Orders { latency_ticks: 1, one_shot: false });
        let keys = lead(Player::Keys { latency_ticks: 1 });
        let slow_keys = lead(Player::Keys { latency_ticks: 600 });
        assert!(orders > idle && keys > idle, "orders {orders}, keys {keys}, idle {idle}");
        assert!(slow_keys < keys, "slow keys {slow_keys}, keys {keys}");
    }

    #[test]
    fn the_same_seed_is_the_same_match() {
        for player in [Player::Keys { latency_ticks: 9 }, Player::Orders { latency_ticks: 60, one_shot: false }] {
            assert_eq!(play(player, 5, 40), play(player, 5, 40));
        }
        let goals = |seed| play(Player::Orders { latency_ticks: 9, one_shot: false }, seed, 40);
        assert!((0..8).any(|seed| goals(seed) != goals(seed + 8)), "the seed matters");
    }

    #[test]
    fn an_old_decision_is_less_often_valid() {
        let share = |latency_ticks| {
            let ends = (0..4).map(|seed| play(Player::Orders { latency_ticks, one_shot: true }, seed, 120));
            let (valid, all) = ends.fold((0, 0), |sum, end| (sum.0 + end.valid, sum.1 + end.decisions));
            f64::from(valid) / f64::from(all)
        };
        let (fast, slow) = (share(1), share(300));
        assert!(fast > 0.9 && slow < fast, "{fast} {slow}");
    }
}
