//! `replay SEEDS TICKS` prints one line for each game and seed: the checksums of that match.

use anyhow::{Context, Result};

fn main() -> Result<()> {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u32>().ok());
    let mut number = || numbers.next().flatten().context("usage: replay SEEDS TICKS");
    let (seeds, ticks) = (number()?, number()?);
    for game in replay::games() {
        for seed in 0..seeds {
            let checksums = replay::replay(&game, seed, ticks);
            let shown: Vec<String> = checksums.iter().map(|checksum| format!("{checksum:016x}")).collect();
            println!("{game} {seed}: {}", shown.join(" "));
        }
    }
    Ok(())
}
