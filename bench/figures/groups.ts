// Groups of orders: twelve questions, each about another range, with one order changed between any two. Every peer has a
// process of its own, and the first question of each kind is measured apart from those that follow.

import {
  figure,
  measureEach,
  missingNote,
  present,
  rowsOfEach,
  tableOfRows,
  type OfEach,
  type OfPeers,
  type Plan,
} from "../figure.ts";
import { count } from "../format.ts";
import { isMissing } from "../results.ts";
import { areAlike, type Rows } from "../own/alike.ts";
import { GROUP_PEERS, ordersOf, QUESTIONS, type GroupPeer } from "../own/groups.ts";

const SIZES = [100_000, 1_000_000];
const ROUNDS = 7;

/** In nanoseconds; none for questions that a peer can't answer. */
type Times = Readonly<Record<string, { readonly cold: number; readonly warm: number }>>;
/** By size. */
interface Measured {
  readonly times: Readonly<Record<string, Times>>;
  /** What was found, for comparison with the other peers. */
  readonly found: Readonly<Record<string, Readonly<Record<string, Rows>>>>;
}

async function timesOf(peer: GroupPeer, size: number, rounds: number) {
  const times: Record<string, { cold: number; warm: number }> = {};
  const found: Record<string, Rows> = {};
  let asked = 0;
  const ask = async (name: string): Promise<number> => {
    const low = asked++ % 5;
    await peer.change((asked * 7919) % size, (asked % 1000) / 8);
    const start = performance.now();
    const rows = await peer.ask(name, low);
    const time = performance.now() - start;
    if (rows === undefined) return NaN;
    found[`${name}, ${asked}`] = rows;
    return time * 1e6;
  };
  for (const { name } of QUESTIONS) {
    const cold = await ask(name);
    const warm: number[] = [];
    for (let round = 0; round < rounds; round++) warm.push(await ask(name));
    warm.sort((a, b) => a - b);
    if (!Number.isNaN(cold)) times[name] = { cold, warm: warm[rounds >> 1] ?? NaN };
  }
  return { times, found };
}

const tasks = {
  async groups({ quick }: Plan, name: string): Promise<Measured> {
    const create = GROUP_PEERS[name];
    if (create === undefined) throw new Error(`${name} does not take part`);
    const [times, found]: [Record<string, Times>, Record<string, Measured["found"][string]>] = [
      {},
      {},
    ];
    for (const size of quick ? SIZES.slice(0, 1) : SIZES) {
      const peer = await create(ordersOf(size));
      const measured = await timesOf(peer, size, ROUNDS);
      times[String(size)] = measured.times;
      found[String(size)] = measured.found;
    }
    return { times, found };
  },
};

/** @throws Error if two peers found something else */
function compare({ peers }: OfPeers<Measured>): void {
  const known = new Map<string, readonly [peer: string, rows: Rows]>();
  for (const [peer, { found }] of present(peers)) {
    for (const [size, all] of Object.entries(found)) {
      for (const [question, rows] of Object.entries(all)) {
        const key = `${question} of ${size} orders`;
        const [first, expected] = known.get(key) ?? [peer, rows];
        known.set(key, [first, expected]);
        if (!areAlike(expected, rows)) throw new Error(`${peer} and ${first} differ: ${key}`);
      }
    }
  }
}

/** What was found is no result of the figure. */
const timesOnly = (peers: OfEach<Measured>): OfEach<Measured> =>
  Object.fromEntries(
    Object.entries(peers).map(([name, each]) => [
      name,
      isMissing(each) ? each : { times: each.times, found: {} },
    ]),
  );

const rowsOf = ({ peers }: OfPeers<Measured>) =>
  SIZES.flatMap((size) =>
    (["cold", "warm"] as const).flatMap((part) =>
      rowsOfEach(
        peers,
        QUESTIONS.map(({ name }) => [
          `${name}, ${part}, ${count(size)} orders`,
          ({ times }) => times[String(size)]?.[name]?.[part],
        ]),
      ),
    ),
  ).filter(({ values }) => Object.keys(values).length > 0);

export const groups = figure<OfPeers<Measured>>({
  name: "groups",
  what: "twelve questions for groups of 100,000 and 1,000,000 orders, beside DuckDB, SQLite, Arquero and Crossfilter",
  tasks,
  async measure(run) {
    const names = Object.keys(GROUP_PEERS);
    const measured = await measureEach<Measured>(run, "groups", names, 12 * run.plan.limits.load);
    compare(measured);
    return { ...measured, peers: timesOnly(measured.peers) };
  },
  rows: rowsOf,
  sections: (result) => [
    {
      title: "Groups",
      note: [
        "One order is changed before each question, and each is about another range. Cold: the first of its kind in a process. Warm: the median of those that follow. DuckDB has two threads, and SQLite an index of the range. All peers found the same, to a billionth.",
        missingNote(result.peers),
      ]
        .filter(Boolean)
        .join(" "),
      ...tableOfRows(rowsOf(result), result.peers),
    },
  ],
});
