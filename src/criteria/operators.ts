// The operators of criteria (rules C4, C14, C16 and C17), in the order of the documentation. A new one is a file in
// operators/ and a line here; CONTRIBUTING.md shows an example.

import type { RecordForm } from "../schema/field.ts";
import type { Applicable, Operator, Taken } from "./operator.ts";
import { atLeast } from "./operators/at-least.ts";
import { atMost } from "./operators/at-most.ts";
import { between } from "./operators/between.ts";
import { contains } from "./operators/contains.ts";
import { endsWith } from "./operators/ends-with.ts";
import { exactly } from "./operators/exactly.ts";
import { greaterThan } from "./operators/greater-than.ts";
import { has } from "./operators/has.ts";
import { hasAll } from "./operators/has-all.ts";
import { hasAny } from "./operators/has-any.ts";
import { isIn } from "./operators/in.ts";
import { lessThan } from "./operators/less-than.ts";
import { not } from "./operators/not.ts";
import { startsWith } from "./operators/starts-with.ts";

const declared = [
  exactly,
  not,
  contains,
  startsWith,
  endsWith,
  greaterThan,
  lessThan,
  atLeast,
  atMost,
  between,
  isIn,
  has,
  hasAny,
  hasAll,
] as const;

type Declared = (typeof declared)[number];

/** The name of an operator, such as `"exactly"`. */
export type OperatorName = Declared["name"];

/** The declarations by name. */
export type OperatorsByName = { readonly [Each in Declared as Each["name"]]: Each };

/** The operators of the contract. */
export type ContractOperatorName = Extract<Declared, { readonly isOwn: false }>["name"];

/** An operator for users to choose, and what it takes. */
export type OperatorChoice = {
  [Takes in Taken]: Operator<OperatorName, Applicable, Takes>;
}[Taken];

/** All operators, in the order of the documentation. */
export const operators: readonly OperatorChoice[] =
  Object.freeze<readonly OperatorChoice[]>(declared);

const byName: ReadonlyMap<string, OperatorChoice> = new Map(
  operators.map((operator) => [operator.name, operator]),
);
const ofContract = Object.freeze(operators.filter(({ isOwn }) => !isOwn));

/** The operators for records of a form. */
export const operatorsFor = (form: RecordForm): readonly OperatorChoice[] =>
  form === "contract" ? ofContract : operators;

/** The operator with a name, if records of the form have it; inherited names such as `constructor` are none (E11). */
export function operatorNamed(name: string, form: RecordForm): OperatorChoice | undefined {
  const operator = byName.get(name);
  return operator?.isOwn === true && form === "contract" ? undefined : operator;
}
