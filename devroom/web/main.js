// The host page: lets a person in, keeps the Room's socket, and brings its parts together.

import { AgentsPanel } from "./agents.js";
import { Chat } from "./chat.js";
import { Lanes } from "./lanes.js";
import { Link } from "./link.js";
import { People } from "./people.js";
import { Stage } from "./stage.js";

const IDENTITY_KEY = "devroom:identity";
const NAME_KEY = "devroom:name";

const by = (id) => document.getElementById(id);
const compact = matchMedia("(max-width: 820px), (max-height: 480px)");

let room = null;

start();

async function start() {
  const about = await fetch("/api/room/about").then((response) => response.json());
  document.title = `${about.room} · Room`;
  by("door-room").textContent = about.room;
  by("room-name").textContent = about.room;
  const known = read(sessionStorage, IDENTITY_KEY);
  if (known) return enter(JSON.parse(known));
  showDoor(about);
}

function showDoor({ people = 0, agents = 0 } = {}, problem = "") {
  document.body.dataset.state = "door";
  by("room").hidden = true;
  by("door").hidden = false;
  by("door-people").textContent = whoIsThere(people, agents);
  by("door-problem").textContent = problem;
  by("door-problem").hidden = !problem;
  by("name").value = read(localStorage, NAME_KEY) ?? "";
  by("name").focus();
}

function whoIsThere(people, agents) {
  const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
  const parts = [];
  if (people) parts.push(count(people, "person", "people"));
  if (agents) parts.push(count(agents, "Agent", "Agents"));
  return parts.length ? `${parts.join(" and ")} inside` : "Nobody is inside yet";
}

by("enter").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = by("name").value.trim();
  if (!name) return by("name").focus();
  const button = event.target.querySelector("button");
  button.disabled = true;
  try {
    const response = await fetch("/api/room/join", { method: "POST", body: JSON.stringify({ name, kind: "human" }) });
    const identity = await response.json();
    if (!response.ok) return showDoor({}, identity.error === "room_full" ? "The Room is full." : "You cannot enter just now.");
    write(localStorage, NAME_KEY, name);
    write(sessionStorage, IDENTITY_KEY, JSON.stringify(identity));
    enter(identity);
  } catch {
    showDoor({}, "The Room cannot be reached.");
  } finally {
    button.disabled = false;
  }
});

for (const button of document.querySelectorAll(".leave")) {
  button.addEventListener("click", () => {
    room?.link.send(JSON.stringify({ type: "room-leave" }));
    leave();
  });
}

function leave(problem) {
  room?.close();
  room = null;
  sessionStorage.removeItem(IDENTITY_KEY);
  showDoor({}, problem);
  refreshDoor();
}

async function refreshDoor() {
  const about = await fetch("/api/room/about").then((response) => response.json()).catch(() => null);
  if (about && !by("door").hidden) by("door-people").textContent = whoIsThere(about.people, about.agents);
}

function enter(identity) {
  room = new Room(identity);
}

/** A person's stay in the Room. */
class Room {
  participants = [];

  constructor(identity) {
    this.identity = identity;
    this.link = new Link("/api/room/socket", identity);
    this.lanes = new Lanes(identity);
    this.people = new People(identity.participantId);
    this.chat = new Chat(identity.participantId, (text) => this.#send({ type: "room-chat", text }));
    this.agents = new AgentsPanel();
    this.stage = new Stage({
      self: () => this.#project().find((one) => one.participantId === identity.participantId),
      participants: () => this.#project(),
      tellReady: (appInstanceId, ready) => this.#send({ type: "room-app-host-state", appInstanceId, ready }),
      answer: (frame) => this.#send(frame),
      sendUnicast: (frame) => this.#send(frame),
      sendLane: (lane, envelope) => this.lanes.send(lane, envelope),
    });
    this.stage.onexchange = (exchange) => this.agents.exchange(exchange);
    this.people.onmention = (name) => {
      showPane("chat");
      this.chat.mention(name);
    };
    this.lanes.onmessage = (lane, sender, envelope) => {
      if (sender !== identity.participantId) this.stage.host(envelope.appInstanceId)?.laneMessage(lane, sender, envelope);
    };
    this.link.onmessage = (text) => this.#take(JSON.parse(text));
    this.link.onlost = (code) => {
      if (code === 4010) return leave("The Room has ended.");
      if (code) return leave(code === 4001 ? "Please enter again." : "You have this Room open too often.");
      by("link-state").hidden = false;
    };
  }

  close() {
    this.stage.close();
    this.link.close();
    this.lanes.close();
    this.chat.clear();
    this.agents.clear();
  }

  #send(frame) {
    return this.link.send(JSON.stringify(frame));
  }

  /** The roster as Apps get it. */
  #project() {
    return this.participants.map(({ participantId, name, kind }) => ({ participantId, name, kind }));
  }

  #take(frame) {
    switch (frame.type) {
      case "room-welcome":
        this.#showParticipants(frame.participants);
        this.stage.setApps(frame.apps);
        this.chat.reset(frame.messages);
        this.stage.resumed();
        this.#shown();
        break;
      case "room-participants":
        this.#showParticipants(frame.participants);
        break;
      case "room-apps":
        this.stage.setApps(frame.apps);
        break;
      case "room-chat":
        this.chat.add(frame.message, document.body.dataset.pane === "chat");
        break;
      case "room-app-agent-request":
        this.stage.host(frame.appInstanceId)?.agentRequest(frame.requestId, frame.payload);
        break;
      case "room-app-unicast":
        this.stage.host(frame.appInstanceId)?.unicast(frame.sourceParticipantId, frame.payload);
        break;
      case "room-app-unicast-result":
        this.stage.host(frame.appInstanceId)?.unicastResult(frame);
        break;
      case "devroom-agent-activity":
        this.agents.activity({
          ...frame,
          agent: this.participants.find((one) => one.participantId === frame.participantId)?.name,
          app: this.stage.title(frame.appInstanceId),
        });
        break;
      default:
        break;
    }
  }

  #showParticipants(participants) {
    this.participants = participants;
    this.people.show(participants);
    this.chat.setAgents(participants.filter(({ kind, connected }) => kind === "agent" && connected).map(({ name }) => name));
    this.stage.rosterChanged();
  }

  /** The first welcome opens the Room; later ones come after the socket was lost. */
  #shown() {
    by("link-state").hidden = true;
    if (!by("room").hidden) return;
    by("door").hidden = true;
    by("room").hidden = false;
    document.body.dataset.state = "inside";
    showPane(compact.matches ? "stage" : "chat");
    const wanted = new URLSearchParams(location.search).get("open");
    if (wanted) this.stage.open(wanted);
  }
}

/** Shows a part of the Room. On a small screen that takes the Stage's place, whose Apps go on unseen. */
function showPane(pane) {
  document.body.dataset.pane = pane;
  for (const tab of by("side-tabs").children) tab.setAttribute("aria-selected", String(tab.dataset.pane === pane));
  by("stage").hidden = compact.matches && pane !== "stage";
  if (pane === "chat") room?.chat.seen();
}

by("side-tabs").addEventListener("click", (event) => {
  const tab = event.target.closest("[data-pane]");
  if (tab) showPane(tab.dataset.pane);
});
compact.addEventListener("change", () => showPane(compact.matches ? "stage" : "chat"));

by("mcp-address").textContent = new URL("/mcp", location.href).href;
by("copy").addEventListener("click", async () => {
  await navigator.clipboard?.writeText(by("mcp-address").textContent).catch(() => {});
  by("copy").textContent = "Copied";
  setTimeout(() => (by("copy").textContent = "Copy"), 1_500);
});

function read(storage, key) {
  try {
    return storage.getItem(key);
  } catch {
    return null;
  }
}

function write(storage, key, value) {
  try {
    storage.setItem(key, value);
  } catch {
    // Without storage a reload asks for the name again.
  }
}
