// A damaged store: opening it gives the last good state or a typed error, checking it locates the
// damage, and repairing it makes it usable and discards nothing.

import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  int,
  string,
  type Service,
} from "../../src/index.ts";
import {
  checkStore,
  createStore,
  openStore,
  repairStore,
  StoreError,
  type StoredService,
} from "../../src/store/index.ts";
import { nodeDisk } from "../../src/store/node-disk.ts";
import { Log } from "../../src/store/log.ts";
import { openStoreOn } from "../../src/store/store.ts";
import { tuned } from "../tuned.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { contact, newFolder, stateOf } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

/** A File and a Contact: small, so that each bit can be flipped. */
const makeService = () =>
  createService({
    files: [{ id: 1, folder_id: 7, name: "a.txt" }],
    batches: [{ id: 5, lists: [{ id: 2, contacts: [contact(1)] }] }],
  });

function change(service: Service, n: number): void {
  service.update((draft) => {
    if (n === 1) draft.files = draft.files.insert([{ id: 2, folder_id: 7, name: "b" }]);
    else draft.files = draft.files.update([], (file) => void (file.size = n + 1));
  });
}

/** What a service holds after so many changes. */
const states = Array.from({ length: 7 }, (_, count) => {
  const service = makeService();
  for (let n = 0; n < count; n++) change(service, n);
  return JSON.stringify(stateOf(service));
});

/** Opened without the lock, which takes a process each time. */
const unlocked = { lock: false } as const;
const open = (folder: string) => openStore(folder, unlocked);

/** The files of a store with three changes in its data, and three in its journal. */
const original = new Map<string, Buffer>();
/** Where each of its entries ends. */
let ends: number[] = [];

beforeAll(() => {
  const folder = newFolder();
  const store = createStore(folder, makeService(), { ...unlocked, durability: "os" });
  for (let n = 0; n < 3; n++) change(store, n);
  store.checkpoint();
  const journal = join(folder, "journal-2.log");
  ends = [statSync(journal).size];
  for (let n = 3; n < 6; n++) {
    change(store, n);
    ends.push(statSync(journal).size);
  }
  store.close();
  for (const name of readdirSync(folder)) original.set(name, readFileSync(join(folder, name)));
});

const folder = newFolder();
const at = (name: string) => join(folder, name);

/** Puts the original files into the folder, and no others. */
function restore(): void {
  for (const name of readdirSync(folder)) rmSync(at(name));
  for (const [name, bytes] of original) writeFileSync(at(name), bytes);
}

function bytesOf(name: string): Buffer {
  const bytes = original.get(name);
  if (bytes === undefined) throw new Error(`there is no ${name}`);
  return Buffer.from(bytes);
}

/** How many changes there are in the store; or what opening it throws. */
function opened(run: () => StoredService = () => open(folder)): number | StoreError {
  try {
    const store = run();
    store.close();
    const number = states.indexOf(JSON.stringify(stateOf(store)));
    expect(number).not.toBe(-1);
    return number;
  } catch (thrown) {
    if (thrown instanceof StoreError) return thrown;
    throw thrown;
  }
}

test("it is whole before it is damaged", () => {
  restore();
  expect([...original.keys()].sort()).toEqual(["data-2.log", "journal-2.log", "store.json"]);
  expect(checkStore(folder)).toEqual({ changes: 3, unfinishedBytes: 0, problems: [] });
  const nothing = { problems: [], changes: 3, refused: 0, collections: [], kept: [] };
  expect(repairStore(folder, unlocked)).toEqual(nothing);
  expect(opened()).toBe(6);
});

test("cut within its last entry: it has all changes before, and says what was cut off", () => {
  const journal = at("journal-2.log");
  const [start = 0, end = 0] = ends.slice(-2);
  expect(end).toBeGreaterThan(start + 20);
  restore();
  const [headEnd, last] = [start + 22, end - 3];
  // At each byte of its head and of its end, and between them here and there.
  for (let size = start; size < end; size += size < headEnd || size >= last ? 1 : 9) {
    writeFileSync(journal, bytesOf("journal-2.log"));
    truncateSync(journal, size);
    const bytes = size - start;
    expect(checkStore(folder)).toEqual({ changes: 2, unfinishedBytes: bytes, problems: [] });
    const store = open(folder);
    store.close();
    const keptIn = `${journal}.${start}.kept`;
    const cutOff = { file: journal, offset: start, bytes, keptIn };
    expect(store.found).toEqual({ replayed: 2, cutOff: bytes === 0 ? undefined : cutOff });
    expect(JSON.stringify(stateOf(store))).toBe(states[5]);
    if (bytes > 0) {
      expect(readFileSync(keptIn)).toEqual(bytesOf("journal-2.log").subarray(start, size));
    }
    // It goes on from there, as if nothing had been.
    const again = open(folder);
    change(again, 5);
    again.close();
    expect(opened()).toBe(6);
  }
});

describe("a flipped bit", () => {
  /** Opens the store, in memory, with a bit of each byte of a file flipped, one after the other. */
  function openedFlipped(name: string, then: (offset: number, found: unknown) => void): void {
    const bytes = bytesOf(name);
    for (const [offset, byte] of bytes.entries()) {
      const changed = Buffer.from(bytes);
      changed[offset] = byte ^ (1 << (offset % 8));
      const files = new Map([...original].map(([each, whole]) => [at(each), whole]));
      files.set(at(name), changed);
      then(
        offset,
        opened(() => openStoreOn(new SimulatedDisk(files), folder, unlocked) as StoredService),
      );
    }
  }

  test("of any byte of the journal: an error with its place, or what was before the last change", () => {
    openedFlipped("journal-2.log", (offset, found) => {
      const place = [0, ...ends].findLast((each) => each <= offset);
      const reason = place === 0 ? "is damaged" : "the entry is damaged, and others follow";
      if (offset >= (ends.at(-2) ?? 0)) expect(found).toBe(5);
      else expect(found).toMatchObject({ file: at("journal-2.log"), offset: place, reason });
    });
  });

  test("of any byte of the data: an error with its place", () => {
    openedFlipped("data-2.log", (offset, found) => {
      expect(found).toMatchObject({ file: at("data-2.log"), reason: "is damaged" });
      expect((found as StoreError).offset).toBeLessThanOrEqual(offset);
    });
  });

  test("of any byte of the name: an error", () => {
    openedFlipped("store.json", (_, found) => {
      const reason = "is damaged, or not the file of a store";
      expect(found).toMatchObject({ file: at("store.json"), reason });
    });
  });

  test("is found by a check, and repaired: entries before the damage are there, the rest is kept", () => {
    for (const name of original.keys()) {
      // Some of the bits: each is a store that is written anew.
      const step = Math.ceil(bytesOf(name).length / 15);
      for (let offset = 0; offset < bytesOf(name).length; offset += step) {
        restore();
        const bytes = bytesOf(name);
        bytes[offset] = (bytes[offset] ?? 0) ^ 4;
        writeFileSync(at(name), bytes);
        const { problems } = checkStore(folder);
        const isLast = name === "journal-2.log" && offset >= (ends.at(-2) ?? 0);
        expect(problems.map(({ file }) => file)).toEqual(isLast ? [] : [at(name)]);
        const repair = repairStore(folder, unlocked);
        expect(repair.problems).toEqual(problems);
        const isKept = problems.length > 0;
        expect(repair.kept).toEqual(isKept ? [`${at(name)}.kept`] : []);
        for (const kept of repair.kept) expect(readFileSync(kept)).toEqual(bytes);
        expect(checkStore(folder).problems).toEqual([]);
        if (name === "data-2.log") {
          // What was in the entry that is damaged is lost, and no more.
          open(folder).close();
          expect(repair.changes).toBe(3);
          continue;
        }
        const [, ...others] = ends;
        const isStart = offset < (ends[0] ?? 0);
        const before = others.findIndex((end) => offset < end);
        expect(opened()).toBe(name === "store.json" || isStart ? 6 : 3 + before);
      }
    }
  });
});

describe("a file that is missing, empty, foreign or of another store", () => {
  const ruin: [string, () => void, number | RegExp, number][] = [
    ["no journal", () => rmSync(at("journal-2.log")), /journal-2.log: can't be opened: no such/, 3],
    [
      "an empty journal",
      () => writeFileSync(at("journal-2.log"), ""),
      /journal-2.log: at byte 0/,
      3,
    ],
    ["an empty name", () => writeFileSync(at("store.json"), ""), /store.json: is damaged/, 6],
    ["no name", () => rmSync(at("store.json")), /store.json: can't be read: no such file/, 6],
    [
      "a journal of zeros",
      () => writeFileSync(at("journal-2.log"), Buffer.alloc(5000)),
      /journal-2.log: at byte 0: is damaged/,
      3,
    ],
    [
      "zeros after the journal, as some file systems leave them",
      () =>
        writeFileSync(
          at("journal-2.log"),
          Buffer.concat([bytesOf("journal-2.log"), Buffer.alloc(4096)]),
        ),
      6,
      6,
    ],
    [
      "a change that is missing in the middle",
      () => {
        const journal = bytesOf("journal-2.log");
        const parts = [journal.subarray(0, ends[1]), journal.subarray(ends[2])];
        writeFileSync(at("journal-2.log"), Buffer.concat(parts));
      },
      /journal-2.log: at byte \d+: has entry 6 after 4/,
      4,
    ],
    [
      "a change that does not fit the data",
      () => append("journal-2.log", 7, { op: "remove", path: ["files", 99] }),
      /journal-2.log: at byte \d+: does not fit the data: patches\[0\]/,
      6,
    ],
    [
      "data without their last entry",
      () => writeFileSync(at("data-2.log"), bytesOf("data-2.log").subarray(0, startOfLast())),
      /data-2.log: is truncated/,
      6,
    ],
    [
      "data of another store",
      () => {
        const other = newFolder();
        createStore(other, createService(), unlocked).close();
        writeFileSync(at("data-2.log"), readFileSync(join(other, "data-1.log")));
      },
      /data-2.log: belongs to another store/,
      -1,
    ],
  ];

  /** Adds an entry of one line to a log. */
  function append(name: string, number: number, line: unknown): void {
    const log = new Log(nodeDisk, at(name), "r+");
    log.write(log.size, number, [JSON.stringify(line)]);
    log.close();
  }

  /** Where the last entry of the data starts: all records are before it. */
  function startOfLast(): number {
    const log = new Log(nodeDisk, at("data-2.log"), "r");
    let last = log.entryAt(0);
    while (last !== undefined && last.end < log.size) last = log.entryAt(last.end);
    log.close();
    return last?.offset ?? 0;
  }

  test.each(ruin)("%s", (_, run, expected, repaired) => {
    restore();
    run();
    const found = opened();
    if (typeof expected === "number") {
      expect(found).toBe(expected);
      return;
    }
    expect(found).toMatchObject({ message: expect.stringMatching(expected) as string });
    repairStore(folder, unlocked);
    expect(checkStore(folder).problems).toEqual([]);
    if (repaired === -1) expect(open(folder).searchFiles()).toEqual([]);
    else expect(opened()).toBe(repaired);
  });

  test("a damaged file is kept under a name that no other file has", () => {
    restore();
    const [damaged, others] = [Buffer.alloc(50, 1), ["data-2.log.kept", "data-2.log.2.kept"]];
    for (const name of others) writeFileSync(at(name), name);
    writeFileSync(at("data-2.log"), damaged);
    expect(repairStore(folder, unlocked).kept).toEqual([at("data-2.log.3.kept")]);
    expect(readFileSync(at("data-2.log.3.kept"))).toEqual(damaged);
    for (const name of others) expect(readFileSync(at(name), "utf8")).toBe(name);
  });

  test("a folder that holds no store can neither be checked nor repaired, and gets no files", () => {
    const empty = newFolder();
    for (const run of [checkStore, repairStore]) {
      expect(thrownBy(() => run(empty))).toMatchObject({
        name: "StoreError",
        file: join(empty, "store.json"),
      });
    }
    expect(readdirSync(empty)).toEqual([]);
  });
});

test("damaged data: all records but those of the damaged entry are there after repair", () => {
  const place = newFolder();
  const url = "u".repeat(300);
  const files = Array.from({ length: 900 }, (_, id) => {
    return { id, folder_id: 1, name: `${id}.txt`, url };
  });
  const store = createStore(place, createService({ files }), unlocked);
  for (const id of [10, 890]) {
    store.update((draft) => {
      draft.files = draft.files.update([["id", "exactly", id]], (file) => void (file.size = "7"));
    });
  }
  store.close();
  const data = join(place, "data-1.log");
  const bytes = readFileSync(data);
  bytes[bytes.indexOf('"10.txt"')] = 0;
  writeFileSync(data, bytes);
  expect(repairStore(place, unlocked)).toMatchObject({
    problems: [{ file: data, reason: expect.stringMatching(/^\d+ bytes are damaged$/) as string }],
    changes: 2,
    // The change of File 10, which is lost.
    refused: 1,
    kept: [`${data}.kept`],
  });
  const again = open(place);
  const ids = again.searchFiles().map(({ id }) => Number(id));
  expect(ids.length).toBeGreaterThan(700);
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => 900 - ids.length + i));
  expect(again.searchFiles([["size", "exactly", 7]]).map(({ id }) => id)).toEqual(["890"]);
  again.close();
});

test("an entry that is whole but not JSON is reported as damage, and repaired without it", () => {
  const place = newFolder();
  const store = createStore(place, makeService(), unlocked);
  store.close();
  const data = join(place, "data-1.log");
  const log = new Log(nodeDisk, data, "r+");
  log.write(log.size, 2, ["{"]);
  log.close();
  const { problems } = checkStore(place);
  expect(problems).toMatchObject([{ file: data }]);
  expect(repairStore(place, unlocked).kept).toEqual([`${data}.kept`]);
  expect(checkStore(place).problems).toEqual([]);
});

describe("what was removed or changed before the damage", () => {
  const Person = defineSchema({ id: int({ unique: true }), name: string() });
  const schemas = { people: Person };
  let place: string;
  const files = new Map<string, Buffer>();
  const expected = new Map<number, string>();

  beforeAll(() => {
    using _ = tuned({ fewInData: 10, fewRows: 3 });
    place = newFolder();
    const people = createCollection(
      Person,
      Array.from({ length: 60 }, (_each, id) => ({ id, name: "old" })),
    );
    const store = createStore(place, createDatabase({ people }), unlocked);
    const changed = (from: number) =>
      store.update((draft) => {
        draft.people = draft.people
          .remove([["id", "exactly", from]])
          .update([["id", "exactly", from + 1]], (each) => void (each.name = "new"))
          .insert({ id: 100 + from, name: "added" });
      });
    changed(0);
    store.checkpoint();
    for (const from of [10, 20, 30]) changed(from);
    for (const { id, name } of store.people.query()) expected.set(id, name);
    store.close();
    for (const name of readdirSync(place)) files.set(name, readFileSync(join(place, name)));
  });

  /** Repairs the damaged store; the report names whatever is not as it was. */
  function expectReported(repaired: ReturnType<typeof repairStore>): number {
    // Damage of the last entry of a journal looks like a change that was never acknowledged.
    if (repaired.problems.length === 0) return 0;
    const store = openStore(place, schemas, { ...unlocked, readOnly: true });
    const found = new Map(store.people.query().map(({ id, name }) => [id, name]));
    store.close();
    const report = repaired.collections.find(({ name }) => name === "people");
    const back = [...found.keys()].filter((id) => !expected.has(id));
    const lost = [...expected.keys()].filter((id) => !found.has(id));
    const outdated = [...found].filter(([id, name]) => (expected.get(id) ?? name) !== name);
    if (back.length > 0) expect(report?.removedMayBeBack).toBe(true);
    if (lost.length > 0) expect(report?.mayBeLost).toBe(true);
    if (outdated.length > 0) expect(report?.mayBeOutdated).toBe(true);
    return back.length;
  }

  function restored(): void {
    for (const name of readdirSync(place)) rmSync(join(place, name));
    for (const [name, bytes] of files) writeFileSync(join(place, name), bytes);
  }

  test("comes back only if changes of the journal are lost, and the report says so", () => {
    for (const name of files.keys()) {
      if (name === "lock") continue;
      const whole = files.get(name) ?? Buffer.alloc(0);
      const step = Math.ceil(whole.length / 8);
      for (let offset = 0; offset < whole.length; offset += step) {
        restored();
        const bytes = Buffer.from(whole);
        bytes[offset] = (bytes[offset] ?? 0) ^ 4;
        writeFileSync(join(place, name), bytes);
        const back = expectReported(repairStore(place, unlocked));
        if (!name.startsWith("journal")) expect([name, offset, back]).toEqual([name, offset, 0]);
      }
      restored();
      rmSync(join(place, name));
      const back = expectReported(repairStore(place, unlocked));
      if (!name.startsWith("journal")) expect([name, back]).toEqual([name, 0]);
    }
  });

  test("is reported as back if both lists of dead rows are damaged", () => {
    restored();
    for (const name of ["data-2.log", "journal-2.log"]) {
      const bytes = Buffer.from(files.get(name) ?? []);
      const dead = bytes.indexOf('"dead"');
      expect(dead).not.toBe(-1);
      bytes[dead] = (bytes[dead] ?? 0) ^ 4;
      writeFileSync(join(place, name), bytes);
    }
    expect(expectReported(repairStore(place, unlocked))).toBeGreaterThan(0);
  });
});
