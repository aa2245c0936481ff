// Seats that are not lost: a far link, a cut link, a reload, a second tab, a hidden page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage, openTabs, pause, picture, startProxy, takesItsTime, until, withGame } from "./harness.mjs";
import {
  assertCalm, figures, hasSaid, join, listen, plays, runsAbout, seatOf, shown, shownPlayer, state, watches,
} from "./player.mjs";

/** 150 ± 30 ms for a round trip. */
const FAR = "delay=75,jitter=15";

const game = withGame();

const score = (page) => page.evaluate(() => document.body.dataset.score);

/** Waits until the other page sees this player obey the keys: one way or the other there is room, and a goal's cheers end. */
async function obeysKeys(page, other, seat) {
  const from = (await shownPlayer(other, seat)).at;
  const keys = ["KeyD", "KeyA"];
  await until("the player moves", async () => {
    keys.reverse();
    await page.keyboard.down(keys[0]);
    await pause(1_000);
    await page.keyboard.up(keys[0]);
    const { at } = await shownPlayer(other, seat);
    return Math.hypot(at.x - from.x, at.y - from.y) > 20;
  });
}

test("a cut link ends in the same seat, and others see that somebody is away", async () => {
  const link = await startProxy(game.server.play);
  const page = await openPage(game.browser, link.url);
  const seat = await join(page, "Wanderer");
  const other = await openPage(game.browser, game.server.play);
  await watches(other);
  await listen(page);
  await link.order("cut");
  await hasSaid(page, "Reconnecting…");
  assert.equal(await state(page), "reconnecting");
  assert.equal(await page.isVisible("#panel"), false);
  await until("the other page shows it", async () => (await shownPlayer(other, seat)).is_away);
  await picture(other, "away");
  await picture(page, "reconnecting");
  await link.order("mend");
  await plays(page);
  assert.equal(await seatOf(page), seat);
  assert.equal(await page.isVisible("#notice"), false);
  await until("the other page shows that too", async () => !(await shownPlayer(other, seat)).is_away);
  const player = await shownPlayer(other, seat);
  assert.deepEqual([player.name, player.holder], ["Wanderer", "person"]);
  await obeysKeys(page, other, seat);
  assert.equal((await figures(page)).wrong, 0);
  assertCalm(page);
});

test("at 150 ms with jitter the page predicts what the server does, and survives five seconds without a link", async () => {
  const link = await startProxy(game.server.play, { faults: FAR });
  const page = await openPage(game.browser, link.url);
  const other = await openPage(game.browser, game.server.play);
  const seat = await join(page, "Faraway");
  const { team } = await until("the other page shows it", () => shownPlayer(other, seat));
  await runsAbout(page, takesItsTime ? 30 : 6);
  const before = await until("the page leads by the length of the link", async () => {
    const now = await figures(page);
    return now.rtt_ms > 100 && now.lead_ticks > 6 && now.exact > 0 && now.mispredicted > 0 && now;
  });
  assert.deepEqual([before.wrong, before.resyncs], [0, 0]);

  await link.order("cut");
  await pause(5_000);
  assert.equal(await state(page), "reconnecting");
  await link.order("mend");
  await plays(page);
  assert.equal(await seatOf(page), seat);
  await until("both pages show the same score", async () => (await score(page)) === (await score(other)));
  const player = await until("the player is back", async () => {
    const one = await shownPlayer(other, seat);
    return !one.is_away && one;
  });
  assert.deepEqual([player.name, player.holder, player.team], ["Faraway", "person", team]);
  await obeysKeys(page, other, seat);
  assert.equal((await figures(page)).wrong, 0);
  assertCalm(page);
});

test("a page that is loaded anew plays on in its seat, and one that left does not", async () => {
  const page = await openPage(game.browser, game.server.play);
  const seat = await join(page, "Phoenix");
  for (let round = 0; round < 3; round += 1) {
    await page.reload();
    await plays(page);
    assert.equal(await seatOf(page), seat);
    await until("the page shows it", async () => (await shownPlayer(page, seat))?.name === "Phoenix");
  }
  await page.click("#leave");
  await watches(page);
  await page.reload();
  await watches(page);
  assert.deepEqual(page.problems, []);
});

test("of two tabs the newest plays, and the other says why and stays away", async () => {
  const first = await openPage(game.browser, game.server.play);
  const seat = await join(first, "Twice");
  // A tab that is duplicated begins with a copy of the other one's storage.
  const kept = await first.evaluate(() => Object.entries(sessionStorage));
  assert.equal(kept.length, 1);
  const second = await first.context().newPage();
  await second.addInitScript((entries) => entries.forEach((entry) => sessionStorage.setItem(...entry)), kept);
  await second.goto(game.server.play);
  await plays(second);
  assert.equal(await seatOf(second), seat);
  await until("the first says why", async () => (await first.textContent("#notice-text")) === "You are playing in another tab.");
  await picture(first, "elsewhere");
  assert.equal(await state(first), "over");
  assert.equal(await first.evaluate(() => sessionStorage.length), 0);
  // Long enough for several tries, were there any.
  await pause(3_000);
  assert.equal(await state(first), "over");
  assert.equal(await state(second), "playing");
  await first.click("#again");
  await watches(first);
  assert.equal(await state(second), "playing");
  assert.deepEqual(first.problems, []);
});

test("a hidden page rests, keeps its seat and can be played at once when it is seen again", async (t) => {
  const link = await startProxy(game.server.play, { faults: FAR });
  const tabs = await openTabs();
  const page = await tabs.newPage();
  await page.goto(link.url);
  const seat = await join(page, "Sleeper");
  const other = await openPage(game.browser, game.server.play);
  await watches(other);
  await runsAbout(page, 3);
  const before = await figures(page);
  await noteReturn(page);

  const second = await tabs.newPage();
  const lifecycle = await tabs.newCDPSession(page);
  for (const isFrozen of [false, true]) {
    await second.bringToFront();
    await until("the page is hidden", () => page.evaluate(() => document.hidden));
    await pause(takesItsTime ? 120_000 : 3_000);
    if (isFrozen) {
      // What a browser does in the end to a page that nobody looks at: nothing of it runs, and its connection ends.
      await lifecycle.send("Page.setWebLifecycleState", { state: "frozen" });
      await pause(3_000);
      await lifecycle.send("Page.setWebLifecycleState", { state: "active" });
    }
    await page.bringToFront();
    const tookMs = await until("the page plays on", () => page.evaluate(() => window.tookMs));
    await until("it plays in the present", async () => {
      const [own, others] = [await shown(page), await shown(other)];
      return Math.abs(own.tick - others.tick) < 60;
    });
    const how = isFrozen ? "frozen" : "hidden";
    t.diagnostic(`${how}: playable ${tookMs.toFixed(0)} ms after it was seen again, at a round trip of 150 ms`);
    if (takesItsTime && !isFrozen) assert.ok(tookMs <= 500, `${tookMs} ms`);
  }
  assert.equal(await seatOf(page), seat);
  await until("it predicts again", async () => (await figures(page)).exact > before.exact);
  await obeysKeys(page, other, seat);
  const now = await figures(page);
  assert.deepEqual([now.wrong, now.resyncs], [0, 0]);
});

/** Notes how long after it is seen again the page plays on: `window.tookMs`, 0 until then. */
async function noteReturn(page) {
  await page.evaluate(() => {
    document.addEventListener("visibilitychange", () => {
      window.tookMs = 0;
      if (document.hidden) return;
      const seen = performance.now();
      const { tick } = window.matchd.picture();
      // Nothing moves until the page knows the present.
      const look = () => {
        const plays = document.body.dataset.state === "playing" && window.matchd.picture().tick !== tick;
        if (plays) window.tookMs = performance.now() - seen;
        else requestAnimationFrame(look);
      };
      look();
    });
  });
}
