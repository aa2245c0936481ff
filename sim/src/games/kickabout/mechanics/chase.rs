//! Going for the ball.

use contract::games::kickabout::Input;

use super::{
    super::{
        player::PLAYER_RADIUS,
        vector::{Vec2, vec2},
    },
    Luck, Memory, off_ball,
    sight::Sight,
    steering::{run_through, sprinting},
};

/// How far from the ball a player passes it to get behind it.
const PASSING_DISTANCE: f32 = 38.0;

/// Whether the seat goes for the ball, given whether it should. It takes some ticks to change its mind.
pub(super) fn makes_up_mind(should: bool, memory: &mut Memory, luck: &mut Luck) -> bool {
    if should == memory.chasing {
        memory.doubt = 0;
        return memory.chasing;
    }
    if memory.doubt == 0 {
        memory.reaction = 5 + luck.below(9);
    }
    memory.doubt += 1;
    if memory.doubt > memory.reaction {
        memory.chasing = should;
        memory.doubt = 0;
        memory.place_ticks = 0;
    }
    memory.chasing
}

/// Goes for the ball, unless a team-mate has it: then stays near and offers a line.
pub(super) fn press(sight: &Sight<'_>, seat: usize, memory: &mut Memory, luck: &mut Luck) -> Input {
    if sight.holder.is_some_and(|holder| holder != seat) {
        return off_ball::escort(sight, seat);
    }
    memory.chasing = true;
    memory.doubt = luck.below(1);
    chase(sight, seat)
}

/// Gets the ball to play it: from an opponent or loose. From a team-mate it waits for a pass.
pub(super) fn seek(sight: &Sight<'_>, seat: usize, memory: &mut Memory, luck: &mut Luck) -> Input {
    if sight.holder.is_some_and(|holder| holder != seat) {
        return off_ball::support(sight, seat, memory, luck);
    }
    chase(sight, seat)
}

/// Runs to where the ball can be met, and round it to the own side of it if there is time.
pub(super) fn chase(sight: &Sight<'_>, seat: usize) -> Input {
    let player = &sight.players[seat];
    let meeting = sight.meeting[seat];
    let has_time = sight.arrival[seat] + 12.0 < sight.opponents_arrival;
    let away = (sight.goal() - meeting).unit().unwrap_or(vec2(1.0, 0.0));
    if has_time {
        // Comes from behind, so that the ball goes forward from the first touch.
        let way = meeting - player.position;
        if way.dot(away) > 0.5 * way.length() {
            return run_through(sight, seat, meeting);
        }
        let aside = if way.dot(away.turned()) > 0.0 { -PASSING_DISTANCE } else { PASSING_DISTANCE };
        let is_ahead = way.dot(away) < 0.0;
        let detour = if is_ahead && way.length() < 80.0 { away.turned() * aside } else { Vec2::ZERO };
        return run_through(sight, seat, meeting - away * (PLAYER_RADIUS * 1.6) + detour);
    }
    let ball_distance = sight.ball_distance(seat);
    let to_goal = |place: Vec2| (place - sight.own_goal()).length();
    if sight.team_size <= 2 && ball_distance > 45.0 && to_goal(player.position) > to_goal(meeting) - 12.0 {
        // Beaten, with nobody else to help: back between ball and goal.
        let place = sight.own_goal() + (meeting - sight.own_goal()) * 0.55;
        return sprinting(sight, seat, run_through(sight, seat, place), 0);
    }
    // In a duel: between the ball and the own goal rather than beside it.
    let goalside = (sight.own_goal() - meeting).unit().unwrap_or(vec2(-1.0, 0.0));
    let close = ball_distance < 75.0;
    let lone = sight.team_size <= 2 && sight.opponents_arrival < 1.0;
    let stand_off = if close {
        0.0
    } else if lone {
        (meeting - sight.own_goal()).length() * 0.3
    } else {
        14.0
    };
    sprinting(sight, seat, run_through(sight, seat, meeting + goalside * stand_off.min(90.0)), 220)
}
