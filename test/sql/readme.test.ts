// From memory to PostgreSQL and to two shards, with the code of src/sql/README.md; only the addresses
// are those of test servers.

import { EventEmitter, once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { AddressInfo } from "node:net";
import type { Express } from "express";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createService, type Service, type DatabaseChange } from "../../src/index.ts";
import {
  applyPatchesSql,
  createSqlService,
  createTables,
  insertRows,
  type Run,
  type SqlService,
  type Statement,
} from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { startPostgres, type PostgresServer } from "../engines/postgres-server.ts";
import { loadDocument } from "./document.ts";

interface Code {
  /** Of the same copy of the library: a service of another one is not known as such. */
  readonly createService: typeof createService;
  readonly driverOf: (pool: Pool) => Run;
  readonly move: (memory: Service) => Promise<void>;
  readonly moveToShards: (memory: Service) => Promise<void>;
  readonly service: SqlService;
  readonly sharded: SqlService;
  readonly app: Express;
}

/** The code of another section. */
interface Writing {
  readonly inTransaction: (
    pool: Pool,
    statements: () => Iterable<Statement> | AsyncIterable<Statement>,
  ) => Promise<void>;
  readonly writeChange: (change: DatabaseChange, generation: number, pool: Pool) => Promise<void>;
}

const HOSTS = [9, 10, 11, 12].map((last) => `10.0.0.${last}`);
const USER = "shop";
const PASSWORD = "it's a \\ secret";
const SHARD_OPTIONS = [`user=${USER}`, `password=${PASSWORD}`];

let servers: PostgresServer[] = [];
let code: Code;
let memory: Service;

beforeAll(async () => {
  servers = await Promise.all(HOSTS.map(() => startPostgres()));
  for (const server of servers) {
    const pool = server.connect("postgres");
    await pool.query(`CREATE ROLE ${USER} SUPERUSER LOGIN`);
    await pool.query(`CREATE DATABASE shop OWNER ${USER}`);
    await pool.end();
  }
  vi.stubEnv("PGUSER", USER);
  vi.stubEnv("PGPASSWORD", PASSWORD);
  code = await load(servers.map(({ port }) => port));
  memory = code.createService({
    files: generateFiles({ count: 300, seed: 3 }),
    batches: [generateBatch({ id: 7, count: 1500, lists: 3, seed: 5 })],
  });
});

afterAll(() => Promise.all(servers.map((server) => server.close())), 60_000);

/** The code under the heading, with the ports of servers on loopback in place of the addresses. */
function load(ports: readonly number[]): Promise<Code> {
  const replaced = HOSTS.map(
    (host, i) => [`"${host}", port: 5432`, `"127.0.0.1", port: ${ports[i] ?? 0}`] as const,
  );
  return loadDocument<Code>("From memory to PostgreSQL", replaced, [
    'export { createService } from "tercet";',
  ]);
}

function serverAt(place: number): PostgresServer {
  const server = servers[place];
  if (server === undefined) throw new Error(`there is no server ${place}`);
  return server;
}

async function expectAlike(service: SqlService, key = "secret"): Promise<void> {
  const requests = [
    { id: 1, method: "searchFiles", params: [key, [["size", "greater_than", 1000]], 20, 5] },
    { id: 2, method: "getBatchContacts", params: [key, 7] },
    { id: 3, method: "getBatchContacts", params: [key, 7, null, 20, 700, "contact_email", "ASC"] },
    { id: 4, method: "getBatchContacts", params: [key, 7, [["Email", "contains", "a"]], 9, 3] },
    { id: 5, method: "getBatchContacts", params: [key, 8] },
  ];
  for (const request of requests) {
    expect(await service.dispatch(request)).toEqual(memory.dispatch(request));
  }
}

test("one server answers as the service in memory does", async () => {
  const pool = serverAt(0).connect("shop");
  // Nothing is left of tables that could not be made.
  await pool.query("CREATE TABLE tercet_contacts (other integer)");
  await expect(code.move(memory)).rejects.toThrow("already exists");
  await pool.query("DROP TABLE tercet_contacts");
  await code.move(memory);
  await expectAlike(code.service);
  // Run again, it changes nothing, also where a copy was interrupted before.
  await code.move(memory);
  await expectAlike(code.service);
  await pool.query("UPDATE tercet_state SET generation = 0; DELETE FROM tercet_lists");
  await code.move(memory);
  await expectAlike(code.service);
  await pool.end();
  const refused = await code.service.dispatch({ id: 1, method: "searchFiles", params: ["other"] });
  expect(refused).toMatchObject({ error: { code: 300 } });
});

test("the handler of Express answers as the service in memory does, invalid JSON too", async () => {
  const server = code.app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const request = { id: 1, method: "getBatchContacts", params: ["secret", 7, null, 2] };
  for (const body of [JSON.stringify(request), "{"]) {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body };
    const response = await fetch(`http://127.0.0.1:${port}/api`, init);
    expect(await response.json()).toEqual(JSON.parse(memory.dispatchJson(body)));
  }
  server.closeAllConnections();
  server.close();
});

test("a server that is killed and comes back fails requests, and ends nothing else", async () => {
  const [server] = servers;
  // Connections that are open, of which some wait and some are asked.
  const askTillItFails = async (id: number) => {
    for (;;) {
      const request = { id, method: "getBatchContacts", params: ["secret", 7] };
      const { error } = await code.service.dispatch(request);
      if (error !== null) return error.code;
    }
  };
  const many = Array.from({ length: 8 }, (_, id) => askTillItFails(id));
  await code.service.dispatch({ id: 9, method: "getBatchContacts", params: ["secret", 7] });
  await server?.kill("SIGKILL");
  expect(await Promise.all(many)).toEqual(many.map(() => 100));
  expect(await code.service.dispatch({ id: 1, method: "searchFiles", params: ["secret"] })).toEqual(
    expect.objectContaining({ error: expect.objectContaining({ code: 100 }) as unknown }),
  );
  await server?.restart();
  await expectAlike(code.service);
});

test("a connection that was not used goes back whole, and a statement that is given up keeps its own until it ends", async () => {
  const pool = serverAt(1).connect("postgres");
  Object.assign(pool.options, { max: 1, statement_timeout: 500 });
  const run = code.driverOf(pool);
  let connections = 0;
  pool.on("connect", () => connections++);
  const first = new AbortController();
  const ask = async (text: string, waiting: AbortController) => {
    try {
      return await run(text, [], waiting);
    } catch (thrown) {
      return String(thrown);
    }
  };
  const running = ask("SELECT pg_sleep(60)", first);
  await once(pool, "acquire");
  await setTimeout(0);
  const late = Array.from({ length: 200 }, () => {
    const waiting = new AbortController();
    const answer = ask("SELECT 1", waiting);
    waiting.abort();
    return answer;
  });
  first.abort();
  expect(await running).toContain("statement timeout");
  for (const answer of await Promise.all(late)) expect(answer).toContain("AbortError");
  expect(await run("SELECT 2", [], new AbortController())).toEqual([[2]]);
  expect(connections).toBe(1);
  await pool.end();
});

test("two shards behind a coordinator answer as the service in memory does", async () => {
  await code.moveToShards(memory);
  for (const server of servers.slice(1, 3)) {
    const pool = server.connect("shop");
    const { rows } = await pool.query<{ held: number }>(
      "SELECT count(*)::int AS held FROM tercet_contacts",
    );
    expect(rows[0]?.held).toBeGreaterThan(500);
    await pool.end();
  }
  await expectAlike(code.sharded);
  // As after a copy that one of the shards got, and the coordinator did not.
  const pool = serverAt(1).connect("shop");
  await pool.query("DELETE FROM tercet_contacts");
  await pool.end();
  const coordinator = serverAt(3).connect("shop");
  await coordinator.query("UPDATE tercet_state SET generation = 0");
  await code.moveToShards(memory);
  await expectAlike(code.sharded);
  const { rows } = await coordinator.query<{ umoptions: string[] }>(
    "SELECT umoptions FROM pg_user_mappings",
  );
  expect(rows.map(({ umoptions }) => umoptions)).toEqual([SHARD_OPTIONS, SHARD_OPTIONS]);
  await coordinator.end();
});

test("a change is written in a transaction, as often as one likes", async () => {
  const { inTransaction, writeChange } = await loadDocument<Writing>("Changes", []);
  const admin = serverAt(1).connect("postgres");
  await admin.query("CREATE DATABASE written");
  await admin.end();
  const pool = serverAt(1).connect("written");
  // So that who comes second fails.
  pool.options.options = "-c default_transaction_isolation=serializable";
  const dialect = "postgres";
  const given = () => generateFiles({ count: 20, seed: 3 });
  await inTransaction(pool, () => createTables({ dialect }));
  await inTransaction(pool, () => insertRows({ dialect, files: given() }));
  const own = createService({ files: given() });
  const reader = createSqlService({ dialect, run: code.driverOf(pool) });
  for (let generation = 1; generation < 4; generation++) {
    const change = own.update((draft) => {
      draft.files = draft.files
        .remove([["id", "less_than", generation * 2]])
        .insert([{ id: 1000 + generation, folder_id: 1, name: "new" }])
        .update([], (file) => void (file.size = generation));
    });
    // Of several who write the same, one does.
    await Promise.all([1, 2, 3].map(() => writeChange(change, generation, pool)));
    await writeChange(change, generation, pool);
    expect(await reader.searchFiles()).toEqual(own.searchFiles());
  }

  // Two writers that lock the same rows in opposite order: the one that the server chooses tries again.
  const tries: string[] = [];
  let held = 0;
  const meeting = new EventEmitter();
  const both = once(meeting, "both");
  const write = (places: readonly number[]) =>
    inTransaction(pool, async function* () {
      tries.push(places.join());
      yield { text: "SET LOCAL deadlock_timeout = 10", parameters: [] };
      for (const place of places) {
        const text = `UPDATE tercet_files SET size = size + 1 WHERE position = (SELECT position FROM tercet_files ORDER BY position OFFSET ${place} LIMIT 1)`;
        yield { text, parameters: [] };
        // Each has its first row before one asks for its second.
        if (++held === 2) meeting.emit("both");
        await both;
      }
    });
  const sizes = async () => {
    const { rows } = await pool.query<{ sum: string }>("SELECT sum(size) FROM tercet_files");
    return Number(rows[0]?.sum);
  };
  const before = await sizes();
  await Promise.all([write([0, 1]), write([1, 0])]);
  expect(await sizes()).toBe(before + 4);
  expect(tries.length).toBeGreaterThan(2);
  await pool.end();
});

test("a lock on a shard ends a change at the coordinator in time, which is then tried again", async () => {
  const { inTransaction } = await loadDocument<Writing>("Changes", []);
  const [shard, coordinator] = [serverAt(1).connect("shop"), serverAt(3).connect("shop")];
  // By whom the coordinator knows the shards.
  coordinator.options.user = USER;
  const client = await shard.connect();
  await client.query("BEGIN; LOCK TABLE tercet_files IN EXCLUSIVE MODE");
  const change = memory.update((draft) => {
    draft.files = draft.files.update([], (file) => void (file.url = "locked"));
  });
  let tries = 0;
  const writing = inTransaction(coordinator, () => {
    tries++;
    const cluster = { servers: ["shard0", "shard1"] };
    return applyPatchesSql(change, { dialect: "postgres", cluster, generation: 2 });
  });
  await vi.waitFor(() => expect(tries).toBeGreaterThan(1), { timeout: 120_000 });
  await client.query("COMMIT");
  client.release();
  await writing;
  await expectAlike(code.sharded);
  await Promise.all([shard.end(), coordinator.end()]);
});

describe("under load", () => {
  /** How long a server stands still, in seconds. */
  const STILL = Number(process.env.TERCET_FREEZE ?? 1);
  const ask = (service: SqlService) =>
    service.dispatch({ id: 1, method: "getBatchContacts", params: ["secret", 7, null, 5] });
  const expectAnswer = async (service: SqlService) => {
    await vi.waitFor(async () => expect((await ask(service)).error).toBeNull(), {
      timeout: 120_000,
    });
  };

  /** Watches the connections to a database, from another one, which is not counted. */
  async function watching(server: PostgresServer, watch: (look: Look) => Promise<void>) {
    const pool = server.connect("postgres");
    Object.assign(pool.options, { max: 1 });
    const look = async (state = "%"): Promise<number> => {
      const { rowCount } = await pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = 'shop' AND usename = $1 AND state LIKE $2 AND application_name <> 'holds'",
        [USER, state],
      );
      return rowCount ?? 0;
    };
    try {
      await watch(look);
    } finally {
      await pool.end();
    }
  }

  type Look = (state?: string) => Promise<number>;

  test("statements that are too slow end on the server, and have no more connections than the pool", () =>
    watching(serverAt(0), async (look) => {
      const pool = serverAt(0).connect("shop");
      const holding = await pool.connect();
      await holding.query("SET application_name = 'holds'; BEGIN; LOCK TABLE tercet_contacts");
      const many = Array.from({ length: 65 }, () => ask(code.service));
      const seen = [await look()];
      for (const answer of many) {
        expect((await answer).error?.code).toBe(100);
        seen.push(await look());
      }
      // The table is still held.
      await vi.waitFor(async () => expect(await look("active")).toBe(0), { timeout: 120_000 });
      seen.push(await look());
      expect(Math.max(...seen)).toBeLessThanOrEqual(10);
      await holding.query("COMMIT");
      holding.release();
      await pool.end();
      await expectAnswer(code.service);
    }));

  test(
    "a shard that stands still fails the requests, and answers when it goes on",
    async () => {
      const service = code.sharded;
      const [frozen, coordinator] = [serverAt(2), serverAt(3)];
      await expectAnswer(service);
      const codes = new Set<number | undefined>();
      const requests: Promise<void>[] = [];
      await watching(coordinator, async (look) => {
        const seen: number[] = [];
        frozen.freeze();
        try {
          const end = Date.now() + STILL * 1000;
          do {
            requests.push(ask(service).then(({ error }) => void codes.add(error?.code)));
            seen.push(await look());
            await setTimeout(20);
          } while (Date.now() < end);
          await Promise.all(requests);
        } finally {
          frozen.thaw();
        }
        const thawed = performance.now();
        await expectAnswer(service);
        const back = (performance.now() - thawed).toFixed(0);
        seen.push(await look());
        const most = `at most ${Math.max(...seen)} connections to the coordinator`;
        console.log(
          `${requests.length} requests while a shard stood still for ${STILL} s, ${most}; answered ${back} ms after`,
        );
        expect(codes).toEqual(new Set([100]));
        expect(Math.max(...seen)).toBeLessThanOrEqual(10);
      });
      await watching(frozen, async (look) => {
        await vi.waitFor(async () => expect(await look("active")).toBe(0), { timeout: 120_000 });
        // Those of the coordinator.
        expect(await look()).toBeLessThanOrEqual(10);
      });
    },
    (STILL + 60) * 1000,
  );
});
