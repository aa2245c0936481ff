// The Stage: the Apps a person has open, each in a sandboxed frame of its own. One is shown; the others, and all of them when
// the Stage is hidden, stay loaded and go on answering.

import { AppHost } from "./host.js";
import { APPS_OPEN_MAX } from "./rules.js";

const by = (id) => document.getElementById(id);

export class Stage {
  onexchange = () => {};

  /** The Apps of the Room. */
  #apps = [];
  /** The open ones, by instance: { app, host, wrapper, frame, cover }. */
  #open = new Map();
  /** The instance that is shown, if any. */
  #shown = null;

  constructor(room) {
    this.room = room;
    by("app-reload").onclick = () => this.#reload(this.#shown);
    by("app-hide").onclick = () => this.#show(null);
    by("app-close").onclick = () => this.#closeApp(this.#shown);
    by("app-full").onclick = () => toggleFullscreen();
    document.addEventListener("fullscreenchange", layOut);
  }

  setApps(apps) {
    this.#apps = apps;
    for (const instance of [...this.#open.keys()]) {
      if (!apps.some((app) => app.appInstanceId === instance)) this.#closeApp(instance);
    }
    this.#draw();
  }

  /** The protocol with an open App. */
  host(instance) {
    return this.#open.get(instance)?.host;
  }

  title(instance) {
    return this.#apps.find((app) => app.appInstanceId === instance)?.title;
  }

  rosterChanged() {
    for (const { host } of this.#open.values()) host.rosterChanged();
  }

  resumed() {
    for (const { host } of this.#open.values()) host.resumed();
  }

  /** Opens the App with this id, or shows it. */
  open(appId) {
    const app = this.#apps.find((one) => one.appId === appId);
    if (!app) return;
    if (!this.#open.has(app.appInstanceId)) {
      if (this.#open.size >= APPS_OPEN_MAX) return;
      this.#mount(app);
    }
    this.#show(app.appInstanceId);
  }

  close() {
    for (const instance of [...this.#open.keys()]) this.#closeApp(instance);
  }

  #mount(app) {
    const wrapper = document.createElement("div");
    wrapper.className = "app";
    wrapper.dataset.testid = "room-app-host";
    wrapper.dataset.layout = "stage";
    const frame = document.createElement("iframe");
    frame.dataset.testid = "room-app-iframe";
    frame.title = app.title;
    frame.setAttribute("sandbox", "allow-scripts");
    frame.setAttribute("allow", "");
    frame.referrerPolicy = "no-referrer";
    const host = new AppHost({ instance: app.appInstanceId, frame, room: this.room });
    const cover = new Cover(app.title, {
      again: () => this.#reload(app.appInstanceId),
      close: () => this.#closeApp(app.appInstanceId),
    });
    host.onstate = (state) => cover.show(state);
    host.onexchange = (exchange) => this.onexchange(exchange);
    frame.addEventListener("load", () => host.loaded());
    frame.src = app.url;
    wrapper.append(frame, cover.element);
    by("frames").append(wrapper);
    this.#open.set(app.appInstanceId, { app, host, wrapper, frame });
  }

  #reload(instance) {
    const open = this.#open.get(instance);
    if (!open) return;
    open.host.close();
    open.host.onstate("starting");
    open.frame.src = open.app.url;
  }

  #closeApp(instance) {
    const open = this.#open.get(instance);
    if (!open) return;
    open.host.close();
    open.wrapper.remove();
    this.#open.delete(instance);
    if (document.fullscreenElement && this.#open.size === 0) document.exitFullscreen();
    this.#show(this.#shown === instance ? null : this.#shown);
  }

  #show(instance) {
    this.#shown = instance;
    for (const [one, { wrapper }] of this.#open) {
      const isShown = one === instance;
      wrapper.hidden = !isShown;
      wrapper.inert = !isShown;
    }
    this.#draw();
  }

  #draw() {
    const shown = this.#open.get(this.#shown);
    by("stage-bar").hidden = !shown;
    by("frames").hidden = !shown;
    by("shelf").hidden = Boolean(shown);
    const opened = [...this.#open.values()].map(({ app }) => app);
    by("stage-tabs").replaceChildren(...opened.map((app) => this.#tab(app)));
    by("shelf-list").replaceChildren(...this.#apps.map((app) => this.#shelfItem(app)));
    const note = this.#note();
    by("shelf-note").textContent = note;
    by("shelf-note").hidden = !note;
  }

  #note() {
    if (this.#apps.length === 0) return "There is none just now.";
    if (this.#open.size === 1) return "It keeps running for Agents while it is hidden.";
    return this.#open.size > 1 ? "They keep running for Agents while they are hidden." : "";
  }

  #tab(app) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.textContent = app.title;
    tab.setAttribute("aria-pressed", String(app.appInstanceId === this.#shown));
    tab.addEventListener("click", () => this.#show(app.appInstanceId));
    return tab;
  }

  #shelfItem(app) {
    const item = document.createElement("li");
    const name = document.createElement("span");
    name.className = "who";
    name.textContent = app.title;
    const isOpen = this.#open.has(app.appInstanceId);
    const open = document.createElement("button");
    open.type = "button";
    open.className = "primary";
    open.textContent = isOpen ? "Show" : "Open";
    open.disabled = !isOpen && this.#open.size >= APPS_OPEN_MAX;
    if (open.disabled) open.title = "Close an App first";
    open.addEventListener("click", () => this.open(app.appId));
    item.append(name, open);
    return item;
  }
}

/** What lies over an App's frame until the App is ready, or when it is not. */
class Cover {
  constructor(title, { again, close }) {
    this.title = title;
    this.element = document.createElement("div");
    this.element.className = "cover";
    this.element.setAttribute("role", "status");
    this.text = document.createElement("p");
    this.buttons = document.createElement("div");
    this.buttons.className = "buttons";
    this.buttons.append(button("Try again", "primary", again), button("Close", "plain", close));
    this.element.append(this.text, this.buttons);
    this.show("starting");
  }

  show(state) {
    this.element.dataset.state = state;
    this.element.hidden = state === "ready";
    this.buttons.hidden = state !== "failed";
    this.text.textContent = state === "failed" ? `${this.title} is unavailable` : `Starting ${this.title}…`;
  }
}

function button(text, look, onclick) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = look;
  element.textContent = text;
  element.addEventListener("click", onclick);
  return element;
}

function toggleFullscreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else by("stage").requestFullscreen?.().catch(() => {});
}

function layOut() {
  const layout = document.fullscreenElement ? "fullscreen" : "stage";
  for (const wrapper of by("frames").children) wrapper.dataset.layout = layout;
}
