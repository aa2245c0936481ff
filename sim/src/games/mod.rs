//! The games. One module each and a line in [`visit`].

use contract::GameData as _;

use crate::Game;

pub mod kickabout;
pub mod skirmish;

/// Something to do with a game that is known by its id only.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<G: Game>(self) -> Self::Output;
}

/// Does something with the game of this id; `None` when there is no such game.
pub fn visit<V: Visitor>(id: &str, visitor: V) -> Option<V::Output> {
    match id {
        contract::games::kickabout::Kickabout::ID => Some(visitor.visit::<kickabout::Kickabout>()),
        contract::games::skirmish::Skirmish::ID => Some(visitor.visit::<skirmish::Skirmish>()),
        _ => None,
    }
}
