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

/** The last page in the order of a field. */
export class LastPage {
  #order: Sort["order"] = "ASC";
  #offset = 0;
  #limit = -1;
  #page: KeptPage | undefined;

  /** The records of a page, if they are kept. */
  find(order: Sort["order"], offset: number, limit: number): KeptPage | undefined {
    return this.is(order, offset, limit) ? this.#page : undefined;
  }

  /** Makes a page the last. Returns whether it was that already. */
  note(order: Sort["order"], offset: number, limit: number): boolean {
    if (this.is(order, offset, limit)) return true;
    this.#order = order;
    this.#offset = offset;
    this.#limit = limit;
    this.#page = undefined;
    return false;
  }

  keep(page: KeptPage): void {
    this.#page = page;
  }

  get keys(): readonly number[] {
    return this.#page?.keys ?? [];
  }

  copy(): LastPage {
    const copy = new LastPage();
    copy.note(this.#order, this.#offset, this.#limit);
    copy.#page = this.#page;
    return copy;
  }

  is(order: Sort["order"], offset: number, limit: number): boolean {
    return limit === this.#limit && offset === this.#offset && order === this.#order;
  }
}

/** The last pages by their fields. */
export class LastPages {
  readonly #byField = new Map<string, LastPage>();

  get(field: string): LastPage | undefined {
    return this.#byField.get(field);
  }

  /** The same pages, whatever else is asked for later. */
  copy(): LastPages {
    const copy = new LastPages();
    for (const [field, page] of this.#byField) copy.#byField.set(field, page.copy());
    return copy;
  }

  /** The keys of all records that are kept. */
  get keys(): number[] {
    return [...this.#byField.values()].flatMap(({ keys }) => keys);
  }

  of(field: string): LastPage {
    const known = this.#byField.get(field);
    if (known !== undefined) return known;
    const page = new LastPage();
    this.#byField.set(field, page);
    return page;
  }
}
