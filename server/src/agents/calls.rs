//! Answers one call about one match.

use contract::{
    GameData, Holder, PlayerName, Refusal, SeatId, TeamId, Tick,
    agent::{Acted, Action, Fault, FaultCode, Glance, Reply, Request, SeatToken, parse_request},
    games::WireFact,
    limits::{AGENT_BASED_ON_AGE_S_MAX, AGENT_REPLY_BYTES_MAX},
};
use serde::Serialize;
use sim::{Game, Order};
use tokio::{sync::oneshot, time::timeout};

use super::seats::{Caller, NotLetIn};
use crate::matches::{Basis, Command, NotTaken, Port, Status, Unfounded, Wish};

/// An answer, ready to be sent.
#[derive(Debug)]
pub(crate) struct Answered {
    /// One JSON object of at most [`AGENT_REPLY_BYTES_MAX`] bytes.
    pub(crate) json: Vec<u8>,
    /// What was called, for metrics.
    pub(crate) call: &'static str,
    /// `ok`, or the code of the fault.
    pub(crate) outcome: &'static str,
}

/// Answers a call. Refusals are answers too.
pub(crate) async fn answer<G: Game>(port: &Port<G>, request: &[u8]) -> Answered {
    let request = match parse_request::<G::Data>(request) {
        Ok(request) => request,
        Err(fault) => return refused("unreadable", Some(newest_tick(port)), fault),
    };
    let call = call_name(&request);
    let outcome = match request {
        Request::Describe {} => Ok(done(call, newest_tick(port), G::Data::describe())),
        Request::Observe { token, since, detail, untrusted } => {
            observe(port, call, token.as_ref(), |glance| Glance { since, detail, with_names: untrusted, ..glance })
        }
        Request::Act { token, based_on_tick, preconditions, action } => {
            let basis = Basis { tick: based_on_tick, facts: preconditions };
            act(port, token.as_ref(), basis, action).await.map(|acted| done(call, newest_tick(port), acted))
        }
    };
    outcome.unwrap_or_else(|fault| refused(call, Some(newest_tick(port)), fault))
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
        return Answered { json, call, outcome };
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
    token: Option<&SeatToken>,
    wanted: impl Fn(Glance<'_>) -> Glance<'_>,
) -> Result<Answered, Fault> {
    let seat = token.map(|token| authenticate(port, token)).transpose()?.map(|caller| caller.seat);
    let published = port.board.newest.load_full();
    let view = published.view(G::Data::audience_of(&port.setup, seat));
    let glance = wanted(Glance::full(seat, &published.roster));
    Ok(done(call, published.tick, G::observe(&port.setup, view, &glance)))
}

async fn act<G: Game>(
    port: &Port<G>,
    token: Option<&SeatToken>,
    basis: Basis<G>,
    action: Action<Order<G>>,
) -> Result<Acted, Fault> {
    let caller = token.map(|token| authenticate(port, token)).transpose()?;
    match (action, caller) {
        (Action::TakeSeat { name, team }, None) => {
            check_basis(port, &basis, None)?;
            take_seat(port, name, team).await
        }
        (Action::TakeSeat { .. }, Some(caller)) => {
            let text = format!("this token plays {} already; leave that seat first", caller.seat);
            Err(Fault::new(FaultCode::AlreadySeated, text))
        }
        (Action::Order { order, expires_in_ms }, Some(caller)) => {
            give_order(port, caller, order, expires_in_ms, basis).await
        }
        (Action::LeaveSeat {}, Some(caller)) => {
            check_basis(port, &basis, Some(caller.seat))?;
            leave_seat(port, caller).await
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

fn authenticate<G: Game>(port: &Port<G>, token: &SeatToken) -> Result<Caller, Fault> {
    let caller = port.agent_seats.authenticate(token, port.presence.now_ms()).map_err(|error| match error {
        NotLetIn::BadToken => bad_token(),
        NotLetIn::TooOften => Fault::new(FaultCode::RateLimited, "too many calls for this seat; wait a second"),
    })?;
    if port.board.newest.load().is_epoch(caller.seat, caller.epoch) { Ok(caller) } else { Err(bad_token()) }
}

fn bad_token() -> Fault {
    Fault::new(FaultCode::BadToken, "the token belongs to no seat of this match; take a seat anew").at("token")
}

async fn take_seat<G: Game>(port: &Port<G>, name: PlayerName, team: Option<TeamId>) -> Result<Acted, Fault> {
    let (reply, answer) = oneshot::channel();
    let wish = Wish { holder: Holder::Agent, name, team, resume: None };
    let seated = ask(port, Command::Join { wish, reply }, answer).await?;
    let lease = seated.map_err(|refusal| refusal_fault(port, refusal))?;
    let seat = Some(lease.seat);
    let team = G::Data::TEAMS.get(lease.team.index()).copied();
    let takes_effect = lease.since;
    let token = Some(port.agent_seats.admit(lease, port.presence.now_ms()));
    Ok(Acted { seat, team, token, ..Acted::at(takes_effect) })
}

async fn give_order<G: Game>(
    port: &Port<G>,
    caller: Caller,
    order: Order<G>,
    expires_in_ms: Option<u32>,
    basis: Basis<G>,
) -> Result<Acted, Fault> {
    let Caller { seat, epoch } = caller;
    let published = port.board.newest.load_full();
    let view = published.view(G::Data::audience_of(&port.setup, Some(seat)));
    G::check_order(&port.setup, view, seat, &order)?;
    drop(published);
    let (reply, answer) = oneshot::channel();
    let expires_in = expires_in_ms.map(|ms| ticks_of(ms, G::Data::TICKS_PER_SECOND));
    let words: Vec<_> = basis.facts.iter().map(WireFact::word).collect();
    let taken = ask(port, Command::Order { seat, epoch, order, expires_in, basis, reply }, answer).await?;
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

async fn leave_seat<G: Game>(port: &Port<G>, caller: Caller) -> Result<Acted, Fault> {
    let Caller { seat, epoch } = caller;
    let (reply, answer) = oneshot::channel();
    let left = ask(port, Command::Leave { seat, epoch, reply }, answer).await?;
    port.agent_seats.dismiss(caller);
    left.map(Acted::at).ok_or_else(bad_token)
}

/// Puts a command into the match's inbox and waits for what comes of it.
async fn ask<G: Game, T>(port: &Port<G>, command: Command<G>, answer: oneshot::Receiver<T>) -> Result<T, Fault> {
    let busy = || Fault::new(FaultCode::Busy, "the match did not answer in time; observe before you try again");
    let over = || Fault::new(FaultCode::MatchOver, "the match has ended; the next call starts a new one");
    port.presence.touch();
    if port.presence.status() != Status::Live {
        return Err(over());
    }
    port.inbox.push(command).map_err(|_| busy())?;
    match timeout(port.agent_seats.answer_timeout, answer).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err(over()),
        Err(_) => Err(busy()),
    }
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
