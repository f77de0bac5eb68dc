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
      note: `Each is built after those above it. Built on demand, an index blocks the event loop until it is complete; deferred, for the longest call of \`buildDue({ milliseconds: ${DEFERRED_MILLISECONDS} })\`, which may include garbage collection. A block far above the others is one collection by V8 of a heap of a million records, which smaller steps can't interrupt: a step itself takes up to 28 ms.`,
      head: ["part", "build", "longest block, deferred", "of it garbage", "MB", "bytes a contact"],
      rows: [
        ["records", "", "", "", megabytes(records), digits(records / size)],
        ...indexes.map(({ label, build, block, garbage, bytes }) => [
          label,
          time(build),
          ifKnown(block),
          ifKnown(garbage),
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
  const blocks: [label: string, Stretch][] = [];
  for (const [label, preparation] of INDEXES) {
    const query = queryFor(preparation);
    const { length } = collection.indexes();
    let longest: Stretch = { start: 0, end: 0 };
    for (let i = 0; i < MOST_QUERIES && collection.indexes().length === length; i++) {
      collection.query(query);
      for (let due = 1; due > 0;) {
        const start = performance.now();
        ({ due } = collection.buildDue({ milliseconds: DEFERRED_MILLISECONDS }));
        const end = performance.now();
        if (end - start > longest.end - longest.start) longest = { start, end };
      }
    }
    blocks.push([label, longest]);
  }
  const garbage = await pauses.finish();
  return new Map(
    blocks.map(([label, block]) => [
      label,
      { block: (block.end - block.start) * 1e6, garbage: coveredBy(block, garbage) * 1e6 },
    ]),
  );
}

/** A function of its own, so that the contacts it was made of are garbage when it returns. */
function deferredCollection(size: number): Collection {
  const batches = [batchOf(wireContacts(size))];
  return collectionOf(createService({ batches, indexes: "deferred" }));
}

/** A query that would use an index, and finds nothing. */
function queryFor({ sort, match, contains }: Preparation): Query {
  const [sortBy] = sort ?? [];
  if (sortBy !== undefined) return { sortBy, limit: 1 };
  const [field = "", operator] =
    match === undefined ? [contains?.[0], "contains"] : [match[0], "exactly"];
  return { criteria: [[field, operator, "no such value"]] } as Query;
}
