//! The whole world in bytes.
//!
//! The world lives on the wire's grid, so a spectator's view is nearly all of it; what no view shows is added.

use bevy_ecs::world::World;
use contract::{
    Audience, GameData, WireView,
    games::kickabout::{self as data, Happening, Setup, View},
};
use rand_pcg::Pcg32;
use serde::{Deserialize, Serialize};

use super::{
    Kickabout,
    mechanics::{Luck, Memory},
    stage::{Cast, Chronicle, Stage},
    view::{self, set},
};
use crate::{Game, LoadError};

#[derive(Serialize, Deserialize)]
struct Saved {
    setup: Setup,
    #[serde(with = "serde_bytes")]
    view: Vec<u8>,
    /// All of them; the packed view has only the newest.
    happenings: Vec<Happening>,
    luck: Pcg32,
    memories: Vec<Memory>,
}

pub(super) fn save(world: &World, out: &mut Vec<u8>) {
    let cast = world.resource::<Cast>();
    let stage = world.resource::<Stage>();
    let mut everything = View::default();
    view::write(world, Audience(2), &mut everything);
    let mut packed = Vec::new();
    everything.pack(&mut packed);
    let seconds = u16::try_from(stage.duration_ticks / 60).unwrap_or(u16::MAX);
    let saved = Saved {
        setup: Setup { team_size: cast.team_size, duration_s: seconds },
        view: packed,
        happenings: world.resource::<Chronicle>().0.iter().copied().flatten().collect(),
        luck: world.resource::<Luck>().0.clone(),
        memories: cast.players().iter().filter_map(|entity| world.get::<Memory>(*entity).copied()).collect(),
    };
    rmp_serde::encode::write(out, &saved).expect("plain data fits into a vector");
}

pub(super) fn load(bytes: &[u8]) -> Result<Kickabout, LoadError> {
    let saved: Saved = rmp_serde::from_slice(bytes)?;
    if data::Kickabout::check_setup(&saved.setup).is_err() {
        return Err(LoadError::OutOfRange("setup"));
    }
    let mut everything = View::from_bytes(&saved.view).map_err(|_| LoadError::OutOfRange("view"))?;
    let seats = data::Kickabout::seats(&saved.setup);
    if everything.player_count != seats || saved.memories.len() != seats {
        return Err(LoadError::OutOfRange("players"));
    }
    if saved.happenings.len() > everything.happenings.len() {
        return Err(LoadError::OutOfRange("happenings"));
    }
    everything.happenings.fill(None);
    for (slot, happening) in everything.happenings.iter_mut().zip(saved.happenings) {
        *slot = Some(happening);
    }
    let mut game = Kickabout::new(&saved.setup, 0);
    game.restore(&everything);
    game.world.resource_mut::<Luck>().0 = saved.luck;
    let cast = *game.world.resource::<Cast>();
    for (entity, memory) in cast.players().iter().zip(saved.memories) {
        set(&mut game.world, *entity, memory);
    }
    Ok(game)
}
