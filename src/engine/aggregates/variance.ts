import { aggregate } from "./aggregate.ts";
import { Moments } from "./moments.ts";

export const variance = aggregate({
  fields: "numbers",
  needs: "each",
  finds: "number",
  state: Moments,
  of: (state, group) => state.variance(group),
  words: "the variance of a sample",
});
