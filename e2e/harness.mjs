// What every browser test needs: a matchd of its own, a browser, pages that report their errors, pictures.
//
//   const server = await startMatchd();              // free ports; server.play, server.contract, server.ops are URLs
//   const browser = await openBrowser();
//   const page = await openPage(browser, server.play, { width: 390, height: 844 });
//   await picture(page, "phone");                    // target/e2e/phone.png
//   const relay = await startRelay(server.play);     // between page and server, so that it can be cut; relay.url
//   page.problems                                    // what the page logged as an error or threw
//
// Whoever opens something closes it: `await browser.close()`, `await server.stop()`, best in `after`.

import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const pictures = join(root, "target", "e2e");

const READY_WITHIN_MS = 30_000;
const STOPPED_WITHIN_MS = 15_000;

/** Starts a server on free loopback ports and waits until it takes connections. */
export async function startMatchd({ args = [], env = {} } = {}) {
  const program = process.env.MATCHD_BIN ?? join(root, "target", "debug", "matchd");
  if (!existsSync(program)) throw new Error(`${program} is missing: run the tests with cargo xtask e2e`);
  const anyPort = "127.0.0.1:0";
  const child = spawn(program, ["serve", "--play", anyPort, "--contract", anyPort, "--ops", anyPort, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = [];
  const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
  const lines = createInterface({ input: child.stdout });

  const ready = new Promise((resolve, reject) => {
    child.once("error", reject);
    lines.on("line", (line) => {
      log.push(line);
      if (line.startsWith("ready ")) resolve(line);
    });
    ended.then(({ code, signal }) => reject(new Error(`matchd ended (${code ?? signal}):\n${log.join("\n")}`)));
  });
  let line;
  try {
    line = await within(READY_WITHIN_MS, ready, () => `matchd is not ready:\n${log.join("\n")}`);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  const addresses = Object.fromEntries(line.split(" ").slice(1).map((pair) => pair.split(/=(.*)/s, 2)));

  return {
    ...addresses,
    pid: child.pid,
    /** Everything the server has printed so far. */
    log: () => log.join("\n"),
    /** Asks the server to stop and waits until it has; returns how it ended. */
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      try {
        return await within(STOPPED_WITHIN_MS, ended, () => `matchd does not stop:\n${log.join("\n")}`);
      } catch (error) {
        child.kill("SIGKILL");
        throw error;
      }
    },
  };
}

/**
 * Stands between a page and a server: `cut` ends every connection and takes no more until `mend`. What it relays takes
 * `delayMs` more or less `jitterMs` each way, in order.
 */
export async function startRelay(url, { delayMs = 0, jitterMs = 0 } = {}) {
  const target = new URL(url);
  const open = new Set();
  let isCut = false;
  const relay = createServer((page) => {
    if (isCut) return page.destroy();
    const link = connect(Number(target.port), target.hostname);
    for (const [end, other] of [[page, link], [link, page]]) {
      open.add(end);
      // One chunk is due after the other, however long each took.
      let last = Promise.resolve();
      end.on("data", (chunk) => {
        const delay = new Promise((resolve) => setTimeout(resolve, delayMs + (Math.random() * 2 - 1) * jitterMs));
        last = Promise.all([last, delay]).then(() => other.writable && other.write(chunk));
      });
      end.on("error", () => other.destroy());
      end.on("close", () => { open.delete(end); other.destroy(); });
    }
  });
  await new Promise((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    isCut = true;
    open.forEach((end) => end.destroy());
  };
  return {
    url: `http://127.0.0.1:${relay.address().port}/`,
    cut,
    mend: () => { isCut = false; },
    stop() {
      cut();
      relay.close();
    },
  };
}

/** Opens a browser with an empty profile of its own. */
export async function openBrowser() {
  const args = [
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ];
  // Chromium refuses its sandbox to root, which is who runs this in a container.
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath: findBrowser(), args });
}

/** Opens a page of this size; `page.problems` collects its errors. */
export async function openPage(browser, url, { width = 1280, height = 720, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") page.problems.push(message.text());
  });
  await page.goto(url);
  return page;
}

/** Saves what the page shows as target/e2e/NAME.png and returns the file's name. */
export async function picture(page, name) {
  mkdirSync(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  await page.screenshot({ path });
  return path;
}

/** Repeats `check` until it returns something true, and returns that. */
export async function until(what, check, { timeoutMs = 20_000, everyMs = 50 } = {}) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`gave up waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** The browser to use; undefined means the one that playwright-core installed. */
function findBrowser() {
  if (process.env.MATCHD_BROWSER) return process.env.MATCHD_BROWSER;
  for (const name of ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}

async function within(milliseconds, promise, message) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(message())), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
