//! A follower knows the server's world exactly, by inputs alone: shots, guns and respawn places included.

use contract::{
    Audience, GameData as _, SeatId, WireView as _,
    games::skirmish::{Setup, Skirmish as Data, View},
    steps,
};
use sim::{Follower, Game as _, games::skirmish::Skirmish};

use crate::arena::{random_inputs, random_orders};

#[test]
fn a_hundred_thousand_ticks_are_followed_bit_for_bit() {
    let (mut ticks_followed, mut bytes, mut downs) = (0, 0, 0_u32);
    for seed in 1..=50_u64 {
        let setup = Setup { seats: [8, 2, 8, 20, 40][usize::try_from(seed % 5).expect("small")] };
        let seats = Data::seats(&setup);
        let mut server = Skirmish::new(&setup, seed);
        let (mut sent, mut now) = (View::default(), View::default());
        server.view(Audience(0), &mut sent);
        let mut follower = Follower::<Skirmish>::new(&setup);
        let mut body = Vec::new();
        sent.pack(&mut body);
        follower.take_view(Audience(0), low_half(&sent), &body).expect("a view");
        let (mut inputs, mut rows) = (vec![None; seats], Vec::new());
        for tick in 1..=2000 {
            random_inputs(seed, tick, &mut inputs);
            server.step(&inputs, random_orders(seed, tick, seats).as_slice());
            server.view(Audience(0), &mut now);
            rows.extend((0..).take(seats).map(|seat| now.input(SeatId(seat))));
            if tick % 2 != 0 {
                continue;
            }
            body.clear();
            steps::pack(&sent, &rows, &now, &mut body);
            let known = follower.take_steps(now.tick, 2, low_half(&now), &body).expect("steps that fit");
            // What is for show may be older in one than in the other; everything else is the same.
            let mut known = known.clone();
            known.happenings = now.happenings;
            assert_eq!(known, now, "seed {seed} tick {tick}");
            rows.clear();
            sent.clone_from(&now);
            ticks_followed += 2;
            if setup.seats == 8 {
                bytes += body.len();
            }
        }
        downs += now.craft.iter().map(|craft| u32::from(craft.score)).sum::<u32>();
    }
    assert_eq!(ticks_followed, 100_000);
    assert!(downs > 500, "{downs} craft were lost and found again");
    println!("{} bytes a second with 8 seats; {downs} downs", bytes * 30 / (20 * 2000));
}

#[expect(clippy::cast_possible_truncation, reason = "the wire carries the low half")]
fn low_half(view: &View) -> u32 {
    view.checksum(&mut Vec::new()) as u32
}
