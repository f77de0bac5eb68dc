// An import in many small runs makes the store that one run makes, on data that break careless code; and it leaves
// nothing when it fails.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  float,
  int,
  json,
  string,
  strings,
  InputError,
  type Collection,
  type Collections,
  type Database,
} from "../../src/index.ts";
import {
  loadCollection,
  loadContacts,
  readCsv,
  readNdjson,
  writeCsv,
  writeNdjson,
  type Refused,
  type Spill,
} from "../../src/import/index.ts";
import {
  checkStore,
  createStore,
  importCollection,
  importStore,
  openStore,
  StoreError,
  type StoredDatabase,
} from "../../src/store/index.ts";
import { schemasIn } from "../../src/store/collections.ts";
import { Folder } from "../../src/store/folder.ts";
import { importCollectionOn } from "../../src/store/import.ts";
import { createStoreOn, openStoreOn } from "../../src/store/store.ts";
import { ownDirectory, requireSource } from "../../src/arrow/read/open.ts";
import { NASTY_INTEGERS, NASTY_TEXTS } from "../arrow/fixtures.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { untyped } from "../rules/fixtures.ts";
import { newFolder } from "./fixtures.ts";
import { randomFrom, SimulatedDisk } from "./simulated-disk.ts";

const unlocked = { lock: false, durability: "os" } as const;
/** No collection is so small that it has no file. */
const FILED = { fewInData: 0, manyRows: 4, manyValues: 2, combinedRows: 5 };

const Odd = defineSchema(
  {
    id: int({ unique: true }),
    text: string({ nullable: true }),
    again: string({ nullable: true }),
    name: string({ ignoreCase: true, nullable: true }),
    number: float({ nullable: true }),
    constant: string({ default: "one" }),
    kind: string({ oneOf: ["a", "b"], default: "b" }),
    tags: strings({ default: [] }),
    more: strings({ nullable: true }),
    data: json({ nullable: true }),
  },
  { unique: [["text", "number"]] },
);

const text = fc.oneof(fc.constantFrom(...NASTY_TEXTS.slice(0, -2)), fc.string({ unit: "binary" }));
const number = fc.oneof(
  fc.constantFrom(...NASTY_INTEGERS.map(Number)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);

const record = fc.record({
  text: fc.option(text),
  name: fc.option(fc.oneof(fc.constantFrom("A", "a", "Ä", "ä", "ß", "İ"), text)),
  number: fc.option(number),
  kind: fc.constantFrom("a", "b"),
  tags: fc.array(text, { maxLength: 3 }),
  more: fc.option(fc.array(fc.constantFrom("x", "y", "x,", '"'), { maxLength: 2 })),
  data: fc.option(fc.jsonValue({ maxDepth: 1 })),
});

/** So few bytes are less than any column has: a run then has as many rows. */
const run = fc.integer({ min: 1, max: 15 });

/** The bytes of the files of collections in a folder, by name. */
function filesIn(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".arrow"));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

/** A new store of records. @returns its folder, or what was thrown */
async function imported(lines: string, runBytes: number): Promise<unknown> {
  using _ = tuned({ ...FILED, runBytes });
  const folder = newFolder();
  const load = (spill: Spill) => loadCollection(Odd, readNdjson(lines, { schema: Odd }), { spill });
  try {
    await importCollection(folder, "odd", load, unlocked);
    return folder;
  } catch (thrown) {
    expect(readdirSync(folder)).toEqual([]);
    return thrown;
  }
}

test("any records: many small runs make the store that one run makes, or fail as it does", async () => {
  let duplicates = 0;
  let several = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 60, size: "max" }),
      fc.nat(80),
      run,
      async (rows, at, bytes) => {
        // Sometimes an id is there twice, and so may be a pair of text and number.
        const records = rows.map((each, id) => ({
          ...each,
          id: id === at ? 0 : id,
          again: each.text,
        }));
        const lines = [...writeNdjson(records)].join("");
        const folder = await imported(lines, bytes);
        const whole = newFolder();
        let collection: Collection<typeof Odd> | undefined;
        try {
          collection = loadCollection(Odd, readNdjson(lines, { schema: Odd }));
        } catch (thrown) {
          duplicates++;
          expect(folder).toBeInstanceOf(InputError);
          expect(String(folder)).toBe(String(thrown));
          return;
        }
        if (typeof folder !== "string") throw folder;
        {
          using _ = tuned(FILED);
          createStore(whole, createDatabase({ odd: collection }), unlocked).close();
        }
        expect(checkStore(folder).problems).toEqual([]);
        const store = openStore(folder, { odd: Odd }, { ...unlocked, readOnly: true });
        expect([...store.odd]).toEqual([...collection]);
        store.close();
        const [files, expected] = [filesIn(folder), filesIn(whole)];
        expect([...files.keys()]).toEqual([...expected.keys()]);
        several += rows.length > 2 * bytes ? 1 : 0;
      },
    ),
    settings(60),
  );
  expect(duplicates).toBeGreaterThan(0);
  expect(several).toBeGreaterThan(0);
});

const Equal = defineSchema({
  id: int(),
  one: string(),
  two: string({ nullable: true }),
  kind: string({ oneOf: ["a", "b", "é"], nullable: true }),
});

test("columns of CSV that equal another in a run, and no longer in the next", async () => {
  const word = fc.constantFrom("a", "b", "é", 'a"b', "x".repeat(300));
  const usual = fc.constantFrom("a", "b");
  const same = fc.record({ one: fc.oneof({ arbitrary: usual, weight: 20 }, word) });
  const other = fc.record({ one: word, two: fc.option(usual), isAfterFault: fc.boolean() });
  const row = fc.oneof({ arbitrary: same, weight: 30 }, other);
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 20, maxLength: 60, size: "max" }),
      fc.integer({ min: 4, max: 8 }),
      async (rows, runBytes) => {
        using _ = tuned({ ...FILED, runBytes });
        const records = rows.map(({ one, ...differs }, id) => ({
          ...{ id, one, two: "two" in differs ? differs.two : one },
          kind: ["a", "b", "é"].includes(one) ? one : null,
        }));
        const lines = [...writeCsv(records)].join("").split("\n");
        // A row with a fault is read again as a record.
        const faults = rows.flatMap((each, i) =>
          "isAfterFault" in each && each.isAfterFault ? i + 1 : [],
        );
        for (const at of faults.toReversed()) lines.splice(at, 0, `0,a,b,other`);
        const skipped: Refused[] = [];
        const load = (spill: Spill) => {
          const pieces = lines.map((line) => new TextEncoder().encode(`${line}\n`));
          const skipInvalid = (refused: Refused) => skipped.push(refused);
          return loadCollection(Equal, readCsv(pieces, { schema: Equal, skipInvalid }), { spill });
        };
        const folder = newFolder();
        await importCollection(folder, "equal", load, unlocked);
        expect(skipped.length).toBe(faults.length);
        const store = openStore(folder, { equal: Equal }, { ...unlocked, readOnly: true });
        expect([...store.equal]).toEqual(records);
        store.close();
      },
    ),
    settings(30),
  );
});

test.each([
  [{ spill: 1 }, "options.spill: must be from importStore or importCollection, not 1"],
  [{ spill: {} }, "options.spill: must be from importStore or importCollection, not an object"],
  [{ room: 1 }, 'options: has no member "room"'],
  [null, "options: must be an object, not null"],
])("a loader with the options %j is an error", (options, message) => {
  const read = () => readNdjson(numbered(1), { schema: Numbered });
  expect(() => loadCollection(Numbered, read(), untyped(options))).toThrow(message);
  const { spill } = { spill: undefined, ...options };
  if (spill === undefined) return;
  const contacts = untyped({ id: 1, format: "ndjson", spill });
  expect(() => loadContacts("", contacts)).toThrow(message);
});

test("Contacts of several Lists come List after List, in the order of their first mention", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(4), text), { maxLength: 40, size: "max" }),
      run,
      async (rows, bytes) => {
        using _ = tuned({ ...FILED, runBytes: bytes });
        const lines = rows.map(([list, name], send_id) => ({
          ...{ send_id, contact_id: 7, contact_email: "a@b.example", send_status: "completed" },
          ...{ send_time: 1, list: 10 - list, fields: { Name: name } },
        }));
        const source = [...writeNdjson(lines)].join("");
        const options = { id: 5, listFields: { Name: "string" }, format: "ndjson" } as const;
        const [folder, whole] = [newFolder(), newFolder()];
        const store = await importStore(
          folder,
          (spills) =>
            createService({
              batches: [loadContacts(source, { ...options, spill: spills.batch(5) })],
            }),
          unlocked,
        );
        store.close();
        const expected = createService({ batches: [loadContacts(source, options)] });
        createStore(whole, expected, unlocked).close();
        expect(checkStore(folder).problems).toEqual([]);
        const files = [...filesIn(folder).keys()];
        expect(files).toEqual([...filesIn(whole).keys()]);
        const again = openStore(folder, { ...unlocked, readOnly: true });
        const { contacts, lists } = again.batches["5"] ?? {};
        expect(lists).toEqual(expected.batches["5"]?.lists);
        expect([...(contacts ?? [])]).toEqual([...(expected.batches["5"]?.contacts ?? [])]);
        expect(again.getBatchContacts(5)).toEqual(expected.getBatchContacts(5));
        again.close();
      },
    ),
    settings(25),
  );
});

test("indexes of substrings are written with the file, however many runs there are", async () => {
  const texts = fc.array(fc.oneof(text, fc.constantFrom("abcd", "bcde", "xabc")), {
    ...{ minLength: 12, maxLength: 50, size: "max" },
  });
  await fc.assert(
    // Each run has postings of all trigrams there may be, which take a while to read.
    fc.asyncProperty(texts, fc.constantFrom(20, 2 ** 26), async (all, runBytes) => {
      using _ = tuned({ ...FILED, runBytes, fewValues: 2 });
      const records = all.map((name, id) => ({ id, name, text: `${name}${id % 3}` }));
      const lines = [...writeNdjson(records)].join("");
      const Searched = defineSchema({
        id: int(),
        name: string({ ignoreCase: true }),
        text: string(),
      });
      const folder = newFolder();
      const load = (spill: Spill) =>
        loadCollection(Searched, readNdjson(lines, { schema: Searched }), { spill });
      await importCollection(folder, "odd", load, { ...unlocked, index: ["name", "text"] });
      // It compares each with the values.
      expect(checkStore(folder).problems).toEqual([]);
      const [file = Buffer.of()] = filesIn(folder).values();
      const { columns } = ownDirectory(requireSource(file)).directory;
      const indexed = columns.filter(({ postings }) => postings !== undefined);
      const isMany = new Set(records.map((each) => each.text)).size > 20;
      if (isMany) expect(indexed.map(({ name }) => name)).toEqual(["text", "name_folded"]);
      const store = openStore(folder, { odd: Searched }, { ...unlocked, readOnly: true });
      const criteria = [["text", "contains", "abc"]] as const;
      expect(store.odd.query({ criteria: [...criteria] })).toEqual(
        createCollection(Searched, records).query({ criteria: [...criteria] }),
      );
      store.close();
      const wrong = importCollection(newFolder(), "odd", load, { ...unlocked, index: ["nam"] });
      await expect(wrong).rejects.toThrow(
        'index: "nam" is not a string field; did you mean "name"',
      );
    }),
    settings(4),
  );
});

const Numbered = defineSchema({ id: int({ unique: true }), name: string() });
const FOLDER = "/store";
const numbered = (count: number) =>
  Array.from({ length: count }, (_, id) => JSON.stringify({ id, name: `Name ${id % 7}` })).join(
    "\n",
  );
const loadInto = (count: number) => (spill: Spill) =>
  loadCollection(Numbered, readNdjson(numbered(count), { schema: Numbered }), { spill });

/** A disk, with a store of a collection `there` if it is to be. */
function diskWith(isThere: boolean): SimulatedDisk {
  const disk = new SimulatedDisk();
  if (!isThere) return disk;
  const there = createCollection(Numbered, [{ id: 1, name: "There" }]);
  const database: Database = createDatabase<Collections>({ there });
  createStoreOn(disk, FOLDER, database, unlocked).close();
  disk.operations = 0;
  return disk;
}

/** How many records each collection of a store has; `undefined` if there is no store. */
function sizesOn(disk: SimulatedDisk): Readonly<Record<string, number | undefined>> | undefined {
  const folder = new Folder(FOLDER, disk);
  if (!disk.names().includes(FOLDER) || !folder.isStore()) return undefined;
  const names = [...schemasIn(folder, folder.current()).keys()];
  const schemas = new Map(names.map((name) => [name, Numbered]));
  const store = openStoreOn(disk, FOLDER, unlocked, schemas) as StoredDatabase;
  const sizes = names.map((name) => [name, store[name]?.size] as const);
  store.close();
  return Object.fromEntries(sizes);
}

const arrowFilesOn = (disk: SimulatedDisk) =>
  [...disk.contents().keys()].filter((name) => name.endsWith(".arrow"));

const RECORDS = 24;

/** Imports in several runs. @returns what was thrown */
async function importOn(disk: SimulatedDisk): Promise<unknown> {
  using _ = tuned({ ...FILED, runBytes: 5 });
  try {
    expect(await importCollectionOn(disk, FOLDER, "odd", loadInto(RECORDS), unlocked)).toBe(
      RECORDS,
    );
    return undefined;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(StoreError);
    return thrown;
  }
}

describe.each([
  ["a new store", false, undefined],
  ["a store with others", true, { there: 1 }],
])("an import into %s", (_, isThere, before) => {
  const after = { ...before, odd: RECORDS };

  test("is there as a whole or not at all after a power cut at any operation", async () => {
    const whole = diskWith(isThere);
    await importOn(whole);
    expect(sizesOn(whole)).toEqual(after);
    expect(arrowFilesOn(whole)).toHaveLength(isThere ? 2 : 1);
    const at = async (last: number, seed: number) => {
      const disk = diskWith(isThere);
      disk.fails = (operation) => (operation >= last ? { code: "EIO", share: 0.6 } : undefined);
      const thrown = await importOn(disk);
      const left = disk.afterPowerCut(randomFrom(seed));
      const sizes = sizesOn(left);
      if (thrown === undefined) expect(sizes).toEqual(after);
      else expect([before, after]).toContainEqual(sizes);
      if (sizes?.odd === undefined) expect(await importOn(left)).toBeUndefined();
      expect(sizesOn(left)).toEqual(after);
      // Nothing is left of the first attempt.
      expect(arrowFilesOn(left)).toHaveLength(isThere ? 2 : 1);
    };
    const operation = fc.integer({ min: 1, max: whole.operations });
    await fc.assert(fc.asyncProperty(operation, fc.integer(), at), settings(30));
  });

  test("leaves everything as it was where the disk fails once, and can be repeated", async () => {
    const { operations } = await (async (disk) => {
      await importOn(disk);
      return disk;
    })(diskWith(isThere));
    const at = async (failing: number, share: number) => {
      const disk = diskWith(isThere);
      disk.fails = (operation) => (operation === failing ? { code: "ENOSPC", share } : undefined);
      const thrown = await importOn(disk);
      expect(disk.openFiles).toBe(0);
      const sizes = sizesOn(disk);
      // If only the last sync failed, it may be there.
      if (thrown === undefined) expect(sizes).toEqual(after);
      else expect([before, after]).toContainEqual(sizes);
      if (sizes?.odd === undefined) expect(await importOn(disk)).toBeUndefined();
      expect(sizesOn(disk)).toEqual(after);
      expect(arrowFilesOn(disk)).toHaveLength(isThere ? 2 : 1);
    };
    const operation = fc.integer({ min: 1, max: operations });
    await fc.assert(fc.asyncProperty(operation, fc.constantFrom(0, 0.5, 1), at), settings(30));
  });
});

test("records that are not valid leave a store as it was; a name that it has is refused", async () => {
  using _ = tuned({ ...FILED, runBytes: 5 });
  const disk = diskWith(true);
  const files = disk.names();
  const twice = `${numbered(20)}\n{"id":3,"name":"again"}`;
  const load = (lines: string) => (spill: Spill) =>
    loadCollection(Numbered, readNdjson(lines, { schema: Numbered }), { spill });
  const run = (name: string, lines: string) =>
    importCollectionOn(disk, FOLDER, name, load(lines), unlocked);
  await expect(run("odd", twice)).rejects.toThrow('line 21.id: "3" is already used by line 4');
  await expect(run("odd", `${numbered(20)}\n{"id":-}`)).rejects.toThrow("line 21: is not JSON");
  await expect(run("there", numbered(3))).rejects.toThrow("already has a collection");
  expect(disk.names()).toEqual(files);
  expect(sizesOn(disk)).toEqual({ there: 1 });
});
