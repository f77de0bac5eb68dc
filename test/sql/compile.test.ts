// Does a compiled query give what the collection gives?

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCollection, defineSchema, int, string, type Schema } from "../../src/index.ts";
import { compileSql, createTable, insertRecords, type Statement } from "../../src/sql/index.ts";
import { inputRecords, query } from "../../src/testing/index.ts";
import type { Engine } from "../engines/engine.ts";
import { settings } from "../property.ts";
import { enginesHere } from "./engines-here.ts";

const Free = defineSchema({
  text: string({ nullable: true }),
  word: string(),
  number: int({ nullable: true }),
  digits: int({ default: "0" }),
  state: string({ oneOf: ["open", "closed", ""], default: "open" }),
  hidden: string({ nullable: true, stored: false }),
  position: int({ default: 0 }),
});

/** As it was written by somebody else, so that only the engine is asked whether it is valid. */
type AnyQuery = Parameters<typeof compileSql<Schema>>[1];

describe.each(enginesHere)("%s", (_, start) => {
  let engine: Engine;
  const { signal } = new AbortController();
  const run = async ({ text, parameters }: Statement) =>
    await engine.run(text, parameters, { signal });
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine.close());

  test("a compiled query gives the records that the collection gives, in their order", async () => {
    const cases = inputRecords(Free, { maxLength: 25 }).chain((records) =>
      fc.tuple(
        fc.constant(records),
        fc.array(query(Free, { records }), { minLength: 1, maxLength: 40, size: "max" }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([records, queries]) => {
        await engine.clear();
        const table = { dialect: engine.dialect, table: "records" } as const;
        for (const each of createTable(Free, { ...table, indexes: ["text"] })) await run(each);
        for (const each of insertRecords(Free, records, table)) await run(each);
        const collection = createCollection(Free, records);
        for (const each of queries) {
          const statement = compileSql(Free, each as AnyQuery, { ...table, texts: "bytes" });
          const rows = await run(statement);
          expect(rows.map(statement.toRecord), statement.text).toEqual(collection.query(each));
        }
      }),
      settings(25),
    );
  }, 600_000);
});
