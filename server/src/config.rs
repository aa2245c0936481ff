//! What an operator tunes: a TOML file in which every field is optional.

use std::{
    collections::BTreeMap,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::tickets::TicketKey;

/// Environment variable with ticket keys, so that they need be in no file.
pub const TICKET_KEYS_VARIABLE: &str = "MATCHD_TICKET_KEYS";

/// Settings of a server. [`Config::load`] checks them; `Config::default()` is legal.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Which game is played where a match's key names none.
    pub game: GameConfig,
    /// Setups of the other games, by id: `skirmish` and every key that begins with `skirmish.` play Skirmish.
    pub games: BTreeMap<String, toml::Table>,
    /// Matches and the threads that tick them.
    pub matches: MatchesConfig,
    /// The sync path, where pages connect.
    pub play: PlayConfig,
    /// Who may connect.
    pub tickets: TicketsConfig,
    /// The contract path, where Agents call.
    pub contract: ContractConfig,
    /// Health and metrics.
    pub ops: OpsConfig,
}

/// Which game is played.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameConfig {
    /// Id of the game, one of [`contract::games::IDS`].
    pub id: String,
    /// The game's own setup; what it leaves out has the game's default.
    pub setup: toml::Table,
}

impl Default for GameConfig {
    fn default() -> Self {
        Self { id: contract::games::IDS[0].to_owned(), setup: toml::Table::new() }
    }
}

/// Matches and the threads that tick them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MatchesConfig {
    /// Threads that tick matches, 0 to 256. 0 takes one fewer than there are cores, and at least one.
    pub workers: usize,
    /// Whether those threads run the moment a tick is due, before everything else on their cores, if the system permits it: on
    /// Linux, real-time scheduling.
    pub realtime: bool,
    /// Most matches at a time, 1 to 100000. The demo match counts too.
    pub count_max: usize,
    /// Whether a key nobody has used yet makes a match. If not, there is only the demo match.
    pub open: bool,
    /// A match is ticked until nobody has watched, played or called for this long, 100 to 3600000.
    pub sleep_after_ms: u64,
    /// A match other than the demo ends when nobody was there for this long, 1000 to 604800000, and never before it
    /// sleeps.
    pub end_after_ms: u64,
    /// A person who lost touch has this long to come back before a bot takes the seat, 0 to 3600000.
    pub grace_ms: u64,
    /// Snapshots sent in a second of a match, 1 to 240, spread evenly over its ticks. More than a game has ticks are one on
    /// each.
    pub snapshots_per_second: u16,
    /// Seed of the first match, for matches that must repeat; later ones count up from it. Without one, seeds are drawn.
    pub seed: Option<u64>,
}

impl Default for MatchesConfig {
    fn default() -> Self {
        Self {
            workers: 0,
            realtime: true,
            count_max: 1000,
            open: true,
            sleep_after_ms: 30_000,
            end_after_ms: 600_000,
            grace_ms: 30_000,
            snapshots_per_second: 30,
            seed: None,
        }
    }
}

/// The sync path.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlayConfig {
    /// Threads of its runtime, 0 to 256. 0 takes one per core.
    pub threads: usize,
    /// Each of these threads is woken once in so many microseconds at most, 0 to 10000, and finds all that came meanwhile.
    /// So it may take that long until an input is read or a snapshot sent, while there is much to do. 0 is at once.
    pub moderation_us: u64,
    /// Most connections at a time, 1 to 1000000. Further ones are closed at once.
    pub connections_max: usize,
    /// A request's head must arrive within this, 100 to 60000.
    pub head_timeout_ms: u64,
    /// The first message must arrive within this, 100 to 60000.
    pub hello_timeout_ms: u64,
    /// A page's browser must answer a ping within this, 500 to 60000, or the page has stopped reading. It is pinged
    /// twice in that time.
    pub pong_timeout_ms: u64,
    /// A message must leave within this, 100 to 60000, or the reader is too slow.
    pub write_timeout_ms: u64,
    /// Messages a socket may send per tick in the long run, 2 to 100. A page sends a little more than one.
    pub messages_per_tick_max: u32,
}

impl Default for PlayConfig {
    fn default() -> Self {
        Self {
            threads: 0,
            moderation_us: 1000,
            connections_max: 4096,
            head_timeout_ms: 5000,
            hello_timeout_ms: 5000,
            pong_timeout_ms: 6000,
            write_timeout_ms: 6000,
            messages_per_tick_max: 3,
        }
    }
}

/// Who may connect.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TicketsConfig {
    /// Whether anybody gets a ticket who asks. If not, a host's own backend makes them, and `keys` must be given.
    pub issue: bool,
    /// What tickets are signed with: the key in use, and at most one more that is accepted while it is being replaced.
    /// 64 hexadecimal digits each. Without one, a key is drawn that dies with the process.
    pub keys: Vec<TicketKey>,
    /// A file with the keys, in place of `keys`.
    pub keys_file: Option<PathBuf>,
    /// Tickets issued per second to everybody together, 1 to 2000.
    pub per_second: u32,
    /// Tickets issued per second to one address, 1 to 2000. Many people may share one.
    pub per_second_per_address: u32,
}

impl Default for TicketsConfig {
    fn default() -> Self {
        Self {
            issue: true,
            keys: Vec::new(),
            keys_file: None,
            per_second: Self::PER_SECOND_MAX,
            per_second_per_address: 500,
        }
    }
}

/// Shortest secret of a host, in bytes.
const SIGNATURE_SECRET_BYTES_MIN: usize = 32;

/// The contract path.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContractConfig {
    /// Where pages reach it, such as `https://agents.example.org/contract`: at most 200 characters out of
    /// A-Z a-z 0-9 . : / _ [ ] -. Without one, pages use the host they came from, this listener's port and `/contract`.
    pub public_url: Option<String>,
    /// Threads of its runtime, 1 to 64.
    pub threads: usize,
    /// Most connections at a time, 1 to 100000. Further ones are closed at once.
    pub connections_max: usize,
    /// A request's head must arrive within this, 100 to 300000, counted from the end of the one before: so it is also how
    /// long an unused connection stays open.
    pub head_timeout_ms: u64,
    /// A request's body must arrive within this, 100 to 60000.
    pub body_timeout_ms: u64,
    /// An act is answered within this, 100 to 10000, or with `busy`.
    pub answer_timeout_ms: u64,
    /// An Agent that has not called for this long loses its seat to a bot, 1000 to 86400000.
    pub seat_idle_ms: u64,
    /// Whether calls are taken that neither come through a page of the match nor are signed.
    pub allow_direct: bool,
    /// Secrets of hosts that sign their calls, each of at least 32 characters; any of them is good. None: no signed calls.
    pub signature_secrets: Vec<String>,
    /// Calls per second of everybody together, 1 to 1000000.
    pub calls_per_second: u32,
    /// Calls per second from one address, 1 to 1000000. A relay carries the calls of many Agents.
    pub calls_per_second_per_address: u32,
    /// Calls per second for one seat, 1 to 1000.
    pub calls_per_second_per_seat: u32,
    /// Calls in flight from one address about one match, 1 to 1000. As many as a Room's broker lets through.
    pub calls_in_flight: u32,
}

impl Default for ContractConfig {
    fn default() -> Self {
        Self {
            public_url: None,
            threads: 1,
            connections_max: 1024,
            head_timeout_ms: 15_000,
            body_timeout_ms: 5000,
            answer_timeout_ms: 2000,
            seat_idle_ms: 120_000,
            allow_direct: true,
            signature_secrets: Vec::new(),
            calls_per_second: 2000,
            calls_per_second_per_address: 500,
            calls_per_second_per_seat: 10,
            calls_in_flight: 4,
        }
    }
}

/// Health and metrics.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpsConfig {
    /// A worker that has not moved for this long makes the server unhealthy, 2000 to 60000. Idle workers move once a
    /// second.
    pub worker_stall_ms: u64,
}

impl Default for OpsConfig {
    fn default() -> Self {
        Self { worker_stall_ms: 5000 }
    }
}

impl Config {
    /// Reads and checks a file, if there is one, and the ticket keys kept elsewhere: in the file that
    /// `tickets.keys_file` names, or in the environment as [`TICKET_KEYS_VARIABLE`], which counts more.
    ///
    /// # Errors
    /// When a file cannot be read, or a field is unknown, of the wrong kind or out of range; the message names it.
    pub fn load(path: Option<&Path>) -> anyhow::Result<Self> {
        let read =
            |path: &Path| std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
        let mut config: Self = match path {
            Some(path) => toml::from_str(&read(path)?).with_context(|| format!("in {}", path.display()))?,
            None => Self::default(),
        };
        if let Some(file) = &config.tickets.keys_file {
            config.tickets.keys = keys_in(&read(file)?).with_context(|| format!("in {}", file.display()))?;
        }
        if let Ok(keys) = std::env::var(TICKET_KEYS_VARIABLE) {
            config.tickets.keys = keys_in(&keys).with_context(|| format!("in {TICKET_KEYS_VARIABLE}"))?;
        }
        config.check()?;
        Ok(config)
    }

    /// Reads and checks a text.
    ///
    /// # Errors
    /// When a field is unknown, of the wrong kind or out of range; the message names it.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let config: Self = toml::from_str(text)?;
        config.check()?;
        Ok(config)
    }

    /// Checks every range. The game's setup is checked by its game when the server starts.
    ///
    /// # Errors
    /// When a field is out of range; the message names it and the legal values.
    pub fn check(&self) -> anyhow::Result<()> {
        let Self { game, games, matches, play, tickets, contract, ops } = self;
        if !contract::games::IDS.contains(&game.id.as_str()) {
            bail!("game.id is {:?}, legal are: {}", game.id, contract::games::IDS.join(", "));
        }
        let others: Vec<_> = contract::games::IDS.iter().copied().filter(|id| *id != game.id).collect();
        if let Some(id) = games.keys().find(|id| !others.contains(&id.as_str())) {
            bail!("games has {id:?}, legal are: {}; the setup of {} is game.setup", others.join(", "), game.id);
        }
        within("matches.workers", matches.workers, 0..=256)?;
        within("matches.count_max", matches.count_max, 1..=100_000)?;
        within("matches.sleep_after_ms", matches.sleep_after_ms, 100..=3_600_000)?;
        within("matches.end_after_ms", matches.end_after_ms, 1000..=604_800_000)?;
        within("matches.end_after_ms", matches.end_after_ms, matches.sleep_after_ms..=604_800_000)?;
        within("matches.grace_ms", matches.grace_ms, 0..=3_600_000)?;
        within("matches.snapshots_per_second", matches.snapshots_per_second, 1..=240)?;
        within("play.threads", play.threads, 0..=256)?;
        within("play.moderation_us", play.moderation_us, 0..=10_000)?;
        within("play.connections_max", play.connections_max, 1..=1_000_000)?;
        within("play.head_timeout_ms", play.head_timeout_ms, 100..=60_000)?;
        within("play.hello_timeout_ms", play.hello_timeout_ms, 100..=60_000)?;
        within("play.pong_timeout_ms", play.pong_timeout_ms, 500..=60_000)?;
        within("play.write_timeout_ms", play.write_timeout_ms, 100..=60_000)?;
        within("play.messages_per_tick_max", play.messages_per_tick_max, 2..=100)?;
        tickets.check()?;
        if contract.public_url.as_deref().is_some_and(|url| !is_plain_url(url)) {
            bail!("contract.public_url is not an http or https URL of at most 200 plain characters");
        }
        within("contract.threads", contract.threads, 1..=64)?;
        within("contract.connections_max", contract.connections_max, 1..=100_000)?;
        within("contract.head_timeout_ms", contract.head_timeout_ms, 100..=300_000)?;
        within("contract.body_timeout_ms", contract.body_timeout_ms, 100..=60_000)?;
        within("contract.answer_timeout_ms", contract.answer_timeout_ms, 100..=10_000)?;
        within("contract.seat_idle_ms", contract.seat_idle_ms, 1000..=86_400_000)?;
        if contract.signature_secrets.iter().any(|secret| secret.len() < SIGNATURE_SECRET_BYTES_MIN) {
            bail!(
                "contract.signature_secrets has one that is too short, legal are {SIGNATURE_SECRET_BYTES_MIN} bytes or more"
            );
        }
        within("contract.calls_per_second", contract.calls_per_second, 1..=1_000_000)?;
        within("contract.calls_per_second_per_address", contract.calls_per_second_per_address, 1..=1_000_000)?;
        within("contract.calls_per_second_per_seat", contract.calls_per_second_per_seat, 1..=1000)?;
        within("contract.calls_in_flight", contract.calls_in_flight, 1..=1000)?;
        within("ops.worker_stall_ms", ops.worker_stall_ms, 2000..=60_000)
    }
}

impl MatchesConfig {
    /// How many worker threads to start.
    pub(crate) fn worker_threads(&self) -> usize {
        if self.workers > 0 { self.workers } else { cores().saturating_sub(1).max(1) }
    }
}

impl TicketsConfig {
    /// All that are issued can be remembered while they are good.
    pub(crate) const PER_SECOND_MAX: u32 = 2000;

    /// Most keys: the one in use and the one it replaces.
    const KEYS_MAX: usize = 2;

    fn check(&self) -> anyhow::Result<()> {
        within("tickets.per_second", self.per_second, 1..=Self::PER_SECOND_MAX)?;
        within("tickets.per_second_per_address", self.per_second_per_address, 1..=Self::PER_SECOND_MAX)?;
        if self.keys.len() > Self::KEYS_MAX {
            bail!("tickets.keys has {} keys, legal are at most {}", self.keys.len(), Self::KEYS_MAX);
        }
        if !self.issue && self.keys.is_empty() {
            bail!("tickets.keys is empty, which is legal only while tickets.issue is true");
        }
        Ok(())
    }
}

impl PlayConfig {
    /// How many threads its runtime has.
    pub(crate) fn runtime_threads(&self) -> usize {
        if self.threads > 0 { self.threads } else { cores() }
    }

    /// [`PlayConfig::pong_timeout_ms`].
    pub(crate) const fn pong_timeout(&self) -> Duration {
        Duration::from_millis(self.pong_timeout_ms)
    }

    /// [`PlayConfig::write_timeout_ms`].
    pub(crate) const fn write_timeout(&self) -> Duration {
        Duration::from_millis(self.write_timeout_ms)
    }
}

/// Keys with blanks, commas or line ends between them.
fn keys_in(text: &str) -> anyhow::Result<Vec<TicketKey>> {
    let words = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    Ok(words.map(TicketKey::parse).collect::<Result<_, _>>()?)
}

/// Whether a text is a URL that may stand in a header as it is.
fn is_plain_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_plain = |c: u8| c.is_ascii_alphanumeric() || b".:/_[]-".contains(&c);
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && rest.bytes().all(is_plain))
        && url.len() <= 200
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn within<T: PartialOrd + std::fmt::Display>(field: &str, value: T, legal: RangeInclusive<T>) -> anyhow::Result<()> {
    if !legal.contains(&value) {
        bail!("{field} is {value}, legal are {} to {}", legal.start(), legal.end());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_legal() {
        Config::default().check().expect("legal");
        Config::parse("").expect("legal");
    }

    #[test]
    fn ticket_keys_may_be_kept_in_a_file_of_their_own() {
        let folder = std::env::temp_dir();
        let name = |what: &str| folder.join(format!("matchd-{what}-{}", std::process::id()));
        let (keys, settings) = (name("keys"), name("settings"));
        std::fs::write(&keys, format!("{}\n{}\n", "0a".repeat(32), "0b".repeat(32))).expect("writable");
        std::fs::write(&settings, format!("[tickets]\nissue = false\nkeys_file = {keys:?}")).expect("writable");
        let config = Config::load(Some(&settings)).expect("legal");
        assert_eq!(config.tickets.keys, ["0a", "0b"].map(|byte| TicketKey::parse(&byte.repeat(32)).expect("a key")));
        std::fs::write(&keys, "secret").expect("writable");
        let error = format!("{:#}", Config::load(Some(&settings)).expect_err("no key"));
        assert!(error.contains("64 hexadecimal digits") && !error.contains("secret\""), "{error}");
        for file in [keys, settings] {
            std::fs::remove_file(file).expect("there");
        }
    }

    #[test]
    fn errors_name_the_field_and_the_legal_values() {
        for (text, words) in [
            ("[matches]\ncount_max = 0", &["matches.count_max is 0", "1 to 100000"][..]),
            ("[matches]\nend_after_ms = 2000", &["matches.end_after_ms is 2000", "30000 to"]),
            ("[matches]\ncount = 3", &["unknown field `count`", "count_max"]),
            ("[play]\nmoderation_us = 10001", &["play.moderation_us is 10001", "0 to 10000"]),
            ("[play]\nthreads = \"many\"", &["threads", "invalid type"]),
            ("[tickets]\nissue = false", &["tickets.keys is empty", "tickets.issue"]),
            ("[tickets]\nkeys = [\"abc\"]", &["keys", "64 hexadecimal digits"]),
            ("[tickets]\nper_second = 0", &["tickets.per_second is 0", "1 to 2000"]),
            ("[contract]\npublic_url = \"https://a; b\"", &["contract.public_url", "plain"]),
            ("[contract]\npublic_url = \"/contract\"", &["contract.public_url", "http or https"]),
            ("[games.chess]", &["games has \"chess\"", "skirmish"]),
            ("[games.kickabout]", &["games has \"kickabout\"", "game.setup"]),
            ("[game]\nid = \"chess\"", &["game.id is \"chess\"", contract::games::IDS[0]]),
        ] {
            let error = format!("{:#}", Config::parse(text).expect_err(text));
            for word in words {
                assert!(error.contains(word), "{text}: {error}");
            }
        }
    }
}
