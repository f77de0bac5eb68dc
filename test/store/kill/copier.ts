// The process that is killed: it changes a store and backs it up again and again. It writes the number and the last
// change of each backup to standard output. The first argument is the folder of the store, the second that of the
// backups.

import { writeSync } from "node:fs";
import { join } from "node:path";
import { tuning } from "../../../src/engine/tuning.ts";
import { openStore } from "../../../src/store/index.ts";
import { change, changesIn } from "./changes.ts";

const [folder = "", copies = ""] = process.argv.slice(2);
// Fewer than its Contacts and Files: they are in files of their own.
tuning.fewInData = 50;
const store = openStore(folder);

async function backUp(): Promise<never> {
  for (let number = 0; ; number++) {
    const { change: last } = await store.backup(join(copies, String(number)));
    writeSync(1, `${number} ${last}\n`);
  }
}

void backUp();
for (let number = changesIn(store) + 1; ; number++) {
  await store.updateAsync(change(number));
  if (number % 20 === 0) store.checkpoint();
}
