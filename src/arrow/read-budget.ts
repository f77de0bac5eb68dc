// Limits how much is read. Offsets in a file may all lead to one place, so a small file could cause many reads of the
// same bytes. A budget bounds the work by the number of bytes.

import { FileError } from "./file-error.ts";

export class ReadBudget {
  readonly #section: string;
  readonly #reason: string;
  #left: number;

  /**
   * @param limit the maximum number of bytes or values
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
