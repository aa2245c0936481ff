use std::num::NonZeroU32;

use proptest::{collection::vec, prelude::*};

use super::*;
use crate::proxy::Stalls;

const MS: Duration = Duration::from_millis(1);

fn faults(text: &str) -> Faults {
    text.parse().expect("legal faults")
}

/// Writes of a sender: the time since the one before, and how many bytes.
type Writes = Vec<(Duration, usize)>;

/// What came out, and when.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    pieces: Vec<(Duration, Vec<u8>)>,
    ended: Option<Duration>,
}

impl Outcome {
    fn bytes(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|(_, bytes)| bytes.clone()).collect()
    }

    /// When each byte came out.
    fn times(&self) -> Vec<Duration> {
        self.pieces.iter().flat_map(|(at, bytes)| vec![*at; bytes.len()]).collect()
    }
}

/// The bytes that go in, each unlike its neighbours, and when each does.
fn sent(writes: &Writes) -> (Vec<u8>, Vec<Duration>) {
    let mut now = Duration::ZERO;
    let times: Vec<_> = writes
        .iter()
        .flat_map(|(after, len)| {
            now += *after;
            vec![now; *len]
        })
        .collect();
    ((0..times.len()).map(|n| (n % 251) as u8).collect(), times)
}

/// Sends everything and then the end, taking out each piece at the moment it is due.
fn carry(link: &mut Link, writes: &Writes) -> Outcome {
    let mut outcome = Outcome::default();
    let (bytes, _) = sent(writes);
    let (mut now, mut rest) = (Duration::ZERO, &bytes[..]);
    for (after, len) in writes {
        now += *after;
        drain(link, Some(now), &mut outcome);
        let (write, later) = rest.split_at(*len);
        link.push(write, now);
        rest = later;
    }
    link.end(now);
    drain(link, None, &mut outcome);
    outcome
}

fn drain(link: &mut Link, before: Option<Duration>, outcome: &mut Outcome) {
    let mut piece = Vec::new();
    while let Some(due) = link.due().filter(|due| before.is_none_or(|before| *due < before)) {
        match link.pop(due, &mut piece).expect("it is due") {
            Piece::Bytes => outcome.pieces.push((due, piece.clone())),
            Piece::End => outcome.ended = Some(due),
        }
    }
}

/// Sixty messages a second, as a player's are.
fn play(messages: usize) -> Writes {
    vec![(Duration::from_micros(16_667), 20); messages]
}

fn any_writes() -> impl Strategy<Value = Writes> {
    vec((0..50_000_u64, 1..4_000_usize), 1..40)
        .prop_map(|writes| writes.into_iter().map(|(after, len)| (Duration::from_micros(after), len)).collect())
}

prop_compose! {
    fn any_faults()(
        delay in 0..300_u64, jitter in 0..=100_u64, rate in prop::option::of(5_000..1_000_000_u32),
        slice in prop::option::of(1..=7_u32), stall in prop::option::of((1..500_u64, 1..3_000_u64)),
    ) -> Faults {
        Faults {
            delay: MS * u32::try_from(delay).expect("small"),
            jitter: MS * u32::try_from(jitter.min(delay)).expect("small"),
            bytes_per_second: rate.and_then(NonZeroU32::new),
            slice_bytes_max: slice.and_then(NonZeroU32::new),
            stalls: stall.map(|(length, every)| Stalls {
                length: Duration::from_millis(length), every: Duration::from_millis(every),
            }),
            corrupt_every_bytes: None,
        }
    }
}

proptest! {
    #[test]
    fn all_bytes_arrive_in_order_and_then_the_end(faults in any_faults(), seed: u64, writes in any_writes()) {
        let outcome = carry(&mut Link::new(faults, seed), &writes);
        prop_assert_eq!(outcome.bytes(), sent(&writes).0);
        prop_assert!(outcome.times().is_sorted());
        let last = outcome.times().last().copied();
        prop_assert!(outcome.ended >= last);
    }

    #[test]
    fn a_seed_decides_everything(faults in any_faults(), seed: u64, writes in any_writes()) {
        let once = carry(&mut Link::new(faults, seed), &writes);
        prop_assert_eq!(once, carry(&mut Link::new(faults, seed), &writes));
    }

    #[test]
    fn a_delay_is_within_its_jitter(mut faults in any_faults(), seed: u64, writes in any_writes()) {
        (faults.bytes_per_second, faults.stalls) = (None, None);
        let arrived = carry(&mut Link::new(faults, seed), &writes).times();
        for (sent, arrived) in sent(&writes).1.into_iter().zip(arrived) {
            prop_assert!(arrived >= sent + faults.delay - faults.jitter);
            prop_assert!(arrived <= sent + faults.delay + faults.jitter);
        }
    }

    #[test]
    fn a_throttled_link_carries_its_rate_and_no_more(rate in 1_000..100_000_u32, seed: u64, writes in any_writes()) {
        let link = Faults { bytes_per_second: NonZeroU32::new(rate), ..Faults::default() };
        let arrived = carry(&mut Link::new(link, seed), &writes).times();
        let total = arrived.len();
        let allowed = |time: Duration| time.as_secs_f64() * f64::from(rate) + 1.0;
        for (count, at) in (1_u32..).zip(&arrived) {
            prop_assert!(f64::from(count) <= allowed(*at), "{count} bytes after {at:?}");
        }
        // And it is never idle for longer than its sender is: all are there when the last could be.
        let last_sent = sent(&writes).1[total - 1];
        let longest = last_sent + Duration::from_secs(total as u64) / rate + MS;
        prop_assert!(arrived[total - 1] <= longest);
    }

    #[test]
    fn pieces_are_as_small_as_asked(slice in 1..=7_u32, seed: u64, writes in any_writes()) {
        let link = Faults { slice_bytes_max: NonZeroU32::new(slice), ..Faults::default() };
        let outcome = carry(&mut Link::new(link, seed), &writes);
        prop_assert!(outcome.pieces.iter().all(|(_, bytes)| (1..=slice as usize).contains(&bytes.len())));
    }

    #[test]
    fn corruption_changes_bytes_as_counted_and_loses_none(every in 1..500_u32, seed: u64, writes in any_writes()) {
        let faults = Faults { corrupt_every_bytes: NonZeroU32::new(every), ..Faults::default() };
        let mut link = Link::new(faults, seed);
        let (before, after) = (sent(&writes).0, carry(&mut link, &writes).bytes());
        prop_assert_eq!(before.len(), after.len());
        let changed = before.iter().zip(&after).filter(|(one, other)| one != other).count();
        prop_assert_eq!(changed as u64, link.corrupted());
        // Gaps are at most twice the average.
        let least = before.len() as u64 / (2 * u64::from(every) - 1);
        prop_assert!(link.corrupted() >= least, "{} of {}", link.corrupted(), before.len());
    }
}

#[test]
fn jitter_is_not_the_same_for_every_seed_and_spreads_over_its_range() {
    let times = |seed| carry(&mut Link::new(faults("delay=75,jitter=15"), seed), &play(2_000)).times();
    assert_ne!(times(1), times(2));
    let sent = sent(&play(2_000)).1;
    let delays: Vec<_> = times(1).into_iter().zip(sent).map(|(arrived, sent)| arrived - sent).collect();
    assert!(delays.iter().min() < Some(&(MS * 62)), "{:?}", delays.iter().min());
    assert!(delays.iter().max() > Some(&(MS * 88)), "{:?}", delays.iter().max());
}

#[test]
fn one_fault_does_not_shift_the_schedule_of_another() {
    let times = |text: &str| carry(&mut Link::new(faults(text), 9), &play(500)).times();
    assert_eq!(times("delay=75,jitter=15"), times("delay=75,jitter=15,slice=7,corrupt=50"));
}

#[test]
fn nothing_arrives_during_a_stall_and_stalls_are_as_long_and_as_often_as_asked() {
    let arrived = carry(&mut Link::new(faults("stall=200/1000"), 4), &play(6_000)).times();
    let stalls = arrived.windows(2).filter(|pair| pair[1] - pair[0] > MS * 150).count();
    // 100 s of play, a stall of 0.2 s after each second or so.
    assert!((70..=100).contains(&stalls), "{stalls}");
    let longest = arrived.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(longest <= Some(MS * 217), "{longest:?}");
}

#[test]
fn a_full_link_makes_its_sender_wait() {
    let mut link = Link::new(faults("delay=1000"), 1);
    let mut pushed = 0;
    while link.room() > 0 {
        let chunk = link.room().min(10_000);
        link.push(&vec![0; chunk], Duration::ZERO);
        pushed += chunk;
    }
    assert_eq!(pushed, LINK_BYTES_MAX);
    let mut piece = Vec::new();
    assert_eq!(link.pop(MS * 999, &mut piece), None);
    assert_eq!(link.pop(MS * 1000, &mut piece), Some(Piece::Bytes));
    assert_eq!(link.room(), piece.len());
}

#[test]
fn a_sender_of_single_bytes_has_to_wait_earlier() {
    let mut link = Link::new(faults("delay=1000"), 1);
    for _ in 0..PACKETS_MAX {
        assert!(link.room() > 0);
        link.push(&[0], Duration::ZERO);
    }
    assert_eq!(link.room(), 0);
}

#[test]
fn what_comes_after_the_end_is_swallowed_and_counted() {
    let mut link = Link::new(Faults::default(), 1);
    let mut piece = Vec::new();
    link.push(b"before", MS);
    link.end(MS);
    assert_eq!(link.room(), LINK_BYTES_MAX, "a sender that goes on is not held up");
    link.push(b"after", MS);
    link.end(MS);
    assert_eq!((link.pop(MS, &mut piece), &piece[..]), (Some(Piece::Bytes), &b"before"[..]));
    assert_eq!(link.pop(MS, &mut piece), Some(Piece::End));
    assert_eq!((link.pop(MS, &mut piece), link.due()), (None, None));
    assert_eq!(link.swallowed(), 5);
}

#[test]
fn a_held_link_lets_everything_go_at_once_later() {
    let mut link = Link::new(Faults::default(), 1);
    let mut piece = Vec::new();
    link.hold(true);
    link.push(b"one", MS);
    link.push(b"two", MS * 2);
    assert_eq!((link.due(), link.pop(MS * 5_000, &mut piece)), (None, None));
    link.hold(false);
    assert_eq!((link.pop(MS * 5_000, &mut piece), &piece[..]), (Some(Piece::Bytes), &b"one"[..]));
    assert_eq!((link.pop(MS * 5_000, &mut piece), &piece[..]), (Some(Piece::Bytes), &b"two"[..]));
}

#[test]
fn bytes_are_corrupted_on_request() {
    let mut link = Link::new(Faults::default(), 1);
    let mut piece = Vec::new();
    link.corrupt(2);
    link.push(&[0; 8], MS);
    link.pop(MS, &mut piece);
    assert!(piece[..2].iter().all(|byte| byte.count_ones() == 1));
    assert_eq!((&piece[2..], link.corrupted()), (&[0; 6][..], 2));
}
