// What each of tercet's indexes costs after those before it: time to build, and memory; and how long it
// blocks the event loop at most where building is deferred.

import { createService, type Collection, type Preparation, type Query } from "../../src/index.ts";
import { batchOf, wireContacts } from "../contacts.ts";
import { GarbagePauses, coveredBy, type Stretch } from "../garbage.ts";
import { clock, heapInUse } from "../measure.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import { DEFERRED_MILLISECONDS, type Part, type Results } from "../results.ts";

const INDEXES: readonly (readonly [label: string, Preparation])[] = [
  ["contact_email, each value once", { match: ["contact_email"] }],
  ["Email, each value once", { sort: ["Email"] }],
  ["send_time, an int", { sort: ["send_time"] }],
  ["last_open_time, an int", { sort: ["last_open_time"] }],
  ["send_status, 4 values", { match: ["send_status"] }],
  ["open_type, 4 values", { match: ["open_type"] }],
  ["trigrams of contact_email", { contains: ["contact_email"] }],
];

export async function parts(size: number): Promise<NonNullable<Results["parts"]>> {
  const built = await builtParts(size);
  // What was built is garbage by now: collecting it shall not be part of a block.
  heapInUse();
  const blocks = await longestBlocks(size);
  const indexes = built.indexes.map((part) => ({ ...part, ...blocks.get(part.label) }));
  return { size, records: built.records, indexes };
}

async function builtParts(size: number): Promise<{ records: number; indexes: Part[] }> {
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

/** Queries charge an index in this many scans or less. */
const MOST_QUERIES = 100;

type Block = Pick<Part, "block" | "garbage">;

/** The longest call of `buildDue` for each index that queries have asked for. */
async function longestBlocks(size: number): Promise<ReadonlyMap<string, Block>> {
  const collection = deferredCollection(size);
  heapInUse();
  const pauses = new GarbagePauses();
  const blocks = new Map<string, Stretch>();
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
    blocks.set(label, longest);
  }
  const garbage = await pauses.finish();
  const blockOf = (block: Stretch): Block => ({
    block: (block.end - block.start) * 1e6,
    garbage: coveredBy(block, garbage) * 1e6,
  });
  return new Map(Array.from(blocks, ([label, block]) => [label, blockOf(block)]));
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
