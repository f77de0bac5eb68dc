// The server of the README that stops gracefully: a request that it has received before SIGTERM is answered, and its
// change is durable; no connection is accepted afterwards.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  int,
  next,
  string,
} from "../../src/index.ts";
import { createStore, openStore } from "../../src/store/index.ts";

const project = resolve(import.meta.dirname, "../..");
const Note = defineSchema({ id: int({ unique: true, default: next }), text: string() });
let child: ChildProcess | undefined;
afterAll(() => {
  child?.kill("SIGKILL");
});

test("a request in progress is finished, and the process ends with 0", async () => {
  const document = readFileSync(join(project, "src/database/README.md"), "utf8");
  const section = document.slice(document.indexOf("## Slow queries and a graceful stop"));
  const folder = mkdtempSync(join(tmpdir(), "tercet-stop-"));
  const { outputFiles } = await build({
    stdin: {
      contents: /```ts\n([^]*?)```/.exec(section)?.[1] ?? "",
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
  const program = join(folder, "server.mjs");
  writeFileSync(program, outputFiles[0]?.contents ?? "");
  const store = join(folder, "notes");
  createStore(store, createDatabase({ notes: createCollection(Note) })).close();

  child = fork(program, ["serve"], { cwd: folder });
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  const headers = { Expect: "100-continue" };
  const asked = request({ host: "127.0.0.1", port, method: "POST", headers });
  const answered = once(asked, "response");
  asked.flushHeaders();
  // The server has the head of the request.
  await once(asked, "continue");
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  expect(await once(child, "message")).toEqual(["stopping", undefined]);

  const late = connect(port, "127.0.0.1");
  const [error] = (await once(late, "error")) as [{ readonly code: string }];
  expect(error.code).toBe("ECONNREFUSED");

  asked.end("in progress");
  const [response] = (await answered) as [import("node:http").IncomingMessage];
  expect([response.statusCode, await text(response)]).toEqual([200, "1 notes"]);
  expect(await ended).toEqual([0, null]);
  const reopened = openStore(store, { notes: Note });
  expect([...reopened.notes]).toEqual([{ id: 1, text: "in progress" }]);
  reopened.close();
});
