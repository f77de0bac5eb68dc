// How much may be read of something. Offsets in a file may all lead to one place, so that a small file
// would be read many times over. A budget bounds the work by the bytes that there are.

import { FileError } from "./file-error.ts";

export class ReadBudget {
  readonly #section: string;
  readonly #reason: string;
  #left: number;

  /**
   * @param limit how many bytes or values may be read
   * @param section the part of the file that is read, for the error
   * @param reason what is wrong with it once the budget is exceeded
   */
  constructor(limit: number, section: string, reason: string) {
    this.#section = section;
    this.#reason = reason;
    this.#left = limit;
  }

  /** @throws FileError where the budget does not cover it */
  spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new FileError(this.#section, this.#reason);
  }
}
