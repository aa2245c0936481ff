//! Who plays which seat: the one place that decides it.
//!
//! ```text
//!            join                   lose touch (a person)
//!   bot ---------------> held -------------------------------> away
//!    ^                   |  ^ |                               |  |
//!    |                   |  | +- resume: the newest wins -+   |  |
//!    |                   |  +-----------------------------+   |  |
//!    |                   |  +------------- resume ------------+  |
//!    +------ leave ------+                                       |
//!    +------ leave, or away for too long ------------------------+
//! ```
//!
//! Every change of hands and every resumption gives the seat a new epoch; whatever carries an old one (inputs, orders, a
//! late leave) counts for nothing. A person proves to be the one who held the seat by a secret. With each resumption
//! comes the next one, and once that has arrived the one before is worth nothing. While a person is away, mechanics play.

use std::sync::Arc;

use contract::{Holder, PlayerName, Refusal, RelayedBy, ResumeSecret, RosterEntry, SeatId, TeamId, Tick};

use crate::secret;

/// Counts the changes of hands of one seat, from 1. A seat that changed hands at every tick would last two years.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Epoch(pub(crate) u32);

impl Epoch {
    const FIRST: Self = Self(1);

    const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// What somebody who wants to play asks for.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    /// Person or Agent.
    pub(crate) holder: Holder,
    /// Name to play under.
    pub(crate) name: PlayerName,
    /// Wanted side; `None` for the one with fewer people and Agents.
    pub(crate) team: Option<TeamId>,
    /// What the holder will prove itself by after losing touch; Agents, who have no connection to lose, need none.
    pub(crate) resume: Option<ResumeSecret>,
}

/// All seats of a match.
#[derive(Debug)]
pub(crate) struct Seats {
    seats: Vec<Seat>,
    team_count: usize,
}

#[derive(Debug)]
struct Seat {
    team: TeamId,
    holder: Holder,
    /// The name of a person or an Agent. Bots' names are made for the roster.
    name: Option<PlayerName>,
    resume: Option<ResumeSecret>,
    /// The secret the holder came back with, until it is known that the next one has reached them: the answer that
    /// carries it may have been lost with the connection.
    spent: Option<ResumeSecret>,
    /// Since the holder lost touch: the tick at which a bot takes over.
    away_until: Option<Tick>,
    /// Through whose browser the Agent's calls come.
    relayed_by: Option<RelayedBy>,
    epoch: Epoch,
}

impl Seats {
    /// Seats on the given sides, all played by bots.
    pub(crate) fn new(teams: impl Iterator<Item = TeamId>, team_count: usize) -> Self {
        let bot = |team| Seat {
            team,
            holder: Holder::Bot,
            name: None,
            resume: None,
            spent: None,
            away_until: None,
            relayed_by: None,
            epoch: Epoch::FIRST,
        };
        Self { seats: teams.map(bot).collect(), team_count }
    }

    /// Gives a bot's seat to a person or an Agent.
    pub(crate) fn join(&mut self, wish: Wish) -> Result<(SeatId, Epoch), Refusal> {
        if wish.team.is_some_and(|team| team.index() >= self.team_count) {
            return Err(Refusal::NoSuchTeam);
        }
        if self.seats.iter().filter_map(|seat| seat.name.as_ref()).any(|name| name.looks_like(&wish.name)) {
            return Err(Refusal::NameTaken);
        }
        let at = self.free_seat(wish.team).ok_or(Refusal::Full)?;
        let seat = &mut self.seats[at];
        seat.holder = wish.holder;
        seat.name = Some(wish.name);
        seat.resume = wish.resume;
        seat.spent = None;
        seat.epoch = seat.epoch.next();
        Ok((seat_id(at), seat.epoch))
    }

    /// Gives a seat back to a bot, if it is still the same player's.
    pub(crate) fn leave(&mut self, seat: SeatId, epoch: Epoch) -> bool {
        let Some(seat) = self.seats.get_mut(seat.index()).filter(|seat| seat.epoch == epoch) else { return false };
        if seat.holder == Holder::Bot {
            return false;
        }
        seat.holder = Holder::Bot;
        seat.name = None;
        seat.resume = None;
        seat.spent = None;
        seat.away_until = None;
        seat.relayed_by = None;
        seat.epoch = seat.epoch.next();
        true
    }

    /// Notes through whose browser an Agent's calls come. Returns whether that is new.
    pub(crate) fn set_relay(&mut self, seat: SeatId, by: Option<RelayedBy>) -> bool {
        let seat = &mut self.seats[seat.index()];
        let by = by.filter(|_| seat.holder == Holder::Agent);
        std::mem::replace(&mut seat.relayed_by, by) != by
    }

    /// Something came from the holder of this seat who knows the newest secret: the one before is worth nothing now.
    pub(crate) fn confirm(&mut self, seat: SeatId) {
        self.seats[seat.index()].spent = None;
    }

    /// Keeps a seat for a person who lost touch, until they are back or `until` is reached. Returns whether that is so;
    /// whoever has no way to prove to be back is not waited for.
    pub(crate) fn lose(&mut self, seat: SeatId, epoch: Epoch, until: Tick) -> bool {
        let Some(seat) = self.seats.get_mut(seat.index()).filter(|seat| seat.epoch == epoch) else { return false };
        let is_kept = seat.resume.is_some();
        if is_kept {
            seat.away_until.get_or_insert(until);
        }
        is_kept
    }

    /// Whether a person who lost touch was away for too long.
    pub(crate) fn is_overdue(&self, seat: SeatId, now: Tick) -> bool {
        self.seats[seat.index()].away_until.is_some_and(|until| now.since(until) >= 0)
    }

    /// Whether the holder is in touch.
    pub(crate) fn is_away(&self, seat: SeatId) -> bool {
        self.seats[seat.index()].away_until.is_some()
    }

    /// Gives the seat of this secret to whoever brings it, from whoever has it now. `next` is the secret for next time.
    pub(crate) fn resume(&mut self, by: &ResumeSecret, next: ResumeSecret) -> Result<(SeatId, Epoch), Refusal> {
        // Every seat is compared in full, so that the time taken tells nothing about how much of a secret is right.
        let mut found = None;
        for (at, seat) in self.seats.iter().enumerate() {
            for known in [seat.resume, seat.spent].into_iter().flatten() {
                if secret::is_same(&known.0, &by.0) {
                    found = Some(at);
                }
            }
        }
        let at = found.ok_or(Refusal::SeatGone)?;
        let seat = &mut self.seats[at];
        seat.resume = Some(next);
        seat.spent = Some(*by);
        seat.away_until = None;
        seat.epoch = seat.epoch.next();
        Ok((seat_id(at), seat.epoch))
    }

    /// Who holds a seat, under which epoch.
    pub(crate) fn held(&self, seat: SeatId) -> (Holder, Epoch) {
        let seat = &self.seats[seat.index()];
        (seat.holder, seat.epoch)
    }

    /// The side of a seat.
    pub(crate) fn team(&self, seat: SeatId) -> TeamId {
        self.seats[seat.index()].team
    }

    /// Ids of all seats.
    pub(crate) fn ids(&self) -> impl Iterator<Item = SeatId> + use<> {
        (0..self.seats.len()).map(seat_id)
    }

    /// Everybody, by seat.
    pub(crate) fn roster(&self) -> Arc<[RosterEntry]> {
        let entry = |(at, seat): (usize, &Seat)| RosterEntry {
            seat: seat_id(at),
            team: seat.team,
            holder: seat.holder,
            name: seat.name.clone().unwrap_or_else(|| self.bot_name(at)),
            is_away: seat.away_until.is_some(),
            relayed_by: seat.relayed_by,
        };
        self.seats.iter().enumerate().map(entry).collect()
    }

    /// The best bot's seat: on the wanted side, or else on the side with the fewest people and Agents (the first of
    /// equals), its first seat first. Games put the role that most people like least, such as the goalkeeper, last.
    fn free_seat(&self, team: Option<TeamId>) -> Option<usize> {
        let is_free = |seat: &Seat| seat.holder == Holder::Bot && team.is_none_or(|team| team == seat.team);
        let free = self.seats.iter().enumerate().filter(|(_, seat)| is_free(seat));
        free.min_by_key(|(at, seat)| (self.held_in(seat.team), seat.team.index(), *at)).map(|(at, _)| at)
    }

    fn held_in(&self, team: TeamId) -> usize {
        self.seats.iter().filter(|seat| seat.team == team && seat.holder != Holder::Bot).count()
    }

    /// A bot's name. When a person or an Agent has taken it, the bot is marked as one.
    fn bot_name(&self, at: usize) -> PlayerName {
        let clean = |text: &str| PlayerName::clean(text).expect("names of bots are visible");
        let name = clean(BOT_NAMES[at % BOT_NAMES.len()]);
        let taken = self.seats.iter().filter_map(|seat| seat.name.as_ref()).any(|other| other.looks_like(&name));
        if taken { clean(&format!("{name} (bot)")) } else { name }
    }
}

fn seat_id(at: usize) -> SeatId {
    SeatId(u8::try_from(at).expect("a match has at most SEATS_MAX seats"))
}

/// One name per seat.
const BOT_NAMES: [&str; contract::limits::SEATS_MAX] = [
    "Ada", "Bruno", "Cleo", "Dario", "Elsa", "Felix", "Greta", "Hugo", "Ines", "Jonas", "Kira", "Leo", "Mila", "Nils",
    "Olga", "Pablo", "Quinn", "Rosa", "Sven", "Tilda", "Umar", "Vera", "Wim", "Xenia", "Yuri", "Zoe", "Anton", "Bella",
    "Carlo", "Daria", "Emil", "Fiona", "Gustav", "Hanna", "Ivo", "Jana", "Karl", "Lena", "Milo", "Nora", "Otto",
    "Petra", "Rafael", "Selma", "Timo", "Ursa", "Viktor", "Wanda", "Xaver", "Yara", "Zeno", "Alma", "Boris", "Clara",
    "Dunja", "Erik", "Frida", "Georg", "Hella", "Igor", "Juno", "Kaspar", "Livia", "Mats",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn seats() -> Seats {
        Seats::new([0, 0, 0, 1, 1, 1].map(TeamId).into_iter(), 2)
    }

    fn wish(name: &str, team: Option<u8>) -> Wish {
        let name = PlayerName::clean(name).expect("visible");
        Wish { holder: Holder::Person, name, team: team.map(TeamId), resume: None }
    }

    #[test]
    fn newcomers_even_out_the_sides() {
        let mut seats = seats();
        let mut join = |name| seats.join(wish(name, None)).expect("free").0.0;
        assert_eq!(["a", "b", "c", "d", "e", "f"].map(&mut join), [0, 3, 1, 4, 2, 5]);
        assert_eq!(seats.join(wish("g", None)), Err(Refusal::Full));
    }

    #[test]
    fn a_wanted_side_is_given_until_it_is_full() {
        let mut seats = seats();
        for (name, seat) in [("a", 3), ("b", 4), ("c", 5)] {
            assert_eq!(seats.join(wish(name, Some(1))).expect("free").0, SeatId(seat));
        }
        assert_eq!(seats.join(wish("d", Some(1))), Err(Refusal::Full));
        assert_eq!(seats.join(wish("d", Some(2))), Err(Refusal::NoSuchTeam));
        assert!(seats.join(wish("d", Some(0))).is_ok());
    }

    #[test]
    fn names_that_look_alike_are_refused_but_bots_step_aside() {
        let mut seats = seats();
        seats.join(wish("Cleo", None)).expect("a bot's name is free");
        assert_eq!(seats.join(wish("CLEO", None)), Err(Refusal::NameTaken));
        let names: Vec<_> = seats.roster().iter().map(|entry| entry.name.to_string()).collect();
        assert_eq!(names[0], "Cleo");
        assert_eq!(names[2], "Cleo (bot)");
    }

    #[test]
    fn the_bots_of_the_largest_match_have_different_names() {
        let seats = Seats::new((0..contract::limits::SEATS_MAX).map(|_| TeamId(0)), 1);
        let roster = seats.roster();
        for (at, entry) in roster.iter().enumerate() {
            assert!(roster[..at].iter().all(|other| !other.name.looks_like(&entry.name)), "{}", entry.name);
        }
    }

    #[test]
    fn only_the_holder_can_leave_and_only_once() {
        let mut seats = seats();
        let (seat, epoch) = seats.join(wish("a", None)).expect("free");
        assert!(!seats.leave(seat, Epoch(epoch.0 + 1)));
        assert!(seats.leave(seat, epoch));
        assert!(!seats.leave(seat, epoch));
        let bot = seats.held(seat);
        assert_eq!(bot.0, Holder::Bot);
        assert!(!seats.leave(seat, bot.1), "a bot's seat is nobody's to give back");
        let again = seats.join(wish("a", None)).expect("free");
        assert_ne!(again.1, epoch);
    }

    #[test]
    fn random_joins_and_leaves_never_give_a_seat_twice() {
        let mut noise = 7_u32;
        let mut held: Vec<(SeatId, Epoch)> = Vec::new();
        let mut seats = seats();
        for round in 0..20_000_u32 {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if noise >> 31 == 0 {
                let team = [None, Some(0), Some(1)][(noise >> 8) as usize % 3];
                if let Ok((seat, epoch)) = seats.join(wish(&format!("n{round}"), team)) {
                    assert!(held.iter().all(|(other, _)| *other != seat));
                    held.push((seat, epoch));
                }
            } else if !held.is_empty() {
                let (seat, epoch) = held.swap_remove((noise >> 8) as usize % held.len());
                assert!(seats.leave(seat, epoch));
            }
            let people = seats.ids().filter(|seat| seats.held(*seat).0 == Holder::Person).count();
            assert_eq!(people, held.len());
        }
    }

    /// One person of the model: what a perfect memory knows of them.
    struct Known {
        seat: SeatId,
        epoch: Epoch,
        secret: ResumeSecret,
        /// Still good, because the answer with `secret` may be lost.
        spent: Option<ResumeSecret>,
        away_until: Option<Tick>,
    }

    /// A reference model beside the real thing: 100,000 schedules of joining, losing touch, coming back (in time, too
    /// late, with an old secret, from a second tab), leaving and time going by.
    #[test]
    fn random_schedules_keep_every_seat_with_its_one_owner() {
        const GRACE: u32 = 10;
        let mut noise = 1_u32;
        let mut random = move |below: usize| {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            noise as usize % below
        };
        let mut issued = 0_u32;
        let mut secret = move || {
            issued += 1;
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&issued.to_le_bytes());
            ResumeSecret(bytes)
        };
        for schedule in 0..100_000_u32 {
            let mut seats = seats();
            let mut now = Tick(u32::MAX - 20);
            let mut people: Vec<Known> = Vec::new();
            let mut spent: Vec<ResumeSecret> = Vec::new();
            for step in 0..12 {
                match random(6) {
                    0 | 1 => {
                        let resume = secret();
                        let wish = Wish { resume: Some(resume), ..wish(&format!("{schedule} {step}"), None) };
                        match seats.join(wish) {
                            Ok((seat, epoch)) => {
                                assert!(people.iter().all(|known| known.seat != seat), "a second owner");
                                people.push(Known { seat, epoch, secret: resume, spent: None, away_until: None });
                            }
                            Err(refusal) => assert_eq!((refusal, people.len()), (Refusal::Full, 6)),
                        }
                    }
                    2 if !people.is_empty() => {
                        let at = random(people.len());
                        let known = &mut people[at];
                        let until = now.plus(GRACE);
                        assert!(seats.lose(known.seat, known.epoch, until));
                        known.away_until.get_or_insert(until);
                    }
                    3 if !people.is_empty() => {
                        let at = random(people.len());
                        let known = &mut people[at];
                        let next = secret();
                        // Now and then the last answer was lost, and the page knows the secret before only.
                        let by = known.spent.filter(|_| random(2) == 0).unwrap_or(known.secret);
                        let (seat, epoch) = seats.resume(&by, next).expect("within grace");
                        assert_eq!(seat, known.seat, "a lost seat");
                        assert!(epoch > known.epoch);
                        let void = [Some(known.secret), known.spent].into_iter().flatten().filter(|old| *old != by);
                        spent.extend(void);
                        (known.secret, known.spent) = (next, Some(by));
                        if random(2) == 0 {
                            seats.confirm(seat);
                            spent.extend(known.spent.take());
                        }
                        let old = std::mem::replace(&mut known.epoch, epoch);
                        known.away_until = None;
                        // The displaced socket's end comes late and changes nothing.
                        assert!(!seats.lose(seat, old, now) && !seats.leave(seat, old));
                    }
                    4 if !people.is_empty() => {
                        let at = random(people.len());
                        let known = people.swap_remove(at);
                        assert!(seats.leave(known.seat, known.epoch));
                        spent.push(known.secret);
                        spent.extend(known.spent);
                    }
                    _ => {
                        now = now.plus(u32::try_from(random(8)).expect("small"));
                        people.retain(|known| {
                            let is_over = known.away_until.is_some_and(|until| now.since(until) >= 0);
                            assert_eq!(seats.is_overdue(known.seat, now), is_over);
                            if is_over {
                                assert!(seats.leave(known.seat, known.epoch));
                                spent.push(known.secret);
                                spent.extend(known.spent);
                            }
                            !is_over
                        });
                    }
                }
                for used in &spent {
                    assert_eq!(seats.resume(used, ResumeSecret([0xff; 16])), Err(Refusal::SeatGone));
                }
                let held = seats.ids().filter(|seat| seats.held(*seat).0 != Holder::Bot).count();
                assert_eq!(held, people.len(), "a leaked or a lost seat");
                for known in &people {
                    assert_eq!(seats.held(known.seat), (Holder::Person, known.epoch));
                    assert_eq!(seats.is_away(known.seat), known.away_until.is_some());
                }
            }
        }
    }
}
