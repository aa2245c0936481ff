// A Room in one page, for tests: every person is a frame with the App in it, and the page between them does what a Room's
// host does, or on request what none should. It knows the platform's protocol and nothing of the game.
//
//   const room = await openRoom(browser, server.play);       // a page on an origin of its own; room.page
//   await room.open("ada");                                  // a person with the App open, past the handshake
//   await room.request("ada", { type: "observe" });          // an Agent's request: the App's agentResponse
//   await room.host((host) => host.sent("ada"));             // anything else: code that runs in the page

import { openPage, serve } from "./harness.mjs";

/** Runs in the page. */
function hostPage(app) {
  const people = new Map();
  const sent = [];
  const toWindow = [];
  const kept = new Map();
  const rules = { instance: "arena:64b82acb", unicast: "deliver", lanes: "deliver", sandbox: "allow-scripts" };
  let counter = 0;

  addEventListener("message", (event) => toWindow.push(event.data));
  const info = ({ participantId, name, kind }) => ({ participantId, name, kind });
  const at = (id) => people.get(id);
  const say = (id, message) => at(id)?.port?.postMessage({ appInstanceId: rules.instance, ...message });
  const everybodyElse = (id) => [...people.keys()].filter((other) => other !== id && at(other).isReady);

  function enter(id, { name = id, kind = "human" } = {}) {
    people.set(id, { participantId: id, name, kind });
    for (const other of everybodyElse(id)) say(other, { type: "participant_join", participant: info(at(id)) });
  }

  function leave(id) {
    close(id);
    const one = info(at(id));
    people.delete(id);
    for (const other of everybodyElse(id)) say(other, { type: "participant_leave", participant: one });
  }

  /** Puts the App's frame into the page; with `isSilent` nobody speaks to it. */
  function open(id, { isSilent = false, query = "", allow = "" } = {}) {
    if (!at(id)) enter(id);
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", rules.sandbox);
    frame.setAttribute("allow", allow);
    frame.setAttribute("referrerpolicy", "no-referrer");
    frame.name = id;
    frame.src = app + query;
    at(id).frame = frame;
    if (!isSilent) frame.addEventListener("load", () => bootstrap(id));
    document.body.append(frame);
  }

  function close(id) {
    const one = at(id);
    one.frame?.remove();
    one.port?.close();
    Object.assign(one, { frame: undefined, port: undefined, isReady: false, waiting: undefined });
  }

  function reload(id) {
    const one = at(id);
    Object.assign(one, { isReady: false, waiting: undefined });
    one.frame.src = one.frame.src;
  }

  /** What the host says to a frame that has loaded. `odd` changes the message, `ports` how many go with it. */
  function bootstrap(id, odd = {}, ports = 1) {
    const one = at(id);
    const token = `token-${(counter += 1)}`;
    const message = {
      type: "room-app-bootstrap", protocolVersion: 1, appInstanceId: rules.instance, handshakeToken: token, ...odd,
    };
    const channels = Array.from({ length: ports }, () => new MessageChannel());
    const isOdd = Object.keys(odd).length > 0 || ports !== 1;
    for (const { port1 } of channels) {
      port1.onmessage = ({ data }) => heard(id, port1, isOdd ? undefined : token, data);
    }
    if (!isOdd) Object.assign(one, { port: channels[0].port1, isReady: false, waiting: new Map() });
    one.frame.contentWindow.postMessage(message, "*", channels.map(({ port2 }) => port2));
    return channels[0]?.port1;
  }

  function heard(id, port, token, message) {
    const one = at(id);
    sent.push({ id, ms: performance.now(), isCurrent: one?.port === port, token, message });
    if (!one || one.port !== port || message.appInstanceId !== rules.instance) return;
    switch (message.type) {
      case "ready":
        if (message.handshakeToken !== token) return;
        one.isReady = true;
        say(id, {
          type: "ready", protocolVersion: 1, self: info(one), participants: [...people.values()].map(info),
          localRecovery: kept.get(id) ?? null,
        });
        break;
      case "agentResponse":
        one.waiting.get(message.requestId)?.(message);
        one.waiting.delete(message.requestId);
        break;
      case "setLocalRecovery":
        kept.set(id, message.snapshot);
        break;
      case "sendReliable":
        if (rules.lanes === "refuse") say(id, { type: "error", error: "rate_limited" });
        if (rules.lanes !== "deliver") return;
        for (const other of everybodyElse(id)) {
          say(other, { type: "reliable", sourceParticipantId: id, payload: message.payload });
        }
        break;
      case "sendReliableTo": {
        const target = at(message.targetParticipantId);
        const error = target?.kind !== "human" ? "target_unavailable" : rules.unicast === "refuse" ? "rate_limited" : undefined;
        if (rules.unicast === "lose") return;
        say(id, { type: "unicast_result", requestId: message.requestId, ok: !error, ...(error && { error }) });
        if (!error && target.isReady) {
          say(message.targetParticipantId, { type: "unicast", sourceParticipantId: id, payload: message.payload });
        }
        break;
      }
    }
  }

  /** An Agent's request over this person's App: its answer and how long that took. */
  function request(id, payload, { requestId = crypto.randomUUID() } = {}) {
    const began = performance.now();
    return new Promise((resolve, reject) => {
      at(id).waiting.set(requestId, (message) => resolve({ ...message, ms: performance.now() - began }));
      say(id, { type: "agent_request", requestId, payload });
      setTimeout(() => reject(new Error(`no answer to ${JSON.stringify(payload).slice(0, 80)}`)), 30_000);
    });
  }

  return { people, sent, toWindow, kept, rules, enter, leave, open, close, reload, bootstrap, say, request };
}

const document = (app) => `<!doctype html><title>Room</title>
<style>body { margin: 0; height: 100vh; display: flex; background: #223 } iframe { border: 0; flex: 1; min-width: 0 }</style>
<body><script>window.host = (${hostPage})(${JSON.stringify(app)});</script>`;

/** Opens a Room around the App at this URL. */
export async function openRoom(browser, app, options = {}) {
  const port = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(document(app));
  });
  // Another host than the App's, as in the real thing.
  const url = `http://localhost:${port}/`;
  const page = options.openPage ? await options.openPage(url) : await openPage(browser, url, options);
  const isReady = (id) => page.waitForFunction((id) => host.people.get(id)?.isReady, id);
  const room = {
    page,
    /** Runs code in the page: it is given the host and `argument`. */
    host: (code, argument) => page.evaluate(`(${code})(window.host, ${JSON.stringify(argument)})`),
    /** The App of a person, as a frame. */
    app: (id) => page.frame({ name: id }),
    async open(id, options = {}) {
      await room.host((host, [id, options]) => host.open(id, options), [id, options]);
      if (!options.isSilent) await isReady(id);
    },
    /** Loads the App of a person anew: when it is past the handshake, nothing is left of the old one. */
    async reload(id) {
      await room.host((host, id) => host.reload(id), id);
      await isReady(id);
    },
    /** Speaks to the App of a person, once more, and waits until it has answered. */
    async bootstrap(id) {
      await room.host((host, id) => host.bootstrap(id), id);
      await isReady(id);
    },
    request: (id, payload, options) =>
      room.host((host, [id, payload, options]) => host.request(id, payload, options), [id, payload, options ?? {}]),
    /** What the App of a person has said of one kind, or of all. */
    said: (id, type) =>
      room.host(
        (host, [id, type]) => host.sent.filter((one) => one.id === id && (!type || one.message?.type === type)),
        [id, type],
      ),
  };
  return room;
}
