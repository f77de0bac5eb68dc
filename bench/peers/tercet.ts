// tercet itself: a service with one Batch, its collection prepared for the queries. A call is a prepared
// query with the values of its criteria, like those of SQL; `figures/prepared.ts` measures queries that
// are parsed each time.

import { createService, type Batch, type Collection, type Service } from "../../src/index.ts";
import type { SyntheticContact } from "../../src/synthetic/index.ts";
import { batchOf } from "../contacts.ts";
import { COUNTED, counter, type Range } from "./counting.ts";
import { PAGE, type Peer } from "./peer.ts";
import { prepareAll } from "./tercet-run.ts";
import { keyedRun, preparedRun } from "./tercet-prepared.ts";

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
      // The immediate first answer is not a change.
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
            batch.contacts = batch.contacts.update([["contact_email", "exactly", email]], {
              last_open_time: time,
            });
          });
        },
      };
    },
    counting() {
      const contacts = collectionOf(service());
      contacts.prepare({ match: COUNTED });
      const criteriaOf = oncePerRange(
        (range) =>
          range && [
            ["send_time", "greater_than", range.low - 1],
            ["send_time", "less_than", range.high + 1],
          ],
      );
      return ({ field, bins }) => {
        if (bins === undefined) {
          return counter(
            (range) => contacts.countBy(field, criteriaOf(range) as never),
            (counts) => counts.map(({ value, count }) => [String(value), count]),
          );
        }
        const { from, width, count } = bins;
        const to = from + width * count - 1;
        const options = oncePerRange((range) => ({
          ...{ bins: count, from, to },
          criteria: criteriaOf(range),
        }));
        return counter(
          (range) => contacts.histogram(field as never, options(range) as never),
          (found) => [[-1, found.below], ...found.bins.map((bin, i) => [i, bin.count] as const)],
        );
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
          contacts = contacts.update([["contact_email", "exactly", email]], {
            last_open_time: time,
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

/** What is the same for a range each time; making it again is not counting. */
function oncePerRange<Made>(make: (range: Range | undefined) => Made) {
  const ofAll = make(undefined);
  const made = new Map<Range, Made>();
  return (range: Range | undefined): Made => {
    if (range === undefined) return ofAll;
    const known = made.get(range) ?? make(range);
    made.set(range, known);
    return known;
  };
}
