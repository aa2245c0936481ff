// Skirmish in a Room whose server plays it as its usual game, in windows of all sizes: what is shown fits, and is in nobody's way.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { picture, startDevroom, temporaryFolder, until, withGame } from "./harness.mjs";
import { misplaced } from "./layout.mjs";
import { plays, watches } from "./player.mjs";
import { enterRoom, joinAsAgent, openApp } from "./room.mjs";

const settings = join(temporaryFolder(), "matchd.toml");
writeFileSync(settings, '[game]\nid = "skirmish"\n');
const game = withGame({ args: ["--config", settings] });

// At a scale of 1: with another one, emulated taps miss what they are meant for in frames of another origin.
const touch = { hasTouch: true };

test("people and an Agent play Skirmish in a Room, on a desktop and on phones", async () => {
  const room = await startDevroom({ apps: [`skirmish:Skirmish=${game.server.play}/`], args: ["--room", "Arena"] });
  let nova;
  for (const [name, options] of [
    ["Ada", { width: 1280, height: 720 }],
    ["Bo", { width: 390, height: 844, ...touch }],
    ["Cy", { width: 844, height: 390, ...touch }],
    ["Di", { width: 320, height: 568, ...touch }],
    ["Ed", { width: 568, height: 320, ...touch }],
  ]) {
    const size = `${options.width}x${options.height}`;
    const page = await enterRoom(game.browser, room, name, options);
    await openApp(page, "Skirmish");
    const app = page.frames().find((frame) => frame.url().startsWith(game.server.play));
    await watches(app);
    assert.ok(!(await app.isVisible(".others")), "a link would lead out of the Room's match");
    await picture(page, `skirmish-room-watching-${size}`);
    assert.deepEqual(await misplaced(app), [], `watching at ${size}`);
    await (options.hasTouch ? app.tap("#join") : app.click("#join"));
    await plays(app);
    if (!nova) {
      nova = await joinAsAgent(room, "Nova");
      const found = await until("the Agent finds the App", () => nova.events.at(-1)?.roomApps?.find((one) => one.callable));
      const payload = { type: "act", action: { type: "take_seat", name: "Nova" } };
      const taken = await nova.ask(found.appInstanceId, payload);
      assert.equal(taken.body.result?.ok, true, JSON.stringify(taken));
    }
    await until(`${name} sees the Agent`, async () =>
      (await app.evaluate(() => window.matchd.picture())).players.some((one) => one.name === "Nova" && one.holder === "agent"));
    await picture(page, `skirmish-room-${size}`);
    assert.deepEqual(await misplaced(app), [], `playing at ${size}`);
    assert.deepEqual(page.problems, []);
  }
});
