// The cost model: nanoseconds a row, rounded from measurements with 1,000,000 contacts. Only their ratios
// matter, and only if two plans are close.

export const costs = Object.freeze({
  /** Producing a row in insertion order, and in the order of an index. */
  scanRow: 1,
  indexScanRow: 3,
  /** Comparing a row's code, or looking it up in a bitset. */
  codeTest: 3,
  /** Reading a row's value from its record and testing it. */
  valueTest: 60,
  /** The extra cost if each row misses every cache. */
  scatteredTest: 300,
  /** Testing a distinct value of an index. */
  distinctTest: 40,
  /** Searching a distinct value for a text, where all of them are searched as bytes. */
  textSearch: 15,
  /** Finding the candidates of a trigram search, for each row of the shortest posting. */
  trigramRow: 8,
  /** Putting the rows of several values in insertion order. */
  bitmapRow: 6,
  /** Finding where a page begins among selected positions. */
  rankedPage: 300,
  /** Selecting a page of rows by an index's codes, and by sorting their values. */
  selectRow: 15,
  sortRow: 400,
  /** The least setup that touches every row: clearing or traversing a bitset. */
  bitsetRow: 0.05,
});
