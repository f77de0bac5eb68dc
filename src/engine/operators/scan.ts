// Reads every live row, in insertion order.

import { passFilled } from "../algorithms/gaps.ts";
import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { DeadRows } from "../versions/dead-rows.ts";
import type { Segment } from "../versions/segment.ts";
import { costs } from "./costs.ts";
import { type SourceOperator } from "./operator.ts";
import { type SourcePlan, type SourceStep, withCost } from "./plan.ts";
import type { Source } from "./source.ts";

const SCAN: SourceStep<"scan"> = { path: "scan", groups: [] };

/** All live rows. */
export function scan({ live }: Segment): SourcePlan {
  return withCost(SCAN, live, costs.scanRow);
}

export const scanOperator: SourceOperator<"scan"> = {
  words: "scan every row",
  codes: (_, anyIndex) => anyIndex && { index: anyIndex, set: [0, anyIndex.values.length] },
  open: (_, { segment: { size, dead } }) => new ScanSource(size, dead),
};

/** All live rows in insertion order. */
export class ScanSource implements Source {
  #row: number;
  readonly #end: number;
  readonly #dead: DeadRows;

  constructor(rows: number, dead = DeadRows.EMPTY, from = 0) {
    this.#row = from;
    this.#end = rows;
    this.#dead = dead;
  }

  next(batch: Uint32Array, capacity: number): number {
    const dead = this.#dead;
    let row = this.#row;
    let length = 0;
    while (row < this.#end && length < capacity) {
      const [end, areLive] = dead.stretchFrom(row, Math.min(this.#end, row + capacity - length));
      if (areLive) for (; row < end; row++) batch[length++] = row;
      else {
        for (; row < end; row++) {
          batch[length] = row;
          length += dead.has(row) ? 0 : 1;
        }
      }
    }
    this.#row = row;
    return length;
  }

  skip(count: number): void {
    this.#row = Math.min(this.#end, passFilled(this.#dead.gaps(undefined), this.#row, count));
  }
}

holdHiddenClassOf(new ScanSource(0));
