// Arrow's validity of a column: a bit for each row, set if it is not null.

/** How many rows are a piece. */
const ROWS_AT_ONCE = 1 << 17;

/** Collects the bits of rows whose codes come in order. They stay in memory until they are taken. */
export class Validity {
  nulls = 0;
  #pieces: Uint8Array[] = [];
  #bits = new Uint8Array(ROWS_AT_ONCE >>> 3);
  /** How many rows the last piece has. */
  #row = 0;

  /** @param codes of rows: 0 is null */
  add(codes: Uint32Array): void {
    for (let i = 0; i < codes.length;) {
      if (this.#row === ROWS_AT_ONCE) {
        this.#pieces.push(this.#bits);
        this.#bits = new Uint8Array(ROWS_AT_ONCE >>> 3);
        this.#row = 0;
      }
      const end = Math.min(codes.length, i + ROWS_AT_ONCE - this.#row);
      const bits = this.#bits;
      let row = this.#row;
      let nulls = 0;
      while (i < end) {
        // The bits of a byte at once.
        const last = Math.min(end, i + 8 - (row & 7));
        let byte = 0;
        for (let bit = row & 7; i < last; i++, row++, bit++) {
          if (codes[i] === 0) nulls++;
          else byte |= 1 << bit;
        }
        bits[(row - 1) >>> 3]! |= byte;
      }
      this.nulls += nulls;
      this.#row = row;
    }
  }

  /** All bits; none if no row is null. */
  pieces(): Uint8Array[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return this.nulls === 0 ? [] : [...pieces, this.#bits.subarray(0, (this.#row + 7) >>> 3)];
  }
}
