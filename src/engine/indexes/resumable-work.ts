// Work for each of some fields that a deadline may interrupt and that later resumes where it stopped.

import type { Deadline } from "../algorithms/deadline.ts";
import { Resumable } from "../algorithms/resumable.ts";
import type { Steps } from "../algorithms/steps.ts";

/** The interrupted work of each field. */
export class ResumableWork<Result> {
  readonly #work = new Map<string, Resumable<Result>>();

  /** @throws DeadlineError */
  finish(field: string, begin: () => Steps<Result>, deadline: Deadline | undefined): Result {
    const work = this.#work.get(field) ?? new Resumable();
    this.#work.set(field, work);
    const result = work.finish(begin, deadline);
    this.#work.delete(field);
    return result;
  }
}
