// The operators of criteria, as the page needs them beside the engine.

import { operators, type Comparison, type OperatorChoice } from "../index.ts";

/** The operator with a name that somebody chose or wrote. */
export const operatorNamed = (name: string): OperatorChoice | undefined =>
  operators.find((each) => each.name === name);

/** How an operator compares a field with its bound, or with each of two; none if it does not. */
export function comparisonsOf(name: string): readonly Comparison[] {
  const operator = operatorNamed(name);
  if (operator?.takes === "bound") return [operator.selects];
  return operator?.takes === "range" ? operator.selects : [];
}

/** Whether an operator takes several values, which are typed with commas between them. */
export const takesSeveral = (takes: OperatorChoice["takes"] | undefined): boolean =>
  takes === "values" || takes === "elements" || takes === "range";
