// Limits how much is read of something. Offsets in a file may all lead to one place, so a small file
// could be read many times over. A budget bounds the work by the number of bytes.

import { FileError } from "./file-error.ts";

export class ReadBudget {
  readonly #section: string;
  readonly #reason: string;
  #left: number;

  /**
   * @param limit how many bytes or values may be read
   * @param section the part of the file being read, for the error
   * @param reason what is wrong with it once the budget is exceeded
   */
  constructor(limit: number, section: string, reason: string) {
    this.#section = section;
    this.#reason = reason;
    this.#left = limit;
  }

  /** @throws FileError if the budget does not cover it */
  spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new FileError(this.#section, this.#reason);
  }
}
