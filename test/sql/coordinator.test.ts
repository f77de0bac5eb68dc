// Contacts on two PostgreSQL servers behind a coordinator, which the service uses as one driver. A shard is killed in
// the middle of a request.

import fc from "fast-check";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createService, type BatchInput } from "../../src/index.ts";
import { createSqlService, insertRows, type Run, type SqlService } from "../../src/sql/index.ts";
import { generateBatch } from "../../src/synthetic/index.ts";
import { batch, files, validRequest } from "../../src/testing/index.ts";
import {
  change as write,
  createClusterTables,
  execute,
  rowsOf,
  storable,
} from "../engines/engine.ts";
import { start, type PostgresCluster, type PostgresShard } from "../engines/postgres-cluster.ts";

const contacts: BatchInput = generateBatch({ id: 7, count: 600, lists: 3, seed: 5 });
const memory = createService({ batches: [contacts] });

const data = fc.record({
  files: files({ maxLength: 12 }),
  batches: fc.tuple(batch({ id: 7, maxContacts: 12 }), batch({ id: 8, maxContacts: 12 })),
});

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
});
afterAll(() => cluster.close());

describe("two shards behind a coordinator", () => {
  beforeAll(async () => {
    await cluster.clear();
    await cluster.createTables?.();
    await execute(cluster, insertRows({ dialect: "postgres", batch: contacts }));
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

  test("sort by themselves, and send few rows more than a page has", async () => {
    // The coordinator asks for their estimates.
    await cluster.settle?.();
    let explained = "";
    const run: Run = async (text, parameters, options) => {
      const plan = await cluster.run(`EXPLAIN (ANALYZE, VERBOSE) ${text}`, parameters, options);
      explained = plan.map(String).join("\n");
      return await cluster.run(text, parameters, options);
    };
    const explaining = createSqlService({ dialect: "postgres", run });
    await explaining.getBatchContacts(7, null, 20, 10, "contact_email", "ASC");
    const [, page = ""] = explained.split(/Limit .*\n/);
    expect(page).toContain("Merge Append");
    expect(page.match(/Remote SQL: .* ORDER BY contact_email/g)).toHaveLength(2);
    const sent = Array.from(page.matchAll(/Foreign Scan .* rows=([\d.]+) loops/g), ([, n]) => n);
    const all = sent.reduce((sum, rows) => sum + Number(rows), 0);
    expect(all).toBeGreaterThanOrEqual(30);
    expect(all).toBeLessThanOrEqual(32);
  });

  test("one that is killed in the middle of a request fails it, and is asked again when it is back", () =>
    expectRecovery(service));
});

test.each(["hash", "batch"] as const)(
  "a cluster by %s answers as the service in memory, and takes changes",
  async (by) => {
    const { dialect } = cluster;
    for (const drawn of fc.sample(data, { numRuns: 5, seed: 7 })) {
      const each = storable(cluster, drawn);
      await cluster.clear();
      await createClusterTables(cluster, undefined, by);
      await execute(cluster, insertRows({ dialect, files: each.files }));
      for (const batch of each.batches) await execute(cluster, insertRows({ dialect, batch }));
      const service = createSqlService({ dialect, run: cluster.run });
      const memory = createService(each);
      for (const request of fc.sample(validRequest(each), { numRuns: 20, seed: 9 })) {
        expect(await service.dispatch(request)).toEqual(memory.dispatch(request));
      }
      const change = memory.update((draft) => {
        draft.files = draft.files.update([], (file) => void (file.size = "77"));
        delete draft.batches["8"];
      });
      const { servers } = cluster;
      await write(cluster, change, { cluster: { servers, by } });
      const again = memory.update(({ batches }) => {
        batches["7"]?.addList({
          id: 900,
          contacts: [{ send_id: 1, contact_id: 1, contact_email: "" }],
        });
      });
      // With a generation, what is repeated changes nothing.
      const [state] = await rowsOf(cluster, "SELECT generation FROM tercet_state");
      const generation = Number(Object.values(state ?? {})[0]) + 1;
      for (let i = 0; i < 2; i++) {
        await write(cluster, again, { cluster: { servers, by }, generation });
      }
      expect(await service.searchFiles()).toEqual(memory.searchFiles());
      expect(await service.getBatchContacts(7)).toEqual(memory.getBatchContacts(7));
      await expect(service.getBatchContacts(8)).rejects.toThrow("there is no Batch 8");
    }
  },
  120_000,
);

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
  // And as long as it is not back.
  expect(await service.dispatch(page)).toMatchObject({ id: 1, result: null, error: internal });

  await shard.server.restart();
  const answer = await service.dispatch(page);
  expect(answer).toEqual(memory.dispatch(page));
  const found = Object.values(answer.result ?? {}).flat();
  expect(found).toHaveLength(600);
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
