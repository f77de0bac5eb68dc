// The count of the records that criteria select.

import type { Maintained, SelectedChange } from "./maintained.ts";

export class MaintainedCount implements Maintained {
  #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  change({ before, after }: SelectedChange): boolean {
    const difference = Number(after !== undefined) - Number(before !== undefined);
    this.#count += difference;
    return difference !== 0;
  }

  answer(): number {
    return this.#count;
  }
}
