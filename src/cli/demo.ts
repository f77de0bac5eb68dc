// `npm run demo`: a typical task on real input. It searches the project's own folder, including dependencies, and a
// Batch, through request envelopes, and shows each error of the service. Then it saves the data, and another process
// opens them from the folder.

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createService, type BatchInput, type Service } from "../index.ts";
import { createStore, openStore } from "../store/index.ts";
import { closeSources } from "./closing.ts";
import { report } from "./errors.ts";
import { leaveOnBrokenPipe, send, table, type AnyRecord } from "./output.ts";
import { scanDirectory } from "./scan.ts";
import { contactColumns, fileColumns } from "./tables.ts";
import { openBatch } from "./sources.ts";

const BATCH_FILE = "data/batch.json";
const KEY = "demo-key";

async function demo(): Promise<void> {
  const scanned = performance.now();
  const files = await scanDirectory(".");
  await say(`Scanned ${files.length} files of this folder in ${elapsed(scanned)}.`);

  const { content } = await openBatch(BATCH_FILE);
  const batch = content as BatchInput;
  const loaded = performance.now();
  const service = createService({ files, batches: [batch] });
  closeSources();
  await say(`Made a service of them and of Batch ${batch.id} in ${elapsed(loaded)}.`);
  const took = elapsed(scanned);

  const large = ["size", "greater_than", 50_000];
  const documents = [["extension", "exactly", ".md"], large, "OR"];
  const images = ["mime_type", "starts_with", "image/"];
  const manifests = [["name", "exactly", "package.json"]];
  await show(service, "searchFiles", [null, 4, 0, "size"]);
  await show(service, "searchFiles", [[...documents, images], 4, 0, "size"]);
  await show(service, "searchFiles", [manifests, 4, 0, "last_modified_time", "DESC"]);
  const opened = [["open_count", "greater_than", 0]];
  const named = [["Email", "contains", "a"]];
  await show(service, "getBatchContacts", [batch.id, opened, 5, 0, "open_count"]);
  await show(service, "getBatchContacts", [batch.id, named, 5, 0, "Email", "ASC"]);

  await say("\nEach error code, and a request that gets it:\n");
  const internal: string[] = [];
  const failing = createService({
    authenticate() {
      throw new Error("the key store is down");
    },
    onInternalError: (thrown) => void internal.push(String(thrown)),
  });
  await showError(failing, "searchFiles", [KEY]);
  for (const thrown of internal) await say(`      onInternalError got "${thrown}"`);
  await showError(service, "deleteFiles", [KEY]);
  await showError(service, null, [KEY]);
  await showError(service, "searchFiles", [""]);
  await showError(service, "getBatchContacts", [KEY, 999_999_999]);
  await showError(service, "searchFiles", [KEY, [], -1]);
  await showError(service, "searchFiles", [KEY, [["size", "roughly", 1000]]]);

  await save(service, took);
}

/** Saves the service's data, and opens them in another process. */
async function save(service: Service, took: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tercet-demo-"));
  try {
    const start = performance.now();
    const store = join(folder, "store");
    createStore(store, service).close();
    await say(`\nSaved all of it in a store in ${elapsed(start)}.`);
    const second = fork(fileURLToPath(import.meta.url), [store, took]);
    const [code] = (await once(second, "exit")) as [number | null];
    if (code !== 0) throw new Error("the second process failed");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The second process, which has nothing but the folder of the store. */
async function reopen(directory: string, took: string): Promise<void> {
  const start = performance.now();
  const service = openStore(directory, { readOnly: true });
  await say(
    `\nA new process opened the store in ${elapsed(start)}: scanning and loading took ${took}.`,
  );
  await show(service, "searchFiles", [null, 4, 0, "size"]);
}

let lastId = 0;

/** Shows a successful request, its time, and the records of its response. */
async function show(
  service: Service,
  method: string,
  parameters: readonly unknown[],
): Promise<void> {
  const request = { id: ++lastId, method, params: [KEY, ...parameters] };
  await say(`\n→ ${JSON.stringify(request)}`);
  const start = performance.now();
  const { result, error } = service.dispatch(request);
  await say(`← answered in ${elapsed(start)}`);
  if (error !== null) throw new Error(`${error.code} ${error.message}: ${error.data}`);
  const isFiles = Array.isArray(result);
  const lists = (isFiles ? { "": result } : result) as Record<string, readonly AnyRecord[]>;
  const records = Object.entries(lists).flatMap(([List, list]) =>
    list.map((record) => ({ List, ...record })),
  );
  for (const text of table(isFiles ? fileColumns : contactColumns, records)) {
    await say(text.replace(/^/gm, "  ").trimEnd());
  }
}

async function showError(
  service: Service,
  method: unknown,
  params: readonly unknown[],
): Promise<void> {
  const request = { id: ++lastId, method, params };
  const { error } = service.dispatch(request);
  if (error === null) throw new Error(`no error for ${JSON.stringify(request)}`);
  await say(`→ ${JSON.stringify(request)}`);
  await say(`← ${error.code} ${error.message}\n      ${error.data}`);
}

const elapsed = (start: number) => `${(performance.now() - start).toFixed(1)} ms`;

const say = (text: string) => send(process.stdout, `${text}\n`);

async function main(): Promise<void> {
  leaveOnBrokenPipe();
  const [directory, took = ""] = process.argv.slice(2);
  try {
    await (directory === undefined ? demo() : reopen(directory, took));
  } catch (thrown) {
    report(thrown);
  }
}

void main();
