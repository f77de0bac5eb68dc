// Long work that a deadline may interrupt, and that the next attempt resumes where it stopped.

import type { Deadline } from "./deadline.ts";
import type { Steps } from "./steps.ts";

export class Resumable<Result> {
  #steps: Steps<Result> | undefined;

  /**
   * Runs the work to its end.
   *
   * @param begin starts it, unless an earlier attempt was interrupted
   * @throws DeadlineError; the next call continues. Whatever the work throws; the next call starts again
   */
  finish(begin: () => Steps<Result>, deadline: Deadline | undefined): Result {
    const steps = this.#steps ?? begin();
    for (;;) {
      // A generator that has thrown cannot be resumed.
      this.#steps = undefined;
      const step = steps.next();
      if (step.done === true) return step.value;
      this.#steps = steps;
      deadline?.check();
    }
  }
}
