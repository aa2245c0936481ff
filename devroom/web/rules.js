// What the platform allows: forms of identifiers, sizes as JSON.stringify writes them, rates over a sliding second.

export const ENVELOPE_BYTES_MAX = 16_384;
export const AGENT_REQUESTS_MAX = 4;
export const AGENT_REQUEST_EXPIRY_MS = 15_000;
export const ERROR_UNITS_MAX = 256;
export const UNICAST_PENDING_MAX = 32;
export const UNICAST_REMEMBERED_MS = 60_000;
export const APPS_OPEN_MAX = 2;
export const PARTICIPANTS_MAX = 32;
/** The platform's own bound is not public. */
export const RECOVERY_UNITS_MAX = 65_536;

const RATE_WINDOW_MS = 1_000;

/** The rates of one browser. */
export function newRates() {
  return {
    reliable: new SlidingWindow(RATE_WINDOW_MS, 20),
    realtime: new SlidingWindow(RATE_WINDOW_MS, 60),
    laneBytes: new SlidingWindow(RATE_WINDOW_MS, Infinity, 262_144),
    unicast: new SlidingWindow(RATE_WINDOW_MS, 10, 65_536),
  };
}

/** Admits a number of messages and bytes per window. A sample counts while it is strictly newer than now minus the window. */
export class SlidingWindow {
  #samples = [];

  constructor(windowMs, countMax, bytesMax = Infinity) {
    this.windowMs = windowMs;
    this.countMax = countMax;
    this.bytesMax = bytesMax;
  }

  /** Whether one more message fits now. */
  fits(nowMs, bytes = 0) {
    this.#samples = this.#samples.filter((sample) => sample.atMs > nowMs - this.windowMs);
    const held = this.#samples.reduce((sum, sample) => sum + sample.bytes, 0);
    return this.#samples.length < this.countMax && held + bytes <= this.bytesMax;
  }

  /** Counts one more message if it fits, and says whether it did. */
  admit(nowMs, bytes = 0) {
    const fits = this.fits(nowMs, bytes);
    if (fits) this.#samples.push({ atMs: nowMs, bytes });
    return fits;
  }
}

/** How many UTF-8 bytes JSON.stringify writes for this; endless for what it cannot write. */
export function sizeOf(value) {
  try {
    return new TextEncoder().encode(JSON.stringify(value)).length;
  } catch {
    return Infinity;
  }
}

/** Whether this is an object that may be a payload, if it is not too large. */
export const isPayloadShape = (value) => isObject(value) && !Object.hasOwn(value, "sourceParticipantId");

/** Whether this may be a payload. */
export const isPayload = (value) => isPayloadShape(value) && sizeOf(value) <= ENVELOPE_BYTES_MAX;

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const isRequestId = (text) => typeof text === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(text);
export const isParticipantId = (text) => typeof text === "string" && /^[A-Za-z0-9][A-Za-z0-9:_-]{0,127}$/.test(text);

/** A text that nobody can guess. Pages that are not served securely have no randomUUID. */
export function freshToken() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
