// Who is in the Room: faces above the Stage, and the list.

const FACES_MAX = 6;

export class People {
  onmention = () => {};

  constructor(selfId) {
    this.selfId = selfId;
    this.list = document.getElementById("roster");
    this.faces = document.getElementById("faces");
  }

  show(participants) {
    const there = participants.filter(({ connected }) => connected);
    const away = participants.filter(({ connected }) => !connected);
    this.list.replaceChildren(...[...there, ...away].map((participant) => this.#row(participant)));
    const faces = there.slice(0, FACES_MAX).map((participant) => {
      const item = document.createElement("li");
      item.append(face(participant));
      item.title = participant.name;
      return item;
    });
    if (there.length > FACES_MAX) {
      const more = document.createElement("li");
      more.className = "more";
      more.textContent = `+${there.length - FACES_MAX}`;
      faces.push(more);
    }
    this.faces.replaceChildren(...faces);
  }

  #row(participant) {
    const row = document.createElement("li");
    row.classList.toggle("away", !participant.connected);
    const name = document.createElement("span");
    name.className = "who";
    name.textContent = participant.name;
    row.append(face(participant), name);
    const remark = this.#remark(participant);
    if (remark) {
      const note = document.createElement("small");
      note.textContent = remark;
      row.append(note);
    }
    if (participant.kind === "agent" && participant.connected) {
      const ask = document.createElement("button");
      ask.type = "button";
      ask.className = "plain";
      ask.textContent = "Ask";
      ask.addEventListener("click", () => this.onmention(participant.name));
      row.append(ask);
    }
    return row;
  }

  #remark({ participantId, kind, connected }) {
    if (participantId === this.selfId) return "you";
    if (!connected) return "away";
    return kind === "agent" ? "Agent" : "";
  }
}

/** A round face with the first letter of the name, in a colour of its own. */
export function face({ participantId, name, kind }) {
  const element = document.createElement("span");
  element.className = kind === "agent" ? "face agent" : "face";
  element.textContent = [...name.trim()][0]?.toUpperCase() ?? "?";
  let hue = 0;
  for (const character of participantId) hue = (hue * 31 + character.codePointAt(0)) % 360;
  element.style.setProperty("--hue", String(hue));
  element.setAttribute("aria-hidden", "true");
  return element;
}
