// Kills a process that backs up its store, repeatedly at random moments, and checks the results: backups are complete,
// each with the changes that it reported; at most the last one is missing, and can be made again.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { checkStore, createStore, isStore, openStore } from "../../../src/store/index.ts";
import { changesIn, firstService } from "./changes.ts";

export interface KilledBackups {
  /** How many backups were whole, and how many had been reported. */
  readonly whole: number;
  readonly reported: number;
  /** How many folders had no store. */
  readonly unfinished: number;
}

/**
 * @param place an empty folder
 * @throws Error where a backup is there in part; StoreError where one does not open
 */
export async function killBackups(place: string, kills: number): Promise<KilledBackups> {
  const program = join(place, "copier.mjs");
  await build({
    entryPoints: [new URL("copier.ts", import.meta.url).pathname],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    outfile: program,
    logLevel: "warning",
  });
  const folder = join(place, "store");
  createStore(folder, firstService()).close();
  const done = { whole: 0, reported: 0, unfinished: 0 };
  for (let kill = 0; kill < kills; kill++) {
    const copies = join(place, `copies-${kill}`);
    mkdirSync(copies);
    const reported = await killedCopier(program, folder, copies);
    const store = openStore(folder, { readOnly: true });
    for (const name of readdirSync(copies)) {
      const copy = join(copies, name);
      if (isStore(copy)) done.whole++;
      else {
        if (reported.has(name)) throw new Error(`the backup ${name} was reported, and is none`);
        done.unfinished++;
        await store.backup(copy);
      }
      const { problems } = checkStore(copy);
      if (problems.length > 0) throw new Error(`a backup is damaged: ${JSON.stringify(problems)}`);
      const opened = openStore(copy);
      const changes = changesIn(opened);
      opened.close();
      const expected = reported.get(name) ?? changes;
      if (changes !== expected) throw new Error(`${name} has ${changes} changes, not ${expected}`);
    }
    done.reported += reported.size;
    store.close();
    rmSync(copies, { recursive: true });
  }
  return done;
}

/** Runs the process until it is killed; the last change of each backup that it reported, by the backup's name. */
async function killedCopier(
  program: string,
  folder: string,
  copies: string,
): Promise<ReadonlyMap<string, number>> {
  const start = performance.now();
  const copier = spawn(process.execPath, [program, folder, copies], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  const closed = new Promise<void>((resolve) => copier.on("close", () => resolve()));
  const first = new Promise<void>((resolve) => {
    copier.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      resolve();
    });
  });
  await Promise.race([first, closed]);
  // On a busy machine backups take longer, too.
  await sleep(Math.random() * Math.max(100, (performance.now() - start) / 2));
  copier.kill("SIGKILL");
  await closed;
  if (copier.signalCode !== "SIGKILL") throw new Error("the copier ended by itself");
  const lines = text.split("\n").slice(0, -1);
  return new Map(
    lines.map((line): [string, number] => {
      const [name = "", last] = line.split(" ");
      return [name, Number(last)];
    }),
  );
}
