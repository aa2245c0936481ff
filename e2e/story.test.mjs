// One story from beginning to end: people in a Room's windows, an Agent at its broker, one match.

import assert from "node:assert/strict";
import { test } from "node:test";
import { picture, startDevroom, until, withGame } from "./harness.mjs";
import { enterRoom, joinAsAgent, openApp } from "./room.mjs";

const game = withGame();

/** Somebody with the App open: the window, and the App in it. */
async function comeIn(room, name) {
  const page = await enterRoom(game.browser, room, name);
  await openApp(page, "Kickabout");
  const app = () => page.frames().find((frame) => frame.url().startsWith(game.server.play));
  const mark = (name) => app()?.evaluate((name) => document.body.dataset[name], name).catch(() => undefined);
  await until(`${name} watches`, async () => (await mark("state")) === "watching");
  return {
    page,
    mark,
    app,
    /** What the App's picture shows of a seat. */
    sees: async (seat) => {
      const shown = await app()?.evaluate(() => window.matchd?.picture());
      return shown?.players.find((one) => one.seat === seat);
    },
    async play() {
      await app().click("#join");
      await until(`${name} plays`, async () => (await mark("state")) === "playing");
      return mark("seat");
    },
  };
}

test("people and an Agent meet in a Room, and the Agent plays on when the person who relays it leaves", async () => {
  const room = await startDevroom({ apps: [`kickabout:Kickabout=${game.server.play}/`], args: ["--room", "Story"] });
  const ada = await comeIn(room, "Ada");
  const adasSeat = await ada.play();

  // The Agent comes, and finds the App.
  const nova = await joinAsAgent(room, "Nova");
  const { appInstanceId, title } = await until("the Agent discovers the App", () =>
    nova.events.at(-1)?.roomApps?.find((app) => app.callable));
  assert.equal(title, "Kickabout");
  const ask = (payload) => nova.ask(appInstanceId, payload);
  const granted = async (payload) => {
    const { status, body } = await ask(payload);
    assert.deepEqual([status, body.ok, body.result?.ok], [200, true, true], JSON.stringify(body));
    return body.result.result;
  };

  // It reads how to play, takes a seat beside Ada, looks, and gives an order.
  const described = await granted({ type: "describe" });
  assert.ok(JSON.stringify(described).includes("take_seat"));
  const adas = (await granted({ type: "observe" })).players.find((one) => one.id === adasSeat);
  assert.equal(adas.holder, "person");
  const taken = await granted({ type: "act", action: { type: "take_seat", name: "Nova", team: adas.team } });
  const token = taken.token;
  const own = async () => (await granted({ type: "observe", token })).players.find((one) => one.id === taken.seat);
  assert.equal((await own()).holder, "agent");
  await granted({ type: "act", token, action: { type: "order", order: { type: "press" } } });

  // Its player obeys in Ada's picture.
  await until("Ada sees what the Agent is up to", async () => {
    const seen = await ada.sees(taken.seat);
    return seen?.name === "Nova" && seen.holder === "agent" && seen.intent === "pressing";
  });
  await granted({ type: "act", token, action: { type: "order", order: { type: "stop" } } });
  const plan = { type: "set_plan", with_ball: "clear", without_ball: { type: "keep_goal" } };
  await granted({ type: "act", token, action: { type: "order", order: plan } });
  await until("Ada sees the new plan", async () => (await ada.sees(taken.seat))?.intent === "keeping goal");
  await picture(ada.page, "story-ada");

  // Another person opens the App in another window: the same match, which Ada's App has handed over.
  const bo = await comeIn(room, "Bo");
  assert.equal(await bo.mark("room"), "given");
  await bo.app().click(`.teams .${adas.team}`);
  const bosSeat = await bo.play();
  for (const [person, other, seat] of [[ada, "Bo", bosSeat], [bo, "Ada", adasSeat]]) {
    await until(`both see ${other} and the Agent`, async () =>
      (await person.sees(seat))?.name === other && (await person.sees(taken.seat))?.intent === "keeping goal");
  }
  await picture(bo.page, "story-bo");

  // The broker asks whoever's id comes first. Whether that is Ada or Bo, they leave in the middle of a request: it has
  // reached the match, but its answer is lost with their window.
  await ada.page.fill("#say-text", "@Nova, press!");
  await ada.page.press("#say-text", "Enter");
  const idOf = (name) => nova.events.at(-1).participants.find((one) => one.name === name)?.participantId;
  await until("the Agent has heard it", () => idOf("Bo"));
  const [leaves, stays] = idOf("Ada") < idOf("Bo") ? [ada, bo] : [bo, ada];
  const seatLeft = leaves === ada ? adasSeat : bosSeat;
  const press = { type: "act", token, key: "press-once", action: { type: "order", order: { type: "press" } } };
  const endedOrders = async () => (await granted({ type: "observe", token })).outcomes.map((outcome) => outcome.order);
  const endedBefore = await endedOrders();
  await leaves.page.route("**/contract", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await leaves.page.context().close();
  });
  const lost = await ask(press);
  assert.deepEqual([lost.status, lost.body], [502, { ok: false, error: "host_unavailable" }]);

  // The Agent asks again with the same key, and it has happened once: over the other App, with the same seat and token.
  const done = await granted(press);
  assert.deepEqual(await granted(press), done);
  // Done twice, the second order would have ended the first.
  const ended = (await endedOrders()).filter((order) => !endedBefore.includes(order));
  assert.ok(ended.every((order) => order === done.order_id), `${ended} ended, ${done.order_id} was given`);
  assert.equal((await own()).holder, "agent");
  await until("somebody sees that a person is gone", async () => (await stays.sees(seatLeft))?.is_away);

  // And it plays on.
  await granted({ type: "act", token, action: { type: "order", order: { type: "stop" } } });
  await until("its player is seen to obey", async () => (await stays.sees(taken.seat))?.intent === "keeping goal");
  await picture(stays.page, "story-end");
  assert.deepEqual(stays.page.problems, []);
});
