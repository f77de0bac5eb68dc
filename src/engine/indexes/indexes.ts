// The indexes of some rows, and the accounts that decide when to build one: once the scans that it would have saved
// have cost as much as building it. So no workload costs much more than twice the best choice in hindsight.
//
// Source: the ski-rental argument; A. Karlin et al., "Competitive Snoopy Caching", 1988.

import { isNumeric } from "../../schema/field.ts";
import { type Schema } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { hasEffects } from "../algorithms/effects.ts";
import type { Origins } from "../algorithms/interleave.ts";
import type { RankBitmap } from "../algorithms/rank-bitmap.ts";
import { FieldIndex } from "./field-index.ts";
import { columnOf, indexedType } from "./column.ts";
import type { Account } from "./account.ts";
import type { Evictable, IndexBudget, Structure } from "./index-budget.ts";
import { byKind, indexKinds, kindNames, type IndexKind, type IndexOf } from "./kinds.ts";
import type { Indexable } from "./column.ts";
import { mergingOnce } from "./merge.ts";
import { IndexesByField } from "./indexes-by-field.ts";
import { LookupTables } from "./lookup-tables.ts";
import type { IndexName, IndexNames, IndexReport, IndexesOptions } from "./index-names.ts";
import { selectionsOf, type Selected, type Selections } from "./selections.ts";
import { tuning } from "../tuning.ts";

/**
 * Under `"deferred"`, the first query that needs an index that the rest of the collection has builds it immediately if
 * it costs less than this, in nanoseconds.
 */
const SOON = 1e6;

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
    trigram: new IndexesByField(indexKinds.trigram),
  };
  readonly #lookups = new LookupTables(this.#ordered.indexes);
  readonly #named = byKind(() => new Set<string>());
  /** The fields whose ordered index is never evicted, because changes need it or the rows hold it. */
  readonly #required = new Set<string>();
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
   * The indexes of merged segments. The indexes of the large one are merged with those of the small one, after building
   * the ones it lacks. If both are of similar size, indexes that the small one lacks are rebuilt when queries need
   * them, and so are indexes of substrings. If rows of the small one have only replaced rows, indexes of fields whose
   * values are the same remain.
   *
   * @param replaced the rows that come from the small one, if the others have the numbers that they had in the large one
   */
  static merged(
    large: Indexes,
    small: Indexes,
    origins: Origins,
    rows: Indexable,
    replaced?: readonly number[],
  ): Indexes {
    const merged = new Indexes(large.#schema, rows, large.#options, large.#inherited);
    for (const kind of kindNames) {
      for (const [field, { spent, wasDropped }] of large.#byKind[kind].accounts) {
        Object.assign(merged.#accountOf(kind, field), { spent, wasDropped });
      }
      for (const field of large.#named[kind]) merged.#named[kind].add(field);
    }
    const isAlike = small.#size >= large.#size * tuning.alikeShare;
    const merge = mergingOnce(origins);
    for (const [field, index] of rows.isIndexed ? [] : large.#ordered.indexes) {
      if (large.#required.has(field)) merged.#required.add(field);
      if (replaced !== undefined && large.#isSame(field, rows, replaced)) {
        for (const kind of kindNames) merged.#takeOver(kind, field, large);
        continue;
      }
      const other = isAlike ? small.#ordered.indexes.get(field) : small.#orderedOf(field);
      if (other === undefined) {
        merged.#buildAnew("ordered", field);
        continue;
      }
      const both = merge(index, other);
      const { lastUsed } = index;
      merged.#put("ordered", field, both);
      both.lastUsed = lastUsed;
    }
    for (const kind of kindNames) {
      for (const field of kind === "ordered" ? [] : large.#byKind[kind].fields) {
        if (!merged.#byKind[kind].fields.has(field)) merged.#buildAnew(kind, field);
      }
    }
    // The parts are those of an older version.
    const { budget } = merged.#options;
    if (budget !== undefined) {
      const left = new Set(merged.evictables.map(({ structure }) => structure));
      for (const { structure } of [...large.evictables, ...small.evictables]) {
        if (!left.has(structure)) structure.lastUsed = 0;
      }
      budget.trim();
    }
    return merged;
  }

  /** Whether some rows have the values of a field that they have among others. */
  #isSame(field: string, others: Indexable, some: readonly number[]): boolean {
    const rows = this.#rows;
    const isNumber = isNumeric(indexedType(this.#schema, field));
    const read = isNumber ? rows.numberReaderOf(field) : rows.readerOf(field);
    const readOther = isNumber ? others.numberReaderOf(field) : others.readerOf(field);
    return some.every((row) => read(row) === readOther(row));
  }

  /** Takes over an index of the same values, if there is one. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties the index to its kind
  #takeOver<K extends IndexKind>(kind: K, field: string, from: Indexes): void {
    const ofKind: IndexesByField<IndexOf<K>> = from.#byKind[kind];
    const index = ofKind.indexes.get(field);
    if (index === undefined) return;
    const { lastUsed } = index;
    this.#put(kind, field, index);
    index.lastUsed = lastUsed;
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
    const index = this.#ordered.indexes.get(field);
    if (index === undefined) return this.of("ordered", field, deadline);
    this.#options.budget?.use(index);
    if (deadline !== undefined && index.wantsLookup && this.#options.indexes !== "deferred") {
      this.#lookups.postpone(deadline);
    }
    return index;
  }

  /** Like {@link Indexes.ordered}, for any kind. */
  of<K extends IndexKind>(kind: K, field: string, deadline?: Deadline): IndexOf<K> | undefined {
    if (this.there(kind, field) === undefined) this.#request(kind, field, deadline);
    const index = this.there(kind, field);
    if (index !== undefined) this.#use(kind, field, index);
    return index;
  }

  /** The index of a field of the given kind, if it exists. */
  there<K extends IndexKind>(kind: K, field: string): IndexOf<K> | undefined {
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

  /** The ordered index of a field, built if it does not exist. */
  buildOrdered(field: string, deadline?: Deadline): FieldIndex {
    const index = this.#orderedOf(field, deadline);
    this.#options.budget?.trim();
    return index;
  }

  /** {@link Indexes.buildOrdered} for changes: the index is not evicted. */
  requireOrdered(field: string): FieldIndex {
    this.#required.add(field);
    return this.#ordered.indexes.get(field) ?? this.buildOrdered(field);
  }

  #orderedOf(field: string, deadline?: Deadline): FieldIndex {
    return (
      this.there("ordered", field) ??
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

  /** Records a use. Other kinds of index are useless without the ordered one, so that counts as used last. */
  #use(kind: IndexKind, field: string, index: Structure): void {
    const { budget } = this.#options;
    if (budget === undefined) return;
    budget.use(index);
    const ordered = kind === "ordered" ? undefined : this.#ordered.indexes.get(field);
    if (ordered !== undefined) budget.use(ordered);
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
    if (this.there(kind, field) !== undefined) return;
    const { values } = this.#orderedOf(field, deadline);
    if (kind === "ordered" || !indexKinds[kind].isWorth(values.length)) return;
    this.#put(kind, field, this.#make(kind, field, deadline));
  }

  /** A new index, or that of a field with the same values. @throws DeadlineError */
  #make<K extends IndexKind>(kind: K, field: string, deadline: Deadline | undefined): IndexOf<K> {
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    return (
      (kind === "ordered" ? undefined : this.#indexOfSame(kind, field)) ??
      ofKind.make(field, columnOf(this.#schema, this.#rows, field, this.#ordered.indexes), deadline)
    );
  }

  /** The index of another field with the same values, with which this field shares its ordered index. */
  #indexOfSame<K extends IndexKind>(kind: K, field: string): IndexOf<K> | undefined {
    const { indexes } = this.#ordered;
    const ofKind: IndexesByField<IndexOf<K>> = this.#byKind[kind];
    for (const [other, index] of ofKind.indexes) {
      if (indexes.get(other) === indexes.get(field)) return index;
    }
    return undefined;
  }

  /**
   * The positions in an index's order of rows selected by codes of other indexes, if they are known or due.
   *
   * @throws DeadlineError; finding them continues at the next request
   */
  selection(
    index: FieldIndex,
    selected: Selected,
    deadline: Deadline | undefined,
  ): RankBitmap | undefined {
    const { budget } = this.#options;
    const selections = selectionsOf(index);
    const known = selections.known(selected, budget);
    if (known !== undefined || !hasEffects() || !selections.isDue(selected)) return known;
    if (this.#options.indexes === "deferred" && selections.cost >= SOON) return undefined;
    const build = (until: Deadline | undefined) => this.#buildSelection(index, selected, until);
    selections.accountOf(selected).request(build, deadline);
    return selections.known(selected, budget);
  }

  #buildSelection(index: FieldIndex, selected: Selected, deadline: Deadline | undefined): void {
    // Whatever an evicted index would have gained is lost.
    if (!this.#ordered.holds(index)) return;
    selectionsOf(index).build(selected, deadline, this.#options.budget);
  }

  /** Charges what a page cost for lack of a selection in the order of an index. */
  chargeSelection(index: FieldIndex, selected: Selected, nanoseconds: number): void {
    if (this.#options.indexes === "none" || !hasEffects()) return;
    selectionsOf(index).accountOf(selected).spent += nanoseconds;
  }

  /** Charges the cost of a scan to the index that would have saved it. */
  charge(kind: IndexKind, field: string, nanoseconds: number): void {
    if (this.#options.indexes === "none" || !hasEffects()) return;
    this.#accountOf(kind, field).spent += nanoseconds;
  }

  #accountOf(kind: IndexKind, field: string): Account {
    return this.#byKind[kind].accountOf(field);
  }

  report(): IndexReport[] {
    return kindNames.flatMap((kind) =>
      this.#byKind[kind].report().map(({ field, bytes }) => ({ field, kind, bytes })),
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
    const selected = this.#selections.reduce((sum, { bytes }) => sum + bytes, 0);
    return kindNames.reduce((sum, kind) => sum + this.#byKind[kind].bytes, selected);
  }

  /** The indexes that the budget may evict: not those built by name, required by changes or held by the rows. */
  get evictables(): Evictable[] {
    const needs = (kind: IndexKind) => (field: string) => {
      // Other kinds are useless without the ordered one.
      const kinds = kind === "ordered" ? kindNames : [kind];
      if (kinds.some((each) => this.#isNamed(each, field))) return true;
      return kind === "ordered" ? this.#required.has(field) : this.#isOwn(kind, field);
    };
    const evictOrdered = (index: FieldIndex) => {
      for (const selections of this.#selections) selections.dropBy(index);
    };
    return [
      ...this.#ordered.evictables(needs("ordered"), evictOrdered),
      ...kindNames.flatMap((kind) =>
        kind === "ordered" ? [] : this.#byKind[kind].evictables(needs(kind), () => undefined),
      ),
      ...this.#selections.flatMap(({ evictables }) => evictables),
    ];
  }

  /** Whether an existing index is held by the rows. */
  #isOwn(kind: IndexKind, field: string): boolean {
    return indexKinds[kind].own(this.#rows, field) !== undefined;
  }

  /** The indexes that are due but not built. */
  due(): IndexName[] {
    return kindNames.flatMap((kind) => {
      const { accounts, fields } = this.#byKind[kind];
      return [...accounts.keys()]
        .filter((field) => this.#isDue(kind, field))
        .filter((field) => !fields.has(field) && !this.#needsNone(kind, field))
        .map((field) => ({ kind, field }));
    });
  }

  /** The selections in the order of each index. */
  get #selections(): Selections[] {
    return Array.from(new Set(this.#ordered.indexes.values()), selectionsOf);
  }

  /** How many selections are due, and how many requested lookup tables are missing. */
  get dueParts(): number {
    return this.#selections.reduce((sum, { due }) => sum + due.length, this.#lookups.due);
  }

  /**
   * Builds the indexes that are due, and the lookup tables and selections of existing ones.
   *
   * @throws DeadlineError; building continues at the next call
   */
  buildDue(deadline?: Deadline): void {
    for (const { kind, field } of this.due()) this.#buildWithinBudget(kind, field, deadline);
    this.#lookups.build(deadline);
    for (const index of new Set(this.#ordered.indexes.values())) {
      for (const selected of selectionsOf(index).due) {
        this.#buildSelection(index, selected, deadline);
      }
    }
  }

  /** Starts counting the bytes towards the budget. Rows without indexes are not counted, since updates make many. */
  #countBytes(): void {
    if (!this.#isCounted) this.#options.budget?.add(this);
    this.#isCounted = true;
  }

  /** Whether the field is known to have too few values for an index. */
  #needsNone(kind: IndexKind, field: string): boolean {
    const index = this.#ordered.indexes.get(field);
    return index !== undefined && !indexKinds[kind].isWorth(index.values.length);
  }

  /** Has a missing index built if it is due, by the query or by `buildDue`. */
  #request(kind: IndexKind, field: string, deadline: Deadline | undefined): void {
    if (!hasEffects() || !this.#isDue(kind, field)) return;
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
    if (this.there(kind, field) !== undefined) return;
    const { budget } = this.#options;
    if (budget === undefined || this.#isNamed(kind, field)) this.build(kind, field, deadline);
    else if (kind === "ordered" || this.#hasOrdered(field, budget, deadline)) {
      if (!this.#needsNone(kind, field)) this.#place(kind, field, budget, deadline);
    } else this.#accountOf(kind, field).drop();
  }

  /** Whether a field has its ordered index, which is built if there is room. */
  #hasOrdered(field: string, budget: IndexBudget, deadline: Deadline | undefined): boolean {
    if (this.there("ordered", field) === undefined) this.#place("ordered", field, budget, deadline);
    return this.there("ordered", field) !== undefined;
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
    const ordered = this.#ordered.indexes.get(field);
    const keep: Structure[] = ordered === undefined ? [] : [ordered];
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
    const spent = account?.spent ?? 0;
    return (
      spent > 0 && spent >= this.#cost(kind, field) * (isInherited ? tuning.inheritedShare : 1)
    );
  }

  /** The cost of building an index, in nanoseconds. */
  #cost(kind: IndexKind, field: string): number {
    return indexKinds[kind].cost(indexedType(this.#schema, field), this.#size);
  }
}
