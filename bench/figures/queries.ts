// The twelve questions: every peer over the same contacts, loaded, indexed and asked, nothing twice.

import { pointsChart } from "../charts.ts";
import { compare, tasks, type Comparison } from "../compare.ts";
import { bestOther, contacts, figure, rowsOfEach, type Row, type Section } from "../figure.ts";
import { count, digits, time } from "../format.ts";
import { cell, isTiming, type Outcome } from "../results.ts";

const ALL = Array.from({ length: 12 }, (_, i) => i + 1);

export const queries = figure<Comparison>({
  name: "queries",
  what: "the twelve questions, asked with distinct values",
  tasks,
  measure: (run) => compare(run, run.plan.size, run.plan.peers, ALL),
  rows: rowsOf,
  charts: (comparison) => [
    pointsChart(`queries-${comparison.size}`, rowsOf(comparison), {
      what: "questions",
      field: "query",
      labels: comparison.queries.map(({ id, label }) => `${id}  ${label}`),
      subtitle: `Median time over ${contacts(comparison.size)}, nothing asked twice`,
      step: 30,
    }),
  ],
  sections(comparison) {
    const { size, queries } = comparison;
    const ofAll = tableOf(comparison);
    return [
      {
        title: `Questions over ${contacts(size)}`,
        note: "Median time of a call, after all indexes were built. Every call asks for another key, another text or another page; of `exactly` on a status, whose values are few, another page or another text beside it. Calls: how many there are, of which each peer answers as many as it can in the time. Ratio: tercet's time to the fastest peer's.",
        head: ["query", "matching", "calls", "tercet", "fastest peer", "ratio"],
        rows: queries.map(({ id, label, matching, calls, outcomes }, i) => {
          const row = rowsOf(comparison)[i];
          const best = row && bestOther(row);
          return [
            `${id} ${label}`,
            count(matching),
            count(calls),
            cell(outcomes.tercet),
            best?.text ?? "",
            digits(best?.ratio ?? NaN),
          ];
        }),
        chart: `queries-${size}`,
      },
      { title: `All peers over ${contacts(size)}`, note: "Median time.", ...ofAll(cell) },
      {
        title: `Spread over ${contacts(size)}`,
        note: "From the first quartile to the third.",
        ...ofAll((outcome) =>
          isTiming(outcome) ? `${time(outcome.p25)} – ${time(outcome.p75)}` : "",
        ),
      },
    ];
  },
});

/** A row for each question, with the medians of those that answered. */
export function rowsOf({ queries }: Comparison): Row[] {
  return queries.flatMap(({ id, label, outcomes }) =>
    rowsOfEach(outcomes, [[`${id} ${label}`, ({ median }) => median]]),
  );
}

/** A table with a column for each peer. */
export const tableOf =
  ({ queries }: Comparison) =>
  (show: (outcome: Outcome | undefined) => string): Pick<Section, "head" | "rows"> => {
    const peers = Object.keys(queries[0]?.outcomes ?? {});
    return {
      head: ["query", ...peers],
      rows: queries.map(({ id, label, outcomes }) => [
        `${id} ${label}`,
        ...peers.map((peer) => show(outcomes[peer])),
      ]),
    };
  };
