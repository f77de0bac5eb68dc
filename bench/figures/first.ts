// The first query, when no index is there yet: a collection that scans, against the plain loop over
// the same records. They are Contacts without List Fields: 24 fields.

import { Contact, createCollection, type Collection, type ContactInput } from "../../src/index.ts";
import type { SyntheticContact } from "../../src/synthetic/index.ts";
import { wireContacts, type FlatContact } from "../contacts.ts";
import { flatContacts } from "../load.ts";
import { timeInTurns, turns, type Rounds } from "../measure.ts";
import { loopOver } from "../peers/loop.ts";
import { preparedRun } from "../peers/tercet-prepared.ts";
import { fitOffset, queriesFor } from "../queries.ts";
import { matchesOf } from "../reference.ts";
import type { Pair } from "../results.ts";

export async function first(size: number, ids: readonly number[], rounds: Rounds): Promise<Pair[]> {
  const queries = queriesFor(flatContacts(size));
  const scanning = createCollection(Contact, withoutListFields(wireContacts(size)), {
    indexes: "none",
  });
  const records = [...scanning] as readonly object[] as readonly FlatContact[];
  const pairs: Pair[] = [];
  for (const each of queries) {
    if (!ids.includes(each.id)) continue;
    if (each.sort !== undefined && !(each.sort.field in Contact.fields)) continue;
    const query = fitOffset(each, matchesOf(records, each, each.values[0] ?? []).length);
    const tercet = preparedRun(scanning as unknown as Collection, query);
    const loop = loopOver(records, query);
    const [own, others] = [turns(query.values), turns(query.values)];
    const timings = await timeInTurns(
      { tercet: () => tercet(own()), loop: () => loop(others()) },
      rounds,
    );
    pairs.push({ label: `${query.id} ${query.label}`, ...timings });
  }
  return pairs;
}

/** Contacts as input of a collection of them alone. */
export function* withoutListFields(contacts: Iterable<SyntheticContact>) {
  const names = Object.keys(Contact.fields);
  for (const contact of contacts) {
    const own = contact as unknown as Readonly<Record<string, string | null>>;
    yield Object.fromEntries(names.map((name) => [name, own[name]])) as unknown as ContactInput;
  }
}
