// The indexes of some rows, and the accounts that decide when to build one: once the scans that it would have saved
// have cost as much as building it, or earlier if scans go on for long while it is built. So no workload costs more than
// 2.5 times the best choice in hindsight, and one scan; account.ts has the argument.
//
// Source: the ski-rental argument; A. Karlin et al., "Competitive Snoopy Caching", 1988.

import { type Schema } from "../../schema/schema.ts";
import { beginQuery, type Deadline } from "../algorithms/deadline.ts";
import { hasEffects } from "../algorithms/effects.ts";
import type { Origins } from "../algorithms/interleave.ts";
import { FieldIndex } from "./field-index.ts";
import { columnOf, indexedType } from "./column.ts";
import { combinationsOf } from "./compound-index.ts";
import type { Account } from "./account.ts";
import type { Evictable, IndexBudget, Structure } from "./index-budget.ts";
import {
  byKind,
  indexKinds,
  kindNames,
  needsOrdered,
  type IndexKind,
  type IndexOf,
} from "./kinds.ts";
import type { Indexable } from "./column.ts";
import { MovedRows } from "./merge.ts";
import type { NumberColumn } from "./number-column.ts";
import { IndexesByField } from "./indexes-by-field.ts";
import { LookupTables } from "./lookup-tables.ts";
import type { IndexNames, IndexReport, IndexesOptions, NamedIndex } from "./index-names.ts";
import { tuning } from "../tuning.ts";

const NO_INDEXES: ReadonlyMap<string, FieldIndex> = new Map();

/**
 * Under `"deferred"`, the first query that needs an index that the rest of the collection has builds it immediately if
 * it costs less than this, in nanoseconds.
 */
const SOON = 1e6;

/** Of how many rows the values are compared to guess how many are distinct. */
const SAMPLE = 256;

/** The fields of an index. */
const fieldsOf = (kind: IndexKind, name: string) => indexKinds[kind].fields(name);

/** The kind of index that one of a kind is stale with. */
const followedBy = (kind: IndexKind): IndexKind => (needsOrdered(kind) ? "ordered" : kind);

type ByKind = { readonly [K in IndexKind]: IndexesByField<IndexOf<K>> };

export class Indexes {
  readonly #schema: Schema;
  readonly #rows: Indexable;
  readonly #options: IndexesOptions;
  /** The indexes of other rows: building one of these is charged at a fraction of its price. */
  readonly #inherited: IndexNames | undefined;
  readonly #ordered = new IndexesByField(indexKinds.ordered);
  readonly #byKind: ByKind = {
    ordered: this.#ordered,
    numbers: new IndexesByField(indexKinds.numbers),
    trigram: new IndexesByField(indexKinds.trigram),
    compound: new IndexesByField(indexKinds.compound),
  };
  readonly #lookups = new LookupTables(this.#ordered.indexes);
  readonly #named = byKind(() => new Set<string>());
  /** The fields whose ordered index is never evicted, because changes need it or the rows hold it. */
  readonly #required = new Set<string>();
  /** By field, the share of distinct values in a sample. */
  readonly #shares = new Map<string, number>();
  #isCounted = false;
  readonly names: IndexNames = {
    ...byKind((kind) => this.#byKind[kind].fields),
    named: this.#named,
  };

  constructor(schema: Schema, rows: Indexable, options: IndexesOptions, inherited?: IndexNames) {
    this.#schema = schema;
    this.#rows = rows;
    this.#options = options;
    this.#inherited = inherited;
  }

  /**
   * The indexes of a segment after it is merged with another: these, stale until they are next used. Only then are added
   * rows merged into them, and indexes of substrings rebuilt. Like building, that holds no query for long: until it is
   * done, there is no such index.
   *
   * @param small those of the other, which are of no use from now on
   */
  mergedWith(small: Indexes | undefined, origins: Origins, rows: Indexable): Indexes {
    const merged = new Indexes(this.#schema, rows, this.#options, this.#inherited);
    for (const kind of kindNames) {
      for (const [field, { spent, wasDropped }] of this.#byKind[kind].accounts) {
        Object.assign(merged.#accountOf(kind, field), { spent, wasDropped });
      }
      for (const field of this.#named[kind]) merged.#named[kind].add(field);
    }
    if (!rows.isIndexed) merged.#takeOver(this, origins);
    for (const kind of kindNames) {
      if (kind === "ordered") continue;
      for (const field of this.#byKind[kind].fields) {
        if (!merged.#byKind[kind].fields.has(field)) merged.#buildAnew(kind, field);
      }
    }
    const { budget } = merged.#options;
    if (budget !== undefined) {
      for (const { structure } of small?.evictables ?? []) structure.lastUsed = 0;
      budget.trim();
    }
    return merged;
  }

  /** Takes over the indexes of the large part of a merge. */
  #takeOver(large: Indexes, origins: Origins): void {
    const moves = new Map<MovedRows | undefined, MovedRows>();
    const movedSince = (earlier: MovedRows | undefined): MovedRows => {
      const moved = moves.get(earlier) ?? MovedRows.of(origins, large.#size, earlier);
      moves.set(earlier, moved);
      return moved;
    };
    for (const field of large.#required) {
      if (large.#ordered.indexes.has(field)) this.#required.add(field);
    }
    for (const kind of kindNames) this.#takeOverKind(kind, large, movedSince);
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties indexes to their kind
  #takeOverKind<K extends IndexKind>(
    kind: K,
    large: Indexes,
    movedSince: (earlier: MovedRows | undefined) => MovedRows,
  ): void {
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    const ofLarge: IndexesByField<IndexOf<K>> = large.#byKind[kind];
    for (const [field, index] of ofLarge.indexes) {
      if (!needsOrdered(kind)) {
        this.#keep(kind, field, index);
        const earlier = ofLarge.stale.get(field);
        ofKind.stale.set(field, movedSince(earlier));
        const isUsed = !(index instanceof FieldIndex) || index.isUsed;
        if (earlier === undefined && isUsed) ofKind.inUse.add(field);
      } else if (fieldsOf(kind, field).every((each) => large.#ordered.indexes.has(each))) {
        this.#keep(kind, field, index);
      }
    }
  }

  /** Puts an index without using it. */
  #keep<K extends IndexKind>(
    kind: K,
    field: string,
    index: IndexOf<K>,
    { lastUsed } = index,
  ): void {
    this.#put(kind, field, index);
    index.lastUsed = lastUsed;
  }

  /**
   * Brings the index of a field up to date, if it is stale.
   *
   * @throws DeadlineError; the next call continues
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties the index to its kind
  #refresh<K extends IndexKind>(kind: K, field: string, deadline: Deadline | undefined): void {
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    const moved = ofKind.stale.get(field);
    if (moved === undefined) return;
    const stale = ofKind.indexes.get(field);
    // It may have been evicted.
    const column = columnOf(this.#schema, this.#rows, field, NO_INDEXES);
    const fresh = stale && ofKind.merge(field, stale, column, moved, deadline);
    // Fields with the same values share an index.
    for (const [other, its] of ofKind.stale) {
      if (its !== moved || ofKind.indexes.get(other) !== stale) continue;
      if (other === field || this.#haveEqual(moved.added, other, field)) {
        this.#settle(kind, other, stale, fresh);
      }
    }
    if (hasEffects()) this.#options.budget?.trim();
  }

  /** Brings an index up to date for a query, or a part of it, as it is built: see {@link Account.request}. */
  #refreshFor(kind: IndexKind, field: string, deadline: Deadline | undefined): void {
    if (!this.#byKind[kind].stale.has(field)) return;
    if (deadline !== undefined || !hasEffects()) this.#refresh(kind, field, deadline);
    else
      this.#accountOf(kind, field).request((until) => this.#refresh(kind, field, until), undefined);
  }

  #haveEqual(some: Uint32Array, one: string, other: string): boolean {
    if (one === other) return true;
    const [read, readOther] = [this.#rows.readerOf(one), this.#rows.readerOf(other)];
    return some.every((row) => read(row) === readOther(row));
  }

  #settle<K extends IndexKind>(
    kind: K,
    field: string,
    stale: IndexOf<K> | undefined,
    fresh: IndexOf<K> | undefined,
  ): void {
    this.#byKind[kind].stale.delete(field);
    if (fresh === stale && fresh !== undefined) return;
    if (fresh !== undefined) this.#keep(kind, field, fresh, stale);
    if (kind !== "ordered") return;
    for (const { kind: other, name } of this.#dependents(field)) {
      if (this.#byKind[other].remove(name)) this.#buildAnew(other, name);
    }
  }

  /** The existing indexes that are useless without the ordered one of a field. */
  #dependents(field: string): NamedIndex[] {
    return kindNames.filter(needsOrdered).flatMap((kind) =>
      Array.from(this.#byKind[kind].fields)
        .filter((name) => fieldsOf(kind, name).includes(field))
        .map((name) => ({ kind, name })),
    );
  }

  #refreshAll(deadline: Deadline | undefined): void {
    for (const kind of kindNames) {
      for (const field of this.#byKind[kind].stale.keys()) this.#refresh(kind, field, deadline);
    }
  }

  /**
   * Brings one index up to date that queries had used before rows were merged, if there is one, or a part of it.
   *
   * @returns whether there was one
   */
  refreshOne(): boolean {
    for (const kind of kindNames) {
      const { inUse, stale } = this.#byKind[kind];
      for (const field of inUse) {
        const wasStale = stale.has(field);
        this.#refreshFor(kind, field, undefined);
        if (!stale.has(field)) inUse.delete(field);
        if (wasStale) return true;
      }
    }
    return false;
  }

  /**
   * Rebuilds an index that a part had: on its next use, or at a fraction of its price if the rest of the collection has
   * one.
   */
  #buildAnew(kind: IndexKind, field: string): void {
    const isInherited = this.#isInherited(kind, field);
    this.#accountOf(kind, field).spent = isInherited ? 0 : Infinity;
  }

  /**
   * The ordered index of a field, if it exists or is due and there is time to build it.
   *
   * @throws DeadlineError; building continues at the next request
   */
  ordered(field: string, deadline?: Deadline): FieldIndex | undefined {
    if (this.#ordered.stale.size > 0) {
      this.#refreshFor("ordered", field, deadline);
      if (this.#ordered.stale.has(field)) return undefined;
    }
    const index = this.#ordered.indexes.get(field) ?? this.of("ordered", field, deadline);
    if (index === undefined) return undefined;
    index.isUsed = true;
    this.#options.budget?.use(index);
    if (deadline !== undefined && index.wantsLookup && this.#options.indexes !== "deferred") {
      this.#lookups.postpone(deadline);
    }
    return index;
  }

  /** Like {@link Indexes.ordered}, for any kind. */
  of<K extends IndexKind>(kind: K, field: string, deadline?: Deadline): IndexOf<K> | undefined {
    if (this.there(kind, field, deadline) === undefined) this.#request(kind, field, deadline);
    const index = this.there(kind, field);
    if (index !== undefined) this.#use(kind, field, index);
    return index;
  }

  /**
   * The index of a field of the given kind, if it exists and is up to date, which takes a query no longer than building
   * may.
   *
   * @throws DeadlineError; the next call continues
   */
  there<K extends IndexKind>(kind: K, field: string, deadline?: Deadline): IndexOf<K> | undefined {
    if (!this.#isStale(kind, field)) return this.#existing(kind, field);
    for (const each of fieldsOf(kind, field)) this.#refreshFor(followedBy(kind), each, deadline);
    return this.#isStale(kind, field) ? undefined : this.#existing(kind, field);
  }

  #isStale(kind: IndexKind, field: string): boolean {
    const { stale } = this.#byKind[followedBy(kind)];
    return stale.size > 0 && fieldsOf(kind, field).some((each) => stale.has(each));
  }

  /** The index of a field of the given kind, if it exists, up to date. @throws DeadlineError; the next call continues */
  upToDate<K extends IndexKind>(
    kind: K,
    field: string,
    deadline?: Deadline,
  ): IndexOf<K> | undefined {
    if (this.#isStale(kind, field)) {
      for (const each of fieldsOf(kind, field)) this.#refresh(followedBy(kind), each, deadline);
    }
    return this.#existing(kind, field);
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties the index to its kind
  #existing<K extends IndexKind>(kind: K, field: string): IndexOf<K> | undefined {
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    const known = ofKind.indexes.get(field);
    if (known !== undefined) return known;
    const own = ofKind.kind.own(this.#rows, field);
    if (own === undefined) return undefined;
    if (kind === "ordered") this.#required.add(field);
    this.#put(kind, field, own);
    this.#options.budget?.trim();
    return own;
  }

  /**
   * What the numbers of a field are read from by row: its column of numbers if that exists or is due, otherwise its
   * ordered index if that exists.
   *
   * @param cost of reading them from the ordered index, or from the rows if there is none, in nanoseconds
   * @throws DeadlineError; building continues at the next request
   */
  numbers(
    field: string,
    cost: (ordered: FieldIndex | undefined) => number,
    deadline: Deadline | undefined,
  ): NumberColumn | FieldIndex | undefined {
    const known = this.there("numbers", field, deadline);
    if (known !== undefined) {
      this.#use("numbers", field, known);
      return known;
    }
    const isOrdered = this.there("ordered", field, deadline) !== undefined;
    const ordered = isOrdered ? this.ordered(field, deadline) : undefined;
    if (ordered?.isInPieces === true || this.#needsNone("numbers", field)) return ordered;
    // Whoever builds the ordered index need not name what is made from it.
    if (ordered === undefined && this.#options.indexes === "none") return undefined;
    // In advance: reading most of the numbers costs about as much as making the column.
    if (hasEffects()) this.#accountOf("numbers", field).charge(cost(ordered));
    return this.of("numbers", field, deadline) ?? ordered;
  }

  /** The ordered index of a field, built if it does not exist. */
  buildOrdered(field: string, deadline?: Deadline): FieldIndex {
    const index = this.#orderedOf(field, deadline);
    this.#options.budget?.trim();
    return index;
  }

  /** {@link Indexes.buildOrdered} for changes: the index is not evicted. */
  requireOrdered(field: string): FieldIndex {
    this.#required.add(field);
    beginQuery();
    const index = this.upToDate("ordered", field) ?? this.buildOrdered(field);
    index.isUsed = true;
    return index;
  }

  #orderedOf(field: string, deadline?: Deadline): FieldIndex {
    return (
      this.upToDate("ordered", field, deadline) ??
      this.#put("ordered", field, this.#make("ordered", field, deadline))
    );
  }

  #put<K extends IndexKind>(kind: K, field: string, index: IndexOf<K>): IndexOf<K> {
    this.#countBytes();
    if (index instanceof FieldIndex && this.#options.indexes === "deferred") index.putOffLookup();
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    ofKind.put(field, index);
    this.#use(kind, field, index);
    return index;
  }

  /** Records a use. What an index needs counts as used last. */
  #use(kind: IndexKind, field: string, index: Structure): void {
    const { budget } = this.#options;
    if (budget === undefined) return;
    budget.use(index);
    for (const ordered of this.#needed(kind, field)) budget.use(ordered);
  }

  /** The existing ordered indexes that an index needs. */
  #needed(kind: IndexKind, name: string): FieldIndex[] {
    if (!needsOrdered(kind)) return [];
    const needed = fieldsOf(kind, name).map((field) => this.#ordered.indexes.get(field));
    return needed.filter((index) => index !== undefined);
  }

  /** Builds an index by name: segments made from this one get it too. */
  buildNamed(kind: IndexKind, field: string): void {
    this.#named[kind].add(field);
    this.build(kind, field);
  }

  /** Builds an index, unless it exists or the field has too few values to need it. */
  build(kind: IndexKind, field: string, deadline?: Deadline): void {
    this.#build(kind, field, deadline);
    this.#options.budget?.trim();
  }

  #build(kind: IndexKind, field: string, deadline: Deadline | undefined): void {
    if (this.upToDate(kind, field, deadline) !== undefined) return;
    if (needsOrdered(kind)) {
      for (const each of fieldsOf(kind, field)) this.#orderedOf(each, deadline);
    }
    if (this.#needsNone(kind, field)) return;
    this.#put(kind, field, this.#make(kind, field, deadline));
  }

  /** A new index, or that of a field with the same values. @throws DeadlineError */
  #make<K extends IndexKind>(kind: K, field: string, deadline: Deadline | undefined): IndexOf<K> {
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    const fresh = this.#fresh;
    const [first, ...others] = fieldsOf(kind, field);
    const column = (each: string) => columnOf(this.#schema, this.#rows, each, fresh);
    const mayShare = kind !== "ordered" && others.length === 0;
    const same = mayShare ? this.#indexOfSame(kind, field) : undefined;
    return same ?? ofKind.make(field, [column(first), ...others.map(column)], deadline);
  }

  /** The ordered indexes that are up to date. */
  get #fresh(): ReadonlyMap<string, FieldIndex> {
    const { indexes, stale } = this.#ordered;
    if (stale.size === 0) return indexes;
    return new Map(Array.from(indexes).filter(([field]) => !stale.has(field)));
  }

  /** The index of another field with the same values, with which this field shares its ordered index. */
  #indexOfSame<K extends IndexKind>(kind: K, field: string): IndexOf<K> | undefined {
    const indexes = this.#fresh;
    const shared = indexes.get(field);
    if (shared === undefined) return undefined;
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    for (const [other, index] of ofKind.indexes) {
      if (indexes.get(other) === shared && !ofKind.stale.has(other)) return index;
    }
    return undefined;
  }

  /** Charges what a query cost for lack of a compound index, unless it is less than charging costs. */
  chargeCompound(name: string, nanoseconds: number): void {
    if (nanoseconds >= tuning.leastCharged) this.charge("compound", name, nanoseconds);
  }

  /** Charges the cost of a scan to the index that would have saved it. */
  charge(kind: IndexKind, field: string, nanoseconds: number): void {
    if (this.#options.indexes === "none" || !hasEffects()) return;
    this.#accountOf(kind, field).charge(nanoseconds);
  }

  #accountOf(kind: IndexKind, field: string): Account {
    return this.#byKind[kind].accountOf(field);
  }

  report(): IndexReport[] {
    this.#refreshAll(undefined);
    return kindNames.flatMap((kind) =>
      this.#byKind[kind].report().map(({ field: name, bytes }) => {
        const fields = fieldsOf(kind, name);
        const [field] = fields;
        return fields.length === 1 ? { field, kind, bytes } : { field, fields, kind, bytes };
      }),
    );
  }

  /** Whether no query builds the ordered index of a field: the user does, or there is no room. */
  isWithheld(field: string): boolean {
    const { indexes } = this.#options;
    return indexes !== "auto" || this.#ordered.accounts.get(field)?.wasDropped === true;
  }

  /** How many indexes there are. */
  get count(): number {
    return kindNames.reduce((sum, kind) => sum + this.#byKind[kind].fields.size, 0);
  }

  /** The size of the indexes in bytes once used. */
  get bytes(): number {
    const { derived } = this.#rows;
    return kindNames.reduce((sum, kind) => sum + this.#byKind[kind].bytes, derived.bytes);
  }

  /** The indexes that the budget may evict: not those built by name, required by changes or held by the rows. */
  get evictables(): Evictable[] {
    const isKept = (kind: IndexKind) => (name: string) =>
      this.#isNamed(kind, name) ||
      (kind === "ordered"
        ? this.#required.has(name) || this.#isNeededByNamed(name)
        : this.#isOwn(kind, name));
    const evictDependents = (field: string) => {
      for (const { kind, name } of this.#dependents(field)) this.#byKind[kind].drop(name);
    };
    const { derived } = this.#rows;
    const { bytes } = derived;
    return [
      ...(bytes > 0 ? [{ structure: derived, bytes, evict: () => derived.clear() }] : []),
      ...this.#ordered.evictables(isKept("ordered"), evictDependents),
      ...kindNames.flatMap((kind) =>
        kind === "ordered" ? [] : this.#byKind[kind].evictables(isKept(kind), () => undefined),
      ),
    ];
  }

  /** Whether an index built by name needs the ordered one of a field. */
  #isNeededByNamed(field: string): boolean {
    const all = [this.#named, this.#inherited?.named];
    return kindNames
      .filter(needsOrdered)
      .some((kind) =>
        all.some((named) =>
          Array.from(named?.[kind] ?? []).some((name) => fieldsOf(kind, name).includes(field)),
        ),
      );
  }

  /** Whether an existing index is held by the rows. */
  #isOwn(kind: IndexKind, field: string): boolean {
    return indexKinds[kind].own(this.#rows, field) !== undefined;
  }

  /** The indexes that are due but not built. */
  due(): NamedIndex[] {
    return kindNames.flatMap((kind) => {
      const { accounts, fields } = this.#byKind[kind];
      return [...accounts.keys()]
        .filter((name) => this.#isDue(kind, name))
        .filter((name) => !fields.has(name) && !this.#needsNone(kind, name))
        .map((name) => ({ kind, name }));
    });
  }

  /** How many requested lookup tables are missing, and how many indexes are stale. */
  get dueParts(): number {
    return kindNames.reduce((sum, kind) => sum + this.#byKind[kind].stale.size, this.#lookups.due);
  }

  /**
   * Brings the existing indexes up to date, and builds those that are due, and the lookup tables of each.
   *
   * @throws DeadlineError; building continues at the next call
   */
  buildDue(deadline?: Deadline): void {
    this.#refreshAll(deadline);
    for (const { kind, name } of this.due()) this.#buildWithinBudget(kind, name, deadline);
    this.#lookups.build(deadline);
  }

  /** Starts counting the bytes towards the budget. Rows without indexes are not counted, since updates make many. */
  #countBytes(): void {
    if (!this.#isCounted) this.#options.budget?.add(this);
    this.#isCounted = true;
  }

  /** Whether the field is known to have too few values for an index. */
  #needsNone(kind: IndexKind, field: string): boolean {
    const index = this.#ordered.indexes.get(fieldsOf(kind, field)[0]);
    return index !== undefined && !indexKinds[kind].isWorth(index.values.length);
  }

  /** Has a missing index built if it is due, by the query or by `buildDue`. */
  #request(kind: IndexKind, field: string, deadline: Deadline | undefined): void {
    if (!hasEffects() || this.#isStale(kind, field) || !this.#isDue(kind, field)) return;
    const account = this.#accountOf(kind, field);
    const build = (until: Deadline | undefined) => this.#buildWithinBudget(kind, field, until);
    if (this.#options.indexes !== "deferred") account.request(build, deadline);
    else {
      // Recorded, so that it is among those that are due.
      account.spent = Infinity;
      if (this.#isInherited(kind, field) && this.#cost(kind, field) < SOON) build(deadline);
    }
  }

  #isNamed(kind: IndexKind, field: string): boolean {
    return this.#named[kind].has(field) || this.#inherited?.named[kind].has(field) === true;
  }

  /** Builds a due index if it was named or has room. */
  #buildWithinBudget(kind: IndexKind, field: string, deadline: Deadline | undefined): void {
    if (this.upToDate(kind, field, deadline) !== undefined) return;
    const { budget } = this.#options;
    if (budget === undefined || this.#isNamed(kind, field)) this.build(kind, field, deadline);
    else if (
      !needsOrdered(kind) ||
      fieldsOf(kind, field).every((each) => this.#hasOrdered(each, budget, deadline))
    ) {
      if (!this.#needsNone(kind, field)) this.#place(kind, field, budget, deadline);
    } else this.#accountOf(kind, field).drop();
  }

  /** Whether a field has its ordered index, which is built if there is room. */
  #hasOrdered(field: string, budget: IndexBudget, deadline: Deadline | undefined): boolean {
    if (this.upToDate("ordered", field, deadline) === undefined) {
      this.#place("ordered", field, budget, deadline);
    }
    return this.upToDate("ordered", field) !== undefined;
  }

  /** Builds an index, evicting the least recently used ones if necessary. @throws DeadlineError */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties the index to its kind
  #place<K extends IndexKind>(
    kind: K,
    field: string,
    budget: IndexBudget,
    deadline: Deadline | undefined,
  ): void {
    const account = this.#accountOf(kind, field);
    const keep: Structure[] = this.#needed(kind, field);
    const least = Math.max(account.bytes, indexKinds[kind].leastBytes * this.#size);
    if (!budget.canHold(least, keep)) {
      account.drop();
      return;
    }
    const index = this.#make(kind, field, deadline);
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    const bytes = ofKind.bytesOf(index);
    // It may be the index of another field.
    if (budget.makeRoom(bytes, [...keep, index])) this.#put(kind, field, index);
    else {
      account.bytes = bytes;
      account.drop();
    }
  }

  get #size(): number {
    return this.#rows.size;
  }

  /** Whether other rows have the index: building it here is charged at a fraction of its price. */
  #isInherited(kind: IndexKind, field: string): boolean {
    return this.#inherited?.[kind].has(field) === true;
  }

  #isDue(kind: IndexKind, field: string): boolean {
    const account = this.#byKind[kind].accounts.get(field);
    const isInherited = this.#isInherited(kind, field) && account?.wasDropped !== true;
    // There is no account then.
    if (isInherited && this.#options.indexes === "none") return true;
    const share = Math.min(account?.dueShare ?? 1, isInherited ? tuning.inheritedShare : 1);
    const spent = account?.spent ?? 0;
    if (spent === Infinity) return true;
    // Values are looked at only if it could be due.
    return [0, undefined].every((distinct) => {
      return spent > 0 && spent >= share * this.#cost(kind, field, distinct);
    });
  }

  /** The cost of building an index, in nanoseconds. @param share of distinct values. Default: that of a sample */
  #cost(kind: IndexKind, name: string, share = this.#shareOfDistinct(kind, name)): number {
    const [field] = fieldsOf(kind, name);
    return indexKinds[kind].cost(indexedType(this.#schema, field), this.#size, share);
  }

  #shareOfDistinct(kind: IndexKind, name: string): number {
    const [field] = fieldsOf(kind, name);
    const needed = this.#needed(kind, name);
    const known = needed.length > 1 ? needed.slice(0, -1) : needed;
    if (known.length > 0) return combinationsOf(known) / Math.max(1, this.#size);
    let share = this.#shares.get(field);
    if (share === undefined) {
      const rows = this.#size;
      const read = this.#rows.readerOf(field);
      const length = Math.min(rows, SAMPLE);
      const place = (i: number) => Math.floor((i * rows) / length);
      const values = new Set(Array.from({ length }, (_, i) => read(place(i))));
      share = (values.size - 1) / Math.max(1, length - 1);
      this.#shares.set(field, share);
    }
    return share;
  }
}
