import { aggregate } from "./aggregate.ts";
import { Totaling } from "./totals.ts";

export const sum = aggregate({
  fields: "numbers",
  finds: "number",
  state: Totaling,
  of: (state, group) => state.sum(group),
  words: "the sum",
});
