// The peers by name, and the packages that they are. Each package is loaded only when it is asked for.

import { readFileSync } from "node:fs";
import type { SyntheticContact } from "../../src/synthetic/index.ts";
import { createArquero } from "./arquero.ts";
import { createCrossfilter } from "./crossfilter.ts";
import { createDuckdb } from "./duckdb.ts";
import { createLoki } from "./lokijs.ts";
import { createLoop } from "./loop.ts";
import type { Peer } from "./peer.ts";
import { createSqlite } from "./sqlite.ts";
import { createTercet } from "./tercet.ts";

interface Entry {
  /** Its package in bench/node_modules. */
  readonly package?: string;
  readonly create: (nested: readonly SyntheticContact[]) => Peer | Promise<Peer>;
}

export const PEERS: Readonly<Record<string, Entry>> = {
  tercet: { create: createTercet },
  loop: { create: createLoop },
  lokijs: { package: "lokijs", create: createLoki },
  crossfilter2: { package: "crossfilter2", create: createCrossfilter },
  "better-sqlite3": { package: "better-sqlite3", create: createSqlite },
  duckdb: { package: "@duckdb/node-api", create: createDuckdb },
  arquero: { package: "arquero", create: createArquero },
};

/** The version of a peer's package, of tercet's own for tercet. */
export function versionOf(name: string): string {
  const path =
    name === "tercet"
      ? "package.json"
      : `bench/node_modules/${PEERS[name]?.package ?? ""}/package.json`;
  if (name === "loop") return "hand-written";
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
