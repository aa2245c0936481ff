// Both games on phones, the smallest too, upright and on their side: what is shown fits, and is in nobody's way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage, picture, startDevroom, withGame } from "./harness.mjs";
import { misplaced } from "./layout.mjs";
import { plays, watches } from "./player.mjs";
import { enterRoom, openApp } from "./room.mjs";

const game = withGame();

const SIZES = [[320, 568], [568, 320], [390, 844], [844, 390]];
// At a scale of 1: with another one, emulated taps miss what they are meant for in frames of another origin.
const touch = { hasTouch: true };

for (const [title, path] of [["Kickabout", ""], ["Skirmish", "?match=skirmish.small"]]) {
  test(`${title} fits into phones`, async () => {
    for (const [width, height] of SIZES) {
      const size = `${width}x${height}`;
      const page = await openPage(game.browser, new URL(path, game.server.play).href, { width, height, ...touch });
      await watches(page);
      await picture(page, `${title}-watching-${size}`);
      assert.deepEqual(await misplaced(page), [], `watching at ${size}`);
      await page.fill("#name", `Somebody at ${size}`);
      await page.tap("#join");
      await plays(page);
      await picture(page, `${title}-${size}`);
      assert.deepEqual(await misplaced(page), [], `playing at ${size}`);
      await page.tap("#leave");
      await watches(page);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    }
  });
}

test("Kickabout fits into a Room on phones", async () => {
  const room = await startDevroom({ apps: [`kickabout:Kickabout=${game.server.play}/`] });
  for (const [width, height] of SIZES) {
    const size = `${width}x${height}`;
    const page = await enterRoom(game.browser, room, `At ${size}`, { width, height, ...touch });
    await openApp(page, "Kickabout");
    const app = page.frames().find((frame) => frame.url().startsWith(game.server.play));
    await watches(app);
    assert.deepEqual(await misplaced(app), [], `watching at ${size}`);
    await app.tap("#join");
    await plays(app);
    await picture(page, `Kickabout-room-${size}`);
    assert.deepEqual(await misplaced(app), [], `playing at ${size}`);
    await app.tap("#leave");
    await watches(app);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test("a meter tells how the own craft does", async () => {
  const page = await openPage(game.browser, new URL("?match=skirmish.meter", game.server.play).href);
  await watches(page);
  const meter = page.getByRole("meter", { name: "Health" });
  assert.ok(!(await meter.isVisible()), "who watches has no craft");
  await page.click("#join");
  await plays(page);
  await meter.waitFor();
  const told = await page.evaluate(() => {
    const { own, players } = window.matchd.picture();
    const { ariaValueNow, ariaValueMin, ariaValueMax, textContent } = document.querySelector("#health");
    return { hp: String(players.find((one) => one.seat === own).hp), text: textContent.trim(), ariaValueNow, ariaValueMin, ariaValueMax };
  });
  assert.deepEqual(told, { hp: told.hp, text: told.hp, ariaValueNow: told.hp, ariaValueMin: "0", ariaValueMax: "100" });
});
