// Huffman codes of deflate (RFC 1951, 3.2.2), as tables: the next bits of the input are the index of an entry, which
// has the symbol and how many of these bits are its code.

export interface Code {
  /** For each value of the next `bits` bits, `symbol << 4 | length`; 0 if no symbol has these bits. */
  readonly entries: Uint16Array;
  /** The length of the longest code. */
  readonly bits: number;
}

const MOST_BITS = 15;

/**
 * The code whose symbols have these lengths, of which 0 is none. `undefined` if symbols would share codes, or if codes
 * are left that no symbol has; only a code of one symbol, or of none, may leave some.
 */
export function codeOf(lengths: Uint8Array): Code | undefined {
  const counts = new Uint16Array(MOST_BITS + 1);
  for (const length of lengths) counts[length]! += 1;
  counts[0] = 0;
  const bits = Math.max(
    1,
    counts.findLastIndex((count) => count > 0),
  );
  const next = new Uint16Array(MOST_BITS + 1);
  /** How many codes of each length are left. */
  let left = 1;
  for (let length = 1, code = 0; length <= bits; length++) {
    left = left * 2 - counts[length]!;
    if (left < 0) return undefined;
    code = (code + counts[length - 1]!) << 1;
    next[length] = code;
  }
  if (left > 0 && bits > 1) return undefined;
  const entries = new Uint16Array(1 << bits);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const code = next[length]!++;
    for (let at = reversed(code, length); at < entries.length; at += 1 << length) {
      entries[at] = (symbol << 4) | length;
    }
  }
  return { entries, bits };
}

/** Codes come with their first bit first, other numbers with their last. */
function reversed(code: number, length: number): number {
  let bits = 0;
  for (let i = 0; i < length; i++) bits |= ((code >>> i) & 1) << (length - 1 - i);
  return bits;
}

/** The lengths of runs of symbols. */
const lengthsOf = (...runs: readonly (readonly [times: number, length: number])[]): Uint8Array =>
  Uint8Array.from(runs.flatMap(([times, length]) => Array<number>(times).fill(length)));

const complete = (lengths: Uint8Array): Code =>
  codeOf(lengths) ?? { entries: new Uint16Array(2), bits: 1 };

/** Those of a block that declares none. */
export const FIXED = {
  literals: complete(lengthsOf([144, 8], [112, 9], [24, 7], [8, 8])),
  distances: complete(lengthsOf([32, 5])),
};
