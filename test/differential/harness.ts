// The same records and queries, run by tercet in memory, by the independent reference of tercet/testing, and by an
// engine in SQL. Any difference is a defect in one of them.
//
// Each engine has a file in this folder, which starts it once for all queries. TERCET_RUNS is the number of data sets
// for each property; each gets 20 queries. A failure shows its seed and path. To replay it, pass both, and the name of
// its test:
//
//   TERCET_SEED=… TERCET_PATH=… npx vitest run test/differential/sqlite.test.ts -t Files

import fc from "fast-check";
import { afterAll, test } from "vitest";
import { createCollection, type Query, type Schema } from "../../src/index.ts";
import { compileSql, createTable, insertRecords } from "../../src/sql/index.ts";
import type { CheckedData } from "../../src/testing/index.ts";
import { execute, rowsOf, storable } from "../engines/engine.ts";
import type { EngineName } from "../engines/index.ts";
import { onEngine } from "../engines/on-engine.ts";
import { settings } from "../property.ts";
import { referencePage, textFormOf } from "../reference-page.ts";
import { serviceOn } from "../sql/load.ts";
import { agree, asked, serviceTests, Tally } from "./answers.ts";
import { collectionTests } from "./collection.ts";
import { testEach } from "./each-engine.ts";
import { Free, freeRecords } from "./free.ts";

/** How many data sets each property has: an engine is asked 520 queries in all; a cluster 300. */
const RUNS = { free: 5, files: 5, contacts: 6, collections: 6 };
const RUNS_OF_CLUSTER = { files: 4, contacts: 6 };
const HOURS = 12 * 3_600_000;

/** The properties of an engine. A cluster has the tables of a service, and none of any schema. */
export function differential(name: EngineName, { free }: { free: boolean } = { free: true }): void {
  const runs = free ? RUNS : RUNS_OF_CLUSTER;
  onEngine(name, (engine) => {
    const tally = new Tally();
    afterAll(() => console.log(`${engine().name}: ${tally.report()}`));

    if (free) {
      const cases = freeRecords.chain((records) =>
        fc.tuple(fc.constant(records), asked(Free, records)),
      );
      test(
        "records of any schema",
        async () => {
          await fc.assert(
            fc.asyncProperty(cases, async ([drawn, queries]) => {
              const { dialect, texts } = engine();
              const records = storable(engine(), drawn);
              const options = { dialect, table: "records" } as const;
              await engine().clear();
              await execute(
                engine(),
                createTable(Free, { ...options, indexes: ["text", "number"] }),
              );
              await execute(engine(), insertRecords(Free, records, options));
              const collection = createCollection(Free, records);
              const textForm = records.map((record) => textFormOf(Free, record));
              const ask = async (each: Query<typeof Free>) => {
                const statement = compileSql(Free, each, { ...options, texts });
                const rows = await rowsOf(engine(), statement.text, statement.parameters);
                const answers = {
                  found: rows.map((row) => statement.toRecord(row)),
                  "in memory": collection.query(each),
                  "by the reference": referencePage(Free, textForm, each).map(stored),
                };
                agree(answers, [each, statement]);
                tally.add(collection.count(each.criteria), records.length);
              };
              await Promise.all(queries.map(ask));
            }),
            settings(RUNS.free),
          );
        },
        HOURS,
      );
    }

    const serviceOf = async (drawn: CheckedData) => {
      const data = storable(engine(), drawn);
      return { data, service: await serviceOn(engine(), data, { texts: engine().texts }) };
    };
    serviceTests(serviceOf, runs, tally);

    if (free) collectionTests(engine, RUNS.collections);
    testEach(name, engine);
  });
}

/** Without the fields that records don't carry. */
function stored(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { fields }: Schema = Free;
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => fields[name]?.stored === true),
  );
}
