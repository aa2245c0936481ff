// Loads the game and starts it. What goes wrong here is said on the page: nobody looks into a console.

import init, { start } from "./client_wasm.js";

const text = document.getElementById("loading-text");

// The host of a Room speaks as soon as the page is there, and only once: what it says before the game can listen is kept
// for it.
const early = [];
const keep = (event) => {
  if (event.source === window.parent && event.data?.type === "room-app-bootstrap" && early.push(event) > 8) early.shift();
};
addEventListener("message", keep);

try {
  await init({ module_or_path: new URL("./client_wasm_bg.wasm", import.meta.url) });
  removeEventListener("message", keep);
  const app = start(early);
  // For tools that look at the page from outside.
  window.matchd = {
    picture: () => JSON.parse(app.picture()),
    figures: () => JSON.parse(app.figures()),
  };
} catch (error) {
  document.body.dataset.state = "failed";
  text.textContent = typeof error === "string" ? error : "The game could not be started in this browser.";
  console.error(error);
}
