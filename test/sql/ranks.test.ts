// The buckets of ranks have as many rows as they say, whatever changes the rows, and whoever else
// changes them at the same time. deep-pages.test.ts uses them for pages.

import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import { createTables, insertRows, type Run, type SqlService } from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { execute, rowsOf } from "../engines/engine.ts";
import { onEngine } from "../engines/on-engine.ts";
import { clear, driverOf, empty } from "../engines/postgres.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { serviceOn } from "./load.ts";

const RANKS = "tercet_files_name_ranks";

/** Buckets that have other rows than they say, and rows that are in none. */
const WRONG = `SELECT start, held, there FROM (SELECT own.start, held, (SELECT count(*) FROM tercet_files WHERE name >= own.start AND (following IS NULL OR name < following)) AS there FROM (SELECT *, lead(start) OVER (ORDER BY start) AS following FROM ${RANKS}) AS own) AS each WHERE held <> there UNION ALL SELECT 'all', 0, count(*) FROM tercet_files HAVING count(*) <> (SELECT coalesce(sum(held), 0) FROM ${RANKS})`;

const number = fc.integer({ min: 0, max: 20 });
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ insert: fc.integer({ min: 1, max: 30 }), names: number }) },
  fc.record({ set: number, where: number }),
  fc.record({ remove: number }),
  fc.constant({ truncate: true } as const),
);

onEngine("PostgreSQL", (engine) => {
  let inserted = 0;
  /** Files whose names are among so many. */
  const insert = (count: number, names: number) => {
    const files = Array.from({ length: count }, (_, i) => ({
      ...{ id: inserted + i, folder_id: 1 },
      name: `f${(i * 7) % (names + 1)}`,
    }));
    const from = inserted;
    inserted += count;
    return execute(engine(), insertRows({ dialect: "postgres", files, from }));
  };
  const expectRight = async () => expect(await rowsOf(engine(), WRONG)).toEqual([]);

  beforeEach(async () => {
    using _ = tuned({ bucketRows: 4 });
    const statements = (only: "tables" | "indexes") =>
      createTables({ dialect: "postgres", indexes: { ranks: { files: ["name"] } }, only });
    await engine().clear();
    await execute(engine(), statements("tables"));
    await insert(100, 40);
    await execute(engine(), statements("indexes"));
  });

  test("changes of any kind, of rows that were there before and others", async () => {
    const made = await rowsOf(engine(), `SELECT count(*)::int FROM ${RANKS}`);
    expect(made).toEqual([[25]]);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        for (const each of changes) {
          if ("insert" in each) await insert(each.insert, each.names);
          else {
            const text =
              "set" in each
                ? `UPDATE tercet_files SET name = 'f' || (position * ${each.set}) % 30, size = 1 WHERE position % 3 = ${each.where % 3}`
                : "remove" in each
                  ? `DELETE FROM tercet_files WHERE position % 4 = ${each.remove % 4}`
                  : "TRUNCATE tercet_files";
            await rowsOf(engine(), text);
          }
          await expectRight();
        }
      }),
      settings(8),
    );
  });

  test("many who change rows at the same time", async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        i % 3 < 2
          ? insert(40, i)
          : rowsOf(engine(), `DELETE FROM tercet_files WHERE position % 5 = ${i % 5}`),
      ),
    );
    await expectRight();
    const most = await rowsOf(engine(), `SELECT max(held)::int < 200 FROM ${RANKS}`);
    expect(most).toEqual([[true]]);
  });

  test("a page of one or two databases is found by them at any depth", async () => {
    using _ = tuned({ fewBefore: 2, bucketRows: 4 });
    const count = 90;
    const data = {
      files: [...generateFiles({ count, seed: 1 })].map((file, i) => ({ ...file, size: i >> 2 })),
      batches: [7, 8].map((id) => generateBatch({ id, count, lists: 2, seed: id })),
    };
    const memory = createService(data);
    const ranks = { files: ["size"], contacts: ["contact_email"] } as const;
    await rowsOf(engine(), "CREATE DATABASE other");
    const pool = engine().server.connect("other");
    const first = engine();
    const other = {
      ...first,
      run: driverOf(pool),
      clear: () => clear(pool),
      empty: () => empty(pool),
    };
    try {
      for (const databases of [[first], [first, other]]) {
        let isRanked = false;
        const run = databases.map((each): Run => (text, ...rest) => {
          isRanked ||= text.includes("_ranks");
          return each.run(text, ...rest);
        });
        let service: SqlService | undefined;
        for (const [place, each] of databases.entries()) {
          // Not only emptied: the second time, other shards are made.
          await each.clear();
          const shard = { place, count: databases.length, by: "hash" } as const;
          service = await serviceOn(each, data, { run, ranks }, shard);
          if (databases.length === 1) continue;
          for (const table of ["tercet_files", "tercet_contacts"]) {
            await rowsOf(each, `DELETE FROM ${table} WHERE (position % 3 = 0) = (${place} = 1)`);
          }
        }
        for (const offset of [18, 60, count + 20]) {
          for (const order of ["ASC", "DESC"] as const) {
            const page = [3, offset] as const;
            const files = [[], ...page, "size", order] as const;
            expect(await service?.searchFiles(...files)).toEqual(memory.searchFiles(...files));
            const contacts = [8, null, ...page, "contact_email", order] as const;
            expect(await service?.getBatchContacts(...contacts)).toEqual(
              memory.getBatchContacts(...contacts),
            );
          }
        }
        expect(isRanked).toBe(true);
      }
    } finally {
      await pool.end();
      await rowsOf(engine(), "DROP DATABASE other");
    }
  });
});
