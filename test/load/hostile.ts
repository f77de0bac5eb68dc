// A hostile hour in a minute: heavy requests of every kind to a service of a million Contacts with limits. Prints the
// longest time that each kind took, the longest block of the event loop and the largest heap. `npm run test:soak --
// --hostile` bundles and runs it.

import { setImmediate } from "node:timers/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createService } from "../../src/index.ts";
import { generateLazyBatch } from "../../src/synthetic/index.ts";

const [seconds = 60, contacts = 1_000_000] = process.argv.slice(2).map(Number);

const LIMITS = { values: 10_000, rows: 200_000, responseLength: 8 * 2 ** 20, milliseconds: 100 };

const started = performance.now();
const service = createService({
  batches: [generateLazyBatch({ count: contacts, lists: 3, seed: 1, id: 1 })],
  limits: LIMITS,
});
const batch = service.batches["1"];
if (batch === undefined) throw new Error("there is no Batch 1");
const fields = ["send_id", "contact_email", "open_type", "send_status", "open_country"] as const;
batch.contacts.prepare({
  match: fields,
  sort: ["contact_email", "send_time", "open_count"],
  contains: ["contact_email"],
});
const [first] = batch.contacts;
const address = first?.contact_email ?? "";
const addresses = batch.contacts.query({ limit: 10_000, offset: 5000 });
console.log(
  `${contacts.toLocaleString("en-US")} Contacts loaded and indexed in ${toSeconds(performance.now() - started)}`,
);
console.log(`limits ${JSON.stringify(LIMITS)}`);

/** A small source of numbers, so that every run asks the same. */
let state = 1;
const random = (below: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const letters = (length: number) =>
  Array.from({ length }, () => String.fromCharCode(97 + random(26))).join("");

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const some = () => addresses[random(addresses.length)]?.contact_email ?? "";
const joined = (groups: readonly unknown[]) =>
  groups.flatMap((group, i) => (i === 0 ? [group] : ["OR", group]));

type Parameters = readonly unknown[];

/** Heavy parameters after the Batch id, by what they are. */
const kinds: Readonly<Record<string, () => Parameters>> = {
  "everything at once": () => [],
  "everything, sorted by an index": () => [null, null, null, "contact_email"],
  "everything, sorted without an index": () => [null, null, null, "first_open_time"],
  "a page at the end, sorted without an index": () => [null, 10, contacts - 10, "last_open_time"],
  "a page in the middle of what a scan keeps": () => [
    [["bounce_smtp_error_code", "not", letters(3)]],
    10,
    contacts / 2,
  ],
  "1,000 times the same contains": () => [times(1000, () => ["contact_email", "contains", "an"])],
  "1,000 different contains": () => [
    times(1000, () => ["contact_email", "contains", letters(2 + random(3))]),
  ],
  "1,000 contains that hold": () => [
    times(1000, (i) => ["contact_email", "contains", address.slice(i % 8, (i % 8) + 1 + (i % 5))]),
    10,
  ],
  "1,000 contains of which one must hold": () => [
    joined(times(1000, () => ["contact_email", "contains", letters(2)])),
  ],
  "1,000 contains without an index, sorted": () => [
    times(1000, () => ["first_open_time", "contains", letters(1)]),
    null,
    null,
    "last_open_time",
  ],
  "1,000 nots of existing values": () => [
    times(1000, () => ["contact_email", "not", some()]),
    null,
    null,
    "send_time",
  ],
  "500 pairs of which one must hold": () => [
    times(500, (i) => [
      ...(i === 0 ? [] : ["OR"]),
      ["contact_email", "contains", letters(2)],
      ["first_open_time", "greater_than", random(2e9)],
    ]).flat(),
  ],
  "in with 10,000 values": () => [
    [["contact_email", "in", times(10_000, some)]],
    null,
    null,
    "send_time",
  ],
  "100 times in with 1,000 values": () => [
    times(100, () => ["contact_email", "in", times(1000, some)]),
  ],
  "a text of a million characters": () => [
    [["contact_email", "contains", letters(50).repeat(2e4)]],
  ],
  "ends_with without trigrams": () => [[["contact_email", "ends_with", letters(2)]], 5, 1000],
};

const request = (parameters: Parameters) => ({
  id: 1,
  method: "getBatchContacts",
  params: ["key", 1, ...parameters],
});

/** The longest time that a call took, by what was asked; and how it was answered. */
const longest = new Map<string, { milliseconds: number; outcomes: Map<string, number> }>();

function note(kind: string, milliseconds: number, outcome: string): void {
  const known = longest.get(kind) ?? { milliseconds: 0, outcomes: new Map<string, number>() };
  known.milliseconds = Math.max(known.milliseconds, milliseconds);
  known.outcomes.set(outcome, (known.outcomes.get(outcome) ?? 0) + 1);
  longest.set(kind, known);
}

function outcomeOf(text: string): string {
  const { code } = /"code":(?<code>-?\d+)/.exec(text.slice(-400))?.groups ?? {};
  return code === undefined ? "answered" : `error ${code}`;
}

const loop = monitorEventLoopDelay({ resolution: 1 });
let largestHeap = 0;
const watching = setInterval(() => {
  largestHeap = Math.max(largestHeap, process.memoryUsage().heapUsed);
}, 20);
loop.enable();

const end = performance.now() + seconds * 1000;
let requests = 0;
for (let round = 0; performance.now() < end; round++) {
  for (const [kind, make] of Object.entries(kinds)) {
    const text = JSON.stringify(request(make()));
    await setImmediate();
    const start = performance.now();
    const answer = service.dispatchJson(text);
    note(kind, performance.now() - start, outcomeOf(answer));
    requests++;
    await setImmediate();
  }
  const heavy = Object.values(kinds).map((make, id) => ({
    ...request(make()),
    jsonrpc: "2.0",
    id,
  }));
  const all = JSON.stringify(heavy);
  await setImmediate();
  const start = performance.now();
  const answer = service.dispatchJson(all);
  note("a JSON-RPC batch of all of these", performance.now() - start, outcomeOf(answer));
  requests += heavy.length;
  await stream();
}

/** Reads an answer of 200,000 records piece by piece, as a server does that waits for its client. */
async function stream(): Promise<void> {
  let length = 0;
  let last = performance.now();
  for (const piece of service.dispatchChunks(JSON.stringify(request([null, LIMITS.rows])))) {
    note("a piece of 200,000 records", performance.now() - last, "answered");
    length += piece.length;
    largestHeap = Math.max(largestHeap, process.memoryUsage().heapUsed);
    await setImmediate();
    last = performance.now();
  }
  if (length < 1000) throw new Error("the stream had no records");
  requests++;
}

clearInterval(watching);
loop.disable();

for (const [kind, { milliseconds, outcomes }] of longest) {
  const said = Array.from(outcomes, ([outcome, count]) => `${count} ${outcome}`).join(", ");
  console.log(`${milliseconds.toFixed(1).padStart(8)} ms  ${kind}: ${said}`);
}
console.log(`${requests} requests in ${toSeconds(performance.now() - end + seconds * 1000)}`);
console.log(`longest block of the event loop: ${(loop.max / 1e6).toFixed(1)} ms`);
console.log(`largest heap: ${(largestHeap / 2 ** 20).toFixed(0)} MiB`);

function toSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
