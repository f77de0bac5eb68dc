// The order of values in wire form (rules P3, P4): integers by number, strings by Unicode code
// point, `null` lower than every value.

import type { FieldType, WireValue } from "./field.ts";

/** Negative, zero or positive as `a` is lower than, equal to or higher than `b`. */
export type Compare<T> = (a: T, b: T) => number;

/**
 * Compares strings by code point, from a position up to which they are known to be equal.
 *
 * UTF-16 puts the surrogates, which write code points from U+10000 on, below U+E000 to U+FFFF. At
 * the first unit that differs, lifting surrogates above those puts both in code point order.
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

function compareIntegers(a: string, b: string): number {
  return Number(a) - Number(b);
}

/** The order of a field's values. */
export function compareValues(type: FieldType): Compare<WireValue> {
  const compare = type === "int" ? compareIntegers : compareCodePoints;
  return (a, b) => {
    if (a === null) return b === null ? 0 : -1;
    return b === null ? 1 : compare(a, b);
  };
}
