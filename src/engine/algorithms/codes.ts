// Values numbered in the order in which they were found, and their codes: their positions in sort order.

/** Maps each number of a value in use, counted from 1, to its code; the others to 0. */
export function usedNumbers(codes: Uint32Array, values: number): Uint32Array {
  const isUsed = new Uint8Array(values + 1);
  for (let row = 0; row < codes.length; row++) isUsed[codes[row]!] = 1;
  let count = 0;
  const used = new Uint32Array(values);
  for (let number = 1; number <= values; number++)
    if (isUsed[number] === 1) used[count++] = number - 1;
  return used.subarray(0, count);
}

/** Replaces the numbers of values with their codes. @param sorted the numbers in the order of their values */
export function recode(codes: Uint32Array, sorted: Uint32Array, values: number): void {
  const codeOf = new Uint32Array(values + 1);
  for (let i = 0; i < sorted.length; i++) codeOf[sorted[i]! + 1] = i + 1;
  for (let row = 0; row < codes.length; row++) codes[row] = codeOf[codes[row]!]!;
}

/** A larger typed array that starts with the given elements. */
export function grown<Elements extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  elements: Elements,
  make: new (length: number) => Elements,
  length: number,
): Elements {
  const more = new make(length);
  more.set(elements);
  return more;
}
