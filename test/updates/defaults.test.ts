// Default functions (V14): each is called once for each record that omits its field, wherever records come from, and
// its result is checked like any input.

import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { loadCollection, readCsv, readJson, readNdjson } from "../../src/import/index.ts";
import {
  boolean,
  compileCriteria,
  createCollection,
  createDatabase,
  defineSchema,
  float,
  int,
  json,
  readSchema,
  string,
  writeSchema,
} from "../../src/index.ts";
import { expectRefused } from "./fixtures.ts";

/** A schema whose ids count up, and how often each function was called. */
function counting() {
  const calls = { id: 0, at: 0, tags: 0 };
  const Note = defineSchema({
    id: int({ unique: true, default: () => ++calls.id }),
    text: string(),
    at: string({ nullable: true, default: () => `t${++calls.at}` }),
    tags: json<string[]>({ default: () => [String(++calls.tags)] }),
  });
  return { Note, calls };
}

describe("a function that is a default is called once for each record that lacks the field", () => {
  test("when records are loaded, inserted, upserted, and changed by a recipe", () => {
    const { Note, calls } = counting();
    const notes = createCollection(Note, [
      { text: "a" },
      { text: "b", id: 100, at: null },
      { text: "c", at: undefined },
    ]);
    expect(notes.query()).toEqual([
      { id: 1, text: "a", at: "t1", tags: ["1"] },
      { id: 100, text: "b", at: null, tags: ["2"] },
      { id: 2, text: "c", at: "t2", tags: ["3"] },
    ]);
    expect(calls).toEqual({ id: 2, at: 2, tags: 3 });
    const more = notes.insert({ text: "d" }).insert([{ text: "e" }, { text: "f", id: 7 }]);
    expect(Array.from(more, ({ id }) => id)).toEqual([1, 100, 2, 3, 4, 7]);
    // Replaces the whole record, so that what is left out is made anew; a record without an id is a new one.
    const put = more.upsert([{ id: 100, text: "B" }, { text: "g" }], "id");
    expect(put.get("id", 100)).toEqual({ id: 100, text: "B", at: "t6", tags: ["7"] });
    expect(put.at(-1)?.id).toBe(5);
    const before = { ...calls };
    const changed = put.update([["id", "exactly", 100]], (note: { at?: unknown }) => {
      delete note.at;
    });
    expect(changed.get("id", 100)?.at).toBe(`t${before.at + 1}`);
    // Neither a field that stays, nor one that an object leaves out, is made anew.
    expect(changed.update(null, { text: "x", at: undefined }).get("id", 100)?.at).toBe(
      `t${before.at + 1}`,
    );
    expect(calls).toEqual({ ...before, at: before.at + 1 });
  });

  test("not again when patches repeat or undo a change, but for a patch that lacks the field", () => {
    const { Note, calls } = counting();
    const db = createDatabase({ notes: createCollection(Note, [{ text: "a" }]) });
    const copy = createDatabase({ notes: createCollection(Note, [...db.notes]) });
    const { patches, inversePatches } = db.update((draft) => {
      draft.notes = draft.notes.insert({ text: "b" });
    });
    const before = { ...calls };
    copy.applyPatches(patches);
    expect([...copy.notes]).toEqual([...db.notes]);
    copy.applyPatches(inversePatches);
    expect(calls).toEqual(before);
    copy.applyPatches([{ op: "add", path: ["notes", 50], value: { id: 50, text: "c", tags: [] } }]);
    expect(copy.notes.get("id", 50)?.at).toBe(`t${before.at + 1}`);
    expect(calls).toEqual({ ...before, at: before.at + 1 });
  });

  test("by every reader and the loader of columns, and by nothing that only checks", () => {
    const rows = [{ text: "a" }, { text: "b", id: 9 }, { text: "c" }];
    const readings = {
      csv: (Note: never) => readCsv("text,id\na,\nb,9\nc,\n", { schema: Note }),
      json: (Note: never) => readJson(JSON.stringify(rows), { schema: Note }),
      ndjson: (Note: never) =>
        readNdjson(rows.map((row) => JSON.stringify(row)).join("\n"), { schema: Note }),
    };
    for (const read of Object.values(readings)) {
      for (const make of [loadCollection, createCollection]) {
        const { Note, calls } = counting();
        const notes = make(Note, read(Note as never) as never);
        expect(Array.from(notes, ({ id, at }) => [id, at])).toEqual([[1, "t1"], [9, "t2"], [2, "t3"]]); // oxfmt-ignore
        expect(calls).toEqual({ id: 2, at: 3, tags: 3 });
      }
    }
  });

  test("by a predicate and by Standard Schema, which complete the record themselves", () => {
    const { Note, calls } = counting();
    const accepts = compileCriteria(Note, [["id", "exactly", 1], "OR", ["id", "exactly", 5]]);
    expect(accepts({ text: "a" })).toBe(true);
    expect(calls).toEqual({ id: 1, at: 0, tags: 0 });
    expect(Note["~standard"].validate({ text: "a" })).toEqual({
      value: { id: 2, text: "a", at: "t1", tags: ["1"] },
    });
  });
});

describe("what such a function returns", () => {
  const NOT = "is omitted, and the result of its default must be";
  test.each([
    [
      int({ default: () => 1.5 }),
      `${NOT} an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string, not 1.5`,
    ],
    [
      float({ default: () => NaN }),
      `${NOT} a finite number, or its text as JavaScript writes it, not NaN`,
    ],
    [boolean({ default: (() => undefined) as never }), `${NOT} true or false, not undefined`],
    [
      string({ default: () => "\ud800" }),
      `${NOT} well-formed Unicode; "\\ud800" holds a lone surrogate`,
    ],
    [string({ oneOf: ["a"], default: () => "b" }), `${NOT} "a", not "b"`],
    [string({ default: (() => Promise.resolve("a")) as never }), `${NOT} a string, not an object`],
    [
      string({ default: (() => null) as never }),
      "is omitted, and the result of its default must not be null",
    ],
  ])("is checked like any input: %#", (field, reason) => {
    const schema = defineSchema({ "x y": field });
    expectRefused(() => createCollection(schema, [{}]), 'records[0]["x y"]', reason);
    expect(schema["~standard"].validate({})).toEqual({
      issues: [{ message: reason, path: ["x y"] }],
    });
    expectRefused(
      () => compileCriteria(schema, [["x y", "exactly", null]] as never)({}),
      'record["x y"]',
      reason,
    );
  });

  test("may collide, and what it throws passes through; nothing is changed then", () => {
    const Same = defineSchema({ id: int({ unique: true, default: () => 1 }) });
    expectRefused(
      () => createCollection(Same, [{}, {}]),
      "records[1].id",
      '"1" is already used by records[0]',
    );
    const thrown = new RangeError("no more ids");
    const None = defineSchema({
      id: int({
        default: (): number => {
          throw thrown;
        },
      }),
    });
    const db = createDatabase({ none: createCollection(None) });
    expect(() =>
      db.update((draft) => void (draft.none = draft.none.insert([{ id: 1 }, {}]))),
    ).toThrow(thrown);
    expect(db.none.size).toBe(0);
  });
});

test("JSON and files say that there is a function, and refuse records that need it", () => {
  const { Note } = counting();
  const notes = createCollection(Note, [{ text: "a" }]);
  const isRefused =
    "is missing: its default is a function, which neither files nor JSON keep; give the field, or the schema that has the function";
  const written = writeSchema(Note);
  expect(written.fields).toMatchObject({ id: { type: "int", unique: true, hasFunction: true } });
  const read = readSchema(JSON.parse(JSON.stringify(written)));
  expect(writeSchema(read)).toEqual(written);
  expectRefused(() => createCollection(read, [{ text: "a" }]), "records[0].id", isRefused);
  const bytes = saveCollection(notes);
  const own = openCollection(bytes);
  expectRefused(() => own.insert({ text: "b", id: 2, tags: [] }), "record.at", isRefused);
  expect(own.insert({ text: "b", id: 2, tags: [], at: null }).size).toBe(2);
  expect(openCollection(bytes, { schema: Note }).insert({ text: "b" }).at(-1)?.id).toBe(2);
  const Other = defineSchema({ ...Note.fields, id: int({ unique: true }) });
  expectRefused(
    () => openCollection(bytes, { schema: Other }),
    "options.schema.fields.id",
    "has default undefined, in the file a function",
  );
  expect(inspect(notes)).toContain("id: int, unique, default from a function");
  expect(JSON.parse(JSON.stringify(notes))).toMatchObject({
    fields: { id: { hasFunction: true } },
  });
});
