import { aggregate } from "./aggregate.ts";
import { Totaling } from "./totals.ts";

export const mean = aggregate({
  fields: "numbers",
  finds: "number",
  state: Totaling,
  of: (state, group) => state.mean(group),
  words: "the mean",
});
