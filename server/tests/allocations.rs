//! A tick of a steady match allocates nothing.
#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use contract::{GameData, PlayerName, WireInput as _, games};
use server::{GameConfig, SoloMatch, kind_of};

/// The system's allocator, counting per thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // Fails only while a thread ends.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of the ticks alone, while two people play among bots.
fn allocations_in<G: GameData>(ticks: u32, setup: &str) -> usize {
    let setup = setup.parse().expect("TOML");
    let mut game = SoloMatch::new(&kind_of(&GameConfig { id: G::ID.into(), setup }).expect("legal"), 7);
    let seats = ["Ada", "Bob"].map(|name| game.seat(PlayerName::clean(name).expect("visible")).expect("free"));
    let mut counted = 0;
    let mut bytes = Vec::new();
    for round in 0..ticks + 600 {
        for (noise, seat) in seats.into_iter().enumerate() {
            bytes.clear();
            G::Input::sample((round / 20 * 977).wrapping_mul(2_654_435_761) ^ u32::from(noise != 0)).pack(&mut bytes);
            assert!(game.input(seat, game.newest().plus(2), &bytes));
        }
        let before = ALLOCATIONS.get();
        game.tick();
        // The first ticks may fill pools and caches.
        if round >= 600 {
            counted += ALLOCATIONS.get() - before;
        }
    }
    counted
}

#[test]
fn a_steady_tick_allocates_nothing() {
    for team_size in [1, 3, 6] {
        // Long enough for goals, full time and what comes after it.
        let setup = format!("team_size = {team_size}");
        assert_eq!(allocations_in::<games::kickabout::Kickabout>(15_000, &setup), 0, "{setup}");
    }
    for seats in [2, 8, 64] {
        let setup = format!("seats = {seats}");
        assert_eq!(allocations_in::<games::skirmish::Skirmish>(4_000, &setup), 0, "{setup}");
    }
}
