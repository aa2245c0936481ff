//! Which match plays which game: its key says so.

use contract::{MatchKey, games};

use super::kind::{GameKind, kind_at, kind_of};
use crate::config::{Config, GameConfig};

/// The games of a server.
#[derive(Debug)]
pub struct Games {
    /// Of keys that name no game.
    usual: GameKind,
    /// By id.
    named: Vec<(&'static str, GameKind)>,
}

impl Games {
    /// The configured games: the usual one, and all others for keys that name them.
    ///
    /// # Errors
    /// When there is no such game, or a setup has an unknown or illegal field.
    pub fn configured(config: &Config) -> anyhow::Result<Self> {
        let others = games::IDS.iter().filter(|id| **id != config.game.id);
        let named = others.map(|id| {
            let setup = config.games.get(*id).cloned().unwrap_or_default();
            let game = GameConfig { id: (*id).to_owned(), setup };
            Ok((*id, kind_at(&game, &format!("games.{id}"))?))
        });
        Ok(Self { usual: kind_of(&config.game)?, named: named.collect::<anyhow::Result<_>>()? })
    }

    /// The game that a match of this key plays. `skirmish` and `skirmish.anything` name a game; other keys do not, and
    /// play the usual one.
    pub(crate) fn of(&self, key: &MatchKey) -> &GameKind {
        let named =
            |id: &str| key.as_str().strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.named.iter().find(|(id, _)| named(id)).map_or(&self.usual, |(_, kind)| kind)
    }
}

impl From<GameKind> for Games {
    /// One game, whatever the key.
    fn from(usual: GameKind) -> Self {
        Self { usual, named: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_a_game_by_its_first_part() {
        let games = Games::configured(&Config::default()).expect("legal");
        let id = |key: &str| {
            let kind = games.of(&MatchKey::parse(key).expect("a key"));
            games.named.iter().find(|(_, named)| std::ptr::eq(named, kind)).map(|(id, _)| *id)
        };
        for key in ["skirmish", "skirmish.", "skirmish.den.2"] {
            assert_eq!(id(key), Some("skirmish"), "{key}");
        }
        for key in ["demo", "skirmishes", "Skirmish", "my.skirmish", "skirmish-2", "kickabout", "kickabout.1"] {
            assert_eq!(id(key), None, "{key}");
        }
    }

    #[test]
    fn setups_of_other_games_are_checked_at_the_start() {
        let games = |text: &str| Games::configured(&Config::parse(text).expect("legal so far"));
        assert!(games("[games.skirmish]\nseats = 64").is_ok());
        let error = games("[games.skirmish]\nseats = 65").expect_err("too many").to_string();
        assert!(error.contains("seats is 65"), "{error}");
        assert!(games("[game]\nid = \"skirmish\"\n[games.kickabout]\nteam_size = 1").is_ok());
    }
}
