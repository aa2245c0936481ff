//! One match on one page: what arrives goes in, places of bodies come out.

use contract::{GameData as _, Pace, SeatId, Snapshot, Steps, Tick, Welcome, WireView as _};
use sim::{FollowError, Follower, Input, Setup, View};

use super::{Clock, Figures, Pictured, Playout, Point, Prediction, Reconciled, Rows, Smoothing, blend};

/// A longer time between two frames means that the page was asleep: what it knows is of no use. In milliseconds.
const ASLEEP_MS: f64 = 2_000.0;
/// A picture that is moved by more than so many units in one frame to hide an error is counted as corrected.
const CORRECTED_UNITS: f32 = 2.0;

/// The seat this page plays.
struct Own<G: Pictured> {
    seat: SeatId,
    /// Newest tick an input was given for.
    given: Tick,
    /// `None` when the page's rules are not the server's, so that it cannot predict.
    prediction: Option<Prediction<G>>,
}

/// One match on one page.
pub struct Play<G: Pictured> {
    setup: Setup<G>,
    can_predict: bool,
    clock: Clock,
    follower: Follower<G>,
    rows: Rows<Input<G>>,
    playout: Playout<View<G>>,
    own: Option<Own<G>>,
    smoothing: Smoothing,
    /// Bodies as last shown.
    shown: Vec<Point>,
    scratch: Vec<Point>,
    before: Vec<Point>,
    /// The tick of the view that the picture moves towards, and how many ticks it is short of it.
    nearing: (Tick, f32),
    /// The picture changes from watching to playing or back with the next frame.
    turns: bool,
    /// Steps cannot be followed until a whole view arrives; what was predicted goes on.
    lost: bool,
    /// What is known is of no use: the last picture stands until a whole view arrives.
    waits: bool,
    is_hidden: bool,
    last_frame_ms: f64,
    figures: Figures,
}

impl<G: Pictured> Play<G> {
    /// A match that a server has just welcomed this page to.
    #[must_use]
    pub fn new(setup: Setup<G>, welcome: &Welcome, now_ms: f64) -> Self {
        Self {
            can_predict: welcome.sim == sim::sim_hash(),
            clock: Clock::new(welcome.cadence.ticks_per_second(), welcome.tick, now_ms),
            follower: Follower::new(&setup),
            rows: Rows::default(),
            playout: Playout::new(welcome.cadence),
            own: None,
            smoothing: Smoothing::default(),
            shown: Vec::new(),
            scratch: Vec::new(),
            before: Vec::new(),
            nearing: (welcome.tick, 0.0),
            turns: false,
            lost: false,
            waits: false,
            is_hidden: false,
            setup,
            last_frame_ms: now_ms,
            figures: Figures::default(),
        }
    }

    /// The same match goes on over another connection.
    pub fn resumed(&mut self, welcome: &Welcome, now_ms: f64) {
        self.can_predict = welcome.sim == sim::sim_hash();
        self.clock.restart(welcome.tick, now_ms);
        self.follower = Follower::new(&self.setup);
        self.waits = true;
    }

    /// A view arrived.
    pub fn snapshot(&mut self, snapshot: &Snapshot, now_ms: f64) {
        self.rows.clear();
        let followed = self.follower.take_view(snapshot.audience, snapshot.checksum, &snapshot.body).cloned();
        self.followed(followed, true, now_ms);
    }

    /// What every seat did since the last view arrived.
    pub fn steps(&mut self, steps: &Steps, now_ms: f64) {
        // Whether they fit is for the follower to say.
        self.rows.read::<View<G>>(self.follower.view(), steps);
        let followed = self.follower.take_steps(steps.tick, steps.ticks, steps.checksum, &steps.body).cloned();
        self.followed(followed, false, now_ms);
    }

    /// Whether nothing can be made of what arrives until a whole view does.
    #[must_use]
    pub fn lacks_view(&self) -> bool {
        (self.lost || self.waits) && !self.is_hidden
    }

    /// The page is hidden, or seen again. Nobody sees a hidden page, so it predicts nothing; seen again it goes on from
    /// the next whole view and plays nothing of the time between.
    pub fn hide(&mut self, is_hidden: bool) {
        self.waits |= self.is_hidden && !is_hidden;
        self.is_hidden = is_hidden;
    }

    /// This page plays a seat from now on.
    pub fn seated(&mut self, seat: SeatId, from: Tick) {
        self.clock.seated();
        let view = self.follower.view().filter(|_| self.can_predict && !self.waits);
        let prediction = view.map(|view| Prediction::new(&self.setup, seat, view));
        self.own = Some(Own { seat, given: from.plus(u32::MAX), prediction });
        self.turns = true;
    }

    /// This page only watches from now on.
    pub fn unseated(&mut self) {
        self.turns = self.own.take().is_some();
    }

    /// The server tells how early inputs arrive.
    pub fn paced(&mut self, pace: Pace) {
        self.clock.paced(pace);
        self.figures.late = pace.late;
    }

    /// The server left out so many ticks.
    pub fn stalled(&mut self, ticks: u32) {
        self.clock.stalled(ticks);
    }

    /// A round trip took so long.
    pub fn round_trip(&mut self, rtt_ms: f64) {
        self.clock.round_trip(rtt_ms);
    }

    /// Makes the picture for this moment. For each tick that is due, asks `sample` what the player does and hands the
    /// answer to `send`.
    pub fn frame(&mut self, now_ms: f64, sample: &mut dyn FnMut() -> Input<G>, send: &mut dyn FnMut(Tick, Input<G>)) {
        self.waits |= now_ms - self.last_frame_ms > ASLEEP_MS;
        if self.waits || self.is_hidden {
            self.last_frame_ms = now_ms;
            return;
        }
        self.turns |= self.clock.advance(now_ms);
        let due = self.clock.tick();
        if let Some(own) = &mut self.own {
            // Ticks slept through are gone; the one that is due is not.
            if due.since(own.given) > super::REPLAY_TICKS_MAX.cast_signed() {
                own.given = due.plus(u32::MAX);
            }
            while due.since(own.given) > 0 {
                own.given = own.given.next();
                let input = sample();
                if let Some(prediction) = &mut own.prediction {
                    prediction.give(own.given, input);
                }
                send(own.given, input);
            }
            if let Some(prediction) = &mut own.prediction {
                prediction.run_to(due);
            }
        }
        self.picture(now_ms);
    }

    /// The page stops looking: whatever the player did, it does no longer.
    pub fn rest(&mut self, send: &mut dyn FnMut(Tick, Input<G>)) {
        if let Some(own) = &mut self.own {
            own.given = own.given.next();
            if let Some(prediction) = &mut own.prediction {
                prediction.give(own.given, Input::<G>::default());
            }
            send(own.given, Input::<G>::default());
        }
    }

    /// The tick this page is in, and how far the picture is from the tick before to it.
    #[must_use]
    pub fn moment(&self) -> (Tick, f32) {
        (self.clock.tick(), self.clock.fraction())
    }

    /// Where the bodies are to be drawn.
    #[must_use]
    pub fn bodies(&self) -> &[Point] {
        &self.shown
    }

    /// How far the last frame moved a body's picture to hide an error, in units.
    #[must_use]
    pub fn corrected(&self, body: usize) -> f32 {
        self.smoothing.moved(body)
    }

    /// The view to draw the rest from: predicted while this page plays, else the server's.
    #[must_use]
    pub fn view(&self) -> Option<&View<G>> {
        self.prediction().map(Prediction::newest).or(self.playout.newest())
    }

    /// The view that the picture of this moment moves towards, and how many ticks it is short of it: for what is drawn
    /// by where it is at a moment rather than from body to body.
    #[must_use]
    pub fn nearing(&self) -> Option<(&View<G>, f32)> {
        let (tick, short) = self.nearing;
        let predicted = self.prediction().map(Prediction::newest).filter(|view| view.tick() == tick);
        predicted.or_else(|| self.playout.of(tick)).map(|view| (view, short))
    }

    /// The newest view from the server.
    #[must_use]
    pub fn confirmed(&self) -> Option<&View<G>> {
        self.playout.newest()
    }

    /// The match's setup.
    #[must_use]
    pub fn setup(&self) -> &Setup<G> {
        &self.setup
    }

    /// The seat this page plays.
    #[must_use]
    pub fn seat(&self) -> Option<SeatId> {
        self.own.as_ref().map(|own| own.seat)
    }

    /// The side this page plays on.
    #[must_use]
    pub fn team(&self) -> Option<contract::TeamId> {
        self.seat().map(|seat| G::Data::team_of(&self.setup, seat))
    }

    /// How the link does.
    #[must_use]
    pub fn figures(&self) -> Figures {
        Figures {
            rtt_ms: self.clock.rtt_ms(),
            lead_ticks: if self.own.is_some() { self.clock.lead_ticks() } else { 0.0 },
            margin_ticks: self.clock.margin_ticks(),
            delay_ticks: self.playout.delay_ticks(),
            jumps: self.clock.jumps(),
            ..self.figures
        }
    }

    fn prediction(&self) -> Option<&Prediction<G>> {
        self.own.as_ref().and_then(|own| own.prediction.as_ref())
    }

    fn followed(&mut self, followed: Result<View<G>, FollowError>, is_whole: bool, now_ms: f64) {
        let Ok(view) = followed else {
            // A gap while a whole view is under way anyway is no news.
            self.figures.resyncs += u32::from(!std::mem::replace(&mut self.lost, true));
            return;
        };
        self.lost = false;
        if self.waits && is_whole {
            self.wake(&view, now_ms);
        } else {
            self.clock.heard(view.tick(), now_ms);
            if !self.is_hidden {
                self.reconcile(&view);
            }
        }
        self.playout.push(view);
    }

    /// Goes on from a view as if nothing had been before.
    fn wake(&mut self, view: &View<G>, now_ms: f64) {
        self.waits = self.is_hidden;
        self.clock.restart(view.tick(), now_ms);
        self.last_frame_ms = now_ms;
        self.playout.clear();
        self.smoothing.forget();
        self.turns = true;
        if let Some(own) = &mut self.own {
            own.given = self.clock.tick().plus(u32::MAX);
            own.prediction = self.can_predict.then(|| Prediction::new(&self.setup, own.seat, view));
        }
    }

    fn reconcile(&mut self, view: &View<G>) {
        let Some(own) = &mut self.own else { return };
        let Some(prediction) = &mut own.prediction else {
            if self.can_predict {
                own.prediction = Some(Prediction::new(&self.setup, own.seat, view));
                self.turns = true;
            }
            return;
        };
        let due = prediction.newest().tick();
        let verdict = prediction.reconcile(view, self.rows.as_slice());
        let count = match verdict {
            Reconciled::Exact => &mut self.figures.exact,
            Reconciled::Mispredicted => &mut self.figures.mispredicted,
            Reconciled::Wrong => &mut self.figures.wrong,
            Reconciled::Snapped => &mut self.figures.snapped,
        };
        *count += 1;
        if verdict == Reconciled::Exact {
            return;
        }
        prediction.run_to(due);
        // The last picture, made again from what is known now, differs from what was shown by the error.
        self.locate();
        self.smoothing.absorb(&self.shown, &self.scratch, G::JUMP_UNITS);
    }

    fn picture(&mut self, now_ms: f64) {
        let elapsed_ms = now_ms - self.last_frame_ms;
        self.last_frame_ms = now_ms;
        self.locate();
        if std::mem::take(&mut self.turns) {
            self.smoothing.absorb(&self.shown, &self.scratch, G::JUMP_UNITS);
        }
        self.smoothing.fade(elapsed_ms);
        self.figures.corrected += u32::from(self.smoothing.moved_most() > CORRECTED_UNITS);
        std::mem::swap(&mut self.shown, &mut self.scratch);
        self.smoothing.apply(&mut self.shown);
    }

    /// Puts the bodies' true places at this moment into `scratch`.
    fn locate(&mut self) {
        let Self { own, playout, clock, scratch, before, nearing, .. } = self;
        scratch.clear();
        before.clear();
        if let Some(prediction) = own.as_ref().and_then(|own| own.prediction.as_ref()) {
            let fraction = if prediction.newest().tick() == clock.tick() { clock.fraction() } else { 1.0 };
            G::bodies(prediction.before(), before);
            G::bodies(prediction.newest(), scratch);
            blend(before, scratch, fraction, G::JUMP_UNITS);
            *nearing = (prediction.newest().tick(), 1.0 - fraction);
        } else if let Some((first, second, fraction)) = playout.show(clock.arrived()) {
            G::bodies(first, before);
            G::bodies(second, scratch);
            blend(before, scratch, fraction, G::JUMP_UNITS * f32::from(2_u8));
            let span = second.tick().since(first.tick()) as f32;
            *nearing = (second.tick(), span * (1.0 - fraction));
        }
    }
}
