// Several processes on one store: one writer, and readers that follow it.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { openStore, StoreError } from "../../src/store/index.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { changesIn } from "./kill/changes.ts";
import { newFolder, stateOf } from "./fixtures.ts";

const program = join(newFolder(), "writer.mjs");

beforeAll(async () => {
  const entryPoints = [join(import.meta.dirname, "kill/writer.ts")];
  const outfile = program;
  await build({ entryPoints, bundle: true, platform: "node", format: "esm", outfile });
});

/** A process that writes to a store, once it has it open. */
async function startWriter(folder: string): Promise<ChildProcess> {
  const writer = spawn(process.execPath, [program, folder, "20"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(writer.stdout, "data");
  return writer;
}

async function kill(process: ChildProcess): Promise<void> {
  const closed = once(process, "close");
  process.kill("SIGKILL");
  await closed;
}

test("one writer in another process, till it dies, however it does; who waits then has it at once", async () => {
  const folder = join(newFolder(), "store");
  const writer = await startWriter(folder);
  const reason = new RegExp(`another writer has the store open: process ${writer.pid} on `);
  expect(thrownBy(() => openStore(folder))).toMatchObject({
    message: expect.stringMatching(reason) as string,
  });
  // It is stopped, and can tell nobody that it is alive.
  writer.kill("SIGSTOP");
  expect(thrownBy(() => openStore(folder))).toBeInstanceOf(StoreError);
  await kill(writer);
  const store = openStore(folder);
  expect(readFileSync(join(folder, "lock"), "utf8")).toMatch(`process ${process.pid} on `);
  store.close();
});

test("a reader of a writer that is at work, in another process, sees whole changes only", async () => {
  const folder = join(newFolder(), "store");
  const writer = await startWriter(folder);
  const reader = openStore(folder, { readOnly: true });
  let last = changesIn(reader);
  try {
    const end = Date.now() + 1000;
    while (Date.now() < end || last < 10) {
      const count = reader.refresh();
      const changes = changesIn(reader);
      expect(changes).toBe(last + count);
      last = changes;
      const fresh = openStore(folder, { readOnly: true });
      expect(changesIn(fresh)).toBeGreaterThanOrEqual(last);
      fresh.close();
    }
  } finally {
    await kill(writer);
  }
  reader.refresh();
  const store = openStore(folder);
  expect(stateOf(reader)).toEqual(stateOf(store));
  store.close();
  reader.close();
});
