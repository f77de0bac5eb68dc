// Queries that programs do repeat, such as a list that is redrawn, run again and again.

import { compare, type Comparison } from "../compare.ts";
import { contacts, figure } from "../figure.ts";
import { cell } from "../results.ts";
import { tableOf } from "./queries.ts";

/** A lookup, a text search and two pages. */
const REPEATED = [1, 4, 8, 9];

export const repeated = figure<Comparison>({
  name: "repeated",
  what: "four questions, each repeated without a change",
  measure: (run) => compare(run, run.plan.size, run.plan.peers, REPEATED, "repeated"),
  sections: (comparison) => [
    {
      title: `Repeated questions over ${contacts(comparison.size)}`,
      note: "Median time of one and the same call, made again and again: here a cache of answers would help, and tercet has none for these.",
      ...tableOf(comparison)(cell),
    },
  ],
});
