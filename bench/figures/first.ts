// The first query, before any index exists: a collection that scans, against a plain loop over the same
// records. They are Contacts without List Fields: 24 fields.

import { Contact, createCollection } from "../../src/index.ts";
import type { FlatContact } from "../contacts.ts";
import { contacts, figure } from "../figure.ts";
import { digits, time } from "../format.ts";
import { flatContacts, withoutListFields } from "../load.ts";
import { inTurns, timeInTurns } from "../measure.ts";
import { loopOver } from "../peers/loop.ts";
import { preparedRun } from "../peers/tercet-prepared.ts";
import { fittedQueries } from "../reference.ts";
import type { Timing } from "../results.ts";

interface First {
  readonly size: number;
  readonly queries: readonly {
    readonly label: string;
    readonly tercet: Timing;
    readonly loop: Timing;
  }[];
}

export const first = figure("first", {
  reasons: {
    "Without an index tercet scans as the loop does, but its predicate, made from criteria at run time, calls a function for each criterion; the loop's test is one written expression.":
      Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 11].map((id) => [`first query ${id}`, ["loop"]])),
  },
  async task({ size, queries: ids, rounds }): Promise<First> {
    const asked = fittedQueries(flatContacts(size), ids).filter(
      ({ sort }) => sort === undefined || sort.field in Contact.fields,
    );
    const scanning = createCollection(Contact, withoutListFields(size), { indexes: "none" });
    const records = [...scanning] as readonly object[] as readonly FlatContact[];
    const found: First["queries"][number][] = [];
    for (const query of asked) {
      const tercet = preparedRun(scanning, query);
      const loop = loopOver(records, query);
      const { id, label, values } = query;
      const runs = { tercet: inTurns(tercet, values), loop: inTurns(loop, values) };
      found.push({ label: `${id} ${label}`, ...(await timeInTurns(runs, rounds)) });
    }
    return { size, queries: found };
  },
  sections: ({ size, queries }) => [
    {
      title: `The first query over ${contacts(size)}`,
      note: "Without any index, compared with a plain loop over the same records.",
      head: ["query", "tercet", "loop", "ratio"],
      rows: queries.map(({ label, tercet, loop }) => [
        label,
        time(tercet.median),
        time(loop.median),
        digits(tercet.median / loop.median),
      ]),
    },
  ],
  rows: ({ size, queries }) =>
    queries.map(({ label, tercet, loop }) => ({
      name: `first query ${label.split(" ")[0] ?? ""}`,
      size,
      unit: "time",
      values: { tercet: tercet.median, loop: loop.median },
    })),
});
