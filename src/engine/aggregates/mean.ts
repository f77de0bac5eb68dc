import { aggregate } from "./aggregate.ts";
import { Sums } from "./sums.ts";

export const mean = aggregate({
  fields: "numbers",
  needs: "each",
  finds: "number",
  state: Sums,
  of: (state, group) => state.mean(group),
  words: "the mean",
});
