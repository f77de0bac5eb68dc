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
  if (latest.share !== share) latest = readShare(share);
  const { digits, scale } = latest;
  if (scale <= SHORT) {
    const above = Number(digits) * count + Number(scale) - 1;
    return Math.max(1, (above - (above % Number(scale))) / Number(scale));
  }
  return Math.max(1, Number((digits * BigInt(count) + scale - 1n) / scale));
}

/** A share as the fraction that is written: in binary, 0.07 · 100 is more than 7. */
interface WrittenShare {
  readonly share: number;
  readonly digits: bigint;
  readonly scale: bigint;
}

function readShare(share: number): WrittenShare {
  const [digits = "", exponent = "0"] = String(share).split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  const scale = 10n ** BigInt(fraction.length - Number(exponent));
  return { share, digits: BigInt(whole + fraction), scale };
}

/** That of very many groups, one after the other. */
let latest = readShare(0);

/** The product of a count and so many digits is a safe integer. */
const SHORT = 1_000_000n;
