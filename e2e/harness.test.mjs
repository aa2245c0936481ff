// The tools of the other tests, tried on a page of a few lines.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { before, test } from "node:test";
import { openBrowser, openPage, picture, serve, until } from "./harness.mjs";

const document = `<!doctype html><title>A page</title><p id="size"></p><script>
  size.textContent = innerWidth + "x" + innerHeight;
  addEventListener("keydown", (event) => (size.dataset.key = event.code));
</script>`;

let browser;
let url;

before(async () => {
  const port = await serve((request, response) => {
    const found = request.url === "/";
    response.writeHead(found ? 200 : 404, { "content-type": "text/html" }).end(found ? document : "");
  });
  url = `http://127.0.0.1:${port}/`;
  browser = await openBrowser();
});

test("a page has the size that was asked for, and hears keys", async () => {
  const page = await openPage(browser, url, { width: 390, height: 844 });
  assert.equal(await page.textContent("#size"), "390x844");
  await page.keyboard.press("KeyW");
  await until("the key arrives", async () => (await page.getAttribute("#size", "data-key")) === "KeyW");
  assert.ok(statSync(await picture(page, "harness")).size > 1000);
});

test("a page's errors are collected", async () => {
  const page = await openPage(browser, url);
  await page.evaluate(() => setTimeout(() => { throw new Error("on purpose"); }));
  await until("the error arrives", () => page.problems.some((problem) => problem.includes("on purpose")));
});
