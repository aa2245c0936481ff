//! The whole world in bytes: nearly all of it is in the view; what no view shows is added.

use bevy_ecs::world::World;
use contract::{
    GameData as _, WireView as _,
    games::skirmish::{self as data, Happening, Setup, View},
};
use rand_pcg::Pcg32;
use serde::{Deserialize, Serialize};

use super::{
    Skirmish,
    arena::{Cast, Chronicle},
    mechanics::Memory,
    view::{self, set},
};
use crate::{Game as _, LoadError, luck::Luck};

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
    let mut everything = View::default();
    view::write(world, &mut everything);
    let mut packed = Vec::new();
    everything.pack(&mut packed);
    let saved = Saved {
        setup: Setup { seats: u8::try_from(cast.count).unwrap_or(u8::MAX) },
        view: packed,
        happenings: world.resource::<Chronicle>().0.iter().copied().flatten().collect(),
        luck: world.resource::<Luck>().0.clone(),
        memories: cast.craft().iter().filter_map(|entity| world.get::<Memory>(*entity).copied()).collect(),
    };
    rmp_serde::encode::write(out, &saved).expect("plain data fits into a vector");
}

pub(super) fn load(bytes: &[u8]) -> Result<Skirmish, LoadError> {
    let saved: Saved = rmp_serde::from_slice(bytes)?;
    if data::Skirmish::check_setup(&saved.setup).is_err() {
        return Err(LoadError::OutOfRange("setup"));
    }
    let mut everything = View::from_bytes(&saved.view).map_err(|_| LoadError::OutOfRange("view"))?;
    let seats = data::Skirmish::seats(&saved.setup);
    if everything.craft.len() != seats || saved.memories.len() != seats {
        return Err(LoadError::OutOfRange("craft"));
    }
    if saved.happenings.len() > everything.happenings.len() {
        return Err(LoadError::OutOfRange("happenings"));
    }
    everything.happenings.fill(None);
    for (slot, happening) in everything.happenings.iter_mut().zip(saved.happenings) {
        *slot = Some(happening);
    }
    let mut game = Skirmish::new(&saved.setup, 0);
    game.restore(&everything);
    game.world.resource_mut::<Luck>().0 = saved.luck;
    let cast = *game.world.resource::<Cast>();
    for (entity, memory) in cast.craft().iter().zip(saved.memories) {
        set(&mut game.world, *entity, memory);
    }
    Ok(game)
}
