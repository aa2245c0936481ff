//! What Skirmish says in words: orders in speech tags, and who is ahead.

use contract::{
    RosterEntry, SeatId,
    games::skirmish::{HP_MAX, Instruction, Order, Route, Stance, View, Zone},
};

use super::craft::colour;
use crate::games::{Banner, ScoreLine, Words};

/// Lines of the standings, the person's own aside.
const STANDINGS_MAX: usize = 5;

/// The name of whoever plays a seat.
pub(super) fn name_of(roster: &[RosterEntry], seat: SeatId) -> &str {
    roster.iter().find(|entry| entry.seat == seat).map_or("?", |entry| entry.name.as_str())
}

/// What a craft is up to, in a few words: its order while that is active, else its plan.
pub(super) fn intent(told: &Instruction, roster: &[RosterEntry]) -> String {
    match told.active() {
        Some(Order::Attack { player }) => format!("attacking {}", name_of(roster, player)),
        Some(Order::Evade) => "evading".into(),
        Some(Order::Hold { zone }) => format!("holding the {}", zone_words(zone)),
        Some(Order::Patrol { zones }) => format!("patrolling {}", route_words(&zones)),
        Some(Order::SetPlan { .. } | Order::Stop) | None => match told.plan.stance {
            Stance::Hunt => "hunting".into(),
            Stance::Snipe => "sniping".into(),
            Stance::Survive => "keeping away".into(),
        },
    }
}

const fn zone_words(zone: Zone) -> &'static str {
    match zone {
        Zone::NorthWest => "north-west",
        Zone::North => "north",
        Zone::NorthEast => "north-east",
        Zone::West => "west",
        Zone::Centre => "centre",
        Zone::East => "east",
        Zone::SouthWest => "south-west",
        Zone::South => "south",
        Zone::SouthEast => "south-east",
    }
}

fn route_words(route: &Route) -> String {
    let words: Vec<_> = route.zones().iter().map(|zone| zone.word().to_uppercase()).collect();
    words.join(" – ")
}

/// What words need to know beside the view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct News {
    /// Who has just shot the person down.
    pub(super) lost_to: Option<SeatId>,
    /// Whom the person has just shot down.
    pub(super) won_over: Option<SeatId>,
}

/// Everything that is written around the picture.
pub(super) fn words(view: &View, news: News, own: Option<SeatId>, roster: &[RosterEntry]) -> Words {
    let banner = |title: &str, line: String| Some(Banner { title: title.into(), line, team: None });
    Words {
        banner: match news {
            News { lost_to: Some(seat), .. } => banner("Shot down", format!("by {}", name_of(roster, seat))),
            News { won_over: Some(seat), .. } => banner("Got one!", name_of(roster, seat).to_owned()),
            News { .. } => None,
        },
        standings: standings(view, own, roster),
        health: own.and_then(|own| view.craft.get(own.index())).map(|craft| percent(craft.hp)),
        ..Words::default()
    }
}

fn percent(hp: u8) -> u8 {
    (u16::from(hp) * 100 / u16::from(HP_MAX)) as u8
}

fn standings(view: &View, own: Option<SeatId>, roster: &[RosterEntry]) -> Vec<ScoreLine> {
    let mut seats: Vec<_> = (0..).map(SeatId).zip(&view.craft).map(|(seat, craft)| (seat, craft.score)).collect();
    seats.sort_by_key(|(seat, score)| (u16::MAX - score, seat.0));
    let rank = |score: u16| 1 + seats.iter().filter(|(_, other)| *other > score).count();
    let line = |(seat, points): &(SeatId, u16)| ScoreLine {
        rank: rank(*points),
        name: name_of(roster, *seat).to_owned(),
        points: *points,
        colour: colour(seat.index(), own == Some(*seat)),
        is_own: own == Some(*seat),
    };
    let last = seats.iter().skip(STANDINGS_MAX).find(|(seat, _)| own == Some(*seat));
    seats.iter().take(STANDINGS_MAX).chain(last).map(line).collect()
}

#[cfg(test)]
mod tests {
    use contract::{Holder, PlayerName, TeamId, games::skirmish::Craft};

    use super::*;

    fn roster(count: u8) -> Vec<RosterEntry> {
        (0..count)
            .map(|seat| RosterEntry {
                seat: SeatId(seat),
                team: TeamId(0),
                holder: Holder::Bot,
                name: PlayerName::clean(&format!("Bot {seat}")).expect("a name"),
                is_away: false,
                relayed_by: None,
            })
            .collect()
    }

    fn view(scores: &[u16]) -> View {
        let craft = scores.iter().map(|score| Craft { score: *score, ..Craft::default() }).collect();
        View { craft, ..View::default() }
    }

    #[test]
    fn the_best_and_the_person_are_listed() {
        let scores = [0, 9, 3, 3, 1, 2, 0];
        let lines = words(&view(&scores), News::default(), Some(SeatId(6)), &roster(7)).standings;
        let told: Vec<_> = lines.iter().map(|line| (line.rank, line.name.as_str(), line.points, line.is_own)).collect();
        assert_eq!(
            told,
            [
                (1, "Bot 1", 9, false),
                (2, "Bot 2", 3, false),
                (2, "Bot 3", 3, false),
                (4, "Bot 5", 2, false),
                (5, "Bot 4", 1, false),
                (6, "Bot 6", 0, true),
            ]
        );
        assert_eq!(words(&view(&scores), News::default(), None, &roster(7)).standings.len(), 5);
    }

    #[test]
    fn only_somebody_who_plays_has_health() {
        let mut view = view(&[0, 0]);
        view.craft[1].hp = HP_MAX / 4;
        let health = |own| words(&view, News::default(), own, &roster(2)).health;
        assert_eq!([health(None), health(Some(SeatId(0))), health(Some(SeatId(1)))], [None, Some(100), Some(25)]);
    }

    #[test]
    fn a_loss_is_told_before_a_win() {
        let news = News { lost_to: Some(SeatId(1)), won_over: Some(SeatId(2)) };
        let banner = words(&view(&[0, 0, 0]), news, Some(SeatId(0)), &roster(3)).banner.expect("a banner");
        assert_eq!((banner.title.as_str(), banner.line.as_str()), ("Shot down", "by Bot 1"));
    }

    #[test]
    fn orders_are_told_in_words() {
        let told = |stance| Instruction { plan: contract::games::skirmish::Plan { stance }, ..Instruction::default() };
        assert_eq!(intent(&told(Stance::Snipe), &[]), "sniping");
        let route = Route::new(&[Zone::NorthWest, Zone::South]).expect("2 zones");
        assert_eq!(route_words(&route), "NW – S");
    }
}
