// The only cache: it keeps results between queries, for all versions of a collection.
//
// An entry belongs to a subject: the rows of a segment, an index, or a version of the collection. A subject never
// changes, so an entry is never stale. A change makes a new version: entries of the previous version that can be
// updated by the changed values move to the new one; the others are dropped. Entries of rows and indexes stay, as these
// do.
//
// A kind of entry exists only if it saves a user at least 100 µs and half of the time.

import type { TextValue } from "../../schema/field.ts";
import { hasEffects } from "../algorithms/effects.ts";
import type { Delta } from "../columns/record-change.ts";
import type { Evictable, IndexBudget, Structure } from "../indexes/index-budget.ts";
import { tuning } from "../tuning.ts";

/** A cached result; its class is its kind. */
export interface Kept {
  readonly bytes: number;
  /**
   * For a result over all records: counts a value once more, or once less.
   *
   * @returns whether the result is up to date again; if not, it is dropped
   */
  readonly change?: (value: TextValue, times: 1 | -1) => boolean;
}

/** The class of a cached result. */
export type Kind<K extends Kept> = abstract new (...given: never[]) => K;

/** The approximate size of an entry in bytes, besides the cached result. */
const ENTRY_BYTES = 256;

class Entry implements Structure {
  /** Weak, so that the cache does not keep old rows in memory. */
  subject: WeakRef<object>;
  readonly field: string;
  readonly query: string;
  readonly kept: Kept;
  lastUsed = 0;

  constructor(subject: object, field: string, query: string, kept: Kept) {
    this.subject = new WeakRef(subject);
    this.field = field;
    this.query = query;
    this.kept = kept;
  }

  get bytes(): number {
    return ENTRY_BYTES + 2 * this.query.length + this.kept.bytes;
  }

  isOf(subject: object | undefined, field: string): boolean {
    return this.field === field && this.subject.deref() === subject;
  }

  /** Whether it caches the result of a different query. */
  isOther({ subject, field, query, kept }: Entry): boolean {
    const isSame = this.query === query && this.kept.constructor === kept.constructor;
    return !isSame || !this.isOf(subject.deref(), field);
  }

  /** Updates the result by a change. @returns whether that was possible */
  add(delta: Delta): boolean {
    const { field, kept } = this;
    return delta.every(({ before, after }) => {
      const old = before?.rows.readerOf(field)(before.row);
      const now = after?.rows.readerOf(field)(after.row);
      if (old === now) return true;
      if (old !== undefined && kept.change?.(old, -1) !== true) return false;
      return now === undefined || kept.change?.(now, 1) === true;
    });
  }
}

export class Cache {
  readonly #budget: IndexBudget | undefined;
  #isCounted = false;
  /** Most recently used first. */
  #entries: readonly Entry[] = [];

  /** @param budget of the indexes, to which the cached bytes count too */
  constructor(budget: IndexBudget | undefined) {
    this.#budget = budget;
  }

  /** @param query what was queried about the field */
  get<K extends Kept>(kind: Kind<K>, subject: object, field: string, query: string): K | undefined {
    for (const entry of this.#entries) {
      const { kept } = entry;
      if (entry.query !== query || !(kept instanceof kind) || !entry.isOf(subject, field)) continue;
      if (entry !== this.#entries[0]) this.#entries = [entry, ...this.#without(entry)];
      this.#budget?.use(entry);
      return kept;
    }
    return undefined;
  }

  /** Every cached result of a kind for a field, whatever the query. */
  all<K extends Kept>(kind: Kind<K>, subject: object, field: string): K[] {
    const found: K[] = [];
    for (const entry of this.#entries) {
      const { kept } = entry;
      if (kept instanceof kind && entry.isOf(subject, field)) found.push(kept);
    }
    return found;
  }

  /** Caches a result if there is room: it displaces cached results only. */
  put(kept: Kept, subject: object, field: string, query: string): void {
    if (!hasEffects()) return;
    const entry = new Entry(subject, field, query, kept);
    const room = (this.#budget?.left ?? Infinity) + this.bytes;
    if (entry.bytes > Math.min(room, tuning.mostKeptBytes / 8)) return;
    if (!this.#isCounted) this.#budget?.add(this);
    this.#isCounted = true;
    const others = this.#entries.filter((each) => each.isOther(entry));
    this.#entries = [entry, ...others].slice(0, tuning.mostKept);
    while (this.bytes > tuning.mostKeptBytes || (this.#budget?.left ?? 0) < 0) {
      this.#entries = this.#entries.slice(0, -1);
    }
    this.#budget?.use(entry);
  }

  /**
   * Moves the entries of a version to the next one.
   *
   * @param changes computes the difference between the two
   */
  advance(before: object, after: object, changes: () => Delta): void {
    let delta: Delta | undefined;
    for (const entry of this.#entries) {
      if (entry.subject.deref() !== before) continue;
      delta ??= changes();
      // Computing a result again takes no longer than counting many changes.
      if (delta.length <= tuning.fewRows && entry.add(delta)) entry.subject = new WeakRef(after);
      else this.#entries = this.#without(entry);
    }
  }

  get bytes(): number {
    return this.#entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get evictables(): readonly Evictable[] {
    return this.#entries.map((entry) => ({
      structure: entry,
      bytes: entry.bytes,
      evict: () => void (this.#entries = this.#without(entry)),
    }));
  }

  #without(entry: Entry): readonly Entry[] {
    return this.#entries.filter((each) => each !== entry);
  }
}
