// Contacts on two PostgreSQL servers: behind a coordinator, which is one driver to the service, and as
// two drivers whose pages the service merges. A shard is killed in the middle of a request.

import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createService,
  type BatchInput,
  type Service,
  type ServiceChange,
} from "../../src/index.ts";
import {
  applyPatchesSql,
  createSqlService,
  createTables,
  insertRows,
  type Run,
  type SqlService,
} from "../../src/sql/index.ts";
import { generateBatch } from "../../src/synthetic/index.ts";
import { batch, files, validRequest } from "../../src/testing/index.ts";
import {
  change as write,
  createClusterTables,
  execute,
  NOTHING,
  rowsOf,
  storable,
} from "../engines/engine.ts";
import { start, type PostgresCluster, type PostgresShard } from "../engines/postgres-cluster.ts";

const contacts: BatchInput = generateBatch({ id: 7, count: 600, lists: 3, seed: 5 });
const memory = createService({ batches: [contacts] });

function shardAt(place: number): PostgresShard {
  const shard = cluster.shards[place];
  if (shard === undefined) throw new Error(`there is no shard ${place}`);
  return shard;
}

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
}, 60_000);
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
      // With a generation, each server tells which rows are its own.
      const [stated] = await rowsOf(cluster, "SELECT generation FROM tercet_shard");
      const generation = Number(Object.values(stated ?? {})[0]) + 1;
      await write(cluster, again, { cluster: { servers, by }, generation });
      expect(await service.searchFiles()).toEqual(memory.searchFiles());
      expect(await service.getBatchContacts(7)).toEqual(memory.getBatchContacts(7));
      await expect(service.getBatchContacts(8)).rejects.toThrow("there is no Batch 8");
    }
  },
  120_000,
);

describe("two databases that know nothing of each other", () => {
  beforeAll(async () => {
    await cluster.clear();
    for (const [i, shard] of cluster.shards.entries()) {
      const part = { dialect: "postgres", shard: { place: i, count: 2 } } as const;
      await execute(shard, createTables(part));
      await execute(shard, insertRows({ ...part, batch: contacts }));
      await write({ ...shard, dialect: "postgres" }, NOTHING, { ...part, generation: 1 });
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

describe("two shards of 20 Contacts", () => {
  const contactsOf = (from: number) =>
    Array.from({ length: 10 }, (_, i) => ({
      send_id: from + i,
      contact_id: from + i,
      contact_email: `${from + i}@example.com`,
    }));
  const given = { id: 7, lists: [{ id: 1, contacts: contactsOf(0) }] };
  const partOf = (place: number) =>
    ({ dialect: "postgres", shard: { place, count: cluster.shards.length } }) as const;

  let before: Service;
  let after: Service;
  let made: ServiceChange;
  let reported: unknown[] = [];
  const serviceBy = (...run: Run[]) =>
    createSqlService({
      dialect: "postgres",
      run,
      onInternalError: (thrown) => reported.push(thrown),
    });
  const runs = () => cluster.shards.map(({ run }) => run);
  const ofShard = (place: number) => ({ ...shardAt(place), dialect: "postgres" as const });

  beforeEach(async () => {
    reported = [];
    before = createService({ batches: [given] });
    after = createService({ batches: [given] });
    made = after.update(({ batches }) => {
      batches["7"]?.addList({ id: 2, contacts: contactsOf(10) });
    });
    await cluster.clear();
    for (const place of cluster.shards.keys()) {
      const [shard, part] = [ofShard(place), partOf(place)];
      await execute(shard, createTables(part));
      await execute(shard, insertRows({ ...part, batch: before.batches["7"] }));
      await write(shard, NOTHING, { shard: part.shard, generation: 1 });
    }
  });

  const contactsBy = (service: SqlService) => service.getBatchContacts(7);
  async function expectRefused(service: SqlService, reason: string): Promise<void> {
    await expect(contactsBy(service)).rejects.toMatchObject({ code: 100 });
    await expect(service.searchFiles()).rejects.toMatchObject({ code: 100 });
    expect(reported.map(String)).toEqual([1, 2].map(() => `ConsistencyError: ${reason}`));
  }

  test("each record is on one of them, and both answer as the service in memory does", async () => {
    const held: number[] = [];
    for (const shard of cluster.shards) {
      const [row] = await rowsOf(shard, "SELECT count(*) FROM tercet_contacts");
      held.push(...Object.values(row ?? {}).map(Number));
    }
    expect(held).toEqual([5, 5]);
    expect(await contactsBy(serviceBy(...runs()))).toEqual(before.getBatchContacts(7));
  });

  test("drivers answer in any order, and none without the other", async () => {
    const [first, second] = runs() as [Run, Run];
    expect(await contactsBy(serviceBy(second, first))).toEqual(before.getBatchContacts(7));
    await expectRefused(serviceBy(first), "the drivers ask shards 0 of 2");
    reported = [];
    await expectRefused(serviceBy(first, first), "drivers 0 and 1 both ask shard 0");
  });

  test("one that was made anew is refused", async () => {
    const shard = ofShard(1);
    await rowsOf(shard, "DROP SCHEMA public CASCADE");
    await rowsOf(shard, "CREATE SCHEMA public");
    await execute(shard, createTables(partOf(1)));
    await expectRefused(serviceBy(...runs()), "the shards are of generations 1, 0");
  });

  test("one whose table was emptied is refused", async () => {
    await rowsOf(ofShard(1), "DELETE FROM tercet_shard");
    await expectRefused(serviceBy(...runs()), "driver 1: the table tercet_shard has no row");
  });

  test("shards that nothing says are loaded are refused", async () => {
    for (const shard of cluster.shards)
      await rowsOf(shard, "UPDATE tercet_shard SET generation = 0");
    const reason = "the shards are of generation 0: nothing says that their records are there";
    await expectRefused(serviceBy(...runs()), reason);
  });

  test("one that was restored from a backup is refused, until the change is repeated", async () => {
    const { server } = shardAt(1);
    const [data, backup] = ["data", "backup"].map((name) => join(server.folder, name)) as [
      string,
      string,
    ];
    await server.kill("SIGINT");
    execFileSync("cp", ["-a", data, backup]);
    await server.restart();
    const makeChange = async () => {
      for (const place of cluster.shards.keys()) {
        await write(ofShard(place), made, { shard: partOf(place).shard, generation: 2 });
      }
    };
    await makeChange();
    expect(await contactsBy(serviceBy(...runs()))).toEqual(after.getBatchContacts(7));

    await server.kill("SIGINT");
    rmSync(data, { recursive: true });
    renameSync(backup, data);
    await server.restart();
    await expectRefused(serviceBy(...runs()), "the shards are of generations 2, 1");
    await makeChange();
    expect(await contactsBy(serviceBy(...runs()))).toEqual(after.getBatchContacts(7));
  });

  test("a commit that fails on one of them is refused, until the change is repeated", async () => {
    const commit = async (place: number) => {
      const { server } = shardAt(place);
      const client = await server.connect("postgres").connect();
      try {
        await client.query("BEGIN");
        const options = { ...partOf(place), generation: 2 };
        for (const { text, parameters } of applyPatchesSql(made, options)) {
          await client.query(text, [...parameters]);
        }
        await client.query("COMMIT");
      } finally {
        client.release(true);
      }
    };
    await failCommits(shardAt(1));
    await commit(0);
    await expect(commit(1)).rejects.toThrow("no commit");
    await expectRefused(serviceBy(...runs()), "the shards are of generations 2, 1");
    await mendCommits(shardAt(1));
    for (const place of cluster.shards.keys()) await commit(place);
    expect(await contactsBy(serviceBy(...runs()))).toEqual(after.getBatchContacts(7));
  });

  test("a reader in the midst of a change waits for it", async () => {
    const [first, second] = [0, 1].map(partOf) as [Part, Part];
    await write(ofShard(0), made, { shard: first.shard, generation: 2 });
    const behind = ofShard(1);
    let asked = 0;
    let writing: Promise<void> | undefined;
    // Asked twice it lacks the change, and from then on it has it.
    const run: Run = async (...given) => {
      await writing;
      const rows = await behind.run(...given);
      if (++asked === 2) writing = write(behind, made, { shard: second.shard, generation: 2 });
      return rows;
    };
    expect(await contactsBy(serviceBy(shardAt(0).run, run))).toEqual(after.getBatchContacts(7));
    expect(reported).toEqual([]);
  });

  type Part = ReturnType<typeof partOf>;

  describe("behind a coordinator", () => {
    const cannot =
      "the servers of the cluster are not all its shards, each in its place, loaded, and of one generation";
    const asked = () => ({ servers: cluster.servers });

    beforeEach(() => execute(cluster, createTables({ dialect: "postgres", cluster: asked() })));

    test("servers that were swapped, or made anew, are refused", async () => {
      expect(await contactsBy(serviceBy(cluster.run))).toEqual(before.getBatchContacts(7));
      const [first, second] = cluster.shards as [PostgresShard, PostgresShard];
      const point = async (name: string, { server }: PostgresShard) => {
        await rowsOf(cluster, `ALTER SERVER ${name} OPTIONS (SET port '${server.port}')`);
      };
      await point(first.name, second);
      await point(second.name, first);
      await expectRefused(serviceBy(cluster.run), cannot);
      await point(second.name, second);
      reported = [];
      await expectRefused(serviceBy(cluster.run), cannot);
      await point(first.name, first);
      expect(await contactsBy(serviceBy(cluster.run))).toEqual(before.getBatchContacts(7));
      await rowsOf(second, "UPDATE tercet_shard SET generation = 0");
      reported = [];
      await expectRefused(serviceBy(cluster.run), cannot);
    });

    test("two writers in opposite order do not wait for each other for ever", async () => {
      const write = async (text: string, ...positions: number[]) => {
        const path = (position: number) => ["batches", "7", "contacts", position, "contact_email"];
        const patches = positions.map(
          (position) => ({ op: "replace", path: path(position), value: text }) as const,
        );
        const change = { patches, inversePatches: [] };
        const options = { dialect: "postgres", cluster: asked() } as const;
        for (;;) {
          try {
            await cluster.inTransaction(applyPatchesSql(change, options));
            return;
          } catch (thrown) {
            // Whoever comes second on a shard.
            expect(String(thrown)).toContain("could not serialize access");
          }
        }
      };
      // Where the coordinator looks for them.
      await cluster.clear();
      await createClusterTables(cluster);
      await execute(cluster, insertRows({ dialect: "postgres", batch: before.batches["7"] }));
      for (let round = 0; round < 5; round++) {
        const [up, down] = [
          [0, 1, 2, 3, 4, 5],
          [5, 4, 3, 2, 1, 0],
        ];
        await Promise.all([write("a", ...up), write("b", ...down)]);
        const found = await serviceBy(cluster.run).getBatchContacts(7, null, 6);
        expect(new Set(found["1"]?.map((contact) => contact.contact_email)).size).toBe(1);
      }
    });

    test("a commit that fails on one of them is refused, until the change is repeated", async () => {
      const commit = async () => {
        const statements = applyPatchesSql(made, {
          ...{ dialect: "postgres", cluster: asked(), generation: 2 },
        });
        await cluster.inTransaction(statements);
      };
      await failCommits(shardAt(0));
      await expect(commit()).rejects.toThrow("no commit");
      await mendCommits(shardAt(0));
      await failCommits(shardAt(1));
      await expect(commit()).rejects.toThrow("no commit");
      await mendCommits(shardAt(1));
      // One of them commits before the other.
      await expectRefused(serviceBy(cluster.run), cannot);
      await commit();
      expect(await contactsBy(serviceBy(cluster.run))).toEqual(after.getBatchContacts(7));
      await commit();
      expect(await contactsBy(serviceBy(cluster.run))).toEqual(after.getBatchContacts(7));
    });
  });
});

/** Has a shard refuse each commit of a change, at its end. */
async function failCommits(shard: PostgresShard): Promise<void> {
  const statements = [
    "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no commit'; END $$",
    "CREATE CONSTRAINT TRIGGER fails AFTER UPDATE ON tercet_shard DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()",
  ];
  for (const text of statements) await rowsOf(shard, text);
}

async function mendCommits(shard: PostgresShard): Promise<void> {
  await rowsOf(shard, "DROP FUNCTION fail CASCADE");
}

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
