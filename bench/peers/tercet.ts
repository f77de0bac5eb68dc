// tercet itself: a service with one Batch, its collection prepared for the queries, as a user would call it.

import {
  Contact,
  createCollection,
  createService,
  defineSchema,
  string,
  type Batch,
  type Collection,
  type InputOf,
  type Query,
  type Service,
} from "../../src/index.ts";
import type { SyntheticContact } from "../../src/synthetic/index.ts";
import { batchOf } from "../contacts.ts";
import type { BenchQuery } from "../queries.ts";
import { PAGE, type Peer, type Run } from "./peer.ts";
import { USES } from "./uses.ts";

/** A service whose Batch 1 holds the contacts. */
export function serviceOf(contacts: Iterable<SyntheticContact>): Service {
  return createService({ batches: [batchOf(contacts)] });
}

/** The contacts of {@link serviceOf}. Its List Fields are known to the Batch, not to the type. */
export function collectionOf(service: Service): Collection {
  return contactsOf(service);
}

function contactsOf(service: Service): Batch["contacts"] {
  const batch = service.batches["1"];
  if (batch === undefined) throw new Error("there is no Batch 1");
  return batch.contacts;
}

/** Builds the indexes that the queries use. */
export function prepareAll(collection: Collection): void {
  const { unique, match, contains, sortInts, sortStrings } = USES;
  collection.prepare({
    match: [...unique, ...match],
    contains,
    sort: [...sortInts, ...sortStrings],
  });
}

export function runOn(collection: Collection, { criteria, sort, limit }: BenchQuery): Run {
  return ({ values, offset }) =>
    collection.query({
      criteria: criteria.map(({ field, operator }, i) => [field, operator, values[i]]),
      sortBy: sort?.field,
      sortOrder: sort?.order,
      offset,
      limit: limit === Infinity ? undefined : limit,
    } as Query);
}

const Keyed = defineSchema({ ...Contact.fields, contact_email: string({ unique: true }) });

/**
 * `get` by the email address, from a collection in which it is unique: in a Batch it is not, since a
 * Contact may be in several Lists.
 */
function keyedRun(contacts: Collection): Run {
  const keyed = createCollection(Keyed, contacts as unknown as Iterable<InputOf<typeof Keyed>>);
  keyed.prepare({ match: ["contact_email"] });
  return ({ values: [email = ""] }) => {
    const found = keyed.get("contact_email", email);
    return found === undefined ? [] : [found];
  };
}

export function createTercet(): Peer<SyntheticContact> {
  let loaded: Service | undefined;
  const service = () => {
    if (loaded === undefined) throw new Error("tercet is not loaded");
    return loaded;
  };
  return {
    load: (contacts) => void (loaded = serviceOf(contacts)),
    prepare: () => prepareAll(collectionOf(service())),
    compile: (query) =>
      query.isKeyed === true
        ? keyedRun(collectionOf(service()))
        : runOn(collectionOf(service()), query),
    updates() {
      let contacts = contactsOf(service());
      // Nobody holds the collections that updates leave behind.
      loaded = undefined;
      return {
        lookup: (email) =>
          contacts.query({ criteria: [["contact_email", "exactly", email]], limit: 1 })[0],
        page: () => contacts.query({ sortBy: "last_open_time", limit: PAGE }),
        open(email, time) {
          contacts = contacts.update([["contact_email", "exactly", email]], {
            last_open_time: time,
          });
        },
        insert({ textForm }) {
          contacts = contacts.insert(textForm);
        },
        removeWithStatus(status) {
          contacts = contacts.remove([["send_status", "exactly", status]]);
        },
      };
    },
  };
}
