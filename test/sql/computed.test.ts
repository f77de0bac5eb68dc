// Computed fields (V16) in tables of engines: columns that the engine computes from JSON, whoever changes it; queries
// give the same results as a collection.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  boolean,
  createCollection,
  defineSchema,
  float,
  InputError,
  int,
  json,
  string,
  strings,
  time,
} from "../../src/index.ts";
import {
  checkTable,
  compileSql,
  createSqlCollection,
  createTable,
  insertRecords,
} from "../../src/sql/index.ts";
import { rowsOf, type Engine } from "../engines/engine.ts";
import { onEngine } from "../engines/on-engine.ts";
import { settings } from "../property.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";

const nullable = { nullable: true } as const;
const ODD = "it's $1 é\u{1f600}.[0]";
const own = {
  id: int({ unique: true }),
  word: string(),
  j: json({ nullable: true }),
  k: json({ nullable: true }),
};
const computed = {
  city: string({ ...nullable, path: ["j", "city"], ignoreCase: true }),
  zip: int({ ...nullable, path: ["j", "at", "zip"] }),
  size: float({ ...nullable, path: ["j", "size"] }),
  flag: boolean({ ...nullable, path: ["j", "flag"] }),
  since: time({ ...nullable, path: ["j", "since"] }),
  first: string({ ...nullable, path: ["j", "0"] }),
  odd: string({ ...nullable, path: ["j", ODD] }),
  proto: string({ ...nullable, path: ["j", "__proto__"] }),
  whole: string({ ...nullable, path: ["k"] }),
  tags: strings({ ...nullable, path: ["j", "tags"] }),
};
const Place = defineSchema(own, { computed });

const word = fc.constantFrom("", "Bern", "bern", "ZUG", "é", "😀", "null", "0", '"', "\\");
const number = fc.constantFrom(0, -3, 7, 2 ** 53 - 1, -(2 ** 53 - 1));
const other = fc.constantFrom<unknown>(null, {}, [], ["x"]);
const objects = fc
  .record(
    {
      city: fc.oneof(word, fc.constant(null)),
      at: fc.oneof(fc.record({ zip: fc.oneof(number, fc.constant(null)) }), other, word),
      size: fc.oneof(number, fc.constantFrom(1.5, 1e-7, 1e300, -0.25)),
      flag: fc.boolean(),
      since: fc.constantFrom("2024-02-29T00:00:00.000Z", "1969-12-31T23:59:59.999Z"),
      0: word,
      [ODD]: word,
      ["proto"]: word,
      tags: fc.array(word, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  )
  .map((object): unknown => JSON.parse(JSON.stringify(object).replace('"proto":', '"__proto__":')));
const value = fc.oneof(
  { weight: 5, arbitrary: objects },
  fc.constantFrom<unknown>(null, ["a"], "text", {}),
);
const records = fc
  .array(fc.record({ word, j: value }), { maxLength: 8 })
  .map((all) => all.map((each, id) => ({ id, ...each })));

async function filled(engine: Engine, given: readonly unknown[]) {
  await engine.clear();
  const { dialect, run } = engine;
  const columns = Object.fromEntries(Object.keys(Place.fields).map((name, i) => [name, `f${i}`]));
  const names = { ...columns, city: { column: "city", folded: "city_folded" } };
  const table = { name: "places", columns: untyped(names) };
  for (const { text } of createTable(Place, { dialect, table })) await rowsOf(engine, text);
  for (const { text, parameters } of insertRecords(Place, untyped(given), { dialect, table })) {
    await rowsOf(engine, text, parameters);
  }
  const { texts } = engine;
  const places = createSqlCollection({
    ...{
      schema: Place,
      dialect,
      run,
      table: "places",
      columns: untyped(names),
      position: "position",
    },
    ...(texts && { texts }),
  });
  return { places, names };
}

const FIELDS = Object.keys(Place.fields).filter((name) => !["j", "k", "tags"].includes(name));
const asked = fc.record({
  criteria: fc.array(
    fc.oneof(
      fc.tuple(
        fc.constantFrom("city", "first", "odd", "proto", "whole"),
        fc.constantFrom("exactly", "not", "contains", "at_least"),
        word,
      ),
      fc.tuple(fc.constantFrom("zip", "size"), fc.constantFrom("exactly", "less_than"), number),
      fc.tuple(
        fc.constantFrom(...FIELDS.slice(2)),
        fc.constantFrom("exactly", "not"),
        fc.constant(null),
      ),
      fc.tuple(fc.constant("flag"), fc.constant("not"), fc.boolean()),
      fc.tuple(fc.constant("tags"), fc.constantFrom("has"), word),
      fc.tuple(fc.constant("tags"), fc.constantFrom("exactly", "not"), fc.constantFrom([], null)),
      fc.tuple(fc.constant("since"), fc.constant("at_least"), fc.constantFrom("1970", "2024-02")),
    ),
    { maxLength: 2 },
  ),
  sortBy: fc.constantFrom(...FIELDS),
  sortOrder: fc.constantFrom("ASC", "DESC"),
});

for (const name of ["SQLite", "DuckDB", "PostgreSQL", "chDB", "MariaDB"] as const) {
  onEngine(name, (engine) => {
    test(`${name} computes paths like a collection`, async () => {
      await fc.assert(
        fc.asyncProperty(
          records,
          fc.array(asked, { minLength: 3, maxLength: 3 }),
          async (given, queries) => {
            const { places } = await filled(engine(), given);
            const expected = createCollection(Place, untyped(given));
            const select = ["id", ...Object.keys(computed)];
            expect(await places.query(untyped({ select }))).toEqual(
              expected.query(untyped({ select })),
            );
            for (const query of queries) {
              expect(await places.query(untyped(query))).toEqual(expected.query(untyped(query)));
              const { criteria } = query;
              expect(await places.count(untyped(criteria))).toBe(expected.count(untyped(criteria)));
              expect(await places.countBy("city", untyped(criteria))).toEqual(
                expected.countBy("city", untyped(criteria)),
              );
              expect(await places.summary("size", untyped(criteria))).toEqual(
                expected.summary("size", untyped(criteria)),
              );
            }
          },
        ),
        settings(15),
      );
    });

    test(`${name} computes them anew when the JSON changes, and checkTable finds nothing wrong`, async () => {
      const { places, names } = await filled(engine(), [
        { id: 1, word: "a", j: { at: { zip: 1 } } },
      ]);
      const { dialect, run } = engine();
      const change =
        dialect === "clickhouse" ? undefined : `UPDATE places SET f2 = '{"at":{"zip":5}}'`;
      if (change !== undefined) {
        await rowsOf(engine(), change);
        expect(await places.query({ select: ["zip"] })).toEqual([{ zip: 5 }]);
      }
      const problems = await checkTable({
        ...{
          schema: Place,
          dialect,
          run,
          table: "places",
          columns: untyped(names),
          position: "position",
        },
      });
      expect(problems.filter(({ kind }) => kind === "wrong")).toEqual([]);
    });

    test(`${name}: checkTable proposes a missing column, which computes what is there`, async () => {
      await engine().clear();
      const { dialect, run } = engine();
      const Bare = defineSchema({ id: int(), j: json({ nullable: true }) });
      const table = { name: "bare", columns: { id: "id", j: "j" } };
      for (const { text } of createTable(Bare, { dialect, table })) await rowsOf(engine(), text);
      const j = { at: { zip: 8000 } };
      for (const { text, parameters } of insertRecords(Bare, [{ id: 1, j }], { dialect, table })) {
        await rowsOf(engine(), text, parameters);
      }
      const { zip } = computed;
      const schema = defineSchema(
        { id: int(), j: json({ nullable: true }) },
        { computed: { zip } },
      );
      const of = { schema, dialect, run, table: "bare", position: "position" } as const;
      const [missing] = await checkTable(of);
      expect(missing?.kind).toBe("wrong");
      expect(missing?.reason).toContain('"zip"');
      if (dialect === "duckdb") {
        expect(missing?.statement).toBe(null);
        return;
      }
      await rowsOf(engine(), missing?.statement ?? "");
      expect(await checkTable(of)).toEqual([]);
      const found = await createSqlCollection(of).query({
        criteria: [["zip", "exactly", 8000]],
        select: ["zip"],
      });
      expect(found).toEqual([{ zip: 8000 }]);
    });
  });
}

test("functions have no expression: a column must be named for them, which insertRecords fills", () => {
  const Sale = defineSchema(
    { id: int(), price: float(), tags: json() },
    {
      computed: {
        total: float({ compute: ({ price }) => price * 2 }),
        all: strings({ path: ["tags"] }),
      },
    },
  );
  const message = (dialect: "sqlite" | "postgres", columns: object) =>
    thrownBy(InputError, () => [...createTable(Sale, { dialect, table: { name: "t", columns } })])
      .message;
  expect(message("sqlite", {})).toBe(
    "options.table.columns.total: must name a column, which insertRecords fills: the field is computed by a function, which SQL can't call",
  );
  expect(message("postgres", { total: "total" })).toBe(
    "options.table.columns.all: must name a column, which insertRecords fills: the field is computed by a path, for which postgres has no generated column",
  );
  expect(
    thrownBy(InputError, () => compileSql(Sale, {}, { dialect: "sqlite", table: "t" })).path,
  ).toBe("options.table.columns.total");
  const table = { name: "t", columns: { total: "total" } };
  const [statement] = insertRecords(Sale, [{ id: 1, price: 3, tags: ["a"] }], {
    dialect: "sqlite",
    table,
  });
  expect(statement?.parameters).toEqual(['[["0","1","3","[\\"a\\"]","6"]]']);
});

test("a value that the table would not compute alike is refused", () => {
  const insert = (j: object) => [
    ...insertRecords(Place, [{ id: 1, word: "a", j: untyped(j) }], {
      dialect: "sqlite",
      table: "t",
    }),
  ];
  expect(thrownBy(InputError, () => insert({ since: 0 })).message).toBe(
    'records[0].since: is computed from ["j","since"], where a table needs it as records have it; write "1970-01-01T00:00:00.000Z"',
  );
  expect(thrownBy(InputError, () => insert({ size: "1.5" })).message).toBe(
    'records[0].size: is computed from ["j","size"], where a table needs it as records have it; write 1.5',
  );
});
