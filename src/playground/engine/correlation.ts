// How two columns of numbers go together.

import type { Correlation } from "../messages.ts";

/** The number of each code, ascending and NaN for null, and the code of each record. */
interface Numbers {
  readonly numbers: Float64Array;
  readonly codes: ArrayLike<number>;
}

/** The coefficients of Pearson and Spearman, of the records that have both numbers. */
export function correlationOf(x: Numbers, y: Numbers): Correlation {
  const pairs = pairsOf(x, y);
  const ranked = [x, y].map(({ numbers, codes }) => ({ numbers: ranksOf(numbers, codes, pairs) }));
  return {
    pairs: pairs.length,
    pearson: pearsonOf(x, y, pairs),
    spearman: pearsonOf({ ...x, ...ranked[0] }, { ...y, ...ranked[1] }, pairs),
  };
}

/** The records that have both numbers. */
function pairsOf(x: Numbers, y: Numbers): Uint32Array {
  const pairs = new Uint32Array(x.codes.length);
  let count = 0;
  for (let i = 0; i < pairs.length; i++) {
    const isPair = !Number.isNaN(x.numbers[x.codes[i]!]! + y.numbers[y.codes[i]!]!);
    if (isPair) pairs[count++] = i;
  }
  return pairs.subarray(0, count);
}

/**
 * In one pass, by the updates of means and sums of products of B. P. Welford, “Note on a Method for Calculating Corrected
 * Sums of Squares and Products”, Technometrics 4 (1962).
 *
 * @returns `null` if one of the columns has no two different numbers
 */
function pearsonOf(x: Numbers, y: Numbers, pairs: Uint32Array): number | null {
  const [xs, ys] = [centred(x, pairs), centred(y, pairs)];
  const [xCodes, yCodes] = [x.codes, y.codes];
  let [count, xMean, yMean, xx, yy, xy] = [0, 0, 0, 0, 0, 0];
  for (const i of pairs) {
    count++;
    const [across, up] = [xs[xCodes[i]!]! - xMean, ys[yCodes[i]!]! - yMean];
    xMean += across / count;
    yMean += up / count;
    const left = ys[yCodes[i]!]! - yMean;
    xx += across * (xs[xCodes[i]!]! - xMean);
    yy += up * left;
    xy += across * left;
  }
  if (xx === 0 || yy === 0) return null;
  return Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)));
}

/**
 * Numbers as parts of the largest, so that no product overflows, less the first one of them, so that no digits are lost to
 * what all have in common. The coefficient is the same: scaling by powers of two is exact.
 */
function centred({ numbers, codes }: Numbers, [first = 0]: Uint32Array): Float64Array {
  const most = numbers.reduce((high, each) => Math.max(high, Math.abs(each) || 0), 0);
  const scale = 2 ** -Math.max(-1000, Math.ceil(Math.log2(most)));
  const origin = (numbers[codes[first] ?? 0] ?? 0) * scale;
  return numbers.map((number) => number * scale - origin);
}

/** The mean rank of those that are equal, of each code, among some records. */
function ranksOf(
  numbers: Float64Array,
  codes: ArrayLike<number>,
  pairs: Uint32Array,
): Float64Array {
  const ranks = new Float64Array(numbers.length);
  for (const i of pairs) ranks[codes[i]!]!++;
  let before = 0;
  return ranks.map((count) => (before += count) - (count - 1) / 2);
}
