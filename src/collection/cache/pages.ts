// Pages of all records in the order of a field, as a user interface asks for them again and again.
//
// Held: by a snapshot, for each field that was sorted by the last page, from the second time on that it is asked for,
// if it has at most 256 records. A page for which rows were sorted is not kept: sorting is what gets an index built.
//
// Stale: never, since a snapshot doesn't change.

import type { AnyRecord } from "../../schema/schema.ts";
import { tuning } from "../tuning.ts";
import type { Sort } from "./top-rows.ts";

/** The last page in the order of a field. */
export class LastPage {
  #order: Sort["order"] = "ASC";
  #offset = 0;
  #limit = -1;
  #records: readonly AnyRecord[] | undefined;
  /** Whether it was asked for again. */
  isRepeated = false;

  /** The records of a page in a new array, if they are kept. It is the last page from now on. */
  ask(order: Sort["order"], offset: number, limit: number): AnyRecord[] | undefined {
    if (limit === this.#limit && offset === this.#offset && order === this.#order) {
      this.isRepeated = true;
      return this.#records?.slice();
    }
    this.#order = order;
    this.#offset = offset;
    this.#limit = limit;
    this.#records = undefined;
    this.isRepeated = false;
    return undefined;
  }

  keep(page: readonly AnyRecord[]): void {
    if (page.length <= tuning.mostOnPage) this.#records = page.slice();
  }
}

/** The last pages by their fields. */
export class LastPages {
  readonly #byField = new Map<string, LastPage>();

  of(field: string): LastPage {
    const known = this.#byField.get(field);
    if (known !== undefined) return known;
    const page = new LastPage();
    this.#byField.set(field, page);
    return page;
  }
}
