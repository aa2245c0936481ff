// A public MCP client plays football: the official SDK against `matchd mcp`, by stdio and by HTTP.
//
// It plays for ten seconds, and with `cargo xtask e2e --long` for a minute.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { closeLater, pause, programPath, startMatchd, startProgram, takesItsTime, until } from "./harness.mjs";

const PLAY_S = takesItsTime ? 60 : 10;

/** A turn has three calls, and a seat may call ten times a second: within that, and much faster than a model. */
const TURN_EVERY_MS = 400;

let server;
before(async () => { server = await startMatchd(); });

const mcpArguments = (...more) => ["mcp", "--contract", server.contract, ...more];

/** A client that knows the tools, so that it checks every answer against the tool's schema. */
async function connected(transport) {
  const client = new Client({ name: "matchd-e2e", version: "1" });
  closeLater(() => client.close());
  await client.connect(transport);
  const { tools } = await client.listTools();
  const call = (name, args = {}) => client.callTool({ name, arguments: args });
  /** The result of a call that must not be refused. */
  const must = async (name, args) => {
    const { isError, structuredContent: answer } = await call(name, args);
    assert.ok(!isError && answer.ok, JSON.stringify(answer));
    return answer.result;
  };
  return { client, tools, call, must };
}

const byStdio = () => {
  const command = programPath("matchd");
  return connected(new StdioClientTransport({ command, args: mcpArguments(), stderr: "inherit" }));
};

test("the official client lists the tools and plays", { timeout: (PLAY_S + 60) * 1000 }, async () => {
  const { tools, call, must } = await byStdio();
  assert.deepEqual(tools.map(({ name }) => name), ["describe", "observe", "act"]);
  const act = tools.find(({ name }) => name === "act");
  assert.deepEqual(act.inputSchema.required, ["action"]);
  assert.equal(act.inputSchema.additionalProperties, false);

  const described = await must("describe");
  assert.equal(described.game, "kickabout");
  const { seat, team } = await must("act", { action: { type: "take_seat", name: "Nova", team: "blue" } });
  assert.equal(team, "blue");

  // The token is kept for it: it sees with its own eyes and gives orders without ever naming it.
  let sight = await must("observe");
  assert.equal(sight.you, seat);
  const kinds = ["press", "hold_zone", "shoot", "mark", "pass_to"];
  const given = new Set();
  const from = sight.tick;
  for (let turn = 0; (sight.tick - from) / 60 < PLAY_S || given.size < kinds.length; turn++) {
    const wanted = kinds[turn % kinds.length];
    const legal = sight.legal_orders?.find(({ order }) => order.type === wanted);
    if (legal) {
      const { takes_effect } = await must("act", { action: { type: "order", order: legal.order } });
      given.add(wanted);
      sight = await must("observe", { since: sight.tick });
      assert.ok(sight.tick >= takes_effect, `${sight.tick} shows ${takes_effect}`);
      const mine = sight.players.find(({ id }) => id === seat);
      if (sight.phase === "play") assert.equal(mine.order?.order.type, wanted);
    }
    await pause(TURN_EVERY_MS);
    sight = await must("observe", { since: sight.tick });
  }

  await must("act", { action: { type: "leave_seat" } });
  const { structuredContent: refused, isError } = await call("act", { action: { type: "order", order: "press" } });
  assert.ok(isError && refused.error, "without a seat there are no orders");
});

test("a client's mistakes are answered, and the next call is too", async () => {
  const { call, must } = await byStdio();
  await assert.rejects(call("kick"), /no such tool; there are: describe, observe, act/);
  const refused = await call("act", { action: { type: "order", order: { type: "dance" } } });
  assert.ok(refused.isError);
  assert.ok(JSON.stringify(refused.structuredContent.error).length <= 512);
  assert.ok(!JSON.stringify(refused).includes("dance"), "what was sent is not repeated");
  const tooLong = await call("act", { action: { type: "take_seat", name: "x".repeat(20_000) } });
  assert.match(tooLong.content[0].text, /longer than the 16384 bytes/);
  let nested = {};
  for (let depth = 0; depth < 100; depth++) nested = { nested };
  assert.ok((await call("observe", nested)).isError);
  await must("observe");
});

test("what is no message at all ends nothing", async () => {
  const child = spawn(programPath("matchd"), mcpArguments(), { stdio: ["pipe", "pipe", "inherit"] });
  closeLater(() => child.kill("SIGKILL"));
  const ended = new Promise((resolve) => child.once("close", resolve));
  let heard = "";
  child.stdout.on("data", (chunk) => { heard += chunk; });
  const initialize = {
    jsonrpc: "2.0", id: 1, method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  };
  const say = (line) => child.stdin.write(`${line}\n`);
  say(JSON.stringify(initialize));
  say(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  say("{");
  say("[".repeat(10_000));
  say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"observe","arguments":{"x":"${"x".repeat(200_000)}"}}}`);
  say(JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "describe", arguments: {} } }));
  await until("it answers what is a message", () => heard.includes('"id":3'));
  assert.ok(heard.split("\n").every((line) => line.length < 64 * 1024));
  child.stdin.end();
  assert.equal(await ended, 0);
});

test("by HTTP every caller carries its own token, and pages are kept out", async () => {
  const offered = await startProgram("matchd", mcpArguments("--http", "127.0.0.1:0"));
  const url = new URL(offered.ready.replace("mcp=", ""));
  const [one, other] = await Promise.all([1, 2].map(() => connected(new StreamableHTTPClientTransport(url))));
  const seats = await Promise.all([one, other].map(({ must }, at) => must("act", { action: { type: "take_seat", name: `Agent ${at}` } })));
  assert.notEqual(seats[0].seat, seats[1].seat);
  assert.equal((await one.must("observe", { token: seats[0].token })).you, seats[0].seat);
  assert.equal((await other.must("observe", { token: seats[1].token })).you, seats[1].seat);
  assert.equal((await one.must("observe")).you, undefined, "nothing is kept between calls");

  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const page = await fetch(url, { method: "POST", headers: { ...headers, origin: "http://example.com" }, body });
  assert.equal(page.status, 403);
  const large = await fetch(url, { method: "POST", headers, body: body.replace("{", `{"x":"${"x".repeat(70_000)}",`) });
  assert.equal(large.status, 413);
});
