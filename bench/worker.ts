// The inside of a worker process. A worker measures one peer, or one figure, with a heap of its own:
// what another peer holds costs it no garbage collection, and a call that does not end can be ended
// with the process. Tasks are called by message, one after the other; see host.ts for the outside.

import { answerCalls } from "./answer.ts";
import { FIELD_TYPES, type FlatContact } from "./contacts.ts";
import { counts } from "./figures/counts.ts";
import { envelope } from "./figures/envelope.ts";
import { files } from "./figures/files.ts";
import { first } from "./figures/first.ts";
import { opened } from "./figures/opened.ts";
import { parts } from "./figures/parts.ts";
import { prepared } from "./figures/prepared.ts";
import { profiles } from "./figures/profiles.ts";
import { share } from "./figures/share.ts";
import { updates } from "./figures/updates.ts";
import { watchers } from "./figures/watchers.ts";
import { flatContacts, loadPeer, type LoadedPeer } from "./load.ts";
import { collectGarbage, heapInUse, once, residentInUse, sample, turns } from "./measure.ts";
import { PEERS } from "./peers/index.ts";
import type { Row, Run } from "./peers/peer.ts";
import { fitOffset, queriesFor, type BenchQuery } from "./queries.ts";
import { matchesOf, pageOf } from "./reference.ts";
import type { Loading, Missing } from "./results.ts";

/** A query, with what is right. */
export interface Question {
  readonly query: BenchQuery;
  readonly matching: number;
  /** The ids of the page, for the first values. */
  readonly answers: readonly (readonly string[])[];
}

/** Of how many of a query's values the answers are compared. */
const CHECKED = 3;
/** After so many milliseconds no further values are. */
const CHECKING = 1000;

/** How many times longer the first query is warmed up. */
const FIRST = 5;

let peer: LoadedPeer | undefined;
const runs = new Map<number, () => unknown>();

const tasks = {
  /** The queries with these numbers, fitted to the contacts, and their answers by the reference. */
  questions: (size: number, ids: readonly number[]): Question[] => {
    const contacts = flatContacts(size);
    const asked = queriesFor(contacts).filter(({ id }) => ids.includes(id));
    return asked.map((given) => {
      const matching = matchesOf(contacts, given, given.values[0] ?? []).length;
      const query = fitOffset(given, matching);
      const answers = query.values
        .slice(0, CHECKED)
        .map((values) => pageOf(matchesOf(contacts, query, values), query, FIELD_TYPES).map(idOf));
      return { query, matching, answers };
    });
  },

  /** Loads this process's peer. */
  load: async (name: string, size: number): Promise<Loading> => {
    const memory = PEERS[name]?.native === true ? "resident" : "heap";
    const inUse = memory === "resident" ? residentInUse : heapInUse;
    const empty = inUse();
    const loaded = await loadPeer(name, size);
    const full = inUse();
    const prepare = await once(() => loaded.peer.prepare?.());
    peer = loaded.peer;
    return { load: loaded.time, prepare, records: full - empty, indexes: inUse() - full, memory };
  },

  /** Compares the peer's answers with what is right; a query that passes is warm and can be sampled. */
  check: async ({ query, answers }: Question, warmUp: number): Promise<Missing | "right"> => {
    if (peer === undefined) throw new Error("no peer is loaded");
    collectGarbage();
    const run = await peer.compile(query);
    if ("cannot" in run) return run;
    const end = performance.now() + CHECKING;
    for (const [i, answer] of answers.entries()) {
      const wrong = differenceOf(await run(query.values[i] ?? []), answer);
      if (wrong !== undefined) return { wrong };
      if (performance.now() > end) break;
    }
    const runner = runnerOf(run, query);
    runs.set(query.id, runner);
    // Compiled code comes with calls; the first query also brings that of what all queries share.
    const longer = runs.size === 1 ? FIRST : 1;
    if (performance.now() < end) await sample(runner, longer * warmUp);
    return "right";
  },

  /** Samples of a checked query. */
  sample: (id: number, milliseconds: number): Promise<number[]> => {
    const run = runs.get(id);
    if (run === undefined) throw new Error(`query ${id} is not checked`);
    collectGarbage();
    return sample(run, milliseconds);
  },

  first,
  parts,
  envelope,
  prepared,
  profiles,
  counts,
  updates,
  watchers,
  share,
  opened,
  files,
};

export type WorkerTasks = typeof tasks;

answerCalls(tasks);

function runnerOf(run: Run, { values }: BenchQuery): () => unknown {
  const next = turns(values);
  return () => run(next());
}

function idOf(row: Row | FlatContact): string {
  return String(row.send_id);
}

/** A contact's fields; a peer may add its own. */
const FIELDS = FIELD_TYPES.size - 3;

function differenceOf(rows: readonly Row[], ids: readonly string[]): string | undefined {
  if (rows.length !== ids.length) return `${rows.length} rows for ${ids.length}`;
  const at = rows.findIndex((row, i) => idOf(row) !== ids[i]);
  if (at >= 0) return `row ${at} is ${idOf(rows[at] ?? {})}, should be ${ids[at] ?? ""}`;
  const fields = Object.keys(rows[0] ?? {}).length;
  return rows.length > 0 && fields < FIELDS ? `rows of ${fields} fields` : undefined;
}
