// What a set of rows is compared as.

/** Each of the numbers once, ascending. */
export const ascending = (numbers: Iterable<number>): number[] =>
  [...new Set(numbers)].sort((a, b) => a - b);
