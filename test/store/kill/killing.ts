// Kills a writer repeatedly at random moments, and checks the state each time: every acknowledged change, at most those
// in flight in addition, and no partial one.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { checkStore, openStore } from "../../../src/store/index.ts";
import { changesIn } from "./changes.ts";

export interface Killing {
  /** The folder of the store; it may be empty. */
  readonly folder: string;
  /** Where the program of the writer is put. */
  readonly program: string;
  readonly kills: number;
  /** Called after each kill. */
  readonly report?: (done: Killed) => void;
}

export interface Killed {
  readonly kills: number;
  /** How many of them were while the store was made or opened, and while it made a checkpoint. */
  readonly whileOpening: number;
  readonly inCheckpoints: number;
  /** How many changes were acknowledged. */
  readonly changes: number;
  /** How many changes were there that had not been acknowledged. */
  readonly unacknowledged: number;
  /** How often an entry had to be cut off. */
  readonly cutOff: number;
}

/** @throws Error where a change is lost, or there in part; StoreError where the store does not open */
export async function killAgainAndAgain(killing: Killing): Promise<Killed> {
  const { folder, program, kills, report } = killing;
  await build({
    entryPoints: [new URL("writer.ts", import.meta.url).pathname],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    outfile: program,
    logLevel: "warning",
  });
  const done = {
    kills: 0,
    whileOpening: 0,
    inCheckpoints: 0,
    changes: 0,
    unacknowledged: 0,
    cutOff: 0,
  };
  while (done.kills < kills) {
    const inFlight = Math.random() < 0.5 ? 0 : MOST_IN_FLIGHT;
    const lines = await killedWriter(program, folder, inFlight);
    done.kills++;
    if (!lines.includes("open")) done.whileOpening++;
    if (lines.at(-1) === "checkpoint") done.inCheckpoints++;
    const reported = lines.filter((line) => /^\d+$/.test(line)).map(Number);
    const acknowledged = Math.max(done.changes, ...reported);
    const { changes, isCutOff } = whatIsLeft(folder);
    if (changes < acknowledged || changes > acknowledged + 1 + inFlight) {
      throw new Error(`${acknowledged} changes were acknowledged, and ${changes} are there`);
    }
    done.unacknowledged += changes - acknowledged;
    done.changes = changes;
    if (isCutOff) done.cutOff++;
    report?.(done);
  }
  return done;
}

/** How many changes are in flight at once, in every second process. */
const MOST_IN_FLIGHT = 8;

/** Runs the writer until it is killed; the whole lines that it printed. */
async function killedWriter(program: string, folder: string, inFlight: number): Promise<string[]> {
  const checkpoints = Math.random() < 0.5 ? "0" : "30";
  const start = performance.now();
  const writer = spawn(process.execPath, [program, folder, checkpoints, String(inFlight)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  const opened = new Promise<void>((resolve) => {
    writer.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      resolve();
    });
  });
  const closed = new Promise<void>((resolve) => writer.on("close", () => resolve()));
  // One in ten is killed in its first moments.
  await Promise.race([
    opened,
    closed,
    ...(Math.random() < 0.1 ? [sleep(Math.random() * 300)] : []),
  ]);
  // On a busy machine changes take longer, too.
  const most = Math.max(200, 2 * (performance.now() - start));
  if (text !== "") await sleep(Math.random() * most);
  writer.kill("SIGKILL");
  await closed;
  if (writer.signalCode !== "SIGKILL") throw new Error(`the writer ended by itself: ${text}`);
  return text.split("\n").slice(0, -1);
}

/** Opens the store, as a reader and as the next writer. */
function whatIsLeft(folder: string): { readonly changes: number; readonly isCutOff: boolean } {
  // It was killed before it had made the store.
  if (!existsSync(join(folder, "store.json"))) return { changes: 0, isCutOff: false };
  const { problems, unfinishedBytes } = checkStore(folder);
  if (problems.length > 0) throw new Error(`is damaged: ${JSON.stringify(problems)}`);
  const isCutOff = unfinishedBytes > 0;
  const reader = openStore(folder, { readOnly: true });
  const read = changesIn(reader);
  reader.close();
  const store = openStore(folder);
  const changes = changesIn(store);
  store.close();
  if (read !== changes) throw new Error(`a reader finds ${read} changes, a writer ${changes}`);
  if (isCutOff !== (store.found.cutOff !== undefined)) throw new Error("an entry was not cut off");
  return { changes, isCutOff };
}
