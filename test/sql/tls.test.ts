// Shards and a coordinator that accept only TLS connections, with the code of src/sql/README.md: a
// server without a certificate of the root, or with one for another host, receives no query.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { createService, Service } from "../../src/index.ts";
import type { SqlService } from "../../src/sql/index.ts";
import { generateBatch } from "../../src/synthetic/index.ts";
import {
  startPostgres,
  type Certificate,
  type PostgresServer,
} from "../engines/postgres-server.ts";
import { makeFolder } from "../engines/server.ts";
import { makesCertificates, selfSigned } from "./certificate.ts";
import { loadDocument } from "./document.ts";

interface Code {
  readonly createService: typeof createService;
  readonly moveToShards: (memory: Service) => Promise<void>;
  readonly sharded: SqlService;
}

const HOSTS = ["10.0.0.10", "10.0.0.11", "10.0.0.12"];
const USER = "shop";

describe.skipIf(!makesCertificates)("by TLS, which needs the command openssl", () => {
  let servers: PostgresServer[] = [];
  let folder: string;
  let right: Certificate;
  let elsewhere: Certificate;

  beforeAll(async () => {
    right = selfSigned("IP:127.0.0.1");
    elsewhere = selfSigned("DNS:shop.example");
    servers = await Promise.all(HOSTS.map(() => startPostgres({ tls: right })));
    for (const server of servers) {
      const pool = server.connect("postgres");
      await pool.query(`CREATE ROLE ${USER} SUPERUSER LOGIN`);
      await pool.query(`CREATE DATABASE shop OWNER ${USER}`);
      await pool.end();
    }
    folder = makeFolder("roots");
    const roots = join(folder, "roots.crt");
    writeFileSync(roots, right.certificate + elsewhere.certificate);
    vi.stubEnv("PGUSER", USER);
    vi.stubEnv("PGSSLMODE", "verify-full");
    vi.stubEnv("PGSSLROOTCERT", roots);
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    await Promise.all(servers.map((server) => server.close()));
  });

  /** New connections each time. */
  const load = () =>
    loadDocument<Code>(
      "From memory to PostgreSQL",
      HOSTS.map((host, i) => [
        `"${host}", port: 5432`,
        `"127.0.0.1", port: ${servers[i]?.port ?? 0}`,
      ]),
      ['export { createService } from "tercet";'],
    );

  const request = { id: 1, method: "getBatchContacts", params: ["key", 7, null, 20, 30] } as const;

  /** Has a server show another certificate to whoever connects from now on. */
  async function show(
    { folder }: PostgresServer,
    admin: PoolClient,
    { certificate, key }: Certificate,
  ): Promise<void> {
    const loaded = async () => {
      const { rows } = await admin.query<{ at: string }>("SELECT pg_conf_load_time()::text AS at");
      return rows[0]?.at;
    };
    const before = await loaded();
    writeFileSync(join(folder, "data", "server.crt"), certificate);
    writeFileSync(join(folder, "data", "server.key"), key);
    await admin.query("SELECT pg_reload_conf()");
    await vi.waitFor(async () => expect(await loaded()).not.toBe(before), { timeout: 120_000 });
  }

  test("two shards answer, and nobody asks them in clear text", async () => {
    const code = await load();
    const memory = code.createService({ batches: [generateBatch({ id: 7, count: 100, seed: 5 })] });
    await code.moveToShards(memory);
    expect(await code.sharded.dispatch(request)).toEqual(memory.dispatch(request));
    for (const server of servers) {
      const pool = server.connect("postgres");
      const { rows } = await pool.query<{ ssl: boolean; count: number }>(
        "SELECT ssl, count(*)::int FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = $1 GROUP BY ssl",
        [USER],
      );
      expect(rows).toEqual([{ ssl: true, count: expect.any(Number) as number }]);
      await pool.end();
    }
  });

  test.each([
    ["of another host", () => elsewhere],
    ["of no root that is known", () => selfSigned("IP:127.0.0.1")],
  ])("a shard that shows a certificate %s is not asked", async (_, certificate) => {
    const [shard] = servers;
    if (shard === undefined) throw new Error("there is no shard");
    const pool = shard.connect("postgres");
    const admin = await pool.connect();
    try {
      await show(shard, admin, certificate());
      const refusing = await load();
      const refused = await refusing.sharded.dispatch(request);
      expect(refused).toMatchObject({ error: { code: 100 } });
      await show(shard, admin, right);
      const { sharded } = await load();
      expect(await sharded.dispatch(request)).toMatchObject({ error: null });
    } finally {
      admin.release();
      await pool.end();
    }
  });
});
