// The process that is killed: changes a store as fast as it can. Its standard output tells "open",
// each change that was acknowledged, by its number, and "checkpoint" and "done" around each checkpoint.
// The first argument is the folder of the store, the second how many changes of a hundred have a
// checkpoint after them.

import { existsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createStore, openStore } from "../../../src/store/index.ts";
import { change, changesIn, firstService } from "./changes.ts";

const [folder = "", checkpoints = "0"] = process.argv.slice(2);
const isNew = !existsSync(join(folder, "store.json"));
const store = isNew ? createStore(folder, firstService()) : openStore(folder);
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
