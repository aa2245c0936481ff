// The Agents panel: the last requests to Apps and how they went. What was asked and answered is known only to the window it
// went through, and is kept only on this page, and only the newest.

const ENTRIES_MAX = 30;
const TEXT_CHARS_MAX = 4_000;

const OUTCOMES = {
  asked: "waiting",
  answered: "answered",
  app_error: "could not help",
  timeout: "no answer in time",
  host_unavailable: "closed meanwhile",
  host_disconnected: "closed meanwhile",
  agent_disconnected: "Agent left",
  invalid_response: "unusable answer",
  room_expired: "Room ended",
};

export class AgentsPanel {
  /** Entries by request id, newest last. */
  #entries = new Map();

  constructor() {
    this.list = document.getElementById("activity");
    this.none = document.getElementById("activity-none");
  }

  clear() {
    this.#entries.clear();
    this.list.replaceChildren();
    this.none.hidden = false;
  }

  /** What passed through this window: a request, or its answer. */
  exchange({ requestId, payload, answer }) {
    const entry = this.#entries.get(requestId);
    if (payload !== undefined) entry?.show("Asked", payload);
    if (answer !== undefined) entry?.show("Answer", answer);
  }

  /** What the Room says about a request, asked or settled. */
  activity({ requestId, outcome, agent, app }) {
    let entry = this.#entries.get(requestId);
    if (!entry) {
      entry = new Entry(agent ?? "An Agent", app ?? "an App");
      this.#entries.set(requestId, entry);
      this.list.prepend(entry.element);
      if (this.#entries.size > ENTRIES_MAX) {
        const [oldest, { element }] = this.#entries.entries().next().value;
        this.#entries.delete(oldest);
        element.remove();
      }
      this.none.hidden = true;
    }
    entry.settle(outcome);
  }
}

class Entry {
  constructor(agent, app) {
    this.startedMs = performance.now();
    this.element = document.createElement("li");
    this.details = document.createElement("details");
    this.summary = document.createElement("summary");
    const title = document.createElement("span");
    title.className = "who";
    const isolated = (text) => Object.assign(document.createElement("bdi"), { textContent: text });
    title.append(isolated(agent), " → ", isolated(app));
    this.outcome = document.createElement("span");
    this.outcome.className = "outcome";
    this.summary.append(title, this.outcome);
    this.elsewhere = document.createElement("p");
    this.elsewhere.className = "quiet";
    this.elsewhere.textContent = "This went through another person's window.";
    this.details.append(this.summary, this.elsewhere);
    this.element.append(this.details);
  }

  settle(outcome) {
    const words = OUTCOMES[outcome] ?? "failed";
    const took = outcome === "answered" ? ` in ${Math.max(1, Math.round(performance.now() - this.startedMs))} ms` : "";
    this.outcome.textContent = words + took;
    this.outcome.dataset.outcome = outcome === "answered" || outcome === "asked" ? outcome : "failed";
  }

  show(label, value) {
    this.elsewhere.remove();
    const heading = document.createElement("h3");
    heading.textContent = label;
    const text = document.createElement("pre");
    const written = JSON.stringify(value, null, 2);
    text.textContent = written.length > TEXT_CHARS_MAX ? `${written.slice(0, TEXT_CHARS_MAX)}…` : written;
    this.details.append(heading, text);
  }
}
