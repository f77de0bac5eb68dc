// `npm run demo`: the main job on real input. It searches the project's own folder, dependencies
// included, and a Batch, through request envelopes, and shows each error that the service answers.

import { createService, type BatchInput, type Service } from "../index.ts";
import { report } from "./errors.ts";
import { leaveOnBrokenPipe, send, table, type Column, type WireRecord } from "./output.ts";
import { openBatch } from "./records.ts";
import { scanDirectory } from "./scan.ts";

const BATCH_FILE = "data/batch.json";
const KEY = "demo-key";

const fileColumns: readonly Column[] = [
  { field: "id", width: 8 },
  { field: "size", width: 10 },
  { field: "mime_type", width: 24 },
  { field: "last_modified_time", width: 12 },
  { field: "url", width: 200, rest: true },
];

const contactColumns: readonly Column[] = [
  { field: "List", width: 8 },
  { field: "send_id", width: 10 },
  { field: "contact_email", width: 34 },
  { field: "send_status", width: 11 },
  { field: "open_type", width: 10 },
  { field: "open_count", width: 10 },
  { field: "last_open_time", width: 14 },
];

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
}

async function showFiles(service: Service, parameters: readonly unknown[]): Promise<void> {
  const files = (await ask(service, "searchFiles", parameters)) as readonly WireRecord[];
  await show(fileColumns, files);
}

async function showContacts(service: Service, parameters: readonly unknown[]): Promise<void> {
  const lists = (await ask(service, "getBatchContacts", parameters)) as Readonly<
    Record<string, readonly WireRecord[]>
  >;
  const contacts = Object.entries(lists).flatMap(([List, list]) =>
    list.map((contact) => ({ List, ...contact })),
  );
  await show(contactColumns, contacts);
}

async function show(columns: readonly Column[], records: readonly WireRecord[]): Promise<void> {
  for (const text of table(columns, records)) await say(text.replace(/^/gm, "  ").trimEnd());
}

let lastId = 0;

/** Sends a request that succeeds, shows it and its time, and gives its result. */
async function ask(
  service: Service,
  method: string,
  parameters: readonly unknown[],
): Promise<unknown> {
  const request = { id: ++lastId, method, params: [KEY, ...parameters] };
  await say(`\n→ ${JSON.stringify(request)}`);
  const start = performance.now();
  const { result, error } = service.dispatch(request);
  await say(`← answered in ${elapsed(start)}`);
  if (error !== null) throw new Error(`${error.code} ${error.message}: ${error.data}`);
  return result;
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

function elapsed(start: number): string {
  return `${(performance.now() - start).toFixed(1)} ms`;
}

async function say(text: string): Promise<void> {
  await send(process.stdout, `${text}\n`);
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
