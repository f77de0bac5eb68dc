// Three PostgreSQL servers, two of which have eight shards in turn, for tests that move shards.

import {
  createService,
  type BatchInput,
  type FileInput,
  type Service,
  type ServiceChange,
} from "../../src/index.ts";
import {
  createSqlService,
  createTables,
  insertRows,
  moveShard,
  type ShardBy,
  type SqlService,
} from "../../src/sql/index.ts";
import { change, execute, NOTHING, rowsOf } from "../engines/engine.ts";
import { start, type PostgresEngine } from "../engines/postgres.ts";

export const COUNT = 8;
export const dialect = "postgres";
export const indexes = {
  contacts: ["contact_email", ["open_type", { listField: "Email" }]],
} as const;

export interface Data {
  readonly files: readonly FileInput[];
  readonly batches: readonly BatchInput[];
}

export class EightShards {
  readonly servers: readonly PostgresEngine[];
  /** What the service has reported since the data was loaded. */
  readonly reported: unknown[] = [];
  memory: Service = createService({});
  generation = 0;
  by: ShardBy = "contact";

  private constructor(servers: readonly PostgresEngine[]) {
    this.servers = servers;
  }

  static async start(): Promise<EightShards> {
    return new EightShards(await Promise.all([start(), start(), start()]));
  }

  serverAt(place: number): PostgresEngine {
    const server = this.servers[place];
    if (server === undefined) throw new Error(`there is no server ${place}`);
    return server;
  }

  /** The first two have the shards; each knows the others. */
  async load(by: ShardBy, data: Data): Promise<SqlService> {
    this.by = by;
    this.memory = createService(data);
    for (const [i, server] of this.servers.entries()) {
      await server.clear();
      await rowsOf(server, "DROP SCHEMA IF EXISTS fdw CASCADE");
      await rowsOf(server, "CREATE SCHEMA fdw");
      await rowsOf(server, "CREATE EXTENSION postgres_fdw SCHEMA fdw");
      for (const [other, { server: there }] of this.servers.entries()) {
        const options = `host '127.0.0.1', port '${there.port}', dbname 'postgres'`;
        await rowsOf(
          server,
          `CREATE SERVER s${other} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (${options})`,
        );
        await rowsOf(
          server,
          `CREATE USER MAPPING FOR CURRENT_USER SERVER s${other} OPTIONS (user '${there.user}')`,
        );
      }
      const place = [[0, 2, 4, 6], [1, 3, 5, 7], []][i] ?? [];
      const shard = { place, count: COUNT, by };
      await execute(server, createTables({ dialect, shard, indexes }));
      await execute(server, insertRows({ dialect, shard, files: this.memory.files }));
      for (const batch of Object.values(this.memory.batches)) {
        await execute(server, insertRows({ dialect, shard, batch }));
      }
    }
    this.generation = 0;
    await this.write(NOTHING);
    this.reported.length = 0;
    return createSqlService({
      dialect,
      run: this.servers.map(({ run }) => run),
      onInternalError: (thrown) => this.reported.push(thrown),
    });
  }

  /** The same statements for each server: it takes the rows of its shards. */
  async write(made: ServiceChange): Promise<void> {
    this.generation++;
    const { generation, by } = this;
    for (const server of this.servers) {
      await change(server, made, { shard: { count: COUNT, by }, generation });
    }
  }

  async move(place: number, from: number, to: number): Promise<void> {
    for (const { on, text } of moveShard({ place, count: COUNT, by: this.by, from: `s${from}` })) {
      await rowsOf(this.serverAt(on === "to" ? to : from), text);
    }
  }

  /** How many rows a table of each server has, as a whole. */
  async countsOf(table: string): Promise<number[]> {
    return await Promise.all(this.servers.map((server) => countOf(server, table)));
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }
}

export const countOf = async (server: PostgresEngine, from: string): Promise<number> =>
  Number(Object.values((await rowsOf(server, `SELECT count(*) FROM ${from}`))[0] ?? {})[0]);
