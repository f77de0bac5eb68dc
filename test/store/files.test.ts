// Collections in files: saved data are durable, and an interrupted save leaves the old file.

import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { collectionPieces, FileError, saveCollection } from "../../src/arrow/index.ts";
import { createCollection, InputError, int, string } from "../../src/index.ts";
import { openFileOn, saveFileOn } from "../../src/store/files.ts";
import { closeFile, openFile, saveFile, StoreError } from "../../src/store/index.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { newFolder } from "./fixtures.ts";
import { randomFrom, SimulatedDisk } from "./simulated-disk.ts";
import { wireSchema } from "../wire-schema.ts";

const Person = wireSchema({ id: int({ unique: true }), name: string({ nullable: true }) });
const people = (count: number) =>
  createCollection(
    Person,
    Array.from({ length: count }, (_, id) => ({ id, name: id % 3 === 0 ? null : `ünï ${id}` })),
  );

describe("a file", () => {
  test("has what was saved, and the type of its schema", () => {
    const path = join(newFolder(), "people.arrow");
    saveFile(path, people(5000));
    const opened = openFile(path, { schema: Person });
    expect([...opened]).toEqual([...people(5000)]);
    const name: string | null | undefined = opened.query({ limit: 1 })[0]?.name;
    expect(name).toBeNull();
    expect([...openFile(path)]).toEqual([...people(5000)]);
  });

  test("is replaced while it is open; whoever has it open sees it as it was", () => {
    const folder = newFolder();
    const path = join(folder, "people.arrow");
    saveFile(path, people(10), { orders: "all" });
    const before = openFile(path, { schema: Person });
    saveFile(path, before.insert([{ id: 10, name: "new" }]));
    expect(before.size).toBe(10);
    expect(openFile(path).size).toBe(11);
    expect(readdirSync(folder)).toEqual(["people.arrow"]);
  });

  test("is a typed error where it is missing, damaged, or of another schema", () => {
    const folder = newFolder();
    const path = join(folder, "people.arrow");
    expect(thrownBy(() => openFile(path))).toMatchObject({
      name: "StoreError",
      message: `${path}: can't be opened: no such file or directory`,
    });
    expect(thrownBy(() => saveFile(join(folder, "no/where"), people(1)))).toBeInstanceOf(
      StoreError,
    );
    writeFileSync(path, saveCollection(people(10)));
    const Other = wireSchema({ id: string() });
    expect(thrownBy(() => openFile(path, { schema: Other }))).toBeInstanceOf(InputError);
    truncateSync(path, 100);
    expect(thrownBy(() => openFile(path))).toBeInstanceOf(FileError);
    // @ts-expect-error there is no such option
    expect(thrownBy(() => saveFile(path, people(1), { order: "all" }))).toBeInstanceOf(InputError);
    expect(readdirSync(folder)).toEqual(["people.arrow"]);
  });
});

describe("closing a file", () => {
  const path = "/people.arrow";
  const opened = () => {
    const disk = new SimulatedDisk();
    saveFileOn(disk, path, collectionPieces(people(10)));
    return { disk, collection: openFileOn(disk, path) };
  };

  test("closes it for all collections that were made from it", () => {
    const { disk, collection } = opened();
    const changed = collection.remove([["id", "exactly", 3]]);
    const compact = changed.compact();
    expect(disk.openFiles).toBe(1);
    closeFile(compact);
    expect(disk.openFiles).toBe(0);
    for (const each of [collection, changed, compact]) {
      expect(thrownBy(() => [...each])).toMatchObject({
        name: "StoreError",
        file: path,
        reason: "is closed: closeFile() has closed it",
      });
      closeFile(each);
    }
    expect(disk.openFiles).toBe(0);
  });

  test("leaves collections in memory alone", () => {
    const { collection } = opened();
    const records = [...collection];
    closeFile(collection);
    expect([...collection]).toEqual(records);
    expect(collection.count([["id", "less_than", 3]])).toBe(3);
  });

  test("is not needed where nothing more is read from it", () => {
    const disk = new SimulatedDisk();
    saveFileOn(disk, path, collectionPieces(people(10)));
    expect([...openFileOn(disk, path, { shared: true })]).toHaveLength(10);
    expect(disk.openFiles).toBe(0);
  });

  test("is only for collections of openFile", () => {
    // @ts-expect-error it is none
    for (const run of [() => closeFile(people(1)), () => closeFile(5)]) {
      expect(thrownBy(run)).toMatchObject({
        name: "InputError",
        message: "collection: must be a collection from openFile()",
      });
    }
  });
});

test("a save that fails or is cut off, at any moment, leaves the old file or the new one", () => {
  const path = "/folder/people.arrow";
  const sizeOn = (disk: SimulatedDisk) => openFileOn(disk, path).size;
  const save = (disk: SimulatedDisk, count: number) =>
    saveFileOn(disk, path, collectionPieces(people(count)));
  const first = new SimulatedDisk();
  first.makeDirectory("/folder");
  save(first, 3);
  const begin = first.contents();
  const counted = new SimulatedDisk(begin);
  save(counted, 5);
  for (let failing = 1; failing <= counted.operations; failing++) {
    const disk = new SimulatedDisk(begin);
    disk.fails = (operation) =>
      operation === failing ? { code: "ENOSPC", share: 0.5 } : undefined;
    expect(thrownBy(() => save(disk, 5))).toBeInstanceOf(StoreError);
    const isReplaced = failing === counted.operations;
    expect(sizeOn(disk)).toBe(isReplaced ? 5 : 3);
    expect([...disk.contents().keys()]).toEqual([path]);
    save(disk, 5);
    expect(sizeOn(disk)).toBe(5);

    const cut = new SimulatedDisk(begin);
    cut.fails = (operation) => (operation >= failing ? { code: "EIO", share: 0.5 } : undefined);
    expect(thrownBy(() => save(cut, 5))).toBeInstanceOf(StoreError);
    for (let seed = 0; seed < 10; seed++) {
      expect([3, 5]).toContain(sizeOn(cut.afterPowerCut(randomFrom(seed))));
    }
  }
});
