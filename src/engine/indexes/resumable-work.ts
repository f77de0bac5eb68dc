// Work that a deadline may interrupt and that later resumes where it stopped.

import { DeadlineError, type Deadline } from "../algorithms/deadline.ts";
import { finish, type Steps } from "../algorithms/steps.ts";

/** The interrupted work of each field. */
export class ResumableWork<Result> {
  readonly #steps = new Map<string, Steps<Result>>();

  /** @throws DeadlineError */
  finish(field: string, begin: () => Steps<Result>, deadline: Deadline | undefined): Result {
    const steps = this.#steps.get(field) ?? begin();
    this.#steps.delete(field);
    try {
      return finish(steps, deadline);
    } catch (error) {
      if (error instanceof DeadlineError) this.#steps.set(field, steps);
      throw error;
    }
  }
}
