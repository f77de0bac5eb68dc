// Several writers change the tables concurrently, with the code of src/sql/README.md: locks that time out, and a log of
// changes that writers share.

import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  createService,
  type Service,
  type DatabaseChange,
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
  readonly writeChange: (change: DatabaseChange, generation: number, pool: Pool) => Promise<void>;
  readonly mirror: (memory: Service, generation: number, pool: Pool) => () => Promise<void>;
  readonly follow: (writer: Writer, log: Pool) => Promise<void>;
  readonly commit: (
    writer: Writer,
    log: Pool,
    recipe: (draft: ServiceDraft) => void,
  ) => Promise<void>;
}

/** The code of another section. */
interface Reading {
  /** Of the same copy of the library: an error of another one is not known as such. */
  readonly createSqlService: typeof createSqlService;
  readonly atLeast: (generation: () => number, run: Run) => Run;
  readonly preferring: <Answer>(
    replica: SqlService,
    primary: SqlService,
    ask: (service: SqlService) => Promise<Answer>,
  ) => Promise<Answer>;
}

const dialect = "postgres";

let code: Code;
let server: PostgresServer;
let pool: Pool;
let reader: SqlService;
const memoryOf = () =>
  createService({
    files: generateFiles({ count: 20, seed: 3 }),
    batches: [generateBatch({ id: 7, count: 20, lists: 2, seed: 5 })],
  });

beforeAll(async () => {
  code = await loadChanges([["lock_timeout = 1000", "lock_timeout = 100"]]);
  server = await startPostgres();
});
afterAll(() => server.close(), 60_000);

beforeEach(async () => {
  pool = server.connect("postgres");
  await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  await fill(pool);
  reader = createSqlService({ dialect, run: driverOf(pool) });
  return () => pool.end();
});

async function loadChanges(replacements: Parameters<typeof loadDocument>[1]): Promise<Code> {
  const silent = vi.spyOn(console, "log").mockReturnValue();
  const loaded = await loadDocument<Code>("Changes", replacements);
  silent.mockRestore();
  return loaded;
}

/** Puts what a new memory has into a database. */
async function fill(pool: Pool): Promise<void> {
  const { files, batches } = memoryOf();
  for (const statements of [
    createTables({ dialect }),
    insertRows({ dialect, files }),
    insertRows({ dialect, batch: batches["7"] }),
  ]) {
    await code.inTransaction(pool, () => statements);
  }
}

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
  const release = await lockFiles(pool);
  const change = changeOf(memory);
  const writing = code.writeChange(change, 1, pool);
  // The second attempt of five.
  for (let attempt = 1; attempt <= 2; attempt++) await once(pool, "acquire");
  expect(await pool.query("SELECT FROM tercet_state WHERE generation = 0")).toMatchObject({
    rowCount: 1,
  });
  await release();
  await writing;
  expect(await reader.searchFiles()).toEqual(memory.searchFiles());
  expect(await reader.searchFiles()).not.toEqual(before);
});

test("a lock that is never to be had fails the change, which has changed nothing and can be repeated", async () => {
  const memory = memoryOf();
  const release = await lockFiles(pool);
  const change = changeOf(memory);
  let tries = 0;
  const statements = function* () {
    tries++;
    yield { text: "UPDATE tercet_files SET size = 0", parameters: [] };
  };
  await expect(code.inTransaction(pool, statements)).rejects.toMatchObject({ code: "55P03" });
  expect(tries).toBe(5);
  await expect(code.writeChange(change, 1, pool)).rejects.toMatchObject({ code: "55P03" });
  expect(await reader.searchFiles()).toEqual(memoryOf().searchFiles());
  expect(pool.totalCount - pool.idleCount).toBe(1);
  await release();
  await code.writeChange(change, 1, pool);
  expect(await reader.searchFiles()).toEqual(memory.searchFiles());
});

test("changes of several writers that share a log come one after the other, also where connections are ended meanwhile", async () => {
  // Of three who want the log, one may wait for the others for longer than it does elsewhere in this file.
  const patient = await loadChanges([]);
  await pool.query(patient.LOG);
  const writers = ["a", "b", "c"].map((name) => ({
    name,
    writer: { memory: memoryOf(), generation: 0 },
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
        await patient.commit(writer, pool, recipe);
        committed++;
      } catch {
        refused++;
      }
      await setTimeout(10);
    }
  }

  let isOver = false;

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
    while (!isOver) await patient.follow(writer, pool).catch(() => setTimeout(5));
  }

  const writing = writers.map(write);
  const others = [read(), ...writers.slice(1).map(followAlong)];
  await setTimeout(100);
  // Whoever is at the log loses the connection.
  const admin = server.connect("postgres");
  await admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'changes'::regclass AND mode = 'ExclusiveLock'",
  );
  await Promise.all(writing);
  isOver = true;
  await Promise.all(others);
  await admin.end();

  const { rows } = await pool.query<{ generation: number; change: DatabaseChange }>(
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
    expect(generation).toBe(i + 1);
    again.applyPatches(change.patches);
    states.push(JSON.stringify(again.searchFiles()));
  }
  for (const { writer } of writers) {
    await patient.follow(writer, pool);
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
    `${committed} changes of ${writers.length} writers, ${refused} refused; ${seen.length} answers, all whole, of ${new Set(seen).size} states, and ${withoutAnswer} errors`,
  );
});

test("a change whose predecessor the tables lack is an error, and is in no log", async () => {
  const memory = memoryOf();
  const before = await reader.searchFiles();
  const early = "comes too early: the tables are of generation 0";
  await expect(code.writeChange(changeOf(memory), 2, pool)).rejects.toThrow(`change 2 ${early}`);
  await pool.query(code.LOG);
  const writer = { memory: memoryOf(), generation: 3 };
  const recipe = (draft: ServiceDraft) => {
    draft.files = draft.files.remove([]);
  };
  await expect(code.commit(writer, pool, recipe)).rejects.toThrow(`change 4 ${early}`);
  expect(await pool.query("SELECT FROM changes")).toMatchObject({ rowCount: 0 });
  expect(writer.memory.searchFiles()).toEqual(before);
  expect(await reader.searchFiles()).toEqual(before);
});

test("what a service tells is written, also when the server was away meanwhile", async () => {
  const memory = memoryOf();
  const written = code.mirror(memory, 0, pool);
  changeOf(memory);
  await written();
  expect(await reader.searchFiles()).toEqual(memory.searchFiles());
  const failed = vi.spyOn(console, "error").mockReturnValue();
  await server.kill("SIGKILL");
  changeOf(memory);
  changeOf(memory);
  await vi.waitFor(() => expect(failed).toHaveBeenCalled(), { timeout: 120_000 });
  await server.restart();
  await written();
  failed.mockRestore();
  expect(await reader.searchFiles()).toEqual(memory.searchFiles());
});

test("a replica that is behind gives an earlier state as a whole, or the primary is asked", async () => {
  const { createSqlService, atLeast, preferring } = await loadDocument<Reading>(
    "From memory to PostgreSQL",
    [],
    ['export { createSqlService } from "tercet/sql";'],
  );
  await pool.query("CREATE DATABASE replica");
  const replica = server.connect("replica");
  await fill(replica);
  const memory = memoryOf();
  const before = memory.searchFiles();
  const change = changeOf(memory);
  await code.writeChange(change, 1, pool);
  const serviceOver = (run: Run) => createSqlService({ dialect, run });
  const ask = (run: Run) =>
    preferring(serviceOver(run), serviceOver(driverOf(pool)), (service) => service.searchFiles());
  const run = driverOf(replica);
  expect(await ask(run)).toEqual(before);
  expect(await ask(atLeast(() => 1, run))).toEqual(memory.searchFiles());
  await code.writeChange(change, 1, replica);
  expect(await serviceOver(atLeast(() => 1, run)).searchFiles()).toEqual(memory.searchFiles());
  await replica.end();
});
