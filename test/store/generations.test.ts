// A store without its name file: which of the generations in its folder is in use, and what is recovered.

import { describe, expect, test } from "vitest";
import { DataFiles } from "../../src/store/data-files.ts";
import { Folder } from "../../src/store/folder.ts";
import { identityFor } from "../../src/store/identity.ts";
import { inspect } from "../../src/store/check.ts";
import { repairStoreOn } from "../../src/store/repair.ts";
import { createStoreOn, openStoreOn, type StoredService } from "../../src/store/store.ts";
import { change, makeService, stateOf } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const FOLDER = "/store";
const unlocked = { lock: false } as const;

/** Two generations, as a checkpoint has them that can't remove the older one: the later has one change more. */
function generations(): { files: Map<string, Uint8Array>; states: unknown[] } {
  const disk = new SimulatedDisk();
  const store = createStoreOn(disk, FOLDER, makeService(), unlocked);
  change(store, 0);
  const states = [stateOf(store)];
  const files = disk.contents();
  store.checkpoint();
  change(store, 1);
  states.push(stateOf(store));
  store.close();
  for (const [name, bytes] of disk.contents()) files.set(name, bytes);
  files.delete(`${FOLDER}/store.json`);
  return { files, states };
}

const { files, states } = generations();
const [older, later] = states;

/** A damaged copy of a file. */
const damaged = (name: string): [string, Uint8Array] => {
  const bytes = Uint8Array.from(files.get(`${FOLDER}/${name}`) ?? []);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 4;
  return [`${FOLDER}/${name}`, bytes];
};
const on = (...others: readonly [string, Uint8Array][]) =>
  new SimulatedDisk(new Map([...files, ...others]));

const chosen = (disk: SimulatedDisk) =>
  inspect(new DataFiles(new Folder(FOLDER, disk))).files.generation;
const repaired = (disk: SimulatedDisk) => {
  repairStoreOn(disk, FOLDER, unlocked);
  return stateOf(openStoreOn(disk, FOLDER, unlocked) as StoredService);
};

describe("is", () => {
  test("the one with the last change, if both are whole", () => {
    expect(chosen(on())).toBe(2);
    expect(repaired(on())).toEqual(later);
  });

  test.each(["data-2.log", "journal-2.log"])(
    "the one that is whole, if %s of the other is damaged",
    (name) => {
      expect(chosen(on(damaged(name)))).toBe(1);
      expect(repaired(on(damaged(name)))).toEqual(older);
    },
  );

  test("not the one that was about to be named, if there is another", () => {
    const next = new SimulatedDisk();
    next.makeDirectory(FOLDER);
    new Folder(FOLDER, next).announce(identityFor(2));
    const [announcement] = next.contents();
    if (announcement === undefined) throw new Error("nothing was announced");
    expect(chosen(on(announcement))).toBe(1);
    const alone = new Map([...files].filter(([name]) => !name.includes("-1.")));
    expect(chosen(new SimulatedDisk(new Map([...alone, announcement])))).toBe(2);
  });
});
