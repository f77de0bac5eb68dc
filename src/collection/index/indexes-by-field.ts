// The indexes of one kind by their fields, and the account of missing ones.

import type { Deadline } from "../algorithms/deadline.ts";
import type { Column, Kind } from "./kinds.ts";
import { ResumableWork } from "./resumable-work.ts";

/** The indexes of a kind, and what is known of missing ones. */
export class IndexesByField<Index extends { readonly bytes: number }> {
  readonly kind: Kind<Index>;
  readonly indexes = new Map<string, Index>();
  /**
   * The fields that have one, for other segments to want. Names only, so that the indexes can be freed.
   */
  readonly fields = new Set<string>();
  /** The cost of scans so far for lack of an index, in nanoseconds. */
  readonly spent = new Map<string, number>();
  /** Fields whose index was built and exceeded the budget. */
  readonly tooLarge = new Set<string>();
  readonly #builds = new ResumableWork<Index>();

  constructor(kind: Kind<Index>) {
    this.kind = kind;
  }

  put(field: string, index: Index): void {
    this.indexes.set(field, index);
    this.fields.add(field);
  }

  drop(field: string): void {
    this.indexes.delete(field);
    this.fields.delete(field);
  }

  /** @throws DeadlineError; building continues at the next call */
  build(field: string, column: Column, deadline: Deadline | undefined): Index {
    const index = this.#builds.finish(field, () => this.kind.building(column), deadline);
    this.put(field, index);
    return index;
  }

  /** How many bytes they hold, or will hold once used. Fields may share one. */
  get bytes(): number {
    let bytes = 0;
    for (const index of new Set(this.indexes.values())) bytes += this.kind.bytes(index);
    return bytes;
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
