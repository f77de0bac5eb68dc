// Shows the demo's requests, the service's answers, and their times.

import type { Service } from "../index.ts";
import { send, table, type Column, type WireRecord } from "./output.ts";

export const KEY = "demo-key";

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

export async function showFiles(service: Service, parameters: readonly unknown[]): Promise<void> {
  const files = (await ask(service, "searchFiles", parameters)) as readonly WireRecord[];
  await show(fileColumns, files);
}

export async function showContacts(
  service: Service,
  parameters: readonly unknown[],
): Promise<void> {
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

/** Sends a request that succeeds, shows it and its time, and returns its result. */
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

export async function showError(
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

export function elapsed(start: number): string {
  return `${(performance.now() - start).toFixed(1)} ms`;
}

export async function say(text: string): Promise<void> {
  await send(process.stdout, `${text}\n`);
}
