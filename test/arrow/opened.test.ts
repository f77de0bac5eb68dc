// What an opened collection reads and creates: only what a query needs.

import { expect, test, vi } from "vitest";
import { openCollection, saveCollection, type ByteSource } from "../../src/arrow/index.ts";
import { ownDirectory, requireSource } from "../../src/arrow/read/open.ts";
import { createCollection, int, string } from "../../src/index.ts";
import { Nasty, nastyCollection } from "./fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

const ROWS = 100_000;
const Person = wireSchema({
  id: int({ unique: true }),
  email: string(),
  city: string({ nullable: true }),
  score: int(),
});
const people = createCollection(
  Person,
  Array.from({ length: ROWS }, (_, i) => ({
    id: i,
    email: `${((i * 7919) % ROWS).toString(36)}.person@mail${i % 50}.example`,
    city: i % 10 === 0 ? null : `city ${i % 700}`,
    score: (i * 31) % 1000,
  })),
).prepare({ sort: ["email", "score"], match: ["id", "city"] });
const bytes = saveCollection(people);

/** The file, and how many bytes of it were read. */
function watched(): { source: ByteSource; read: () => number } {
  let total = 0;
  const source = {
    size: bytes.length,
    read: (from: number, to: number) => {
      total += to - from;
      return bytes.subarray(from, to);
    },
  };
  return { source, read: () => total };
}

test("opening reads the directory and the checksums, and a lookup a few pages", () => {
  const { source, read } = watched();
  const opened = openCollection(source, { schema: Person });
  expect(read()).toBeLessThan(40_000);
  const email = people.at(77_777)?.email ?? "";
  expect(opened.query({ criteria: [["email", "exactly", email]] })).toEqual([people.at(77_777)]);
  expect(read()).toBeLessThan(200_000);
  expect(bytes.length).toBeGreaterThan(5_000_000);
});

test("a damaged checksum is found by the first use of its page, or by `verify`", () => {
  const { checksums } = ownDirectory(requireSource(bytes)).directory;
  const damaged = bytes.slice();
  damaged.fill(1, checksums.offset, checksums.offset + checksums.length);
  const opened = openCollection(damaged, { schema: Person });
  const reason = /checksums.* are damaged: their checksum does not match/;
  expect(() => opened.at(0)).toThrow(reason);
  expect(() => openCollection(damaged, { verify: true })).toThrow(reason);
  const one = bytes.slice();
  const page = checksums.length / 4 - 1;
  one[checksums.offset + 4 * page] = 1 + (one[checksums.offset + 4 * page] ?? 0);
  expect(() => openCollection(one, { verify: true })).toThrow(reason);
});

test("a page in sort order, deep in the collection, is read in pieces", () => {
  const { source, read } = watched();
  const opened = openCollection(source, { schema: Person });
  // Two pages in turn: the last one is kept.
  const askBoth = (times: number) => {
    for (let i = 0; i < times; i++) {
      opened.query({ sortBy: "email", offset: 50_000, limit: 50 });
      opened.query({ sortBy: "email", offset: 50_010, limit: 50 });
    }
  };
  askBoth(1);
  const first = read();
  askBoth(1);
  expect(read()).toBe(first);
  askBoth(2500);
  const last = read();
  expect(last).toBeGreaterThan(first + 4 * ROWS);
  askBoth(2500);
  expect(read()).toBe(last);
});

test("a record is the same frozen object as long as somebody holds it", () => {
  const opened = openCollection(bytes, { schema: Person });
  const held = opened.query({ criteria: [["score", "exactly", 31]] });
  // More records than are held beside those that somebody holds.
  opened.query({ limit: 5000 });
  const again = opened.query({ criteria: [["score", "exactly", 31]], sortBy: "email" });
  expect(new Set(again)).toEqual(new Set(held));
  expect(again.every((record) => held.includes(record))).toBe(true);
  expect(held.every((record) => Object.isFrozen(record))).toBe(true);
  expect(opened.at(1)).toBe(held[0]);
});

function expectSameFile(a: typeof people, b: typeof people): void {
  const [one, other] = [a, b].map((each) => saveCollection(each, { orders: "none" }));
  expect(Buffer.compare(one ?? bytes, other ?? bytes)).toBe(0);
}

/** The collection as it is opened, with a count of the records that were made. */
function counted() {
  const opened = openCollection(bytes, { schema: Person });
  const [{ rows }] = opened.state.snapshot.segments;
  const record = vi.spyOn(rows, "record");
  return { opened, made: () => record.mock.calls.length };
}

test("an update makes the records that it changes, and patches those that changed, also where segments are merged", () => {
  const { opened, made } = counted();
  const change = (draft: { score: unknown }) => {
    draft.score = "-1";
  };
  // More than an eighth of the rows: all segments are merged.
  const removed = opened.remove([["score", "less_than", 150]]);
  expect(removed.state.snapshot.segments).toHaveLength(1);
  expect(made()).toBe(0);
  const { collection, patches } = removed.withPatches((all) =>
    all.update([["score", "exactly", 500]], change),
  );
  expect(patches).toHaveLength(100);
  expect(made()).toBeLessThan(1000);
  const expected = people
    .remove([["score", "less_than", 150]])
    .update([["score", "exactly", 500]], change);
  const page = { sortBy: "score", limit: 200 } as const;
  expect(collection.query(page)).toEqual(expected.query(page));
  expect(collection.compact().count([["score", "exactly", 501]])).toBe(100);
  expectSameFile(collection, expected);
  expect(made()).toBeLessThan(2000);
});

test("what was opened is saved without a record being made", () => {
  const { opened, made } = counted();
  expectSameFile(opened, people);
  expect(made()).toBe(0);
});

test("a collection saved again has the orders that it had, and no others", () => {
  for (const orders of ["none", "all"] as const) {
    const saved = saveCollection(people, { orders });
    const opened = openCollection(saved, { schema: Person });
    expect(Buffer.compare(saveCollection(opened), saved)).toBe(0);
    const changed = opened.update([["id", "exactly", 9]], (draft) => {
      draft.score = "-7";
    });
    const again = saveCollection(changed).length;
    expect(again / saved.length).toBeGreaterThan(0.95);
    expect(again / saved.length).toBeLessThan(1.3);
  }
});

test("a unique field stays unique, whether its rows are in the file or new", () => {
  const opened = openCollection(bytes, { schema: Person });
  const person = { email: "new@mail.example", city: null, score: 1 };
  expect(() => opened.insert([{ id: 5, ...person }])).toThrow(
    'records[0].id: "5" is already used by another record',
  );
  const more = opened.insert([{ id: ROWS, ...person }]);
  expect(() => more.insert([{ id: ROWS, ...person }])).toThrow("is already used by another record");
  expect(opened.remove([["id", "exactly", 5]]).insert([{ id: 5, ...person }]).size).toBe(ROWS);
});

test("the rows of one value are removed by a range of its index", () => {
  const { source, read } = watched();
  const opened = openCollection(source, { schema: Person });
  const gone = ["5", "704", "705"];
  const changed = opened.remove([["id", "in", gone]]);
  for (const city of ["city 5", "city 699", null, "nowhere"]) {
    const removed = changed.remove([["city", "exactly", city]]);
    const left = people.query().filter((each) => each.city !== city && !gone.includes(each.id));
    expect(Array.from(removed, ({ id }) => id)).toEqual(left.map(({ id }) => id));
  }
  const before = read();
  const once = openCollection(source, { schema: Person }).remove([["city", "exactly", "city 5"]]);
  expect(once.size).toBe(ROWS - people.count([["city", "exactly", "city 5"]]));
  expect(read() - before).toBeLessThan(bytes.length / 100);
});

test("fields of any name and kind are read from columns", () => {
  const collection = nastyCollection(200);
  const opened = openCollection(saveCollection(collection), { schema: Nasty });
  expect([...opened]).toEqual([...collection]);
  expect(opened.at(3)).toEqual(collection.at(3));
  expect(opened.query({ criteria: [["hidden", "ends_with", "7"]] })).toEqual(
    collection.query({ criteria: [["hidden", "ends_with", "7"]] }),
  );
  expect(opened.indexes().map(({ field }) => field)).toContain("hidden");
});
