// The Room's host page in a real browser, with an App made for this test: the port protocol, the lanes, people and Agents.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { AppHost } from "../devroom/web/host.js";
import { SlidingWindow, isPayload, sizeOf } from "../devroom/web/rules.js";
import { appFrame, startFixtureApp } from "./fixture-app.mjs";
import { openBrowser, picture, startDevroom, until } from "./harness.mjs";
import { coverState, enterRoom, joinAsAgent, openApp, roomHasHeard } from "./room.mjs";

let browser;
let room;

before(async () => {
  const app = await startFixtureApp();
  room = await startDevroom({
    apps: [`echo=${app}`, `shy=${app}?shy`, `wrong=${app}?wrong`],
    args: ["--room", "Test Room"],
  });
  browser = await openBrowser();
});

/** Somebody with the echo App open, which the Room knows, and the App too. */
async function withEcho(name) {
  const page = await enterRoom(browser, room, name);
  await openApp(page, "Echo");
  const frame = await appFrame(page);
  await until("the App knows that it is ready", async () => (await got(frame, "ready")).length > 0);
  return { page, frame };
}

const got = (frame, type) => frame.evaluate((type) => window.app.got.filter((message) => message.type === type), type);
const send = (frame, message) => frame.evaluate((message) => window.app.send(message), message);
const participants = (frame) => got(frame, "ready").then(([ready]) => ready.participants);

/** Sends something and returns the error that the host posts for it. */
async function errorOf(frame, message) {
  const before = (await got(frame, "error")).length;
  await send(frame, message);
  return until(`an error for ${JSON.stringify(message).slice(0, 60)}`, async () => (await got(frame, "error"))[before]);
}

test("b18 the frame is sandboxed and cross-origin, and the handshake is fresh at every load", async () => {
  const { page, frame } = await withEcho("Ada");
  const attributes = await page.evaluate(() => {
    const frame = document.querySelector(".app iframe");
    return ["sandbox", "allow", "referrerpolicy"].map((name) => frame.getAttribute(name));
  });
  assert.deepEqual(attributes, ["allow-scripts", "", "no-referrer"]);
  assert.equal(await frame.evaluate(() => self.origin), "null");

  const [first] = await frame.evaluate(() => window.app.bootstraps);
  assert.deepEqual(Object.keys(first), ["type", "protocolVersion", "appInstanceId", "handshakeToken"]);
  assert.equal(first.protocolVersion, 1);
  const [ready] = await got(frame, "ready");
  const { self, participants: everybody, ...rest } = ready;
  assert.deepEqual(rest, { type: "ready", appInstanceId: first.appInstanceId, protocolVersion: 1, localRecovery: null });
  assert.deepEqual(self, everybody.find(({ participantId }) => participantId === self.participantId));
  assert.deepEqual({ ...self, participantId: "" }, { participantId: "", name: "Ada", kind: "human" });

  // A second answer is answered again; a new document gets a new token.
  await frame.evaluate(() => window.app.ready());
  await until("it is answered again", async () => (await got(frame, "ready")).length === 2);
  await send(frame, { type: "setLocalRecovery", snapshot: "kept" });
  await until("it is kept", () => page.evaluate(() => Object.values(sessionStorage).includes("kept")));
  await frame.evaluate(() => { window.isOld = true; });
  await page.click("#app-reload");
  const anew = await until("it is ready again", async () => {
    const frame = await appFrame(page);
    return (await frame.evaluate(() => !window.isOld && window.app?.got.some(({ type }) => type === "ready"))) && frame;
  });
  assert.equal((await got(anew, "ready"))[0].localRecovery, "kept");
  const [second] = await anew.evaluate(() => window.app.bootstraps);
  assert.equal(second.appInstanceId, first.appInstanceId);
  assert.notEqual(second.handshakeToken, first.handshakeToken);
  assert.deepEqual(page.problems, []);
});

test("b18 malformed messages are refused and do no harm", async () => {
  const { page, frame } = await withEcho("Ada");
  const unsupported = [
    { type: "unknown" },
    { type: "__proto__" },
    { type: "sendReliable", payload: {}, appInstanceId: "echo:00000000" },
    { type: "sendReliable", payload: [] },
    { type: "sendReliable", payload: null },
    { type: "sendReliable", payload: { sourceParticipantId: "x" } },
    { type: "sendRealtime" },
    { type: "sendRealtime", payload: { x: "x".repeat(16_384) } },
    { type: "sendReliableTo", requestId: "a b", targetParticipantId: "x", payload: {} },
    { type: "sendReliableTo", requestId: "a", targetParticipantId: "", payload: {} },
    { type: "agentResponse", requestId: "a", ok: true, result: [] },
    { type: "agentResponse", requestId: "a", ok: false },
    { type: "milestone", milestone: "engaged", more: 1 },
    { type: "setLocalRecovery", snapshot: 1 },
    { type: "ready", handshakeToken: "" },
    { type: "ready", handshakeToken: "x".repeat(129) },
  ];
  for (const message of unsupported) {
    const error = await errorOf(frame, message);
    assert.equal(error.error, "unsupported_message", JSON.stringify(message).slice(0, 80));
    assert.equal("requestId" in error, false);
  }
  const self = (await got(frame, "ready"))[0].self.participantId;
  const unicast = { type: "sendReliableTo", requestId: "big", targetParticipantId: self, payload: { x: "x".repeat(16_384) } };
  assert.deepEqual(await errorOf(frame, unicast).then(({ requestId, error }) => [requestId, error]), ["big", "payload_too_large"]);
  assert.equal(await coverState(page), "ready");
});

test("b18 a wrong token or silence is an App that failed, and the person can try again", async () => {
  const page = await enterRoom(browser, room, "Ada");
  await page.click('#shelf-list li:has-text("Wrong") button');
  await until("it has failed", async () => (await coverState(page)) === "failed");
  assert.match(await page.innerText(".cover"), /Wrong is unavailable/);
  await picture(page, "devroom-failed");
  await page.click('.cover button:has-text("Close")');

  await page.click('#shelf-list li:has-text("Shy") button');
  const frame = await appFrame(page);
  await until("it was asked", () => frame.evaluate(() => window.app?.bootstraps.length > 0));
  assert.equal(await coverState(page), "starting");
  const agent = await joinAsAgent(room, "Early");
  const { appInstanceId } = await frame.evaluate(() => window.app.bootstraps[0]);
  assert.deepEqual(await agent.ask(appInstanceId, {}), { status: 409, body: { ok: false, error: "host_unavailable" } });
  assert.deepEqual(await got(frame, "agent_request"), [], "nothing is delivered before it is ready");
  await frame.evaluate(() => window.app.ready());
  await until("it is ready", async () => (await coverState(page)) === "ready");
  await roomHasHeard(page);
  assert.equal((await agent.ask(appInstanceId, { a: 1 })).body.result.echo.a, 1);
});

test("b18 a hidden App serves, and a closed one does not", async () => {
  const { page, frame } = await withEcho("Ada");
  const agent = await joinAsAgent(room, "Robin");
  const { instance } = await frame.evaluate(() => ({ instance: window.app.instance }));
  await page.click("#app-hide");
  assert.equal(await page.isVisible("#frames"), false);
  assert.equal(await page.isVisible("#shelf"), true);
  assert.deepEqual(await agent.ask(instance, { n: 1 }), { status: 200, body: { ok: true, result: { echo: { n: 1 } } } });

  await page.click('#shelf-list li:has-text("Echo") button');
  await page.click("#app-close");
  await roomHasHeard(page);
  assert.deepEqual(await agent.ask(instance, {}), { status: 409, body: { ok: false, error: "host_unavailable" } });
});

/** The page's end of the protocol with an App that is only a port, which is in the hands of the test. */
function bareHost() {
  const frame = {
    contentWindow: {
      postMessage(bootstrap, _, [port]) {
        Object.assign(frame, { bootstrap, port });
      },
    },
  };
  const room = { self: () => ({}), participants: () => [], tellReady: () => {}, answer: () => {} };
  const host = new AppHost({ instance: "x:1", frame, room });
  const passed = [];
  host.onexchange = ({ requestId }) => passed.push(requestId);
  const ask = (...ids) => ids.forEach((id) => host.agentRequest(id, {}));
  return { host, frame, passed, ask };
}

test("b18 early, repeated and fifth requests are dropped without a word", async (t) => {
  // The Room lets only four through, so this asks the page's own guard.
  t.mock.timers.enable({ apis: ["Date"] });
  const { host, frame, passed, ask } = bareHost();
  ask("early");
  host.loaded();
  const { appInstanceId, handshakeToken } = frame.bootstrap;
  const ready = new Promise((resolve) => { host.onstate = resolve; });
  frame.port.postMessage({ type: "ready", appInstanceId, handshakeToken });
  assert.equal(await ready, "ready");
  ask("a", "b", "a", "c", "d", "e");
  assert.deepEqual(passed, ["a", "b", "c", "d"]);
  t.mock.timers.tick(14_999);
  ask("f");
  t.mock.timers.tick(1);
  ask("g");
  assert.deepEqual(passed, ["a", "b", "c", "d", "g"]);
  host.close();
  frame.port.close();
});

test("b18 an App that is silent for 15 s has failed", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { host, frame } = bareHost();
  host.loaded();
  t.mock.timers.tick(14_999);
  assert.equal(host.state, "starting");
  t.mock.timers.tick(1);
  assert.equal(host.state, "failed");
  host.close();
  frame.port.close();
});

/** What an App got on a lane in words. */
const heard = async (frame, lane) => (await got(frame, lane)).filter(({ payload }) => "text" in payload);

/** Waits until a lane leads from one to the other: who is not connected to it yet misses what is said. */
const laneLeads = (from, to) =>
  until("the lane leads there", async () => {
    await send(from.frame, { type: "sendRealtime", payload: {} });
    return (await got(to.frame, "realtime")).length > 0;
  }, { everyMs: 100 });

test("b19 lanes and unicast between two people", async () => {
  const ada = await withEcho("Ada");
  const ben = await withEcho("Ben");
  const [adaId, benId] = [(await got(ada.frame, "ready"))[0].self.participantId, (await got(ben.frame, "ready"))[0].self.participantId];
  const joined = await until("Ada hears of Ben", async () => (await got(ada.frame, "participant_join")).find(({ participant }) => participant.participantId === benId));
  assert.deepEqual(joined.participant, { participantId: benId, name: "Ben", kind: "human" });
  assert.ok((await participants(ben.frame)).some(({ participantId }) => participantId === adaId));

  await laneLeads(ada, ben);
  await laneLeads(ben, ada);
  for (const [type, lane] of [["sendReliable", "reliable"], ["sendRealtime", "realtime"]]) {
    await send(ada.frame, { type, payload: { lane, text: "é" } });
    const message = await until(`Ben gets it (${lane})`, async () => (await heard(ben.frame, lane))[0]);
    assert.deepEqual(Object.keys(message).sort(), ["appInstanceId", "payload", "sourceParticipantId", "type"]);
    assert.equal(message.sourceParticipantId, adaId);
    assert.deepEqual(message.payload, { lane, text: "é" });
    assert.deepEqual(await heard(ada.frame, lane), [], "no echo");
  }

  await send(ada.frame, { type: "sendReliableTo", requestId: "one", targetParticipantId: benId, payload: { secret: 1 } });
  const unicast = await until("Ben gets it alone", async () => (await got(ben.frame, "unicast"))[0]);
  assert.deepEqual([unicast.sourceParticipantId, unicast.payload], [adaId, { secret: 1 }]);
  const result = (id) => until(`a result for ${id}`, async () => (await got(ada.frame, "unicast_result")).find(({ requestId }) => requestId === id));
  assert.equal((await result("one")).ok, true);
  await send(ada.frame, { type: "sendReliableTo", requestId: "self", targetParticipantId: adaId, payload: {} });
  assert.deepEqual(await result("self").then(({ ok, error }) => [ok, error]), [false, "invalid_target"]);

  // 20 in a second, not 21. What was sent above may still count, so this only asks that the limit is there.
  await ada.frame.evaluate(() => {
    for (let number = 0; number < 21; number += 1) window.app.send({ type: "sendReliable", payload: { number } });
  });
  await until("one is too many", async () => (await got(ada.frame, "error")).some(({ error }) => error === "rate_limited"));

  await ben.page.click(".leave:visible");
  await until("Ada hears that Ben is gone", async () => (await got(ada.frame, "participant_leave")).some(({ participant }) => participant.participantId === benId));
});

test("b19 the sliding window admits the 21st message 1001 ms after the first", () => {
  const window = new SlidingWindow(1_000, 20);
  for (let number = 0; number < 20; number += 1) assert.ok(window.admit(5_000));
  assert.equal(window.admit(5_999), false);
  assert.ok(window.admit(6_001));
});

test("b20 sizes are those of JSON.stringify", () => {
  assert.equal(sizeOf({ é: 1.0 }), 8);
  assert.equal(isPayload({ x: "x".repeat(16_384 - 8) }), true);
  assert.equal(isPayload({ x: "x".repeat(16_384 - 7) }), false);
});

test("an Agent goes on through another person when the first leaves mid-request", async () => {
  const ada = await withEcho("Ada");
  const ben = await withEcho("Ben");
  const agent = await joinAsAgent(room, "Robin");
  const instance = await ada.frame.evaluate(() => window.app.instance);
  for (const { frame } of [ada, ben]) await frame.evaluate(() => { window.app.echoes = false; });
  const lost = agent.ask(instance, { n: 1 });
  const asked = await until("one of them is asked", async () => {
    for (const one of [ada, ben]) if ((await got(one.frame, "agent_request")).length) return one;
    return null;
  });
  const other = asked === ada ? ben : ada;
  assert.deepEqual(await got(other.frame, "agent_request"), []);
  const [request] = await got(asked.frame, "agent_request");
  assert.deepEqual(Object.keys(request).sort(), ["appInstanceId", "payload", "requestId", "type"]);
  await asked.page.context().close();
  assert.deepEqual(await lost, { status: 502, body: { ok: false, error: "host_unavailable" } });
  await other.frame.evaluate(() => { window.app.echoes = true; });
  assert.equal((await agent.ask(instance, { n: 2 })).body.result.echo.n, 2);
});

test("people and Agents talk, and the page looks as it should on every screen", async () => {
  const sizes = { desktop: [1280, 720], phone: [390, 844], low: [844, 390] };
  for (const [name, [width, height]] of Object.entries(sizes)) {
    const page = await enterRoom(browser, room, "Ada Lovelace", { width, height });
    const agent = await joinAsAgent(room, "Robin");
    await picture(page, `devroom-${name}-shelf`);
    await openApp(page, "Echo");
    await picture(page, `devroom-${name}-stage`);
    await page.click('#side-tabs [data-pane="chat"]');
    await page.fill("#say-text", "@Robin what is the score? I cannot see it from over here, and would like to know before I join.");
    await page.press("#say-text", "Enter");
    const heard = await until("Robin hears it", () => agent.events.flatMap(({ events }) => events).find(({ addressed }) => addressed));
    assert.match(heard.message.text, /^@Robin what is the score/);
    const instance = agent.events.at(-1).roomApps[0].appInstanceId;
    await agent.ask(instance, { type: "observe" });
    await picture(page, `devroom-${name}-chat`);
    await page.click('#side-tabs [data-pane="people"]');
    await picture(page, `devroom-${name}-people`);
    await page.click('#side-tabs [data-pane="agents"]');
    await page.click("#activity summary");
    const exchange = /Robin → Echo[\s\S]*answered in \d+ ms[\s\S]*"observe"[\s\S]*"echo"/;
    await until("the exchange is shown", async () => exchange.test(await page.innerText("#activity li")));
    await picture(page, `devroom-${name}-agents`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(overflow, 0, `${name} is wider than its screen`);
    assert.deepEqual(page.problems, []);
    agent.close();
    if (name === "low") await page.click('#side-tabs [data-pane="people"]');
    await page.click(".leave:visible");
    await until("the door is shown", () => page.isVisible("#enter"));
    await page.context().close();
  }
});
