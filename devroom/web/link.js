// The page's sockets to the Room. Each says who it is first, and comes back by itself when it is lost.

const RETRY_MS = [300, 800, 2_000, 4_000];
const CLOSED_FOR_GOOD = new Set([4001, 4008, 4010]);

export class Link {
  onopen = () => {};
  onmessage = () => {};
  /** Called when the socket is lost; with a close code when it will not come back. */
  onlost = () => {};

  #socket = null;
  #tries = 0;
  #timer = 0;
  #isOver = false;

  constructor(path, { participantId, participantToken }) {
    this.url = new URL(path, location.href);
    this.url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.introduction = JSON.stringify({ type: "room-connect", participantId, participantToken });
    this.#open();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Sends a text; whether there was a socket to send it on. */
  send(text) {
    if (!this.isOpen) return false;
    this.#socket.send(text);
    return true;
  }

  close() {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #open() {
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    socket.onopen = () => {
      socket.send(this.introduction);
      this.onopen();
    };
    socket.onmessage = (event) => {
      this.#tries = 0;
      this.onmessage(event.data);
    };
    socket.onclose = (event) => {
      if (this.#isOver) return;
      if (CLOSED_FOR_GOOD.has(event.code)) {
        this.#isOver = true;
        return this.onlost(event.code);
      }
      this.onlost();
      const wait = RETRY_MS[Math.min(this.#tries, RETRY_MS.length - 1)];
      this.#tries += 1;
      this.#timer = setTimeout(() => this.#open(), wait);
    };
  }
}
