//! A game that does what it is told, failing included.

use std::{thread, time::Duration};

use contract::{
    Audience, BitReader, BitWriter, DecodeError, GameData, SeatId, TeamId, Tick, WireInput, WireView,
    agent::{Fault, Fields, Glance},
    games::{WireFact, WireOrder},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim::{Game, LoadError, SeatOrder};

/// The input that makes the step panic.
pub(crate) const PANIC: u8 = 13;

/// The input that makes a step take this long, once.
pub(crate) const DAWDLE: u8 = 14;
pub(crate) const DAWDLE_TIME: Duration = Duration::from_millis(2600);

pub(crate) struct Puppet(View);

pub(crate) struct PuppetData;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Input(pub(crate) u8);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Order;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Fact;

/// The last input of each seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct View {
    pub(crate) tick: Tick,
    pub(crate) inputs: [u8; 2],
}

impl GameData for PuppetData {
    const ID: &'static str = "puppet";
    // Slow, so that a busy machine skips no tick.
    const TICKS_PER_SECOND: u16 = 5;
    const TEAMS: &'static [&'static str] = &["left", "right"];
    const AUDIENCES: usize = 1;
    const IS_OPEN: bool = true;
    type Setup = ();
    type Input = Input;
    type Order = Order;
    type Fact = Fact;
    type View = View;
    type Observation = Tick;

    fn check_setup((): &()) -> Result<(), String> {
        Ok(())
    }

    fn seats((): &()) -> usize {
        2
    }

    fn team_of((): &(), seat: SeatId) -> TeamId {
        TeamId(seat.0)
    }

    fn audience_of((): &(), _: Option<SeatId>) -> Audience {
        Audience(0)
    }

    fn describe() -> serde_json::Value {
        serde_json::Value::Null
    }
}

impl WireInput for Input {
    fn write(self, bits: &mut BitWriter<'_>) {
        bits.unsigned(u32::from(self.0), 8);
    }

    fn read(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        bits.unsigned(8).map(|byte| Self(byte.to_le_bytes()[0]))
    }

    fn sample(noise: u32) -> Self {
        Self(noise.to_le_bytes()[0])
    }
}

impl WireOrder for Order {
    fn read(_: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn from_id(_: &str) -> Option<Self> {
        Some(Self)
    }

    fn holds(&self) -> bool {
        false
    }
}

impl WireFact for Fact {
    fn read(_: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(Self)
    }

    fn word(&self) -> &'static str {
        "fact"
    }
}

impl WireView for View {
    type Input = Input;

    fn tick(&self) -> Tick {
        self.tick
    }

    fn pack_public(&self, bits: &mut BitWriter<'_>) {
        bits.unsigned(self.tick.0, 32);
        for input in self.inputs {
            bits.unsigned(u32::from(input), 8);
        }
    }

    fn pack_private(&self, _: &mut BitWriter<'_>) {}

    fn unpack_private(&mut self, _: &mut BitReader<'_>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn same_private(&self, _: &Self) -> bool {
        true
    }

    fn keep_private(&mut self, _: &Self) {}

    fn pack_show(&self, _: &mut BitWriter<'_>) {}

    fn unpack_show(&mut self, _: &mut BitReader<'_>) -> Result<(), DecodeError> {
        Ok(())
    }

    fn seats(&self) -> usize {
        self.inputs.len()
    }

    fn input(&self, seat: SeatId) -> Input {
        Input(self.inputs[seat.index()])
    }

    fn unpack_public(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let tick = Tick(bits.unsigned(32)?);
        let mut byte = || bits.unsigned(8).map(|byte| byte.to_le_bytes()[0]);
        Ok(Self { tick, inputs: [byte()?, byte()?] })
    }
}

impl Game for Puppet {
    type Data = PuppetData;

    fn new((): &(), _: u64) -> Self {
        Self(View::default())
    }

    fn step(&mut self, inputs: &[Option<Input>], _: &[SeatOrder<Order>]) {
        self.0.tick = self.0.tick.next();
        for (kept, input) in self.0.inputs.iter_mut().zip(inputs) {
            let input = input.unwrap_or_default().0;
            if input == DAWDLE && *kept != DAWDLE {
                thread::sleep(DAWDLE_TIME);
            }
            *kept = input;
            assert_ne!(*kept, PANIC, "told to fail");
        }
    }

    fn view(&self, _: Audience, into: &mut View) {
        into.clone_from(&self.0);
    }

    fn restore(&mut self, view: &View) {
        self.0.clone_from(view);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn load(bytes: &[u8]) -> Result<Self, LoadError> {
        View::from_bytes(bytes).map(Self).map_err(|_| LoadError::OutOfRange("view"))
    }

    fn tick(&self) -> Tick {
        self.0.tick
    }

    fn observe((): &(), view: &View, _: &Glance<'_>) -> Tick {
        view.tick
    }

    fn holds((): &(), _: &View, _: Option<SeatId>, _: &Fact) -> bool {
        true
    }

    fn check_order((): &(), _: &View, _: SeatId, _: &Order) -> Result<(), Fault> {
        Ok(())
    }
}
