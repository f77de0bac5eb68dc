// A deadline: the time by which a query must have its answer. Long steps check it, so that none of them continues for
// long beyond it. What would make the answer faster, such as an index, is built in the time that the answer leaves.

import { TercetError, type TercetErrorCode } from "../../schema/errors.ts";

/**
 * A query that took longer than allowed. It leaves nothing half-done, except that an index that it lacks is nearer to
 * being built: if the answer takes no longer than allowed once its indexes exist, repeating the query gets it.
 */
export class DeadlineError extends TercetError {
  protected static override readonly code = "timeout";
  override readonly name = "DeadlineError";
  declare readonly code: TercetErrorCode;
}

/** Work that makes later answers faster. */
export interface PostponedWork {
  /** Whether an answer was late for lack of it. */
  readonly isUrgent: boolean;
  /** Continues the work until it is done; at once if it is. @throws DeadlineError */
  build(deadline: Deadline): void;
  /** Called if an answer was late for lack of it. */
  hurry(): void;
}

/** The work that some queries have postponed. */
export class Postponed {
  readonly #work = new Set<PostponedWork>();

  add(work: PostponedWork): void {
    this.#work.add(work);
  }

  /** Called if an answer was late. */
  hurry(): void {
    for (const work of this.#work) work.hurry();
  }

  /** Does the work, as much as there is time for. */
  build(deadline: Deadline): void {
    unlessLate(() => {
      for (const work of this.#work) {
        deadline.check();
        work.build(deadline);
      }
    });
  }
}

export class Deadline {
  readonly #milliseconds: number;
  readonly #end: number;
  readonly #postponed: Postponed;

  /** @param milliseconds how long from now */
  constructor(milliseconds: number, postponed = new Postponed()) {
    this.#milliseconds = milliseconds;
    this.#end = performance.now() + milliseconds;
    this.#postponed = postponed;
  }

  /** How many milliseconds are left; negative when it has passed. */
  get left(): number {
    return this.#end - performance.now();
  }

  /** @throws DeadlineError when it has passed */
  check(): void {
    if (this.left < 0) {
      throw new DeadlineError(`exceeded its limit of ${this.#milliseconds} ms`);
    }
  }

  /**
   * Postpones work until the query is answered. If an answer was late for lack of it, the work gets half of the time
   * that is left first, so that it makes progress, and others who need less time are answered meanwhile.
   *
   * @throws DeadlineError once the time is up
   */
  postpone(work: PostponedWork): void {
    this.#postponed.add(work);
    if (!work.isUrgent) return;
    unlessLate(() => work.build(new Deadline(this.left / 2)));
    this.check();
  }

  /**
   * What `answer` returns. The time that it leaves is spent on what was postponed.
   *
   * @throws DeadlineError if the answer is late; whatever `answer` throws
   */
  spend<Answer>(answer: () => Answer): Answer {
    let found: Answer;
    try {
      found = answer();
      this.check();
    } catch (thrown) {
      if (thrown instanceof DeadlineError) this.#postponed.hurry();
      throw thrown;
    }
    this.#postponed.build(this);
    return found;
  }
}

/** What `answer` returns, under a deadline if there is one. @throws DeadlineError; whatever `answer` throws */
export function answerBy<Answer>(deadline: Deadline | undefined, answer: () => Answer): Answer {
  return deadline === undefined ? answer() : deadline.spend(answer);
}

/** Runs work that can be continued later. */
function unlessLate(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (!(thrown instanceof DeadlineError)) throw thrown;
  }
}
