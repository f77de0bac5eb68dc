// What each of tercet's indexes costs after those before it: time to build, memory, and the longest block
// of the event loop if building is deferred.

import { createService, type Collection, type Preparation, type Query } from "../../src/index.ts";
import { batchOf, wireContacts } from "../contacts.ts";
import { contacts, figure, ifKnown } from "../figure.ts";
import { digits, megabytes, time } from "../format.ts";
import { GarbagePauses, coveredBy, type Stretch } from "../garbage.ts";
import { clock, heapInUse } from "../measure.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";

/** One of tercet's indexes: what building it takes after those before it, and what it holds. */
interface Part {
  readonly label: string;
  readonly build: number;
  readonly bytes: number;
  /** The longest block of the event loop while it is built a part at a time. */
  readonly block?: number | undefined;
  /** For how long of that V8 collects garbage. */
  readonly garbage?: number | undefined;
  /** The longest block without the garbage collection in it. */
  readonly work?: number | undefined;
}

interface Parts {
  readonly size: number;
  readonly records: number;
  readonly indexes: readonly Part[];
}

const INDEXES: readonly (readonly [label: string, Preparation])[] = [
  ["contact_email, each value once", { match: ["contact_email"] }],
  ["Email, each value once", { sort: ["Email"] }],
  ["send_time, an int", { sort: ["send_time"] }],
  ["last_open_time, an int", { sort: ["last_open_time"] }],
  ["send_status, 4 values", { match: ["send_status"] }],
  ["open_type, 4 values", { match: ["open_type"] }],
  ["trigrams of contact_email", { contains: ["contact_email"] }],
];

/** How long a call of `buildDue` may take. */
const DEFERRED_MILLISECONDS = 5;

export const parts = figure("parts", {
  async task({ size }): Promise<Parts> {
    const built = await builtParts(size);
    // What was built is garbage by now; collecting it must not count as part of a block.
    heapInUse();
    const blocks = await longestBlocks(size);
    const indexes = built.indexes.map((part) => ({ ...part, ...blocks.get(part.label) }));
    return { size, records: built.records, indexes };
  },
  sections: ({ size, records, indexes }) => [
    {
      title: `tercet's indexes of ${contacts(size)}`,
      note: `Each is built after those above it. Built on demand, an index blocks the event loop until it is complete; deferred, for the longest call of \`buildDue({ milliseconds: ${DEFERRED_MILLISECONDS} })\`, which may include garbage collection. A block far above the others is one collection of garbage by V8, which smaller steps can't interrupt. Of the 62 to 82 ms of three of them, by \`--trace-gc-nvp\`, V8's table of short texts took 61 to 71: its parser of JSON enters each text of up to ten characters, such as a time or an id, and a collection visits all entries twice. Marking the records took other threads half a second, and the first one 1 to 16 ms; if the other threads have no processor, it is the first one that marks. Tried: short texts copied, so that the table lacks them, 3 to 4 ms instead of 61 to 71, but a heap of 525 MB instead of 381, since records no longer share them, and so more to mark; a collection loaded into columns, a heap of 7 MB, in which no call took a millisecond, and an order was built by the first query that needed it, in 14 to 47 ms, but with lookups twice as long (see the queries from a file), and 5.9 s to load 500,000 objects, which its columns have to sort, instead of 1.2.`,
      head: [
        "part",
        "build",
        "longest block, deferred",
        "of it garbage",
        "longest without garbage",
        "MB",
        "bytes a contact",
      ],
      rows: [
        ["records", "", "", "", "", megabytes(records), digits(records / size)],
        ...indexes.map(({ label, build, block, garbage, work, bytes }) => [
          label,
          time(build),
          ifKnown(block),
          ifKnown(garbage),
          ifKnown(work),
          megabytes(bytes),
          digits(bytes / size),
        ]),
      ],
    },
  ],
});

async function builtParts(size: number): Promise<Omit<Parts, "size">> {
  const empty = heapInUse();
  const collection = collectionOf(serviceOf(wireContacts(size)));
  let before = heapInUse();
  const records = before - empty;
  const indexes: Part[] = [];
  for (const [label, preparation] of INDEXES) {
    const build = await clock(() => collection.prepare(preparation));
    const after = heapInUse();
    indexes.push({ label, build, bytes: after - before });
    before = after;
  }
  return { records, indexes };
}

/** Queries have paid for an index after at most this many scans. */
const MOST_QUERIES = 100;

/** The longest call of `buildDue` for each index that queries have asked for. */
async function longestBlocks(size: number) {
  const collection = deferredCollection(size);
  heapInUse();
  const pauses = new GarbagePauses();
  const calls: [label: string, Stretch[]][] = [];
  for (const [label, preparation] of INDEXES) {
    const { length } = collection.indexes();
    const stretches: Stretch[] = [];
    for (let i = 0; i < MOST_QUERIES && collection.indexes().length === length; i++) {
      collection.query(queryFor(preparation, i));
      for (let due = 1; due > 0;) {
        const start = performance.now();
        ({ due } = collection.buildDue({ milliseconds: DEFERRED_MILLISECONDS }));
        stretches.push({ start, end: performance.now() });
      }
    }
    calls.push([label, stretches]);
  }
  const garbage = await pauses.finish();
  return new Map(
    calls.map(([label, stretches]) => {
      const blocks = stretches.map((call) => ({
        block: (call.end - call.start) * 1e6,
        garbage: coveredBy(call, garbage) * 1e6,
      }));
      const longest = blocks.reduce((most, each) => (each.block > most.block ? each : most));
      const work = Math.max(...blocks.map((each) => each.block - each.garbage));
      return [label, { ...longest, work }];
    }),
  );
}

/** A function of its own, so that the contacts it was made of are garbage when it returns. */
function deferredCollection(size: number): Collection {
  const batches = [batchOf(wireContacts(size))];
  return collectionOf(createService({ batches, indexes: "deferred" }));
}

/** A query that would use an index, and finds nothing; it is a new one each time, since answers are kept. */
function queryFor({ sort, match, contains }: Preparation, turn: number): Query {
  const [sortBy] = sort ?? [];
  if (sortBy !== undefined) return { sortBy, limit: 1 };
  const [field = "", operator] =
    match === undefined ? [contains?.[0], "contains"] : [match[0], "exactly"];
  return { criteria: [[field, operator, `no such value ${turn}`]] } as Query;
}
