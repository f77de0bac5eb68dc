// A second opinion, and a third: the same records and the same queries, answered by tercet in memory, by
// the testing kit's reference, which shares nothing with it, and by an engine in SQL. Any difference is
// a defect of one of them.
//
// A file beside this one for each engine, which starts it once for all that is asked of it. TERCET_RUNS is the number of data sets for each property; each
// is asked 20 queries. A failure names its seed and path. To replay it, give both, and the name of its
// test:
//
//   TERCET_SEED=… TERCET_PATH=… npx vitest run test/differential/sqlite.test.ts -t Files

import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import {
  createCollection,
  createService,
  File,
  type BatchContacts,
  type Criteria,
  type Contact,
  type Query,
  type Schema,
} from "../../src/index.ts";
import { compileSql, createTable, insertRecords } from "../../src/sql/index.ts";
import { batch, contactsOf, files, query, referenceService } from "../../src/testing/index.ts";
import { execute, rowsOf, storable } from "../engines/engine.ts";
import type { EngineName } from "../engines/index.ts";
import { onEngine } from "../engines/on-engine.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { referencePage, wireOf } from "../reference-page.ts";
import { serviceOn } from "../sql/load.ts";
import { collectionTests } from "./collection.ts";
import { testEach } from "./each-engine.ts";
import { Free, freeRecords } from "./free.ts";

const QUERIES = 20;
/** How many data sets each property has: an engine is asked 520 queries in all; a cluster 300. */
const RUNS = { free: 8, files: 8, contacts: 10, collections: 10 };
const RUNS_OF_CLUSTER = { files: 6, contacts: 9 };
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
              const wire = records.map((record) => wireOf(Free, record));
              const ask = async (each: Query<typeof Free>) => {
                const statement = compileSql(Free, each, { ...options, texts });
                const rows = await rowsOf(engine(), statement.text, statement.parameters);
                const answers = {
                  found: rows.map((row) => statement.toRecord(row)),
                  "in memory": collection.query(each),
                  "by the reference": referencePage(Free, wire, each).map(stored),
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

    test(
      "Files of a service",
      async () => {
        const cases = files({ maxLength: 40 }).chain((given) => {
          const records = [...createService({ files: given }).files];
          return fc.tuple(fc.constant(given), asked(File, records));
        });
        await fc.assert(
          fc.asyncProperty(cases, async ([drawn, queries]) => {
            const data = storable(engine(), { files: drawn, batches: [] });
            const service = await serviceOn(engine(), data, { texts: engine().texts });
            const inMemory = createService(data);
            const reference = referenceService(data);
            const ask = async ({
              criteria,
              limit,
              offset,
              sortBy,
              sortOrder,
            }: Query<typeof File>) => {
              const page = [criteria, limit, offset, sortBy, sortOrder] as const;
              const answers = {
                found: await service.searchFiles(...page),
                "in memory": inMemory.searchFiles(...page),
                "by the reference": reference.searchFiles(...page),
              };
              agree(answers, page);
              tally.add(inMemory.files.count(criteria), inMemory.files.size);
            };
            await Promise.all(queries.map(ask));
          }),
          settings(runs.files),
        );
      },
      HOURS,
    );

    test(
      "Contacts of a Batch, with their List Fields",
      async () => {
        // The second one is there to be left out.
        const two = fc
          .tuple(batch({ maxContacts: 15 }), batch())
          .filter(([first, second]) => String(first.id) !== String(second.id));
        const cases = two.chain((batches) => {
          const { schema, records } = contactsOf(batches[0]);
          return fc.tuple(fc.constant(batches), asked(schema, records));
        });
        await fc.assert(
          fc.asyncProperty(cases, async ([batches, queries]) => {
            const data = storable(engine(), { files: [], batches });
            const service = await serviceOn(engine(), data, { texts: engine().texts });
            const inMemory = createService(data);
            const reference = referenceService(data);
            const id = String(batches[0].id);
            const contacts = inMemory.batches[id]?.contacts;
            const ask = async ({ criteria, limit, offset, sortBy, sortOrder }: Query) => {
              const page = [id, untyped(criteria), limit, offset, sortBy, sortOrder] as const;
              const answers = {
                found: inOneOrder(await service.getBatchContacts(...page)),
                "in memory": inOneOrder(inMemory.getBatchContacts(...page)),
                "by the reference": inOneOrder(reference.getBatchContacts(...page)),
              };
              agree(answers, page);
              tally.add(
                contacts?.count(criteria as Criteria<typeof Contact>) ?? 0,
                contacts?.size ?? 0,
              );
            };
            await Promise.all(queries.map(ask));
          }),
          settings(runs.contacts),
        );
      },
      HOURS,
    );

    if (free) collectionTests(engine, RUNS.collections);
    testEach(name, engine);
  });
}

/** What was asked, and how much of it tells a right answer from a wrong one. */
class Tally {
  #queries = 0;
  #partial = 0;

  add(matching: number, all: number): void {
    this.#queries++;
    if (matching > 0 && matching < all) this.#partial++;
  }

  report(): string {
    const share = ((100 * this.#partial) / this.#queries).toFixed(0);
    return `${this.#queries} queries; criteria of ${share} % selected some records and not all`;
  }
}

/** As many queries in each case, whatever else it shrinks to: the one that fails is named. */
const asked = <const S extends Schema>(schema: S, records: readonly object[]) =>
  fc.array(query(schema, { records: records as readonly Readonly<Record<string, unknown>>[] }), {
    minLength: QUERIES,
    maxLength: QUERIES,
  });

/** Without the fields that records don't carry. */
function stored(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { fields }: Schema = Free;
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => fields[name]?.stored === true),
  );
}

/** In which order an answer has its Lists is not prescribed. */
const inOneOrder = (answer: BatchContacts) =>
  Object.entries(answer).sort(([a], [b]) => (a < b ? -1 : 1));

/** Fails with what was asked, where one of the others is not what the engine found. */
function agree(
  { found, ...others }: Readonly<Record<string, unknown>>,
  asked: readonly unknown[],
): void {
  for (const [name, expected] of Object.entries(others)) {
    if (JSON.stringify(found) === JSON.stringify(expected)) continue;
    expect(found, `found, and ${name}: ${JSON.stringify(asked)}`).toEqual(expected);
    throw new Error(`the members are in another order than ${name}: ${JSON.stringify(asked)}`);
  }
}
