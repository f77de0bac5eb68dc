import { aggregate } from "./aggregate.ts";
import { DistinctValues } from "./distinct-values.ts";

export const distinct = aggregate({
  fields: "countable",
  needs: "each",
  finds: "count",
  state: DistinctValues,
  of: (state, group) => state.count(group),
  words: "how many different values there are",
});
