// The comparison: every peer is loaded, its answers are compared with the plain loop's, and those that
// are right are timed in turns.

import { FIELD_TYPES, type FlatContact } from "./contacts.ts";
import { once, timeInTurns, turns, type Rounds, type Timing } from "./measure.ts";
import { PEERS } from "./peers/index.ts";
import { countMatches, loopOver } from "./peers/loop.ts";
import type { Peer, Row, Run } from "./peers/peer.ts";
import { fitOffset, type BenchQuery } from "./queries.ts";
import { progress } from "./report.ts";
import type { SyntheticContact } from "../src/synthetic/index.ts";

export type Outcome = Timing | { readonly cannot: string } | { readonly wrong: string };

export interface Comparison {
  readonly query: BenchQuery;
  /** How many contacts match, before paging. */
  readonly matching: number;
  /** By peer. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

export interface Loaded {
  readonly peer: Peer;
  /** Nanoseconds. */
  readonly load: number;
  readonly prepare: number;
}

/** The peers that can't be loaded at this size, with the largest at which each can. */
export async function tooLarge(
  names: readonly string[],
  nested: readonly SyntheticContact[],
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const name of names) {
    const most = (await PEERS[name]?.create(nested))?.most?.contacts ?? Infinity;
    if (nested.length > most) sizes.set(name, most);
  }
  return sizes;
}

/** Loads the peers that are named; one that cannot be is told of and left out. */
export async function loadPeers(
  names: readonly string[],
  nested: readonly SyntheticContact[],
  contacts: readonly FlatContact[],
): Promise<Loaded[]> {
  const loaded: Loaded[] = [];
  for (const name of names) {
    try {
      const peer = await PEERS[name]?.create(nested);
      if (peer === undefined) continue;
      if (peer.most !== undefined && contacts.length > peer.most.contacts) {
        progress(`${name} is left out: ${peer.most.reason}`);
        continue;
      }
      progress(`loading ${name}`);
      const load = await once(() => peer.load(contacts, FIELD_TYPES));
      const prepare = await once(() => peer.prepare?.());
      loaded.push({ peer, load, prepare });
    } catch (error) {
      progress(`${name} is left out: ${String(error)}`);
    }
  }
  return loaded;
}

/** Compares the peers over one query. */
export async function compare(
  peers: readonly Peer[],
  contacts: readonly FlatContact[],
  given: BenchQuery,
  rounds: Rounds,
): Promise<Comparison> {
  const matching = countMatches(contacts, given);
  const query = fitOffset(given, matching);
  const outcomes = new Map<string, Outcome>();
  const runs = new Map<string, () => unknown>();
  for (const peer of peers) {
    const compiled = await peer.compile(query);
    if ("cannot" in compiled) {
      outcomes.set(peer.name, compiled);
      continue;
    }
    const wrong = await findWrong(compiled, contacts, query);
    if (wrong !== undefined) {
      outcomes.set(peer.name, { wrong });
      continue;
    }
    const next = turns(query.values);
    runs.set(peer.name, () => compiled(next()));
  }
  const timings = await timeInTurns(runs, rounds, (name, round) =>
    progress(`query ${query.id}, round ${round + 1} of ${rounds.rounds}: ${name}`),
  );
  return { query, matching, outcomes: new Map([...outcomes, ...timings]) };
}

/** What is wrong with a peer's answers to the first values, told by the ids of the records. */
async function findWrong(
  run: Run,
  contacts: readonly FlatContact[],
  query: BenchQuery,
): Promise<string | undefined> {
  const reference = loopOver(contacts, query);
  for (const values of query.values.slice(0, 3)) {
    const expected = await reference(values);
    let rows: readonly Row[];
    try {
      rows = await run(values);
    } catch (error) {
      return String(error);
    }
    if (rows.length !== expected.length) return `${rows.length} rows for ${expected.length}`;
    for (const [i, row] of rows.entries()) {
      const [id, right] = [row.send_id, expected[i]?.send_id].map(String);
      if (id !== right) return `row ${i} is ${id}, should be ${right}`;
    }
    const fields = Object.keys(rows[0] ?? {}).length;
    if (rows.length > 0 && fields < 24) return `rows of ${fields} fields`;
  }
  return undefined;
}
