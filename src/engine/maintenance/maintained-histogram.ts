// A histogram that follows changes, as long as these do not move its ends.

import type { Schema } from "../../schema/schema.ts";
import type { Version } from "../columns/record-change.ts";
import type { Bins } from "../execution/histogram.ts";
import { Order } from "../versions/sort-order.ts";
import type { Maintained, SelectedChange } from "./maintained.ts";

export class MaintainedHistogram implements Maintained {
  readonly #schema: Schema;
  readonly #bins: Bins;
  readonly #field: string;
  readonly #measured: readonly string[];

  /** @param measured the fields whose numbers are summed up in each bin */
  constructor(schema: Schema, bins: Bins, field: string, measured: readonly string[]) {
    this.#schema = schema;
    this.#bins = bins;
    this.#field = field;
    this.#measured = measured;
  }

  change({ before, after }: SelectedChange): boolean | undefined {
    const areRight =
      (after === undefined || this.#change(after, 1)) &&
      (before === undefined || this.#change(before, -1));
    return areRight ? true : undefined;
  }

  answer(): unknown {
    return this.#bins.finish();
  }

  #change({ rows, row }: Version, times: 1 | -1): boolean {
    const [number = -Infinity, ...numbers] = [this.#field, ...this.#measured].map((field) => {
      const read = new Order({ sort: { field, order: "ASC" } }).readerIn(this.#schema, rows);
      return Number(read(row) ?? -Infinity);
    });
    return this.#bins.changeNumber(number, numbers, times);
  }
}
