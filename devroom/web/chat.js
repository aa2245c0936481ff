// The Room's chat.

import { face } from "./people.js";

const SHOWN_MAX = 200;

export class Chat {
  constructor(selfId, say) {
    this.selfId = selfId;
    this.list = document.getElementById("messages");
    this.input = document.getElementById("say-text");
    this.unread = document.getElementById("unread");
    this.newest = 0;
    this.lastSpeaker = null;
    document.getElementById("say").onsubmit = (event) => {
      event.preventDefault();
      const text = this.input.value.trim();
      if (text && say(text)) this.input.value = "";
    };
    this.setAgents([]);
  }

  /** Shows what was said before; what is shown already stays. */
  reset(messages) {
    for (const message of messages) this.add(message, true);
  }

  clear() {
    this.list.replaceChildren();
  }

  add(message, isSeen) {
    if (message.id <= this.newest) return;
    this.newest = message.id;
    const wasAtEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 40;
    this.list.append(this.#row(message));
    while (this.list.children.length > SHOWN_MAX) this.list.firstChild.remove();
    const isOwn = message.participantId === this.selfId;
    if (wasAtEnd || isOwn) this.list.scrollTop = this.list.scrollHeight;
    if (!isSeen && !isOwn) this.unread.hidden = false;
  }

  seen() {
    this.unread.hidden = true;
    this.list.scrollTop = this.list.scrollHeight;
  }

  mention(name) {
    this.input.value = `@${name} ${this.input.value}`;
    this.input.focus();
  }

  setAgents(names) {
    this.input.placeholder = names.length ? `Message, or ask @${names[0]}` : "Message";
  }

  #row(message) {
    const row = document.createElement("li");
    row.className = message.participantId === this.selfId ? "own" : "";
    if (this.lastSpeaker === message.participantId) row.classList.add("more");
    this.lastSpeaker = message.participantId;
    const name = document.createElement("span");
    name.className = "who";
    name.textContent = message.name;
    if (message.kind === "agent") {
      const badge = document.createElement("small");
      badge.textContent = "Agent";
      name.append(badge);
    }
    const text = document.createElement("p");
    text.textContent = message.text;
    row.append(face(message), name, text);
    return row;
  }
}
