// The thresholds of the engine, of files and of stores. None changes a result. They are members of one object, which V8
// treats as constants while nothing writes to it. Tests write to it before they make a collection, so that a hundred
// rows take code paths that otherwise need a hundred thousand.

/** ECMAScript does not define what may be there. */
const platform: { readonly performance?: Pick<Performance, "now"> } = globalThis;

export const tuning = {
  // Segments.

  /** Up to this many rows, each row is checked with the predicate, and rows are sorted without an index. */
  fewRows: 64,
  /** A segment has at least this many times the rows of the next, and the base at most one dead row in this many. */
  sizeRatio: 8,

  // Running plans.

  /** How many rows a batch has at most. */
  largestBatch: 4096,
  smallestBatch: 64,
  /** Up to this many rows are copied one by one: a subarray costs more. */
  fewToCopy: 128,
  /** How many criteria are tried as the source of a plan: trying a thousand would make a million filters. */
  mostSources: 3,
  /** A page of numbers is selected rather than sorted if it ends within the first of this many parts. */
  selectedPart: 64,
  /** If there are fewer rows than one in this many values, counts look only at the values that occur. */
  sparsePart: 32,
  /** The values of so many rows are searched at once: in a file, each page is then read once. */
  searchedBatch: 1 << 16,
  /** With at least one row in this many, a bitset restores insertion order faster than a sort. */
  densePart: 64,

  // Indexes.

  /**
   * The time in milliseconds, by which scans are charged to the index that would have saved them. Tests stop this clock,
   * so that the same queries build the same indexes: then estimates are charged.
   */
  clock: (): number => platform.performance?.now() ?? Date.now(),

  /**
   * How many milliseconds building may hold a query without a deadline, unless it takes more than 1.5 times as long without
   * the index.
   */
  longestBuilding: 50,

  /** With up to this many distinct values, a string field gets no substring index. */
  fewValues: 4096,
  /** With more short texts beyond ASCII than this, as in Chinese, these are not counted. */
  mostShortTexts: 1 << 16,
  /** A text of one or two characters is narrowed by trigrams if at most one in this many rows contains it. */
  rarePart: 64,
  /** With more distinct values than this, they are found by a hash table. */
  fewToSearch: 4096,
  /** With up to this many distinct values, and at most a quarter of the rows, strings are coded by a Map. */
  fewToCode: 50_000,
  /** How many ranges a set of codes may have before it becomes a bitset. */
  mostRanges: 1024,
  /** The maximum number of code ranges of a page that is read by a compound index. */
  fewRanges: 8,
  /** A compound index is built once its account reaches this share of its price. */
  compoundShare: 1,
  /** Queries that would save fewer nanoseconds by a compound index are not charged: that takes about as long. */
  leastCharged: 1000,
  /** A segment builds an index that the rest of the collection has once its account reaches this share of the price. */
  inheritedShare: 1 / 8,

  // Hash tables. What was made to collide, or does by chance, is found without them.

  /** The seed of a new table, from outside of which nobody can make its strings collide. */
  hashSeed: (): number => Math.floor(Math.random() * 2 ** 32),
  /** Up to this many unique values are compared one by one. */
  fewToCompare: 16,
  /** How many slots a table has that grows: a power of 2. */
  firstSlots: 16,
  /**
   * A search for a string ends after this many steps. With half of the slots taken, email addresses took at most 68
   * among 16 million.
   */
  mostSteps: 256,
  /**
   * Up to this many distinct numbers are numbered by a table, of four times as many slots: a power of 2. With more, sums
   * over most rows read the number of each row from an array instead of those of its code.
   */
  fewNumbers: 4096,
  /** If a search for a number takes more steps, there are too many. */
  mostNumberSteps: 32,

  // Caches.

  /** Searches for longer strings are not cached. */
  longestText: 256,

  /** How many entries the cache of a collection has at most. */
  mostKept: 64,
  /** How many bytes they take together at most; a single entry takes at most an eighth. */
  mostKeptBytes: 2 ** 23,
  /** How many records made from columns are kept, at about 400 bytes each. At most 2^16. */
  mostRecords: 1 << 15,

  // Groups.

  /** With so many values a group, on average, those at a share are selected by a sample. */
  largeGroup: 1 << 12,
  /** The different integers of each group are marked in up to so many bytes for all groups. */
  mostMarkedBytes: 2 ** 24,

  // Live queries.

  /**
   * After a change of more records than this, and of more than this part of all, live queries are run again: that costs
   * no more than checking each record before and after.
   */
  mostJudged: 500,
  judgedPart: 16,

  /**
   * How many rows beyond a live page are kept on either side of it, so that it need not be asked for again when rows
   * leave it. Each takes about 100 bytes.
   */
  spareRows: 32,

  /** Live groups that are more than this are asked for again: listing them takes as long. */
  mostFollowedGroups: 5000,

  // Files.

  /**
   * A section of a file of up to this many bytes is read and checked completely. In a new process that code is not
   * compiled yet: with 256 KiB, a first lookup spent half its time on dictionaries of which it needs one value.
   */
  smallSection: 1 << 13,
  /** Of a section with more bytes than this, pages that are read at once with others may stay in memory. */
  wholeSection: 1 << 18,
  /** They do if they are more than one in this many. */
  keptPart: 4,
  /** Up to one in this many values of a dictionary are searched without reading the others. */
  fewToRead: 16,
  /**
   * A file of a store contains the order of a field with more values than this, if the file also has more rows than
   * this: making it at the first query took half a second for 1,000,000 rows in a new process. With fewer values, it
   * takes a tenth.
   */
  manyRows: 1 << 16,
  manyValues: 256,

  /** So many dead rows are counted by their codes, where their positions in an order are far to find. */
  fewDead: 1024,
  /** After a change of up to so many records, the values of references to them are followed instead of read again. */
  mostFollowedReferences: 256,

  // Imports.

  /** Of unique combinations in merged files, those of so many rows are compared at once. */
  combinedRows: 1 << 20,
  /**
   * How many bytes of columns an import holds: more are written to a file, and merged with others at the end.
   */
  runBytes: 2 ** 26,

  // Stores.

  /** A collection of up to this many rows has no file of its own: it is stored in the data file. */
  fewInData: 1000,
  /**
   * The maximum bytes of a line of a store: whatever is written must be readable in any process, and some engines limit
   * strings to 2^28 characters.
   */
  longestLine: 255 * 2 ** 20,
  /**
   * The length as JSON up to which the journal has a changed record completely: replaying it then reads nothing of the
   * record before it, which may be in a file. Of longer records it has the changed fields.
   */
  shortRecord: 1000,

  // Tables in a database.

  /** If more rows than this come before a page, its rows are looked up by their positions. */
  fewBefore: 256,
  /**
   * With more ranges than this, integers are grouped by a width that divides all of these: engines that read columns
   * compare every row with every edge.
   */
  fewCompared: 100,
};
