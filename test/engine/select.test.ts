// Queries of some fields (C19): records have only these, in the given order, and nothing else changes.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  int,
  json,
  QueryError,
  string,
  strings,
  type Page,
} from "../../src/index.ts";
import { compileSql } from "../../src/sql/index.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { settings } from "../property.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";

const Song = defineSchema({
  id: int({ unique: true }),
  title: string({ ignoreCase: true }),
  plays: int({ nullable: true }),
  tags: strings({ default: [] }),
  more: json({ nullable: true }),
  secret: string({ default: "", stored: false }),
  ["__proto__"]: string({ default: "p" }),
});
const given = [
  { id: 1, title: "Brisa", plays: 3, tags: ["a"], more: { x: [1] }, secret: "s" },
  { id: 2, title: "alba", plays: null },
  { id: 3, title: "Coda", plays: 5, ["__proto__"]: "q" },
];
const songs = createCollection(Song, given);
const FIELDS = ["id", "title", "plays", "tags", "more", "__proto__"] as const;

const selection = fc.shuffledSubarray([...FIELDS], { minLength: 1 });

describe.each([
  ["objects", songs] as const,
  ["columns", createCollection(Song, given, { storage: "columns" })] as const,
  ...reopenings.map((way) => [`a file, ${JSON.stringify(way)}`, reopened(songs, way)] as const),
])("in %s", (_, collection) => {
  test("C19 records have these fields only, in the given order", () => {
    fc.assert(
      fc.property(
        selection,
        fc.constantFrom(
          {},
          { sortBy: "title", limit: 2 },
          { criteria: [["plays", "at_least", 4]] },
        ),
        (select, query) => {
          const picked = (record: object) => {
            const members = new Map<string, unknown>(Object.entries(record));
            return select.map((name) => [name, members.get(name)]);
          };
          const expected = collection.query(untyped(query)).map(picked);
          const found: object[] = collection.query(untyped({ ...query, select }));
          expect(found.map((record) => Object.entries(record))).toEqual(expected);
          expect(found.every((record) => Object.isFrozen(record))).toBe(true);
          const page: Page<object> = collection.page(untyped({ ...query, select }));
          expect(page.records).toEqual(found);
          const { previous, next }: Page<object> = collection.page(untyped(query));
          expect(page).toMatchObject({ previous, next });
        },
      ),
      settings(50),
    );
  });
});

test.each<[unknown, string]>([
  [[], "select: must name at least one field"],
  ["id", 'select: must be an array of field names, not "id"'],
  [["id", "titel"], 'select: element 1: unknown field "titel"; did you mean "title"?'],
  [["id", "id"], 'select: element 1 repeats "id"'],
  [["secret"], 'select: element 0: "secret" is not stored, so no record has it'],
  [["constructor"], 'select: element 0: unknown field "constructor"'],
  [[1], "select: element 0: unknown field 1"],
])("select %j is refused", (select, message) => {
  for (const ask of [
    () => songs.query(untyped({ select })),
    () => songs.page(untyped({ select })),
    () => createDatabase({ songs }).watch("songs", untyped({ select }), () => undefined),
    () => compileSql(Song, untyped({ select }), { dialect: "sqlite", table: "songs" }),
  ]) {
    expect(thrownBy(QueryError, ask).message).toBe(message);
  }
});

test("a live query of some fields is called only if one of them changes", () => {
  const db = createDatabase({ songs });
  const titles: unknown[] = [];
  const pages: unknown[] = [];
  db.watch("songs", { select: ["title"], sortBy: "id", sortOrder: "ASC" }, (records) =>
    titles.push(records.map(({ title }) => title)),
  );
  db.watch("songs", { page: { select: ["plays"], sortBy: "plays", limit: 1 } }, ({ records }) =>
    pages.push(records),
  );
  const set = (change: object) =>
    db.update((draft) => {
      draft.songs = draft.songs.update([["id", "exactly", 1]], untyped(change));
    });
  set({ plays: 4 });
  set({ title: "Brisa!" });
  set({ plays: 9 });
  expect(titles).toEqual([
    ["Brisa", "alba", "Coda"],
    ["Brisa!", "alba", "Coda"],
  ]);
  expect(pages).toEqual([[{ plays: 5 }], [{ plays: 9 }]]);
});

test("in SQL only these columns are fetched", () => {
  const at = { dialect: "sqlite", table: "songs" } as const;
  const { text, toRecord } = compileSql(Song, { select: ["title", "id"] }, at);
  expect(text).toMatch(/^SELECT [^,]*`c1`[^,]*, [^,]*`c0`[^,]* FROM/);
  expect(toRecord(["Alba", "7"])).toEqual({ title: "Alba", id: 7 });
});
