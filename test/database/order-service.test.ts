// The order service of the README survives bad requests: each gets its status, and valid requests still work.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const ORDERS = 2000;
let child: ChildProcessByStdio<null, Readable, null>;
let base: string;
let ended: number | null | undefined;

beforeAll(async () => {
  const text = readFileSync(join(project, "src/database/README.md"), "utf8");
  const section = text.slice(text.indexOf("## An order service"));
  const code = /```ts\n([^]*?)```/.exec(section)?.[1]?.replace("200_000", `${ORDERS}`);
  const folder = mkdtempSync(join(tmpdir(), "tercet-orders-"));
  const { outputFiles } = await build({
    stdin: {
      contents: `${code}\nconst { port } = await serve(open());\nconsole.log(port);\n`,
      loader: "ts",
      resolveDir: project,
    },
    alias: {
      "tercet/store": join(project, "src/store/index.ts"),
      tercet: join(project, "src/index.ts"),
    },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  writeFileSync(join(folder, "service.mjs"), outputFiles[0]?.contents ?? "");
  child = spawn(process.execPath, ["service.mjs"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.once("exit", (code) => (ended = code));
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  base = `http://127.0.0.1:${Number(port)}`;
});
afterAll(() => {
  child.kill();
});

const url = (path: string, query: unknown) =>
  `${path}?query=${encodeURIComponent(typeof query === "string" ? query : JSON.stringify(query))}`;
const one = { criteria: [["id", "exactly", 7]] };

async function send(path: string, init: RequestInit = {}) {
  const response = await fetch(base + path, init);
  const text = await response.text();
  const answer = (text === "" ? {} : JSON.parse(text)) as { count?: number; page?: unknown[] };
  return { status: response.status, ...answer };
}

const BAD: readonly [what: string, status: number, path: string, init?: RequestInit][] = [
  ["a query that is not JSON", 400, "/orders?query=x"],
  ["a query that is null", 400, url("/orders", "null")],
  ["a query that is a number", 400, url("/orders", "5")],
  ["a query that is a list", 200, url("/orders", [])],
  ["an unknown field", 422, url("/orders", { criteria: [["totl", "at_least", 1]] })],
  ["an unknown member", 422, url("/orders", { criterion: [] })],
  ["a negative limit", 422, url("/orders", { limit: -1 })],
  ["a limit that is no number", 422, url("/orders", { limit: {} })],
  [
    "more criteria than a URL may have",
    431,
    url("/orders", { criteria: new Array(1001).fill(["id", "not", 1]) }),
  ],
  ["a live query of an unknown field", 422, url("/events", { criteria: [["totl", "not", 1]] })],
  ["a live query that is not JSON", 400, url("/events", "{")],
  ["another path", 404, "/"],
  ["a path that is no URL", 404, "//"],
  ["another method", 404, "/orders", { method: "DELETE" }],
  ["a live query by another method", 404, "/events", { method: "POST", body: "{}" }],
  ["a change without criteria", 422, "/orders", { method: "PATCH", body: "{}" }],
  ["a change of all", 413, url("/orders", { criteria: [] }), { method: "PATCH", body: "{}" }],
  [
    "a change of nearly all",
    413,
    url("/orders", { criteria: [["id", "not", -1]] }),
    { method: "PATCH", body: "{}" },
  ],
  ["a change that is not JSON", 400, url("/orders", one), { method: "PATCH", body: "{" }],
  ["a change to null", 400, url("/orders", one), { method: "PATCH", body: "null" }],
  ["a change without body", 400, url("/orders", one), { method: "PATCH" }],
  ["a change to a list", 422, url("/orders", one), { method: "PATCH", body: "[]" }],
  [
    "a change of an unknown field",
    422,
    url("/orders", one),
    { method: "PATCH", body: '{"stat":1}' },
  ],
  [
    "a change to a bad value",
    422,
    url("/orders", one),
    { method: "PATCH", body: '{"state":"lost"}' },
  ],
  ["a change to another id", 409, url("/orders", one), { method: "PATCH", body: '{"id":8}' }],
  ["a huge body", 413, url("/orders", one), { method: "PATCH", body: "x".repeat(300_000) }],
];

test.each(BAD)("%s: %i", async (_, status, path, init) => {
  const response = await send(path, init);
  expect(response.status).toBe(status);
});

test("a page has at most a hundred orders, whatever a request asks", async () => {
  for (const limit of [101, 1e6, "1000", Number.MAX_SAFE_INTEGER]) {
    expect((await send(url("/orders", { limit }))).page).toHaveLength(100);
  }
  expect((await send("/orders")).page).toHaveLength(20);
  const { body } = await fetch(base + url("/events", { limit: 1e6 }));
  let text = "";
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.endsWith("\n\n")) break;
  }
  expect(JSON.parse(text.slice("data: ".length))).toHaveLength(100);
});

test("requests that are broken off, and garbage, do no harm; nothing has changed", async () => {
  const { port } = new URL(base);
  const requests = [
    "PATCH /orders?query=%7B%22criteria%22%3A%5B%5B%22id%22%2C%22exactly%22%2C7%5D%5D%7D HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{",
    "GET /events HTTP/1.1\r\nhost: x\r\n\r\n",
    "GET /orders",
    "nothing of the kind\r\n\r\n",
  ];
  for (const request of requests) {
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    await new Promise<void>((written) => socket.write(request, () => written()));
    const isOver = once(socket, "close");
    socket.resetAndDestroy();
    await isOver;
  }
  const open = { criteria: [["state", "exactly", "open"]] };
  expect((await send(url("/orders", open))).count).toBe(ORDERS);
  expect(ended).toBeUndefined();
});

test("a good change is made", async () => {
  const init = { method: "PATCH", body: '{"state":"paid"}' };
  expect(await send(url("/orders", one), init)).toEqual({ status: 200, changes: 1 });
});
