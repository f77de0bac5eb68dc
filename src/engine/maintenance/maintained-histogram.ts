// A histogram that follows changes, as long as these do not move its ends.

import type { Schema } from "../../schema/schema.ts";
import type { RecordChange, Version } from "../columns/record-change.ts";
import type { Bins } from "../execution/histogram.ts";
import type { Maintained } from "./maintained.ts";
import { RowReaders } from "./row-readers.ts";

export class MaintainedHistogram implements Maintained {
  readonly follows = true;
  readonly #bins: Bins;
  readonly #readers: RowReaders;

  /** @param measured the fields whose numbers are summed up in each bin */
  constructor(schema: Schema, bins: Bins, field: string, measured: readonly string[]) {
    this.#bins = bins;
    this.#readers = new RowReaders(schema, [field, ...measured]);
  }

  change({ before, after }: RecordChange): boolean | undefined {
    const areRight =
      (after === undefined || this.#change(after, 1)) &&
      (before === undefined || this.#change(before, -1));
    return areRight ? true : undefined;
  }

  answer(): unknown {
    return this.#bins.finish();
  }

  #change(version: Version, times: 1 | -1): boolean {
    const [number = -Infinity, ...numbers] = this.#readers.read(version).map(Number);
    return this.#bins.changeNumber(number, numbers, times);
  }
}
