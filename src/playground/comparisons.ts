// The operators of criteria, as the page needs them beside the engine, and two of its own.

import { operators, type Comparison, type OperatorChoice } from "../index.ts";
import type { FieldInfo, OwnOperator } from "./messages.ts";

/** `finds` ignores case and accents, `matches` takes a regular expression. */
export const OWN_OPERATORS: readonly OwnOperator[] = [
  { name: "finds", takes: "text", selects: "folded" },
  { name: "matches", takes: "text", selects: "pattern" },
];

/** In the place of a field, every column that can be searched. */
export const ANY_COLUMN = "*";

/** Whether it is one of the columns that any column stands for. */
export const isSearched = ({ type, operators }: Pick<FieldInfo, "type" | "operators">): boolean =>
  operators.length > 0 && ["string", "strings", "int", "float"].includes(type);

/** Whether criteria can be on any column: those of the two methods can't. */
export const hasAnyColumn = (fields: readonly Pick<FieldInfo, "name" | "operators">[]): boolean =>
  fields.some(({ operators }) => operators.some(({ name }) => name === "finds")) &&
  fields.every(({ name }) => name !== ANY_COLUMN);

/** The operator with a name that somebody chose or wrote. */
export const operatorNamed = (name: string): OperatorChoice | OwnOperator | undefined =>
  operators.find((each) => each.name === name) ?? OWN_OPERATORS.find((each) => each.name === name);

/** How an operator compares a field with its bound, or with each of two; none if it does not. */
export function comparisonsOf(name: string): readonly Comparison[] {
  const operator = operatorNamed(name);
  if (operator?.takes === "bound") return [operator.selects];
  return operator?.takes === "range" ? operator.selects : [];
}

/** Whether an operator takes several values, which are typed with commas between them. */
export const takesSeveral = (takes: OperatorChoice["takes"] | undefined): boolean =>
  takes === "values" || takes === "elements" || takes === "range";
