// What prediction costs in a real browser, in the App as it ships: `cargo xtask bench rollback`.
//
// A page plays in a match of twelve over a link with so much delay that it predicts twenty ticks or more. Each message
// that shows a misprediction makes it restore a world and run those ticks again, all of it before the message is done
// with; so the time such a message takes is the time a rollback takes, with reading the message on top. A frame's work is
// that of the messages since the last one and of the frame itself, drawing included.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { openBrowser, openPage, root, startMatchd, startProxy } from "./harness.mjs";
import { figures, join, runsAbout } from "./player.mjs";

/** Seconds that are measured on each link. */
const SECONDS = Number(process.argv[2] ?? 30);

const LINKS = [
  { name: "150±30 ms", faults: "delay=75,jitter=15" },
  { name: "300 ms", faults: "delay=150" },
];

/** Notes how long messages take that make the page roll back. Runs in the page, before anything else. */
function watchRollbacks() {
  const rollbacks = { on: false, tookMs: [], ticks: [] };
  const known = () => window.matchd?.figures() ?? { mispredicted: 0, lead_ticks: 0 };
  const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
  Object.defineProperty(WebSocket.prototype, "onmessage", {
    set(handler) {
      set.call(this, handler && ((event) => {
        const before = known();
        const start = performance.now();
        handler.call(this, event);
        const tookMs = performance.now() - start;
        if (rollbacks.on && known().mispredicted > before.mispredicted) {
          rollbacks.tookMs.push(tookMs);
          rollbacks.ticks.push(before.lead_ticks);
        }
      }));
    },
  });
  window.rollbacks = rollbacks;
}

/**
 * The work of each frame in a trace, in ms: how long the page's thread was busy with it, and how long it took with what
 * else the machine did meanwhile.
 */
function framesOf(trace) {
  const isFrame = (event) => event.name === "FireAnimationFrame";
  const { pid, tid } = trace.find(isFrame);
  // Calls within a frame are a part of it; those before it came with messages.
  const calls = trace.filter((event) => event.ph === "X" && event.pid === pid && event.tid === tid
    && (isFrame(event) || event.name === "FunctionCall")).sort((one, other) => one.ts - other.ts);
  const frames = { busy: [], took: [] };
  let [busy, took, end] = [0, 0, 0];
  for (const event of calls) {
    if (event.ts < end) continue;
    busy += event.tdur ?? 0;
    took += event.dur;
    if (!isFrame(event)) continue;
    frames.busy.push(busy / 1000);
    frames.took.push(took / 1000);
    [busy, took, end] = [0, 0, event.ts + event.dur];
  }
  return frames;
}

const quantile = (values, at) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * at)];
const ms = (values, at) => quantile(values, at).toFixed(2);

async function measure(browser, server, { name, faults }) {
  const link = await startProxy(server.play, { faults });
  try {
    const page = await openPage(browser, "about:blank", { permissions: ["local-network-access"] });
    await page.addInitScript(watchRollbacks);
    // A page that is isolated from other sites has a clock of microseconds.
    await page.route(link.url, async (route) => {
      const response = await route.fetch();
      const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
      await route.fulfill({ response, headers: { ...response.headers(), ...isolated } });
    });
    await page.goto(link.url);
    await join(page, `From ${name}`);
    await runsAbout(page, 5);
    await page.evaluate(() => { window.rollbacks.on = true; });
    await browser.startTracing(page, { categories: ["devtools.timeline"] });
    await runsAbout(page, SECONDS);
    const frames = framesOf(JSON.parse((await browser.stopTracing()).toString()).traceEvents);
    const { tookMs, ticks } = await page.evaluate(() => window.rollbacks);
    const { wrong } = await figures(page);
    await page.context().close();
    if (wrong > 0) throw new Error(`${wrong} ticks were predicted wrongly`);
    const row = [name, tookMs.length, quantile(ticks, 0.5).toFixed(0), ms(tookMs, 0.5), ms(tookMs, 0.95)];
    row.push(frames.busy.length, ms(frames.busy, 0.5), ms(frames.busy, 0.95), ms(frames.took, 0.5), ms(frames.took, 0.95));
    console.log(`| ${row.join(" | ")} |`);
  } finally {
    await link.stop();
  }
}

const folder = mkdtempSync(path(tmpdir(), "matchd-rollback-"));
const config = path(folder, "matchd.toml");
writeFileSync(config, "[game.setup]\nteam_size = 6\n");
const server = await startMatchd({ args: ["--config", config], env: { RUST_LOG: "warn" } });
const browser = await openBrowser();
try {
  const wasm = path(root, "target", "web", "client_wasm_bg.wasm");
  const small = brotliCompressSync(readFileSync(wasm)).length;
  console.log(`client_wasm_bg.wasm: ${(statSync(wasm).size / 1000).toFixed(0)} KB, ${(small / 1000).toFixed(0)} KB in brotli\n`);
  console.log(`Chromium ${browser.version()}, 12 seats, ${SECONDS} s on each link, times in ms\n`);
  console.log("| round trip | rollbacks | ticks | p50 | p95 | frames | busy p50 | busy p95 | took p50 | took p95 |");
  console.log("|---|---|---|---|---|---|---|---|---|---|");
  for (const link of LINKS) await measure(browser, server, link);
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
}
