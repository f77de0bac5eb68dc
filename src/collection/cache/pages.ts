// Pages of all records in the order of a field, as a user interface asks for them again and again.
//
// Held: by a snapshot, the last page in the order of each field, from the second time on that it is asked for, of this
// snapshot or the one before, if it has at most 256 records; with each record's key, and with the next 16 records, which
// move up when others go. A page for which rows were sorted is not kept: sorting is what gets an index built.
//
// Stale: never, since a snapshot doesn't change. The next one makes its page from this one (`updated-page.ts`).

import type { AnyRecord } from "../../schema/schema.ts";
import type { Sort } from "./top-rows.ts";

/** The records of a page, and the next ones in its order. */
export interface KeptPage {
  readonly records: readonly AnyRecord[];
  readonly keys: readonly number[];
  /** Whether no record comes after them. */
  readonly isLast: boolean;
}

/** A page that was asked for, and its records if they are kept. */
interface LastPage {
  readonly order: Sort["order"];
  readonly offset: number;
  readonly limit: number;
  readonly page: KeptPage | undefined;
}

/** The last page in the order of each field. */
export class LastPages {
  readonly #byField: Map<string, LastPage>;

  constructor(pages: Iterable<readonly [field: string, last: LastPage]> = []) {
    this.#byField = new Map(pages);
  }

  /** The last page in the order of a field, if it is this one. */
  find({ field, order }: Sort, offset: number, limit: number): LastPage | undefined {
    const last = this.#byField.get(field);
    if (last === undefined || last.limit !== limit || last.offset !== offset) return undefined;
    return last.order === order ? last : undefined;
  }

  /** Makes a page the last one. */
  set({ field, order }: Sort, offset: number, limit: number, page?: KeptPage): void {
    this.#byField.set(field, { order, offset, limit, page });
  }

  /** The same pages, whatever else is asked for later. */
  copy(): LastPages {
    return new LastPages(this.#byField);
  }

  /** Visits the first pages whose records are kept. */
  forEachKept(visit: (sort: Sort, limit: number) => void): void {
    this.#byField.forEach(({ order, offset, limit, page }, field) => {
      if (page !== undefined && offset === 0) visit({ field, order }, limit);
    });
  }

  /** The keys of all records that are kept. */
  get keys(): number[] {
    return [...this.#byField.values()].flatMap(({ page }) => page?.keys ?? []);
  }
}
