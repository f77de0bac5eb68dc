import { aggregate } from "./aggregate.ts";
import { Gathered } from "./gathered.ts";

export const quantile = aggregate({
  fields: "numbers",
  takesShare: true,
  needs: "each",
  finds: "value",
  state: Gathered,
  of(state, group, share) {
    const count = state.count(group);
    return count === 0 ? null : state.at(group, rankOf(share, count) - 1);
  },
  words: "the smallest value that a share of the values does not exceed",
});

/** How many of the numbers must not exceed the value at a quantile: at least one. */
export function rankOf(share: number, count: number): number {
  // In binary, 0.07 · 100 is more than 7.
  const [digits = "", exponent = "0"] = String(share).split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  const scale = 10n ** BigInt(fraction.length - Number(exponent));
  const product = BigInt(whole + fraction) * BigInt(count);
  return Math.max(1, Number((product + scale - 1n) / scale));
}
