// How queries in memory grow: a few of them at 1,000 to so many Contacts, each size ten times the one before.

import { frame, peerColors, TIME_AXIS, type Chart } from "../charts.ts";
import { compare, type Comparison } from "../compare.ts";
import { contacts, figure, type Run, type Section } from "../figure.ts";
import { count, exponent } from "../format.ts";
import { cell, isTiming, type Outcome } from "../results.ts";

/** Lookup, selective contains, sorted page, unsorted page. */
const QUERIES = [1, 5, 9, 11];
const SMALLEST = 1000;
/** The time limits of a process grow with the contacts; beyond this size only tercet and the loop take part. */
const LARGE = 1_000_000;
const LARGE_PEERS = ["tercet", "loop"];

type Growth = readonly Comparison[];

export const growth = figure<Growth>({
  name: "growth",
  what: "four questions at 1,000 contacts, and at ten times as many, up to --size",
  async measure(run) {
    const found: Comparison[] = [];
    for (const size of sizesTo(run.plan.size)) {
      const names = run.plan.peers.filter((name) => size <= LARGE || LARGE_PEERS.includes(name));
      found.push(await compare(withLimits(run, size), size, names, QUERIES));
    }
    return found;
  },
  sections: (growth) => {
    const sizes = growth.map(({ size }) => size);
    return questionsIn(growth).map(({ id, label, outcomes }, i): Section => ({
      title: `Growth of question ${id}, ${label}`,
      note: "Median time by number of contacts. Exponent: the slope of log time over log size; 0 is constant, 1 is linear.",
      head: ["peer", ...sizes.map(count), "exponent"],
      rows: Array.from(new Set(outcomes.flatMap((at) => Object.keys(at))), (peer) => {
        const own = outcomes.map((at) => at[peer]);
        return [peer, ...own.map(cell), exponent(sizes, own.map(medianOf))];
      }),
      ...(i === 0 && { chart: "growth" }),
    }));
  },
  charts: (growth) => (growth.length < 2 ? [] : [chartOf(growth)]),
});

function sizesTo(largest: number): number[] {
  const sizes: number[] = [];
  for (let size = SMALLEST; size < largest; size *= 10) sizes.push(size);
  return [...sizes, largest];
}

function withLimits({ plan, say }: Run, size: number): Run {
  const factor = Math.max(1, size / LARGE);
  const { load, query, again } = plan.limits;
  const limits = { load: load * factor, query: query * factor, again: again * factor };
  return { plan: { ...plan, limits }, say };
}

/** The questions with their outcomes by size. */
function questionsIn(growth: Growth) {
  const [first] = growth;
  return (first?.queries ?? []).map(({ id, label }, i) => ({
    ...{ id, label },
    outcomes: growth.map(({ queries }) => queries[i]?.outcomes ?? {}),
  }));
}

const medianOf = (outcome: Outcome | undefined) => (isTiming(outcome) ? outcome.median : undefined);

function chartOf(growth: Growth): Chart {
  const questions = questionsIn(growth);
  const sizes = growth.map(({ size }) => size);
  const labels = questions.map(({ id, label }) => `${id}  ${label}`);
  const points = questions.flatMap(({ outcomes }, i) =>
    outcomes.flatMap((at, j) =>
      Object.entries(at).flatMap(([peer, outcome]) =>
        isTiming(outcome) ? [{ query: labels[i], size: sizes[j], peer, time: outcome.median }] : [],
      ),
    ),
  );
  const domain = [Math.min(...sizes), Math.max(...sizes)] as const;
  const title = `From ${count(domain[0])} to ${contacts(domain[1])}`;
  const spec = {
    ...frame(title, "Median time of a call by number of contacts; both scales logarithmic"),
    data: { values: points },
    facet: {
      field: "query",
      type: "nominal",
      sort: labels,
      title: null,
      header: { labelFontSize: 13, labelFontWeight: "bold" },
    },
    columns: 2,
    spec: {
      width: 300,
      height: 240,
      mark: { type: "line", point: { size: 40, filled: true }, strokeWidth: 1.5 },
      encoding: {
        x: {
          field: "size",
          type: "quantitative",
          scale: { type: "log", domain },
          title: "contacts",
          axis: { values: sizes, format: "~s", gridColor: "#eeeeee" },
        },
        y: TIME_AXIS,
        color: peerColors(points.map(({ peer }) => peer)),
        strokeWidth: { condition: { test: "datum.peer === 'tercet'", value: 4 }, value: 1.5 },
      },
    },
  };
  return { name: "growth", title, spec };
}
