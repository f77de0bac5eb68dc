// A second opinion, and a third: the same records and the same queries, answered by tercet in memory, by
// the testing kit's reference, which shares nothing with it, and by an engine in SQL. Any difference is
// a defect of one of them.
//
// A file beside this one for each engine. TERCET_RUNS is the number of data sets for each of
// the three properties; each is asked 20 queries. A failure names its seed and path. To replay it, give
// both, and the name of its test:
//
//   TERCET_SEED=… TERCET_PATH=… npx vitest run test/differential/sqlite.test.ts -t Files

import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createCollection, defineSchema, int, string, type Schema } from "../../src/index.ts";
import { compileSql, createTable, insertRecords } from "../../src/sql/index.ts";
import { inputRecord, query } from "../../src/testing/index.ts";
import { execute, rowsOf, type Engine } from "../engines/engine.ts";
import type { EngineName } from "../engines/index.ts";
import { onEngine } from "../engines/on-engine.ts";
import { settings } from "../property.ts";
import { referencePage, wireOf } from "../reference-page.ts";

/** How many data sets each property has, so that an engine is asked 2,000 queries in all. */
const RUNS = { free: 30, files: 30, contacts: 40 };
const QUERIES = 20;
const HOURS = 3_600_000 * 12;

const Free = defineSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  word: string(),
  number: int({ nullable: true }),
  digits: int({ default: "0" }),
  state: string({ oneOf: ["open", "closed", ""], default: "open" }),
  hidden: string({ nullable: true, stored: false }),
  unsearchable: string({ searchable: false, default: "" }),
});

/** Records whose ids are their positions; repeated where there are to be many. */
const freeRecords = fc
  .tuple(
    fc.array(inputRecord(Free), { maxLength: 20, size: "max" }),
    fc.constantFrom(1, 1, 1, 1, 1, 2, 15),
  )
  .map(([records, times]) =>
    Array.from({ length: times }, () => records)
      .flat()
      .map((record, id) => ({ ...record, id })),
  );

/** As many queries in each case, whatever the case shrinks to: the failing one is named. */
const asked = <const S extends Schema>(schema: S, records: readonly object[]) =>
  fc.array(query(schema, { records: records as readonly Readonly<Record<string, unknown>>[] }), {
    minLength: QUERIES,
    maxLength: QUERIES,
  });

export function differential(name: EngineName): void {
  onEngine(name, (engine) => {
    let queries = 0;
    let partial = 0;
    const count = (matching: number, all: number) => {
      queries++;
      if (matching > 0 && matching < all) partial++;
    };

    afterAll(() => {
      const share = ((100 * partial) / queries).toFixed(0);
      console.log(
        `${engine().name}: ${queries} queries, criteria of ${share} % selected some records and not all`,
      );
    });

    test(
      "records of a free schema",
      async () => {
        const cases = freeRecords.chain((records) =>
          fc.tuple(fc.constant(records), asked(Free, records)),
        );
        const holds = async ([drawn, queriesAsked]: typeof cases extends fc.Arbitrary<infer Case>
          ? Case
          : never) => {
          const { dialect, texts } = engine();
          const records = storable(engine(), drawn);
          const options = { dialect, table: "records" } as const;
          await engine().clear();
          await execute(engine(), createTable(Free, options));
          await execute(engine(), insertRecords(Free, records, options));
          const collection = createCollection(Free, records);
          const wire = records.map((record) => wireOf(Free, record));
          for (const each of queriesAsked) {
            const statement = compileSql(Free, each, { ...options, texts });
            const rows = await rowsOf(engine(), statement.text, statement.parameters);
            const found = rows.map((row) => statement.toRecord(row));
            const inMemory = collection.query(each);
            count(collection.count(each.criteria), records.length);
            agree("in memory", found, inMemory, [each, statement]);
            const expected = referencePage(Free, wire, each).map(stored);
            agree("the reference", found, expected, [each, statement]);
          }
        };
        await fc.assert(fc.asyncProperty(cases, holds), settings(RUNS.free));
      },
      HOURS,
    );
  });
}

/** Without the fields that records don't carry. */
function stored(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { fields }: Schema = Free;
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => fields[name]?.stored === true),
  );
}

/** Fails with the query and its statements where an answer is another. */
function agree(name: string, found: unknown, expected: unknown, asked: readonly unknown[]): void {
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  expect(found, `against ${name}: ${JSON.stringify(asked)}`).toEqual(expected);
}

/** The data as the engine can hold them: without U+0000 where it has none. */
function storable<Data>({ refusesNul = false }: Engine, data: Data): Data {
  if (!refusesNul) return data;
  const within = (value: unknown): unknown => {
    if (typeof value === "string") return value.replaceAll("\0", "\u0001");
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(within);
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, within(each)]));
  };
  // Of the same shape as the data: only texts are others.
  return within(data) as Data;
}
