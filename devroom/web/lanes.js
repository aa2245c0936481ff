// The reliable and the realtime lane between browsers, over a socket of their own. In Free4Chat they are WebRTC channels; the
// texts on them are the same. Who sent a text is known from where it came in, never from the text.

import { Link } from "./link.js";

export class Lanes {
  /** Called with the lane, the sender's participant id and the envelope. */
  onmessage = () => {};

  #link;

  constructor(identity) {
    this.#link = new Link("/api/room/lanes", identity);
    this.#link.onmessage = (text) => this.#take(text);
  }

  /** Sends an envelope to everybody else who is connected; whether it went out. */
  send(lane, envelope) {
    return this.#link.send(`${lane}\n${JSON.stringify(envelope)}`);
  }

  close() {
    this.#link.close();
  }

  #take(text) {
    const [lane, sender] = text.split("\n", 2);
    try {
      this.onmessage(lane, sender, JSON.parse(text.slice(lane.length + sender.length + 2)));
    } catch {
      // Another browser's nonsense is not for our App.
    }
  }
}
