// What a prepared query saves: compared with the same query parsed each time, and with code that returns
// the same records without a query.

import { findCommonTexts, wireContacts, type FlatContact } from "../contacts.ts";
import { callsTable, contacts, figure } from "../figure.ts";
import { flatContacts } from "../load.ts";
import { inTurns, timeInTurns } from "../measure.ts";
import { loopOver } from "../peers/loop.ts";
import type { Run } from "../peers/peer.ts";
import { keyedRun, preparedPages, preparedRun } from "../peers/tercet-prepared.ts";
import { prepareAll, tercetRun } from "../peers/tercet-run.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import type { BenchQuery } from "../queries.ts";
import { fittedQueries } from "../reference.ts";
import type { Calls } from "../results.ts";

interface Prepared {
  readonly size: number;
  readonly queries: readonly Calls[];
}

/** A lookup, pages of one value, of a text, of two orders, and of all. */
const ASKED = [1, 2, 4, 8, 9, 11];

/** Texts in about as many addresses as `gmail`: tercet caches the rows of all of them. */
const KEPT = ["gma", "@gma"].flatMap((start) =>
  ["", "i", "il", "il.", "il.e", "il.ex", "il.exa"].map((end) => start + end),
);

/** Twice as many texts, or pages, as tercet caches, so each is new again by its next turn. */
const NEW = 512;

export const prepared = figure("prepared", {
  async task({ size, rounds }): Promise<Prepared> {
    const asked = askedOf(flatContacts(size));
    const collection = collectionOf(serviceOf(wireContacts(size)));
    prepareAll(collection);
    const records = [...collection];
    const found: Calls[] = [];
    for (const query of asked) {
      const { id, label, values, offset, limit } = query;
      const others: Readonly<Record<number, () => Run>> = {
        1: () => keyedRun(collection),
        4: () => loopOver(records as unknown as FlatContact[], query),
        11: () => () => records.slice(offset, offset + limit),
      };
      const other = others[id]?.();
      const runs: Record<string, () => unknown> = {
        query: inTurns(tercetRun(collection, query), values),
        "prepared query": inTurns(preparedRun(collection, query), values),
      };
      if (other !== undefined) runs["`get`, a loop or a slice"] = inTurns(other, values);
      found.push({ label: `${id} ${label}`, calls: await timeInTurns(runs, rounds) });
      if (query.sort === undefined) continue;
      const offsets = mixed(Array.from({ length: NEW }, (_, i) => Math.floor((i * size) / NEW)));
      const pages = offsets.map((from) => tercetRun(collection, { ...query, offset: from }));
      const pageRuns = {
        query: inTurns((page) => page([]), pages),
        "prepared query": inTurns(preparedPages(collection, query), offsets),
      };
      found.push({
        label: `${id} ${sortedPages(query)}`,
        calls: await timeInTurns(pageRuns, rounds),
      });
    }
    return { size, queries: found };
  },
  sections: ({ size, queries }) => [
    {
      title: `Prepared queries over ${contacts(size)}`,
      note: "Median time of a call: a query that is parsed and checked each time, the same prepared, and `get`, a plain loop or the slice of an array if it returns the same. Queries 8 and 9 ask for one page again and again, which a version of a collection keeps from the second time on: among 100,000 contacts the first 50 by an int took 93 to 114 ns instead of 383 to 431, prepared 30 instead of 229; pages in turn are found anew. Tried: recognising a query object that was asked before, 396 to 429 ns instead of 372 to 378.",
      ...callsTable("query", queries),
    },
  ],
});

function askedOf(all: readonly FlatContact[]): BenchQuery[] {
  const common = mixed(findCommonTexts(all, NEW));
  return fittedQueries(all, ASKED).flatMap((query) =>
    query.id === 4
      ? [query, textsOf(query, KEPT, "which are kept"), textsOf(query, common, "as good as new")]
      : [query],
  );
}

/** The query for one text after another. */
const textsOf = (query: BenchQuery, texts: readonly string[], note: string): BenchQuery => ({
  ...query,
  label: `email contains ${texts.length} texts in turn, ${note}, 50 at 100`,
  values: texts.map((text) => [text]),
});

const sortedPages = ({ label, limit }: BenchQuery): string =>
  `${label.split(",", 1)[0] ?? ""}, ${NEW} pages of ${limit} in turn`;

/** The items, with neighbours moved far apart. */
function mixed<T>(items: readonly T[]): T[] {
  const step = 37;
  return Array.from({ length: step }, (_, first) =>
    items.filter((_, i) => i % step === first),
  ).flat();
}
