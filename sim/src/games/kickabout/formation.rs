//! Who stands where: roles by seat, and each role's place.
//!
//! Places are told from the own side: x from -1 (own goal line) to 1, y from -1 (left) to 1.

use contract::{
    SeatId,
    games::kickabout::{Plan, Role, Team},
};

use super::{
    pitch::{Pitch, side},
    vector::{Vec2, vec2},
};

/// Roles by place in the team, for teams of 1 to 6. The keeper comes last: seats are handed out from the front.
const ROLES: [&[Role]; 6] = {
    use Role::{Defender, Forward, Keeper, Midfielder};
    [
        &[Midfielder],
        &[Forward, Keeper],
        &[Forward, Midfielder, Keeper],
        &[Forward, Midfielder, Defender, Keeper],
        &[Forward, Midfielder, Midfielder, Defender, Keeper],
        &[Forward, Forward, Midfielder, Midfielder, Defender, Keeper],
    ]
};

/// What a seat does when nobody has told it anything.
pub(super) fn default_plan(seat: SeatId, team_size: u8) -> Plan {
    let at = seat.index() % usize::from(team_size.max(1));
    let roles = ROLES[usize::from(team_size.clamp(1, 6)) - 1];
    Plan { role: roles[at % roles.len()], ..Plan::default() }
}

/// The place of the `nth` of `count` players of a role.
pub(super) fn place(role: Role, nth: usize, count: usize) -> Vec2 {
    let x = match role {
        Role::Keeper => -0.93,
        Role::Defender => -0.52,
        Role::Midfielder => -0.16,
        Role::Forward => 0.3,
    };
    #[expect(clippy::cast_precision_loss, reason = "at most 12 players")]
    let y = match (role, count) {
        (Role::Keeper, _) => 0.0,
        // Lone players of a line stand aside of each other, so that lines of passing are not one line.
        (Role::Midfielder, 1) => -0.32,
        (Role::Defender, 1) => 0.2,
        (_, 1) => 0.24,
        _ => -0.5 + nth as f32 / (count - 1) as f32,
    };
    vec2(x, y)
}

/// Where a seat stands at a kick-off.
pub(super) fn kick_off_place(pitch: &Pitch, seat: SeatId, team_size: u8, kicks_off: bool) -> Vec2 {
    let team = Team::of(seat, team_size);
    let size = usize::from(team_size.max(1));
    let at = seat.index() % size;
    let roles = ROLES[usize::from(team_size.clamp(1, 6)) - 1];
    let role = roles[at];
    let count = roles.iter().filter(|other| **other == role).count();
    let nth = roles[..at].iter().filter(|other| **other == role).count();
    let place = if at == 0 {
        // The first of each team starts at the ball, or faces it.
        if kicks_off { vec2(-40.0, 0.0) } else { vec2(-(pitch.circle_radius + 45.0), 0.0) }
    } else {
        let place = place(role, nth, count);
        vec2((place.x * pitch.half_length).min(-30.0), place.y * pitch.half_width * 1.3)
    };
    // Blue's side of the pitch is red's, turned by half a turn.
    place * -side(team)
}
