// Why a peer is ahead, where one is. A row that has no sentence here makes the report fail: either
// tercet gets faster, or somebody says why not.

interface Reason {
  /** Names of rows; see behind.ts. */
  readonly rows: readonly string[];
  readonly peers: readonly string[];
  readonly because: string;
}

/** Peers that hold the caller's records, or copies of them, and no index. */
const ARRAYS = ["loop", "sift", "mingo", "alasql", "immer"];
const SQLITE = ["better-sqlite3", "node:sqlite"];

const REASONS: readonly Reason[] = [
  {
    rows: ["query 1", "lookup after one update"],
    peers: ["lokijs", "@tanstack/db"],
    because:
      "Its call takes the key and reads one entry of a map. tercet is given a query, which it parses, checks and plans before it looks the key up.",
  },
  {
    rows: ["query 12"],
    peers: ["lokijs", "@tanstack/db"],
    because:
      "It reads one entry of a map, and V8 keeps the hash of a string with the string. tercet hashes the key in each call, a third of its time, and finds it in a table of four bytes an entry, which holds no strings.",
  },
  {
    rows: ["query 1", "query 8"],
    peers: ["crossfilter2"],
    because:
      "Its call works on a dimension that is held ready: a bisection or a copy from the end of a sorted array. tercet looks at the query and its plan first.",
  },
  {
    rows: ["query 4"],
    peers: ["loop"],
    because:
      "A third of the addresses match, so that both stop after some hundred contacts; tercet has parsed, checked and planned the query before.",
  },
  {
    rows: ["query 5"],
    peers: ["loop", "lokijs"],
    because:
      "Of a thousand addresses tercet makes no trigram index: it tests each, as the peer does, after it has looked at the query.",
  },
  {
    rows: ["query 9"],
    peers: ["lokijs"],
    because:
      "It copies its sorted index whole and takes a slice of that: of a thousand contacts that takes no longer than what tercet does before it looks at the index.",
  },
  {
    rows: ["query 11"],
    peers: ["loop", "arquero"],
    because:
      "It is one slice of an array. tercet takes the same slice after it has looked at the query and its plan.",
  },
  {
    rows: ["loading and indexing"],
    peers: ["loop", "sift", "immer"],
    because: "It keeps a reference to the records: it checks, copies and indexes nothing.",
  },
  {
    rows: ["loading and indexing"],
    peers: ["mingo", "alasql", "arquero"],
    because: "It copies the records and builds no index.",
  },
  {
    rows: ["loading and indexing"],
    peers: ["crossfilter2", "lokijs", "@tanstack/db", "duckdb", "chdb"],
    because:
      "It checks no record, and has no trigram index of the addresses, which is the dearest of tercet's.",
  },
  {
    rows: ["memory"],
    peers: [...ARRAYS, "lokijs", "crossfilter2", "arquero", "duckdb", "chdb"],
    because: "It has no trigram index of the addresses, and fewer indexes of other fields or none.",
  },
  {
    rows: ["memory"],
    peers: SQLITE,
    because:
      "It holds rows and indexes in packed pages, and makes objects of a page's rows when they are asked for; tercet's records are objects, so that a query makes none.",
  },
  {
    rows: [1, 2, 3, 4, 5, 6, 7, 8, 11].map((id) => `first query ${id}`),
    peers: ["loop"],
    because:
      "Without an index tercet scans as the loop does, but its predicate is made from criteria at run time, a call for each criterion, where the loop's test is one written expression.",
  },
  {
    rows: ["one update", "update and lookup, in a row"],
    peers: [...SQLITE, "lokijs", "loop"],
    because:
      "It changes the record in place, and whoever holds it sees it change. tercet drafts the record, checks what the recipe left, and makes a new collection; the old one still answers as before.",
  },
  {
    rows: ["lookup after one update"],
    peers: SQLITE,
    because:
      "The statement is prepared and native, and an update has changed its indexes in place. tercet asks the base and the segments with what changed, here for the first time after each update: its code and data are cold, as the same lookup again and again takes some microseconds.",
  },
  {
    rows: ["page after inserting"],
    peers: [...SQLITE, "lokijs"],
    because:
      "tercet selects the page by the digests of all contacts that were inserted or changed, one after the other, by code that is not compiled yet, while V8's threads still compile what the insertion ran; it makes an index of them for who goes on asking. The peer has put each contact into its indexes while it inserted, and took longer for that.",
  },
  {
    rows: ["page after removing"],
    peers: [...SQLITE, "lokijs"],
    because:
      "It is one call, the first after the removal, and takes far longer than the same page again: its code and data have left the processor's caches. The peer reads an index in place; tercet merges the base, of which it leaves out what was removed, with what was inserted.",
  },
  {
    rows: ["many inserted at once"],
    peers: ["loop", "immer"],
    because:
      "It appends references to the caller's objects. tercet checks and copies each of them, makes the digests by which they are found, and a new collection; V8's threads take one of the two cores meanwhile, for they compile what has not run for so many rows before.",
  },
  {
    rows: ["many removed at once"],
    peers: ["loop", "immer"],
    because: "It is one pass over an array that has no index.",
  },
  {
    rows: ["page after one update", "page after inserting", "page after removing"],
    peers: ["@tanstack/db"],
    because:
      "Its page is a live query that the update has brought up to date, at the cost of every update; reading it is a copy.",
  },
  {
    rows: ["page: a step of a brush", "page: the slowest step"],
    peers: ["crossfilter2"],
    because:
      "Most steps take either page one frame of the screen. Some fall to the next frame: tercet's when its answer comes from the worker after the frame has begun.",
  },
  {
    rows: ["first page after opening", "resident after opening"],
    peers: SQLITE,
    because:
      "A row of SQLite stands in one page with all its fields. tercet's rows are columns: of each contact it reads a page for each of 27 columns, checks it against its checksum, and keeps it; and its code is compiled while it runs for the first time.",
  },
  {
    rows: ["first page after opening"],
    peers: ["lokijs"],
    because: "It has read all contacts and made objects of them when it opened.",
  },
  {
    rows: ["opening and first lookup"],
    peers: SQLITE,
    because:
      "Two thirds of it are the import: V8 reads hundreds of kilobytes of JavaScript, where SQLite is machine code. The rest: its directory, its schema and the checksums of all pages are checked when it opens, and then pages of 27 columns are read.",
  },
  {
    rows: ["saving"],
    peers: ["duckdb"],
    because:
      "It compresses columns by code that uses both cores; tercet checks records, makes an order of each field and trigrams of two, and writes them.",
  },
  {
    rows: ["file"],
    peers: ["duckdb"],
    because:
      "It compresses its columns and keeps no index. tercet reads its columns, orders and trigrams as they stand.",
  },
];

export function reasonFor(row: string, peer: string): string | undefined {
  return REASONS.find(({ rows, peers }) => rows.includes(row) && peers.includes(peer))?.because;
}
