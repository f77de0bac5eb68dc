// Compares queries: each peer is loaded in its own process, its results are compared with the reference's, and peers
// with correct results are timed in rounds, alternating between them.

import { FIELD_TYPES } from "./contacts.ts";
import { contacts, type Run as Asked } from "./figure.ts";
import { callerOf } from "./host.ts";
import { flatContacts, loadPeer, type LoadedPeer } from "./load.ts";
import { LoadedWorker, timeInRounds } from "./loaded.ts";
import {
  Asking,
  collectGarbage,
  sampleRound,
  warmUp,
  type Rounds,
  type Sampled,
} from "./measure.ts";
import type { Row } from "./peers/peer.ts";
import { queriesFor, type BenchQuery } from "./queries.ts";
import { pageOf, type ReferencePage } from "./reference.ts";
import type { Missing, Outcome } from "./results.ts";

/** Peers over the same contacts, each in its own process, in rounds. */
export interface Comparison {
  readonly size: number;
  readonly queries: readonly {
    readonly id: number;
    readonly label: string;
    /** The maximum number of calls. */
    readonly calls: number;
    /** How many contacts match the first call, before paging. */
    readonly matching: number;
    /** By peer. */
    readonly outcomes: Readonly<Record<string, Outcome>>;
  }[];
}

/** A query with the correct results of its first calls. */
export interface Question {
  readonly query: BenchQuery;
  readonly answers: readonly ReferencePage[];
}

/** Whether all calls are different, or the first one is repeated. */
export type Manner = "distinct" | "repeated";

/** For how many calls of a query the results are compared. */
const CHECKED = 3;
/** No further results are compared after this many milliseconds. */
const CHECKING = 1000;
/** The maximum number of calls of a repeated query. */
const REPEATED = 200_000;

let loaded: LoadedPeer | undefined;
const asked = new Map<number, Sampled>();

export const tasks = {
  /** The queries with these numbers over this many contacts, and the results of the reference. */
  questions: (size: number, ids: readonly number[]): Question[] => {
    const all = flatContacts(size);
    return queriesFor(all)
      .filter(({ id }) => ids.includes(id))
      .map((query) => ({
        query,
        answers: query.calls.slice(0, CHECKED).map((call) => pageOf(all, query, call)),
      }));
  },

  /** Loads this process's peer, with its indexes. */
  load: async (name: string, size: number): Promise<object> => {
    const { peer } = await loadPeer(name, size);
    await peer.prepare?.();
    loaded = peer;
    return {};
  },

  /**
   * Compares the peer's results with the correct ones. A query that passes is warmed up and can be sampled with other
   * calls.
   */
  check: async (
    { query, answers }: Question,
    manner: Manner,
    rounds: Rounds,
  ): Promise<Missing | "right"> => {
    if (loaded === undefined) throw new Error("no peer is loaded");
    collectGarbage();
    const run = await loaded.compile(query);
    if ("cannot" in run) return run;
    const end = performance.now() + CHECKING;
    for (const [i, { ids }] of answers.entries()) {
      const call = query.calls[i];
      if (call === undefined || performance.now() > end) break;
      const wrong = differenceOf(await run(call), ids);
      if (wrong !== undefined) return { wrong };
    }
    const [first] = query.calls;
    const calls =
      manner === "distinct" || first === undefined
        ? query.calls.slice(answers.length)
        : Array.from({ length: REPEATED }, () => first);
    const asking = new Asking(run, calls);
    asked.set(query.id, asking);
    await warmUp(asking, rounds);
    return "right";
  },

  /** Samples of a checked query. */
  sample: (id: number, rounds: Rounds, round: number): Promise<number[]> => {
    const asking = asked.get(id);
    if (asking === undefined) throw new Error(`query ${id} is not checked`);
    collectGarbage();
    return sampleRound(asking, rounds, round);
  },
};

/** A contact's fields; a peer may add its own. */
const FIELDS = FIELD_TYPES.size - 3;

function differenceOf(rows: readonly Row[], ids: readonly string[]): string | undefined {
  if (rows.length !== ids.length) return `${rows.length} rows for ${ids.length}`;
  const idOf = (row: Row = {}): string => String(row.send_id);
  const at = rows.findIndex((row, i) => idOf(row) !== ids[i]);
  if (at >= 0) return `row ${at} is ${idOf(rows[at])}, should be ${ids[at] ?? ""}`;
  const fields = Object.keys(rows[0] ?? {}).length;
  return rows.length > 0 && fields < FIELDS ? `rows of ${fields} fields` : undefined;
}

/** The tasks, called from outside. */
export const call = callerOf<typeof tasks>();

export async function compare(
  { plan: { rounds, limits }, say }: Asked,
  size: number,
  names: readonly string[],
  ids: readonly number[],
  manner: Manner = "distinct",
): Promise<Comparison> {
  const at = contacts(size);
  say(`${at}: the reference's answers`);
  const questions = await call("questions", [size, ids]);
  const peers = names.map(
    (name) =>
      new LoadedWorker<typeof tasks>(name, limits, (worker, seconds) =>
        worker.call("load", [name, size], seconds),
      ),
  );
  try {
    for (const peer of peers) {
      say(`${at}: loading ${peer.name}`);
      await peer.load();
    }
    const queries: Comparison["queries"][number][] = [];
    for (const question of questions) {
      const { id, label, calls } = question.query;
      say(`${at}: query ${id}, ${label}`);
      const outcomes = await timeInRounds(
        peers,
        {
          check: (peer) => peer.call("check", [question, manner, rounds]),
          sample: (peer, round) => peer.call("sample", [id, rounds, round]),
        },
        rounds,
      );
      const matching = question.answers[0]?.matching ?? 0;
      queries.push({ id, label, calls: calls.length, matching, outcomes });
    }
    return { size, queries };
  } finally {
    for (const peer of peers) peer.close();
  }
}
