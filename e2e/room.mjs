// People and Agents in a Room, for browser tests.

import { closeLater, openPage, until } from "./harness.mjs";

/** Runs in the page: keeps the socket over which the host page talks to the Room. */
function keepRoomSocket() {
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (text) {
    if (new URL(this.url).pathname === "/api/room/socket") window.roomSocket = this;
    send.call(this, text);
  };
}

/** A page of somebody who enters the Room under this name. */
export async function enterRoom(browser, room, name, options) {
  const page = await openPage(browser, room.url, { ...options, script: keepRoomSocket });
  await page.fill("#name", name);
  await page.click("#enter button");
  await until(`${name} is inside`, () => page.evaluate(() => document.body.dataset.state === "inside"));
  return page;
}

/** Opens an App by its title and waits until it is ready, and the Room knows: from then on it can be asked. */
export async function openApp(page, title) {
  await page.click(`#shelf-list li:has-text("${title}") button`);
  await until(`${title} is ready`, async () => (await coverState(page)) === "ready");
  await roomHasHeard(page);
}

/**
 * Waits until the Room has heard what the page has told it so far. It answers nothing of that, but it hears one thing after
 * the other; so it has heard all once it refuses what is no message.
 */
export async function roomHasHeard(page) {
  await page.evaluate(() => {
    window.isRefused = false;
    window.roomSocket.addEventListener("message", ({ data }) => {
      if (JSON.parse(data).type === "error") window.isRefused = true;
    });
    window.roomSocket.send("{}");
  });
  await until("the Room has heard it all", () => page.evaluate(() => window.isRefused));
}

/** What the host page says about the App it shows: starting, ready or failed. */
export const coverState = (page) =>
  page.evaluate(() => document.querySelector(".app:not([hidden]) .cover")?.dataset.state ?? null);

/** An Agent in the Room, with its resident socket open. */
export async function joinAsAgent(room, name) {
  const joined = await post(room, "api/room/join", { name, kind: "agent" });
  const identity = await joined.json();
  const headers = {
    "x-room-id": identity.room,
    "x-room-participant-id": identity.participantId,
    "x-room-participant-token": identity.participantToken,
  };
  const address = new URL("api/room/agent-events", room.url);
  address.protocol = "ws:";
  const socket = await openSocket(address, headers);
  closeLater(() => socket.close());
  return {
    ...identity,
    /** Every events frame so far. */
    events: socket.frames,
    /** Asks an App; the answer is { status, body }. */
    async ask(appInstanceId, payload) {
      const response = await post(room, "api/room/agent-app-request", { appInstanceId, payload }, headers);
      return { status: response.status, body: await response.json() };
    },
    close: () => socket.close(),
  };
}

const post = (room, path, body, headers = {}) =>
  fetch(new URL(path, room.url), { method: "POST", headers, body: JSON.stringify(body) });

/** A WebSocket with headers, which the one of browsers cannot send: the handshake by hand, and frames read as text. */
async function openSocket(address, headers) {
  const { request } = await import("node:http");
  const asked = request({
    host: address.hostname,
    port: address.port,
    path: address.pathname,
    headers: {
      ...headers,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64"),
    },
  });
  asked.end();
  const [socket, head] = await new Promise((resolve, reject) => {
    asked.on("upgrade", (_, socket, head) => resolve([socket, head]));
    asked.on("response", (response) => reject(new Error(`the Room refuses the socket: ${response.statusCode}`)));
    asked.on("error", reject);
  });
  const frames = [];
  let bytes = head;
  const read = (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const frame = firstFrame(bytes);
      if (!frame) return;
      bytes = bytes.subarray(frame.end);
      if (frame.kind === 1) frames.push(JSON.parse(frame.body.toString()));
    }
  };
  socket.on("data", read);
  socket.on("error", () => {});
  read(Buffer.alloc(0));
  return { frames, close: () => socket.destroy() };
}

function firstFrame(bytes) {
  if (bytes.length < 2) return null;
  const short = bytes[1] & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return null;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (bytes.length < start + length) return null;
  return { kind: bytes[0] & 0x0f, body: bytes.subarray(start, start + length), end: start + length };
}
