// What a prepared query saves: beside the same query parsed each time, and beside what gives the same
// records without any query.

import { wireContacts } from "../contacts.ts";
import { flatContacts } from "../load.ts";
import { timeInTurns, turns, type Rounds } from "../measure.ts";
import { keyedRun, preparedRun } from "../peers/tercet-prepared.ts";
import { prepareAll, tercetRun } from "../peers/tercet-run.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import { fitOffset, queriesFor, type BenchQuery } from "../queries.ts";
import type { Calls } from "../results.ts";

/** A lookup, pages of one value, of a text, of two orders, and of all. */
const ASKED = [1, 2, 4, 8, 9, 11];

/** Texts that about as many addresses have as `gmail`: more than tercet keeps the rows of. */
const TEXTS = ["gma", "@gma"].flatMap((start) =>
  ["", "i", "il", "il.", "il.c", "il.co", "il.com"].map((end) => start + end),
);

/** The query for one text after another. */
function inTurn(query: BenchQuery): BenchQuery {
  return {
    ...query,
    label: `${query.label}, ${TEXTS.length} texts in turn`,
    values: TEXTS.map((text) => [text]),
  };
}

export async function prepared(size: number, rounds: Rounds): Promise<Calls[]> {
  const asked = queriesFor(flatContacts(size))
    .filter(({ id }) => ASKED.includes(id))
    .flatMap((query) => (query.id === 4 ? [query, inTurn(query)] : [query]));
  const collection = collectionOf(serviceOf(wireContacts(size)));
  prepareAll(collection);
  const records = [...collection];
  const found: Calls[] = [];
  for (const each of asked) {
    const query = fitOffset(each, size);
    const { id, offset, limit } = query;
    const [plain, again, direct] = [0, 1, 2].map(() => turns(query.values));
    if (plain === undefined || again === undefined || direct === undefined) continue;
    const [asIs, prepared] = [tercetRun(collection, query), preparedRun(collection, query)];
    const runs = { query: () => asIs(plain()), "prepared query": () => prepared(again()) };
    const other =
      id === 1
        ? keyedRun(collection)
        : id === 11
          ? () => records.slice(offset, offset + limit)
          : undefined;
    const calls =
      other === undefined
        ? await timeInTurns(runs, rounds)
        : await timeInTurns({ ...runs, "`get`, or a slice": () => other(direct()) }, rounds);
    found.push({ label: `${id} ${query.label}`, calls });
  }
  return found;
}
