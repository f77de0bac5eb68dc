// The thresholds by which the engine goes about its work. None changes an answer. They stand in one object, which
// V8 takes for constants as long as nothing writes to it; tests write to it before they make a collection, so
// that a hundred rows meet what else takes a hundred thousand.

export const tuning = {
  // Segments.

  /** Up to so many rows are few: the predicate judges each, and they are put in order one by one. */
  fewRows: 64,
  /**
   * A segment has at least this many times the rows of the next, and the base at most one dead row in as many.
   * `npm run bench -- --figures share` shows what other ratios cost.
   */
  sizeRatio: 8,

  // Runs of plans.

  /** How many rows a batch has. */
  largestBatch: 4096,
  smallestBatch: 64,
  /** A page that ends within this part of the rows is selected, where integers are sorted without digests. */
  selectedPart: 64,
  /** From this part of the rows on, a bitset puts them in insertion order faster than a sort. */
  densePart: 64,

  // Indexes.

  /** Up to so many distinct values a text gets no index of substrings, and no digests. */
  fewValues: 4096,
  /** With more distinct values than this, they are found by a table of hashes. */
  fewToSearch: 4096,
  /** Up to so many distinct values, and a quarter of the rows, a text is coded by a Map. */
  fewToCode: 50_000,
  /** How many ranges a set of codes has before it becomes a bitset. */
  mostRanges: 1024,
  /** What share of its price has to be spent before an index is built that the rest of the collection has. */
  wantedShare: 1 / 8,
  /**
   * Where the small part of a merge has this share of the large one's rows or more, an index that it lacks is not
   * built by the merge but by its next use: perhaps there is none.
   */
  alikeShare: 1 / 2,

  // Caches.

  /** A page that ends behind this row is not kept. */
  lastKept: 4096,
  /** A search for a text of more characters is not kept. */
  longestText: 256,
  /** How many results of searches are kept by a segment, and how many rows they have together. */
  mostResults: 256,
  mostResultRows: 32_768,
  /** Counts of more values or bins are not kept. */
  mostCounts: 1000,
  /** How many records made of columns are held, at some 400 bytes each. A power of two. */
  mostRecords: 1 << 15,

  // Several databases.

  /** Up to so many rows before a page are read from each database, and dropped. */
  fewBefore: 256,
};
