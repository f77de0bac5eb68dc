// The thresholds of the engine, of files and of stores. None changes an answer. They are members of one object,
// which V8 treats as constants as long as nothing writes to it. Tests write to it before they make a collection,
// so that a hundred rows take paths that otherwise need a hundred thousand.

export const tuning = {
  // Segments.

  /** Up to this many rows are few: each is checked with the predicate, and they are sorted without an index. */
  fewRows: 64,
  /**
   * A segment has at least this many times the rows of the next, and the base at most one dead row in as many.
   */
  sizeRatio: 8,

  // Runs of plans.

  /** How many rows a batch has. */
  largestBatch: 4096,
  smallestBatch: 64,
  /** Up to this many rows are copied one by one: an array that refers to them costs more. */
  fewToCopy: 128,
  /** How many criteria are tried as the source of a plan: trying a thousand would make a million filters. */
  mostSources: 3,
  /** A page of numbers is selected, not sorted, if it ends within the first of this many parts. */
  selectedPart: 64,
  /** Of fewer rows than one in this many values, only the values that they have are looked at when they are counted. */
  sparsePart: 32,
  /** With at least one row in this many, a bitset restores insertion order faster than a sort. */
  densePart: 64,

  // Indexes.

  /** With up to this many distinct values a text field gets no index of substrings. */
  fewValues: 4096,
  /** With more distinct values than this, they are found by a table of hashes. */
  fewToSearch: 4096,
  /** With up to this many distinct values, and a quarter of the rows, texts are coded by a Map. */
  fewToCode: 50_000,
  /** How many ranges a set of codes has before it becomes a bitset. */
  mostRanges: 1024,
  /** How many selections in its order an index keeps, and as many accounts of missing ones. */
  mostSelections: 8,
  /** How many ranges of codes a selection is made for. */
  fewRanges: 8,
  /** The share of its price after which a selection is made. */
  selectionShare: 1,
  /** The share of its price after which a segment builds an index that the rest of the collection has. */
  inheritedShare: 1 / 8,
  /**
   * If the small part of a merge has at least this share of the large one's rows, the merge does not build an
   * index that the small part lacks. Its next use does, if there is one.
   */
  alikeShare: 1 / 2,

  // Caches.

  /** A table of the counts of pairs has at most one number for so many rows. */
  pairPart: 8,
  /**
   * The share of all rows that counts of pairs read before such a table is made. Making it reads all rows, but in their
   * order, some 16 times as fast as counts read theirs.
   */
  pairShare: 1 / 16,

  /** A search for a text of more characters is not kept. */
  longestText: 256,
  /** How many entries the cache of a collection has. */
  mostKept: 64,
  /** How many bytes they take together; a single one takes at most an eighth. */
  mostKeptBytes: 2 ** 23,
  /** How many records made of columns are held, at some 400 bytes each. At most 2^16. */
  mostRecords: 1 << 15,

  // Live queries.

  /** After a change of more records, repeating a live query costs no more than judging each, as it was and as it is. */
  mostJudged: 500,

  // Files.

  /**
   * A section of a file of up to this many bytes is read and checked whole. In a new process that code is not
   * compiled yet: with 256 KiB, a first lookup spent half its time on dictionaries of which it needs one value.
   */
  smallSection: 1 << 13,
  /**
   * A file of a store has the orders of fields of more than so many values, if it has more than so many rows: making
   * one at the first query took half a second of 1,000,000 rows in a new process. Of fewer values it takes a tenth.
   */
  manyRows: 1 << 16,
  manyValues: 256,

  // Stores.

  /** A collection of up to this many rows has no file of its own: it is part of the data. */
  fewInData: 1000,
  /**
   * The most bytes of a line of a store: what is written must be readable in any process, and some engines limit
   * strings to 2^28 characters.
   */
  longestLine: 255 * 2 ** 20,

  // Pages of an engine's tables.

  /** After more rows than these, the rows of a page are looked up by their positions. */
  fewBefore: 256,
};
