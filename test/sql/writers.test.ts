// Several writers change the tables of two shards at once, with the code of src/sql/README.md: locks
// that time out, and a log of changes that writers share.

import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  createService,
  type Service,
  type ServiceChange,
  type ServiceDraft,
} from "../../src/index.ts";
import {
  createSqlService,
  createTables,
  insertRows,
  type Run,
  type SqlService,
  type Statement,
} from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { NOTHING } from "../engines/engine.ts";
import { driverOf } from "../engines/postgres.ts";
import { startPostgres, type PostgresServer } from "../engines/postgres-server.ts";
import { loadDocument } from "./document.ts";

interface Writer {
  readonly memory: Service;
  generation: number;
}

interface Code {
  readonly LOG: string;
  readonly inTransaction: (pool: Pool, statements: () => Iterable<Statement>) => Promise<void>;
  readonly writeToShards: (
    change: ServiceChange,
    generation: number,
    shards: readonly Pool[],
  ) => Promise<void>;
  readonly mirror: (
    memory: Service,
    generation: number,
    shards: readonly Pool[],
  ) => () => Promise<void>;
  readonly follow: (writer: Writer, log: Pool) => Promise<void>;
  readonly commit: (
    writer: Writer,
    log: Pool,
    recipe: (draft: ServiceDraft) => void,
  ) => Promise<void>;
  readonly deliver: (log: Pool, shards: readonly Pool[]) => Promise<void>;
}

/** The code of another section. */
interface Reading {
  /** Of the same copy of the library: an error of another one is not known as such. */
  readonly createSqlService: typeof createSqlService;
  readonly atLeast: (generation: () => number, run: Run) => Run;
  readonly preferring: <Answer>(
    replicas: SqlService,
    primaries: SqlService,
    ask: (service: SqlService) => Promise<Answer>,
  ) => Promise<Answer>;
}

let code: Code;
let servers: PostgresServer[] = [];
let pools: Pool[] = [];
let reader: SqlService;
const memoryOf = () =>
  createService({
    files: generateFiles({ count: 20, seed: 3 }),
    batches: [generateBatch({ id: 7, count: 20, lists: 2, seed: 5 })],
  });

beforeAll(async () => {
  code = await loadChanges([["lock_timeout = 1000", "lock_timeout = 100"]]);
  servers = await Promise.all([startPostgres(), startPostgres()]);
}, 60_000);
afterAll(() => Promise.all(servers.map((server) => server.close())), 60_000);

beforeEach(async () => {
  pools = servers.map((server) => server.connect("postgres"));
  for (const pool of pools) await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  await fill(pools);
  reader = createSqlService({ dialect: "postgres", run: pools.map(driverOf) });
  return async () => {
    await Promise.all(pools.map((pool) => pool.end()));
  };
}, 60_000);

async function loadChanges(replacements: Parameters<typeof loadDocument>[1]): Promise<Code> {
  const silent = vi.spyOn(console, "log").mockReturnValue();
  const loaded = await loadDocument<Code>("Changes", replacements);
  silent.mockRestore();
  return loaded;
}

/** Puts what a new memory has into the databases of two shards. */
async function fill(pools: readonly Pool[]): Promise<void> {
  const memory = memoryOf();
  for (const [place, pool] of pools.entries()) {
    const part = { dialect: "postgres", shard: { place, count: pools.length } } as const;
    const { files, batches } = memory;
    for (const statements of [
      createTables(part),
      insertRows({ ...part, files }),
      insertRows({ ...part, batch: batches["7"] }),
    ]) {
      await code.inTransaction(pool, () => statements);
    }
  }
  await code.writeToShards(NOTHING, 1, pools);
}

const poolAt = (place: number) => pools[place] ?? expect.fail(`there is no shard ${place}`);
const changeOf = (memory: Service) =>
  memory.update((draft) => {
    draft.files = draft.files.update([], (file) => void (file.size = Number(file.size) + 1));
  });

/** Holds what a change of Files needs, until it is released. Who reads is not held up. */
async function lockFiles(pool: Pool): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query("BEGIN; LOCK TABLE tercet_files IN EXCLUSIVE MODE");
  return async () => {
    await client.query("COMMIT");
    client.release();
  };
}

test("a lock that is not to be had in time is asked for again, and the change is made once", async () => {
  const memory = memoryOf();
  const before = await reader.searchFiles();
  const release = await lockFiles(poolAt(1));
  const change = changeOf(memory);
  const writing = code.writeToShards(change, 2, pools);
  // The second attempt of five.
  for (let attempt = 1; attempt <= 2; attempt++) await once(poolAt(1), "acquire");
  expect(await poolAt(1).query("SELECT FROM tercet_shard WHERE generation = 1")).toMatchObject({
    rowCount: 1,
  });
  await release();
  await writing;
  expect(await reader.searchFiles()).toEqual(memory.searchFiles());
  expect(await reader.searchFiles()).not.toEqual(before);
});

test("a lock that is never to be had fails the change, which has changed nothing and can be repeated", async () => {
  const memory = memoryOf();
  const release = await lockFiles(poolAt(0));
  const change = changeOf(memory);
  let tries = 0;
  const statements = function* () {
    tries++;
    yield { text: "UPDATE tercet_files SET size = 0", parameters: [] };
  };
  await expect(code.inTransaction(poolAt(0), statements)).rejects.toMatchObject({ code: "55P03" });
  expect(tries).toBe(5);
  await expect(code.writeToShards(change, 2, pools)).rejects.toMatchObject({ code: "55P03" });
  expect(await reader.searchFiles()).toEqual(memoryOf().searchFiles());
  expect(poolAt(0).totalCount - poolAt(0).idleCount).toBe(1);
  await release();
  await code.writeToShards(change, 2, pools);
  expect(await reader.searchFiles()).toEqual(memory.searchFiles());
});

test("changes of several writers that share a log come one after the other, also where a shard is killed meanwhile", async () => {
  const log = poolAt(0);
  // Of three who want the log, one may wait for the others for longer than it does elsewhere in this file.
  const patient = await loadChanges([]);
  await log.query(patient.LOG);
  const writers = ["a", "b", "c"].map((name) => ({
    name,
    writer: { memory: memoryOf(), generation: 1 },
  }));
  const ROUNDS = 12;
  let committed = 0;
  let refused = 0;

  async function write({ name, writer }: (typeof writers)[number], place: number): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const id = 1000 + place * 100 + round;
      const recipe = (draft: ServiceDraft) => {
        // Depends on what others did.
        const newest = draft.files
          .query()
          .reduce((most, file) => Math.max(most, Number(file.id)), 0);
        draft.files = draft.files
          .update([["id", "exactly", String(newest)]], (file) => void (file.url += name))
          .insert([{ id, folder_id: draft.files.size, name: `${name}${round}` }]);
        if (round % 4 === 3) draft.files = draft.files.remove([["id", "exactly", String(newest)]]);
        draft.batches["7"]?.addListField(
          draft.batches["7"].lists[0] ?? "",
          `${name}${round}`,
          "int",
        );
      };
      try {
        await patient.commit(writer, log, recipe);
        committed++;
      } catch {
        refused++;
      }
      await setTimeout(10);
    }
  }

  let isOver = false;
  let deliveries = 0;
  let failed = 0;
  async function deliver(): Promise<void> {
    while (!isOver) {
      await patient.deliver(log, pools).then(
        () => deliveries++,
        () => failed++,
      );
      await setTimeout(5);
    }
  }

  const seen: string[] = [];
  let withoutAnswer = 0;
  async function read(): Promise<void> {
    while (!isOver) {
      await reader.searchFiles().then(
        (found) => seen.push(JSON.stringify(found)),
        () => withoutAnswer++,
      );
    }
  }

  async function followAlong({ writer }: (typeof writers)[number]): Promise<void> {
    while (!isOver) await patient.follow(writer, log);
  }

  const writing = writers.map(write);
  const others = [deliver(), deliver(), read(), ...writers.slice(1).map(followAlong)];
  await setTimeout(100);
  await servers[1]?.kill("SIGKILL");
  await setTimeout(50);
  await servers[1]?.restart();
  // Whoever is at the log loses the connection.
  const admin = servers[0]?.connect("postgres") ?? expect.fail("there is no log");
  await admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'changes'::regclass AND mode = 'ExclusiveLock'",
  );
  await Promise.all(writing);
  isOver = true;
  await Promise.all(others);
  await admin.end();
  await patient.deliver(log, pools);

  const { rows } = await log.query<{ generation: number; change: ServiceChange }>(
    "SELECT generation::int, change FROM changes ORDER BY generation",
  );
  // A commit whose answer was lost may have been made.
  expect(rows.length).toBeGreaterThanOrEqual(committed);
  expect(rows.length).toBeLessThanOrEqual(committed + refused);
  // Those that had the lock, or waited for it, when the connections were ended.
  expect(refused).toBeLessThanOrEqual(writers.length);
  const again = memoryOf();
  const states = [JSON.stringify(again.searchFiles())];
  for (const [i, { generation, change }] of rows.entries()) {
    expect(generation).toBe(i + 2);
    again.applyPatches(change.patches);
    states.push(JSON.stringify(again.searchFiles()));
  }
  for (const { writer } of writers) {
    await patient.follow(writer, log);
    expect(writer.memory.searchFiles()).toEqual(again.searchFiles());
    expect(writer.memory.getBatchContacts(7)).toEqual(again.getBatchContacts(7));
  }
  expect(await reader.searchFiles()).toEqual(again.searchFiles());
  expect(await reader.getBatchContacts(7)).toEqual(again.getBatchContacts(7));
  // Each answer is a state, and none is older than the one before.
  const places = seen.map((each) => states.indexOf(each));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  console.log(
    `${committed} changes of ${writers.length} writers, ${refused} refused; ${deliveries} deliveries, ${failed} failed; ${seen.length} answers, all whole, of ${new Set(seen).size} states, and ${withoutAnswer} errors`,
  );
}, 60_000);

test("what a service tells is written, also when a shard was away meanwhile", async () => {
  const memory = memoryOf();
  const written = code.mirror(memory, 1, pools);
  changeOf(memory);
  await written();
  expect(await reader.searchFiles()).toEqual(memory.searchFiles());
  const failed = vi.spyOn(console, "error").mockReturnValue();
  const [, server] = servers;
  await server?.kill("SIGKILL");
  changeOf(memory);
  changeOf(memory);
  await vi.waitFor(() => expect(failed).toHaveBeenCalled(), { timeout: 10_000 });
  await server?.restart();
  await written();
  failed.mockRestore();
  expect(await reader.searchFiles()).toEqual(memory.searchFiles());
});

test("replicas that are behind give an earlier state as a whole, or the primaries are asked", async () => {
  const { createSqlService, atLeast, preferring } = await loadDocument<Reading>(
    "From memory to PostgreSQL",
    [],
    ['export { createSqlService } from "tercet/sql";'],
  );
  const replicas: Pool[] = [];
  for (const [i, server] of servers.entries()) {
    await poolAt(i).query("CREATE DATABASE replica");
    replicas.push(server.connect("replica"));
  }
  await fill(replicas);
  const memory = memoryOf();
  const before = memory.searchFiles();
  await code.writeToShards(changeOf(memory), 2, pools);
  const serviceOver = (run: readonly Run[]) => createSqlService({ dialect: "postgres", run });
  const ask = (run: readonly Run[]) =>
    preferring(serviceOver(run), serviceOver(pools.map(driverOf)), (service) =>
      service.searchFiles(),
    );
  const runs = replicas.map(driverOf);
  expect(await ask(runs)).toEqual(before);
  expect(await ask(runs.map((run) => atLeast(() => 2, run)))).toEqual(memory.searchFiles());
  // One of them has the change.
  await code.inTransaction(replicas[0] ?? poolAt(0), () => [
    { text: "UPDATE tercet_shard SET generation = 2", parameters: [] },
  ]);
  expect(await ask(runs)).toEqual(memory.searchFiles());
  await Promise.all(replicas.map((pool) => pool.end()));
});
