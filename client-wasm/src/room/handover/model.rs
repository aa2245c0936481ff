//! Many replicas over a network that loses, delays and reorders: whatever happens, they end with one secret.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

const PEOPLE: usize = 5;

/// Something that happens in a Room.
#[derive(Clone, Debug)]
enum Happening {
    /// Somebody opens the App, or loads it anew.
    Open(usize),
    /// Somebody closes the App.
    Close(usize),
    /// Somebody comes into the Room.
    Enter(usize),
    /// Somebody leaves the Room.
    Leave(usize),
    /// A message that is under way arrives, whichever it is.
    Arrive(usize),
    /// A message that is under way is lost.
    Lose(usize),
    /// The host does not take what is said next.
    Refuse(usize),
    /// Time passes.
    Wait(u16),
}

struct Parcel {
    from: usize,
    to: usize,
    payload: Value,
    is_private: bool,
}

#[derive(Default)]
struct Room {
    now_ms: f64,
    opened: u64,
    in_room: [bool; PEOPLE],
    apps: [Option<Handover>; PEOPLE],
    /// What each person's browser keeps while the App is closed.
    kept: [Option<JoinSecret>; PEOPLE],
    under_way: VecDeque<Parcel>,
    refusals: usize,
}

fn id(person: usize) -> ParticipantId {
    ParticipantId::parse(&format!("p{person}")).expect("an id")
}

impl Room {
    fn happen(&mut self, happening: &Happening) {
        match *happening {
            Happening::Open(person) => self.open(person),
            Happening::Close(person) => self.close(person),
            Happening::Enter(person) if !self.in_room[person] => {
                self.in_room[person] = true;
                self.apps.iter_mut().flatten().for_each(|app| app.joined(&id(person)));
            }
            Happening::Leave(person) if self.in_room[person] => {
                self.close(person);
                self.in_room[person] = false;
                self.apps.iter_mut().flatten().for_each(|app| app.left(&id(person)));
            }
            Happening::Enter(_) | Happening::Leave(_) => {}
            Happening::Arrive(which) => self.arrive(which),
            Happening::Lose(which) => drop(self.take(which)),
            Happening::Refuse(times) => self.refusals = times,
            Happening::Wait(ms) => {
                self.now_ms += f64::from(ms);
                self.apps.iter_mut().flatten().for_each(|app| app.keep_up(self.now_ms));
            }
        }
        self.send();
    }

    fn open(&mut self, person: usize) {
        if !self.in_room[person] {
            return;
        }
        self.close(person);
        self.opened += 1;
        // Clocks differ: the later page may well bring the older secret.
        let fresh = JoinSecret::new(1_000 - self.opened * 7 % 13, [self.opened as u8; 16]);
        let mut app = Handover::new(InstanceId::parse("arena:64b82acb").expect("an id"), fresh);
        let others: Vec<_> = (0..PEOPLE).filter(|other| *other != person && self.in_room[*other]).map(id).collect();
        let others: Vec<_> = others.into_iter().map(|id| Participant { id, name: None, is_agent: false }).collect();
        app.begin(&others, self.kept[person], self.now_ms);
        self.apps[person] = Some(app);
    }

    fn close(&mut self, person: usize) {
        if let Some(app) = self.apps[person].take() {
            self.kept[person] = app.secret();
        }
    }

    fn take(&mut self, which: usize) -> Option<Parcel> {
        let waiting = self.under_way.len();
        if waiting == 0 { None } else { self.under_way.remove(which % waiting) }
    }

    fn arrive(&mut self, which: usize) {
        let Some(parcel) = self.take(which) else { return };
        // A closed App hears nothing, and neither does somebody who is gone.
        if let Some(app) = &mut self.apps[parcel.to] {
            app.heard(&id(parcel.from), &parcel.payload, parcel.is_private, self.now_ms);
        }
    }

    fn send(&mut self) {
        for from in 0..PEOPLE {
            while let Some(outgoing) = self.apps[from].as_mut().and_then(|app| app.next(self.now_ms)) {
                self.carry(from, outgoing);
            }
        }
    }

    fn carry(&mut self, from: usize, outgoing: Outgoing) {
        let is_refused = self.refusals > 0;
        self.refusals -= usize::from(is_refused);
        match outgoing {
            Outgoing::Aloud(word) if !is_refused => {
                for to in (0..PEOPLE).filter(|to| *to != from) {
                    self.under_way.push_back(Parcel { from, to, payload: word.write(), is_private: false });
                }
            }
            Outgoing::Aloud(_) => {
                if let Some(app) = &mut self.apps[from] {
                    app.not_sent(self.now_ms);
                }
            }
            Outgoing::Private { id: message, to, word } => {
                let to = (0..PEOPLE).find(|person| id(*person) == to).expect("one of us");
                let outcome = match (is_refused, self.in_room[to]) {
                    (true, _) => Outcome::TooMuch,
                    (_, false) => Outcome::Unreachable,
                    _ => Outcome::Sent,
                };
                if outcome == Outcome::Sent {
                    self.under_way.push_back(Parcel { from, to, payload: word.write(), is_private: true });
                }
                if let Some(app) = &mut self.apps[from] {
                    app.outcome(message.as_str(), outcome, self.now_ms);
                }
            }
        }
    }

    /// From here on everything arrives, in order and at once.
    fn settle(&mut self) {
        self.refusals = 0;
        for _ in 0..600 {
            self.happen(&Happening::Wait(100));
            while !self.under_way.is_empty() {
                self.happen(&Happening::Arrive(0));
            }
        }
    }

    fn held(&self) -> Vec<Option<JoinSecret>> {
        self.apps.iter().flatten().map(|app| app.held).collect()
    }
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        3 => (0..PEOPLE).prop_map(Happening::Open),
        1 => (0..PEOPLE).prop_map(Happening::Close),
        2 => (0..PEOPLE).prop_map(Happening::Enter),
        1 => (0..PEOPLE).prop_map(Happening::Leave),
        6 => any::<usize>().prop_map(Happening::Arrive),
        3 => any::<usize>().prop_map(Happening::Lose),
        1 => (0..4_usize).prop_map(Happening::Refuse),
        4 => (0..3_000_u16).prop_map(Happening::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_replicas_end_with_one_secret(happenings in prop::collection::vec(happening(), 1..120)) {
        let mut room = Room::default();
        for happening in &happenings {
            room.happen(happening);
        }
        let smallest = room.held().into_iter().flatten().min();
        room.settle();
        let held = room.held();
        prop_assert!(held.iter().all(Option::is_some), "{held:?}");
        prop_assert!(held.windows(2).all(|two| two[0] == two[1]), "not all hold the same");
        // Those who held one already agree on the smallest of theirs.
        if let Some(smallest) = smallest {
            prop_assert!(held[0] <= Some(smallest));
        }
    }

    #[test]
    fn while_messages_arrive_nobody_who_plays_is_moved(order in Just([0, 1, 2, 3, 4]).prop_shuffle(), waits in prop::collection::vec(0..4_000_u16, PEOPLE)) {
        let mut room = Room { in_room: [true; PEOPLE], ..Room::default() };
        room.open(order[0]);
        room.settle();
        let first = room.held()[0];
        for (person, wait) in order.into_iter().zip(waits).skip(1) {
            room.happen(&Happening::Open(person));
            while !room.under_way.is_empty() {
                room.happen(&Happening::Arrive(0));
            }
            room.happen(&Happening::Wait(wait));
            prop_assert!(room.held().iter().all(|held| *held == first));
        }
        let moved = room.apps.iter().flatten().any(|app| app.standing() == Standing::Moved);
        prop_assert!(!moved);
    }
}

#[test]
fn a_room_that_empties_and_fills_again_finds_its_match() {
    let mut room = Room { in_room: [true; PEOPLE], ..Room::default() };
    room.happen(&Happening::Open(0));
    room.settle();
    room.happen(&Happening::Open(1));
    room.settle();
    let before = room.held()[0];
    room.happen(&Happening::Close(0));
    room.happen(&Happening::Close(1));
    room.settle();
    for person in [1, 0, 2] {
        room.happen(&Happening::Open(person));
        room.settle();
        assert!(room.held().iter().all(|held| *held == before));
    }
}
