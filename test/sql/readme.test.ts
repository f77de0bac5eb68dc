// From memory to PostgreSQL and to two shards, by the code of src/sql/README.md as it stands there; only the
// addresses are those of servers of the test.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { createService, Service } from "../../src/index.ts";
import type { Run, SqlService } from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { startPostgres, type PostgresServer } from "../engines/postgres-server.ts";

interface Code {
  /** Of the same copy of the library: a service of another one is not known as such. */
  readonly createService: typeof createService;
  readonly driverOf: (pool: Pool) => Run;
  readonly move: (memory: Service) => Promise<void>;
  readonly moveToShards: (memory: Service) => Promise<void>;
  readonly service: SqlService;
  readonly sharded: SqlService;
  readonly direct: SqlService;
}

const HEADING = "From memory to PostgreSQL";
const HOSTS = ["10.0.0.9", "10.0.0.10", "10.0.0.11", "10.0.0.12"];
const USER = "shop";

const root = resolve(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/tercet");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "sql-readme-"));

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
  code = await load(servers.map(({ port }) => port));
  memory = code.createService({
    files: generateFiles({ count: 300, seed: 3 }),
    batches: [generateBatch({ id: 7, count: 1500, lists: 3, seed: 5 })],
  });
}, 60_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** The code under the heading, with the ports of servers on loopback in place of the addresses. */
async function load(ports: readonly number[]): Promise<Code> {
  const document = readFileSync(join(root, "src/sql/README.md"), "utf8");
  const [section = ""] = document.split(`\n## ${HEADING}\n`)[1]?.split("\n## ") ?? [];
  const blocks = Array.from(section.matchAll(/```ts\n(.*?)```/gsu), ([, text = ""]) => text);
  const text = HOSTS.reduce(
    (before, host, i) => {
      const after = before.replace(`"${host}", port: 5432`, `"127.0.0.1", port: ${ports[i] ?? 0}`);
      expect(after, `${host} is there`).not.toBe(before);
      return after;
    },
    [...blocks, 'export { createService } from "tercet";'].join("\n"),
  );
  const outfile = join(folder, "readme.mjs");
  await build({
    stdin: { contents: text, loader: "ts", resolveDir: root },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    alias: {
      tercet: join(root, "src/index.ts"),
      "tercet/sql": join(root, "src/sql/index.ts"),
    },
    external: ["pg"],
    logLevel: "silent",
  });
  return (await import(pathToFileURL(outfile).href)) as Code;
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
  await code.move(memory);
  await expectAlike(code.service);
  const refused = await code.service.dispatch({ id: 1, method: "searchFiles", params: ["other"] });
  expect(refused).toMatchObject({ error: { code: 300 } });
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

test("a statement that is given up before it has a connection, or while it is run, keeps none", async () => {
  const pool = servers[1]?.connect("postgres");
  if (pool === undefined) throw new Error("there is no server");
  pool.options.max = 1;
  const run = code.driverOf(pool);
  const first = new AbortController();
  const second = new AbortController();
  const running = run("SELECT pg_sleep(60)", [], first);
  const waiting = run("SELECT 1", [], second);
  const watching = servers[1]?.connect("postgres");
  await vi.waitFor(async () => {
    const asleep = "SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'";
    expect((await watching?.query(asleep))?.rowCount).toBe(1);
  });
  await watching?.end();
  second.abort();
  first.abort();
  await expect(running).rejects.toThrow();
  await expect(waiting).rejects.toThrow();
  expect(await run("SELECT 2", [], new AbortController())).toEqual([[2]]);
  await pool.end();
});

test("two shards answer as the service in memory does, by a coordinator and by a driver each", async () => {
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
  await expectAlike(code.direct);
});

test("PostgreSQL does not send LIMIT to the shards of such tables", async () => {
  const pool = servers[3]?.connect("shop");
  const explained = await pool?.query<Record<string, string>>(
    'EXPLAIN VERBOSE SELECT 1 FROM tercet_contacts WHERE batch_id = 7 ORDER BY "position" LIMIT 5',
  );
  await pool?.end();
  const plan = explained?.rows.flatMap((row) => Object.values(row)) ?? [];
  const sent = plan.filter((line) => line.includes("Remote SQL: "));
  expect(sent).toHaveLength(2);
  expect(sent.filter((line) => line.includes("LIMIT"))).toEqual([]);
});
