// The cost model: nanoseconds per row, rounded from measurements with 1,000,000 contacts. Only the ratios matter, and
// only if two plans are close.

export const costs = Object.freeze({
  /** Producing a row in insertion order, and in the order of an index. */
  scanRow: 1,
  indexScanRow: 3,
  /** The latter if the order is read from a file. */
  fileScanRow: 12,
  /** Comparing a row's code, or looking it up in a bitset. */
  codeTest: 3,
  /** The extra cost of the latter for rows from all over the collection. */
  scatteredBit: 8,
  /** Reading a row's value from its record and testing it. */
  valueTest: 60,
  /** The extra cost when each row is a cache miss. */
  scatteredTest: 300,
  /** Looking up the number of a code, where there are many. */
  scatteredNumber: 20,
  /** Testing a distinct value of an index. */
  distinctTest: 40,
  /** Searching a distinct value for a substring, where all values are searched as bytes. */
  textSearch: 15,
  /** Finding the candidates of a trigram search, for each row of the shortest posting. */
  trigramRow: 8,
  /** Sorting the rows of several values into insertion order. */
  bitmapRow: 6,
  /** Finding a rank at one level of a compound index. */
  rank: 25,
  /** Finding the start of a page in a compound index. */
  rankedPage: 1000,
  /** Selecting a page of rows by an index's codes, and by sorting their values. */
  selectRow: 15,
  sortRow: 400,
  /** The minimum setup that touches every row: clearing or traversing a bitset. */
  bitsetRow: 0.05,
});
