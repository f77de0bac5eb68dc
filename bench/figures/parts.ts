// What each of tercet's indexes costs after those before it: time to build, and memory.

import type { Preparation } from "../../src/index.ts";
import { wireContacts } from "../contacts.ts";
import { clock, heapInUse } from "../measure.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import type { Part, Results } from "../results.ts";

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
  return { size, records, indexes };
}
