// The form in which sets of rows are compared.

/** Each of the numbers once, ascending. */
export const ascending = (numbers: Iterable<number>): number[] =>
  [...new Set(numbers)].sort((a, b) => a - b);
