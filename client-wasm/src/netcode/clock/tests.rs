use super::*;

const TICK_MS: f64 = 1000.0 / 60.0;

/// A server and a page with a delay each way, in virtual time.
struct Link {
    clock: Clock,
    delay_ms: f64,
    now_ms: f64,
    /// Tick n of the server happens at `n * TICK_MS + shift_ms`.
    shift_ms: f64,
    sent: Tick,
    late: u32,
}

impl Link {
    fn new(delay_ms: f64) -> Self {
        let clock = Clock::new(60, Tick(1000), 0.0);
        Self { clock, delay_ms, now_ms: 0.0, shift_ms: -1000.0 * TICK_MS - delay_ms, sent: Tick(0), late: 0 }
    }

    fn server_ticks_at(&self, ms: f64) -> f64 {
        (ms - self.shift_ms) / TICK_MS
    }

    /// Runs frames of 60 Hz, with what a real server sends in between.
    fn run(&mut self, seconds: f64, jitter: impl Fn(u32) -> f64) {
        let frames = (seconds * 60.0) as u32;
        let mut margin_min = f64::MAX;
        for frame in 0..frames {
            self.now_ms += TICK_MS;
            if frame % 2 == 0 {
                let left = self.now_ms - self.delay_ms - jitter(frame);
                self.clock.heard(Tick(self.server_ticks_at(left) as u32), self.now_ms);
            }
            self.clock.advance(self.now_ms);
            if self.clock.tick().since(self.sent) > 0 {
                self.sent = self.clock.tick();
                let arrives = self.server_ticks_at(self.now_ms + self.delay_ms + jitter(frame));
                margin_min = margin_min.min(f64::from(self.sent.0) - arrives.ceil());
            }
            if frame % 15 == 14 {
                self.late += u32::from(margin_min < 0.0);
                let pace = Pace { margin_ticks: margin_min as i16, late: 0, dropped: 0 };
                self.clock.paced(pace);
                margin_min = f64::MAX;
            }
        }
    }
}

fn settled(delay_ms: f64, jitter: impl Fn(u32) -> f64 + Copy) -> Link {
    let mut link = Link::new(delay_ms);
    link.clock.round_trip(2.0 * delay_ms);
    link.run(1.0, jitter);
    link.clock.seated();
    link.run(20.0, jitter);
    link.late = 0;
    link.run(30.0, jitter);
    link
}

#[test]
fn inputs_arrive_just_in_time_at_any_delay() {
    for delay_ms in [0.0, 1.0, 25.0, 75.0, 150.0] {
        let link = settled(delay_ms, |_| 0.0);
        assert_eq!(link.late, 0, "{delay_ms} ms");
        let lead = link.clock.lead_ticks();
        let needed = 2.0 * delay_ms / TICK_MS;
        assert!(lead >= 1.0 && lead > needed, "{delay_ms} ms: lead {lead}");
        assert!(lead < needed + 4.5, "{delay_ms} ms: lead {lead}");
    }
}

#[test]
fn jitter_is_allowed_for() {
    let jitter = |frame: u32| f64::from(frame.wrapping_mul(2_654_435_761) >> 16 & 31);
    let link = settled(50.0, jitter);
    assert_eq!(link.late, 0);
    assert!(link.clock.lead_ticks() < 100.0 / TICK_MS + 7.0, "{}", link.clock.lead_ticks());
}

#[test]
fn a_wrong_start_is_mended() {
    for start in [-400.0, -3.0, 4.0, 500.0] {
        let mut link = settled(30.0, |_| 0.0);
        link.clock.heard += start;
        link.clock.position += start;
        link.run(40.0, |_| 0.0);
        link.late = 0;
        link.run(5.0, |_| 0.0);
        assert_eq!(link.late, 0, "start {start}");
        assert!(link.clock.lead_ticks() < 60.0 / TICK_MS + 5.0, "start {start}: {}", link.clock.lead_ticks());
    }
}

#[test]
fn after_a_sleep_the_clock_jumps_and_small_errors_are_only_nudged() {
    let mut link = settled(10.0, |_| 0.0);
    let jumps = link.clock.jumps();
    link.run(10.0, |_| 0.0);
    assert_eq!(link.clock.jumps(), jumps);
    link.now_ms += 90_000.0;
    assert!(link.clock.advance(link.now_ms));
    let ahead = f64::from(link.clock.tick().0) - link.server_ticks_at(link.now_ms - 10.0);
    assert!(ahead > 0.0 && ahead < 6.0, "{ahead}");
}

#[test]
fn a_longer_lead_is_reached_by_a_few_percent_of_speed_and_never_by_a_jump() {
    let mut link = settled(10.0, |_| 0.0);
    let jumps = link.clock.jumps();
    let lead = link.clock.lead_ticks();
    // From now on inputs take 200 ms longer on their way.
    for _ in 0..4 {
        link.clock.paced(Pace { margin_ticks: -12, late: 0, dropped: 0 });
    }
    let mut position = link.clock.position;
    for _ in 0..600 {
        link.now_ms += TICK_MS;
        link.clock.heard(Tick(link.server_ticks_at(link.now_ms - 10.0) as u32), link.now_ms);
        link.clock.advance(link.now_ms);
        let moved = link.clock.position - position;
        assert!((0.9..1.06).contains(&moved), "{moved} ticks in the time of one");
        position = link.clock.position;
    }
    assert!(link.clock.lead_ticks() > lead + 10.0);
    assert_eq!(link.clock.jumps(), jumps);
}

#[test]
fn a_clock_that_steps_back_does_no_harm() {
    let mut clock = Clock::new(60, Tick(5), 1000.0);
    clock.advance(1016.0);
    let tick = clock.tick();
    clock.advance(10.0);
    assert_eq!(clock.tick(), tick);
}

#[test]
fn an_announced_stall_moves_the_clock_at_once() {
    let mut link = settled(10.0, |_| 0.0);
    let before = link.clock.arrived().0;
    link.clock.stalled(30);
    assert_eq!(before.since(link.clock.arrived().0), 30);
}

#[test]
fn ticks_pass_the_wrap() {
    let mut clock = Clock::new(60, Tick(u32::MAX - 5), 0.0);
    for ms in 1..20 {
        clock.advance(f64::from(ms) * 100.0);
    }
    assert!(clock.tick().since(Tick(u32::MAX - 5)) > 100);
}
