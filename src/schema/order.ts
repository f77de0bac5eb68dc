// The order of strings: by Unicode code point (rule P3).

/**
 * Compares strings by code point, from a position up to which they are known to be equal. Negative, zero
 * or positive if `a` is lower than, equal to or higher than `b`.
 *
 * UTF-16 puts surrogates, which encode code points from U+10000 on, below U+E000 to U+FFFF. At the first
 * unit that differs, lifting surrogates above those puts both in code point order.
 */
export function compareCodePoints(a: string, b: string, from = 0): number {
  const length = Math.min(a.length, b.length);
  for (let i = from; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return liftSurrogate(x) - liftSurrogate(y);
  }
  return a.length - b.length;
}

function liftSurrogate(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

const HIGH_UNIT = /[\ud800-\uffff]/;

/**
 * Whether `<` compares a string with any other one by code point: none of its units is a surrogate or
 * higher. The unit that first differs is then lower than all of those, in either order.
 */
export function isComparedByUnit(text: string): boolean {
  return !HIGH_UNIT.test(text);
}
