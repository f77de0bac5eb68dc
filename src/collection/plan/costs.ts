// The cost model: nanoseconds a row, of the order seen with 1,000,000 contacts. Only their
// ratios matter, and those only where two plans are close.

export const costs = Object.freeze({
  /** Handing out a row in insertion order, and in the order of an index. */
  scanRow: 1,
  indexScanRow: 3,
  /** Comparing a row's code, or looking it up in a bitset. */
  codeTest: 3,
  /** Reading a row's value from its record and testing it. */
  valueTest: 60,
  /** What that costs more where each row is a miss of every cache. */
  scatteredTest: 300,
  /** Testing a distinct value of an index. */
  distinctTest: 40,
  /** Finding the candidates of a trigram search, for each row of the shortest posting. */
  trigramRow: 8,
  /** Putting the rows of several values in insertion order. */
  bitmapRow: 6,
  /** Selecting a page of rows by an index's codes, and by sorting their values. */
  selectRow: 15,
  sortRow: 400,
  /** Setting up anything at all for every row: clearing or walking a bitset. */
  bitsetRow: 0.05,
});
