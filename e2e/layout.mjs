// Whether what a page of a game shows fits into it, and is in nobody's way.

/** What a page says now and then, in its longest words. */
const SAYINGS = {
  "#hint": {},
  "#notice": { "#notice-text": "The match server cannot be reached. Trying again…" },
  "#banner": { "#banner-title": "Shot down", "#banner-line": "by Wolfgang Amadeus Mozart" },
};

const PARTS = [
  ".standings", "#health", ".scoreboard", "#room", ".toolbar", "#panel", "#stick", ".thumbs button", "#join", "#leave", "#hint",
  "#notice", "#banner strong", "#banner span",
];

/** Which parts of the page are cut off, or lie over each other or over the own craft: now, and whatever it may say. */
export const misplaced = (frame) =>
  frame.evaluate(async ({ sayings, parts }) => {
    // The page puts its parts in their places with the next picture. From there on, until this ends, it changes nothing.
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    const faults = new Set();
    const isPlaying = Boolean(document.body.dataset.seat);
    look();
    whileItSays(["#notice"], look);
    if (isPlaying) {
      whileItSays(["#banner", "#hint"], look);
      whileItSays(["#banner", "#hint", "#notice"], look);
    }
    return [...faults];

    function whileItSays(ids, look) {
      const undo = [];
      for (const id of ids) {
        const element = document.querySelector(id);
        const { hidden } = element;
        undo.push(() => { element.hidden = hidden; });
        element.hidden = false;
        for (const [part, text] of Object.entries(sayings[id])) {
          const line = document.querySelector(part);
          const before = line.textContent;
          undo.push(() => { line.textContent = before; });
          line.textContent = text;
        }
      }
      for (const animation of document.getAnimations()) {
        if (Number.isFinite(animation.effect.getComputedTiming().endTime)) animation.finish();
      }
      look();
      for (const restore of undo) restore();
    }

    function look() {
      const seen = parts.flatMap((part) => [...document.querySelectorAll(part)].map((element) => [part, element]))
        .filter(([, element]) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        .map(([part, element]) => [part, element.getBoundingClientRect(), element])
        .filter(([, box]) => box.width > 0 && box.height > 0);
      if (isPlaying && document.body.dataset.game === "skirmish") seen.push(["the own craft", middle(), null]);
      if (document.documentElement.scrollWidth > innerWidth) faults.add("it scrolls sideways");
      for (const [part, box] of seen) {
        if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) faults.add(`${part} is cut off`);
      }
      for (const [at, [one, a, element]] of seen.entries()) {
        for (const [other, b, within] of seen.slice(at + 1)) {
          const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
          const together = one === other || element?.contains(within) || within?.contains(element);
          if (!apart && !together) faults.add(`${one} and ${other} overlap`);
        }
      }
    }

    /** Where the own craft is with its name, unless the arena's edge is near: see `Stage::arrange`. */
    function middle() {
      const top = innerHeight < 460 ? 42 : 58;
      const bottom = document.body.dataset.touch !== undefined && innerHeight > innerWidth ? 168 : 8;
      const [x, y] = [innerWidth / 2, (top + innerHeight - bottom) / 2];
      return { left: x - 16, right: x + 16, top: y - 16, bottom: y + 30 };
    }
  }, { sayings: SAYINGS, parts: PARTS });
