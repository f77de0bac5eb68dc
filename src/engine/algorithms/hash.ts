// A hash of strings, and what hash tables with open addressing share. Input can be crafted to collide. The seed of a
// table makes that harder, but does not prevent it: each table also documents what it does once a search takes too many
// steps.

const FNV_OFFSET = 0x811c9dc5;

/**
 * FNV-1a over UTF-16 units, with the finalizer of MurmurHash3 so that the low bits are good.
 *
 * @param seed that of a table; without it, the hash of a string is the same in every process
 * Source: G. Fowler, L. C. Noll, K.-P. Vo, "The FNV Non-Cryptographic Hash Algorithm"; A. Appleby,
 * MurmurHash3 (fmix32).
 */
export function hash(text: string, seed: number = FNV_OFFSET): number {
  let h = seed;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/**
 * Slots of a table that grows, two elements each: a number, or 0 if the slot is free; and its hash. The number is in the
 * first slot that was free, from that of its hash on. At most half of the slots are in use.
 */
export type Slots = Int32Array<ArrayBuffer>;

/** @param count a power of 2 */
export const freeSlots = (count: number): Slots => new Int32Array(2 * count);

/**
 * The same entries in twice as many slots. The way to an entry may be longer than before, if others were put first: a
 * search that ends after some steps may miss entries.
 */
export function grownSlots(slots: Slots): Slots {
  const more = new Int32Array(2 * slots.length);
  const mask = more.length - 1;
  for (let i = 0; i < slots.length; i += 2) {
    if (slots[i] === 0) continue;
    let slot = (2 * slots[i + 1]!) & mask;
    while (more[slot] !== 0) slot = (slot + 2) & mask;
    more[slot] = slots[i]!;
    more[slot + 1] = slots[i + 1]!;
  }
  return more;
}
