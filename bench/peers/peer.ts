// What a peer is to the harness.

import type { FieldType } from "../../src/index.ts";
import type { FlatContact } from "../contacts.ts";
import type { BenchQuery } from "../queries.ts";
import type { SyntheticContact } from "../../src/synthetic/index.ts";

/** A record as the peer returns it. Ints may be numbers: what a peer does not convert it need not pay for. */
export type Row = Readonly<Record<string, unknown>>;

/** Answers a query for values of its criteria: the full records of the page, in their order. */
export type Run = (values: readonly string[]) => readonly Row[] | Promise<readonly Row[]>;

/** Why a peer has no answer to a query. */
export interface Cannot {
  readonly cannot: string;
}

export interface Peer {
  readonly name: string;
  /** The most contacts that it is loaded with, and why not more. */
  readonly most?: { readonly contacts: number; readonly reason: string };
  load(
    contacts: readonly FlatContact[],
    fields: ReadonlyMap<string, FieldType>,
  ): Promise<void> | void;
  /** Builds the indexes. */
  prepare?(): Promise<void> | void;
  /** Makes what can be made before the values are known, such as a prepared statement. */
  compile(query: BenchQuery): Run | Cannot | Promise<Run | Cannot>;
}

/** tercet's own input: it takes nested contacts and is loaded from them. */
export type WireContacts = readonly SyntheticContact[];

/** Of several ways to put a query, the one that answers these values fastest, each tried three times. */
export function fastest(runs: readonly [() => Run, ...(() => Run)[]], query: BenchQuery): Run {
  let best = { run: runs[0](), time: Infinity };
  if (runs.length === 1) return best.run;
  for (const make of runs) {
    const run = make();
    let time = Infinity;
    for (let i = 0; i < 3; i++) {
      const start = performance.now();
      void run(query.values[0] ?? []);
      time = Math.min(time, performance.now() - start);
    }
    if (time < best.time) best = { run, time };
  }
  return best.run;
}
