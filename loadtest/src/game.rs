//! The game that a server of our own plays, in matches with room for so many.

use anyhow::{Context as _, bail};
use contract::{GameData, games};

/// By game: what of its setup says how large a match is, and the seats that each one of it is.
const SIZES: &[(&str, &str, usize)] = &[("kickabout", "team_size", 2), ("skirmish", "seats", 1)];

/// A server's settings for the smallest matches of a game with so many seats.
///
/// # Errors
/// When there is no such game, or none of its matches is that large.
pub(crate) fn with_room_for(game: &str, people: usize) -> anyhow::Result<toml::Table> {
    let (_, field, seats_each) =
        SIZES.iter().find(|(id, ..)| *id == game).with_context(|| format!("how large is a match of {game}?"))?;
    let size = i64::try_from(people.div_ceil(*seats_each))?;
    let setup = toml::Table::from_iter([((*field).to_owned(), toml::Value::Integer(size))]);
    if let Err(error) = seats(game, &setup) {
        bail!("no match of {game} has {people} seats: {error:#}");
    }
    Ok(settings(game, setup))
}

/// A server's settings for a game with this setup.
pub(crate) fn settings(game: &str, setup: toml::Table) -> toml::Table {
    let game = toml::Table::from_iter([
        ("id".to_owned(), toml::Value::String(game.to_owned())),
        ("setup".to_owned(), toml::Value::Table(setup)),
    ]);
    toml::Table::from_iter([("game".to_owned(), toml::Value::Table(game))])
}

/// How many ticks a game has in a second.
pub(crate) fn ticks_per_second(game: &str) -> anyhow::Result<u16> {
    struct Pace;
    impl games::Visitor for Pace {
        type Output = u16;
        fn visit<G: GameData>(self) -> u16 {
            G::TICKS_PER_SECOND
        }
    }
    games::visit(game, Pace).with_context(|| format!("there is no game {game}"))
}

/// How many seats a match with this setup has.
fn seats(game: &str, setup: &toml::Table) -> anyhow::Result<usize> {
    struct Seats<'a>(&'a toml::Table);
    impl games::Visitor for Seats<'_> {
        type Output = anyhow::Result<usize>;
        fn visit<G: GameData>(self) -> Self::Output {
            let setup: G::Setup = self.0.clone().try_into()?;
            G::check_setup(&setup).map_err(anyhow::Error::msg)?;
            Ok(G::seats(&setup))
        }
    }
    games::visit(game, Seats(setup)).with_context(|| format!("there is no game {game}"))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_matches_with_room_for_those_who_come() {
        for game in games::IDS {
            for people in 2..=12 {
                let settings = with_room_for(game, people).expect("legal");
                let setup = settings["game"]["setup"].as_table().expect("a table");
                let seats = seats(game, setup).expect("legal");
                assert!((people..=people + 1).contains(&seats), "{game}: {seats} seats for {people}");
                assert_eq!(settings["game"]["id"].as_str(), Some(*game));
            }
            let error = with_room_for(game, 100).expect_err("too many").to_string();
            assert!(error.contains(game) && error.contains("100 seats") && error.contains("legal are"), "{error}");
        }
    }
}
