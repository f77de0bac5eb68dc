import { aggregate } from "./aggregate.ts";
import { Extremes } from "./extremes.ts";
import { Ranges } from "./ranges.ts";

export const maximum = aggregate({
  fields: "ordered",
  needs: "extremes",
  finds: "value",
  state: Ranges,
  of: (state, group) => state.maximum(group),
  ofValues: aggregate({
    fields: "ordered",
    needs: "extremes",
    finds: "value",
    state: Extremes,
    of: (state, group) => state.highest(group),
    words: "the highest value",
  }),
  words: "the highest value",
});
