//! A steady tick allocates nothing, though shots come and go: a server that runs hundreds of matches must not wait for its
//! allocator.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use contract::{Audience, WireView as _, games::skirmish::View};
use sim::Game as _;

use crate::arena::{Match, random_inputs, random_orders};

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
    for seats in [2, 8, 64] {
        let mut game = Match::new(seats, 7).game;
        let mut inputs = vec![None; usize::from(seats)];
        let mut view = View::default();
        let mut packed = Vec::with_capacity(8192);
        let mut before = 0;
        // The first ticks make room.
        for tick in 0..3000 {
            if tick == 10 {
                before = ALLOCATIONS.get();
            }
            random_inputs(3, tick, &mut inputs);
            let order = random_orders(3, tick, usize::from(seats));
            game.step(&inputs, order.as_slice());
            game.view(Audience(0), &mut view);
            packed.clear();
            view.pack(&mut packed);
            view.checksum(&mut packed);
            if tick % 10 == 0 {
                game.restore(&view);
            }
        }
        assert_eq!(ALLOCATIONS.get() - before, 0, "{seats} seats");
    }
}
