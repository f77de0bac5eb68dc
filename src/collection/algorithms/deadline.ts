// A deadline: the time by which a query must have its answer. Long steps check it between batches, so
// that none of them continues for long beyond it.

import { TercetError, type TercetErrorCode } from "../../schema/errors.ts";

/** A query that took longer than allowed. It leaves nothing half-done: the next one starts over. */
export class DeadlineError extends TercetError {
  protected static override readonly code = "timeout";
  override readonly name = "DeadlineError";
  declare readonly code: TercetErrorCode;
}

export class Deadline {
  readonly #milliseconds: number;
  readonly #end: number;

  /** @param milliseconds how long from now */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
    this.#end = performance.now() + milliseconds;
  }

  /** How many milliseconds are left; negative when it has passed. */
  get left(): number {
    return this.#end - performance.now();
  }

  /** @throws DeadlineError when it has passed */
  check(): void {
    if (this.left < 0) {
      throw new DeadlineError(`took longer than the ${this.#milliseconds} ms that it was given`);
    }
  }
}
