// The count of the records that criteria select.

import type { RecordChange } from "../columns/record-change.ts";
import type { Maintained } from "./maintained.ts";

export class MaintainedCount implements Maintained {
  readonly follows = true;
  #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  change({ before, after }: RecordChange): boolean {
    const difference = Number(after !== undefined) - Number(before !== undefined);
    this.#count += difference;
    return difference !== 0;
  }

  answer(): number {
    return this.#count;
  }
}
