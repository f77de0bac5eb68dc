// The default `next`: a version of a collection numbers records after the greatest number that it, or a version that it
// was made from, has given.

import fc from "fast-check";
import { inspect } from "node:util";
import { describe, expect, expectTypeOf, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { loadCollection, readCsv, readJson, readNdjson } from "../../src/import/index.ts";
import {
  compileCriteria,
  createCollection,
  createDatabase,
  defineSchema,
  float,
  InputError,
  int,
  next,
  readSchema,
  SchemaError,
  string,
  writeSchema,
  type Collection,
  type InputOf,
  type Patch,
} from "../../src/index.ts";
import { insertRecords } from "../../src/sql/index.ts";
import { settings } from "../property.ts";
import { expectRefused } from "./fixtures.ts";

const Ticket = defineSchema({
  subject: string({ default: "" }),
  id: int({ unique: true, default: next }),
});
type Tickets = Collection<typeof Ticket>;

const idsOf = (tickets: Iterable<{ readonly id: number }>) => Array.from(tickets, ({ id }) => id);

/** A version, with the ids that it should have, and the greatest that was given. */
interface Version {
  readonly tickets: Tickets;
  readonly ids: readonly number[];
  readonly last: number;
}

type Step = (version: Version) => Version | undefined;

/** Ids of new records: the next number for each that has none; `undefined` if one occurs twice. */
function numbered(
  { ids, last }: Version,
  given: readonly (number | undefined)[],
): Pick<Version, "ids" | "last"> | undefined {
  const all = [...ids];
  let greatest = last;
  for (const each of given) {
    const id = each ?? greatest + 1;
    if (all.includes(id)) return undefined;
    all.push(id);
    greatest = Math.max(greatest, id);
  }
  return { ids: all, last: greatest };
}

const record = (id: number | undefined) => (id === undefined ? {} : { id });

const anyId = fc.oneof(fc.constant(undefined), fc.integer({ min: -3, max: 30 }));

const inserts = fc.array(anyId, { maxLength: 4 }).map((given): Step => (version) => {
  const after = numbered(version, given);
  return after && { ...after, tickets: version.tickets.insert(given.map(record)) };
});

const removes = fc.integer({ min: 0, max: 30 }).map((least): Step => (version) => ({
  tickets: version.tickets.remove([["id", "at_least", least]]),
  ids: version.ids.filter((id) => id < least),
  last: version.last,
}));

/** A record that is renumbered by an object, or by a recipe that leaves the number out. */
const renumbers = fc.tuple(fc.nat(9), anyId).map(([at, id]): Step => (version) => {
  const old = version.ids[at];
  if (old === undefined) return undefined;
  const others = version.ids.filter((each) => each !== old);
  const after = numbered({ ...version, ids: others }, [id]);
  if (after === undefined) return undefined;
  const change =
    id === undefined
      ? (draft: object) => {
          Reflect.deleteProperty(draft, "id");
        }
      : { id };
  return {
    tickets: version.tickets.update([["id", "exactly", old]], change),
    ids: version.ids.map((each) => (each === old ? (after.ids.at(-1) ?? 0) : each)),
    last: after.last,
  };
});

const reopens = fc.constant<Step>((version) => ({
  ...version,
  tickets: openCollection(saveCollection(version.tickets), { schema: Ticket }),
}));

const compacts = fc.constant<Step>((version) => ({
  ...version,
  tickets: version.tickets.compact(),
}));

const steps = fc.oneof(
  { arbitrary: inserts, weight: 4 },
  { arbitrary: removes, weight: 2 },
  { arbitrary: renumbers, weight: 2 },
  reopens,
  compacts,
);

describe("next", () => {
  test("follows the greatest number of a version, on every branch, as a plain model does", () => {
    const walk = fc.array(fc.tuple(fc.nat(20), steps), { maxLength: 20 });
    const holds = (all: readonly (readonly [number, Step])[]) => {
      const versions: Version[] = [{ tickets: createCollection(Ticket), ids: [], last: 0 }];
      for (const [at, step] of all) {
        // Usually the last one: a branch otherwise.
        const from = versions.at(-1 - (at % 3 === 0 ? at % versions.length : 0));
        const to = from && step(from);
        if (to === undefined) continue;
        expect(idsOf(to.tickets)).toEqual(to.ids);
        versions.push(to);
      }
      for (const { tickets, last } of versions) {
        expect(tickets.insert({}).at(-1)?.id).toBe(last + 1);
      }
    };
    fc.assert(fc.property(walk, holds), settings(100));
  });

  test("is carried by patches: a follower gives the same numbers", () => {
    const holds = (all: readonly Step[]) => {
      let leader: Version = { tickets: createCollection(Ticket), ids: [], last: 0 };
      let follower: Tickets = createCollection(Ticket);
      for (const step of all) {
        let to: Version | undefined;
        const { patches } = leader.tickets.withPatches((tickets) => {
          to = step({ ...leader, tickets });
          return to?.tickets ?? tickets;
        });
        leader = to ?? leader;
        follower = follower.applyPatches(JSON.parse(JSON.stringify(patches)) as Patch[]);
        expect(new Set(idsOf(follower))).toEqual(new Set(leader.ids));
        expect(follower.insert({}).at(-1)?.id).toBe(leader.last + 1);
      }
    };
    const changes = fc.array(fc.oneof(inserts, removes, renumbers), { maxLength: 10 });
    fc.assert(fc.property(changes, holds), settings(50));
  });

  test("counts the records that patches add and remove again, as a journal may hold them", () => {
    const tickets = createCollection(Ticket).applyPatches([
      { op: "add", path: [7], value: { id: 7 } },
      { op: "replace", path: [7, "id"], value: "9" },
      { op: "remove", path: [9] },
    ]);
    expect([tickets.size, tickets.insert({}).at(0)?.id]).toEqual([0, 10]);
  });

  test("is not undone with the change", () => {
    const db = createDatabase({ tickets: createCollection(Ticket) });
    const { inversePatches } = db.update((draft) => {
      draft.tickets = draft.tickets.insert([{}, {}]);
    });
    db.applyPatches(inversePatches);
    db.update((draft) => {
      draft.tickets = draft.tickets.insert({});
    });
    expect(idsOf(db.tickets)).toEqual([3]);
    // A recipe that throws has given no number.
    const fail = () =>
      db.update((draft) => {
        draft.tickets = draft.tickets.insert({});
        throw new Error("no");
      });
    expect(fail).toThrow("no");
    db.update((draft) => {
      draft.tickets = draft.tickets.insert({});
    });
    expect(idsOf(db.tickets)).toEqual([3, 4]);
  });

  test("numbers records that upsert adds, and those that it replaces as a whole", () => {
    const Named = defineSchema({
      id: int({ unique: true, default: next }),
      name: string({ unique: true }),
      votes: int({ default: 0 }),
    });
    const all = createCollection(Named, [{ name: "a" }, { name: "b" }]);
    const merged = all.upsert([{ name: "b", votes: 1 }, { name: "c" }], "name", { merge: true });
    expect(Array.from(merged, ({ id, name }) => [id, name])).toEqual([
      [1, "a"],
      [2, "b"],
      [3, "c"],
    ]);
    expect(merged.upsert({ name: "d" }, "id").get("name", "d")?.id).toBe(4);
    expect(merged.upsert({ name: "e" }, "id", { merge: true }).get("name", "e")?.id).toBe(4);
    expect(merged.upsert({ name: "a" }, "name").get("name", "a")?.id).toBe(4);
  });

  test("works in fields that are not stored, are nullable, or several", () => {
    const Line = defineSchema({
      hidden: int({ stored: false, default: next }),
      maybe: int({ nullable: true, default: next }),
      text: string({ default: "" }),
    });
    const lines = createCollection(Line, [{ hidden: 5 }, { maybe: null }, {}]);
    expect([...lines]).toEqual([
      { maybe: 1, text: "" },
      { maybe: null, text: "" },
      { maybe: 2, text: "" },
    ]);
    expect(lines.count([["hidden", "at_least", 6]])).toBe(2);
    const more = lines.remove(null).insert({});
    expect(more.count([["hidden", "exactly", 8]])).toBe(1);
    expect(more.at(0)?.maybe).toBe(3);
  });

  test("numbers records from every reader, whichever way they are loaded", () => {
    const rows = [{ subject: "a" }, { subject: "b", id: 9 }, { subject: "c" }];
    const readings = {
      csv: () => readCsv("subject,id\na,\nb,9\nc,\n", { schema: Ticket }),
      json: () => readJson(JSON.stringify(rows), { schema: Ticket }),
      ndjson: () =>
        readNdjson(rows.map((row) => JSON.stringify(row)).join("\n"), { schema: Ticket }),
    };
    for (const read of Object.values(readings)) {
      expect(idsOf(createCollection(Ticket, read()))).toEqual([1, 9, 10]);
      const loaded = loadCollection(Ticket, read());
      expect(idsOf(loaded)).toEqual([1, 9, 10]);
      expect(idsOf(loaded.insert({}))).toEqual([1, 9, 10, 11]);
    }
    expect(idsOf(createCollection(Ticket, rows, { storage: "columns" }).insert({}))).toEqual([
      1, 9, 10, 11,
    ]);
  });

  test("ends at the last safe integer", () => {
    const last = createCollection(Ticket, [{ id: Number.MAX_SAFE_INTEGER }]);
    expectRefused(
      () => last.insert({}),
      "record.id",
      "is omitted, and no number is left after 9007199254740991",
    );
    expect(last.insert({ id: 1 }).size).toBe(2);
    expect(last.remove(null).insert({ id: 2 }).size).toBe(1);
  });

  test("numbers nothing where there is no collection", () => {
    const reason = "is missing: its default is next, a number that only a collection gives";
    const isFirst = compileCriteria(Ticket, [["id", "exactly", 1]]);
    expectRefused(() => isFirst({}), "record.id", reason);
    const insertInto = (records: Iterable<InputOf<typeof Ticket>>) => [
      ...insertRecords(Ticket, records, { dialect: "sqlite", table: "tickets" }),
    ];
    expectRefused(() => insertInto([{ id: 1 }, {}]), "records[1].id", reason);
    expect(insertInto(createCollection(Ticket, [{}]))).toHaveLength(1);
    const validated = Ticket["~standard"].validate({ subject: "a" });
    expect(validated).toStrictEqual({ value: { subject: "a", id: undefined } });
    if (validated.issues === undefined) {
      expectTypeOf(validated.value).toEqualTypeOf<{
        readonly subject: string;
        readonly id: number | undefined;
      }>();
      expect(createCollection(Ticket, [validated.value]).at(0)?.id).toBe(1);
    }
  });

  test("is kept by JSON and by files", () => {
    const json = writeSchema(Ticket);
    expect(json.fields.id).toEqual({ type: "int", unique: true, default: "next" });
    const read = readSchema(JSON.parse(JSON.stringify(json)));
    expect(read.fields.id?.default).toBe(next);
    const tickets = createCollection(Ticket, [{}, {}, {}]).remove([["id", "at_least", 2]]);
    const opened = openCollection(saveCollection(tickets));
    expect(opened.insert({}).at(-1)?.id).toBe(4);
    expect(JSON.stringify(tickets)).toContain('"default":"next"');
    expect(inspect(tickets)).toContain("id: int, unique, numbered");
  });

  test("is a default of ints only", () => {
    // @ts-expect-error -- A float can't be numbered.
    expect(() => float({ default: next })).toThrow(SchemaError);
    // Its result must be a value.
    const made = createCollection(defineSchema({ id: int({ default: () => next }) }), []);
    expect(() => made.insert({})).toThrow(InputError);
    expectTypeOf<InputOf<typeof Ticket>>().toEqualTypeOf<{
      readonly subject?: string | undefined;
      readonly id?: number | string | bigint | undefined;
    }>();
  });
});
