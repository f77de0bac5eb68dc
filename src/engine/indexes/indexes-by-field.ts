// The indexes of one kind by their fields, or by the names of several, and the accounts of missing ones.

import type { Deadline } from "../algorithms/deadline.ts";
import { Account } from "./account.ts";
import type { Evictable, Structure } from "./index-budget.ts";
import type { Kind } from "./kinds.ts";
import type { Column } from "./column.ts";
import type { MovedRows } from "./merge.ts";
import { ResumableWork } from "./resumable-work.ts";

/** The indexes of a kind, and the accounts of missing ones. */
export class IndexesByField<Index extends Structure> {
  readonly kind: Kind<Index>;
  readonly indexes = new Map<string, Index>();
  /**
   * The fields with such an index, which other segments then want too. Names only, so that the indexes can be freed.
   */
  readonly fields = new Set<string>();
  /** For fields that queries have used, or that had an index. */
  readonly accounts = new Map<string, Account>();
  /** The fields with indexes of earlier rows. */
  readonly stale = new Map<string, MovedRows>();
  /** The fields whose indexes queries have used before rows were merged. */
  readonly inUse = new Set<string>();
  readonly #builds = new ResumableWork<Index>();
  readonly #merges = new ResumableWork<Index>();

  constructor(kind: Kind<Index>) {
    this.kind = kind;
  }

  accountOf(field: string): Account {
    let account = this.accounts.get(field);
    if (account === undefined) this.accounts.set(field, (account = new Account()));
    return account;
  }

  put(field: string, index: Index): void {
    this.indexes.set(field, index);
    this.fields.add(field);
    this.stale.delete(field);
    this.accounts.get(field)?.close();
  }

  /** @throws DeadlineError; building continues at the next call */
  make(
    name: string,
    columns: readonly [Column, ...Column[]],
    deadline: Deadline | undefined,
  ): Index {
    return this.#builds.finish(name, () => this.kind.building(columns), deadline);
  }

  /** A stale index brought up to date. @throws DeadlineError; the next call continues */
  merge(
    field: string,
    index: Index,
    column: Column,
    moved: MovedRows,
    deadline: Deadline | undefined,
  ): Index | undefined {
    const { merging } = this.kind;
    return merging && this.#merges.finish(field, () => merging(index, column, moved), deadline);
  }

  /** The size of the indexes in bytes once used. Fields may share one. */
  get bytes(): number {
    let bytes = 0;
    for (const index of new Set(this.indexes.values())) bytes += this.kind.bytes(index);
    return bytes;
  }

  /** Whether it is the index of one of the fields. */
  holds(index: Index): boolean {
    for (const other of this.indexes.values()) if (other === index) return true;
    return false;
  }

  /** How many bytes an additional index would take. */
  bytesOf(index: Index): number {
    return this.holds(index) ? 0 : this.kind.bytes(index);
  }

  /**
   * The indexes that may be evicted: those that no field needs.
   *
   * @param needs whether a field needs its index
   * @param evicted called after the index of a field was evicted
   */
  evictables(needs: (field: string) => boolean, evicted: (field: string) => void): Evictable[] {
    const fieldsOf = new Map<Index, string[]>();
    for (const [field, index] of this.indexes) {
      const fields = fieldsOf.get(index);
      if (fields === undefined) fieldsOf.set(index, [field]);
      else fields.push(field);
    }
    return Array.from(fieldsOf)
      .filter(([, fields]) => !fields.some(needs))
      .map(([structure, fields]) => ({
        structure,
        bytes: this.kind.bytes(structure),
        evict: () => {
          for (const field of fields) {
            this.drop(field);
            evicted(field);
          }
        },
      }));
  }

  /** Removes an index for lack of room. */
  drop(field: string): void {
    this.remove(field);
    this.accountOf(field).drop();
  }

  /** @returns whether the field had an index */
  remove(field: string): boolean {
    this.fields.delete(field);
    return this.indexes.delete(field);
  }

  /** A shared index counts for the first of its fields. */
  report(): { readonly field: string; readonly bytes: number }[] {
    const counted = new Set<Index>();
    return Array.from(this.indexes, ([field, index]) => {
      const bytes = counted.has(index) ? 0 : index.bytes;
      counted.add(index);
      return { field, bytes };
    });
  }
}
