// A rule recognises one situation and proposes plans for it. rules.ts lists the rules.

import type { Plan } from "../../operators/plan.ts";
import type { Situation } from "../situation.ts";

export interface Rule {
  /** `"cheapest"`: no other plan can be cheaper, so none is compared. `"only"`: moreover, no other rule applies. */
  readonly certain?: "cheapest" | "only";
  /**
   * @returns empty if the rule does not apply
   * @throws DeadlineError
   */
  readonly plans: (situation: Situation) => readonly Plan[];
}

/** The proposal of a rule that does not apply. */
export const NO_PLANS: readonly Plan[] = [];
