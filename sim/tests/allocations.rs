//! A steady tick allocates nothing: a server that runs hundreds of matches must not wait for its allocator.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use contract::{Audience, WireView as _, games::kickabout::View};
use sim::Game as _;

mod play;

use play::{Match, random_inputs, random_orders};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

#[expect(unsafe_code, reason = "an allocator cannot be written without; this one only counts and passes on")]
// SAFETY: every call is passed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[test]
fn a_steady_tick_allocates_nothing() {
    for team_size in [1, 3, 6] {
        let mut game = Match::new(team_size, 30, 7).game;
        let seats = usize::from(team_size) * 2;
        let mut inputs = vec![None; seats];
        let mut views = [View::default(), View::default(), View::default()];
        let mut packed = Vec::with_capacity(4096);
        let mut before = 0;
        // The first ticks make room; a whole match with its end and a rematch follows.
        for tick in 0..6000 {
            if tick == 10 {
                before = ALLOCATIONS.get();
            }
            random_inputs(3, tick, &mut inputs);
            let order = random_orders(3, tick, seats);
            game.step(&inputs, order.as_slice());
            for (audience, view) in (0..).map(Audience).zip(&mut views) {
                game.view(audience, view);
                packed.clear();
                view.pack(&mut packed);
            }
            views[2].checksum(&mut packed);
            if tick % 10 == 0 {
                game.restore(&views[2]);
            }
        }
        assert_eq!(ALLOCATIONS.get() - before, 0, "team size {team_size}");
    }
}
