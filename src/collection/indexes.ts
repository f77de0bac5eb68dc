// The indexes of a collection, and the account that decides when one is built: when the scans that
// it would have saved have cost what building it costs. No workload then pays much more than twice
// what the best choice in hindsight would have cost.
//
// Source: the ski-rental argument; A. Karlin et al., "Competitive Snoopy Caching", 1988.

import type { WireValue } from "../schema/field.ts";
import { fieldOf, type Schema } from "../schema/schema.ts";
import { costs } from "./costs.ts";
import { FieldIndex } from "./field-index.ts";
import { mergeIndexes } from "./merge-index.ts";
import type { Origins } from "./origins.ts";
import { readerOf, type Rows } from "./rows.ts";
import { TrigramIndex } from "./trigram-index.ts";

/** What a field's index serves: `sort` for order and equality, `contains` for substrings. */
export type IndexKind = "sort" | "contains";

export interface IndexName {
  readonly kind: IndexKind;
  readonly field: string;
}

/** An index and what it takes. */
export interface IndexReport extends IndexName {
  readonly bytes: number;
}

/** Up to this many distinct values, testing each is as good as a trigram index. */
const FEW_VALUES = 4096;

export interface IndexesOptions {
  /** Whether an index is built when the account pays for it. Default: yes. */
  readonly indexes?: "auto" | "none" | undefined;
  /** Up to how many distinct values a field gets no trigram index. For tests with few records. */
  readonly fewValues?: number | undefined;
}

/** The names of the fields that have indexes. */
export type IndexNames = Readonly<Record<IndexKind, ReadonlySet<string>>>;

/**
 * From this share of the large one's rows on, an index is made when a query asks for it: an insertion
 * of many then pays for none that no query uses.
 */
const ALIKE = 1 / 2;

export class Indexes {
  readonly #schema: Schema;
  readonly #rows: Rows;
  readonly #options: IndexesOptions;
  /** What others have: such an index is built when it is first asked for. */
  readonly #wanted: IndexNames | undefined;
  readonly #sort = new Map<string, FieldIndex>();
  readonly #contains = new Map<string, TrigramIndex>();
  /** What scans have cost so far for want of an index, in nanoseconds by the cost model. */
  readonly #spent: Readonly<Record<IndexKind, Map<string, number>>> = {
    sort: new Map(),
    contains: new Map(),
  };
  /** What there is here, for others to want. Names only: they shall not hold the indexes. */
  readonly names = { sort: new Set<string>(), contains: new Set<string>() };

  constructor(schema: Schema, rows: Rows, options: IndexesOptions, wanted?: IndexNames) {
    this.#schema = schema;
    this.#rows = rows;
    this.#options = options;
    this.#wanted = wanted;
  }

  /**
   * The indexes of segments that were merged. What the large one has is merged with what the small
   * one has, or gets for that. Where the two are nearly alike in size, what the small one has not is
   * built anew at its next use; and so is an index of substrings.
   */
  static merged(large: Indexes, small: Indexes, origins: Origins, rows: Rows): Indexes {
    const merged = new Indexes(large.#schema, rows, large.#options, large.#wanted);
    const isAlike = small.#size >= large.#size * ALIKE;
    for (const [field, index] of large.#sort) {
      const other = isAlike ? small.#sort.get(field) : small.buildSort(field);
      if (other === undefined) merged.#spent.sort.set(field, Infinity);
      else merged.#keepSort(field, mergeIndexes(index, other, origins));
    }
    for (const kind of ["sort", "contains"] as const) {
      for (const [field, spent] of large.#spent[kind]) {
        merged.#spent[kind].set(field, spent);
      }
    }
    for (const field of large.#contains.keys()) merged.#spent.contains.set(field, Infinity);
    return merged;
  }

  /** The index of a field, if there is one or one is due. */
  sort(field: string): FieldIndex | undefined {
    return (
      this.#sort.get(field) ?? (this.#isDue("sort", field) ? this.buildSort(field) : undefined)
    );
  }

  /** The trigram index of a field, if there is one or one is due. */
  contains(field: string): TrigramIndex | undefined {
    return (
      this.#contains.get(field) ??
      (this.#isDue("contains", field) ? this.buildContains(field) : undefined)
    );
  }

  buildSort(field: string): FieldIndex {
    let index = this.#sort.get(field);
    if (index === undefined) {
      const type = fieldOf(this.#schema, field)?.type ?? "string";
      index = FieldIndex.of(type, this.#size, this.#reader(field));
      this.#keepSort(field, index);
    }
    return index;
  }

  /** Indexes a field for substrings; where its distinct values are few, those are index enough. */
  buildContains(field: string): TrigramIndex | undefined {
    let index = this.#contains.get(field);
    if (
      index === undefined &&
      this.buildSort(field).values.length > (this.#options.fewValues ?? FEW_VALUES)
    ) {
      index = new TrigramIndex(this.#size, this.#reader(field));
      this.#contains.set(field, index);
      this.names.contains.add(field);
    }
    return index;
  }

  /** Charges the cost of a scan to the index that would have saved it. */
  charge(kind: IndexKind, field: string, nanoseconds: number): void {
    if (this.#options.indexes === "none") return;
    const spent = this.#spent[kind];
    spent.set(field, (spent.get(field) ?? 0) + nanoseconds);
  }

  report(): IndexReport[] {
    return [
      ...Array.from(this.#sort, ([field, { bytes }]) => ({ field, kind: "sort" as const, bytes })),
      ...Array.from(this.#contains, ([field, { bytes }]) => ({
        field,
        kind: "contains" as const,
        bytes,
      })),
    ];
  }

  /** Builds the indexes that are due. */
  buildDue(): void {
    for (const kind of ["sort", "contains"] as const) {
      for (const field of this.#spent[kind].keys()) this[kind](field);
    }
  }

  #keepSort(field: string, index: FieldIndex): void {
    this.#sort.set(field, index);
    this.names.sort.add(field);
  }

  get #size(): number {
    return this.#rows.records.length;
  }

  #isDue(kind: IndexKind, field: string): boolean {
    if (this.#wanted?.[kind].has(field) === true) return true;
    const spent = this.#spent[kind].get(field);
    if (spent === undefined) return false;
    const type = fieldOf(this.#schema, field)?.type ?? "string";
    const price = kind === "contains" ? costs.buildTrigrams : costs.buildIndex[type];
    return spent >= price * this.#size;
  }

  #reader(field: string): (row: number) => WireValue {
    return readerOf(this.#schema, this.#rows)(field);
  }
}
