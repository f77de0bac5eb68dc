// Reads every live row, in insertion order.

import { passFilled } from "../algorithms/gaps.ts";
import { holdHiddenClassOf } from "../algorithms/hidden-class.ts";
import { Derived } from "../indexes/derived.ts";
import { DeadRows, type Order } from "../versions/dead-rows.ts";
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
  open: (_, { segment: { rows, dead } }) => new ScanSource(rows, dead),
};

/** Rows, in their own order. */
interface Counted extends Order {
  readonly size: number;
}

/** All live rows in insertion order. */
export class ScanSource implements Source {
  readonly #rows: Counted;
  #row: number;
  readonly #end: number;
  readonly #dead: DeadRows;

  constructor(rows: Counted, dead = DeadRows.EMPTY, from = 0) {
    this.#rows = rows;
    this.#row = from;
    this.#end = rows.size;
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
    this.#row = Math.min(this.#end, passFilled(this.#dead.gaps(this.#rows), this.#row, count));
  }
}

holdHiddenClassOf(new ScanSource({ size: 0, derived: new Derived() }));
