// Questions that cross collections: orders by the countries and names of their customers, each question about another
// number, with one order changed before it; the same after a customer moved; and a live count while customers move.

import {
  figure,
  measureEach,
  missingNote,
  present,
  rowsOfEach,
  tableOfRows,
  type OfPeers,
  type Plan,
} from "../figure.ts";
import { count } from "../format.ts";
import { PEERS } from "../peers/index.ts";
import { areAlike, type Rows } from "../own/alike.ts";
import {
  country,
  CUSTOMERS,
  dataOf,
  QUESTIONS,
  RELATION_PEERS,
  type RelationsPeer,
} from "../own/relations.ts";

const ORDERS = 1_000_000;
const QUICK_ORDERS = 100_000;
const ROUNDS = 7;
/** How often each question is asked before it is measured, about other numbers, unless the plan has no time for that. */
const WARM_UP = 300;
/** The milliseconds after which a question is not asked again. */
const PATIENCE = 5000;

interface Measured {
  /** The median in nanoseconds, by the name of a row. */
  readonly times: Readonly<Record<string, number>>;
  readonly found: Readonly<Record<string, Rows>>;
}

/** How many numbers are measured, and how many others are asked about before. */
const MEASURED = 2 * QUESTIONS.length * (ROUNDS + 1);
const WARM = 19;

const LIVE = "live count of a country, a customer moved";

async function measure(
  peer: RelationsPeer,
  orders: number,
  { rounds: { warmUp } }: Plan,
): Promise<Measured> {
  const times: Record<string, number> = {};
  const found: Record<string, Rows> = {};
  let number = 0;
  let changes = 0;
  const change = () => peer.change((++changes * 7919) % orders, (changes % 1000) / 8);
  const move = () => peer.move(((++changes * 31) % CUSTOMERS) * 3, country(changes * 7));
  const parts = [["an order changed", change] as const, ["a customer moved", move] as const];
  for (const [after, before] of parts) {
    for (const question of QUESTIONS) {
      const name = `${question}, ${after}`;
      const warm = performance.now() + warmUp;
      for (let round = 0; round < WARM_UP; round++) {
        // The same changes, whatever is asked.
        await before();
        if (performance.now() < warm) await peer.ask(question, MEASURED + 1 + (round % WARM));
      }
      const all: number[] = [];
      const end = performance.now() + PATIENCE;
      for (let round = 0; round <= ROUNDS; round++) {
        number++;
        await before();
        if (all.length > 0 && performance.now() > end) continue;
        const start = performance.now();
        const rows = await peer.ask(question, number);
        const time = performance.now() - start;
        if (rows === undefined) continue;
        all.push(time * 1e6);
        found[`${name}, ${number}`] = rows;
      }
      if (all.length > 0) times[name] = median(all.slice(all.length > 1 ? 1 : 0));
    }
  }
  const current = await peer.watch?.(country(0));
  if (current === undefined) return { times, found };
  const all: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const id = ((round * 101) % CUSTOMERS) * 3;
    const start = performance.now();
    await peer.move(id, country(0));
    found[`${LIVE}, ${round}`] = [[current()]];
    all.push((performance.now() - start) * 1e6);
  }
  times[LIVE] = median(all);
  return { times, found };
}

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

const tasks = {
  async relations(plan: Plan, name: string): Promise<Measured> {
    const create = RELATION_PEERS[name];
    if (create === undefined) throw new Error(`${name} does not take part`);
    const orders = plan.quick ? QUICK_ORDERS : ORDERS;
    return measure(await create(dataOf(orders)), orders, plan);
  },
};

/** @throws Error if two peers found something else; sums are rounded by some */
function compare({ peers }: OfPeers<Measured>): void {
  const known = new Map<string, readonly [peer: string, rows: Rows]>();
  for (const [peer, { found }] of present(peers)) {
    for (const [question, rows] of Object.entries(found)) {
      const [first, expected] = known.get(question) ?? [peer, rows];
      known.set(question, [first, expected]);
      if (!areAlike(expected, rows)) throw new Error(`${peer} and ${first} differ: ${question}`);
    }
  }
}

const NAMES = [
  ...["an order changed", "a customer moved"].flatMap((after) =>
    QUESTIONS.map((question) => `${question}, ${after}`),
  ),
  LIVE,
];

const rowsOf = ({ peers }: OfPeers<Measured>) =>
  rowsOfEach(
    peers,
    NAMES.map((name) => [name, ({ times }) => times[name]]),
  ).filter(({ values }) => Object.keys(values).length > 0);

export const relations = figure<OfPeers<Measured>>({
  name: "relations",
  what: "five questions and a live one about 1,000,000 orders by fields of 50,000 customers, beside SQLite, DuckDB, TanStack DB, two steps by hand, and one table with these fields",
  tasks,
  async measure(run) {
    const names = Object.keys(RELATION_PEERS);
    const limit = 20 * run.plan.limits.load;
    const others = names.filter((name) => !(name in PEERS));
    const plan = { ...run.plan, peers: [...run.plan.peers, ...others] };
    const measured = await measureEach<Measured>({ ...run, plan }, "relations", names, limit);
    compare(measured);
    const peers = Object.fromEntries(
      Object.entries(measured.peers).map(([name, each]) => [
        name,
        "times" in each ? { times: each.times, found: {} } : each,
      ]),
    );
    return { ...measured, peers };
  },
  rows: rowsOf,
  sections: (result) => [
    {
      title: "Relations",
      note: [
        `${count(ORDERS)} orders refer to ${count(CUSTOMERS)} customers in 100 countries. Before each question, the total of one order is set, or one customer moves to another country; each question is about another number, and medians are of ${ROUNDS}, after up to ${WARM_UP} questions about other numbers. “By hand” asks for the customers, and then for their orders by a list of ids; “one table” has the name and the country of the customer in each order. SQLite has indexes of the names, the countries, the customers with totals, and the totals; DuckDB has two threads. TanStack DB is asked two of the questions. All found the same.`,
        missingNote(result.peers),
      ]
        .filter(Boolean)
        .join(" "),
      ...tableOfRows(rowsOf(result), result.peers),
    },
  ],
});
