// The tables of a PostgreSQL cluster as createTables writes them, on real servers.

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import {
  applyPatchesSql,
  createSqlService,
  createTables,
  insertRows,
  type Statement,
} from "../../src/sql/index.ts";
import { batch, files, validRequest } from "../../src/testing/index.ts";
import { start, type PostgresCluster } from "../engines/postgres-cluster.ts";

let cluster: PostgresCluster;
beforeAll(async () => {
  cluster = await start();
}, 60_000);
afterAll(() => cluster.close());

const { signal } = new AbortController();
type Asked = Pick<PostgresCluster, "run">;
const runAll = async ({ run }: Asked, statements: Iterable<Statement>): Promise<void> => {
  for (const { text, parameters } of statements) await run(text, parameters, { signal });
};

const data = fc.sample(
  fc.record({
    files: files({ maxLength: 12 }),
    batches: fc.tuple(batch({ id: 7, maxContacts: 12 }), batch({ id: 8, maxContacts: 12 })),
  }),
  { numRuns: 12, seed: 7 },
);
const hasNul = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? "" : each)).includes(
    "\\u0000",
  );

test.each(["contact", "batch"] as const)(
  "a cluster that keeps each %s together answers as the service in memory, and takes changes",
  async (by) => {
    const dialect = "postgres";
    let asked = 0;
    for (const each of data.filter((each) => !hasNul(each))) {
      await cluster.clear();
      for (const shard of cluster.shards) await runAll(shard, createTables({ dialect }));
      const servers = cluster.shards.map(({ name }) => name);
      await runAll(cluster, createTables({ dialect, cluster: { servers, by } }));
      await runAll(cluster, insertRows({ dialect, files: each.files }));
      for (const batch of each.batches) await runAll(cluster, insertRows({ dialect, batch }));
      const service = createSqlService({ dialect, run: cluster.run });
      const memory = createService(each);
      for (const request of fc.sample(validRequest(each), { numRuns: 40, seed: 9 })) {
        expect(await service.dispatch(request)).toEqual(memory.dispatch(request));
        asked++;
      }
      const change = memory.update((draft) => {
        draft.files = draft.files.update([], (file) => void (file.size = "77"));
        delete draft.batches["8"];
      });
      await runAll(cluster, applyPatchesSql(change, { dialect }));
      expect(await service.searchFiles()).toEqual(memory.searchFiles());
      expect(await service.getBatchContacts(7)).toEqual(memory.getBatchContacts(7));
      await expect(service.getBatchContacts(8)).rejects.toThrow("there is no Batch 8");
    }
    expect(asked).toBeGreaterThan(80);
  },
  120_000,
);
