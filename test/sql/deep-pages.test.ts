// Pages at any depth over 2, 3 and 8 databases of an engine, however the records are distributed,
// compared with the service in memory. `npm run test:sql` asks many more.

import fc from "fast-check";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { createService, type Service } from "../../src/index.ts";
import type { RankedFields, SqlService } from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { batch, files, validRequest, type CheckedData } from "../../src/testing/index.ts";
import * as duckdb from "../engines/duckdb.ts";
import { rowsOf, storable, type Engine } from "../engines/engine.ts";
import { clear, driverOf } from "../engines/postgres.ts";
import { startPostgres } from "../engines/postgres-server.ts";
import * as sqlite from "../engines/sqlite.ts";
import { queries, settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { serviceOn } from "./load.ts";

/** Made before the rows, so that triggers count these. */
const RANKS: RankedFields = {
  files: ["id", "size", "url", "name", "folder_id"],
  contacts: ["contact_email", "open_count", "send_id"],
};
const HOURS = 12 * 3_600_000;
const COUNTS = [2, 3, 8];
const MOST = 8;
/** How many queries each set of data is asked. */
const EACH = 15;

interface Databases {
  readonly all: readonly Engine[];
  readonly close: () => Promise<unknown>;
}

async function inProcess(start: () => Promise<Engine>): Promise<Databases> {
  const all = await Promise.all(Array.from({ length: MOST }, () => start()));
  return { all, close: () => Promise.all(all.map((engine) => engine.close())) };
}

async function onOneServer(): Promise<Databases> {
  const server = await startPostgres();
  const admin = server.connect("postgres");
  const pools: Pool[] = [];
  for (let i = 0; i < MOST; i++) {
    await admin.query(`CREATE DATABASE d${i}`);
    const pool = server.connect(`d${i}`);
    pool.options.max = 4;
    pools.push(pool);
  }
  const all = pools.map((pool): Engine => {
    const [name, dialect, run] = ["PostgreSQL", "postgres", driverOf(pool)] as const;
    const nothing = () => Promise.resolve();
    return { name, dialect, run, refusesNul: true, clear: () => clear(pool), close: nothing };
  });
  const close = async () => {
    await Promise.all([admin, ...pools].map((pool) => pool.end()));
    await server.close();
  };
  return { all, close };
}

const ENGINES = {
  SQLite: () => inProcess(sqlite.start),
  DuckDB: () => inProcess(duckdb.start),
  PostgreSQL: onOneServer,
};

/** Which rows a database has, as a condition on their positions: one of `count`, of up to `size` rows. */
type Spread = (place: number, count: number, size: number) => string;

const SPREADS = {
  evenly: (place, count) => `position % ${count} = ${place}`,
  "by ranges": (place, count, size) => {
    const from = `position >= ${Math.ceil((size * place) / count)}`;
    const isLast = place === count - 1;
    return isLast ? from : `${from} AND position < ${Math.ceil((size * (place + 1)) / count)}`;
  },
  "nine tenths in the first": (place, count) =>
    count === 1
      ? "0 = 0"
      : place === 0
        ? "position % 10 < 9"
        : `position % ${10 * (count - 1)} = ${10 * place - 1}`,
  "by runs of seven": (place, count) =>
    `position % ${7 * count} >= ${7 * place} AND position % ${7 * count} < ${7 * place + 7}`,
  "all in the last": (place, count) => (place === count - 1 ? "0 = 0" : "0 = 1"),
} as const satisfies Readonly<Record<string, Spread>>;

/** Puts each record into one of the databases. */
async function spreadOver(
  engines: readonly Engine[],
  data: CheckedData,
  holds: Spread,
  ranks: RankedFields | undefined,
): Promise<SqlService> {
  const count = engines.length;
  const size = Math.max(data.files.length, 40);
  let service: SqlService | undefined;
  const run = engines.map((engine) => engine.run);
  for (const [place, engine] of engines.entries()) {
    service = await serviceOn(engine, data, { run, ranks }, { place, count });
    for (const table of ["tercet_files", "tercet_contacts"]) {
      await rowsOf(engine, `DELETE FROM ${table} WHERE NOT (${holds(place, count, size)})`);
    }
  }
  return service ?? expect.fail("there is no database");
}

interface Drawn {
  readonly data: CheckedData;
  readonly requests: readonly unknown[];
  /** The threshold of the search for a page. */
  readonly fewBefore: number;
}

/** Few records with any values, and any valid request. */
function nasty(engine: Engine, seed: number): Drawn {
  const arbitrary = fc.record({
    files: files({ maxLength: 40 }),
    batches: fc.tuple(batch({ maxContacts: 40 })),
  });
  const [drawn] = fc.sample(arbitrary, { numRuns: 1, seed });
  const data = storable(engine, drawn ?? expect.fail("nothing was drawn"));
  return { data, requests: fc.sample(validRequest(data), { numRuns: EACH, seed }), fewBefore: 2 };
}

/** More records, whose values ascend with the position, or are few. */
function many(_: Engine, seed: number): Drawn {
  const count = 600;
  const rows = [...generateFiles({ count, seed })].map((file, i) => ({
    ...file,
    size: Math.floor(i / 3),
    url: `${(i * 7919) % 5}`,
  }));
  const data = { files: rows, batches: [generateBatch({ id: 7, count, lists: 2, seed })] };
  const page = fc.record({
    limit: fc.integer({ min: 1, max: 30 }),
    offset: fc.integer({ min: 0, max: count + 20 }),
    order: fc.constantFrom("ASC", "DESC"),
    criteria: fc.constantFrom(null, [], [["open_count", "greater_than", 1]]),
    by: fc.constantFrom("", "contact_email", "open_count", "open_country", "Email", "send_id"),
    byOfFiles: fc.constantFrom("", "id", "size", "url", "name", "folder_id"),
    ofFiles: fc.constantFrom(null, [["size", "less_than", 150]], [["url", "exactly", "3"]]),
    isOfFiles: fc.boolean(),
  });
  const requests = fc.sample(page, { numRuns: EACH, seed }).map((each, id) => {
    const { limit, offset, order } = each;
    return each.isOfFiles
      ? {
          id,
          method: "searchFiles",
          params: ["key", each.ofFiles, limit, offset, each.byOfFiles, order],
        }
      : {
          id,
          method: "getBatchContacts",
          params: ["key", 7, each.criteria, limit, offset, each.by, order],
        };
  });
  return { data, requests, fewBefore: 16 };
}

/** @throws Error naming the request that is answered otherwise */
async function expectAlike(service: SqlService, memory: Service, request: unknown, where: string) {
  const [found, expected] = [await service.dispatch(request), memory.dispatch(request)];
  const isAlike = JSON.stringify(found) === JSON.stringify(expected);
  if (!isAlike) expect(found, `${where}: ${JSON.stringify(request)}`).toEqual(expected);
}

test.each(Object.keys(ENGINES) as (keyof typeof ENGINES)[])(
  "%s",
  async (name) => {
    const { all, close } = await ENGINES[name]();
    const [engine = expect.fail("there is no database")] = all;
    const most = queries(COUNTS.length * EACH);
    const first = settings(1).seed ?? Date.now() % 2 ** 30;
    let asked = 0;
    let deep = 0;
    try {
      for (let round = 0; asked < most; round++) {
        const seed = first + round;
        const { data, requests, fewBefore } = (seed % 2 === 0 ? nasty : many)(engine, seed);
        using _ = tuned({ fewBefore, bucketRows: 4 });
        const ranks = name === "PostgreSQL" && seed % 4 < 2 ? RANKS : undefined;
        // By ranks, one database finds a page as several do.
        const counts = ranks === undefined ? COUNTS : [1, 2, 8];
        const memory = createService(data);
        for (const [i, count] of counts.entries()) {
          const spreads = Object.entries(SPREADS);
          const [spread = "", holds = SPREADS.evenly] = spreads[(round + i) % spreads.length] ?? [];
          const service = await spreadOver(all.slice(0, count), data, holds, ranks);
          const where = `TERCET_SEED=${seed}, ${count} databases, ${spread}`;
          for (const request of requests) {
            await expectAlike(service, memory, request, where);
            asked++;
            const { params } = request as { readonly params: readonly unknown[] };
            if (params.some((each) => Number(each) > fewBefore)) deep++;
          }
        }
        if (round % 20 === 19) console.log(`${name}: ${asked} queries, none different`);
      }
    } finally {
      await close();
    }
    console.log(`${name}: ${asked} queries over 1, 2, 3 or 8 databases, ${deep} of them deep`);
  },
  HOURS,
);

test("a page deep in the order takes few statements, however the records are spread", async () => {
  const { all, close } = await inProcess(sqlite.start);
  const [engine = expect.fail("there is no database")] = all;
  const { data, requests, fewBefore } = many(engine, 1);
  using _ = tuned({ fewBefore, bucketRows: 4 });
  const taken: Record<string, number> = {};
  try {
    for (const [spread, holds] of Object.entries(SPREADS)) {
      let statements = 0;
      const counted = all.slice(0, 3).map((each): Engine => ({
        ...each,
        run: (text, parameters, about) => {
          statements++;
          return each.run(text, parameters, about);
        },
      }));
      const service = await spreadOver(counted, data, holds, undefined);
      statements = 0;
      for (const request of requests) await service.dispatch(request);
      taken[spread] = statements;
    }
  } finally {
    await close();
  }
  // For 15 requests, of which some are answered by the first rows alone, and three databases.
  expect(taken).toEqual({
    evenly: 207,
    "by ranges": 237,
    "nine tenths in the first": 330,
    "by runs of seven": 207,
    "all in the last": 321,
  });
});
