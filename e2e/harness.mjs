// What every browser test needs: a matchd of its own, a browser, pages that report their errors, pictures.
//
//   const game = withGame();                         // for all tests of a file: game.server, game.browser
//   const page = await openPage(game.browser, game.server.play, { width: 390, height: 844 });
//   await picture(page, "phone");                    // target/e2e/phone.png
//   const link = await startProxy(game.server.play, { faults: "delay=75,jitter=15" });
//   await link.order("cut");                         // `loadtest proxy --help` lists faults and orders; link.url
//   page.problems                                    // what the page logged as an error or threw
//
// What a test opens is closed when it ends, even if it fails: the next one finds nothing of it. What is opened before the
// tests is closed after the last one. To close something earlier does no harm.

import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { after, afterEach, before, beforeEach } from "node:test";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

/** The folder of the whole project. */
export const root = fileURLToPath(new URL("..", import.meta.url));
const pictures = join(root, "target", "e2e");

const READY_WITHIN_MS = 30_000;
const STOPPED_WITHIN_MS = 15_000;
const ANSWERED_WITHIN_MS = 15_000;

/** `cargo xtask e2e --long` lets tests take the time that people take, where they otherwise take a short cut. */
export const takesItsTime = Boolean(process.env.E2E_LONG);

/** What closes each thing that is open, the newest last. */
const closers = [];

/** Has something closed when the test that opens it ends, or if that is none, when the file does. */
export const closeLater = (close) => closers.push(close);

// A benchmark has no tests, and ends by itself.
if (process.argv[1].endsWith(".test.mjs")) {
  let opened = 0;
  beforeEach(() => { opened = closers.length; });
  afterEach(() => closeDownTo(opened));
  after(() => closeDownTo(0));
}

async function closeDownTo(count) {
  const faults = [];
  for (const close of closers.splice(count).reverse()) {
    try {
      await close();
    } catch (fault) {
      faults.push(fault);
    }
  }
  if (faults.length > 0) throw faults[0];
}

/** A server and a browser for all tests of a file. */
export function withGame(options) {
  const game = {};
  before(async () => {
    game.server = await startMatchd(options);
    game.browser = await openBrowser();
  });
  return game;
}

/** Starts a server on free loopback ports and waits until it takes connections: server.play, .contract, .ops are URLs. */
export async function startMatchd({ args = [], env = {} } = {}) {
  const anyPort = "127.0.0.1:0";
  const ports = ["--play", anyPort, "--contract", anyPort, "--ops", anyPort];
  const program = await startProgram("matchd", ["serve", ...ports, ...args], env);
  const addresses = Object.fromEntries(program.ready.split(" ").map((pair) => pair.split(/=(.*)/s, 2)));
  return { ...addresses, pid: program.pid, log: program.log, stop: program.stop };
}

/** Starts a link with faults that leads to this server. What it does at random follows from the seed. */
export async function startProxy(url, { faults = "", seed = 1 } = {}) {
  const args = ["proxy", "--to", new URL(url).host, "--both", faults, "--seed", String(seed)];
  const program = await startProgram("loadtest", args);
  return {
    url: program.ready,
    /** Asks for something and waits until it is done. */
    async order(order) {
      const answer = program.nextLine();
      program.say(order);
      const line = await within(ANSWERED_WITHIN_MS, answer, () => `the proxy does not answer to ${order}`);
      if (line !== `done ${order}`) throw new Error(line);
    },
    stop: program.stop,
  };
}

/** Starts a Room on a free loopback port; `apps` as `devroom --app` takes them. room.url is its page, room.mcp for Agents. */
export async function startDevroom({ apps, args = [] }) {
  const listed = apps.flatMap((app) => ["--app", app]);
  const program = await startProgram("devroom", ["--listen", "127.0.0.1:0", ...listed, ...args]);
  const { room, mcp } = Object.fromEntries(program.ready.split(" ").map((pair) => pair.split(/=(.*)/s, 2)));
  return { url: room, mcp, pid: program.pid, log: program.log, stop: program.stop };
}

/** Answers HTTP requests on a free loopback port, and returns that. */
export async function serve(answer) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeLater(() => {
    server.close();
    server.closeAllConnections();
  });
  return server.address().port;
}

/** An empty folder. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), "matchd-e2e-"));
  // A browser's helpers may still write there for a moment, and only this kind of `rm` looks again at what there is.
  closeLater(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Where a program of ours is. */
export function programPath(name) {
  const program = process.env[`${name.toUpperCase()}_BIN`] ?? join(root, "target", "debug", name);
  if (!existsSync(program)) throw new Error(`${program} is missing: run the tests with cargo xtask e2e`);
  return program;
}

/** Starts a program of ours and waits for its line that begins with `ready `; the rest of it is `ready`. */
export async function startProgram(name, args, env = {}) {
  const child = spawn(programPath(name), args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const log = [];
  const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line));
  const lines = createInterface({ input: child.stdout }).on("line", (line) => log.push(line));
  const nextLine = () => new Promise((resolve) => lines.once("line", resolve));

  const first = new Promise((resolve, reject) => {
    child.once("error", reject);
    lines.on("line", (line) => line.startsWith("ready ") && resolve(line.slice("ready ".length)));
    ended.then(({ code, signal }) => reject(new Error(`${name} ended (${code ?? signal}):\n${log.join("\n")}`)));
  });
  let ready;
  try {
    ready = await within(READY_WITHIN_MS, first, () => `${name} is not ready:\n${log.join("\n")}`);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }

  /** Asks the program to stop and waits until it has; returns how it ended. */
  async function stop() {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    try {
      return await within(STOPPED_WITHIN_MS, ended, () => `${name} does not stop:\n${log.join("\n")}`);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }
  closeLater(stop);

  return {
    ready,
    pid: child.pid,
    nextLine,
    say: (line) => child.stdin.write(`${line}\n`),
    /** Everything the program has printed so far. */
    log: () => log.join("\n"),
    stop,
  };
}

/** Opens a browser with an empty profile of its own. Each of its pages believes that it is being looked at. */
export async function openBrowser() {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: browserArgs() });
  closeLater(() => browser.close());
  return browser;
}

/** Opens a browser whose tabs are hidden by one another and then slowed down, as people's are. */
export async function openTabs() {
  const profile = temporaryFolder();
  // Playwright starts a browser with what keeps its tabs awake, and keeps those awake that it sees from the start.
  const names = [...browserArgs(), "--headless=new", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"];
  const child = spawn(findBrowser() ?? chromium.executablePath(), names, { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
  closeLater(async () => {
    child.kill();
    await within(STOPPED_WITHIN_MS, ended, () => "the browser with tabs does not stop");
  });
  const [port] = await until("the browser says where it listens", () => linesOf(join(profile, "DevToolsActivePort")));
  const connection = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true });
  closeLater(() => connection.close());
  const [context] = connection.contexts();
  return { newPage: () => context.newPage(), newCDPSession: (page) => context.newCDPSession(page) };
}

/** Opens a page of this size; `page.problems` collects its errors. `script` runs in each of its documents before anything else. */
export async function openPage(browser, url, { width = 1280, height = 720, script, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, ...options });
  closeLater(() => context.close());
  const page = await context.newPage();
  if (script) await page.addInitScript(script);
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

/** Repeats `check` until it returns something true, and returns that. A page between two documents has nothing to look at. */
export async function until(what, check, { timeoutMs = 30_000, everyMs = 50 } = {}) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await Promise.resolve(check()).catch((error) => {
      if (!isBetweenDocuments(error)) throw error;
    });
    if (found) return found;
    if (Date.now() > end) throw new Error(`gave up waiting until ${what}`);
    await pause(everyMs);
  }
}

const isBetweenDocuments = ({ message }) => /Execution context was destroyed|Cannot find context|Frame was detached/.test(message);

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

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

function browserArgs() {
  const names = ["disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync", "no-first-run"];
  // Chromium refuses its sandbox to root, which is who runs this in a container.
  if (process.getuid?.() === 0) names.push("no-sandbox");
  return names.map((name) => `--${name}`);
}

/** The lines of a file, once it is there and has any. */
function linesOf(path) {
  try {
    return readFileSync(path, "utf8").match(/^.+$/gm);
  } catch {
    return null;
  }
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
