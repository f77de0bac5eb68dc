// Contacts on two PostgreSQL servers: behind a coordinator, which is one driver to the service, and as
// two drivers whose pages the service merges. A shard is killed in the middle of a request.

import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createService, type BatchInput } from "../../src/index.ts";
import {
  createSqlService,
  createTables,
  insertRows,
  type SqlService,
} from "../../src/sql/index.ts";
import { generateBatch } from "../../src/synthetic/index.ts";
import { execute, rowsOf } from "../engines/engine.ts";
import { start, type PostgresCluster, type PostgresShard } from "../engines/postgres-cluster.ts";

const batch: BatchInput = generateBatch({ id: 7, count: 600, lists: 3, seed: 5 });
const memory = createService({ batches: [batch] });

const requests = [
  { id: 1, method: "getBatchContacts", params: ["key", 7] },
  { id: 2, method: "getBatchContacts", params: ["key", 7, null, 20, 290, "contact_email", "ASC"] },
  { id: 3, method: "getBatchContacts", params: ["key", 7, null, 25, 70, "last_open_time"] },
  { id: 4, method: "getBatchContacts", params: ["key", 7, null, 50, 300] },
  {
    id: 5,
    method: "getBatchContacts",
    params: ["key", 7, [["open_type", "exactly", "html"]], 10, 5, "Email", "DESC"],
  },
  { id: 6, method: "getBatchContacts", params: ["key", 7, [["contact_email", "contains", "a"]]] },
  { id: 7, method: "getBatchContacts", params: ["key", 8] },
  { id: 8, method: "getBatchContacts", params: ["key", 7, [["Phone", "exactly", "1"]]] },
] as const;

let cluster: PostgresCluster;
beforeAll(async () => {
  cluster = await start();
}, 60_000);
afterAll(() => cluster.close());

describe("two shards behind a coordinator", () => {
  beforeAll(async () => {
    await cluster.clear();
    await cluster.createTables?.();
    await execute(cluster, insertRows({ dialect: "postgres", batch }));
  });

  const service = (onInternalError?: (thrown: unknown) => void) =>
    createSqlService({ dialect: "postgres", run: cluster.run, onInternalError });

  test("both hold a part", async () => {
    for (const shard of cluster.shards) {
      const [row] = await rowsOf(shard, "SELECT count(*) FROM tercet_contacts");
      const [held] = Object.values(row ?? {}).map(Number);
      expect(held).toBeGreaterThan(200);
      expect(held).toBeLessThan(400);
    }
  });

  test("answer as the service in memory does", () => expectAnswers(service()));

  test("one that is killed in the middle of a request fails it, and is asked again when it is back", () =>
    expectRecovery(service));
});

describe("two databases that know nothing of each other", () => {
  beforeAll(async () => {
    await cluster.clear();
    for (const [i, shard] of cluster.shards.entries()) {
      await execute(shard, createTables({ dialect: "postgres" }));
      await execute(shard, insertRows({ dialect: "postgres", batch }));
      await rowsOf(shard, `DELETE FROM tercet_contacts WHERE position % 3 % 2 <> ${i}`);
    }
  });

  const service = (onInternalError?: (thrown: unknown) => void) =>
    createSqlService({
      dialect: "postgres",
      run: cluster.shards.map(({ run }) => run),
      onInternalError,
    });

  test("answer as the service in memory does", () => expectAnswers(service()));

  test("one that is killed in the middle of a request fails it, and is asked again when it is back", () =>
    expectRecovery(service));
});

async function expectAnswers(service: SqlService): Promise<void> {
  for (const request of requests) {
    expect(await service.dispatch(request)).toEqual(memory.dispatch(request));
  }
}

/** A request waits for a lock that is held on one shard, when that shard is killed. */
async function expectRecovery(
  serviceWith: (onInternalError: (thrown: unknown) => void) => SqlService,
): Promise<void> {
  const [page] = requests;
  const reported = vi.fn();
  const service = serviceWith(reported);
  const [, shard] = cluster.shards;
  if (shard === undefined) throw new Error("there is no second shard");
  expect(await service.dispatch(page)).toEqual(memory.dispatch(page));

  const waiting = await inTheMidst(shard, () => service.dispatch(page));
  await shard.server.kill("SIGQUIT");
  const internal = { code: 100, message: "Internal Server Error" };
  expect(await waiting.answer).toMatchObject({ id: 1, result: null, error: internal });
  expect(reported).toHaveBeenCalledOnce();
  // And so long as it is not back.
  expect(await service.dispatch(page)).toMatchObject({ id: 1, result: null, error: internal });

  await shard.server.restart();
  const answer = await service.dispatch(page);
  expect(answer).toEqual(memory.dispatch(page));
  const contacts = Object.values(answer.result ?? {}).flat();
  expect(contacts).toHaveLength(600);
}

/** Begins a request, and returns when it waits for a lock on the Contacts of a shard. */
async function inTheMidst<Answer>(
  { server }: PostgresShard,
  request: () => Promise<Answer>,
): Promise<{ readonly answer: Promise<Answer> }> {
  const pool = server.connect("postgres");
  // Until the server is killed.
  const locking = await pool.connect();
  locking.on("error", () => void pool.end());
  await locking.query("BEGIN; LOCK TABLE tercet_contacts");
  const answer = request();
  for (;;) {
    const { rowCount } = await pool.query("SELECT FROM pg_locks WHERE NOT granted");
    if (rowCount === 1) return { answer };
    await setTimeout(10);
  }
}
