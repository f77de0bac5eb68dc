// Opening what was saved: each peer saves its contacts as a file, in a process that then ends; then
// fresh processes open the file and answer their first questions, the peers in turns. The file is in
// the system's page cache, as it was just written.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Progress } from "../src/cli/progress.ts";
import { callFresh, callOnce, orMissing } from "./host.ts";
import { timingOf, type Rounds } from "./measure.ts";
import { FILE_PEERS } from "./peers/files.ts";
import {
  isMissing,
  type Cost,
  type Missing,
  type Opened,
  type Opening,
  type OpenResults,
} from "./results.ts";

/** The lookup of one contact, and 50 by email address from the middle on. */
const QUESTIONS = [1, 9];

export async function opening(
  size: number,
  names: readonly string[],
  ids: readonly number[],
  openings: number,
  rounds: Rounds,
  seconds: number,
  progress: Progress,
): Promise<OpenResults> {
  progress.say("opening: the reference's answers");
  const [lookup, page] = await callOnce("questions", [size, QUESTIONS], seconds);
  if (lookup === undefined || page === undefined) throw new Error("there are no questions");
  const place = mkdtempSync(join(tmpdir(), "tercet-bench-"));
  try {
    const peers: Record<string, Opened | Missing> = {};
    const opened = new Map<string, { folder: string; save: number; taken: Opening[] }>();
    for (const [i, name] of names.filter((each) => each in FILE_PEERS).entries()) {
      progress.say(`opening: ${name} saves`);
      const folder = join(place, String(i));
      mkdirSync(folder);
      const saved = await orMissing(callFresh("save", [name, fileIn(folder), size], seconds));
      if (isMissing(saved)) peers[name] = saved;
      else opened.set(name, { folder, save: saved.time, taken: [] });
    }
    for (let round = 0; round < openings; round++) {
      for (const [name, { folder, taken }] of opened) {
        progress.say(`opening: ${name} opens`);
        const call = callFresh("open", [name, fileIn(folder), lookup, page], seconds);
        const each = await orMissing(call);
        if (isMissing(each)) {
          peers[name] = each;
          opened.delete(name);
        } else taken.push(each);
      }
    }
    for (const [name, { folder, save, taken }] of opened) {
      const of = (part: keyof Opening) => timingOf(taken.map((each) => each[part]));
      peers[name] = {
        save,
        bytes: bytesIn(folder),
        imported: of("imported"),
        open: of("open"),
        lookup: of("lookup"),
        page: of("page"),
        resident: of("resident").median,
      };
    }
    if (!names.includes("tercet")) return { size, peers };
    progress.say("opening: the queries from a file");
    const warm = await callOnce("opened", [size, ids, rounds], seconds);
    progress.say("opening: what saving costs");
    const costs = await callOnce("files", [size], seconds);
    for (const format of ["json", "csv"] as const) {
      progress.say(`opening: importing ${format}`);
      costs.push(...(await importing(format, size, place, seconds)));
    }
    return { size, peers, warm, costs };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function importing(
  format: "json" | "csv",
  size: number,
  place: string,
  seconds: number,
): Promise<Cost[]> {
  const source = join(place, `source.${format}`);
  const bytes = await callFresh("source", [source, format, size], seconds);
  const folder = join(place, `store-${format}`);
  const made = await callFresh("importing", [source, format, folder, size], seconds);
  rmSync(source);
  rmSync(folder, { recursive: true });
  const name = format.toUpperCase();
  const megabytes = bytes / 1e6;
  // `time` is in nanoseconds.
  const speed = `${(megabytes / (made.time / 1e9)).toFixed(0)} MB/s`;
  return [
    { label: `${name} of ${megabytes.toFixed(1)} MB to a store, ${speed}`, time: made.time },
    { label: `the most that was resident, importing ${name}`, resident: made.resident },
  ];
}

const fileIn = (folder: string) => join(folder, "contacts");

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
