// How many contacts satisfy two criteria: tercet has an index of each field, SQLite one of both. The two run in one
// process, alternating, and each pair of values is measured once.

import { contacts, figure, rowsOfEach, tableOfRows, type OfPeers } from "../figure.ts";
import { callerOf, orMissing } from "../host.ts";
import { flatContacts } from "../load.ts";
import { Asking, timeInTurns, type Rounds } from "../measure.ts";
import { collectionOf, prepareAll, serviceOf } from "../peers/tercet.ts";
import { wireContacts } from "../contacts.ts";
import { isMissing, type Missing, type Timing } from "../results.ts";

const FIRST = "send_status";
const SECOND = "open_country";
const SQLITE = "better-sqlite3";

type Pair = readonly [first: string, second: string];
type Counts = Readonly<Record<"tercet" | typeof SQLITE, Timing>>;

const tasks = {
  async counts(size: number, rounds: Rounds): Promise<Counts> {
    const flat = flatContacts(size);
    const pairs = pairsOf(flat.map((each) => [each[FIRST], each[SECOND]]));
    const collection = collectionOf(serviceOf(wireContacts(size)));
    prepareAll(collection);
    const own = ([first, second]: Pair) =>
      collection.count([
        [FIRST, "exactly", first],
        [SECOND, "exactly", second],
      ] as never);

    const { default: Sqlite } = await import("better-sqlite3");
    const database = new Sqlite(":memory:");
    database.exec(`CREATE TABLE contacts (${FIRST} TEXT, ${SECOND} TEXT); BEGIN`);
    const insert = database.prepare("INSERT INTO contacts VALUES (?, ?)");
    for (const each of flat) insert.run(each[FIRST], each[SECOND]);
    database.exec(`COMMIT; CREATE INDEX both ON contacts (${FIRST}, ${SECOND}); ANALYZE`);
    const statement = database.prepare(
      `SELECT count(*) AS count FROM contacts WHERE ${FIRST} = ? AND ${SECOND} = ?`,
    );
    const its = ([first, second]: Pair) => Number(statement.get(first, second)?.count);

    for (const pair of pairs) {
      if (own(pair) !== its(pair)) throw new Error(`wrong: the counts of ${pair.join(", ")}`);
    }
    return timeInTurns(
      { tercet: new Asking(own, pairs), [SQLITE]: new Asking(its, pairs) },
      rounds,
    );
  },
};

/** Different pairs of values that some contact has. */
function pairsOf(all: readonly (readonly [first: string, second: string | null])[]): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const [first, second] of all) {
    if (second !== null) pairs.set(`${first} ${second}`, [first, second]);
  }
  return [...pairs.values()];
}

export const counts = figure<OfPeers<Timing>>({
  name: "counts",
  what: "counting two criteria, beside SQLite with an index of both fields",
  tasks,
  async measure({ plan, say }) {
    const { size, peers, rounds, limits } = plan;
    say("counts of two criteria");
    const found: Counts | Missing = peers.includes(SQLITE)
      ? await orMissing(callerOf<typeof tasks>()("counts", [size, rounds], 4 * limits.load))
      : { unasked: `${SQLITE} does not take part` };
    return { size, peers: isMissing(found) ? { [SQLITE]: found } : found };
  },
  rows: ({ peers }) => rowsOfEach(peers, [["count of two criteria", ({ median }) => median]]),
  sections: ({ size, peers }) => [
    {
      title: `Counting two criteria over ${contacts(size)}`,
      note: `${FIRST} and ${SECOND}, both exactly, in one process and in turns. The counts of all pairs were equal.`,
      ...tableOfRows(rowsOfEach(peers, [["count of two criteria", ({ median }) => median]]), peers),
    },
  ],
});
