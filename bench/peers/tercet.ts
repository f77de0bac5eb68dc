// tercet itself: a service with one Batch, its collection prepared for what the queries use. A call
// is what a user writes: a query object, parsed each time.

import { createService, type Collection, type Query, type Service } from "../../src/index.ts";
import { batchOf } from "../contacts.ts";
import { USES, type BenchQuery } from "../queries.ts";
import type { SyntheticContact } from "../../src/synthetic/index.ts";
import type { Peer, Run } from "./peer.ts";

export interface TercetPeer extends Peer {
  readonly service: Service;
}

/** A service whose Batch 1 holds the contacts. */
export function serviceOf(contacts: Iterable<SyntheticContact>): Service {
  return createService({ batches: [batchOf(contacts)] });
}

/** The contacts of {@link serviceOf}. Its List Fields are known to the Batch, not to the type. */
export function collectionOf(service: Service): Collection {
  const batch = service.batches["1"];
  if (batch === undefined) throw new Error("there is no Batch 1");
  return batch.contacts as unknown as Collection;
}

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

/** @param nested the contacts that `load` gets, as they came from the wire */
export function createTercet(nested: readonly SyntheticContact[]): TercetPeer {
  let service: Service | undefined;
  const loaded = () => {
    if (service === undefined) throw new Error("tercet is not loaded");
    return service;
  };
  return {
    name: "tercet",
    get service() {
      return loaded();
    },
    load() {
      service = serviceOf(nested);
    },
    prepare: () => prepareAll(collectionOf(loaded())),
    compile: (query) => tercetRun(collectionOf(loaded()), query),
  };
}
