// A small Room App for tests of the host page: it keeps what it gets, and does what a test tells it over its port.
//
//   const url = await startFixtureApp();
//   const frame = await appFrame(page);              // the App's frame in a host page
//   await frame.evaluate(() => window.app.got)       // all messages, oldest first
//   await frame.evaluate(() => window.app.send({ type: "sendReliable", payload: {} }))
//
// Its query says how it behaves: `?shy` does not answer the handshake, `?wrong` answers it with a wrong token, and
// otherwise it is ready at once and echoes what Agents ask, or with `?relay=URL` posts it there and hands back the answer.

import { serve } from "./harness.mjs";

const PAGE = `<!doctype html><meta charset="utf-8"><title>Fixture</title>
<style>body{margin:0;height:100vh;display:grid;place-items:center;font:600 22px system-ui,"DejaVu Sans",sans-serif;background:#20543b;color:#fff}</style>
<p id="text">Fixture</p>
<script>
  const behaviour = location.search.slice(1);
  const relay = new URLSearchParams(location.search).get("relay");
  const asked = (payload) => relay
    ? fetch(relay, { method: "POST", body: JSON.stringify(payload) }).then((response) => response.json())
    : { echo: payload };
  window.app = { got: [], bootstraps: [], echoes: true };
  app.send = (message) => app.port.postMessage({ appInstanceId: app.instance, ...message });
  addEventListener("message", (event) => {
    if (event.source !== parent || event.data?.type !== "room-app-bootstrap") return;
    app.bootstraps.push(event.data);
    app.instance = event.data.appInstanceId;
    app.port = event.ports[0];
    app.port.onmessage = async ({ data }) => {
      app.got.push(data);
      if (data.type === "agent_request" && app.echoes) {
        app.send({ type: "agentResponse", requestId: data.requestId, ok: true, result: await asked(data.payload) });
      }
    };
    app.ready = () => app.send({ type: "ready", handshakeToken: event.data.handshakeToken });
    if (behaviour === "wrong") app.send({ type: "ready", handshakeToken: "wrong" });
    else if (behaviour !== "shy") app.ready();
  });
</script>`;

/** Serves the App on a port of its own, so that it is cross-origin to everything, and returns its URL. */
export async function startFixtureApp() {
  const port = await serve((_, response) => response.setHeader("content-type", "text/html").end(PAGE));
  return `http://127.0.0.1:${port}/`;
}

/** The frame of the App that a host page shows. */
export async function appFrame(page) {
  const element = await page.waitForSelector(".app:not([hidden]) iframe");
  return element.contentFrame();
}
