//! A follower knows the server's world exactly, by steps alone.

use contract::{
    Audience, GameData as _, SeatId, WireInput as _, WireView as _,
    agent::OrderId,
    games::kickabout::{Input, Setup},
    steps,
};
use sim::{FollowError, Follower, Game as _, SeatOrder, games::kickabout::Kickabout};

mod fixture {
    use super::*;

    /// A match with people on some seats, and what was sent of it.
    pub(crate) struct Server {
        world: Kickabout,
        seats: usize,
        noise: u32,
        held: [Option<Input>; 12],
        rows: Vec<Input>,
        sent: sim::View<Kickabout>,
        audience: Audience,
    }

    /// A message of steps.
    pub(crate) struct Sent {
        pub(crate) tick: contract::Tick,
        pub(crate) ticks: u8,
        pub(crate) checksum: u32,
        pub(crate) body: Vec<u8>,
    }

    impl Server {
        pub(crate) fn new(team_size: u8, seed: u64, audience: Audience) -> Self {
            let setup = Setup { team_size, duration_s: 20 };
            let seats = contract::games::kickabout::Kickabout::seats(&setup);
            let noise = u32::try_from(seed).expect("a small seed") | 1;
            let world = Kickabout::new(&setup, seed);
            let mut sent = sim::View::<Kickabout>::default();
            world.view(audience, &mut sent);
            Self { world, seats, noise, held: [None; 12], rows: vec![], sent, audience }
        }

        fn random(&mut self) -> u32 {
            // Marsaglia's xorshift.
            self.noise ^= self.noise << 13;
            self.noise ^= self.noise >> 17;
            self.noise ^= self.noise << 5;
            self.noise
        }

        /// Plays some ticks: even seats are people who change their minds now and then, odd ones mechanics with orders.
        pub(crate) fn play(&mut self, ticks: u8) {
            for _ in 0..ticks {
                for seat in (0..self.seats).step_by(2) {
                    if self.random().is_multiple_of(12) {
                        self.held[seat] = Some(Input::sample(self.random()));
                    }
                }
                let mut orders = vec![];
                if self.random().is_multiple_of(50) {
                    let order = contract::games::kickabout::Order::Press;
                    let id = OrderId::new(self.world.tick().next(), 0);
                    orders.push(SeatOrder::Give { seat: SeatId(1), id, order, expires_in: None });
                }
                self.world.step(&self.held[..self.seats], &orders);
                let mut view = sim::View::<Kickabout>::default();
                self.world.view(Audience(2), &mut view);
                self.rows.extend((0..self.seats).map(|seat| view.players[seat].input));
            }
        }

        /// The steps since the last message.
        pub(crate) fn send(&mut self) -> Sent {
            let mut after = sim::View::<Kickabout>::default();
            self.world.view(self.audience, &mut after);
            let mut body = vec![];
            steps::pack(&self.sent, &self.rows, &after, &mut body);
            let ticks = u8::try_from(self.rows.len() / self.seats).expect("few ticks");
            self.rows.clear();
            self.sent = after;
            Sent { tick: self.sent.tick(), ticks, checksum: self.checksum(), body }
        }

        pub(crate) fn whole_view(&self) -> Vec<u8> {
            let mut body = vec![];
            self.sent.pack(&mut body);
            body
        }

        #[expect(clippy::cast_possible_truncation, reason = "the wire carries the low half")]
        pub(crate) fn checksum(&self) -> u32 {
            self.sent.checksum(&mut vec![]) as u32
        }

        pub(crate) const fn view(&self) -> &sim::View<Kickabout> {
            &self.sent
        }

        pub(crate) fn follower(&self) -> Follower<Kickabout> {
            let team_size = u8::try_from(self.seats / 2).expect("few seats");
            let mut follower = Follower::new(&Setup { team_size, duration_s: 20 });
            follower.take_view(self.audience, self.checksum(), &self.whole_view()).expect("a view");
            follower
        }
    }
}

use fixture::Server;

#[test]
fn a_million_ticks_are_followed_bit_for_bit() {
    let mut ticks_followed = 0;
    let mut bytes = 0;
    let mut messages = 0;
    for seed in 1..=100 {
        let audience = Audience(u8::try_from(seed % 3).expect("small"));
        let team_size = u8::try_from(seed % 6 + 1).expect("small");
        let mut server = Server::new(team_size, seed, audience);
        let mut follower = server.follower();
        for _ in 0..2500 {
            server.play(4);
            let sent = server.send();
            let view = follower.take_steps(sent.tick, sent.ticks, sent.checksum, &sent.body).expect("steps that fit");
            // What is for show may be older in one than in the other; everything else is the same.
            let mut known = view.clone();
            known.happenings = server.view().happenings;
            assert_eq!(&known, server.view());
            ticks_followed += u32::from(sent.ticks);
            bytes += sent.body.len();
            messages += 1;
        }
    }
    assert_eq!(ticks_followed, 1_000_000);
    println!("{} bytes a message of 4 ticks, on average", bytes / messages);
}

#[test]
fn a_gap_changes_nothing_and_a_whole_view_helps() {
    let mut server = Server::new(3, 5, Audience(2));
    let mut follower = server.follower();
    server.play(2);
    let _lost = server.send();
    server.play(2);
    let sent = server.send();
    assert_eq!(follower.take_steps(sent.tick, sent.ticks, sent.checksum, &sent.body), Err(FollowError::Gap));
    follower.take_view(Audience(2), server.checksum(), &server.whole_view()).expect("a view");
    server.play(2);
    let sent = server.send();
    follower.take_steps(sent.tick, sent.ticks, sent.checksum, &sent.body).expect("steps that fit");
}

#[test]
fn changed_steps_are_noticed_and_nothing_is_followed_after_them() {
    let mut server = Server::new(3, 9, Audience(0));
    server.play(60);
    server.send();
    server.play(4);
    let follower = || {
        let mut follower = Server::new(3, 9, Audience(0)).follower();
        follower.take_view(Audience(0), server.checksum(), &server.whole_view()).expect("a view");
        follower
    };
    let followers: Vec<_> = (0..40).map(|_| follower()).collect();
    let sent = server.send();
    let mut noticed = 0;
    for (bit, mut follower) in followers.into_iter().enumerate() {
        let mut body = sent.body.clone();
        body[bit / 8] ^= 1 << (bit % 8);
        if follower.take_steps(sent.tick, sent.ticks, sent.checksum, &body).is_err() {
            noticed += 1;
            assert!(follower.view().is_none());
            assert_eq!(follower.take_steps(sent.tick, sent.ticks, sent.checksum, &sent.body), Err(FollowError::Gap));
        }
    }
    assert!(noticed >= 38, "{noticed} of 40; a changed button may have no effect in so few ticks");
}

#[test]
fn a_follower_knows_nothing_without_a_whole_view() {
    let mut follower = Follower::<Kickabout>::new(&Setup::default());
    assert!(follower.view().is_none());
    assert_eq!(follower.take_steps(contract::Tick(2), 2, 0, &[]), Err(FollowError::Gap));
    assert!(matches!(follower.take_view(Audience(2), 0, &[1, 2, 3]), Err(FollowError::Malformed(_))));
}
