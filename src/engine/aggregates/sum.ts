import { aggregate } from "./aggregate.ts";
import { Sums } from "./sums.ts";

export const sum = aggregate({
  fields: "numbers",
  needs: "each",
  finds: "number",
  state: Sums,
  of: (state, group) => state.sum(group),
  words: "the sum",
});
