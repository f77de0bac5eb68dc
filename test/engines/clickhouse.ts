// A ClickHouse server from the system's packages, queried over HTTP. It is an old version without
// bound parameters.

import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Run } from "../../src/sql/index.ts";
import { rowsOf, type Engine } from "./engine.ts";
import { startServer, USER, type Server } from "./server.ts";
import { pathOf } from "./system.ts";

/** Why it can't be started here, if it can't. */
export function missing(): string | undefined {
  return pathOf("clickhouse-server") === undefined
    ? "there is no command clickhouse-server"
    : undefined;
}

/** What a server calls the cluster that it asks. */
export const CLUSTER = "tercet";

export interface ClickhouseServer extends Server {
  readonly httpPort: number;
  readonly tcpPort: number;
}

export async function start(): Promise<Engine & { readonly server: ClickhouseServer }> {
  const server = await startClickhouse([]);
  const run = driverOf(server.httpPort);
  return {
    server,
    name: `${await versionOf(run)}, a server`,
    dialect: "clickhouse18",
    run,
    empty: () => empty(run),
    bytes: () => bytesIn(run),
    clear: () => clear(run),
    close: () => server.close(),
  };
}

/** @param shards the cluster that it asks: each of these holds a part */
export async function startClickhouse(
  shards: readonly ClickhouseServer[],
): Promise<ClickhouseServer> {
  const server = await startServer({
    name: "clickhouse",
    ports: 2,
    command: (folder, [http = 0, tcp = 0]) => {
      writeConfiguration(folder, http, tcp, shards);
      return {
        command: pathOf("clickhouse-server") ?? "clickhouse-server",
        parameters: [`--config-file=${join(folder, "config.xml")}`],
        signal: "SIGKILL",
      };
    },
    isUp: ([http = 0]) => ask(http, "SELECT 1"),
  });
  const [httpPort = 0, tcpPort = 0] = server.ports;
  return { ...server, httpPort, tcpPort };
}

function writeConfiguration(
  folder: string,
  http: number,
  tcp: number,
  shards: readonly ClickhouseServer[],
): void {
  for (const name of ["data", "tmp"]) {
    mkdirSync(join(folder, name), { recursive: true });
    if (USER !== undefined) chownSync(join(folder, name), USER, USER);
  }
  const shard = ({ tcpPort }: ClickhouseServer) =>
    `<shard><replica><host>127.0.0.1</host><port>${tcpPort}</port></replica></shard>`;
  const cluster =
    shards.length === 0
      ? ""
      : `<remote_servers><${CLUSTER}>${shards.map(shard).join("")}</${CLUSTER}></remote_servers>`;
  writeFileSync(
    join(folder, "config.xml"),
    `<yandex>
      <logger><level>warning</level><console>1</console></logger>
      <listen_host>127.0.0.1</listen_host>
      <http_port>${http}</http_port>
      <!-- A connection that the server closes just when it is used again would fail a statement. -->
      <keep_alive_timeout>3600</keep_alive_timeout>
      <tcp_port>${tcp}</tcp_port>
      <path>${folder}/data/</path>
      <tmp_path>${folder}/tmp/</tmp_path>
      <users_config>users.xml</users_config>
      <default_profile>default</default_profile>
      <default_database>default</default_database>
      <mark_cache_size>67108864</mark_cache_size>
      ${cluster}
    </yandex>`,
  );
  writeFileSync(
    join(folder, "users.xml"),
    `<yandex>
      <profiles><default><insert_distributed_sync>1</insert_distributed_sync></default></profiles>
      <quotas><default></default></quotas>
      <users><default>
        <password></password>
        <networks><ip>127.0.0.1</ip></networks>
        <profile>default</profile>
        <quota>default</quota>
      </default></users>
    </yandex>`,
  );
}

export function driverOf(port: number): Run {
  return async (text, parameters, { signal }) => {
    if (parameters.length > 0) throw new Error("this ClickHouse binds no parameters");
    const answer = await ask(port, text, signal);
    if (text.startsWith("ALTER TABLE")) await untilChanged(port, signal);
    // A statement that gives no rows is answered by nothing.
    if (answer === "") return [];
    return (JSON.parse(answer) as { data: unknown[][] }).data;
  };
}

/** Rows are changed some time after the server was told; who asks before sees what was. */
async function untilChanged(port: number, signal: AbortSignal): Promise<void> {
  const left = "SELECT count() FROM system.mutations WHERE is_done = 0 FORMAT TabSeparated";
  while ((await ask(port, left, signal)).trim() !== "0") await setTimeout(5);
}

async function ask(
  port: number,
  text: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/?default_format=JSONCompact`, {
    method: "POST",
    body: text,
    signal,
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
}

export async function versionOf(run: Run): Promise<string> {
  const [row] = await rowsOf({ run }, "SELECT version()");
  return `ClickHouse ${String(Array.isArray(row) ? row[0] : undefined)}`;
}

export async function bytesIn(run: Run): Promise<number> {
  const [row] = await rowsOf({ run }, "SELECT sum(bytes) FROM system.parts WHERE active");
  return Number(Array.isArray(row) ? row[0] : undefined);
}

const TABLES = ["tercet_files", "tercet_contacts", "tercet_lists"];

export async function empty(run: Run): Promise<boolean> {
  const [row] = await rowsOf({ run }, `EXISTS TABLE ${TABLES.at(-1)}`);
  if (Number(Object.values(row ?? {})[0]) !== 1) return false;
  for (const table of TABLES) await rowsOf({ run }, `TRUNCATE TABLE ${table}`);
  return true;
}

export async function clear(run: Run): Promise<void> {
  await rowsOf({ run }, "DROP DATABASE default");
  await rowsOf({ run }, "CREATE DATABASE default");
}
