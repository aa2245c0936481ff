// People in browsers and an Agent over HTTP, in one match: each sees what the others do, and the server agrees.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage, picture, serve, until, withGame } from "./harness.mjs";
import { join, plays, seatOf, shown, shownPlayer, state, watches } from "./player.mjs";

const game = withGame();

/** A seat may call a few times a second, so tests that wait by calling take their time. */
const AGENT_PACE = { everyMs: 500 };

/** One call of the Agent contract; a refusal is an error. */
async function call(body) {
  const response = await fetch(new URL("contract", `${game.server.contract}/`), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const reply = await response.json();
  assert.ok(reply.ok, JSON.stringify(reply));
  return reply.result;
}

const observe = (token) => call(token ? { type: "observe", token } : { type: "observe" });
const act = (action, token) => call(token ? { type: "act", token, action } : { type: "act", action });
const player = (seen, id) => seen.players.find((one) => one.id === id);

async function watching(options) {
  const page = await openPage(game.browser, game.server.play, options);
  await watches(page);
  return page;
}

/**
 * Does something and waits until each of these coordinates has grown by `by` since its lowest: a kick-off in between may
 * throw it back. All are watched from before it is done, because a pitch is not long enough for a late look.
 */
async function grow(act, by, coordinates) {
  const watched = Object.entries(coordinates).map(([what, read]) => ({ what, read, lowest: Infinity }));
  const look = async (one) => {
    const value = await one.read();
    one.lowest = Math.min(one.lowest, value);
    return value > one.lowest + by;
  };
  await Promise.all(watched.map(look));
  await act();
  await Promise.all(watched.map((one) => until(one.what, () => look(one))));
}

test("a page opens on a match that is being played", async () => {
  const page = await watching();
  const tick = (await shown(page)).tick;
  await until("time passes", async () => (await shown(page)).tick > tick + 60);
  const bots = (await shown(page)).players;
  assert.equal(bots.length, 6);
  assert.ok(bots.every((one) => one.holder === "bot"));
  assert.deepEqual(page.problems, []);
});

test("people and an Agent play in one match and see each other", async () => {
  const ada = await watching();
  const bo = await watching({ width: 390, height: 844, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  const seat = await join(ada, "Ada", "red");
  await bo.fill("#name", "Bo");
  await bo.tap("#join");
  await plays(bo);

  await until("the other page shows who plays", async () => {
    const { name, holder } = await shownPlayer(bo, seat);
    return name === "Ada" && holder === "person";
  });
  await grow(() => ada.keyboard.down("KeyD"), 50, {
    "the server sees the player move": async () => player(await observe(), seat).at.x,
    "its own page shows it": async () => (await shownPlayer(ada, seat)).at.x,
    "the other page shows it": async () => (await shownPlayer(bo, seat)).at.x,
  });
  await ada.keyboard.up("KeyD");

  const nova = await act({ type: "take_seat", name: "Nova", team: "red" });
  await act({ type: "order", order: { type: "press" } }, nova.token);
  for (const page of [ada, bo]) {
    await until("the page shows the Agent", async () => {
      const one = await shownPlayer(page, nova.seat);
      // Orders are secret from the other side, and Bo plays there.
      return one?.name === "Nova" && one.holder === "agent" && one.intent === (page === ada ? "pressing" : null);
    });
  }
  let farthest = 0;
  await until("the Agent's player gets to the ball", async () => {
    const distance = player(await observe(nova.token), nova.seat).ball_distance;
    farthest = Math.max(farthest, distance);
    return distance < 60 || distance < farthest / 2;
  }, AGENT_PACE);
  await picture(ada, "play-1280x720");
  await picture(bo, "play-390x844");

  await act({ type: "order", order: { type: "stop" } }, nova.token);
  const plan = { type: "set_plan", with_ball: "clear", without_ball: { type: "keep_goal" } };
  await act({ type: "order", order: plan }, nova.token);
  await until("the page shows the new plan", async () => (await shownPlayer(ada, nova.seat)).intent === "keeping goal");
  const spectator = await watching();
  await until("a spectator sees it too", async () => (await shownPlayer(spectator, nova.seat)).intent === "keeping goal");
  // A keeper stands nearer to its line the nearer the ball is, so a little room is left in front. The way back may be
  // the length of the pitch.
  await until("the Agent's player stands in front of its goal", async () => {
    const seen = await observe(nova.token);
    const { at } = player(seen, nova.seat);
    return at.x < 120 && Math.abs(at.y - seen.pitch.y / 2) < 90;
  }, { ...AGENT_PACE, timeoutMs: 60_000 });

  await act({ type: "leave_seat" }, nova.token);
  await until("a bot is back", async () => (await shownPlayer(ada, nova.seat)).holder === "bot");
  await ada.click("#leave");
  await until("the page watches again", async () => (await state(ada)) === "watching");
  for (const page of [ada, bo, spectator]) assert.deepEqual(page.problems, []);
});

test("thumbs steer and kick", async () => {
  const page = await watching({ width: 390, height: 844, hasTouch: true, isMobile: true });
  await page.fill("#name", "Thumbelina");
  await page.tap(".teams .red");
  await page.tap("#join");
  await plays(page);
  const seat = await seatOf(page);
  assert.ok(await page.isVisible("[data-button=kick]"));

  // Upright, the opponents' goal is at the top: a thumb that moves up runs towards +x.
  const client = await page.context().newCDPSession(page);
  const touch = (type, ...touchPoints) => client.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", { x: 90, y: 740, id: 1 });
  await grow(() => touch("touchMove", { x: 90, y: 680, id: 1 }), 50, {
    "the player runs up the screen": async () => player(await observe(), seat).at.x,
  });
  // The other thumb lands while the first holds.
  const kick = await page.locator("[data-button=kick]").boundingBox();
  await touch("touchStart", { x: 90, y: 680, id: 1 }, { x: kick.x + 40, y: kick.y + 40, id: 2 });
  await until("the button is held", () => page.locator("[data-button=kick][data-held]").count());
  await touch("touchEnd");
  await until("and let go", async () => (await page.locator("[data-held]").count()) === 0);
  assert.equal(await page.evaluate(() => window.visualViewport.scale), 1);
  assert.deepEqual(page.problems, []);
});

test("a refusal is said and the page goes on watching", async () => {
  const first = await watching();
  const seat = await join(first, "<b>Twin</b>");
  const second = await watching();
  // A name is text, whatever it looks like.
  await until("the name is shown", async () => (await shownPlayer(second, seat)).name === "<b>Twin</b>");
  await second.fill("#name", "<B>twin</B>");
  await second.click("#join");
  await until("the refusal is shown", async () => (await second.textContent("#refusal")).includes("under that name"));
  assert.equal(await state(second), "watching");
  await second.fill("#name", "  ");
  await second.click("#join");
  await until("an empty name is refused", async () => (await second.textContent("#refusal")).includes("Choose a name"));
  // Letters typed into the name are letters: M does not turn the sound off.
  await second.fill("#name", "");
  await second.type("#name", "Mona");
  assert.equal(await second.inputValue("#name"), "Mona");
  assert.equal(await second.evaluate(() => document.body.dataset.muted), undefined);
  for (const page of [first, second]) assert.deepEqual(page.problems, []);
});

test("the page plays inside a sandboxed frame of another site", async () => {
  const port = await serve((_, response) => {
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(`<!doctype html><style>iframe{border:0;position:fixed;inset:0;width:100%;height:100%}</style>
        <iframe sandbox="allow-scripts" allow="" src="${game.server.play}/"></iframe>`);
  });
  const page = await openPage(game.browser, `http://127.0.0.1:${port}/`);
  const frame = await until("the frame is there", () => page.frames().find((one) => one !== page.mainFrame()));
  await until("the frame watches", async () => (await state(frame)) === "watching");
  assert.equal(await frame.evaluate(() => window.origin), "null");
  await frame.click("#join");
  await plays(frame);
  const seat = await seatOf(frame);
  await grow(() => page.keyboard.down("ArrowDown"), 40, { "keys reach the frame": async () => player(await observe(), seat).at.y });
  await page.keyboard.up("ArrowDown");
  assert.deepEqual(page.problems, []);
});
