//! A bounded queue from many threads to a match worker, which never waits for any of them.
//!
//! In most lock-free queues whoever takes something out waits, in a loop, for a writer that has a place already and has not
//! filled it. Where that writer has to wait for the core that the worker loops on, and the worker goes before it, both
//! stand still until the system steps in. Here such a place counts as empty, and is looked at again next time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;

/// The queue. What one thread puts in comes out in its order.
#[derive(Debug)]
pub(crate) struct Mailbox<T> {
    slots: Box<[Mutex<Option<T>>]>,
    /// How many were taken out: where the next one is taken from.
    taken: AtomicUsize,
    /// How many places were given away: where the next one goes.
    given: AtomicUsize,
    /// Nobody takes anything out any more.
    is_closed: AtomicBool,
}

impl<T> Mailbox<T> {
    /// An empty queue for so many, which is a power of two.
    pub(crate) fn new(capacity: usize) -> Self {
        assert!(capacity.is_power_of_two(), "counts that wrap around must go on with the next slot");
        let slots = (0..capacity).map(|_| Mutex::new(None)).collect();
        Self { slots, taken: AtomicUsize::new(0), given: AtomicUsize::new(0), is_closed: AtomicBool::new(false) }
    }

    /// How many fit.
    pub(crate) fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Puts something in.
    ///
    /// # Errors
    /// When it is full or closed; gives it back.
    pub(crate) fn push(&self, value: T) -> Result<(), T> {
        loop {
            let taken = self.taken.load(Ordering::Acquire);
            let given = self.given.load(Ordering::Acquire);
            if given.wrapping_sub(taken) >= self.capacity() {
                if self.taken.load(Ordering::Acquire) == taken {
                    return Err(value);
                }
                continue;
            }
            let next = given.wrapping_add(1);
            if self.given.compare_exchange_weak(given, next, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                let mut slot = self.slot(given).lock();
                if self.is_closed.load(Ordering::Acquire) {
                    return Err(value);
                }
                *slot = Some(value);
                return Ok(());
            }
        }
    }

    /// Takes out the next one that is there. Only one thread at a time may do so.
    pub(crate) fn pop(&self) -> Option<T> {
        let taken = self.taken.load(Ordering::Relaxed);
        if self.given.load(Ordering::Acquire) == taken {
            return None;
        }
        let value = self.slot(taken).try_lock()?.take()?;
        self.taken.store(taken.wrapping_add(1), Ordering::Release);
        Some(value)
    }

    /// Drops what is in it, and takes in nothing any more. May wait for whoever is about to put something in.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        for slot in &self.slots {
            drop(slot.lock().take());
        }
    }

    fn slot(&self, count: usize) -> &Mutex<Option<T>> {
        &self.slots[count & (self.capacity() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use super::*;

    #[test]
    fn nothing_stays_in_a_closed_one_and_nothing_goes_in() {
        let mailbox = Mailbox::new(4);
        let waiting = Arc::new(());
        assert_eq!(mailbox.push(Arc::clone(&waiting)), Ok(()));
        mailbox.close();
        assert_eq!(Arc::strong_count(&waiting), 1, "whoever waits for an answer to it learns that there is none");
        assert!(mailbox.push(waiting).is_err());
    }

    #[test]
    fn what_goes_in_comes_out_in_order_and_no_more_than_fits() {
        let mailbox = Mailbox::new(4);
        for round in 0..10 {
            for value in 0..4 {
                assert_eq!(mailbox.push(round + value), Ok(()));
            }
            assert_eq!(mailbox.push(99), Err(99));
            assert_eq!(mailbox.pop(), Some(round));
            assert_eq!(mailbox.push(round + 4), Ok(()), "what was taken makes room");
            assert!((1..5).map(|value| Some(round + value)).eq((1..5).map(|_| mailbox.pop())));
            assert_eq!(mailbox.pop(), None);
        }
    }

    #[test]
    fn nobody_waits_for_a_writer_that_does_not_get_on() {
        let mailbox = Mailbox::new(4);
        // This one has its place.
        mailbox.given.fetch_add(1, Ordering::AcqRel);
        mailbox.push(2).expect("room");
        assert_eq!(mailbox.pop(), None, "its place is empty");
        let writing = mailbox.slot(0).lock();
        assert_eq!(mailbox.pop(), None, "it is about to be filled");
        drop(writing);
        *mailbox.slot(0).lock() = Some(1);
        assert_eq!([mailbox.pop(), mailbox.pop(), mailbox.pop()], [Some(1), Some(2), None]);
    }

    #[test]
    fn counts_may_wrap_around() {
        let mailbox = Mailbox::new(4);
        for count in [&mailbox.taken, &mailbox.given] {
            count.store(usize::MAX - 5, Ordering::Release);
        }
        for value in 0..20 {
            mailbox.push(value).expect("room");
            mailbox.push(100 + value).expect("room");
            assert_eq!([mailbox.pop(), mailbox.pop(), mailbox.pop()], [Some(value), Some(100 + value), None]);
        }
    }

    #[test]
    fn nothing_is_lost_or_comes_twice_when_many_write() {
        const WRITERS: u32 = 4;
        const EACH: u32 = 20_000;
        let mailbox = Mailbox::new(16);
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let mailbox = &mailbox;
                scope.spawn(move || {
                    for number in 0..EACH {
                        while mailbox.push((writer, number)).is_err() {
                            thread::yield_now();
                        }
                    }
                });
            }
            let mut next = [0; WRITERS as usize];
            while next != [EACH; WRITERS as usize] {
                match mailbox.pop() {
                    Some((writer, number)) => {
                        assert_eq!(number, next[writer as usize], "in its writer's order, once");
                        next[writer as usize] += 1;
                    }
                    None => thread::yield_now(),
                }
            }
        });
        assert_eq!(mailbox.pop(), None);
    }
}
