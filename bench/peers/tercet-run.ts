// The queries of tercet, in memory or from a file. It imports nothing of tercet, so that a process that
// opens a file can be seen to import it.

import type { Collection, Query } from "../../src/index.ts";
import type { BenchQuery } from "../queries.ts";
import type { Run } from "./peer.ts";
import { USES } from "./uses.ts";

export function prepareAll(collection: Collection): void {
  const { unique, match, contains, sortInts, sortStrings } = USES;
  collection.prepare({
    match: [...unique, ...match],
    contains,
    sort: [...sortInts, ...sortStrings],
  });
}

export function tercetRun(collection: Collection, query: BenchQuery): Run {
  const { criteria, sort, offset } = query;
  const limit = query.limit === Infinity ? undefined : query.limit;
  return (values) =>
    collection.query({
      criteria: criteria.map(({ field, operator }, i) => [field, operator, values[i]]),
      sortBy: sort?.field,
      sortOrder: sort?.order,
      offset,
      limit,
    } as Query);
}
