// The indexes of some rows, and the account that decides when to build one: when the scans that it would
// have saved have cost as much as building it. No workload then pays much more than twice the cost of the
// best choice in hindsight.
//
// Source: the ski-rental argument; A. Karlin et al., "Competitive Snoopy Caching", 1988.

import { isNumeric, type FieldType } from "../../schema/field.ts";
import { fieldOf, type Schema } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { Origins } from "../algorithms/interleave.ts";
import type { RankedBits } from "../algorithms/ranked-bits.ts";
import { FieldIndex } from "./field-index.ts";
import type { IndexBudget } from "./index-budget.ts";
import {
  byKind,
  indexKinds,
  kindNames,
  type Column,
  type Indexable,
  type IndexedColumn,
  type IndexKind,
  type IndexOf,
} from "./kinds.ts";
import { mergeIndexes } from "./merge.ts";
import { IndexesByField } from "./indexes-by-field.ts";
import { ResumableWork } from "./resumable-work.ts";
import { selectionsOf, type Selected, type Selections } from "./selections.ts";
import { tuning } from "../tuning.ts";

export interface IndexName {
  readonly kind: IndexKind;
  readonly field: string;
}

/** An index and its size. */
export interface IndexReport extends IndexName {
  readonly bytes: number;
}

export interface IndexesOptions {
  /**
   * Whether an index is built when the account pays for it: by the query that asks, never, or by
   * {@link Indexes.buildDue}. Default: by the query.
   */
  readonly indexes?: IndexBuilding | undefined;
  /** The bytes that automatically built indexes may take. Default: any. */
  readonly budget?: IndexBudget | undefined;
}

/** When indexes are built automatically. */
export type IndexBuilding = "auto" | "none" | "deferred";

/**
 * Under `"deferred"`, the first query that asks builds an index that the rest of the collection has, if
 * it costs less than this, in nanoseconds.
 */
const SOON = 1e6;

/** The names of fields, by the kind of an index. */
type NamesByKind<Names> = Readonly<Record<IndexKind, Names>>;

/** The names of the fields that have indexes. */
export interface IndexNames extends NamesByKind<ReadonlySet<string>> {
  /** Those built by name: the budget does not apply to them. */
  readonly named: NamesByKind<ReadonlySet<string>>;
}

type ByKind = { readonly [K in IndexKind]: IndexesByField<IndexOf<K>> };

export class Indexes {
  readonly #schema: Schema;
  readonly #rows: Indexable;
  readonly #options: IndexesOptions;
  /** The indexes of other rows: building one of these costs a fraction of its price. */
  readonly #wanted: IndexNames | undefined;
  readonly #ordered = new IndexesByField(indexKinds.ordered);
  readonly #byKind: ByKind = {
    ordered: this.#ordered,
    trigram: new IndexesByField(indexKinds.trigram),
  };
  readonly #lookups = new ResumableWork<void>();
  readonly #named = byKind(() => new Set<string>());
  #isCounted = false;
  readonly names: IndexNames = {
    ...byKind((kind) => this.#byKind[kind].fields),
    named: this.#named,
  };

  constructor(schema: Schema, rows: Indexable, options: IndexesOptions, wanted?: IndexNames) {
    this.#schema = schema;
    this.#rows = rows;
    this.#options = options;
    this.#wanted = wanted;
  }

  /**
   * The indexes of merged segments. The indexes of the large one are merged with those of the small one,
   * which first gets the ones it lacks. If both are of similar size, indexes that the small one lacks are
   * rebuilt when queries need them, and so are indexes of substrings.
   */
  static merged(large: Indexes, small: Indexes, origins: Origins, rows: Indexable): Indexes {
    const merged = new Indexes(large.#schema, rows, large.#options, large.#wanted);
    for (const kind of kindNames) {
      for (const [field, spent] of large.#byKind[kind].spent) {
        merged.#byKind[kind].spent.set(field, spent);
      }
      for (const field of large.#named[kind]) merged.#named[kind].add(field);
    }
    const isAlike = small.#size >= large.#size * tuning.alikeShare;
    const merge = mergingOnce(origins);
    for (const [field, index] of rows.isIndexed ? [] : large.#ordered.indexes) {
      const other = isAlike ? small.#ordered.indexes.get(field) : small.buildOrdered(field);
      if (other === undefined) merged.#buildAnew("ordered", field);
      else merged.#put("ordered", field, merge(index, other));
    }
    for (const kind of kindNames) {
      if (kind === "ordered") continue;
      for (const field of large.#byKind[kind].fields) merged.#buildAnew(kind, field);
    }
    return merged;
  }

  /**
   * Rebuilds an index that a part had: at its next use, or at a fraction of its price if the rest of the
   * collection has one.
   */
  #buildAnew(kind: IndexKind, field: string): void {
    const isWanted = this.#wanted?.[kind].has(field) === true;
    this.#byKind[kind].spent.set(field, isWanted ? 0 : Infinity);
  }

  /**
   * The ordered index of a field, if it exists or is due.
   *
   * @throws DeadlineError; building continues at the next request
   */
  ordered(field: string, deadline?: Deadline): FieldIndex | undefined {
    return this.#ordered.indexes.get(field) ?? this.of("ordered", field, deadline);
  }

  /** Like {@link Indexes.ordered}, of any kind. */
  of<K extends IndexKind>(kind: K, field: string, deadline?: Deadline): IndexOf<K> | undefined {
    const index = this.there(kind, field);
    if (index !== undefined || !this.#isBuiltNow(kind, field)) return index;
    this.#buildWithinBudget(kind, field, deadline);
    return this.there(kind, field);
  }

  /** The index of a kind of a field, if it exists. */
  there<K extends IndexKind>(kind: K, field: string): IndexOf<K> | undefined {
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    const known = ofKind.indexes.get(field);
    if (known !== undefined) return known;
    const own = ofKind.kind.own(this.#rows, field);
    return own && this.#put(kind, field, own);
  }

  buildOrdered(field: string, deadline?: Deadline): FieldIndex {
    return (
      this.there("ordered", field) ??
      this.#put("ordered", field, this.#ordered.build(field, this.#column(field), deadline))
    );
  }

  #put<K extends IndexKind>(kind: K, field: string, index: IndexOf<K>): IndexOf<K> {
    this.#countBytes();
    if (index instanceof FieldIndex && this.#options.indexes === "deferred") index.putOffLookup();
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    ofKind.put(field, index);
    return index;
  }

  /** Builds an index by name: rows made from these get it too. */
  buildNamed(kind: IndexKind, field: string): void {
    this.#named[kind].add(field);
    this.build(kind, field);
  }

  /** Builds an index, unless it exists or the field has too few values to need it. */
  build(kind: IndexKind, field: string, deadline?: Deadline): void {
    if (this.there(kind, field) !== undefined) return;
    const { values } = this.buildOrdered(field, deadline);
    if (kind === "ordered" || !indexKinds[kind].isWorth(values.length)) return;
    const index =
      this.#indexOfSame(kind, field) ??
      this.#byKind[kind].build(field, this.#column(field), deadline);
    this.#put(kind, field, index);
  }

  /** The index of a field with the same values, whose ordered index this one shares. */
  #indexOfSame<K extends IndexKind>(kind: K, field: string): IndexOf<K> | undefined {
    const { indexes } = this.#ordered;
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    for (const [other, index] of ofKind.indexes) {
      if (indexes.get(other) === indexes.get(field)) return index;
    }
    return undefined;
  }

  /**
   * The positions of an index that hold rows selected by codes of others, if they are known or due.
   *
   * @throws DeadlineError; finding them continues at the next request
   */
  selection(
    index: FieldIndex,
    selected: Selected,
    deadline: Deadline | undefined,
  ): RankedBits | undefined {
    const selections = selectionsOf(index);
    const known = selections.known(selected);
    if (known !== undefined || !selections.isDue(selected)) return known;
    if (this.#options.indexes === "deferred" && selections.cost >= SOON) return undefined;
    return this.#buildSelection(selections, selected, deadline);
  }

  #buildSelection(
    selections: Selections,
    selected: Selected,
    deadline: Deadline | undefined,
  ): RankedBits | undefined {
    const { budget } = this.#options;
    if (budget === undefined || budget.left >= selections.bytesOfOne) {
      return selections.build(selected, deadline);
    }
    selections.giveUp(selected);
    return undefined;
  }

  /** Charges what a page has cost for lack of a selection in the order of an index. */
  chargeSelection(index: FieldIndex, selected: Selected, nanoseconds: number): void {
    if (this.#options.indexes !== "none") selectionsOf(index).charge(selected, nanoseconds);
  }

  /** Charges the cost of a scan to the index that would have saved it. */
  charge(kind: IndexKind, field: string, nanoseconds: number): void {
    if (this.#options.indexes === "none") return;
    const { spent } = this.#byKind[kind];
    spent.set(field, (spent.get(field) ?? 0) + nanoseconds);
  }

  report(): IndexReport[] {
    return kindNames.flatMap((kind) =>
      this.#byKind[kind].report().map(({ field, bytes }) => ({ field, kind, bytes })),
    );
  }

  /** The fields of which young rows keep digests: a text with few values gains nothing from them. */
  get fieldsToDigest(): string[] {
    return Array.from(this.#ordered.indexes)
      .filter(([, { type, values }]) => isNumeric(type) || values.length > tuning.fewValues)
      .map(([field]) => field);
  }

  /** How many indexes there are. */
  get count(): number {
    return kindNames.reduce((sum, kind) => sum + this.#byKind[kind].fields.size, 0);
  }

  /** How many bytes the indexes hold, or will hold once used. */
  get bytes(): number {
    const selected = this.#selections.reduce((sum, { bytes }) => sum + bytes, 0);
    return kindNames.reduce((sum, kind) => sum + this.#byKind[kind].bytes, selected);
  }

  /** The indexes that are due but not built. */
  due(): IndexName[] {
    return kindNames.flatMap((kind) => {
      const { spent, fields, tooLarge } = this.#byKind[kind];
      return [...spent.keys()]
        .filter((field) => this.#isDue(kind, field) && !tooLarge.has(field))
        .filter((field) => !fields.has(field) && !this.#needsNone(kind, field))
        .map((field) => ({ kind, field }));
    });
  }

  /** The selections in the order of each index. */
  get #selections(): Selections[] {
    return Array.from(new Set(this.#ordered.indexes.values()), selectionsOf);
  }

  /** How many selections are due, and how many indexes lack a lookup table that was asked for. */
  get dueParts(): number {
    let due = this.#selections.reduce((sum, selections) => sum + selections.due.length, 0);
    for (const index of this.#ordered.indexes.values()) due += index.wantsLookup ? 1 : 0;
    return due;
  }

  /**
   * Builds the indexes that are due, and the lookup tables and selections of existing ones.
   *
   * @throws DeadlineError; building continues at the next call
   */
  buildDue(deadline?: Deadline): void {
    for (const { kind, field } of this.due()) this.#buildWithinBudget(kind, field, deadline);
    for (const [field, index] of this.#ordered.indexes) {
      if (index.wantsLookup) {
        this.#lookups.finish(field, () => index.preparingLookup(), deadline);
      }
    }
    for (const selections of this.#selections) {
      for (const selected of selections.due) this.#buildSelection(selections, selected, deadline);
    }
  }

  /** Counts the bytes from now on. Rows without indexes are not counted: updates make many. */
  #countBytes(): void {
    if (!this.#isCounted) this.#options.budget?.add(this);
    this.#isCounted = true;
  }

  /** Whether the field is known to have too few values. */
  #needsNone(kind: IndexKind, field: string): boolean {
    const index = this.#ordered.indexes.get(field);
    return index !== undefined && !indexKinds[kind].isWorth(index.values.length);
  }

  /** Whether the query that asks for a missing index builds it. */
  #isBuiltNow(kind: IndexKind, field: string): boolean {
    if (!this.#isDue(kind, field)) return false;
    if (this.#options.indexes !== "deferred") return true;
    // Recorded, so that it is among those that are due.
    this.#byKind[kind].spent.set(field, Infinity);
    return this.#wanted?.[kind].has(field) === true && this.#cost(kind, field) < SOON;
  }

  #isNamed(kind: IndexKind, field: string): boolean {
    return this.#named[kind].has(field) || this.#wanted?.named[kind].has(field) === true;
  }

  /** Builds an index, and keeps it if it fits the budget or was named. */
  #buildWithinBudget(kind: IndexKind, field: string, deadline: Deadline | undefined): void {
    const budget = this.#isNamed(kind, field) ? undefined : this.#options.budget;
    const ofKind = this.#byKind[kind];
    if (ofKind.tooLarge.has(field)) return;
    const least = indexKinds[kind].leastBytes * this.#size;
    if (budget === undefined || budget.left >= least) {
      this.build(kind, field, deadline);
      if (budget === undefined || budget.left >= 0) return;
      ofKind.drop(field);
    }
    ofKind.tooLarge.add(field);
  }

  get #size(): number {
    return this.#rows.size;
  }

  #isDue(kind: IndexKind, field: string): boolean {
    const isWanted = this.#wanted?.[kind].has(field) === true;
    // There is no account then.
    if (isWanted && this.#options.indexes === "none") return true;
    const spent = this.#byKind[kind].spent.get(field) ?? 0;
    return spent > 0 && spent >= this.#cost(kind, field) * (isWanted ? tuning.wantedShare : 1);
  }

  /** The cost of building an index, in nanoseconds. */
  #cost(kind: IndexKind, field: string): number {
    return indexKinds[kind].cost(this.#typeOf(field), this.#size);
  }

  #typeOf(field: string): FieldType {
    return fieldOf(this.#schema, field)?.type ?? "string";
  }

  #column(field: string): Column {
    const rows = this.#rows;
    const type = this.#typeOf(field);
    return {
      type,
      rows: this.#size,
      read: rows.readerOf(field),
      readNumber: isNumeric(type) ? rows.numberReaderOf(field) : undefined,
      isFolded: this.#schema.spellings.has(field),
      indexed: this.#indexed(type),
    };
  }

  *#indexed(type: FieldType): Generator<IndexedColumn, void> {
    for (const [field, index] of this.#ordered.indexes) {
      if (index.type === type) yield { read: this.#rows.readerOf(field), index };
    }
  }
}

/** Merges indexes; fields that share both share the merged one. */
function mergingOnce(origins: Origins): (large: FieldIndex, small: FieldIndex) => FieldIndex {
  const done: {
    readonly large: FieldIndex;
    readonly small: FieldIndex;
    readonly merged: FieldIndex;
  }[] = [];
  return (large, small) => {
    const same = done.find((each) => each.large === large && each.small === small);
    const merged = same?.merged ?? mergeIndexes(large, small, origins);
    if (same === undefined) done.push({ large, small, merged });
    return merged;
  };
}
