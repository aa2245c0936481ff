//! Everybody there is: how many of each group, coming and going as the scenario wants it.

use std::{sync::Arc, time::Duration};

use contract::MatchKey;
use rand_pcg::Pcg32;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use crate::{
    agent::Agent,
    attack::Attacker,
    player::{Player, Visits},
    proxy::{Proxy, Setup},
    reference::{Bot, Reference},
    scenario::{Place, Policy, Scenario, Stages},
    server::Addresses,
    tally::Tally,
};

/// Newcomers come one after the other, so that they are not one burst.
pub(crate) const ARRIVAL_GAP: Duration = Duration::from_millis(4);

/// Time to leave in good order.
const FAREWELL: Duration = Duration::from_secs(3);

/// Connections a proxy carries; more members of a group get another one.
const PROXY_MEMBERS_MAX: usize = crate::proxy::CONNECTIONS_MAX;

/// Tells one member to leave.
#[derive(Clone, Debug)]
pub(crate) struct Leave(watch::Receiver<bool>);

impl Leave {
    /// Waits until it is time to leave.
    pub(crate) async fn told(&mut self) {
        // Whoever could tell is gone: that tells it, too.
        let _ = self.0.wait_for(|told| *told).await;
    }

    pub(crate) fn is_told(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }
}

/// Everybody there is.
#[derive(Debug)]
pub(crate) struct Crowd {
    scenario: Scenario,
    addresses: Addresses,
    tally: Arc<Tally>,
    groups: Vec<Group>,
    /// When it began: reference clients keep to one schedule.
    began: Instant,
    tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Group {
    kind: Kind,
    place: Place,
    /// What tells each member to leave.
    members: Vec<watch::Sender<bool>>,
    /// So that whoever comes after somebody has left is somebody else.
    arrivals: u64,
    proxies: Vec<Proxy>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Player(usize),
    Spectator(usize),
    Agent(usize),
    Attacker(usize),
}

impl Crowd {
    /// Nobody yet.
    ///
    /// # Errors
    /// When a proxy cannot listen.
    pub(crate) async fn new(scenario: &Scenario, addresses: &Addresses, tally: &Arc<Tally>) -> anyhow::Result<Self> {
        let kinds = (0..scenario.players.len()).map(Kind::Player);
        let kinds = kinds.chain((0..scenario.spectators.len()).map(Kind::Spectator));
        let kinds = kinds.chain((0..scenario.agents.len()).map(Kind::Agent));
        let kinds = kinds.chain((0..scenario.attackers.len()).map(Kind::Attacker));
        let mut groups = Vec::new();
        for (kind, place) in kinds.zip(scenario.places()) {
            let mut proxies = Vec::new();
            if !place.link.is_empty() {
                for at in 0..place.stages.most().div_ceil(PROXY_MEMBERS_MAX) {
                    let faults = place.link.parse()?;
                    let seed = scenario.seed << 16 | at as u64;
                    let to = Setup { up: faults, down: faults, seed, ..Setup::to(&addresses.play) };
                    proxies.push(Proxy::start(to).await?);
                }
            }
            groups.push(Group { kind, place, members: Vec::new(), arrivals: 0, proxies });
        }
        let (scenario, addresses, tally) = (scenario.clone(), addresses.clone(), Arc::clone(tally));
        Ok(Self { scenario, addresses, tally, groups, began: Instant::now(), tasks: JoinSet::new() })
    }

    /// Has as many of everybody as there are to be at a moment, in this arm.
    pub(crate) fn follow(&mut self, time: Duration, arm: Option<&str>) {
        for at in 0..self.groups.len() {
            let place = &self.groups[at].place;
            let is_on = place.arm.is_none() || place.arm.as_deref() == arm;
            let wanted = if is_on { place.stages.at(time) } else { 0 };
            self.resize(at, wanted);
        }
        while self.tasks.try_join_next().is_some() {}
    }

    /// From now on a group is to have these numbers.
    pub(crate) fn set_stages(&mut self, group: usize, stages: Stages) {
        self.groups[group].place.stages = stages;
    }

    fn resize(&mut self, at: usize, wanted: usize) {
        let mut wait = Duration::ZERO;
        while self.groups[at].members.len() < wanted {
            let member = self.admit(at, wait);
            self.groups[at].members.push(member);
            wait += ARRIVAL_GAP;
        }
        for member in self.groups[at].members.drain(wanted..) {
            // Nobody listens any more? Then they have left already.
            let _ = member.send(true);
        }
    }

    fn admit(&mut self, group: usize, wait: Duration) -> watch::Sender<bool> {
        let (leave, told) = watch::channel(false);
        let life = self.life(group, Leave(told.clone()));
        let tally = Arc::clone(&self.tally);
        let mut told = Leave(told);
        self.tasks.spawn(async move {
            sleep(wait).await;
            let in_time = async move {
                told.told().await;
                sleep(FAREWELL).await;
            };
            tokio::select! {
                result = life => if let Err(error) = result { tally.error(&error) },
                () = in_time => {}
            }
        });
        leave
    }

    /// What a new member of a group is going to do.
    fn life(&mut self, at: usize, leave: Leave) -> Life {
        let Self { scenario, addresses, tally, groups, began, .. } = self;
        let group = &mut groups[at];
        let nth = group.members.len();
        let serial = group.arrivals;
        group.arrivals += 1;
        let random = Pcg32::new(scenario.seed << 32 | serial, at as u64);
        let key = match_key(scenario.seed, group.place.spread.of(nth));
        let play = match group.proxies.get(nth / PROXY_MEMBERS_MAX) {
            Some(proxy) => proxy.address().to_string(),
            None => addresses.play.clone(),
        };
        let tally = Arc::clone(tally);
        match group.kind {
            Kind::Player(index) if scenario.players[index].policy == Policy::Reference => {
                let wanted = &scenario.players[index];
                let reference = Reference {
                    authority: play,
                    key,
                    name: format!("player {at}.{serial}"),
                    bot: Bot::new(group.place.spread.of(nth), group.place.spread.seat_of(nth)),
                    first_due: *began
                        + Bot::PERIOD * u32::try_from(nth).unwrap_or(0)
                            / u32::try_from(group.place.stages.most()).unwrap_or(1).max(1),
                    can_step: !wanted.whole_views,
                    tally,
                };
                Box::pin(reference.live(leave))
            }
            Kind::Player(index) | Kind::Spectator(index) => {
                let plays = matches!(group.kind, Kind::Player(_));
                let wanted = if plays { &scenario.players[index] } else { &scenario.spectators[index] };
                let visits = wanted.stay_s.map(|stay_s| Visits {
                    stay_s,
                    away_s: wanted.away_s,
                    new_matches: wanted.new_matches,
                });
                let key = if wanted.new_matches { own_match_key(scenario.seed, at, serial) } else { key };
                let player = Player {
                    authority: play,
                    key,
                    name: format!("player {at}.{serial}"),
                    random,
                    plays,
                    can_step: !wanted.whole_views,
                    visits,
                    tally,
                };
                Box::pin(player.live(leave))
            }
            Kind::Agent(index) => {
                let wanted = &scenario.agents[index];
                let name = format!("agent {at}.{serial}");
                let agent = Agent::new(addresses.contract.clone(), key, name, wanted, random, tally);
                Box::pin(agent.live(leave))
            }
            Kind::Attacker(index) => {
                let wanted = &scenario.attackers[index];
                let name = format!("bad {at}.{serial}");
                let attacker = Attacker {
                    kind: wanted.kind,
                    play,
                    contract: addresses.contract.clone(),
                    key,
                    name,
                    per_second: wanted.per_second.unwrap_or_else(|| wanted.kind.per_second()),
                    random,
                    tally,
                };
                Box::pin(attacker.live(leave))
            }
        }
    }

    /// People who play or watch now.
    pub(crate) fn clients(&self) -> usize {
        self.count(|kind| matches!(kind, Kind::Player(_) | Kind::Spectator(_)))
    }

    pub(crate) fn agents(&self) -> usize {
        self.count(|kind| matches!(kind, Kind::Agent(_)))
    }

    pub(crate) fn attackers(&self) -> usize {
        self.count(|kind| matches!(kind, Kind::Attacker(_)))
    }

    fn count(&self, is_meant: impl Fn(Kind) -> bool) -> usize {
        self.groups.iter().filter(|group| is_meant(group.kind)).map(|group| group.members.len()).sum()
    }

    /// Has everybody leave, and waits for it.
    pub(crate) async fn disperse(&mut self) {
        for at in 0..self.groups.len() {
            self.resize(at, 0);
        }
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(FAREWELL * 2, all).await.is_err() {
            self.tasks.shutdown().await;
        }
    }
}

type Life = std::pin::Pin<Box<dyn Future<Output = anyhow::Result<()>> + Send>>;

/// The key of a scenario's nth match.
pub(crate) fn match_key(seed: u64, at: usize) -> MatchKey {
    MatchKey::parse(&format!("load-{seed}-{at}")).expect("a legal key")
}

fn own_match_key(seed: u64, group: usize, serial: u64) -> MatchKey {
    MatchKey::parse(&format!("own-{seed}-{group}-{serial}")).expect("a legal key")
}

#[cfg(test)]
mod tests {
    use axum::{
        Router,
        extract::{WebSocketUpgrade, ws},
        routing::{get, post},
    };
    use contract::{Cadence, ClientMessage, Refusal, RelayPass, ServerMessage, Tick, Ticket, Welcome, decode, encode};
    use tokio::{net::TcpListener, sync::mpsc};

    use super::*;
    use crate::{tally::Counter, wire::Wire};

    /// A server that lets everybody in, has no seats, and tells of each message it has sent.
    async fn full_house() -> (Addresses, mpsc::UnboundedReceiver<()>) {
        let (sent, told) = mpsc::unbounded_channel();
        let talk = async move |mut socket: ws::WebSocket, sent: mpsc::UnboundedSender<()>| {
            while let Some(Ok(ws::Message::Binary(bytes))) = socket.recv().await {
                let answer = match decode(&bytes) {
                    Ok(ClientMessage::Hello(_)) => ServerMessage::Welcome(Welcome {
                        game: contract::games::IDS[0].to_owned(),
                        setup: Vec::new(),
                        sim: 0,
                        cadence: Cadence::new(60, 30),
                        tick: Tick(1),
                        relay: RelayPass([0; 16]),
                    }),
                    Ok(_) => ServerMessage::Refused(Refusal::Full),
                    // What is no message.
                    Err(_) => return,
                };
                if socket.send(ws::Message::binary(encode(&answer))).await.is_err() {
                    return;
                }
                // The test may be over.
                _ = sent.send(());
            }
        };
        let play = async move |upgrade: WebSocketUpgrade| upgrade.on_upgrade(move |socket| talk(socket, sent.clone()));
        let ticket = serde_json::json!({ "ticket": Ticket([0; Ticket::BYTES]).to_text() }).to_string();
        let router = Router::new().route("/play", get(play)).route("/tickets", post(async move || ticket.clone()));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        tokio::spawn(async move { axum::serve(listener, router).await });
        (Addresses { play: address.clone(), contract: address.clone(), ops: address }, told)
    }

    #[tokio::test]
    async fn what_attackers_are_sent_is_not_counted_as_sent_to_clients() {
        let (addresses, mut sent) = full_house().await;
        let kinds = ["flood", "slow_reader", "malformed_messages", "reconnect_storm"];
        let group = |kind| format!("[[attackers]]\nkind = \"{kind}\"\ncount = 1\nper_second = 200\n");
        let text = format!("name = \"n\"\nduration_s = 9\n{}", kinds.map(group).concat());
        let scenario = Scenario::parse(&text).expect("legal");
        let tally = Arc::new(Tally::new());
        let mut crowd = Crowd::new(&scenario, &addresses, &tally).await.expect("no proxies");
        crowd.follow(Duration::ZERO, None);
        for _ in 0..40 {
            let sent = timeout(Duration::from_secs(20), sent.recv()).await.expect("attackers come");
            sent.expect("the server goes on");
        }
        crowd.tasks.shutdown().await;
        assert!(!tally.answers().is_empty(), "they were heard");
        let clients = [Counter::Arrivals, Counter::MessagesReceived, Counter::BytesReceived, Counter::Inputs];
        let cut = tally.cut();
        assert_eq!(clients.map(|counter| cut.count(counter)), [0; 4]);

        let (_wire, _) = Wire::open(&addresses.play, &match_key(1, 0), &tally).await.expect("a client is let in");
        let cut = tally.cut();
        assert_eq!((cut.count(Counter::Arrivals), cut.count(Counter::MessagesReceived)), (1, 1));
        assert!(cut.count(Counter::BytesReceived) > 0);
    }
}
