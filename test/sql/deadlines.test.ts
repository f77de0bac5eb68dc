// The drivers of the document except that for PostgreSQL: what happens to statements when nothing waits for them any
// more, and when a server stops responding. readme.test.ts tests PostgreSQL, with shards.

import { DuckDBInstance } from "@duckdb/node-api";
import { setMaxListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import { beforeAll, expect, test, vi } from "vitest";
import type { Run } from "../../src/sql/index.ts";
import { rowsOf } from "../engines/engine.ts";
import { onEngine } from "../engines/on-engine.ts";
import type { Server } from "../engines/server.ts";
import { loadDocument } from "./document.ts";

interface Code {
  readonly mariadbDriver: (createPool: unknown, server: object) => Run;
  readonly duckdbDriver: (instance: DuckDBInstance) => Run;
}

/** How long a server stands still, in seconds. */
const STILL = Number(process.env.TERCET_FREEZE ?? 1);

const WAIT = { timeout: 120_000 };

let code: Code;
beforeAll(async () => {
  code = await loadDocument<Code>("Drivers", [
    ["max_statement_time = 2", "max_statement_time = 0.5"],
  ]);
});

/** Sends a statement many times, and gives all of them up, by default after a while. */
async function giveUp(
  run: Run,
  text: string,
  times = 40,
  when: () => Promise<unknown> = () => setTimeout(200),
): Promise<unknown[]> {
  const abortion = new AbortController();
  setMaxListeners(0, abortion.signal);
  const ask = async () => {
    try {
      return await run(text, [], { signal: abortion.signal });
    } catch (thrown) {
      return String(thrown);
    }
  };
  const all = Array.from({ length: times }, ask);
  await when();
  abortion.abort();
  return Promise.all(all);
}

/** @param count how many connections or statements a server has, beside the one that asks */
async function expectEnds(
  run: Run,
  slow: string,
  server: Server,
  count: (whose: "busy" | "all") => Promise<number>,
  most: number,
): Promise<void> {
  // Few enough that the server can say so.
  await giveUp(run, slow, 12, () =>
    vi.waitFor(async () => expect(await count("busy")).toBeGreaterThan(0), WAIT),
  );
  await vi.waitFor(async () => expect(await count("busy")).toBe(0), WAIT);
  expect(await count("all")).toBeLessThanOrEqual(most);
  server.freeze();
  const still: Promise<unknown>[] = [];
  const end = Date.now() + STILL * 1000;
  try {
    do {
      still.push(giveUp(run, "SELECT 1"));
      await setTimeout(250);
    } while (Date.now() < end);
  } finally {
    server.thaw();
  }
  await Promise.all(still);
  expect(Object.values((await rowsOf({ run }, "SELECT 7"))[0] ?? {}).map(Number)).toEqual([7]);
  await vi.waitFor(async () => expect(await count("all")).toBeLessThanOrEqual(most), WAIT);
}

const numberIn = (rows: readonly object[]) => Number(Object.values(rows[0] ?? {})[0]);

test("DuckDB is interrupted", async () => {
  const instance = await DuckDBInstance.create(":memory:");
  const run = code.duckdbDriver(instance);
  const ended = await giveUp(run, "SELECT count(*) FROM range(1000000000000) AS r(n) WHERE n = -1");
  for (const each of ended) expect(each).toMatch(/INTERRUPT|AbortError/);
  expect(numberIn(await rowsOf({ run }, "SELECT 7"))).toBe(7);
  instance.closeSync();
});

onEngine("MariaDB", (engine) => {
  test("statements end on the server, and ten connections are all there are", async () => {
    const { server, user, database, createPool } = engine();
    const [port] = server.ports;
    const run = code.mariadbDriver(createPool, { host: "127.0.0.1", port, user, database });
    const count = async (whose: "busy" | "all") => {
      const others = "info IS NULL OR info NOT LIKE '%processlist%'";
      const busy = whose === "busy" ? "AND info LIKE '%SLEEP%'" : "";
      const asked = `SELECT COUNT(*) FROM information_schema.processlist WHERE (${others}) ${busy}`;
      return numberIn(await rowsOf(engine(), asked));
    };
    await expectEnds(run, "SELECT SLEEP(60)", server, count, 10);
  });
});
