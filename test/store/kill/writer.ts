// The process that is killed: changes a store as fast as it can. It writes "open", the number of each change
// once it is acknowledged, or a later call without effect is, and "checkpoint" and "done" around each checkpoint to standard output. The first argument is the folder of
// the store, the second how many of a hundred changes are followed by a checkpoint, the third how many changes may be
// in flight at once; with 0, each is an `update`.

import { existsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { tuning } from "../../../src/engine/tuning.ts";
import { nodeDisk } from "../../../src/store/node-disk.ts";
import { createStoreOn, openStoreOn, type StoredService } from "../../../src/store/store.ts";
import { change, changesIn, firstService } from "./changes.ts";

const [folder = "", checkpoints = "0", most = "0"] = process.argv.slice(2);
const isNew = !existsSync(join(folder, "store.json"));
// Fewer than its Contacts and Files: they are in files of their own.
tuning.fewInData = 50;

const store = isNew
  ? createStoreOn(nodeDisk, folder, firstService(), {})
  : (openStoreOn(nodeDisk, folder, {}) as StoredService);
const tell = (line: string) => void writeSync(1, `${line}\n`);

tell("open");
/** Calls that find nothing to change. */
const withoutEffect: ((number: number) => unknown)[] = [
  () => store.update(() => undefined),
  () => store.applyPatches([]),
  (number) =>
    store.update((draft) => {
      draft.files = draft.files.update([["id", "exactly", number]], (file) => {
        file.size = number;
      });
    }),
];
const inFlight: Promise<void>[] = [];
let reported = Promise.resolve();
for (let number = changesIn(store) + 1; ; number++) {
  let durable: Promise<unknown> | undefined;
  // One in ten is an update while others are in flight.
  if (inFlight.length < Number(most) && Math.random() < 0.9) {
    durable = store.updateAsync(change(number));
  } else {
    store.update(change(number));
  }
  reported = Promise.all([reported, durable]).then(() => tell(String(number)));
  // One in ten is followed by a call that finds nothing to change: it acknowledges all that it could see.
  if (Math.random() < 0.1) {
    withoutEffect[number % withoutEffect.length]?.(number);
    tell(String(number));
  }
  inFlight.push(reported);
  // Now and then they all have an end at once.
  const left = Math.random() < 0.1 ? 0 : Math.max(0, Number(most) - 1);
  while (inFlight.length > left) await inFlight.shift();
  if (Math.random() * 100 >= Number(checkpoints)) continue;
  tell("checkpoint");
  store.checkpoint();
  tell("done");
}
