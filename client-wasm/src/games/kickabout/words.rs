//! What Kickabout says in words: orders in speech tags, clock, banners, results.

use contract::{
    RosterEntry, SeatId,
    agent::OrderStatus,
    games::kickabout::{Happening, HappeningKind, Instruction, Order, Phase, Team, View, WithBall, WithoutBall, Zone},
};

use crate::games::{Banner, Finish, Words};

const TICKS_PER_SECOND: u32 = 60;

/// The name of whoever plays a seat.
pub(super) fn name_of(roster: &[RosterEntry], seat: SeatId) -> &str {
    roster.iter().find(|entry| entry.seat == seat).map_or("?", |entry| entry.name.as_str())
}

/// What a player is up to, in a few words: its order while that is active, else its plan where the plan says something.
pub(super) fn intent(instruction: &Instruction, roster: &[RosterEntry]) -> String {
    let order = instruction.order.filter(|state| state.status == OrderStatus::Active).map(|state| state.order);
    match order {
        Some(Order::Mark { player }) => format!("marking {}", name_of(roster, player)),
        Some(Order::Press) => "pressing".into(),
        Some(Order::PassTo { player }) => format!("passing to {}", name_of(roster, player)),
        Some(Order::Shoot) => "shooting".into(),
        Some(Order::Clear) => "clearing the ball".into(),
        Some(Order::HoldZone { zone }) => format!("holding {}", zone_words(zone)),
        Some(Order::SetPlan { .. } | Order::TakeRole { .. } | Order::Stop) | None => plan(instruction, roster),
    }
}

fn plan(instruction: &Instruction, roster: &[RosterEntry]) -> String {
    match (instruction.plan.without_ball, instruction.plan.with_ball) {
        (WithoutBall::Press, _) => "pressing".into(),
        (WithoutBall::Mark { player }, _) => format!("marking {}", name_of(roster, player)),
        (WithoutBall::HoldZone { zone }, _) => format!("holding {}", zone_words(zone)),
        (WithoutBall::Support, _) => "supporting".into(),
        (WithoutBall::KeepGoal, _) => "keeping goal".into(),
        (WithoutBall::Auto, WithBall::Shoot) => "looking to shoot".into(),
        (WithoutBall::Auto, WithBall::Pass) => "looking to pass".into(),
        (WithoutBall::Auto, WithBall::Dribble) => "looking to dribble".into(),
        (WithoutBall::Auto, WithBall::Clear) => "clearing danger".into(),
        (WithoutBall::Auto, WithBall::Auto) => format!("playing {}", instruction.plan.role.word()),
    }
}

const fn zone_words(zone: Zone) -> &'static str {
    match zone {
        Zone::DefenceLeft => "left defence",
        Zone::DefenceCentre => "centre defence",
        Zone::DefenceRight => "right defence",
        Zone::MidfieldLeft => "left midfield",
        Zone::MidfieldCentre => "centre midfield",
        Zone::MidfieldRight => "right midfield",
        Zone::AttackLeft => "left attack",
        Zone::AttackCentre => "centre attack",
        Zone::AttackRight => "right attack",
    }
}

/// What words need to know beside the view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct News {
    /// The last goal that was scored.
    pub(super) goal: Option<Happening>,
    /// The golden goal's time has just begun.
    pub(super) golden: bool,
    /// The person has asked for another match.
    pub(super) asked_again: bool,
}

/// Everything that is written around the picture.
pub(super) fn words(view: &View, news: News, roster: &[RosterEntry]) -> Words {
    let golden = view.golden_goal && !matches!(view.phase, Phase::Ended(_));
    Words {
        score: view.score,
        clock: clock(view.clock_ticks),
        remark: if golden { "Golden goal" } else { "" },
        banner: banner(view, news, roster),
        finish: match view.phase {
            Phase::Ended(winner) => Some(finish(view, winner, roster, news.asked_again)),
            _ => None,
        },
        standings: Vec::new(),
        health: None,
    }
}

/// Time left, rounded up so that it shows 0:00 only when it is over.
fn clock(ticks: u32) -> String {
    let seconds = ticks.div_ceil(TICKS_PER_SECOND);
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

fn banner(view: &View, news: News, roster: &[RosterEntry]) -> Option<Banner> {
    match view.phase {
        Phase::Goal(team) => Some(Banner {
            title: "Goal!".into(),
            line: goal_line(team, news.goal, view, roster),
            team: Some(team as u8),
        }),
        Phase::KickOff(team) if u32::from(view.phase_ticks) < 2 * TICKS_PER_SECOND => Some(Banner {
            title: "Kick-off".into(),
            line: format!("{} to start", team_word(team)),
            team: Some(team as u8),
        }),
        Phase::Play if news.golden => {
            Some(Banner { title: "Golden goal".into(), line: "The next goal wins".into(), team: None })
        }
        _ => None,
    }
}

fn goal_line(team: Team, scorer: Option<Happening>, view: &View, roster: &[RosterEntry]) -> String {
    let kind = if team == Team::Red { HappeningKind::GoalRed } else { HappeningKind::GoalBlue };
    let seat = scorer.filter(|happening| happening.kind == kind).and_then(|happening| happening.seat);
    let Some(seat) = seat else { return format!("{} scores", team_word(team)) };
    let team_size = u8::try_from(view.player_count / 2).unwrap_or(1);
    let name = name_of(roster, seat);
    if Team::of(seat, team_size) == team { name.to_owned() } else { format!("{name} (own goal)") }
}

const fn team_word(team: Team) -> &'static str {
    match team {
        Team::Red => "Red",
        Team::Blue => "Blue",
    }
}

fn finish(view: &View, winner: Option<Team>, roster: &[RosterEntry], asked_again: bool) -> Finish {
    let score = |team: Team| view.score[team.index()];
    let title = winner.map_or_else(
        || format!("A draw, {} – {}", view.score[0], view.score[1]),
        |team| format!("{} wins {} – {}", team_word(team), score(team), score(team.other())),
    );
    let lines = view
        .players()
        .iter()
        .enumerate()
        .filter(|(_, player)| player.goals > 0)
        .map(|(index, player)| {
            let name = name_of(roster, SeatId(u8::try_from(index).unwrap_or(u8::MAX)));
            if player.goals == 1 { format!("{name}, 1 goal") } else { format!("{name}, {} goals", player.goals) }
        })
        .collect();
    Finish { title, team: winner.map(|team| team as u8), lines, asked_again }
}

#[cfg(test)]
mod tests {
    use contract::{
        Holder, PlayerName, TeamId, Tick,
        agent::OrderId,
        games::kickabout::{OrderState, Plan, Player},
    };

    use super::*;

    fn roster() -> Vec<RosterEntry> {
        ["Ada", "Bo"]
            .iter()
            .zip(0..)
            .map(|(name, index)| RosterEntry {
                seat: SeatId(index),
                team: TeamId(index),
                holder: Holder::Person,
                name: PlayerName::clean(name).expect("a name"),
                is_away: false,
                relayed_by: None,
            })
            .collect()
    }

    fn ordered(order: Order, status: OrderStatus) -> Instruction {
        let state = OrderState { id: OrderId::default(), order, given: Tick(0), expires: Tick(9), status };
        let plan = Plan { without_ball: WithoutBall::KeepGoal, ..Plan::default() };
        Instruction { plan, order: Some(state), ..Instruction::default() }
    }

    #[test]
    fn an_active_order_is_told_before_the_plan() {
        let mark = Order::Mark { player: SeatId(1) };
        assert_eq!(intent(&ordered(mark, OrderStatus::Active), &roster()), "marking Bo");
        assert_eq!(intent(&ordered(mark, OrderStatus::Done), &roster()), "keeping goal");
        let zone = Order::HoldZone { zone: Zone::MidfieldLeft };
        assert_eq!(intent(&ordered(zone, OrderStatus::Active), &roster()), "holding left midfield");
        assert_eq!(intent(&Instruction::default(), &roster()), "playing midfielder");
    }

    #[test]
    fn the_clock_shows_nothing_left_only_at_the_end() {
        assert_eq!(clock(10_800), "3:00");
        assert_eq!(clock(61), "0:02");
        assert_eq!(clock(1), "0:01");
        assert_eq!(clock(0), "0:00");
    }

    #[test]
    fn goals_name_who_scored() {
        let mut view = View { player_count: 2, phase: Phase::Goal(Team::Red), ..View::default() };
        let goal = |seat| Some(Happening { tick: Tick(1), kind: HappeningKind::GoalRed, seat: Some(SeatId(seat)) });
        let line = |view: &View, goal| {
            let news = News { goal, ..News::default() };
            words(view, news, &roster()).banner.expect("a banner").line
        };
        assert_eq!(line(&view, goal(0)), "Ada");
        assert_eq!(line(&view, goal(1)), "Bo (own goal)");
        assert_eq!(line(&view, None), "Red scores");

        view.phase = Phase::Ended(Some(Team::Blue));
        view.players[1] = Player { goals: 2, ..Player::default() };
        view.score = [1, 2];
        let finish = words(&view, News::default(), &roster()).finish.expect("the end");
        assert_eq!((finish.title.as_str(), finish.team), ("Blue wins 2 – 1", Some(1)));
        assert_eq!(finish.lines, ["Bo, 2 goals"]);
    }
}
