import { aggregate } from "./aggregate.ts";
import { Gathered } from "./gathered.ts";

export const distinct = aggregate({
  fields: "countable",
  finds: "count",
  state: Gathered,
  of(state, group) {
    const values = state.sorted(group);
    let count = 0;
    for (let i = 0; i < values.length; i++) if (i === 0 || values[i] !== values[i - 1]) count++;
    return count;
  },
  words: "how many different values there are",
});
