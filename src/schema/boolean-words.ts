// The words for true and false in data from other programs.

/** Pairs of words, the true one first. */
const PAIRS = [
  ["true", "false"],
  ["yes", "no"],
  ["t", "f"],
  ["y", "n"],
  ["on", "off"],
] as const;

/** Each spelling of a word, with its pair and whether it is the true one. */
const WORDS = new Map(
  PAIRS.flatMap((pair, number) =>
    pair.flatMap((word, index) => {
      const entry = { pair: number, value: index === 0 };
      const upper = word.toUpperCase();
      return [word, upper, upper.charAt(0) + word.slice(1)].map((each) => [each, entry] as const);
    }),
  ),
);

/** The bit of a word in a set of words; 0 if it is none of them. Only `true` and `false` share a bit. */
export function bitOfWord(text: string): number {
  const word = text.length <= 5 ? WORDS.get(text) : undefined;
  if (word === undefined) return 0;
  return word.pair === 0 ? 1 : 1 << (2 * word.pair + (word.value ? 0 : 1));
}

/**
 * Whether a set of words contains only booleans: `true` and `false`, or both words of another pair. A single word may
 * mean something else: `no` is also Norway.
 */
export const areBooleans = (bits: number): boolean =>
  bits === 1 || PAIRS.some((_, pair) => pair > 0 && bits === 0b11 << (2 * pair));

/** The boolean that a string stands for, if it does. A boolean field also accepts `1` and `0`. */
export function booleanOf(text: string): boolean | undefined {
  if (text === "1" || text === "0") return text === "1";
  return WORDS.get(text)?.value;
}
