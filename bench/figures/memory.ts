// Memory, each measurement in a process of its own: what the parsed records take, what tercet's records
// take, and each index after it. Heap and array buffers after garbage collection.

import { execFileSync } from "node:child_process";
import type { Preparation } from "../../src/index.ts";
import { wireContacts } from "../contacts.ts";
import { collectGarbage } from "../measure.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import { count, digits, print, printTable, progress } from "../report.ts";

type What = "parsed" | "tercet";

interface Part {
  readonly label: string;
  readonly bytes: number;
  /** What `Collection.indexes` says of it. */
  readonly reported?: number;
}

const INDEXES: readonly (readonly [label: string, Preparation])[] = [
  ["index of contact_email (unique)", { match: ["contact_email"] }],
  ["index of Email (unique)", { sort: ["Email"] }],
  ["index of send_time (int)", { sort: ["send_time"] }],
  ["index of last_open_time (int)", { sort: ["last_open_time"] }],
  ["index of send_status (few values)", { match: ["send_status"] }],
  ["index of open_type (few values)", { match: ["open_type"] }],
  ["trigrams of contact_email", { contains: ["contact_email"] }],
];

export function memory(size: number): void {
  const measureIn = (what: What): Part[] => {
    progress(`memory: ${what}`);
    const flags = [...process.execArgv, process.argv[1] ?? "", "--memory-of", what];
    const text = execFileSync(process.execPath, [...flags, "--size", String(size)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    return JSON.parse(text) as Part[];
  };
  const [parsed] = measureIn("parsed");
  const parts = measureIn("tercet");
  if (parsed === undefined) return;
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const row = ({ label, bytes, reported }: Part) => [
    label,
    megabytes(bytes),
    reported === undefined ? "" : megabytes(reported),
    digits(bytes / size),
    digits(bytes / parsed.bytes),
  ];
  print(`\nMemory of ${count(size)} contacts; ratio: to the parsed records`);
  printTable(
    ["part", "MB", "MB reported", "bytes a contact", "ratio"],
    [parsed, ...parts, { label: "tercet in all", bytes: total }].map(row),
  );
}

/** The measurement itself, in the process started for it. */
export function measureMemory(what: What, size: number): void {
  const parts: Part[] = [];
  let before = used();
  const add = (label: string, reported?: number) => {
    const now = used();
    parts.push({ label, bytes: now - before, ...(reported !== undefined && { reported }) });
    before = now;
  };
  if (what === "parsed") {
    held.push([...wireContacts(size)]);
    add("parsed records");
  } else {
    const collection = collectionOf(serviceOf(wireContacts(size)));
    held.push(collection);
    add("tercet's records");
    const reported = () => collection.indexes().reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [label, preparation] of INDEXES) {
      const earlier = reported();
      collection.prepare(preparation);
      add(label, reported() - earlier);
    }
  }
  process.stdout.write(JSON.stringify(parts));
}

function used(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What is measured, held so that no collection takes it too early. */
const held: object[] = [];

function megabytes(bytes: number): string {
  return digits(bytes / 1e6);
}
