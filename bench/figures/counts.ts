// How many contacts have each value of a field, or are in each bin of a histogram: of all of them, and
// of the tenth that a range of send times selects, another tenth each time. Each peer has its best
// idiom and the indexes that help it; its answers are compared with a loop's before they are timed.

import type { FlatContact } from "../contacts.ts";
import { flatContacts } from "../load.ts";
import { collectGarbage, sample, timingOf, turns, type Rounds } from "../measure.ts";
import type { Awaitable } from "../peers/peer.ts";
import { collectionOfFlat } from "../peers/tercet-flat.ts";
import type { Counts, Timing } from "../results.ts";

/** Send times from `low` up to `high`, both included. */
interface Range {
  readonly low: number;
  readonly high: number;
}

/** What is counted: the values of a field, or an int field in bins. */
interface Counted {
  readonly label: string;
  readonly field: "send_status" | "open_country" | "open_count" | "last_open_time";
  readonly bins?: { readonly from: number; readonly width: number; readonly count: number };
}

/** How many contacts have each value, or are in the bin with that number; −1 is below all bins. */
type Answer = readonly (readonly [key: string | number, count: number])[];

/** A peer that counts something, of those in a range or of all. */
interface Counter {
  /** What is timed. */
  readonly run: (range: Range | undefined) => unknown;
  readonly answer: (range: Range | undefined) => Promise<Answer>;
}

/** @param read the result as an answer, which is not timed */
function counter<Result>(
  run: (range: Range | undefined) => Result | Promise<Result>,
  read: (result: Result) => Answer,
): Counter {
  return { run, answer: async (range) => read(await run(range)) };
}

type Way = (
  contacts: readonly FlatContact[],
) => Awaitable<(counted: Counted) => Counter | Promise<Counter>>;

const binOf = (value: number, { from, width }: NonNullable<Counted["bins"]>): number =>
  value < from ? -1 : Math.floor((value - from) / width);

/** What is the same for a range each time; to make it again is not counting. */
function oncePerRange<Made>(make: (range: Range | undefined) => Made) {
  const ofAll = make(undefined);
  const made = new Map<Range, Made>();
  return (range: Range | undefined): Made => {
    if (range === undefined) return ofAll;
    const fresh = made.get(range) ?? make(range);
    made.set(range, fresh);
    return fresh;
  };
}

function tercet(contacts: readonly FlatContact[]) {
  const collection = collectionOfFlat(contacts);
  collection.prepare({
    match: ["send_time", "send_status", "open_country", "open_count", "last_open_time"],
  });
  const criteria = oncePerRange(
    (range) =>
      range && [
        ["send_time", "greater_than", range.low - 1],
        ["send_time", "less_than", range.high + 1],
      ],
  );
  return ({ field, bins }: Counted) => {
    if (bins === undefined) {
      return counter(
        (range) => collection.countBy(field, criteria(range) as never),
        (counts) => counts.map(({ value, count }) => [String(value), count]),
      );
    }
    const { from, width, count } = bins;
    const to = from + width * count - 1;
    const options = oncePerRange((range) => ({ bins: count, from, to, criteria: criteria(range) }));
    return counter(
      (range) => collection.histogram(field as never, options(range) as never),
      (found) => [[-1, found.below], ...found.bins.map((bin, i) => [i, bin.count] as const)],
    );
  };
}

function loop(contacts: readonly FlatContact[]) {
  return ({ field, bins }: Counted) =>
    counter(
      (range) => {
        const counts = new Map<string | number, number>();
        for (const contact of contacts) {
          const time = Number(contact.send_time);
          if (range !== undefined && (time < range.low || time > range.high)) continue;
          const value = contact[field];
          const key = bins === undefined ? String(value) : binOf(Number(value), bins);
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
        return counts;
      },
      (counts) => [...counts],
    );
}

/** Its groups are kept up to date while filters change, so that what is timed is to filter and to read. */
async function crossfilter(contacts: readonly FlatContact[]) {
  const { default: make } = await import("crossfilter2");
  const all = make(contacts);
  const time = all.dimension(({ send_time }) => Number(send_time));
  return ({ field, bins }: Counted) => {
    const dimension = all.dimension((contact) =>
      bins === undefined ? String(contact[field]) : binOf(Number(contact[field]), bins),
    );
    const group = dimension.group();
    return counter(
      (range) => {
        if (range === undefined) time.filterAll();
        else time.filterRange([range.low, range.high + 1]);
        return group.all();
      },
      (counts) => counts.map(({ key, value }) => [key, value]),
    );
  };
}

async function arquero(contacts: readonly FlatContact[]) {
  const { table, op } = await import("arquero");
  const column = (field: keyof FlatContact) => contacts.map((contact) => contact[field]);
  const numbers = (field: keyof FlatContact) =>
    Float64Array.from(contacts, (c) => Number(c[field]));
  const columns = table({
    send_time: numbers("send_time"),
    send_status: column("send_status"),
    open_country: column("open_country"),
    open_count: numbers("open_count"),
    last_open_time: numbers("last_open_time"),
  } as unknown as Parameters<typeof table>[0]);
  return ({ field, bins }: Counted) => {
    const key =
      bins === undefined
        ? `d => d.${field}`
        : `d => d.${field} < ${bins.from} ? -1 : op.floor((d.${field} - ${bins.from}) / ${bins.width})`;
    return counter((range) => {
      const selected =
        range === undefined
          ? columns
          : columns
              .params({ ...range })
              .filter("(d, $) => d.send_time >= $.low && d.send_time <= $.high");
      return selected.groupby({ key }).rollup({ count: op.count() }).objects();
    }, rowsOf);
  };
}

const keyIn = ({ field, bins }: Counted, divided: string) =>
  bins === undefined
    ? field
    : `CASE WHEN ${field} < ${bins.from} THEN -1 ELSE (${field} - ${bins.from}) ${divided} ${bins.width} END`;

const sqlOf = (counted: Counted, divided: string, inRange: boolean) =>
  `SELECT ${keyIn(counted, divided)} AS key, count(*) AS count FROM contacts
   ${inRange ? "WHERE send_time BETWEEN ? AND ?" : ""} GROUP BY 1`;

const rowsOf = (rows: readonly Readonly<Record<string, unknown>>[]): Answer =>
  rows.map(({ key, count }) => [String(key), Number(count)]);

const FIELDS = [
  "send_time",
  "send_status",
  "open_country",
  "open_count",
  "last_open_time",
] as const;
const isText = (field: string) => field === "send_status" || field === "open_country";
const COLUMNS = FIELDS.map((field) => `${field} ${isText(field) ? "TEXT" : "BIGINT"}`).join(", ");

async function sqlite(contacts: readonly FlatContact[]) {
  const { default: Sqlite } = await import("better-sqlite3");
  const database = new Sqlite(":memory:");
  database.exec(`CREATE TABLE contacts (${COLUMNS}); BEGIN`);
  const insert = database.prepare("INSERT INTO contacts VALUES (?, ?, ?, ?, ?)");
  for (const c of contacts) {
    insert.run(...FIELDS.map((field) => (isText(field) ? c[field] : Number(c[field]))));
  }
  database.exec(`COMMIT;
    CREATE INDEX in_time ON contacts (${FIELDS.join(", ")});
    ${FIELDS.slice(1)
      .map((field) => `CREATE INDEX by_${field} ON contacts (${field});`)
      .join(" ")}
    ANALYZE`);
  return (counted: Counted) => {
    const all = database.prepare(sqlOf(counted, "/", false));
    const some = database.prepare(sqlOf(counted, "/", true));
    return counter(
      (range) => (range === undefined ? all.all() : some.all(range.low, range.high)),
      rowsOf,
    );
  };
}

async function duckdb(contacts: readonly FlatContact[]) {
  const { BIGINT, DuckDBDataChunk, DuckDBInstance, VARCHAR } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(`CREATE TABLE contacts (${COLUMNS})`);
  const appender = await connection.createAppender("contacts");
  const types = FIELDS.map((field) => (isText(field) ? VARCHAR : BIGINT));
  for (let from = 0; from < contacts.length; from += 2048) {
    const rows = contacts.slice(from, from + 2048);
    const chunk = DuckDBDataChunk.create(types, rows.length);
    chunk.setColumns(
      FIELDS.map((field) => rows.map((c) => (isText(field) ? c[field] : BigInt(c[field])))),
    );
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  return async (counted: Counted) => {
    const all = await connection.prepare(sqlOf(counted, "//", false));
    const some = await connection.prepare(sqlOf(counted, "//", true));
    return counter(async (range) => {
      if (range === undefined) return (await all.runAndReadAll()).getRowObjectsJS();
      some.bindBigInt(1, BigInt(range.low));
      some.bindBigInt(2, BigInt(range.high));
      return (await some.runAndReadAll()).getRowObjectsJS();
    }, rowsOf);
  };
}

export const COUNTING: Readonly<Record<string, Way>> = {
  tercet,
  loop,
  crossfilter2: crossfilter,
  arquero,
  "better-sqlite3": sqlite,
  duckdb,
};

/** How many ranges take turns. */
const RANGES = 5;

/** @returns for all, and for a tenth of them, what each count took */
export async function counts(name: string, size: number, rounds: Rounds): Promise<Counts[]> {
  const contacts = flatContacts(size);
  const times = Float64Array.from(contacts, ({ send_time }) => Number(send_time)).sort();
  const at = (share: number) => times[Math.floor(share * (size - 1))] ?? 0;
  // The first ones have no send time.
  const ranges = Array.from({ length: RANGES }, (_, i): Range => {
    const from = 0.1 + (0.8 * i) / RANGES;
    return { low: at(from), high: at(from + 0.1) };
  });
  const makeCounter = await COUNTING[name]?.(contacts);
  if (makeCounter === undefined) throw new Error(`${name} does not count`);
  const expected = loop(contacts);
  const found: Counts[] = [];
  for (const counted of countedIn(contacts)) {
    const { run, answer } = await makeCounter(counted);
    const results: Record<string, Timing> = {};
    for (const [label, asked] of [
      ["all", [undefined]],
      ["a tenth", ranges],
    ] as const) {
      for (const range of asked) {
        const [a, b] = [await answer(range), await expected(counted).answer(range)].map(asText);
        if (a !== b) throw new Error(`${counted.label} is counted wrongly`);
      }
      const next = turns<Range | undefined>(asked);
      const once = () => run(next());
      await sample(once, rounds.warmUp);
      const samples: number[][] = [];
      for (let i = 0; i < rounds.rounds; i++) {
        collectGarbage();
        samples.push(await sample(once, rounds.milliseconds));
      }
      results[label] = timingOf(samples.flat());
    }
    found.push({ label: counted.label, ...results } as Counts);
  }
  return found;
}

/** Counts of 0 are no answers. */
function asText(answer: Answer): string {
  return JSON.stringify(
    answer
      .filter(([, count]) => count > 0)
      .map(([key, count]) => [String(key), count] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function countedIn(contacts: readonly FlatContact[]): Counted[] {
  const opened = contacts.map((c) => Number(c.last_open_time)).filter((time) => time > 0);
  const from = opened.reduce((least, time) => Math.min(least, time), Infinity);
  const to = opened.reduce((most, time) => Math.max(most, time), 0);
  const width = Math.ceil((to - from + 1) / 60);
  return [
    { label: "send_status", field: "send_status" },
    { label: "open_country", field: "open_country" },
    { label: "open_count, bins of 1", field: "open_count", bins: { from: 0, width: 1, count: 60 } },
    { label: "last_open_time, 60 bins", field: "last_open_time", bins: { from, width, count: 60 } },
  ];
}
