// The interface of engines under test: a dialect, a driver as an application would write it, and a way
// to drop all tables. Each engine has a file beside this one.

import type { DatabaseChange } from "../../src/index.ts";
import type {
  ApplyPatchesOptions,
  DialectName,
  Parameter,
  Row,
  Run,
  ServiceIndexes,
  SpreadBy,
  Statement,
  TextForm,
} from "../../src/sql/index.ts";
import { applyPatchesSql, createTables } from "../../src/sql/index.ts";
import type { Server } from "./server.ts";

export interface Engine {
  /** The engine and its version, for reports. */
  readonly name: string;
  readonly dialect: DialectName;
  readonly run: Run;
  /** It has no U+0000 in text. */
  readonly refusesNul?: boolean;
  /** `"bytes"`, where its driver reads a string that begins with U+FEFF without it. */
  readonly texts?: TextForm;
  /** Makes the tables of a service, where they are more than those of `createTables`. */
  readonly createTables?: (indexes?: ServiceIndexes) => Promise<void>;
  /** Removes all rows of a service's tables, where they are there and that is faster than making them; else `false`. */
  readonly empty?: () => Promise<boolean>;
  /** Has the engine take stock of what was loaded, for its plans. */
  readonly settle?: () => Promise<void>;
  /** Its tables are in memory, and not in files. */
  readonly inMemory?: boolean;
  /** How many bytes its tables take, with their indexes. */
  readonly bytes?: () => Promise<number>;
  /** Drops whatever tables there are. */
  readonly clear: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Servers that hold a part of the rows each, behind one that is asked. */
export interface ClusterEngine extends Engine {
  readonly shards: readonly Shard[];
  /** The options of `createTables` for them. */
  readonly servers: string | readonly string[];
}

export interface Shard {
  /** What the server that is asked calls it. */
  readonly name: string;
  readonly server: Server;
  readonly run: Run;
}

/** Sends a statement that nobody gives up. */
export async function rowsOf(
  { run }: Pick<Engine, "run">,
  text: string,
  parameters: readonly Parameter[] = [],
): Promise<readonly Row[]> {
  return await run(text, parameters, { signal: new AbortController().signal });
}

/** Sends statements, one after the other. */
export async function execute(
  engine: Pick<Engine, "run">,
  statements: Iterable<Statement>,
): Promise<void> {
  for (const { text, parameters } of statements) await rowsOf(engine, text, parameters);
}

type ClusterTables = Pick<ClusterEngine, "dialect" | "run" | "shards" | "servers">;

/** The tables of a service on each shard, and those of the server that asks them. */
export async function createClusterTables(
  cluster: ClusterTables,
  indexes?: ServiceIndexes,
  by: SpreadBy = "contact",
): Promise<void> {
  const { dialect, shards, servers } = cluster;
  for (const shard of shards) await execute(shard, createTables({ dialect, indexes }));
  await execute(cluster, createTables({ dialect, cluster: { servers, by } }));
}

/** Makes a change in the tables of an engine. */
export async function change(
  engine: Pick<Engine, "dialect" | "run">,
  made: DatabaseChange,
  options: Omit<ApplyPatchesOptions, "dialect">,
): Promise<void> {
  await execute(engine, applyPatchesSql(made, { dialect: engine.dialect, ...options }));
}

/** The data as the engine can hold them: without U+0000 where it has none. */
export function storable<Data>({ refusesNul = false }: Engine, data: Data): Data {
  // Of the same shape as the data: only texts are others.
  return refusesNul ? (mapTexts(data, (text) => text.replaceAll("\0", "\u0001")) as Data) : data;
}

/** Whether the engine can hold the data as they are. */
export function isStorable({ refusesNul = false }: Engine, data: unknown): boolean {
  let hasNul = false;
  mapTexts(data, (text) => {
    hasNul ||= text.includes("\0");
    return text;
  });
  return !refusesNul || !hasNul;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]),
  );
}
