// The peers that keep their contacts in a file. Each loads what it needs only on request, so that a
// process that opens a file holds nothing else.

import type { Awaitable, Peer } from "./peer.ts";

export interface FilePeer {
  /** Imports the package itself: what a program pays before it can open anything. */
  readonly load: () => Promise<unknown>;
  /** The peer on a file, which is created if it does not exist. */
  readonly on: () => Promise<(file: string) => Awaitable<Peer>>;
}

export const FILE_PEERS: Readonly<Record<string, FilePeer>> = {
  tercet: {
    load: async () => (await import("./tercet-file.ts")).importTercet(),
    on: async () => (await import("./tercet-file.ts")).createTercetFile,
  },
  "better-sqlite3": {
    load: () => import("better-sqlite3"),
    on: async () => (await import("./sqlite.ts")).createBetterSqlite,
  },
  "node:sqlite": {
    load: () => import("node:sqlite"),
    on: async () => (await import("./sqlite.ts")).createNodeSqlite,
  },
  duckdb: {
    load: () => import("@duckdb/node-api"),
    on: async () => (await import("./duckdb.ts")).createDuckdb,
  },
  lokijs: {
    load: async () => [
      await import("lokijs"),
      await import("lokijs/src/loki-fs-structured-adapter.js"),
    ],
    on: async () => (await import("./lokijs.ts")).createLoki,
  },
};
