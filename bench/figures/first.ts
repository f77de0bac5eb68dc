// The first query, before any index exists: a collection that scans, compared with a plain loop over the same records.
// They are Contacts without List Fields: 24 fields.

import { Contact, createCollection } from "../../src/index.ts";
import type { FlatContact } from "../contacts.ts";
import { contacts, figure, type Plan } from "../figure.ts";
import { digits, time } from "../format.ts";
import { callerOf } from "../host.ts";
import { flatContacts, withoutListFields } from "../load.ts";
import { Asking, timeInTurns } from "../measure.ts";
import { loopOver } from "../peers/loop.ts";
import { runOn } from "../peers/tercet.ts";
import { queriesFor } from "../queries.ts";
import type { Timing } from "../results.ts";

interface First {
  readonly size: number;
  readonly queries: readonly {
    readonly label: string;
    readonly tercet: Timing;
    readonly loop: Timing;
  }[];
}

const tasks = {
  async first({ size, rounds }: Plan): Promise<First> {
    const asked = queriesFor(flatContacts(size)).filter(
      ({ isKeyed, sort }) =>
        isKeyed !== true && (sort === undefined || sort.field in Contact.fields),
    );
    const scanning = createCollection(Contact, withoutListFields(size), { indexes: "none" });
    const records = [...scanning] as readonly object[] as readonly FlatContact[];
    const found: First["queries"][number][] = [];
    for (const query of asked) {
      const runs = {
        tercet: new Asking(runOn(scanning, query), query.calls),
        loop: new Asking(loopOver(records, query), query.calls),
      };
      found.push({ label: `${query.id} ${query.label}`, ...(await timeInTurns(runs, rounds)) });
    }
    return { size, queries: found };
  },
};

export const first = figure<First>({
  name: "first",
  what: "the first query, without any index, beside a loop",
  tasks,
  measure: ({ plan, say }) => {
    say("first");
    return callerOf<typeof tasks>()("first", [plan]);
  },
  rows: ({ queries }) =>
    queries.map(({ label, tercet, loop }) => ({
      name: `first: ${label}`,
      unit: "time",
      values: { tercet: tercet.median, loop: loop.median },
    })),
  sections: ({ size, queries }) => [
    {
      title: `The first query over ${contacts(size)}`,
      note: "Without any index, beside a plain loop over the same records.",
      head: ["query", "tercet", "loop", "ratio"],
      rows: queries.map(({ label, tercet, loop }) => [
        label,
        time(tercet.median),
        time(loop.median),
        digits(tercet.median / loop.median),
      ]),
    },
  ],
});
