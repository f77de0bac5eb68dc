// tercet itself: a service with one Batch, its collection prepared for what the queries use. A call
// is a prepared query with the values of its criteria, as those of SQL are; `figures/prepared.ts` has what
// a query costs that is parsed each time.

import { createService, type Batch, type Collection, type Service } from "../../src/index.ts";
import type { SyntheticContact } from "../../src/synthetic/index.ts";
import { batchOf } from "../contacts.ts";
import { PAGE, type Peer } from "./peer.ts";
import { prepareAll } from "./tercet-run.ts";
import { keyedRun, preparedRun } from "./tercet-prepared.ts";

/** A service whose Batch 1 holds the contacts. */
export function serviceOf(contacts: Iterable<SyntheticContact>): Service {
  return createService({ batches: [batchOf(contacts)] });
}

/** The contacts of {@link serviceOf}. Its List Fields are known to the Batch, not to the type. */
export function collectionOf(service: Service): Collection {
  return contactsOf(service) as unknown as Collection;
}

function contactsOf(service: Service): Batch["contacts"] {
  const batch = service.batches["1"];
  if (batch === undefined) throw new Error("there is no Batch 1");
  return batch.contacts;
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
        : preparedRun(collectionOf(service()), query),
    watching() {
      const watched = service();
      // The answer at once is no change.
      const later = (told: () => void) => {
        let isFirst = true;
        return () => {
          if (!isFirst) told();
          isFirst = false;
        };
      };
      return {
        watchContact(email, told) {
          const criteria = [["contact_email", "exactly", email]] as const;
          watched.watch("getBatchContacts", [1, criteria], later(told));
        },
        watchPage(limit, told) {
          const page = [1, null, limit, 0, "last_open_time"] as const;
          watched.watch("getBatchContacts", page, later(told));
        },
        open(email, time) {
          watched.update((draft) => {
            const batch = draft.batches["1"];
            if (batch === undefined) return;
            batch.contacts = batch.contacts.update(
              [["contact_email", "exactly", email]],
              (contact) => void (contact.last_open_time = String(time)),
            );
          });
        },
      };
    },
    updates() {
      let contacts = contactsOf(service());
      // Nobody holds the collections that updates leave behind.
      loaded = undefined;
      return {
        lookup: (email) =>
          contacts.query({ criteria: [["contact_email", "exactly", email]], limit: 1 })[0],
        page: () => contacts.query({ sortBy: "last_open_time", limit: PAGE }),
        open(email, time) {
          contacts = contacts.update([["contact_email", "exactly", email]], (draft) => {
            draft.last_open_time = String(time);
          });
        },
        insert({ wire }) {
          contacts = contacts.insert(wire);
        },
        removeWithStatus(status) {
          contacts = contacts.remove([["send_status", "exactly", status]]);
        },
      };
    },
  };
}
