// The peers by name, and their packages. Each package is loaded only on request.

import type { SyntheticContact } from "../../src/synthetic/index.ts";
import { createArquero } from "./arquero.ts";
import { createCrossfilter } from "./crossfilter.ts";
import { createDuckdb } from "./duckdb.ts";
import { createLoki } from "./lokijs.ts";
import { createLoop } from "./loop.ts";
import type { Peer } from "./peer.ts";
import { createSqlite } from "./sqlite.ts";
import { createTanstack } from "./tanstack.ts";
import { createTercet } from "./tercet.ts";

/** A peer's package, and its maker by what the peer is loaded from. */
export type Entry = {
  /** In bench/node_modules. */
  readonly package?: string;
  /** A file of the package that npm has to build, in bench/node_modules. */
  readonly built?: string;
  /** It holds its data outside V8's heap. */
  readonly native?: true;
} & (
  | { readonly input?: "flat"; readonly create: () => Peer | Promise<Peer> }
  | { readonly input: "wire"; readonly create: () => Peer<SyntheticContact> }
);

export const PEERS: Readonly<Record<string, Entry>> = {
  tercet: { input: "wire", create: createTercet },
  loop: { create: createLoop },
  lokijs: { package: "lokijs", create: createLoki },
  "@tanstack/db": { package: "@tanstack/db", create: createTanstack },
  crossfilter2: { package: "crossfilter2", create: createCrossfilter },
  arquero: { package: "arquero", create: createArquero },
  "better-sqlite3": {
    package: "better-sqlite3",
    built: "better-sqlite3/build/Release/better_sqlite3.node",
    native: true,
    create: createSqlite,
  },
  duckdb: { package: "@duckdb/node-api", native: true, create: createDuckdb },
};
