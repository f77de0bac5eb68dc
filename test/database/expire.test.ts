// Records that expire: by age, and all but the newest, as part of the change of an update, or by `expire`.

import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  float,
  InputError,
  int,
  string,
  strings,
  time,
  type DatabaseChange,
} from "../../src/index.ts";
import { createStore, openStore } from "../../src/store/index.ts";
import { settings } from "../property.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";
import { newFolder } from "../store/fixtures.ts";

const Session = defineSchema({
  id: int({ unique: true }),
  at: time({ nullable: true }),
  seen: int({ nullable: true }),
  hours: float({ nullable: true }),
});

interface Row {
  readonly id: number;
  readonly at: number | null;
}

const START = Date.UTC(2024, 0, 1);

/** The plain model: what is left of some rows, in order. */
function left(
  rows: readonly Row[],
  now: number,
  after: number | undefined,
  newest?: number,
): Row[] {
  const young = rows.filter(({ at }) => after === undefined || at === null || at + after > now);
  return newest === undefined ? young : young.slice(Math.max(0, young.length - newest));
}

type Step =
  | { readonly insert: readonly (number | null)[] }
  | { readonly touch: number; readonly at: number }
  | { readonly remove: number }
  | { readonly wait: number; readonly expires: boolean };

const anyTime = fc.oneof(fc.constant(null), fc.integer({ min: -20, max: 20 }));

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ insert: fc.array(anyTime, { maxLength: 5 }) }),
  fc.record({ touch: fc.nat(20), at: fc.integer({ min: -5, max: 5 }) }),
  fc.record({ remove: fc.nat(20) }),
  fc.record({ wait: fc.integer({ min: -3, max: 8 }), expires: fc.boolean() }),
);

describe("records expire", () => {
  test.each(["at", "seen", "hours"] as const)(
    "with each update and with expire(), as a plain model says: by %s",
    (field) => {
      const holds = (steps: readonly Step[], after: number, newest: number | undefined) => {
        let now = START;
        let next = 0;
        let rows: Row[] = [];
        const db = createDatabase(
          { sessions: createCollection(Session) },
          { expire: { sessions: { field, after, newest } }, now: () => now },
        );
        const copy = createDatabase({ sessions: createCollection(Session) });
        const changes: DatabaseChange[] = [];
        db.subscribe((change) => changes.push(change));
        let counted = 0;
        db.watch("sessions", { count: null }, (count) => (counted = count));
        const record = ({ id, at }: Row) => ({ id, [field]: at });
        for (const step of steps) {
          const before = rows;
          if ("wait" in step) {
            now += step.wait;
            if (!step.expires) continue;
            db.expire();
          } else if ("insert" in step) {
            const made = step.insert.map((at) => ({ id: next++, at: at === null ? at : now + at }));
            rows = [...rows, ...made];
            db.update((draft) => {
              draft.sessions = draft.sessions.insert(untyped(made.map(record)));
            });
          } else if ("touch" in step) {
            rows = rows.map((row) => (row.id === step.touch ? { ...row, at: now + step.at } : row));
            db.update((draft) => {
              draft.sessions = draft.sessions.update(
                [["id", "exactly", step.touch]],
                untyped({ [field]: now + step.at }),
              );
            });
          } else {
            rows = rows.filter(({ id }) => id !== step.remove);
            db.update((draft) => {
              draft.sessions = draft.sessions.remove([["id", "exactly", step.remove]]);
            });
          }
          rows = left(rows, now, after, newest);
          expect(Array.from(db.sessions, ({ id }) => id)).toEqual(rows.map(({ id }) => id));
          expect(counted).toBe(rows.length);
          // One change has everything, and is reported once, or not at all if nothing changed.
          const [change, ...more] = changes.splice(0);
          expect(more).toEqual([]);
          expect(change === undefined).toBe(JSON.stringify(before) === JSON.stringify(rows));
          if (change !== undefined) copy.applyPatches(change.patches);
          expect([...copy.sessions]).toEqual([...db.sessions]);
        }
      };
      const any = [
        fc.array(anyStep, { maxLength: 15 }),
        fc.integer({ min: 0, max: 10 }),
        fc.option(fc.nat(6), { nil: undefined }),
      ] as const;
      fc.assert(fc.property(...any, holds), settings(60));
    },
  );

  test("all but the newest, however many are removed, changed and merged", () => {
    const newest = 700;
    const db = createDatabase(
      { sessions: createCollection(Session) },
      { expire: { sessions: { newest } } },
    );
    let ids: number[] = [];
    for (let round = 0, id = 0; round < 60; round++) {
      const made = Array.from({ length: 1 + ((round * 37) % 90) }, () => id++);
      db.update((draft) => {
        draft.sessions = draft.sessions.insert(made.map((each) => ({ id: each })));
        // A changed record keeps its place.
        draft.sessions = draft.sessions.update([["id", "in", [id - 500, id - 3]]], {
          seen: round,
        });
      });
      ids = [...ids, ...made].slice(-newest);
      expect(Array.from(db.sessions, (each) => each.id)).toEqual(ids);
    }
  });

  test("in seconds, at the last moment of their age", () => {
    let now = 10_999;
    const db = createDatabase(
      { sessions: createCollection(Session, [{ id: 1, seen: 10 }, { id: 2, seen: 11 }]) }, // oxfmt-ignore
      { expire: { sessions: { field: "seen", after: 1000, unit: "seconds" } }, now: () => now },
    );
    db.expire();
    expect(db.sessions.size).toBe(2);
    now = 11_000;
    db.expire();
    expect(Array.from(db.sessions, ({ id }) => id)).toEqual([2]);
    db.expire(12_000);
    expect(db.sessions.size).toBe(0);
  });

  test("no instant is too far away", () => {
    const db = createDatabase(
      { sessions: createCollection(Session, [{ id: 1, at: "0000-01-01" }, { id: 2, at: "9999-12-31" }]) }, // oxfmt-ignore
      { expire: { sessions: { field: "at", after: Number.MAX_SAFE_INTEGER } }, now: () => 0 },
    );
    db.expire();
    expect(db.sessions.size).toBe(2);
    db.expire(Number.MAX_SAFE_INTEGER);
    expect(db.sessions.size).toBe(1);
    db.expire(Number.MAX_VALUE);
    expect(db.sessions.size).toBe(0);
  });

  test("patches alone remove nothing else, and neither do queries", () => {
    const expire = { sessions: { field: "at", after: 10 } };
    const db = createDatabase(
      { sessions: createCollection(Session, [{ id: 1, at: 0 }]) },
      { expire, now: () => 100 },
    );
    db.applyPatches([{ op: "add", path: ["sessions", 2], value: { id: 2, at: 1 } }]);
    expect(db.sessions.count()).toBe(2);
    // A recipe that throws removes nothing.
    const fail = () => {
      throw new Error("no");
    };
    expect(() => db.update(fail)).toThrow("no");
    expect(db.sessions.count()).toBe(2);
    const { patches, inversePatches } = db.update(() => undefined);
    expect(patches).toHaveLength(2);
    db.applyPatches(inversePatches);
    expect(db.sessions.count()).toBe(2);
  });

  test("in a store, in the entry of the change", async () => {
    const directory = join(newFolder(), "store");
    let now = START;
    const expire = { sessions: { field: "at", after: 1000 } };
    const options = { expire, now: () => now };
    const first = createStore(
      directory,
      createDatabase({ sessions: createCollection(Session) }, options),
    );
    first.update((draft) => {
      draft.sessions = draft.sessions.insert({ id: 1, at: now });
    });
    now += 1000;
    await first.updateAsync((draft) => {
      draft.sessions = draft.sessions.insert({ id: 2, at: now });
    });
    first.close();
    const store = openStore(directory, { sessions: Session }, options);
    expect(store.found.replayed).toBe(2);
    expect(Array.from(store.sessions, ({ id }) => id)).toEqual([2]);
    now += 1000;
    store.expire();
    store.close();
    const again = openStore(directory, { sessions: Session });
    expect([again.found.replayed, again.sessions.size]).toEqual([3, 0]);
    again.close();
  });

  const Log = defineSchema({
    text: string(),
    tags: strings(),
    at: int({ searchable: false }),
    day: time(),
  });
  test.each<[expire: object, message: string]>([
    [{ logs: { newest: 1 } }, 'options.expire.logs: is not a collection of this database; use "log"; did you mean "log"?'], // oxfmt-ignore
    [{ log: {} }, "options.expire.log: needs field and after, or newest"],
    [{ log: { field: "day" } }, "options.expire.log: needs after"],
    [{ log: { after: 1 } }, "options.expire.log: needs field"],
    [{ log: { newest: 1, unit: "seconds" } }, "options.expire.log: needs field"],
    [{ log: { newest: -1 } }, "options.expire.log.newest: must be a non-negative integer, not -1"],
    [{ log: { field: "no", after: 1 } }, 'options.expire.log.field: there is no field "no"'],
    [{ log: { field: "dy", after: 1 } }, 'options.expire.log.field: there is no field "dy"; did you mean "day"?'], // oxfmt-ignore
    [{ log: { field: "text", after: 1 } }, "options.expire.log.field: must have times, not be of type string"], // oxfmt-ignore
    [{ log: { field: "tags", after: 1 } }, "options.expire.log.field: must have times, not be of type strings"], // oxfmt-ignore
    [{ log: { field: "at", after: 1 } }, 'options.expire.log.field: "at" is not searchable'],
    [{ log: { field: "day", after: 1, unit: "seconds" } }, "options.expire.log.unit: must be omitted: a time field has none"], // oxfmt-ignore
  ])("%j is an error", (expire, message) => {
    const error = thrownBy(InputError, () =>
      createDatabase({ log: createCollection(Log) }, untyped({ expire })),
    );
    expect(error.message).toBe(message);
  });

  test("a clock that does not give numbers is an error, and nothing changes", () => {
    const db = createDatabase(
      { sessions: createCollection(Session, [{ id: 1, at: 0 }]) },
      { expire: { sessions: { field: "at", after: 1 } }, now: () => NaN },
    );
    const insert = () =>
      db.update((draft) => {
        draft.sessions = draft.sessions.insert({ id: 2 });
      });
    expect(insert).toThrow("options.now: must be milliseconds since 1970, not NaN");
    expect(() => db.expire(untyped("x"))).toThrow("now: must be milliseconds");
    expect(db.sessions.size).toBe(1);
  });
});
