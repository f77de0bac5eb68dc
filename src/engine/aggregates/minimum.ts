import { aggregate } from "./aggregate.ts";
import { Extremes } from "./extremes.ts";
import { Ranges } from "./ranges.ts";

export const minimum = aggregate({
  fields: "ordered",
  needs: "extremes",
  finds: "value",
  state: Ranges,
  of: (state, group) => state.minimum(group),
  ofValues: aggregate({
    fields: "ordered",
    needs: "extremes",
    finds: "value",
    state: Extremes,
    of: (state, group) => state.lowest(group),
    words: "the lowest value",
  }),
  words: "the lowest value",
});
