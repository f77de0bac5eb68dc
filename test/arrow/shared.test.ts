// A file in shared memory: another thread opens the same collection without a copy.

import { rmSync } from "node:fs";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { openCollection, saveCollection, sharedMemoryOf } from "../../src/arrow/index.ts";
import { Nasty, nastyCollection } from "./fixtures.ts";

const collection = nastyCollection(500);
const bytes = saveCollection(collection);

test("a worker thread opens the posted memory, and has the same records", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tercet-shared-"));
  try {
    await build({
      stdin: {
        contents: `
          import { parentPort, workerData } from "node:worker_threads";
          import { openCollection } from "./src/arrow/index.ts";
          const opened = openCollection(workerData, { verify: true });
          parentPort.postMessage(opened.query({ sortBy: "text" }).map(({ id }) => id));`,
        resolveDir: resolve(import.meta.dirname, "../.."),
      },
      bundle: true,
      format: "esm",
      platform: "node",
      outfile: join(folder, "worker.mjs"),
      logLevel: "silent",
    });
    const opened = openCollection(bytes, { schema: Nasty, shared: true });
    const memory = sharedMemoryOf(opened);
    const worker = new Worker(join(folder, "worker.mjs"), { workerData: memory });
    const ids = await new Promise((done, fail) => worker.once("message", done).once("error", fail));
    expect(ids).toEqual(collection.query({ sortBy: "text" }).map(({ id }) => id));
    await worker.terminate();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a collection in shared memory answers like any other, and is opened again from it", () => {
  const opened = openCollection(bytes, { schema: Nasty, shared: true });
  expect([...opened]).toEqual([...collection]);
  const again = openCollection(sharedMemoryOf(opened), { schema: Nasty });
  expect([...again]).toEqual([...collection]);
  expect(sharedMemoryOf(again)).toBe(sharedMemoryOf(opened));
  expect(again.count([["text", "contains", "\u{1f601}"]])).toBe(
    collection.count([["text", "contains", "\u{1f601}"]]),
  );
});

test("a collection that was opened otherwise, or was changed, has no such memory", () => {
  expect(() => sharedMemoryOf(openCollection(bytes))).toThrow(
    "collection: must have been opened with shared: true",
  );
  const opened = openCollection(bytes, { schema: Nasty, shared: true });
  expect(() => sharedMemoryOf(opened.remove([["positive", "exactly", 7]]))).toThrow(
    "collection: has changed since it was opened",
  );
  expect(sharedMemoryOf(opened).byteLength).toBe(bytes.length);
});

test("where there is no shared memory, a file is not opened in it", () => {
  const { SharedArrayBuffer } = globalThis;
  try {
    Reflect.deleteProperty(globalThis, "SharedArrayBuffer");
    expect(() => openCollection(bytes, { schema: Nasty, shared: true })).toThrow(
      "options.shared: is unavailable: this environment has no SharedArrayBuffer",
    );
    expect(openCollection(bytes, { schema: Nasty }).size).toBe(500);
  } finally {
    Object.assign(globalThis, { SharedArrayBuffer });
  }
});
