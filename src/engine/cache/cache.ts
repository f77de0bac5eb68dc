// The one cache: what is kept between queries, for all versions of a collection.
//
// An entry belongs to a subject: the rows of a segment, an index, or a version of the collection. A subject never
// changes, so an entry is never stale. A change makes another version: the entries of the version before become those
// of the next if they can count what changed; otherwise they are dropped. Rows and indexes stay, and so do their entries.
//
// A kind of entry exists only if it saves people at least 100 µs and half of the time.

import type { TextValue } from "../../schema/field.ts";
import type { Delta } from "../columns/record-change.ts";
import type { Evictable, IndexBudget, Structure } from "../indexes/index-budget.ts";
import { tuning } from "../tuning.ts";

/** What is kept; its class is its kind. */
export interface Kept {
  readonly bytes: number;
  /**
   * Of an answer about all records: counts a value once more, or once less.
   *
   * @returns whether the answer is right again; if not, it is dropped
   */
  readonly change?: (value: TextValue, times: 1 | -1) => boolean;
}

/** A class of what is kept. */
export type Kind<K extends Kept> = abstract new (...given: never[]) => K;

/** About how many bytes an entry has besides what is kept. */
const ENTRY_BYTES = 256;

class Entry implements Structure {
  /** Weak, so that the cache keeps no old rows in memory. */
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

  /** Whether it answers another question than a new entry. */
  isOther({ subject, field, query, kept }: Entry): boolean {
    const isSame = this.query === query && this.kept.constructor === kept.constructor;
    return !isSame || !this.isOf(subject.deref(), field);
  }

  /** Counts what a change did. @returns whether that was possible */
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
  /** The one used last first. */
  #entries: readonly Entry[] = [];

  /** @param budget of the indexes, to which the bytes count, too */
  constructor(budget: IndexBudget | undefined) {
    this.#budget = budget;
  }

  /** @param query what is asked of the field */
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

  /** Everything of a kind that is kept of a field, whatever was asked. */
  all<K extends Kept>(kind: Kind<K>, subject: object, field: string): K[] {
    const found: K[] = [];
    for (const entry of this.#entries) {
      const { kept } = entry;
      if (kept instanceof kind && entry.isOf(subject, field)) found.push(kept);
    }
    return found;
  }

  /** Keeps something, if there is room: only what was kept before makes place for it. */
  put(kept: Kept, subject: object, field: string, query: string): void {
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
   * Makes the entries of a version those of the next.
   *
   * @param changes what changed between the two
   */
  advance(before: object, after: object, changes: () => Delta): void {
    let delta: Delta | undefined;
    for (const entry of this.#entries) {
      if (entry.subject.deref() !== before) continue;
      delta ??= changes();
      // Finding an answer anew takes no longer than counting many changes.
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
