import { aggregate } from "./aggregate.ts";
import { Gathered } from "./gathered.ts";

export const quantile = aggregate({
  fields: "numbers",
  takesShare: true,
  needs: "each",
  finds: "value",
  state: Gathered,
  of: (state, group, share) => state.atShare(group, share, rankOf),
  words: "the smallest value that a share of the values does not exceed",
});

/** How many of the numbers must not exceed the value at a quantile: at least one. */
export function rankOf(share: number, count: number): number {
  if (latest.share !== share) latest = readShare(share);
  const { digits, scale } = latest;
  // The quotient is less than 2^32, so no rounding makes it an integer.
  if (scale <= SHORT) return Math.max(1, Math.ceil((digits * count) / scale));
  const product = BigInt(latest.written) * BigInt(count);
  const divisor = 10n ** BigInt(latest.decimals);
  return Math.max(1, Number((product + divisor - 1n) / divisor));
}

/** A share as the fraction that is written: in binary, 0.07 · 100 is more than 7. */
interface WrittenShare {
  readonly share: number;
  /** All digits, and how many of them are decimals. */
  readonly written: string;
  readonly decimals: number;
  /** The same as numbers, exact if they are short. */
  readonly digits: number;
  readonly scale: number;
}

function readShare(share: number): WrittenShare {
  const [digits = "", exponent = "0"] = String(share).split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  const written = whole + fraction;
  const decimals = fraction.length - Number(exponent);
  return { share, written, decimals, digits: Number(written), scale: 10 ** decimals };
}

/** That of very many groups, one after the other. */
let latest = readShare(0);

/** The product of a count and so many digits is a safe integer. */
const SHORT = 1_000_000;
