// Asks likely questions in advance. Code takes several times as long when it first runs, and some
// structures are made at their first use.

import { withFacet, type FacetChoice } from "../criteria-list.ts";
import { groupedBy, isNumber, partsOf, type Measure } from "../groups.ts";
import type { Facet, FieldInfo, Tasks } from "../messages.ts";

/** How often it asks: until the browser has compiled the code. */
const ROUNDS = 3;

const PAGE = 60;

/** Groups by so many fields are asked for, and so many groups of each. */
const GROUPED = 8;
const GROUPS = 20;

/** One measure of each algorithm. */
const MEASURED: readonly Measure[] = ["mean", "maximum", "median"];

interface Asking extends Pick<Tasks, "rows" | "count" | "complete" | "groups"> {
  /** One chart is counted at once. */
  readonly facets: (...asked: Parameters<Tasks["facets"]>) => unknown;
}

/**
 * Questions by the first facet of each kind, and the counts of all charts for them, then groups by the first fields: a
 * step of it is one answer.
 */
export function* warmUp(
  tasks: Asking,
  facets: readonly Facet[],
  fields: readonly FieldInfo[],
): Generator<undefined, void> {
  const firsts = new Map(facets.toReversed().map((facet) => [facet.kind, facet]));
  for (let round = 1; round <= ROUNDS; round++) {
    for (const facet of firsts.values()) {
      const criteria = withFacet([], facet, choiceIn(tasks, facet, round));
      tasks.rows({ criteria, sort: [] }, 0, PAGE, true);
      yield;
      tasks.count(criteria);
      yield;
      for (const chart of facets) {
        void tasks.facets(criteria, [chart], new Map());
        yield;
      }
    }
  }
  // Those of charts have indexes: no value of them is read.
  const charted = facets.flatMap(({ field, kind }) => (kind === "search" ? [] : [field]));
  const can = fields
    .filter((field) => charted.includes(field.name) && partsOf(field).length > 0)
    .slice(0, GROUPED);
  const sum = can.find((field) => isNumber(field) && field.isMeasure);
  for (const field of can) {
    const measured = sum && ({ measure: "sum", of: sum.name } as const);
    tasks.groups([], groupedBy(field, undefined, measured), GROUPS);
    yield;
  }
  // Each measure is code of its own.
  const [first] = can;
  for (const measure of MEASURED) {
    if (first === undefined || sum === undefined) break;
    tasks.groups([], groupedBy(first, undefined, { measure, of: sum.name }), GROUPS);
    yield;
  }
}

/** Another choice in each round, because answers are kept. */
function choiceIn(tasks: Asking, facet: Facet, round: number): FacetChoice {
  switch (facet.kind) {
    case "values":
      return { values: facet.values.slice(0, round) };
    case "range": {
      const { edges } = facet;
      const last = Math.ceil((edges.length - 1) * (round / (ROUNDS + 1)));
      return { from: edges[0] ?? 0, end: edges[last] ?? 0 };
    }
    case "search": {
      // What values end with differs more than what they begin with.
      const [text = "a"] = tasks.complete(facet.field, "");
      return { text: text.slice(-round) };
    }
  }
}
