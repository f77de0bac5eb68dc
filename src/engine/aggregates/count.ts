import { aggregate } from "./aggregate.ts";
import { Presence } from "./presence.ts";

export const count = aggregate({
  fields: "countable",
  needs: "count",
  finds: "count",
  state: Presence,
  of: (state, group) => state.count(group),
  words: "how many records have a value",
});
