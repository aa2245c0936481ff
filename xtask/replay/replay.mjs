// The same as `src/main.rs`, with the compiled wasm: node replay.mjs FOLDER SEEDS TICKS, where FOLDER holds what wasm-bindgen wrote.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, seeds, ticks] = process.argv.slice(2);
const { initSync, games, replay } = await import(pathToFileURL(resolve(folder, "replay.js")));
initSync({ module: readFileSync(resolve(folder, "replay_bg.wasm")) });

for (const game of games()) {
  for (let seed = 0; seed < Number(seeds); seed++) {
    const checksums = Array.from(replay(game, seed, Number(ticks)), (sum) => sum.toString(16).padStart(16, "0"));
    console.log(`${game} ${seed}: ${checksums.join(" ")}`);
  }
}
