// The process that is killed: changes a store as fast as it can. Its standard output tells "open",
// each change that was acknowledged, by its number, and "checkpoint" and "done" around each checkpoint.
// The first argument is the folder of the store, the second how many changes of a hundred have a
// checkpoint after them.

import { existsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { tuning } from "../../../src/collection/tuning.ts";
import { nodeDisk } from "../../../src/store/disk.ts";
import { createStoreOn, openStoreOn, type StoredService } from "../../../src/store/store.ts";
import { change, changesIn, firstService } from "./changes.ts";

const [folder = "", checkpoints = "0"] = process.argv.slice(2);
const isNew = !existsSync(join(folder, "store.json"));
// Fewer than its Contacts and Files: they are in files of their own.
tuning.fewInData = 50;

const store = isNew
  ? createStoreOn(nodeDisk, folder, firstService(), {})
  : (openStoreOn(nodeDisk, folder, {}) as StoredService);
const tell = (line: string) => writeSync(1, `${line}\n`);

tell("open");
for (let number = changesIn(store) + 1; ; number++) {
  change(store, number);
  tell(String(number));
  if (Math.random() * 100 >= Number(checkpoints)) continue;
  tell("checkpoint");
  store.checkpoint();
  tell("done");
}
