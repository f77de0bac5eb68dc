// Questions about the records that some criteria select.

import { answerBy } from "../engine/algorithms/deadline.ts";
import { deadlineOf, parseSelection, type ParsedQuery } from "../engine/query.ts";
import { InputError, type Refuse } from "../schema/errors.ts";
import type { CollectionState } from "./types.ts";

/** The answer for the selected records. @throws CriteriaError; DeadlineError */
export function asking<Answer>(
  { codec: { schema }, options }: Pick<CollectionState, "codec" | "options">,
  criteria: unknown,
  answer: (asked: ParsedQuery) => Answer,
): Answer {
  const deadline = deadlineOf(options);
  return answerBy(deadline, () =>
    answer({ ...parseSelection(schema, criteria, options), deadline }),
  );
}

/** The error of a field that a question names. */
export const refuseField: Refuse = (...reason) => new InputError("field", ...reason);
