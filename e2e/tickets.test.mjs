// A host that decides who gets in: its page around the App gives tickets, or does not.

import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, serve, startProxy, temporaryFolder, until, withGame } from "./harness.mjs";
import { hasSaid, listen, plays, state } from "./player.mjs";

const KEY = randomBytes(32);
const MATCH = "guests";
const STRANGER = "This match is for the guests of its host. Come in by their page.";

const settings = join(temporaryFolder(), "matchd.toml");
writeFileSync(settings, `[tickets]\nissue = false\nkeys = ["${KEY.toString("hex")}"]\n`);
const game = withGame({ args: ["--config", settings] });

/** What the host's backend makes for its guests. */
function ticket() {
  const said = Buffer.alloc(43);
  said.writeUInt8(1, 0);
  said.writeBigUInt64BE(BigInt(Date.now()), 1);
  said.writeUInt16BE(30_000, 9);
  randomBytes(16).copy(said, 11);
  createHash("sha256").update(MATCH).digest().copy(said, 27, 0, 16);
  return Buffer.concat([said, createHmac("sha256", KEY).update(said).digest()]).toString("hex");
}

/**
 * The host's page, with the App in a frame: that, and what it has wanted. `give` is what the host answers with; `undefined`
 * for no answer.
 */
async function openHost(app, give) {
  const wanted = [];
  const port = await serve((request, response) => {
    if (request.url === "/ticket") {
      wanted.push(MATCH);
      const answer = give();
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ answer }));
    }
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(`<!doctype html><title>Host</title>
      <iframe name="app" src="${new URL(`/?match=${MATCH}`, app)}" style="width: 800px; height: 500px"></iframe>
      <script>
        const frame = document.querySelector("iframe");
        addEventListener("message", async ({ source, data }) => {
          if (source !== frame.contentWindow || data?.type !== "matchd-ticket-wanted" || data.match !== "${MATCH}") return;
          const { answer } = await (await fetch("/ticket")).json();
          for (const message of answer) source.postMessage(message, "*");
        });
      </script>`);
  });
  const page = await openPage(game.browser, `http://localhost:${port}/`);
  return { page, app: page.frame({ name: "app" }), wanted };
}

const says = (app, text) => until(`the App says ${text}`, async () => (await app.textContent("#notice-text")) === text);

test("the App comes in by its host's tickets, a new one for each connection", async () => {
  const link = await startProxy(game.server.play);
  // What is not an answer to the question is left alone.
  const noise = [null, "matchd-ticket", { type: "matchd-ticket", match: "other", ticket: "00" }];
  const give = () => [...noise, { type: "matchd-ticket", match: MATCH, ticket: ticket() }];
  const { app, wanted } = await openHost(link.url, give);
  await until("the guest watches", async () => (await state(app)) === "watching");
  await app.click("#join");
  await plays(app);
  assert.equal(wanted.length, 1);
  await listen(app);
  await link.order("cut");
  await hasSaid(app, "Reconnecting…");
  await link.order("mend");
  await plays(app);
  assert.ok(wanted.length >= 2);
});

test("who gets no ticket, or none that is worth anything, reads why, and does not knock again", async () => {
  const refusals = [
    [() => [{ type: "matchd-ticket", match: MATCH, ticket: null }], STRANGER],
    [() => [], STRANGER],
    [() => [{ type: "matchd-ticket", match: MATCH, ticket: "no ticket" }], "The server did not let this page in."],
    [() => [{ type: "matchd-ticket", match: MATCH, ticket: "00".repeat(75) }], "The server did not let this page in."],
  ];
  for (const [give, notice] of refusals) {
    const { page, app, wanted } = await openHost(game.server.play, give);
    await says(app, notice);
    assert.equal(wanted.length, 1);
    await page.context().close();
  }
  const alone = await openPage(game.browser, `${game.server.play}/?match=${MATCH}`);
  await says(alone, STRANGER);
});
