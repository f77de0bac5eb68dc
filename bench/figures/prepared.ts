// What a prepared query saves: beside the same query parsed each time, and beside what gives the same
// records without any query.

import { findCommonTexts, wireContacts, type FlatContact } from "../contacts.ts";
import { flatContacts } from "../load.ts";
import { timeInTurns, turns, type Rounds } from "../measure.ts";
import { loopOver } from "../peers/loop.ts";
import { keyedRun, preparedRun } from "../peers/tercet-prepared.ts";
import { prepareAll, tercetRun } from "../peers/tercet-run.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import { fitOffset, queriesFor, type BenchQuery } from "../queries.ts";
import type { Calls } from "../results.ts";

/** A lookup, pages of one value, of a text, of two orders, and of all. */
const ASKED = [1, 2, 4, 8, 9, 11];

/** Texts that about as many addresses have as `gmail`: tercet keeps the rows of all of them. */
const KEPT = ["gma", "@gma"].flatMap((start) =>
  ["", "i", "il", "il.", "il.e", "il.ex", "il.exa"].map((end) => start + end),
);

/** Twice as many texts as tercet keeps: when the turn comes to one again, it is as good as new. */
const NEW = 512;

/** The query for one text after another. */
function inTurn(query: BenchQuery, texts: readonly string[], note: string): BenchQuery {
  return {
    ...query,
    label: `email contains ${texts.length} texts in turn, ${note}, 50 at 100`,
    values: texts.map((text) => [text]),
  };
}

/** The items, those that stand beside each other far apart. */
function mixed<T>(items: readonly T[]): T[] {
  const step = 37;
  return Array.from({ length: step }, (_, first) =>
    items.filter((_, i) => i % step === first),
  ).flat();
}

function askedOf(contacts: readonly FlatContact[]): BenchQuery[] {
  const common = mixed(findCommonTexts(contacts, NEW));
  const asked = queriesFor(contacts).filter(({ id }) => ASKED.includes(id));
  return asked.flatMap((query) =>
    query.id === 4
      ? [query, inTurn(query, KEPT, "which are kept"), inTurn(query, common, "as good as new")]
      : [query],
  );
}

export async function prepared(size: number, rounds: Rounds): Promise<Calls[]> {
  const asked = askedOf(flatContacts(size));
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
        : id === 4
          ? loopOver(records as unknown as FlatContact[], query)
          : id === 11
            ? () => records.slice(offset, offset + limit)
            : undefined;
    const calls =
      other === undefined
        ? await timeInTurns(runs, rounds)
        : await timeInTurns({ ...runs, "`get`, a loop or a slice": () => other(direct()) }, rounds);
    found.push({ label: `${id} ${query.label}`, calls });
  }
  return found;
}
