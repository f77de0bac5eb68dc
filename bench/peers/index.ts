// The peers by name, and their packages. Each package is loaded only on request.

import type { SyntheticContact } from "../../src/synthetic/index.ts";
import { createAlasql } from "./alasql.ts";
import { createArquero } from "./arquero.ts";
import { createChdb } from "./chdb.ts";
import { createCrossfilter } from "./crossfilter.ts";
import { createDuckdb } from "./duckdb.ts";
import { createImmer } from "./immer.ts";
import { createLoki } from "./lokijs.ts";
import { createLoop } from "./loop.ts";
import { createMingo } from "./mingo.ts";
import type { Peer } from "./peer.ts";
import { createSift } from "./sift.ts";
import { createBetterSqlite, createNodeSqlite } from "./sqlite.ts";
import { createTanstack } from "./tanstack.ts";
import { createTercet } from "./tercet.ts";

/** A peer's package, its maker by what the peer is loaded from, and what it takes part in. */
export type Entry = {
  /** In bench/node_modules; for `node:sqlite`, the module. */
  readonly package?: string;
  /** What remains to be installed for this one after the default packages. */
  readonly install?: Install;
  /** It holds its data outside V8's heap. */
  readonly native?: true;
  /** It has no queries. */
  readonly onlyUpdates?: true;
} & (
  | { readonly input?: "flat"; readonly create: () => Peer | Promise<Peer> }
  | { readonly input: "wire"; readonly create: () => Peer<SyntheticContact> }
);

interface Install {
  /** Parameters of npm, run in bench/. */
  readonly npm: readonly string[];
  /** The file that exists afterwards, in bench/node_modules. */
  readonly makes: string;
  /** Its cost, for the person who waits. */
  readonly cost: string;
  /** Only if the peer is requested by name. */
  readonly onlyByName?: true;
}

export const PEERS: Readonly<Record<string, Entry>> = {
  tercet: { input: "wire", create: createTercet },
  loop: { create: createLoop },
  sift: { package: "sift", create: createSift },
  mingo: { package: "mingo", create: createMingo },
  lokijs: { package: "lokijs", create: createLoki },
  "@tanstack/db": { package: "@tanstack/db", create: createTanstack },
  alasql: { package: "alasql", create: createAlasql },
  crossfilter2: { package: "crossfilter2", create: createCrossfilter },
  arquero: { package: "arquero", create: createArquero },
  "better-sqlite3": {
    package: "better-sqlite3",
    install: {
      npm: ["rebuild", "better-sqlite3"],
      makes: "better-sqlite3/build/Release/better_sqlite3.node",
      cost: "a minute or two of compiling where there is no binary for this platform",
    },
    native: true,
    create: createBetterSqlite,
  },
  "node:sqlite": { package: "node:sqlite", native: true, create: createNodeSqlite },
  duckdb: { package: "@duckdb/node-api", native: true, create: createDuckdb },
  chdb: {
    package: "chdb",
    install: {
      npm: ["install", "--no-save", "--ignore-scripts", "chdb@3.4.0"],
      makes: "chdb/package.json",
      cost: "half a gigabyte",
      onlyByName: true,
    },
    native: true,
    create: createChdb,
  },
  immer: { onlyUpdates: true, create: createImmer },
};
