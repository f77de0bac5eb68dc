// A store is opened as if its journal had been applied change by change, as a reader does: the same records under the
// same keys, the same next keys, the same unique values, and errors with the place of the entry.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  int,
  json,
  string,
  strings,
  TercetError,
  type Database,
} from "../../src/index.ts";
import { documentsOf } from "../../src/database/changes.ts";
import { stateOf } from "../../src/database/database-state.ts";
import { StoreError } from "../../src/store/errors.ts";
import { Log } from "../../src/store/log.ts";
import {
  createStoreOn,
  openStoreOn,
  type DatabaseReader,
  type StoredDatabase,
  type StoredService,
} from "../../src/store/store.ts";
import type { StoreReader } from "../../src/store/reader.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { makeService, recipe, SEGMENTED, SEPARATE, SHARED } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const FOLDER = "/store";
const JOURNAL = `${FOLDER}/journal-1.log`;
const unlocked = { lock: false } as const;

const Ticket = defineSchema({
  id: int({ unique: true }),
  title: string({ nullable: true }),
  tags: strings(),
  more: json({ nullable: true }),
});
/** Without an identity: patches name its records by their keys. */
const Note = defineSchema({ text: string({ default: "" }) });
/** Identified by two fields. */
const Seat = defineSchema({ row: int(), name: string() }, { unique: [["row", "name"]] });
const schemas = new Map<string, typeof Ticket | typeof Note | typeof Seat>([
  ["tickets", Ticket],
  ["notes", Note],
  ["seats", Seat],
]);
type Collections = {
  readonly tickets: ReturnType<typeof createCollection<typeof Ticket>>;
  readonly notes: ReturnType<typeof createCollection<typeof Note>>;
  readonly seats: ReturnType<typeof createCollection<typeof Seat>>;
};

const text = fc.constantFrom("", "0", "a", "aa", "\u{1f600}", "__proto__", "x".repeat(1200));
const id = fc.nat({ max: 6 });
const ticket = fc.record({
  id,
  title: fc.option(text),
  tags: fc.array(text, { maxLength: 2 }),
  more: fc.constantFrom(null, { ["__proto__"]: 1 }, [0, [""]], "x".repeat(1200)),
});
const seat = fc.record({ row: id, name: text });

/** A change of the database; it may be refused. */
type Step = (db: Database<Collections>) => unknown;

const steps: fc.Arbitrary<Step> = fc.oneof(
  ticket.map(
    (each): Step =>
      (db) =>
        db.update((draft) => void (draft.tickets = draft.tickets.upsert(each, "id"))),
  ),
  fc.uniqueArray(ticket, { selector: (each) => each.id, maxLength: 4 }).map(
    (all): Step =>
      (db) =>
        db.update((draft) => void (draft.tickets = draft.tickets.insert(all))),
  ),
  fc.tuple(id, text).map(
    ([of, title]): Step =>
      (db) =>
        db.update((draft) => {
          draft.tickets = draft.tickets.update([["id", "exactly", of]], (each) => {
            each.title = title;
          });
        }),
  ),
  // Two records exchange their ids.
  fc.tuple(id, id).map(
    ([a, b]): Step =>
      (db) =>
        db.update((draft) => {
          draft.tickets = draft.tickets.update([["id", "in", [a, b]]], (each) => {
            each.id = each.id === a ? b : a;
          });
        }),
  ),
  id.map(
    (of): Step =>
      (db) =>
        db.update((draft) => void (draft.tickets = draft.tickets.remove([["id", "exactly", of]]))),
  ),
  text.map(
    (each): Step =>
      (db) =>
        db.update((draft) => void (draft.notes = draft.notes.insert({ text: each }))),
  ),
  text.map(
    (each): Step =>
      (db) =>
        db.update((draft) => void (draft.notes = draft.notes.remove([["text", "exactly", each]]))),
  ),
  fc.tuple(text, text).map(
    ([a, b]): Step =>
      (db) =>
        db.update((draft) => {
          draft.notes = draft.notes.update([["text", "exactly", a]], { text: b });
          draft.seats = draft.seats.remove([["name", "exactly", b]]);
        }),
  ),
  seat.map(
    (each): Step =>
      (db) =>
        db.update((draft) => void (draft.seats = draft.seats.insert(each))),
  ),
  fc.tuple(id, id).map(
    ([a, b]): Step =>
      (db) =>
        db.update((draft) => {
          draft.seats = draft.seats.update([["row", "exactly", a]], { row: b });
        }),
  ),
);

/** What a change is, and how it is made. */
const program = fc.array(
  fc.tuple(steps, fc.constantFrom("now", "now", "later", "undone", "wait")),
  { minLength: 1, maxLength: 14 },
);

/** All records under their keys, and the next keys. */
function contentOf(holder: object): unknown {
  const state = stateOf(holder);
  if (state === undefined) throw new Error("has no state");
  return Array.from(state.collections(), ({ source, collection }) => [
    source,
    collection.state.snapshot.nextKey,
    [...documentsOf(collection.state)],
  ]);
}

/** What is found by the values that no two records share. */
const foundBy = ({ tickets, seats }: Collections) => [
  Array.from({ length: 8 }, (_, n) => tickets.query({ criteria: [["id", "exactly", n]] })),
  Array.from({ length: 8 }, (_, n) => tickets.count([["id", "exactly", n]])),
  seats.countBy("row"),
];

const create = (disk: SimulatedDisk) =>
  createStoreOn(
    disk,
    FOLDER,
    createDatabase({
      tickets: createCollection(Ticket, [
        { id: 0, title: "a", tags: ["a"], more: null },
        { id: 1, title: null, tags: [], more: { a: "x".repeat(1200) } },
        { id: 2, title: "x".repeat(1200), tags: [], more: null },
      ]),
      notes: createCollection(Note, [{ text: "" }, { text: "a" }]),
      seats: createCollection(Seat, [
        { row: 0, name: "a" },
        { row: 1, name: "a" },
      ]),
    }) as unknown as Database,
    { ...unlocked, checkpointRatio: Infinity },
  ) as unknown as StoredDatabase<Collections>;
const open = (disk: SimulatedDisk) =>
  openStoreOn(disk, FOLDER, unlocked, schemas) as unknown as StoredDatabase<Collections>;
const openReader = (disk: SimulatedDisk) =>
  openStoreOn(
    disk,
    FOLDER,
    { ...unlocked, readOnly: true },
    schemas,
  ) as unknown as DatabaseReader<Collections>;

/** Where the first change of a journal begins. */
function endOfHead(files: ReadonlyMap<string, Uint8Array>): number {
  const log = new Log(new SimulatedDisk(files), JOURNAL, "r");
  const end = log.entryAt(0)?.end;
  log.close();
  if (end === undefined) throw new Error("the journal has no head");
  return end;
}

function append(disk: SimulatedDisk, bytes: Uint8Array): void {
  const file = disk.open(JOURNAL, "r+");
  disk.write(file, bytes, disk.size(file));
  disk.close(file);
}

/** Makes changes; those that are refused have no effect. */
async function run(
  store: StoredDatabase<Collections>,
  given: readonly (readonly [Step, string])[],
): Promise<void> {
  const later: Promise<unknown>[] = [];
  for (const [step, how] of given) {
    try {
      if (how === "wait") await Promise.all(later.splice(0));
      const { inversePatches } = step(store) as ReturnType<typeof store.update>;
      if (how === "undone") store.applyPatches(inversePatches);
      if (how !== "later") continue;
      const add = store.updateAsync((draft) => {
        draft.notes = draft.notes.insert({ text: "later" });
      });
      later.push(add);
    } catch (thrown) {
      if (!(thrown instanceof TercetError)) throw thrown;
    }
  }
  await Promise.all(later);
}

test("after any changes, it is opened as a reader that applied each of them", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(SHARED, SEPARATE, SEGMENTED),
      fc.constantFrom(0, 200, 1000, Infinity),
      program,
      fc.nat(),
      async (thresholds, shortRecord, given, cut) => {
        using _ = tuned({ ...thresholds, shortRecord });
        const disk = new SimulatedDisk();
        const store = create(disk);
        const reader = openReader(disk);
        await run(store, given);
        const changes = reader.refresh();
        store.close();
        const files = disk.contents();
        const again = open(new SimulatedDisk(files));
        expect(again.found).toEqual({ replayed: changes, cutOff: undefined });
        expect(contentOf(again)).toEqual(contentOf(reader));
        expect(foundBy(again)).toEqual(foundBy(reader));
        again.close();
        reader.close();

        // Torn anywhere, it has what a reader has that has applied each whole entry.
        const journal = files.get(JOURNAL) ?? new Uint8Array();
        const start = endOfHead(files);
        files.set(JOURNAL, journal.slice(0, start));
        const torn = new SimulatedDisk(files);
        const follower = openReader(torn);
        append(torn, journal.slice(start, start + (cut % (journal.length - start + 1))));
        const whole = follower.refresh();
        const opened = open(torn);
        expect(opened.found.replayed).toBe(whole);
        expect(contentOf(opened)).toEqual(contentOf(follower));
        opened.close();
        follower.close();
      },
    ),
    settings(60),
  );
});

test("a service with Batches is, too", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(SHARED, SEPARATE, SEGMENTED),
      fc.array(fc.tuple(fc.nat({ max: 17 }), fc.boolean()), { minLength: 1, maxLength: 14 }),
      (thresholds, given) => {
        using _ = tuned(thresholds);
        const disk = new SimulatedDisk();
        const options = { ...unlocked, checkpointRatio: Infinity };
        const store = createStoreOn(disk, FOLDER, makeService(), options);
        const reader = openStoreOn(disk, FOLDER, { readOnly: true }) as StoreReader;
        for (const [n, isUndone] of given) {
          try {
            const { inversePatches } = store.update(recipe(n));
            if (isUndone) store.applyPatches(inversePatches);
          } catch (thrown) {
            // Such as a List that is there already.
            if (!(thrown instanceof TercetError)) throw thrown;
          }
        }
        reader.refresh();
        store.close();
        const again = openStoreOn(disk, FOLDER, unlocked) as StoredService;
        expect(contentOf(again)).toEqual(contentOf(reader));
        expect(again.searchFiles()).toEqual(reader.searchFiles());
        again.close();
        reader.close();
      },
    ),
    settings(40),
  );
});

describe("an entry that does not fit", () => {
  const add = (key: number, id: unknown) => ({
    op: "add",
    path: ["tickets", key],
    value: { id, title: null, tags: [], more: null },
  });
  test.each([
    ["changes a record that is not there", { op: "replace", path: ["notes", 9], value: {} }],
    ["adds a record that is there", add(0, 9)],
    ["adds a record twice", add(50, 51)],
    ["has a value of another type", add(60, "zero")],
    ["has a value that another changed record has", add(60, 50)],
    ["leads to no collection", { op: "remove", path: ["others", 0] }],
    ["is no patch", { op: "move", path: ["notes", 0] }],
    ["is a list", []],
  ])("is named where it %s, whatever follows", (_, patch) => {
    const disk = new SimulatedDisk();
    create(disk).close();
    const start = endOfHead(disk.contents());
    const reader = openReader(disk);
    const log = new Log(disk, JOURNAL, "r+");
    let at = start;
    let number = 0;
    const write = (...lines: unknown[]) => {
      const before = at;
      at = log.write(
        at,
        ++number,
        lines.map((line) => JSON.stringify(line)),
      ).end;
      return before;
    };
    write(add(50, 50));
    write({ op: "replace", path: ["notes", 0, "text"], value: "b" });
    const place = write(patch);
    write(add(52, 52));
    log.close();
    const errorOf = (run: () => unknown) => {
      try {
        run();
      } catch (thrown) {
        if (thrown instanceof StoreError) return [thrown.file, thrown.offset, thrown.reason];
        throw thrown;
      }
      return undefined;
    };
    const found = errorOf(() => open(disk));
    expect(found?.slice(0, 2)).toEqual([JOURNAL, place]);
    // The same as of a reader, which applies one at a time.
    expect(errorOf(() => reader.refresh())).toEqual(found);
    reader.close();
  });

  test("is named before one that is damaged", () => {
    const disk = new SimulatedDisk();
    create(disk).close();
    const start = endOfHead(disk.contents());
    const log = new Log(disk, JOURNAL, "r+");
    const misfit = log.write(start, 1, [JSON.stringify({ op: "remove", path: ["notes", 9] })]);
    const damaged = log.write(misfit.end, 2, ["null"]);
    log.write(damaged.end, 3, ["null"]);
    log.close();
    const file = disk.open(JOURNAL, "r+");
    disk.write(file, Buffer.from("oops"), damaged.offset);
    disk.close(file);
    expect(() => open(disk)).toThrow(expect.objectContaining({ offset: start }));
  });
});

test("changes are applied in portions, however long they are", () => {
  const disk = new SimulatedDisk();
  const store = create(disk);
  const reader = openReader(disk);
  const long = "x".repeat(2 ** 20);
  for (let n = 0; n < 9; n++) {
    store.update((draft) => void (draft.notes = draft.notes.insert({ text: long })));
    store.update((draft) => void (draft.notes = draft.notes.insert({ text: `${n}` })));
  }
  store.update((draft) => {
    draft.notes = draft.notes.insert(Array.from({ length: 6 }, () => ({ text: long })));
  });
  store.update((draft) => void (draft.notes = draft.notes.remove([["text", "exactly", long]])));
  store.close();
  reader.refresh();
  const again = open(disk);
  expect(again.found.replayed).toBe(20);
  expect(contentOf(again)).toEqual(contentOf(reader));
  again.close();
  reader.close();
});

test("derived fields are those of the last change, not of all of them", () => {
  // The journal has fields, not records.
  using _ = tuned({ shortRecord: 0 });
  const disk = new SimulatedDisk();
  const files = [{ id: 1, folder_id: 7, name: "a.txt" }];
  const store = createStoreOn(disk, FOLDER, createService({ files }), unlocked);
  for (const names of [
    { name: "b.txt", basename: "y" },
    { name: "c.txt", basename: "a" },
  ]) {
    store.update((draft) => {
      draft.files = draft.files.update([], (file) => void Object.assign(file, names));
    });
  }
  store.close();
  const again = openStoreOn(disk, FOLDER, unlocked) as StoredService;
  expect(contentOf(again)).toEqual(contentOf(store));
  again.close();
});
