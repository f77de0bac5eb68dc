// Old snapshots are collected when nothing refers to them, and a long run of updates retains nothing.
// The tests tell Node.js when to collect.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createCollection, defineSchema, int, json } from "../../src/index.ts";
import { makeService, manyPeople, type People } from "./fixtures.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/**
 * Collects, after the job that may have read a WeakRef has ended; more than once, for V8 holds what it
 * compiles code for, in a thread of its own, until that is done.
 */
async function collect(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10 * i));
    collectGarbage();
  }
}

async function heapInMiB(): Promise<number> {
  await collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

let names = 0;
/** Gives a record a name that it never had, so that something changes. */
const rename = (people: People, id: number): People =>
  people.update([["id", "exactly", id]], (draft) => {
    draft.name = `renamed ${names++}`;
  });

test("an old snapshot is garbage when nobody holds it, and answers as long as somebody does", async () => {
  let people = manyPeople(2000).prepare({ match: ["id"], sort: ["name"] });
  const dropped: WeakRef<object>[] = [];
  const held: People[] = [];
  for (let id = 0; id < 100; id++) {
    (id % 10 === 0 ? held : { push: (old: People) => dropped.push(new WeakRef(old)) }).push(people);
    people = rename(people, id);
    people.query({ sortBy: "name", limit: 3, offset: 1000 });
  }
  await collect();
  expect(dropped).toHaveLength(90);
  expect(dropped.filter((old) => old.deref() !== undefined)).toEqual([]);
  expect(held.map((old) => old.count([["name", "starts_with", "renamed"]]))).toEqual(
    held.map((_, i) => 10 * i),
  );
});

test("old snapshots do not each keep what pages found out about dead rows", async () => {
  const fields = ["id", "name", "status", "age", "note"] as const;
  let people = manyPeople(40_000).prepare({ match: ["id"], sort: fields });
  people = people.update([["id", "less_than", 4000]], (draft) => void (draft.note = "changed"));
  const held: People[] = [];
  const before = await heapInMiB();
  for (let id = 5000; id < 5200; id++) {
    held.push(people);
    people = rename(people, id);
    for (const sortBy of fields) people.query({ sortBy, limit: 1, offset: 30_000 });
  }
  // 4,000 places in 5 orders are 80 kB: 16 MiB, if each of the 200 kept its own.
  expect((await heapInMiB()) - before).toBeLessThan(8);
  expect(held).toHaveLength(200);
});

test("a record that was replaced is garbage when it was merged away", async () => {
  let people = manyPeople(500);
  const old = new WeakRef(people.at(7) ?? {});
  people = rename(people, 7).compact();
  await collect();
  expect(old.deref()).toBeUndefined();
  expect(people.at(7)?.name).toMatch(/^renamed/);
});

test("the states of a service are garbage after an update, its patches reported", async () => {
  const service = makeService();
  let patches = 0;
  service.subscribe((change) => void (patches += change.patches.length));
  const old: WeakRef<object>[] = [];
  for (let size = 1; size <= 20; size++) {
    old.push(new WeakRef(service.files));
    service.update((draft) => {
      draft.files = draft.files.update(null, (file) => void (file.size = 100 + size));
    });
  }
  await collect();
  expect(patches).toBe(20);
  expect(old.filter((files) => files.deref() !== undefined)).toEqual([]);
});

test("a collection taken out of a recipe keeps none of the versions before it", async () => {
  const service = makeService();
  let { files } = service;
  service.update((draft) => void ({ files } = draft));
  const dropped: WeakRef<object>[] = [];
  for (let i = 0; i < 100; i++) {
    files = files.update(null, { name: `name ${i}` });
    dropped.push(new WeakRef(files));
    dropped.push(new WeakRef(files.state.snapshot));
  }
  dropped.splice(-2);
  await collect();
  expect(dropped.filter((old) => old.deref() !== undefined)).toEqual([]);
});

test("the heap stays flat over thousands of updates, each followed by a lookup and a page", async () => {
  const SIZE = 5000;
  let people = manyPeople(SIZE).prepare({ match: ["id"], sort: ["age"] });
  const round = () => {
    for (let step = 0; step < 2500; step++) {
      const id = (step * 7919) % SIZE;
      people = rename(people, id);
      people.query({ criteria: [["id", "exactly", id]] });
      people.query({ sortBy: "age", limit: 5, offset: step % SIZE });
    }
  };
  round();
  const before = await heapInMiB();
  round();
  round();
  const after = await heapInMiB();
  expect(people.size).toBe(SIZE);
  // Holding on to what every update makes takes several times as much.
  expect(after - before).toBeLessThan(2);
});

test("a record inserted and removed again leaves nothing behind", async () => {
  let people = manyPeople(2000).prepare({ match: ["id"] });
  const round = () => {
    for (let step = 0; step < 300; step++) {
      const records = Array.from({ length: 20 }, (_, i) => ({
        id: 10_000 + i,
        name: "x".repeat(50),
      }));
      people = people.insert(records).remove([["id", "greater_than", 9999]]);
    }
  };
  round();
  const before = await heapInMiB();
  round();
  round();
  const after = await heapInMiB();
  expect(people.size).toBe(2000);
  expect(after - before).toBeLessThan(2);
});

test("records, and the objects of JSON in them, take the memory of literals", async () => {
  const Row = defineSchema({
    ...{ id: int(), a: int(), b: int(), c: int(), d: int(), e: int(), f: int(), g: int() },
    ...{ h: int(), i: int(), j: int(), lines: json() },
  });
  const rowOf = (id: number) => {
    const lines = [
      { sku: id, count: 1 },
      { sku: id, count: 2 },
    ];
    return { id, a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9, j: 10, lines };
  };
  const size = 50_000;
  const grown = async (make: () => object): Promise<number> => {
    const before = await heapInMiB();
    const held = make();
    const after = await heapInMiB();
    expect(held).toBeDefined();
    return after - before;
  };
  const literals = await grown(() => Array.from({ length: size }, (_, id) => rowOf(id)));
  const records = await grown(() => {
    const rows = (function* () {
      for (let id = 0; id < size; id++) yield rowOf(id);
    })();
    return createCollection(Row, rows, { indexes: "none" });
  });
  expect(records / literals).toBeLessThan(1.1);
});
