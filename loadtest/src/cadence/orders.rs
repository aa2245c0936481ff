//! A tactic carried out by mechanics: the order that says it.

use contract::{
    agent::OrderStatus,
    games::kickabout::{Fact, Order, WithBall, WithoutBall},
};

use super::{
    policy::{self, Tactic},
    sight::Sight,
};

/// An order, and what must still be so when it arrives for it to make sense.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decision {
    pub(super) order: Order,
    /// Nothing for a standing plan, which is for whatever comes.
    pub(super) basis: Vec<Fact>,
}

/// What a sight calls for; nothing when mechanics are on it already.
pub(super) fn decide(seen: &Sight, one_shot: bool) -> Option<Decision> {
    let order = order(policy::decide(seen), seen, one_shot)?;
    let is_standing = matches!(order, Order::SetPlan { .. } | Order::Stop);
    Some(Decision { order, basis: if is_standing { Vec::new() } else { policy::basis(seen) } })
}

/// The order that says a tactic; none when mechanics are on it already.
///
/// To win the ball and score is a standing plan, good for whatever comes; to clear and to guard are for the moment. With
/// `one_shot` everything is for the moment.
fn order(tactic: Tactic, seen: &Sight, one_shot: bool) -> Option<Order> {
    let me = policy::me(seen);
    let active = me.order.as_ref().filter(|state| state.status == OrderStatus::Active).map(|state| state.order);
    let order = match tactic {
        Tactic::Clear => Order::Clear,
        Tactic::Guard => Order::Mark { player: policy::opponent(seen).id },
        Tactic::Shoot if one_shot => Order::Shoot,
        Tactic::Press if one_shot => Order::Press,
        Tactic::Shoot | Tactic::Press => {
            let plan = (Some(WithBall::Shoot), Some(WithoutBall::Press));
            if (me.with_ball, me.without_ball) != plan {
                return Some(Order::SetPlan { with_ball: plan.0, without_ball: plan.1 });
            }
            return active.map(|_| Order::Stop);
        }
    };
    (active != Some(order)).then_some(order)
}
