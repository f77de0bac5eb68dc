// The buckets of ranks have as many rows as they say, whatever changes the rows, and whoever else
// changes them at the same time. deep-pages.test.ts uses them for pages.

import fc from "fast-check";
import { expect, test } from "vitest";
import { createTables, insertRows } from "../../src/sql/index.ts";
import { execute, rowsOf } from "../engines/engine.ts";
import { onEngine } from "../engines/on-engine.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";

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

  test("changes of any kind, of rows that were there before and others", async () => {
    using _ = tuned({ bucketRows: 4 });
    const statements = (only: "tables" | "indexes") =>
      createTables({ dialect: "postgres", indexes: { ranks: { files: ["name"] } }, only });
    await execute(engine(), statements("tables"));
    await insert(100, 40);
    await execute(engine(), statements("indexes"));
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
});
