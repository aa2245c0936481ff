// Agents in a match through people's pages: the host's checklist, A9 to A19, A22 and A24, end to end. The items
// are named by their number in docs/room.md.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { openTabs, pause, picture, serve, startMatchd, temporaryFolder, until, withGame } from "./harness.mjs";
import { openRoom } from "./room-host.mjs";

const game = withGame();

/** What the platform lets through. */
const ENVELOPE_BYTES_MAX = 16_384;
/** An App that has not answered by then has not answered. */
const DEADLINE_MS = 15_000;

const bytesOf = (value) => Buffer.byteLength(JSON.stringify(value));
/** An answer as the platform carries it. */
const envelope = ({ requestId, appInstanceId, ok, result, error }) =>
  ({ type: "room-app-agent-response", requestId, appInstanceId, ok, ...(ok ? { result } : { error }) });
const watches = (room, id) =>
  until(`${id} watches`, () => room.app(id)?.evaluate(() => document.body?.dataset.state === "watching").catch(() => false));

const withRoom = async (check, server = () => game.server) => check(await openRoom(game.browser, server().play));

/** A call over a person's page that the match grants. */
async function call(room, id, payload) {
  const answer = await room.request(id, payload);
  assert.equal(answer.ok, true, JSON.stringify(answer));
  assert.equal(answer.result.ok, true, JSON.stringify(answer.result));
  return answer.result.result;
}

/** A call over a person's page that the match refuses: the fault. */
async function refusal(room, id, payload) {
  const answer = await room.request(id, payload);
  assert.deepEqual([answer.ok, answer.result?.ok], [true, false], JSON.stringify(answer));
  assert.ok(bytesOf(answer.result.error) <= 512);
  return answer.result.error;
}

const takeSeat = (room, id, name) => call(room, id, { type: "act", action: { type: "take_seat", name } });
const observe = (room, id, token) => call(room, id, { type: "observe", ...(token && { token }) });
const order = (room, id, token, order) => call(room, id, { type: "act", token, action: { type: "order", order } });
const player = (seen, id) => seen.players.find((one) => one.id === id);

/** A contract endpoint that does what its requests say. */
const stub = { held: [], calls: 0 };
let stubbed;

before(async () => {
  const reply = (response, body, head = {}) =>
    response.writeHead(200, { "content-type": "application/json", "access-control-allow-origin": "*", ...head }).end(body);
  const port = await serve(async (request, response) => {
    if (request.method === "OPTIONS") {
      const allowed = { "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "" };
      return reply(response, "", allowed);
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    stub.calls += 1;
    const asked = JSON.parse(body);
    switch (asked?.do) {
      case "hang": return;
      case "hang in the body":
        response.writeHead(200, { "access-control-allow-origin": "*" }).write(`{"ok":`);
        return;
      case "wait": return stub.held.push(() => reply(response, JSON.stringify({ ok: true, name: asked.name })));
      case "break": return request.socket.destroy();
      case "fail": return response.writeHead(500, { "access-control-allow-origin": "*" }).end("{}");
      case "forbid": return response.writeHead(200).end("{}");
      case "say": return reply(response, asked.text);
      case "fill": return reply(response, JSON.stringify({ filler: "ü".repeat(asked.characters) }));
      default: return reply(response, JSON.stringify({ ok: true }));
    }
  });
  const file = join(temporaryFolder(), "matchd.toml");
  writeFileSync(file, `[contract]\npublic_url = "http://127.0.0.1:${port}/contract"\n`);
  stubbed = await startMatchd({ args: ["--config", file] });
});

test("A9 every request gets exactly one answer in time, whatever the match server does", () => withRoom(async (room) => {
  await room.open("ada");
  await watches(room, "ada");
  const deep = JSON.parse(`${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`);
  const cases = [
    [{ do: "hang" }, "match_slow"],
    [{ do: "hang in the body" }, "match_slow"],
    [{ do: "break" }, "match_unreachable"],
    [{ do: "fail" }, "match_unreachable"],
    [{ do: "forbid" }, "match_unreachable"],
    [{ do: "say", text: "" }, "match_unreachable"],
    [{ do: "say", text: "<html>" }, "match_unreachable"],
    [{ do: "say", text: "[1]" }, "match_unreachable"],
    [{ do: "say", text: '{"ok":' }, "match_unreachable"],
    [{ do: "say", text: "{\"a\":1e999}" }, undefined],
    [{ do: "say", text: `{"a":"${"x".repeat(200)}"}` }, undefined],
    [{ do: "fill", characters: 1_000_000 }, "match_unreachable"],
    [[], undefined],
    [null, undefined],
    [deep, undefined],
  ];
  for (const [payload, error] of cases) {
    const answer = await room.request("ada", payload);
    const said = JSON.stringify(payload).slice(0, 80);
    assert.deepEqual([answer.ok, answer.error], error ? [false, error] : [true, undefined], said);
    // Its own deadline is 3 s; how far beyond a busy machine drives it is not the App's doing.
    assert.ok(answer.ms < DEADLINE_MS, `${said} took ${answer.ms} ms`);
  }
  const answers = await room.said("ada", "agentResponse");
  assert.equal(answers.length, cases.length);
  assert.equal(new Set(answers.map((one) => one.message.requestId)).size, cases.length);
  // More than the host lets through at a time are answered, too, once each.
  const many = await room.host((host) => Promise.all(Array.from({ length: 12 }, () => host.request("ada", { do: "hang" }))));
  const errors = many.map((one) => one.error).sort();
  assert.deepEqual(errors, [...Array(8).fill("match_slow"), ...Array(4).fill("too_many_requests")]);
}, () => stubbed));

test("A9 A12 the deadline holds in a frame nobody sees, whose timers rest", () => withRoom(async (room) => {
  await room.page.addInitScript(() => {
    if (window === window.top) return;
    // From the beginning nothing that waits for time ever happens.
    for (const name of ["setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback"]) window[name] = () => 0;
  });
  await room.page.reload();
  await room.open("ada");
  await room.page.addStyleTag({ content: "iframe { display: none }" });
  const [slow, quick] = await Promise.all([room.request("ada", { do: "hang" }), room.request("ada", { do: "answer" })]);
  assert.deepEqual([slow.error, quick.ok], ["match_slow", true]);
  assert.ok(slow.ms < DEADLINE_MS);
}, () => stubbed));

test("A9 A12 and in a tab behind another one, which the browser slows down", async () => {
  const tabs = await openTabs();
  const openPage = async (url) => {
    const page = await tabs.newPage();
    await page.goto(url);
    return page;
  };
  const room = await openRoom(undefined, stubbed.play, { openPage });
  await room.open("ada");
  await watches(room, "ada");
  const front = await tabs.newPage();
  await front.bringToFront();
  await until("the Room is hidden", () => room.page.evaluate(() => document.hidden));
  for (let round = 0; round < 3; round += 1) {
    const [slow, quick] = await Promise.all([room.request("ada", { do: "hang" }), room.request("ada", { do: "answer" })]);
    assert.deepEqual([slow.error, quick.ok], ["match_slow", true]);
    assert.ok(slow.ms < DEADLINE_MS);
  }
});

test("A10 no answer is longer than the platform carries", () => withRoom(async (room) => {
  await room.host((host) => (host.rules.instance = "a".repeat(96)));
  await room.open("ada");
  await watches(room, "ada");
  const empty = bytesOf(envelope({ requestId: "r".repeat(64), appInstanceId: "a".repeat(96), ok: true, result: { filler: "" } }));
  const room16 = Math.floor((ENVELOPE_BYTES_MAX - empty) / 2);
  const fits = await room.request("ada", { do: "fill", characters: room16 }, { requestId: "r".repeat(64) });
  assert.equal(fits.ok, true);
  assert.ok(ENVELOPE_BYTES_MAX - bytesOf(envelope(fits)) <= 1);
  const over = await room.request("ada", { do: "fill", characters: room16 + 1 }, { requestId: "q".repeat(64) });
  assert.deepEqual([over.ok, over.error], [false, "answer_too_large"]);
}, () => stubbed));

test("A10 and the match's own answers fit", () => withRoom(async (room) => {
  await room.host((host) => (host.rules.instance = "a".repeat(96)));
  await room.open("ada");
  await watches(room, "ada");
  for (const type of ["describe", "observe"]) {
    const answer = await room.request("ada", { type }, { requestId: `${type}-${"r".repeat(50)}` });
    assert.equal(answer.ok, true);
    assert.ok(bytesOf(envelope(answer)) <= ENVELOPE_BYTES_MAX);
  }
}));

test("A11 what the match refuses is an answer, and only what this page cannot do is none", () => withRoom(async (room) => {
  await room.open("ada");
  await watches(room, "ada");
  const fault = await refusal(room, "ada", { type: "act", action: { type: "take_seat", name: "Nova", team: "green" } });
  assert.equal(fault.code, "bad_value");
  assert.ok(fault.legal.includes("red"));
  assert.equal((await refusal(room, "ada", { type: "fly" })).code, "bad_value");
}));

test("A13 requests are answered apart and in any order", () => withRoom(async (room) => {
  await room.open("ada");
  await watches(room, "ada");
  const order = [];
  const first = room.request("ada", { do: "wait", name: "first" }).then((answer) => order.push(answer.result.name));
  await until("the first is with the match", () => stub.held.length === 1);
  await room.request("ada", { do: "answer" }).then(() => order.push("second"));
  stub.held.pop()();
  await first;
  assert.deepEqual(order, ["second", "first"]);
}, () => stubbed));

test("A14 every replica gives the same answers, and A15 goes on where another one left", () => withRoom(async (room) => {
  for (const id of ["ada", "bo"]) {
    await room.open(id);
    await watches(room, id);
  }
  const nova = await takeSeat(room, "ada", "Nova");
  await order(room, "ada", nova.token, { type: "press" });
  const seen = await observe(room, "bo", nova.token);
  assert.equal(player(seen, nova.seat).holder, "agent");
  // Two answers about one tick are equal to the byte.
  await until("both tell of one tick", async () => {
    const ask = (id) => room.request(id, { type: "observe", token: nova.token });
    const [one, other] = await Promise.all([ask("ada"), ask("bo")]);
    if (one.result.tick !== other.result.tick) return false;
    assert.equal(JSON.stringify(one.result), JSON.stringify(other.result));
    return true;
  }, { everyMs: 300 });

  const tick = (await room.request("ada", { type: "observe" })).result.tick;
  await room.host((host) => host.leave("ada"));
  const after = await room.request("bo", { type: "observe", token: nova.token });
  assert.ok(after.result.tick >= tick);
  assert.deepEqual([player(after.result.result, nova.seat).holder, player(after.result.result, nova.seat).id], ["agent", nova.seat]);
  await order(room, "bo", nova.token, { type: "stop" });
}));

test("A16 describe is always the same and fits", () => withRoom(async (room) => {
  for (const id of ["ada", "bo"]) {
    await room.open(id);
    await watches(room, id);
  }
  const [one, other] = [await room.request("ada", { type: "describe" }), await room.request("bo", { type: "describe" })];
  assert.deepEqual(one.result.result, other.result.result);
  assert.ok(one.result.contract_version >= 1);
  assert.ok(bytesOf(envelope(one)) <= ENVELOPE_BYTES_MAX);
}));

test("A17 a seat is known by its token, never by who is said to ask", () => withRoom(async (room) => {
  await room.open("ada");
  await watches(room, "ada");
  const nova = await takeSeat(room, "ada", "Nova");
  const wrong = "0".repeat(32);
  assert.equal((await refusal(room, "ada", { type: "observe", token: wrong })).code, "bad_token");
  // The platform refuses such a payload, and should it come through, so does the match.
  const posing = { type: "observe", sourceParticipantId: "nova" };
  assert.equal((await refusal(room, "ada", posing)).code, "unknown_field");
  await call(room, "ada", { type: "act", token: nova.token, action: { type: "leave_seat" } });
  assert.equal((await refusal(room, "ada", { type: "observe", token: nova.token })).code, "bad_token");
}));

test("who relays is told no more than their own page sees, and everybody sees that they do", () => withRoom(async (room) => {
  for (const id of ["ada", "bo"]) {
    await room.open(id);
    await watches(room, id);
  }
  const { token } = await call(room, "ada", { type: "act", action: { type: "take_seat", name: "Nova", team: "red" } });
  await order(room, "ada", token, { type: "press" });
  const isWithheld = async () => (await observe(room, "ada", token)).left_out.withheld_from_relay;
  const saysThrough = (id, who) => until(`${id} reads through whom the Agent plays`, async () =>
    (await room.app(id).textContent("#crowd")).endsWith(` · Agents through ${who}`));
  assert.equal(await isWithheld(), false, "who watches sees both teams");
  await saysThrough("bo", "a watcher");
  await room.app("ada").click(".teams .blue");
  await room.app("ada").click("#join");
  await until("ada plays", () => room.app("ada").evaluate(() => document.body.dataset.state === "playing"));
  assert.equal(await isWithheld(), true, "the other team's plans are not for her");
  await saysThrough("bo", "ada");
  await picture(room.page, "room-relay");
  assert.equal((await observe(room, "bo", token)).left_out.withheld_from_relay, false);
  await saysThrough("ada", "a watcher");
}));

test("A18 an act that is sent again acts once, over whichever page", () => withRoom(async (room) => {
  for (const id of ["ada", "bo"]) {
    await room.open(id);
    await watches(room, id);
  }
  const nova = await takeSeat(room, "ada", "Nova");
  const act = { type: "act", token: nova.token, key: "clear-1", action: { type: "order", order: { type: "clear" } } };
  const answers = await Promise.all(["ada", "bo", "ada", "bo"].map((id) => call(room, id, act)));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  // Done twice, the second order would have ended the first.
  const { outcomes } = await observe(room, "bo", nova.token);
  assert.deepEqual(outcomes.filter((outcome) => outcome.order !== answers[0].order_id), []);
  const other = { ...act, action: { type: "order", order: { type: "press" } } };
  assert.equal((await refusal(room, "bo", other)).code, "key_reused");
}));

test("A19 what is stale or illegal is refused with what is so now, and nothing of it happens", () => withRoom(async (room) => {
  await room.open("ada");
  await watches(room, "ada");
  const nova = await takeSeat(room, "ada", "Nova");
  const act = (action, more = {}) => room.request("ada", { type: "act", token: nova.token, action, ...more });
  const { tick } = (await room.request("ada", { type: "observe" })).result;
  const press = { type: "order", order: { type: "press" } };
  const stale = await act(press, { based_on_tick: tick + 100_000 });
  assert.deepEqual([stale.ok, stale.result.ok, stale.result.error.code], [true, false, "stale"]);
  assert.ok(stale.result.tick >= tick);
  const illegal = await act({ type: "order", order: { type: "mark", player: nova.seat } });
  assert.deepEqual([illegal.ok, illegal.result.ok], [true, false]);
  assert.ok(illegal.result.error.legal.length > 0, JSON.stringify(illegal));
  const seen = await observe(room, "ada", nova.token);
  assert.deepEqual(seen.outcomes, []);
}));

test("A22 whoever comes late or anew sees everything at once", () => withRoom(async (room) => {
  await room.open("ada");
  await watches(room, "ada");
  const keeper = await takeSeat(room, "ada", "Still");
  await order(room, "ada", keeper.token, { type: "stop" });
  const stands = (id) => until(`${id} sees it`, () => room.app(id)?.evaluate((seat) => {
    const shown = window.matchd?.picture();
    return shown?.players.length === 6 && shown.players.some((one) => one.seat === seat && one.name === "Still");
  }, keeper.seat).catch(() => false));
  await stands("ada");
  await room.host((host) => host.leave("ada"));
  // No other replica is there to help.
  await room.host((host, kept) => host.kept.set("bo", kept), await room.host((host) => host.kept.get("ada")));
  await room.open("bo");
  await stands("bo");
  await room.reload("bo");
  await stands("bo");
}));

test("A24 a match that nobody has open is not ticked", async () => {
  const file = join(temporaryFolder(), "matchd.toml");
  writeFileSync(file, "[matches]\nsleep_after_ms = 500\n");
  const server = await startMatchd({ args: ["--config", file] });
  const ticks = async () => {
    const metrics = await (await fetch(new URL("metrics", `${server.ops}/`))).text();
    return Number(/^matchd_ticks_total (\d+)/m.exec(metrics)[1]);
  };
  const moves = async () => {
    const before = await ticks();
    await pause(300);
    return (await ticks()) > before;
  };
  await withRoom(async (room) => {
    await room.open("ada");
    await watches(room, "ada");
    await until("it moves", moves);
    await room.host((host) => host.close("ada"));
    await until("nothing moves", async () => !(await moves()));
    await room.open("ada");
    await until("it moves again", moves);
  }, () => server);
});
