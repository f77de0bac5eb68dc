import { aggregate } from "./aggregate.ts";
import { Gathered } from "./gathered.ts";

export const distinct = aggregate({
  fields: "countable",
  needs: "each",
  finds: "count",
  state: Gathered,
  of: (state, group) => state.distinct(group),
  words: "how many different values there are",
});
