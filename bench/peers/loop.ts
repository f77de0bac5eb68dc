// The plain hand-written loop: over the array with an early stop, or all of it and the engine's own
// stable sort. Each query's test and order are written out, so that property reads are as fast as
// possible; only their call is shared. Updates change the records in place.

import type { FlatContact } from "../contacts.ts";
import type { BenchQuery } from "../queries.ts";
import { PAGE, type Peer, type Run } from "./peer.ts";

type Test = (contact: FlatContact, values: readonly string[]) => boolean;
type Compare = (a: FlatContact, b: FlatContact) => number;

const everything: Test = () => true;
const emailContains: Test = (c, [part = ""]) => c.contact_email.includes(part);
const statusIs: Test = (c, [status]) => c.send_status === status;

/** By the query's number. */
const tests: Readonly<Record<number, Test>> = {
  1: (c, [email]) => c.contact_email === email,
  2: statusIs,
  3: (c, [country]) => c.open_country === country,
  4: emailContains,
  5: emailContains,
  6: (c, [part = "", country = ""]) =>
    c.contact_email.includes(part) && c.open_country?.includes(country) === true,
  7: (c, [status, type, part = ""]) =>
    c.send_status === status && c.open_type === type && c.contact_email.includes(part),
  10: (c, [type]) => c.open_type === type,
  12: (c, [email]) => c.contact_email === email,
};

const byLastOpen: Compare = (a, b) => Number(b.last_open_time) - Number(a.last_open_time);

/** By the query's number. All these strings are ASCII and none is null, so `<` is their order. */
export const orders: Readonly<Record<number, Compare>> = {
  6: byLastOpen,
  7: byLastOpen,
  8: (a, b) => Number(b.send_time) - Number(a.send_time),
  9: (a, b) => (a.contact_email < b.contact_email ? -1 : 1),
  10: (a, b) => ((a.Email ?? "") < (b.Email ?? "") ? -1 : 1),
};

export function loopOver(contacts: readonly FlatContact[], query: BenchQuery): Run {
  const test = tests[query.id] ?? everything;
  const compare = orders[query.id];
  const { limit } = query;
  if (compare !== undefined) {
    return ({ values, offset }) =>
      contacts
        .filter((contact) => test(contact, values))
        .sort(compare)
        .slice(offset, offset + limit);
  }
  if (test === everything) return ({ offset }) => contacts.slice(offset, offset + limit);
  return ({ values, offset }) => {
    const page: FlatContact[] = [];
    let skip = offset;
    for (const contact of contacts) {
      if (!test(contact, values)) continue;
      if (skip > 0) {
        skip--;
        continue;
      }
      page.push(contact);
      if (page.length === limit) break;
    }
    return page;
  };
}

/** The contacts that opened last, without sorting all: keeps the page so far, by hand. */
export function lastOpened(contacts: readonly FlatContact[]): FlatContact[] {
  const page: { contact: FlatContact; time: number }[] = [];
  let least = -Infinity;
  for (const contact of contacts) {
    const time = Number(contact.last_open_time);
    if (page.length === PAGE && time <= least) continue;
    let at = page.length;
    while (at > 0 && (page[at - 1]?.time ?? Infinity) < time) at--;
    page.splice(at, 0, { contact, time });
    if (page.length > PAGE) page.pop();
    least = page.at(-1)?.time ?? -Infinity;
  }
  return page.map(({ contact }) => contact);
}

export function createLoop(): Peer {
  let contacts: FlatContact[] = [];
  return {
    load: (given) => void (contacts = [...given]),
    compile: (query) => loopOver(contacts, query),
    updates() {
      const find = (email: string) => contacts.find((contact) => contact.contact_email === email);
      return {
        lookup: find,
        page: () => lastOpened(contacts),
        open(email, time) {
          Object.assign(find(email) ?? {}, { last_open_time: String(time) });
        },
        insert({ flat }) {
          for (const contact of flat) contacts.push(contact);
        },
        removeWithStatus(status) {
          contacts = contacts.filter((contact) => contact.send_status !== status);
        },
      };
    },
  };
}
