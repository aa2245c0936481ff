// The App as a good guest of a Room: the host's checklist, A1 to A8, A12, A20, A21 and A23, in a sandboxed frame of another
// site. What Agents get through it is in room-agents.test.mjs. The items are named by their number in docs/room.md.

import assert from "node:assert/strict";
import { test } from "node:test";
import { picture, startMatchd, until, withGame } from "./harness.mjs";
import { openRoom } from "./room-host.mjs";

const game = withGame();

const INSTANCE = "arena:64b82acb";
/** A mark of the App's page; none while the frame is loading. */
const mark = (room, id, name) => room.app(id)?.evaluate((name) => document.body?.dataset[name], name).catch(() => undefined);
const state = (room, id) => mark(room, id, "state");
const standing = (room, id) => mark(room, id, "room");
const shown = (room, id) => room.app(id).evaluate(() => window.matchd?.picture() ?? null);
const watches = (room, id) => until(`${id} watches`, async () => (await state(room, id)) === "watching");
const plays = (room, id) => until(`${id} plays`, async () => (await state(room, id)) === "playing");

const withRoom = async (check) => check(await openRoom(game.browser, game.server.play));

async function join(room, id) {
  await watches(room, id);
  await room.app(id).click("#join");
  await plays(room, id);
  return mark(room, id, "seat");
}

test("A1 only a bootstrap of the parent with the right version and one port is answered", () => withRoom(async (room) => {
  await room.open("ada", { isSilent: true });
  await until("the App has loaded", () => room.app("ada")?.evaluate(() => window.matchd !== undefined));
  const oddities = [
    [{ type: "room-app-bootstrap-2" }], [{ protocolVersion: 2 }], [{ protocolVersion: "1" }], [{ appInstanceId: "A!" }],
    [{ appInstanceId: null }], [{ handshakeToken: "" }], [{ handshakeToken: "t".repeat(129) }], [{ handshakeToken: 7 }],
    [{ more: 1 }, 0], [{ more: 1 }, 2],
  ];
  for (const oddity of oddities) await room.host((host, oddity) => host.bootstrap("ada", ...oddity), oddity);
  // A sibling frame knows all that a parent does, but is not the parent.
  await room.page.evaluate(() => {
    const sibling = document.createElement("iframe");
    sibling.srcdoc = `<script>
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => parent.postMessage(["sibling got", data], "*");
      const message = { type: "room-app-bootstrap", protocolVersion: 1, appInstanceId: "arena:64b82acb", handshakeToken: "t" };
      parent.frames.ada.postMessage(message, "*", [port2]);
      parent.postMessage("sibling spoke", "*");
    <\/script>`;
    document.body.append(sibling);
  });
  await until("the sibling has spoken", () => room.host((host) => host.toWindow.includes("sibling spoke")));
  await room.bootstrap("ada");
  const answers = await room.said("ada", "ready");
  assert.deepEqual(answers.map(({ isCurrent }) => isCurrent), [true]);
  assert.deepEqual(await room.host((host) => host.toWindow), ["sibling spoke"]);
}));

test("A2 the answer goes to the port alone, with the same instance and token", () => withRoom(async (room) => {
  await room.open("ada");
  await watches(room, "ada");
  const [{ token, message }] = await room.said("ada", "ready");
  assert.deepEqual(message, { type: "ready", appInstanceId: INSTANCE, handshakeToken: token });
  assert.deepEqual(await room.host((host) => host.toWindow), []);
}));

test("A3 a second bootstrap takes the place of the first, and match and seat stay", () => withRoom(async (room) => {
  const sockets = [];
  room.page.on("websocket", (socket) => sockets.push(socket));
  await room.open("ada");
  const seat = await join(room, "ada");
  await room.host((host) => { window.oldPort = host.people.get("ada").port; });
  await room.bootstrap("ada");
  const before = (await room.said("ada")).length;
  await room.page.evaluate((instance) => {
    window.oldPort.postMessage({ type: "agent_request", requestId: "old", appInstanceId: instance, payload: { type: "describe" } });
  }, INSTANCE);
  const answer = await room.request("ada", { type: "describe" });
  assert.equal(answer.ok, true);
  const after = await room.said("ada");
  assert.ok(after.slice(before).every((one) => one.isCurrent && one.message.requestId !== "old"));
  assert.equal(await state(room, "ada"), "playing");
  assert.equal(await mark(room, "ada", "seat"), seat);
  assert.deepEqual(sockets.map((socket) => socket.isClosed()), [false]);
  const { result } = await room.request("ada", { type: "observe" });
  assert.equal(result.result.players.filter((player) => player.holder === "person").length, 1);
}));

test("A4 an opaque origin is enough: no storage, and every file may be loaded by it", () => withRoom(async (room) => {
  const responses = [];
  room.page.on("response", (response) => responses.push(response));
  await room.open("ada");
  await join(room, "ada");
  const frame = room.app("ada");
  assert.equal(await frame.evaluate(() => window.origin), "null");
  const stores = await frame.evaluate(() => ["localStorage", "sessionStorage", "indexedDB"].map((name) => {
    try {
      return name === "indexedDB" ? indexedDB.open("x") && "there" : window[name] && "there";
    } catch {
      return "none";
    }
  }));
  assert.deepEqual(stores, ["none", "none", "none"]);
  const files = responses.filter((response) => response.url().startsWith(game.server.play));
  const types = new Map();
  for (const file of files) {
    const headers = await file.allHeaders();
    types.set(new URL(file.url()).pathname, headers["content-type"]);
    assert.equal(headers["access-control-allow-origin"], "*", file.url());
    assert.equal(headers["x-frame-options"], undefined);
    assert.match(headers["content-security-policy"] ?? "frame-ancestors *", /frame-ancestors \*/);
  }
  assert.equal(types.get("/client_wasm_bg.wasm"), "application/wasm");
  assert.match(types.get("/boot.js"), /javascript/);
  assert.deepEqual(room.page.problems, []);
}));

for (const sandbox of ["allow-scripts", "allow-scripts allow-downloads"]) {
  test(`A5 sandbox="${sandbox}" and allow="" are enough`, () => withRoom(async (room) => {
    // What a sandbox forbids may not even be tried.
    await room.page.addInitScript(() => {
      window.tried = [];
      const watch = (object, ...names) => names.forEach((name) => {
        object[name] = () => window.tried.push(name);
      });
      if (window === window.top) return;
      watch(window, "alert", "confirm", "prompt", "open", "print");
      watch(Element.prototype, "requestPointerLock", "requestFullscreen");
      watch(HTMLFormElement.prototype, "submit", "requestSubmit");
    });
    await room.page.reload();
    await room.host((host, sandbox) => (host.rules.sandbox = sandbox), sandbox);
    await room.open("ada");
    await join(room, "ada");
    const frame = room.app("ada");
    const own = async () => (await shown(room, "ada"))?.players.find((one) => one.name === "ada")?.at;
    const from = await until("the page shows its player", own);
    await frame.click("#stage");
    await room.page.keyboard.down("ArrowDown");
    await until("keys move the player", async () => {
      const at = await own();
      return Math.hypot(at.x - from.x, at.y - from.y) > 20;
    });
    await room.page.keyboard.up("ArrowDown");
    await frame.click("#leave");
    await watches(room, "ada");
    assert.deepEqual(await frame.evaluate(() => window.tried), []);
    assert.equal(await frame.evaluate(() => document.querySelectorAll("form, dialog").length), 0);
    assert.deepEqual(room.page.problems, []);
  }));
}

test("A6 strangers, news and odd recoveries are left alone", () => withRoom(async (room) => {
  await room.host((host) => host.kept.set("ada", "\u0000junk".repeat(9000)));
  await room.open("ada");
  await watches(room, "ada");
  const before = (await room.said("ada")).length;
  await room.host((host, instance) => {
    const { port } = host.people.get("ada");
    const payload = { type: "describe" };
    port.postMessage({ type: "agent_request", requestId: "r1", appInstanceId: "arena:00000000", payload });
    port.postMessage({ type: "agent_request", requestId: "r2", payload });
    port.postMessage({ type: "agent_request", requestId: "{}", appInstanceId: instance, payload });
    for (const odd of [null, 5, "ready", [], {}, new Map(), 5n, { type: "shared_state" }, { type: "later", big: 5n }]) {
      port.postMessage(odd);
    }
    const loop = { appInstanceId: instance, type: "participant_join" };
    loop.participant = loop;
    port.postMessage(loop);
    for (const type of ["later", "ready", "participant_leave", "participant_join", "unicast", "reliable", "error"]) {
      host.say("ada", { type, participant: { participantId: 5 }, payload: [], participants: 7, self: "ada", more: {} });
    }
  }, INSTANCE);
  assert.equal((await room.request("ada", { type: "describe" })).ok, true);
  const answers = (await room.said("ada")).slice(before).filter((one) => one.message.type === "agentResponse");
  assert.equal(answers.length, 1);
  assert.equal(await state(room, "ada"), "watching");
  assert.deepEqual(room.page.problems, []);
}));

test("A7 the roster follows the Room: 32 of them, Agents too, and leaves of unknown ones", () => withRoom(async (room) => {
  await room.host((host) => {
    host.enter("nova", { name: "  No\u202eva\n <b>bold</b> and very long indeed ", kind: "agent" });
    for (let n = 0; n < 30; n += 1) host.enter(`p${n}`, { name: `Person ${n}` });
  });
  await room.open("ada");
  const count = () => room.app("ada").textContent("#room-count");
  await until("all are counted", async () => (await count()) === "32");
  await room.host((host) => {
    for (let n = 0; n < 30; n += 1) host.leave(`p${n}`);
    host.say("ada", { type: "participant_leave", participant: { participantId: "nobody", name: "x", kind: "human" } });
  });
  await until("and missed", async () => (await count()) === "2");
  await room.app("ada").click("#room-toggle");
  const lines = await room.app("ada").locator("#room-list li").allInnerTexts();
  assert.deepEqual(lines.map((line) => line.split(/\s*\n\s*/)), [["Nova <b>bold</b> and ver", "Agent"], ["ada", "you"]]);
  await picture(room.page, "room-1280x720");
  for (const [width, height] of [[390, 844], [844, 390]]) {
    await room.page.setViewportSize({ width, height });
    await picture(room.page, `room-${width}x${height}`);
  }
}));

test("A8 the host's rates are never met, and a host that complains is left in peace", () => withRoom(async (room) => {
  await room.host((host) => {
    for (let n = 0; n < 31; n += 1) host.enter(`p${n}`);
  });
  await room.open("ada");
  await watches(room, "ada");
  await until("everybody was asked", async () => (await room.said("ada", "sendReliableTo")).length >= 31);
  await room.host((host) => Object.assign(host.rules, { unicast: "refuse", lanes: "refuse" }));
  const before = (await room.said("ada")).length;
  await room.host((host) => {
    for (let n = 0; n < 31; n += 1) {
      host.say("ada", { type: "unicast", sourceParticipantId: `p${n}`, payload: { type: "matchd_ask" } });
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const all = await room.said("ada");
  const lanes = { sendReliable: 20, sendRealtime: 60, sendReliableTo: 10 };
  for (const [type, most] of Object.entries(lanes)) {
    const times = all.filter((one) => one.message.type === type).map((one) => one.ms);
    for (const from of times) {
      const within = times.filter((ms) => ms >= from && ms < from + 1_000).length;
      assert.ok(within <= most, `${within} times ${type} in a second`);
    }
  }
  const bytes = all.reduce((sum, one) => sum + JSON.stringify(one.message).length, 0);
  assert.ok(bytes < 65_536, `${bytes} bytes in all`);
  // One burst at once and then one after a second, two, four …
  const refused = all.slice(before).filter((one) => one.message.type === "sendReliableTo").length;
  assert.ok(refused > 0 && refused <= 20, `${refused} tries`);
  // What matters is in the match server.
  assert.equal(await state(room, "ada"), "watching");
  assert.equal((await room.request("ada", { type: "observe" })).ok, true);
}));

test("A12 Agents are served by a frame nobody sees, whose timers and frames rest", () => withRoom(async (room) => {
  await room.page.addInitScript(() => {
    if (window === window.top) return;
    // From the beginning nothing that waits for time ever happens.
    for (const name of ["setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback"]) window[name] = () => 0;
  });
  await room.page.reload();
  await room.host((host) => host.enter("bo"));
  await room.open("ada");
  await room.page.addStyleTag({ content: "iframe { display: none }" });
  const observed = await room.request("ada", { type: "observe" });
  assert.equal(observed.ok, true, JSON.stringify(observed));
  const taken = await room.request("ada", { type: "act", action: { type: "take_seat", name: "Nova" } });
  assert.equal(taken.result.ok, true, JSON.stringify(taken));
}));

test("A20 nothing of the Room goes to anybody but the match server, and hardly anything to that", () => withRoom(async (room) => {
  const hosts = new Set();
  const words = [];
  const log = (bytes) => words.push(Buffer.from(bytes ?? "").toString("latin1"));
  room.page.on("request", (request) => {
    if (request.frame() === room.page.mainFrame() || request.url().startsWith("data:")) return;
    hosts.add(new URL(request.url()).host);
    log(`${request.url()} ${request.postData() ?? ""} ${JSON.stringify(request.headers())}`);
  });
  room.page.on("websocket", (socket) => {
    hosts.add(new URL(socket.url()).host);
    log(socket.url());
    socket.on("framesent", ({ payload }) => log(payload));
  });
  await room.host((host) => {
    host.enter("participant-id-of-bo", { name: "Bo of the Room" });
    host.enter("participant-id-of-ada", { name: "Ada" });
  });
  await room.open("participant-id-of-ada");
  await join(room, "participant-id-of-ada");
  await room.request("participant-id-of-ada", { type: "observe" });
  assert.deepEqual([...hosts].sort(), [game.server.play, game.server.contract].map((url) => new URL(url).host).sort());
  const all = words.join("\n");
  const [{ token }] = await room.said("participant-id-of-ada", "ready");
  const { join: secret } = JSON.parse(await room.host((host) => host.kept.get("participant-id-of-ada")));
  for (const word of ["participant-id-of", "Bo of the Room", token, secret, INSTANCE]) {
    assert.ok(!all.includes(word), `${word} was sent`);
  }
  // The person's name was, when they joined under it, and what is looked for would have been found.
  assert.ok(all.includes("Ada") && all.includes("room."));
  // Nor could a bug send it anywhere else.
  const blocked = await room.app("participant-id-of-ada").evaluate((url) => fetch(url).then(() => "sent", () => "blocked"), room.page.url());
  assert.equal(blocked, "blocked");
}));

test("A21 the milestone is told once, with exactly three keys", () => withRoom(async (room) => {
  await room.open("ada");
  await join(room, "ada");
  await room.app("ada").click("#leave");
  await join(room, "ada");
  await room.bootstrap("ada");
  await room.app("ada").click("#leave");
  await join(room, "ada");
  const told = await room.said("ada", "milestone");
  assert.deepEqual(told.map((one) => one.message), [{ type: "milestone", appInstanceId: INSTANCE, milestone: "engaged" }]);
}));

test("A23 without a match server the page says so, and the Room does not mind", async () => {
  const server = await startMatchd();
  const room = await openRoom(game.browser, server.play);
  await room.open("ada");
  await watches(room, "ada");
  assert.equal((await room.request("ada", { type: "describe" })).ok, true);
  await server.stop();
  await until("the page says so", async () =>
    (await room.app("ada").textContent("#notice-text")) === "The match server cannot be reached. Trying again…");
  await picture(room.page, "room-server-down");
  const answer = await room.request("ada", { type: "observe" });
  assert.deepEqual([answer.ok, answer.error], [false, "match_unreachable"]);
  await room.host((host) => host.enter("bo"));
  await until("the Room goes on", async () => (await room.app("ada").textContent("#room-count")) === "2");
});

test("replicas agree on one match, whoever is first, and find it again", () => withRoom(async (room) => {
  await room.open("ada");
  await watches(room, "ada");
  assert.equal(await standing(room, "ada"), "made");
  const seat = await join(room, "ada");
  await room.open("bo");
  await watches(room, "bo");
  assert.equal(await standing(room, "bo"), "given");
  await until("bo sees ada play", async () => (await shown(room, "bo"))?.players.find((one) => one.seat === seat)?.name === "ada");
  await picture(room.page, "room-two");
  // Loaded anew, ada has her seat again: the host has kept what leads to it.
  await room.reload("ada");
  await plays(room, "ada");
  assert.equal(await mark(room, "ada", "seat"), seat);
  // Everybody closes the App; whoever comes back finds the match.
  const kept = await room.host((host) => JSON.parse(host.kept.get("bo")).join);
  await room.host((host) => {
    host.close("ada");
    host.close("bo");
  });
  await room.open("bo");
  await until("bo is told", async () => (await room.app("bo").textContent("#notice-text")) === "Back in this Room's match.");
  assert.equal(await room.host((host) => JSON.parse(host.kept.get("bo")).join), kept);
}));

test("replicas that could not hear each other come together when they can", () => withRoom(async (room) => {
  await room.host((host) => Object.assign(host.rules, { unicast: "lose", lanes: "lose" }));
  for (const id of ["ada", "bo"]) await room.open(id);
  for (const id of ["ada", "bo"]) {
    await watches(room, id);
    assert.equal(await standing(room, id), "made");
  }
  const seat = await join(room, "bo");
  await room.host((host) => Object.assign(host.rules, { unicast: "deliver", lanes: "deliver" }));
  const secrets = () => room.host((host) => ["ada", "bo"].map((id) => JSON.parse(host.kept.get(id)).join));
  await until("both hold one secret", async () => new Set(await secrets()).size === 1, { timeoutMs: 40_000 });
  // The older match is the one to stay in, and whoever played goes on there.
  assert.equal(await standing(room, "bo"), "moved");
  await plays(room, "bo");
  await until("ada sees bo", async () => (await shown(room, "ada"))?.players.some((one) => one.name === "bo"));
  assert.ok(seat);
}));

test("a frame whose host is no Room shows the match anybody may watch", () => withRoom(async (room) => {
  await room.open("ada", { isSilent: true });
  await watches(room, "ada");
  assert.equal(await standing(room, "ada"), undefined);
  assert.equal(await room.app("ada").isVisible("#room"), false);
  // Better late than never.
  await room.host((host) => host.bootstrap("ada"));
  await until("it is a Room after all", async () => (await standing(room, "ada")) === "made");
  await watches(room, "ada");
}));
