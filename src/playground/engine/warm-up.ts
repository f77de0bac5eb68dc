// Asks likely questions in advance. Code takes several times as long when it first runs, and some
// structures are made at their first use.

import { withFacet, type FacetChoice } from "../criteria-list.ts";
import type { Facet, Tasks } from "../messages.ts";

/** How often it asks: until the browser has compiled the code. */
const ROUNDS = 3;

const PAGE = 60;

interface Asking extends Pick<Tasks, "rows" | "count" | "complete"> {
  /** One chart is counted at once. */
  readonly facets: (...asked: Parameters<Tasks["facets"]>) => unknown;
}

/** Questions by the first facet of each kind, and the counts of all charts for them: a step of it is one answer. */
export function* warmUp(tasks: Asking, facets: readonly Facet[]): Generator<undefined, void> {
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
