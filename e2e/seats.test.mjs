// Seats that are not lost: a cut link, a reload, a second tab, a hidden page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPage, picture, startMatchd, startRelay, until } from "./harness.mjs";

let server;
let browser;

before(async () => {
  server = await startMatchd();
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const state = (page) => page.evaluate(() => document.body.dataset.state);
const seatOf = (page) => page.evaluate(() => document.body.dataset.seat);
const shown = (page) => page.evaluate(() => window.matchd?.picture() ?? null);
const figures = (page) => page.evaluate(() => window.matchd.figures());
const shownPlayer = async (page, seat) => (await shown(page))?.players.find((one) => one.seat === seat);
const plays = (page) => until("the page plays", async () => (await state(page)) === "playing");
const watches = (page) => until("the page watches", async () => (await state(page)) === "watching");

async function join(page, name) {
  await watches(page);
  await page.fill("#name", name);
  await page.click("#join");
  await plays(page);
  return seatOf(page);
}

/** The browser reports sockets that are cut; nothing else may go wrong. */
function assertCalm(page) {
  assert.deepEqual(page.problems.filter((text) => !/WebSocket|ERR_CONNECTION|ERR_EMPTY/.test(text)), []);
}

test("a cut link ends in the same seat, and others see that somebody is away", async () => {
  const relay = await startRelay(server.play);
  try {
    const page = await openPage(browser, relay.url);
    const seat = await join(page, "Wanderer");
    const other = await openPage(browser, server.play);
    await watches(other);
    relay.cut();
    await until("the page says so", async () => (await page.textContent("#notice-text")) === "Reconnecting…");
    assert.equal(await state(page), "reconnecting");
    assert.equal(await page.isVisible("#panel"), false);
    await until("the other page shows it", async () => (await shownPlayer(other, seat))?.is_away);
    await picture(other, "away");
    await picture(page, "reconnecting");
    relay.mend();
    await plays(page);
    assert.equal(await seatOf(page), seat);
    assert.equal(await page.isVisible("#notice"), false);
    await until("the other page shows that too", async () => !(await shownPlayer(other, seat)).is_away);
    const player = await shownPlayer(other, seat);
    assert.deepEqual([player.name, player.holder], ["Wanderer", "person"]);
    // And keys still reach the match: one way or the other there is room.
    const from = (await shownPlayer(other, seat)).at;
    await page.keyboard.down("KeyD");
    await until("the player moves", async () => {
      const { at } = await shownPlayer(other, seat);
      return Math.hypot(at.x - from.x, at.y - from.y) > 20;
    });
    await page.keyboard.up("KeyD");
    assert.equal((await figures(page)).wrong, 0);
    assertCalm(page);
    await page.context().close();
    await other.context().close();
  } finally {
    relay.stop();
  }
});

test("at 150 ms with jitter the page predicts what the server does, and survives five seconds without a link", async () => {
  const relay = await startRelay(server.play, { delayMs: 75, jitterMs: 15 });
  try {
    const page = await openPage(browser, relay.url);
    const seat = await join(page, "Faraway");
    for (const key of ["KeyD", "KeyS", "Space", "KeyA", "KeyW", "KeyD", "Space", "KeyA"]) {
      await page.keyboard.down(key);
      await new Promise((resolve) => setTimeout(resolve, 700));
      await page.keyboard.up(key);
    }
    const link = await figures(page);
    assert.ok(link.rtt_ms > 100, JSON.stringify(link));
    assert.ok(link.lead_ticks > 6, JSON.stringify(link));
    assert.ok(link.exact > 0 && link.mispredicted > 0, JSON.stringify(link));
    assert.deepEqual([link.wrong, link.resyncs], [0, 0]);
    relay.cut();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const score = await page.evaluate(() => document.body.dataset.score);
    relay.mend();
    await plays(page);
    assert.equal(await seatOf(page), seat);
    const now = await until("the score is shown", () => page.evaluate(() => document.body.dataset.score));
    assert.ok(now.split("-").every((points, side) => points >= score.split("-")[side]), `${score} became ${now}`);
    assert.equal((await figures(page)).wrong, 0);
    assertCalm(page);
    await page.context().close();
  } finally {
    relay.stop();
  }
});

test("a page that is loaded anew plays on in its seat, and one that left does not", async () => {
  const page = await openPage(browser, server.play);
  const seat = await join(page, "Phoenix");
  for (let round = 0; round < 3; round += 1) {
    await page.reload();
    await plays(page);
    assert.equal(await seatOf(page), seat);
    assert.equal((await until("the page shows it", () => shownPlayer(page, seat))).name, "Phoenix");
  }
  await page.click("#leave");
  await watches(page);
  await page.reload();
  await watches(page);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("of two tabs the newest plays, and the other says why and stays away", async () => {
  const first = await openPage(browser, server.play);
  const seat = await join(first, "Twice");
  // A tab that is duplicated begins with a copy of the other one's storage.
  const kept = await first.evaluate(() => Object.entries(sessionStorage));
  assert.equal(kept.length, 1);
  const second = await first.context().newPage();
  await second.addInitScript((entries) => entries.forEach((entry) => sessionStorage.setItem(...entry)), kept);
  await second.goto(server.play);
  await plays(second);
  assert.equal(await seatOf(second), seat);
  await until("the first says why", async () => (await first.textContent("#notice-text")) === "You are playing in another tab.");
  await picture(first, "elsewhere");
  assert.equal(await state(first), "over");
  assert.equal(await first.evaluate(() => sessionStorage.length), 0);
  // Long enough for several tries, were there any.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  assert.equal(await state(first), "over");
  assert.equal(await state(second), "playing");
  await first.click("#again");
  await watches(first);
  assert.equal(await state(second), "playing");
  assert.deepEqual(first.problems, []);
  await first.context().close();
});

test("a hidden page rests, keeps its seat and comes back to the present", async () => {
  const page = await openPage(browser, server.play);
  const other = await openPage(browser, server.play);
  const seat = await join(page, "Sleeper");
  const look = (isHidden) => page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
  await look(true);
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const before = await figures(page);
  await look(false);
  await until("the page is in the present", async () => {
    const [own, others] = [await shown(page), await shown(other)];
    return Math.abs(own.tick - others.tick) < 30;
  });
  await plays(page);
  assert.equal(await seatOf(page), seat);
  await until("it predicts again", async () => {
    const now = await figures(page);
    return now.exact + now.mispredicted > before.exact + before.mispredicted + 20;
  });
  const now = await figures(page);
  assert.deepEqual([now.wrong, now.resyncs], [0, 0]);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await other.context().close();
});
