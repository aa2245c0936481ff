// What a person does on a page of the game, and sees there.

import assert from "node:assert/strict";
import { pause, until } from "./harness.mjs";

/** Where the page stands: watching, playing, reconnecting, … */
export const state = (page) => page.evaluate(() => document.body?.dataset.state);

/** The seat the page plays. */
export const seatOf = (page) => page.evaluate(() => document.body.dataset.seat);

/** The moment the page shows. */
export const shown = (page) => page.evaluate(() => window.matchd?.picture() ?? null);

/** How the page's link does. */
export const figures = (page) => page.evaluate(() => window.matchd.figures());

/** One player of the moment the page shows. */
export const shownPlayer = async (page, seat) => (await shown(page))?.players.find((one) => one.seat === seat);

export const plays = (page) => until("the page plays", async () => (await state(page)) === "playing");

export async function watches(page) {
  await until("the page watches", async () => (await state(page)) === "watching");
  await until("the page shows the match", async () => (await shown(page))?.players.length > 0);
}

/** Has the page note what it says at the top: that may be gone again before a test looks. */
export const listen = (page) =>
  page.evaluate(() => {
    const notice = document.querySelector("#notice-text");
    window.notices = [];
    new MutationObserver(() => window.notices.push(notice.textContent)).observe(notice, { childList: true });
  });

/** Waits until a page that is listened to has said this. */
export const hasSaid = (page, text) =>
  until(`the page says ${text}`, () => page.evaluate((text) => window.notices.includes(text), text));

/** Takes a seat and returns it. */
export async function join(page, name, team) {
  await watches(page);
  await page.fill("#name", name);
  if (team) await page.click(`.teams .${team}`);
  await page.click("#join");
  await plays(page);
  return seatOf(page);
}

/** Presses keys for a while as somebody does who runs about and kicks. */
export async function runsAbout(page, seconds) {
  const keys = ["KeyD", "KeyS", "Space", "KeyA", "KeyW", "KeyD", "Space", "KeyA"];
  for (let turn = 0; turn < seconds / 0.7; turn += 1) {
    await page.keyboard.down(keys[turn % keys.length]);
    await pause(700);
    await page.keyboard.up(keys[turn % keys.length]);
  }
}

/** Nothing went wrong on the page; it may have lost its connection, which the browser logs. */
export function assertCalm(page) {
  assert.deepEqual(page.problems.filter((text) => !/WebSocket|net::ERR_/.test(text)), []);
}
