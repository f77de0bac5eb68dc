// From a string to its position in an array of distinct strings: open addressing in one typed array
// of positions, which holds no second pointer to the strings.

/** The positions of distinct strings; an element that is `null` is left out. */
export class ValueTable {
  readonly #values: readonly (string | null)[];
  /** Position + 1 of the string in each slot; 0 where the slot is free. At most half are taken. */
  readonly #slots: Uint32Array;

  /**
   * @param positions the order in which to add positions: each at least once. Strings are hashed
   *   fastest in the order in which they stand in memory. Default: ascending
   */
  constructor(values: readonly (string | null)[], positions?: ArrayLike<number>) {
    let size = 4;
    while (size < 2 * values.length) size *= 2;
    this.#values = values;
    this.#slots = new Uint32Array(size);
    const length = positions?.length ?? values.length;
    for (let i = 0; i < length; i++) this.#add(positions?.[i] ?? i);
  }

  #add(position: number): void {
    const value = this.#values[position] ?? null;
    if (value === null) return;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash(value) & mask;
    while (slots[slot] !== 0 && slots[slot] !== position + 1) slot = (slot + 1) & mask;
    slots[slot] = position + 1;
  }

  /** The position of the string, or −1. Expected constant time, worst case linear. */
  find(value: string): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash(value) & mask; ; slot = (slot + 1) & mask) {
      const position = slots[slot]! - 1;
      if (position < 0 || this.#values[position] === value) return position;
    }
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }
}

/**
 * FNV-1a over UTF-16 units, with the finalizer of MurmurHash3 so that the low bits are good.
 *
 * Source: G. Fowler, L. C. Noll, K.-P. Vo, "The FNV Non-Cryptographic Hash Algorithm"; A. Appleby,
 * MurmurHash3 (fmix32).
 */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
