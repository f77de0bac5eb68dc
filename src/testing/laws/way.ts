// The two ways to get a law's questions answered: at once, or by promises.

import * as fc from "fast-check";
import { Aborted, answerLater, answerNow, Patience, type Asking } from "./asking.ts";

/** A way to get a law's questions answered. */
export interface Way {
  /** The default of the option `json`. */
  readonly json: boolean;
  /** The call that checks one law in this way, as code. */
  readonly calling: (callee: string) => string;
  readonly property: <Case>(
    cases: fc.Arbitrary<Case>,
    holds: (drawn: Case) => Asking<void>,
    patience: Patience,
  ) => fc.IRawProperty<[Case]>;
}

export const atOnce: Way = {
  json: false,
  calling: (callee) => callee,
  property: (cases, holds, patience) =>
    fc.property(cases, (drawn) => answerNow(unlessOver(holds(drawn), patience), patience)),
};

export const byPromises: Way = {
  json: true,
  calling: (callee) => `await ${callee}Async`,
  property: (cases, holds, patience) =>
    fc.asyncProperty(cases, (drawn) => answerLater(unlessOver(holds(drawn), patience), patience)),
};

/** Ends fast-check's run if nothing more is to be asked; an earlier failed case stays. */
function* unlessOver(asking: Asking<void>, patience: Patience): Asking<void> {
  if (patience.isOver) throw new fc.PreconditionFailure(true);
  try {
    yield* asking;
  } catch (thrown) {
    throw thrown instanceof Aborted ? new fc.PreconditionFailure(true) : thrown;
  }
}
