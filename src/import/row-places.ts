// Where rows came from.

import type { PlaceOf } from "./json-rows.ts";

/** The numbers that a source gives rows: consecutive ones take no memory. */
export class RowPlaces {
  /** The first row of each run of consecutive numbers, and its number. */
  readonly #rows: number[] = [];
  readonly #numbers: number[] = [];
  #next = NaN;
  #placeOf: PlaceOf = String;

  /** @param row after the rows added before */
  add(row: number, number: number, placeOf: PlaceOf): void {
    this.#placeOf = placeOf;
    if (number !== this.#next) {
      this.#rows.push(row);
      this.#numbers.push(number);
    }
    this.#next = number + 1;
  }

  /** The place of an added row. */
  of(row: number): string {
    let from = 0;
    for (let to = this.#rows.length; to - from > 1;) {
      const middle = (from + to) >>> 1;
      if (this.#rows[middle]! <= row) from = middle;
      else to = middle;
    }
    return this.#placeOf((this.#numbers[from] ?? 0) + row - (this.#rows[from] ?? 0));
  }
}
