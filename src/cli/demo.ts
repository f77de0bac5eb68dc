// `npm run demo`: the main task on real input. It searches the project's own folder, including
// dependencies, and a Batch, through request envelopes, and shows each error of the service. Then it
// saves the data, and another process opens them.

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createService, type BatchInput, type Service } from "../index.ts";
import { createStore } from "../store/index.ts";
import { elapsed, KEY, say, showContacts, showError, showFiles } from "./demo-show.ts";
import { report } from "./errors.ts";
import { leaveOnBrokenPipe } from "./output.ts";
import { scanDirectory } from "./scan.ts";
import { openBatch } from "./sources.ts";

const BATCH_FILE = "data/batch.json";

async function demo(): Promise<void> {
  const scanned = performance.now();
  const files = await scanDirectory(".");
  await say(`Scanned ${files.length} files of this folder in ${elapsed(scanned)}.`);

  const { content, close } = await openBatch(BATCH_FILE);
  const batch = content as BatchInput;
  const loaded = performance.now();
  const service = createService({ files, batches: [batch] });
  close();
  await say(`Made a service of them and of Batch ${batch.id} in ${elapsed(loaded)}.`);
  const took = elapsed(scanned);

  await showFiles(service, [null, 4, 0, "size"]);
  await showFiles(service, [
    [
      ["extension", "exactly", ".md"],
      ["size", "greater_than", 50_000],
      "OR",
      ["mime_type", "starts_with", "image/"],
    ],
    4,
    0,
    "size",
  ]);
  await showFiles(service, [
    [["name", "exactly", "package.json"]],
    4,
    0,
    "last_modified_time",
    "DESC",
  ]);
  await showContacts(service, [batch.id, [["open_count", "greater_than", 0]], 5, 0, "open_count"]);
  await showContacts(service, [batch.id, [["Email", "contains", "a"]], 5, 0, "Email", "ASC"]);

  await say("\nEach error code, and a request that gets it:\n");
  const failing = createService({
    authenticate() {
      throw new Error("the key store is down");
    },
  });
  await showError(failing, "searchFiles", [KEY]);
  await showError(service, "deleteFiles", [KEY]);
  await showError(service, null, [KEY]);
  await showError(service, "searchFiles", [""]);
  await showError(service, "getBatchContacts", [KEY, 999_999_999]);
  await showError(service, "searchFiles", [KEY, [], -1]);
  await showError(service, "searchFiles", [KEY, [["size", "roughly", 1000]]]);

  await reopen(service, took);
}

/** Saves the service's data, and has another process open them. */
async function reopen(service: Service, took: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tercet-demo-"));
  try {
    const start = performance.now();
    const store = join(folder, "store");
    createStore(store, service).close();
    await say(`\nSaved all of it in a store in ${elapsed(start)}.`);
    const script = fileURLToPath(new URL("demo-reopen.ts", import.meta.url));
    const [code] = (await once(fork(script, [store, took]), "exit")) as [number | null];
    if (code !== 0) throw new Error("the second process failed");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function main(): Promise<void> {
  leaveOnBrokenPipe();
  try {
    await demo();
  } catch (thrown) {
    report(thrown);
  }
}

void main();
