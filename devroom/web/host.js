// The port protocol with one App in its sandboxed frame. Knows the Room only through what it is given:
//
//   const host = new AppHost({ instance, frame, room, clock });
//   room.self(), room.participants()            the roster, as { participantId, name, kind }
//   room.tellReady(instance, ready)             the broker must know whether this App can be asked
//   room.answer(frame)                          the answer to an Agent's request
//   room.sendLane(lane, envelope)               whether it was sent
//   room.sendUnicast(frame)                     whether it was sent
//   host.onstate = (state) => {}                "starting", "ready", "failed"
//   host.loaded()                               call at every load of the frame

import * as rules from "./rules.js";

export const PROTOCOL_VERSION = 1;
const HANDSHAKE_WITHIN_MS = 15_000;
const RECOVERY_KEY = "free4chat:room-app-recovery:v1:";

export class AppHost {
  state = "starting";
  onstate = () => {};
  onexchange = () => {};

  #port = null;
  #token = "";
  #isReady = false;
  #handshakeTimer = 0;
  /** Agents' requests that wait for the App, by id, each until when. */
  #asked = new Map();
  /** The App's unicasts that wait for their result, by id, each until when. */
  #unicasts = new Map();
  #known = new Map();

  constructor({ instance, frame, room }) {
    this.instance = instance;
    this.frame = frame;
    this.room = room;
    this.rates = rules.newRates();
  }

  /** A new document is in the frame: whatever was there before is over. */
  loaded() {
    this.#end();
    this.#setState("starting");
    this.#token = rules.freshToken();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = (event) => {
      if (this.#port === port1) this.#take(event.data);
    };
    this.#handshakeTimer = setTimeout(() => this.#fail(), HANDSHAKE_WITHIN_MS);
    const bootstrap = {
      type: "room-app-bootstrap",
      protocolVersion: PROTOCOL_VERSION,
      appInstanceId: this.instance,
      handshakeToken: this.#token,
    };
    this.frame.contentWindow.postMessage(bootstrap, "*", [port2]);
  }

  /** The frame goes away. */
  close() {
    this.#end();
  }

  /** The Room's socket is new: the broker has forgotten what it knew. */
  resumed() {
    if (this.#isReady) this.room.tellReady(this.instance, true);
  }

  /** Somebody has come or gone. A change of name alone is not passed on. */
  rosterChanged() {
    if (!this.#isReady) return;
    const now = new Map(this.room.participants().map((participant) => [participant.participantId, participant]));
    for (const [id, participant] of this.#known) {
      if (!now.has(id)) this.#post({ type: "participant_leave", participant });
    }
    for (const [id, participant] of now) {
      if (!this.#known.has(id)) this.#post({ type: "participant_join", participant });
    }
    this.#known = now;
  }

  /** An Agent's request. One too many, or one known already, is dropped without a word. */
  agentRequest(requestId, payload) {
    if (!this.#isReady) return;
    forget(this.#asked);
    if (this.#asked.size >= rules.AGENT_REQUESTS_MAX || this.#asked.has(requestId)) return;
    this.#asked.set(requestId, Date.now() + rules.AGENT_REQUEST_EXPIRY_MS);
    this.#post({ type: "agent_request", requestId, payload });
    this.onexchange({ requestId, payload });
  }

  /** What another person's copy sent on a lane, as the text that came in. */
  laneMessage(lane, sourceParticipantId, envelope) {
    const isOurs = envelope.protocolVersion === PROTOCOL_VERSION && envelope.appInstanceId === this.instance;
    if (!this.#isReady || !isOurs || envelope.lane !== lane || !rules.isPayload(envelope.payload)) return;
    this.#post({ type: lane, sourceParticipantId, payload: envelope.payload });
  }

  /** What another person's copy sent to this person alone. */
  unicast(sourceParticipantId, payload) {
    if (this.#isReady) this.#post({ type: "unicast", sourceParticipantId, payload });
  }

  /** How an own unicast went. */
  unicastResult({ requestId, ok, error }) {
    if (!this.#unicasts.delete(requestId)) return;
    this.#post({ type: "unicast_result", requestId, ok, ...(error === undefined ? {} : { error }) });
  }

  #take(message) {
    if (!rules.isObject(message) || message.appInstanceId !== this.instance) return this.#unsupported();
    const handler = {
      ready: this.#takeReady,
      sendReliable: (sent) => this.#takeLane("reliable", sent),
      sendRealtime: (sent) => this.#takeLane("realtime", sent),
      sendReliableTo: this.#takeUnicast,
      agentResponse: this.#takeAnswer,
      milestone: this.#takeMilestone,
      setLocalRecovery: this.#takeRecovery,
    };
    const known = Object.hasOwn(handler, message.type) ? handler[message.type] : this.#unsupported;
    known.call(this, message);
  }

  #takeReady({ handshakeToken: token }) {
    if (typeof token !== "string" || token.length < 1 || token.length > 128) return this.#unsupported();
    if (token !== this.#token) return this.#fail();
    const isFirst = !this.#isReady;
    if (isFirst) {
      clearTimeout(this.#handshakeTimer);
      this.#isReady = true;
    }
    const participants = this.room.participants().slice(0, rules.PARTICIPANTS_MAX);
    this.#known = new Map(participants.map((participant) => [participant.participantId, participant]));
    this.#post({
      type: "ready",
      protocolVersion: PROTOCOL_VERSION,
      self: this.room.self(),
      participants,
      localRecovery: this.#recovery(),
    });
    if (isFirst) {
      this.room.tellReady(this.instance, true);
      this.#setState("ready");
    }
  }

  #takeLane(lane, { payload }) {
    if (!rules.isPayload(payload)) return this.#unsupported();
    const envelope = { protocolVersion: PROTOCOL_VERSION, appInstanceId: this.instance, lane, payload };
    const [now, bytes] = [Date.now(), rules.sizeOf(envelope)];
    const { laneBytes } = this.rates;
    const isSent =
      bytes <= rules.ENVELOPE_BYTES_MAX &&
      laneBytes.fits(now, bytes) &&
      this.rates[lane].admit(now, bytes) &&
      laneBytes.admit(now, bytes) &&
      this.room.sendLane(lane, envelope);
    if (!isSent) this.#post({ type: "error", error: "rate_limited" });
  }

  #takeUnicast({ requestId, targetParticipantId, payload }) {
    const isWellFormed = rules.isRequestId(requestId) && rules.isParticipantId(targetParticipantId);
    if (!isWellFormed || !rules.isPayloadShape(payload)) return this.#unsupported();
    const frame = { type: "room-app-unicast", requestId, targetParticipantId, appInstanceId: this.instance, payload };
    const refuse = (error) => this.#post({ type: "error", requestId, error });
    forget(this.#unicasts);
    const bytes = rules.sizeOf(frame);
    if (this.#unicasts.has(requestId)) return refuse("duplicate_request_id");
    if (this.#unicasts.size >= rules.UNICAST_PENDING_MAX) return refuse("too_many_pending");
    if (bytes > rules.ENVELOPE_BYTES_MAX) return refuse("payload_too_large");
    if (!this.rates.unicast.admit(Date.now(), bytes)) return refuse("rate_limited");
    if (!this.room.sendUnicast(frame)) return refuse("delivery_unavailable");
    this.#unicasts.set(requestId, Date.now() + rules.UNICAST_REMEMBERED_MS);
  }

  #takeAnswer({ requestId, ok, result, error }) {
    if (!this.#isReady) return;
    const isWellFormed = ok === true ? rules.isObject(result) : ok === false && isShortText(error);
    if (!rules.isRequestId(requestId) || !isWellFormed) return this.#unsupported();
    forget(this.#asked);
    if (!this.#asked.has(requestId)) return;
    const answer = { type: "room-app-agent-response", requestId, appInstanceId: this.instance, ok, ...(ok ? { result } : { error }) };
    if (rules.sizeOf(answer) > rules.ENVELOPE_BYTES_MAX) return this.#unsupported();
    this.#asked.delete(requestId);
    this.room.answer(answer);
    this.onexchange({ requestId, answer: ok ? result : { error } });
  }

  #takeMilestone(message) {
    if (!this.#isReady) return;
    if (Object.keys(message).length !== 3 || message.milestone !== "engaged") return this.#unsupported();
    // Free4Chat counts the first one. Nothing is counted here.
  }

  #takeRecovery({ snapshot }) {
    if (typeof snapshot !== "string" || snapshot.length > rules.RECOVERY_UNITS_MAX) return this.#unsupported();
    try {
      sessionStorage.setItem(RECOVERY_KEY + this.instance, snapshot);
    } catch {
      // Best effort: the App lives without it.
    }
  }

  #recovery() {
    try {
      return sessionStorage.getItem(RECOVERY_KEY + this.instance);
    } catch {
      return null;
    }
  }

  #unsupported() {
    this.#post({ type: "error", error: "unsupported_message" });
  }

  #post(message) {
    this.#port?.postMessage({ appInstanceId: this.instance, ...message });
  }

  #fail() {
    this.#end();
    this.#setState("failed");
  }

  #end() {
    clearTimeout(this.#handshakeTimer);
    if (this.#isReady) this.room.tellReady(this.instance, false);
    this.#isReady = false;
    this.#asked.clear();
    this.#unicasts.clear();
    this.#port?.close();
    this.#port = null;
  }

  #setState(state) {
    this.state = state;
    this.onstate(state);
  }
}

const isShortText = (text) => typeof text === "string" && text.length <= rules.ERROR_UNITS_MAX;

/** Drops what has been waiting for too long. */
function forget(waiting) {
  const now = Date.now();
  for (const [id, until] of waiting) {
    if (until <= now) waiting.delete(id);
  }
}
