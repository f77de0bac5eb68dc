// A rule recognises one situation, and proposes plans for it. rules.ts lists them.

import type { Plan } from "../../operators/plan.ts";
import type { Situation } from "../situation.ts";

export interface Rule {
  /**
   * `"cheapest"`: nothing can beat its plan, so that no other is compared. `"only"`: nor does any other rule apply.
   */
  readonly certain?: "cheapest" | "only";
  /**
   * @returns none if it does not apply
   * @throws DeadlineError
   */
  readonly plans: (situation: Situation) => readonly Plan[];
}

/** A rule that does not apply proposes these. */
export const NO_PLANS: readonly Plan[] = [];
