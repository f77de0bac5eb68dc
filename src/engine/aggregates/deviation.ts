import { aggregate } from "./aggregate.ts";
import { Moments } from "./moments.ts";

export const deviation = aggregate({
  fields: "numbers",
  needs: "each",
  finds: "number",
  state: Moments,
  of(state, group) {
    const variance = state.variance(group);
    return variance === null ? null : Math.sqrt(variance);
  },
  words: "the standard deviation of a sample",
});
