//! Making matches of a game that is known by its id only.

use std::{fmt, sync::Arc};

use anyhow::{Context as _, anyhow};
use contract::{Cadence, GameData, MatchKey, SeatId, limits};
use sim::{Game, Setup};

use super::{
    commands::{INBOX_COMMANDS_MAX, Releases},
    live::{Live, write_views},
    mailbox::Mailbox,
    port::{Door, MatchPort, Port},
    presence::Presence,
    published::Publisher,
    relays::Relays,
    seats::Seats,
    worker::Ticked,
};
use crate::{
    agents::AgentSeats,
    config::{ContractConfig, GameConfig},
    metrics::Metrics,
};

/// Makes matches of one game with one setup.
pub struct GameKind {
    make: Box<Make>,
}

type Make = dyn Fn(Birth) -> (Box<dyn Ticked>, Arc<dyn MatchPort>) + Send + Sync;

impl fmt::Debug for GameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GameKind(..)")
    }
}

/// What a match is born with.
pub(crate) struct Birth {
    pub(crate) key: MatchKey,
    pub(crate) seed: u64,
    pub(crate) snapshots_per_second: u16,
    pub(crate) grace_ms: u64,
    pub(crate) presence: Presence,
    pub(crate) contract: ContractConfig,
    pub(crate) metrics: Arc<Metrics>,
}

impl GameKind {
    pub(crate) fn make(&self, birth: Birth) -> (Box<dyn Ticked>, Arc<dyn MatchPort>) {
        (self.make)(birth)
    }
}

/// The configured game.
///
/// # Errors
/// When there is no such game, or its setup has an unknown or illegal field.
pub fn kind_of(config: &GameConfig) -> anyhow::Result<GameKind> {
    kind_at(config, "game.setup")
}

/// A game whose setup is at this place of the configuration, which errors name.
pub(super) fn kind_at(config: &GameConfig, place: &str) -> anyhow::Result<GameKind> {
    struct Visitor<'a>(&'a GameConfig, &'a str);
    impl sim::games::Visitor for Visitor<'_> {
        type Output = anyhow::Result<GameKind>;
        fn visit<G: Game>(self) -> Self::Output {
            let Self(config, place) = self;
            let setup: Setup<G> = config.setup.clone().try_into().with_context(|| format!("in {place}"))?;
            G::Data::check_setup(&setup).map_err(|error| anyhow!("{place}.{error}"))?;
            Ok(kind_with::<G>(setup))
        }
    }
    sim::games::visit(&config.id, Visitor(config, place))
        .with_context(|| format!("there is no game {:?}", config.id))?
}

/// A game that is not on the list of games, or a setup that is at hand already.
///
/// # Panics
/// When the setup has more seats than [`limits::SEATS_MAX`].
#[must_use]
pub fn kind_with<G: Game>(setup: Setup<G>) -> GameKind {
    let seats = G::Data::seats(&setup);
    assert!(seats <= limits::SEATS_MAX, "a match has at most {} seats", limits::SEATS_MAX);
    GameKind { make: Box::new(move |birth| make::<G>(&setup, birth)) }
}

fn make<G: Game>(setup: &Setup<G>, birth: Birth) -> (Box<dyn Ticked>, Arc<dyn MatchPort>) {
    let Birth { key, seed, snapshots_per_second, grace_ms, presence, contract, metrics } = birth;
    let cadence = Cadence::new(G::Data::TICKS_PER_SECOND, snapshots_per_second);
    let world = G::new(setup, seed);
    let count = G::Data::seats(setup);
    let ids = (0..count).filter_map(|at| u8::try_from(at).ok()).map(SeatId);
    let seats = Seats::new(ids.map(|seat| G::Data::team_of(setup, seat)), G::Data::TEAMS.len());
    let (publisher, board) = Publisher::new(count, cadence, |published| {
        write_views(&world, published);
        published.roster = seats.roster();
    });
    let port = Arc::new(Port::<G> {
        key,
        setup: setup.clone(),
        cadence,
        grace_ticks: u32::try_from(grace_ms * u64::from(G::Data::TICKS_PER_SECOND) / 1000).unwrap_or(u32::MAX / 2),
        presence,
        board,
        inbox: Mailbox::new(INBOX_COMMANDS_MAX),
        doors: (0..count).map(|_| Door::new()).collect(),
        releases: Releases::new(count),
        agent_seats: AgentSeats::new(count, &contract),
        relays: Relays::new(count),
        metrics,
    });
    (Box::new(Live::new(world, Arc::clone(&port), seats, publisher)), port)
}
