// A hash of strings for tables with open addressing. Strings can be crafted to collide: each table documents how it
// handles that.

/**
 * FNV-1a over UTF-16 units, with the finalizer of MurmurHash3 so that the low bits are good.
 *
 * Source: G. Fowler, L. C. Noll, K.-P. Vo, "The FNV Non-Cryptographic Hash Algorithm"; A. Appleby,
 * MurmurHash3 (fmix32).
 */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
