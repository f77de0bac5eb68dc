// The second process of the demo: it answers from the folder of the store alone.

import { openStore } from "../store/index.ts";
import { elapsed, say, showFiles } from "./demo-show.ts";
import { report } from "./errors.ts";
import { leaveOnBrokenPipe } from "./output.ts";

async function reopen(directory: string, took: string): Promise<void> {
  const start = performance.now();
  const service = openStore(directory, { readOnly: true });
  await say(
    `\nA new process opened the store in ${elapsed(start)}: scanning and loading took ${took}.`,
  );
  await showFiles(service, [null, 4, 0, "size"]);
}

async function main(): Promise<void> {
  leaveOnBrokenPipe();
  const [directory = "", took = ""] = process.argv.slice(2);
  try {
    await reopen(directory, took);
  } catch (thrown) {
    report(thrown);
  }
}

void main();
