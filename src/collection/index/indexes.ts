// The indexes of a collection, and the account that decides when one is built: when the scans that
// it would have saved have cost what building it costs. No workload then pays much more than twice
// what the best choice in hindsight would have cost.
//
// Source: the ski-rental argument; A. Karlin et al., "Competitive Snoopy Caching", 1988.

import type { WireValue } from "../../schema/field.ts";
import { fieldOf, type Schema } from "../../schema/schema.ts";
import { costs } from "../plan/costs.ts";
import { DeadlineError, type Deadline } from "../algorithms/deadline.ts";
import { FieldIndex } from "./field-index.ts";
import { mergeIndexes } from "./merge.ts";
import type { Origins } from "../algorithms/interleave.ts";
import { readerOf, type Rows } from "../records/rows.ts";
import { finish, type Steps } from "../algorithms/steps.ts";
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

const KINDS = ["sort", "contains"] as const satisfies readonly IndexKind[];

/** Up to this many distinct values, testing each is as good as a trigram index. */
const FEW_VALUES = 4096;

export interface IndexesOptions {
  /**
   * Whether an index is built when the account pays for it: by the query that asks, never, or by
   * {@link Indexes.buildDue}. Default: by the query.
   */
  readonly indexes?: IndexBuilding | undefined;
  /** What the indexes may take that are built when the account pays for them. Default: any. */
  readonly budget?: IndexBudget | undefined;
  /** Up to how many distinct values a field gets no trigram index. For tests with few records. */
  readonly fewValues?: number | undefined;
}

/** When indexes are built that nobody named. */
export type IndexBuilding = "auto" | "none" | "deferred";

/** How many bytes the indexes of some collections may take together, old snapshots' included. */
export class IndexBudget {
  readonly #bytes: number;
  /** Who has indexes; who is garbage has none. */
  readonly #holders = new Set<WeakRef<Indexes>>();

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  add(holder: Indexes): void {
    this.#holders.add(new WeakRef(holder));
  }

  /** How many bytes are left; negative where there are too many. */
  get left(): number {
    let left = this.#bytes;
    for (const holder of this.#holders) {
      const indexes = holder.deref();
      if (indexes === undefined) this.#holders.delete(holder);
      else left -= indexes.bytes;
    }
    return left;
  }
}

/** The least that an index of a row takes, in bytes: with less left none is begun. */
const LEAST_BYTES = 4;

/**
 * What others have is built by the query that asks first where it takes less, in nanoseconds by the
 * cost model, than a deferred building is worth.
 */
const SOON = 1e6;

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
  /** Buildings that a deadline has interrupted, by what they build. */
  readonly #underway = new Map<string, Steps<unknown>>();
  /** What was built and took more than there was left. */
  readonly #tooLarge: IndexNames & Readonly<Record<IndexKind, Set<string>>> = {
    sort: new Set(),
    contains: new Set(),
  };
  /** What there is here, for others to want. Names only: they shall not hold the indexes. */
  readonly names = { sort: new Set<string>(), contains: new Set<string>() };

  constructor(schema: Schema, rows: Rows, options: IndexesOptions, wanted?: IndexNames) {
    this.#schema = schema;
    this.#rows = rows;
    this.#options = options;
    this.#wanted = wanted;
    options.budget?.add(this);
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
    for (const kind of KINDS) {
      for (const [field, spent] of large.#spent[kind]) {
        merged.#spent[kind].set(field, spent);
      }
    }
    for (const field of large.#contains.keys()) merged.#spent.contains.set(field, Infinity);
    return merged;
  }

  /**
   * The index of a field, if there is one or one is due.
   *
   * @throws DeadlineError; building goes on when it is next asked for
   */
  sort(field: string, deadline?: Deadline): FieldIndex | undefined {
    const index = this.#sort.get(field);
    if (index !== undefined || !this.#isBuiltNow("sort", field)) return index;
    return this.#buildWithinBudget("sort", field, deadline) ? this.#sort.get(field) : undefined;
  }

  /**
   * The trigram index of a field, if there is one or one is due.
   *
   * @throws DeadlineError; building goes on when it is next asked for
   */
  contains(field: string, deadline?: Deadline): TrigramIndex | undefined {
    const index = this.#contains.get(field);
    if (index !== undefined || !this.#isBuiltNow("contains", field)) return index;
    return this.#buildWithinBudget("contains", field, deadline)
      ? this.#contains.get(field)
      : undefined;
  }

  buildSort(field: string, deadline?: Deadline): FieldIndex {
    let index = this.#sort.get(field);
    if (index === undefined) {
      const type = fieldOf(this.#schema, field)?.type ?? "string";
      index = this.#finish(
        `sort ${field}`,
        () => FieldIndex.building(type, this.#size, this.#reader(field)),
        deadline,
      );
      this.#keepSort(field, index);
    }
    return index;
  }

  /** Indexes a field for substrings; where its distinct values are few, those are index enough. */
  buildContains(field: string, deadline?: Deadline): TrigramIndex | undefined {
    let index = this.#contains.get(field);
    if (
      index === undefined &&
      this.buildSort(field, deadline).values.length > (this.#options.fewValues ?? FEW_VALUES)
    ) {
      index = this.#finish(
        `contains ${field}`,
        () => TrigramIndex.building(this.#size, this.#reader(field)),
        deadline,
      );
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

  /** How many indexes there are. */
  get count(): number {
    return this.#sort.size + this.#contains.size;
  }

  /** How many bytes the indexes hold, or will when they are used. */
  get bytes(): number {
    let bytes = 0;
    for (const index of this.#sort.values()) bytes += index.mostBytes;
    for (const index of this.#contains.values()) bytes += index.bytes;
    return bytes;
  }

  /** The indexes that are due and not built. */
  due(): IndexName[] {
    return KINDS.flatMap((kind) =>
      [...this.#spent[kind].keys()]
        .filter((field) => this.#isDue(kind, field) && !this.#tooLarge[kind].has(field))
        .filter((field) => !this.names[kind].has(field) && !this.#needsNone(kind, field))
        .map((field) => ({ kind, field })),
    );
  }

  /**
   * Builds the indexes that are due, and what finds values in those that there are.
   *
   * @throws DeadlineError; building goes on at the next call
   */
  buildDue(deadline?: Deadline): void {
    for (const { kind, field } of this.due()) this.#buildWithinBudget(kind, field, deadline);
    for (const [field, index] of this.#sort) {
      if (index.wantsLookup) {
        this.#finish(`lookup ${field}`, () => index.preparingLookup(), deadline);
      }
    }
  }

  /** Whether the field has so few values that it gets no trigram index. */
  #needsNone(kind: IndexKind, field: string): boolean {
    const index = kind === "contains" ? this.#sort.get(field) : undefined;
    return index !== undefined && index.values.length <= (this.#options.fewValues ?? FEW_VALUES);
  }

  /** Whether an index that there is not is to be built by the query that asks for it. */
  #isBuiltNow(kind: IndexKind, field: string): boolean {
    if (!this.#isDue(kind, field)) return false;
    if (this.#options.indexes !== "deferred") return true;
    // Noted, so that it is among those that are due.
    this.#spent[kind].set(field, Infinity);
    return this.#wanted?.[kind].has(field) === true && this.#price(kind, field) < SOON;
  }

  /** Builds an index, and keeps it if it takes no more than there is left. Returns whether it does. */
  #buildWithinBudget(kind: IndexKind, field: string, deadline: Deadline | undefined): boolean {
    const { budget } = this.#options;
    if (this.#tooLarge[kind].has(field)) return false;
    const hasRoom = budget === undefined || budget.left >= LEAST_BYTES * this.#size;
    if (hasRoom) {
      if (kind === "sort") this.buildSort(field, deadline);
      else this.buildContains(field, deadline);
      if (budget === undefined || budget.left >= 0) return this.names[kind].has(field);
      (kind === "sort" ? this.#sort : this.#contains).delete(field);
      this.names[kind].delete(field);
    }
    this.#tooLarge[kind].add(field);
    return false;
  }

  /** Runs a building to its end; one that a deadline interrupts goes on where it stood. */
  #finish<Result>(what: string, begin: () => Steps<Result>, deadline?: Deadline): Result {
    const steps = (this.#underway.get(what) as Steps<Result> | undefined) ?? begin();
    this.#underway.delete(what);
    try {
      return finish(steps, deadline);
    } catch (error) {
      if (error instanceof DeadlineError) this.#underway.set(what, steps);
      throw error;
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
    return spent !== undefined && spent >= this.#price(kind, field);
  }

  /** What building an index costs, in nanoseconds by the cost model. */
  #price(kind: IndexKind, field: string): number {
    const type = fieldOf(this.#schema, field)?.type ?? "string";
    return this.#size * (kind === "contains" ? costs.buildTrigrams : costs.buildIndex[type]);
  }

  #reader(field: string): (row: number) => WireValue {
    return readerOf(this.#schema, this.#rows)(field);
  }
}
