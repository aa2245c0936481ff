//! Answers one call about one match.

use std::sync::Arc;

use bytes::Bytes;
use contract::{
    Audience, GameData, Holder, PlayerName, Refusal, RelayPass, SeatId, TeamId, Tick,
    agent::{ActKey, Acted, Action, Fault, FaultCode, Glance, Reply, Request, SeatToken, describe, parse_request},
    games::WireFact,
    limits::{AGENT_BASED_ON_AGE_S_MAX, AGENT_REPLY_BYTES_MAX},
};
use serde::Serialize;
use sim::{Game, Order};
use tokio::{sync::oneshot, time::timeout};

use super::{
    digest::Digest,
    keys::{Claim, Scope},
    seats::{Caller, NotLetIn},
};
use crate::matches::{Basis, Command, NotTaken, Port, Standing, Status, Unfounded, Wish};

/// An answer, ready to be sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answered {
    /// One JSON object of at most [`AGENT_REPLY_BYTES_MAX`] bytes.
    pub(crate) json: Bytes,
    /// What was called, for metrics.
    pub(crate) call: &'static str,
    /// `ok`, or the code of the fault.
    pub(crate) outcome: &'static str,
}

/// How a call came here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// From the caller itself, which may be anybody.
    Direct,
    /// From a host that proved to know a secret.
    Signed,
    /// Through the page of this pass.
    Page(RelayPass),
}

/// The page that a call came through, if it did.
#[derive(Clone, Copy)]
struct Relay(Option<Standing>);

impl Relay {
    /// Whether what this audience sees must be kept from whoever relays.
    fn is_foreign_to<G: Game>(self, audience: Audience) -> bool {
        self.0.is_some_and(|page| !G::Data::includes(page.audience, audience))
    }
}

/// An act as it was asked for, its key aside.
struct Act<G: Game> {
    relay: Relay,
    token: Option<SeatToken>,
    basis: Basis<G>,
    action: Action<Order<G>>,
}

/// Answers a call. Refusals are answers too.
pub(crate) async fn answer<G: Game>(port: &Arc<Port<G>>, bytes: &[u8], via: &Via) -> Answered {
    let parsed = parse_request::<G::Data>(bytes);
    let (call, fingerprint) = match &parsed {
        Ok(request) => (call_name(request), fingerprint(request, bytes)),
        Err(_) => ("unreadable", Digest::of(&[bytes])),
    };
    let relay = match admit(port, via) {
        Ok(relay) => relay,
        Err(fault) => return refused(call, Some(newest_tick(port)), fault),
    };
    if let Ok(Request::Act { token, key: Some(key), based_on_tick, preconditions, action }) = parsed {
        let act = Act { relay, token, basis: Basis { tick: based_on_tick, facts: preconditions }, action };
        return act_once(port, call, act, key, fingerprint).await;
    }
    let now_ms = port.presence.now_ms();
    if let Err(fault) = port.agent_seats.repeats.hear(&fingerprint, now_ms) {
        return refused(call, Some(newest_tick(port)), fault);
    }
    let answered = match parsed {
        Err(fault) => Err(fault),
        Ok(Request::Describe {}) => Ok(done(call, newest_tick(port), describe::<G::Data>())),
        Ok(Request::Observe { token, since, detail, untrusted }) => {
            observe(port, call, relay, token.as_ref(), |glance| Glance {
                since,
                detail,
                with_names: untrusted,
                ..glance
            })
        }
        Ok(Request::Act { token, based_on_tick, preconditions, action, .. }) => {
            let act = Act { relay, token, basis: Basis { tick: based_on_tick, facts: preconditions }, action };
            let acted = carry_out(port, act, None, Patience::Limited).await;
            acted.map(|acted| done(call, newest_tick(port), acted))
        }
    };
    answered.unwrap_or_else(|fault| refuse(port, call, fingerprint, fault))
}

/// A pass of a page that is not there.
pub(super) fn not_connected() -> Fault {
    let text = "the page that relays is not connected to this match; the page must use its newest pass";
    Fault::new(FaultCode::BadRelay, text)
}

/// Whether a call that came like this is taken, and through whom it came.
fn admit<G: Game>(port: &Port<G>, via: &Via) -> Result<Relay, Fault> {
    match via {
        Via::Page(pass) => {
            let page = port.relays.find(pass).ok_or_else(not_connected);
            page.map(|page| Relay(Some(page)))
        }
        Via::Direct | Via::Signed => Ok(Relay(None)),
    }
}

/// What tells calls apart: the bytes, but for acts with a key what they mean without it, because a retry need not be
/// written alike.
fn fingerprint<O: Serialize, F: Serialize>(request: &Request<O, F>, bytes: &[u8]) -> Digest {
    let Request::Act { token, key: Some(_), based_on_tick, preconditions, action } = request else {
        return Digest::of(&[bytes]);
    };
    let act = (token, based_on_tick, preconditions, action);
    Digest::of(&[&serde_json::to_vec(&act).expect("requests are plain data")])
}

/// Carries out an act unless its key has been used for it; then the answer is the one it had.
///
/// The work is done by a task of its own: it goes on when the caller is gone, so that whoever tries again finds out.
async fn act_once<G: Game>(
    port: &Arc<Port<G>>,
    call: &'static str,
    act: Act<G>,
    key: ActKey,
    fingerprint: Digest,
) -> Answered {
    let seats = &port.agent_seats;
    let scope = act.token.as_ref().map(scope_of);
    let claim = match seats.keys.find(scope, &key, &fingerprint) {
        Ok(Some(known)) => Ok(Claim::Known(known)),
        // Only whoever has a seat may have keys remembered for its token.
        Ok(None) => check_token(port, act.token.as_ref())
            .and_then(|()| seats.keys.claim(scope, &key, fingerprint, port.presence.now_ms())),
        Err(fault) => Err(fault),
    };
    let mut answer = match claim {
        Err(fault) => return refuse(port, call, fingerprint, fault),
        Ok(Claim::Known(answer)) => answer,
        Ok(Claim::New(answer)) => {
            tokio::spawn(settle(Arc::clone(port), call, act, scope, key, fingerprint));
            answer
        }
    };
    match timeout(seats.answer_timeout, answer.wait_for(Option::is_some)).await {
        Ok(Ok(answered)) => answered.clone().unwrap_or_default(),
        Ok(Err(_)) => refused(call, Some(newest_tick(port)), over()),
        Err(_) => refused(call, Some(newest_tick(port)), busy()),
    }
}

async fn settle<G: Game>(
    port: Arc<Port<G>>,
    call: &'static str,
    act: Act<G>,
    scope: Scope,
    key: ActKey,
    fingerprint: Digest,
) {
    let acted = match port.agent_seats.repeats.hear(&fingerprint, port.presence.now_ms()) {
        Ok(()) => carry_out(&port, act, Some(&key), Patience::UntilKnown).await,
        Err(fault) => Err(fault),
    };
    let keys = &port.agent_seats.keys;
    match acted {
        Ok(acted) => keys.settle(scope, &key, done(call, newest_tick(&port), acted)),
        Err(fault) if is_passing(fault.code) => {
            keys.release(scope, &key, refused(call, Some(newest_tick(&port)), fault));
        }
        Err(fault) => keys.settle(scope, &key, refuse(&port, call, fingerprint, fault)),
    }
}

/// Whether the same call may well be answered differently soon, and has had no effect.
const fn is_passing(code: FaultCode) -> bool {
    matches!(code, FaultCode::Busy | FaultCode::RateLimited | FaultCode::MatchOver)
}

pub(super) fn scope_of(token: &SeatToken) -> Digest {
    Digest::of(&[token.secret().as_bytes()])
}

/// Refuses a call, and says what to do if it was refused alike before.
fn refuse<G: Game>(port: &Port<G>, call: &'static str, fingerprint: Digest, fault: Fault) -> Answered {
    let fault = if is_passing(fault.code) {
        fault
    } else {
        port.agent_seats.repeats.refuse(fingerprint, fault, port.presence.now_ms())
    };
    refused(call, Some(newest_tick(port)), fault)
}

/// A refusal.
pub(super) fn refused(call: &'static str, tick: Option<Tick>, fault: Fault) -> Answered {
    let outcome = fault.code.word();
    write(call, outcome, &Reply::<()>::refused(tick, fault))
}

fn done<R: Serialize>(call: &'static str, tick: Tick, result: R) -> Answered {
    write(call, "ok", &Reply::done(Some(tick), result))
}

fn write<R: Serialize>(call: &'static str, outcome: &'static str, reply: &Reply<R>) -> Answered {
    let json = serde_json::to_vec(reply).expect("replies are plain data");
    if json.len() <= AGENT_REPLY_BYTES_MAX {
        return Answered { json: json.into(), call, outcome };
    }
    tracing::error!(call, bytes = json.len(), "an answer is too long");
    let fault = Fault::new(FaultCode::TooLarge, "the answer would be too long; ask for less, such as a newer `since`");
    refused(call, reply.tick, fault)
}

const fn call_name<O, F>(request: &Request<O, F>) -> &'static str {
    match request {
        Request::Describe {} => "describe",
        Request::Observe { .. } => "observe",
        Request::Act { action: Action::TakeSeat { .. }, .. } => "take_seat",
        Request::Act { action: Action::Order { .. }, .. } => "order",
        Request::Act { action: Action::LeaveSeat {}, .. } => "leave_seat",
    }
}

fn newest_tick<G: Game>(port: &Port<G>) -> Tick {
    port.board.newest.load().tick
}

fn observe<G: Game>(
    port: &Port<G>,
    call: &'static str,
    relay: Relay,
    token: Option<&SeatToken>,
    wanted: impl Fn(Glance<'_>) -> Glance<'_>,
) -> Result<Answered, Fault> {
    let seat = token.map(|token| authenticate(port, token, relay)).transpose()?.map(|caller| caller.seat);
    let published = port.board.newest.load_full();
    let audience = G::Data::audience_of(&port.setup, seat);
    let view = published.view(audience);
    let mut glance = wanted(Glance::full(seat, &published.roster));
    glance.is_public |= relay.is_foreign_to::<G>(audience);
    Ok(done(call, published.tick, G::observe(&port.setup, view, &glance)))
}

async fn carry_out<G: Game>(
    port: &Port<G>,
    act: Act<G>,
    key: Option<&ActKey>,
    patience: Patience,
) -> Result<Acted, Fault> {
    let Act { relay, token, basis, action } = act;
    let caller = token.map(|token| authenticate(port, &token, relay)).transpose()?;
    let audience = G::Data::audience_of(&port.setup, caller.map(|caller| caller.seat));
    let is_foreign = relay.is_foreign_to::<G>(audience);
    if is_foreign && let Some(at) = basis.facts.iter().position(|fact| !fact.is_public()) {
        let text = "whether this holds is no business of the browser that relays";
        return Err(Fault::new(FaultCode::PreconditionFailed, text).at(format!("preconditions.{at}")));
    }
    match (action, caller) {
        (Action::TakeSeat { name, team }, None) => {
            check_basis(port, &basis, None)?;
            take_seat(port, relay, name, team, key, patience).await
        }
        (Action::TakeSeat { .. }, Some(caller)) => {
            let text = format!("this token plays {} already; leave that seat first", caller.seat);
            Err(Fault::new(FaultCode::AlreadySeated, text))
        }
        (Action::Order { order, expires_in_ms }, Some(caller)) => {
            let given = give_order(port, caller, order, expires_in_ms, basis, patience).await;
            given.map_err(|fault| if is_foreign { fault.without_legal() } else { fault })
        }
        (Action::LeaveSeat {}, Some(caller)) => {
            check_basis(port, &basis, Some(caller.seat))?;
            leave_seat(port, caller, patience).await
        }
        (Action::Order { .. } | Action::LeaveSeat {}, None) => {
            let text = "required: the token that take_seat answered with";
            Err(Fault::new(FaultCode::MissingField, text).at("token"))
        }
    }
}

/// Checks what an act depends on that takes no part in the world; orders are checked in the tick they take effect.
fn check_basis<G: Game>(port: &Port<G>, basis: &Basis<G>, seat: Option<SeatId>) -> Result<(), Fault> {
    let newest = port.board.newest.load();
    let view = newest.view(G::Data::audience_of(&port.setup, seat));
    let checked = basis.check(&port.setup, newest.tick, view, seat);
    checked.map_err(|unfounded| unfounded_fault(unfounded, |at| basis.facts[at].word()))
}

fn unfounded_fault(unfounded: Unfounded, word_of: impl Fn(usize) -> &'static str) -> Fault {
    match unfounded {
        Unfounded::TooOld => {
            let text = format!("that sight is more than {AGENT_BASED_ON_AGE_S_MAX} seconds old; observe again");
            Fault::new(FaultCode::Stale, text).at("based_on_tick")
        }
        Unfounded::NotYet => {
            Fault::new(FaultCode::Stale, "that tick has not come yet; observe again").at("based_on_tick")
        }
        Unfounded::Broken(at) => {
            let text = format!("{} does not hold now; observe again", word_of(at));
            Fault::new(FaultCode::PreconditionFailed, text).at(format!("preconditions.{at}"))
        }
    }
}

/// Finds out who calls, and counts the call.
fn authenticate<G: Game>(port: &Port<G>, token: &SeatToken, relay: Relay) -> Result<Caller, Fault> {
    let seats = &port.agent_seats;
    let (caller, told_by) = seats.authenticate(token, port.presence.now_ms()).map_err(|error| match error {
        NotLetIn::BadToken => bad_token(),
        NotLetIn::TooOften => Fault::new(FaultCode::RateLimited, "too many calls for this seat; wait a second"),
    })?;
    if let Some(key) = told_by {
        let text =
            format!("the token of {} that this key was answered with has been used; it is told no more", caller.seat);
        let told = refused("take_seat", Some(newest_tick(port)), Fault::new(FaultCode::AlreadySeated, text).at("key"));
        seats.keys.settle(None, &key, told);
    }
    if !port.board.newest.load().is_epoch(caller.seat, caller.epoch) {
        return Err(bad_token());
    }
    note_relay(port, caller.seat, relay);
    Ok(caller)
}

/// Whoever relays for a seat could play it too: that is put down, and the room is told.
fn note_relay<G: Game>(port: &Port<G>, seat: SeatId, Relay(page): Relay) {
    let by = page.map(Standing::relayed_by);
    if port.relays.note(seat, by) {
        tracing::info!(key = port.key.as_str(), %seat, through = ?by, "an Agent's calls come another way");
    }
}

/// Whether a token, if there is one, is somebody's.
fn check_token<G: Game>(port: &Port<G>, token: Option<&SeatToken>) -> Result<(), Fault> {
    if token.is_none_or(|token| port.agent_seats.is_known(token)) { Ok(()) } else { Err(bad_token()) }
}

fn bad_token() -> Fault {
    Fault::new(FaultCode::BadToken, "the token belongs to no seat of this match; take a seat anew").at("token")
}

async fn take_seat<G: Game>(
    port: &Port<G>,
    relay: Relay,
    name: PlayerName,
    team: Option<TeamId>,
    key: Option<&ActKey>,
    patience: Patience,
) -> Result<Acted, Fault> {
    let (reply, answer) = oneshot::channel();
    let wish = Wish { holder: Holder::Agent, name, team, resume: None };
    let seated = ask(port, Command::Join { wish, reply }, answer, patience).await?;
    let lease = seated.map_err(|refusal| refusal_fault(port, refusal))?;
    let seat = Some(lease.seat);
    note_relay(port, lease.seat, relay);
    let team = G::Data::TEAMS.get(lease.team.index()).copied();
    let takes_effect = lease.since;
    let token = Some(port.agent_seats.admit(lease, key.cloned(), port.presence.now_ms()));
    Ok(Acted { seat, team, token, ..Acted::at(takes_effect) })
}

async fn give_order<G: Game>(
    port: &Port<G>,
    caller: Caller,
    order: Order<G>,
    expires_in_ms: Option<u32>,
    basis: Basis<G>,
    patience: Patience,
) -> Result<Acted, Fault> {
    let Caller { seat, epoch } = caller;
    let published = port.board.newest.load_full();
    let view = published.view(G::Data::audience_of(&port.setup, Some(seat)));
    G::check_order(&port.setup, view, seat, &order)?;
    drop(published);
    let (reply, answer) = oneshot::channel();
    let expires_in = expires_in_ms.map(|ms| ticks_of(ms, G::Data::TICKS_PER_SECOND));
    let words: Vec<_> = basis.facts.iter().map(WireFact::word).collect();
    let command = Command::Order { seat, epoch, order, expires_in, basis, reply };
    let taken = ask(port, command, answer, patience).await?;
    let taken = taken.map_err(|not_taken| match not_taken {
        NotTaken::SeatGone => bad_token(),
        NotTaken::Unfounded(unfounded) => unfounded_fault(unfounded, |at| words[at]),
    })?;
    Ok(Acted { order_id: Some(taken.id), ..Acted::at(taken.tick) })
}

/// The nearest whole number of ticks, and at least one.
fn ticks_of(ms: u32, ticks_per_second: u16) -> u32 {
    let ticks = (u64::from(ms) * u64::from(ticks_per_second) + 500) / 1000;
    u32::try_from(ticks).unwrap_or(u32::MAX).max(1)
}

async fn leave_seat<G: Game>(port: &Port<G>, caller: Caller, patience: Patience) -> Result<Acted, Fault> {
    let Caller { seat, epoch } = caller;
    let (reply, answer) = oneshot::channel();
    let left = ask(port, Command::Leave { seat, epoch, reply }, answer, patience).await?;
    port.agent_seats.dismiss(caller);
    left.map(Acted::at).ok_or_else(bad_token)
}

/// How long an answer of the match is waited for.
#[derive(Clone, Copy)]
enum Patience {
    /// As long as a caller waits.
    Limited,
    /// Until it is known what came of it; the caller need not wait.
    UntilKnown,
}

/// Puts a command into the match's inbox and waits for what comes of it.
async fn ask<G: Game, T>(
    port: &Port<G>,
    command: Command<G>,
    answer: oneshot::Receiver<T>,
    patience: Patience,
) -> Result<T, Fault> {
    port.presence.touch();
    if port.presence.status() != Status::Live {
        return Err(over());
    }
    let pushed = port.inbox.push(command);
    pushed.map_err(|_| if port.presence.status() == Status::Live { busy() } else { over() })?;
    let answer = match patience {
        Patience::Limited => timeout(port.agent_seats.answer_timeout, answer).await.map_err(|_| busy())?,
        Patience::UntilKnown => answer.await,
    };
    answer.map_err(|_| over())
}

fn busy() -> Fault {
    Fault::new(FaultCode::Busy, "the match did not answer in time; try again with the same key, or observe first")
}

fn over() -> Fault {
    Fault::new(FaultCode::MatchOver, "the match has ended; the next call starts a new one")
}

fn refusal_fault<G: Game>(port: &Port<G>, refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Full => {
            let newest = port.board.newest.load();
            let has_bot =
                |team: usize| newest.roster.iter().any(|at| at.team.index() == team && at.holder == Holder::Bot);
            let free = (0..G::Data::TEAMS.len()).filter(|team| has_bot(*team)).map(|team| G::Data::TEAMS[team]);
            let fault = Fault::new(FaultCode::Full, "no seat is free there; try again when somebody has left");
            fault.at("action.team").legal(free)
        }
        Refusal::NameTaken => {
            Fault::new(FaultCode::NameTaken, "another player has this name; choose another one").at("action.name")
        }
        Refusal::NoSuchTeam => {
            let fault = Fault::new(FaultCode::BadValue, "there is no such team").at("action.team");
            fault.legal(G::Data::TEAMS.iter().copied())
        }
        Refusal::AlreadySeated => Fault::new(FaultCode::AlreadySeated, refusal.text()),
        Refusal::SeatGone => Fault::new(FaultCode::BadToken, refusal.text()),
        Refusal::Busy => Fault::new(FaultCode::Busy, refusal.text()),
    }
}
