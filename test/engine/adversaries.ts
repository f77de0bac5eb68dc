// Input designed to be slow, which occurs only in attacks.

/**
 * Keys in an order in which the middle one of those that are left is the lowest, so many times; then
 * what is left is in descending order.
 */
export function withLowestInTheMiddle(count: number, times = count): number[] {
  const keys = new Array<number>(count).fill(0);
  const positions = [...keys.keys()];
  for (let lowest = 0; lowest < times; lowest++) {
    // A partition swaps the pivot with the first key, and leaves the others.
    const middle = (lowest + count - 1) >>> 1;
    keys[positions[middle] ?? 0] = lowest;
    positions[middle] = positions[lowest] ?? 0;
  }
  for (let i = times; i < count; i++) keys[positions[i] ?? 0] = times + count - 1 - i;
  return keys;
}

const FNV_PRIME = 0x01000193;
/** The seed for which strings of one hash are made. */
export const ADVERSARY_SEED = 0x811c9dc5;

/** 2 to the power of `bits` strings of one hash with that seed: each a choice, `bits` times, of two parts that collide. */
export function stringsOfOneHash(bits: number): string[] {
  let strings = [""];
  let state = ADVERSARY_SEED;
  for (let bit = 0; bit < bits; bit++) {
    const { parts, next } = collision(state);
    strings = strings.flatMap((text) => parts.map((part) => text + part));
    state = next;
  }
  return strings;
}

/** Two texts that lead from one state of the hash to the same next one, found by the birthday paradox. */
function collision(state: number): { parts: readonly [string, string]; next: number } {
  const texts = new Map<number, string>();
  for (let number = 0; ; number++) {
    const text = `${number.toString(36)}@${number}`;
    let next = state;
    for (let i = 0; i < text.length; i++) next = Math.imul(next ^ text.charCodeAt(i), FNV_PRIME);
    const other = texts.get(next);
    if (other !== undefined) return { parts: [other, text], next };
    texts.set(next, text);
  }
}

/**
 * ASCII texts of one hash in a column of strings with this seed: of pairs of blocks that lead to one state, either can
 * be taken.
 */
export function textsOfOneColumnHash(seed: number, count: number): string[] {
  let texts = [""];
  let state = seed;
  const word = (block: string, at: number) =>
    block.charCodeAt(at) |
    (block.charCodeAt(at + 1) << 8) |
    (block.charCodeAt(at + 2) << 16) |
    (block.charCodeAt(at + 3) << 24);
  const step = (from: number, block: string) => {
    let h = from;
    for (const at of [0, 4]) {
      h = Math.imul(h ^ word(block, at), 0x01000193);
      h ^= h >>> 15;
    }
    return h;
  };
  while (texts.length < count) {
    const seen = new Map<number, string>();
    for (let n = 0; ; n++) {
      const block = (Math.imul(n, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
      const next = step(state, block);
      const other = seen.get(next);
      if (other === undefined) {
        seen.set(next, block);
        continue;
      }
      texts = texts.flatMap((text) => [text + block, text + other]);
      state = next;
      break;
    }
  }
  return texts.slice(0, count);
}
