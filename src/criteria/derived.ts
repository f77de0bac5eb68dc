// Criteria made from the values of records rather than read from input.

import type { Field, TextValue } from "../schema/field.ts";
import { NO_FOLDING } from "../schema/folding.ts";
import { distinct } from "./distinct.ts";
import { bind } from "./operands.ts";
import type { OperatorChoice } from "./operators.ts";
import { exactly } from "./operators/exactly.ts";
import { greaterThan } from "./operators/greater-than.ts";
import { lessThan } from "./operators/less-than.ts";
import { not } from "./operators/not.ts";
import type { ParsedCriteria, ParsedCriterion } from "./tree.ts";

/** A criterion with a value as rows hold it: folded if the field ignores case or accents. */
export interface Compared {
  readonly name: string;
  readonly field: Field;
  readonly value: TextValue;
}

/** The criterion that a field equals a value. */
export const equalTo = (compared: Compared): ParsedCriterion =>
  criterion(compared, exactly, compared.value);

/**
 * Criteria for the values that come after another one in an order (P3, P4). They are disjoint and in ascending order.
 * Each is a range or a value, so indexes can answer it.
 */
export function comingAfter(compared: Compared, order: "ASC" | "DESC"): readonly ParsedCriterion[] {
  const { field, value } = compared;
  if (field.type === "boolean") {
    const ascending = [null, "false", "true"];
    const values = order === "ASC" ? ascending : ascending.reverse();
    const after = values.slice(values.indexOf(value) + 1);
    return after
      .filter((each) => each !== null || field.nullable)
      .map((each) => criterion(compared, exactly, each));
  }
  if (order === "ASC") {
    return [criterion(compared, value === null ? not : greaterThan, value)];
  }
  if (value === null) return [];
  const isLess = criterion(compared, lessThan, value);
  return field.nullable ? [isLess, criterion(compared, exactly, null)] : [isLess];
}

/** Adds criteria that must all hold to other criteria. */
export const withAll = (
  { groups }: ParsedCriteria,
  others: readonly ParsedCriterion[],
): ParsedCriteria => distinct({ groups: groups.map((group) => [...others, ...group]) });

function criterion(
  { name, field: { type, precision, zone } }: Compared,
  operator: OperatorChoice,
  given: TextValue,
): ParsedCriterion {
  // The values of rows are folded already.
  const rules = { type, precision, zone };
  const setting = { ...rules, ...NO_FOLDING, form: "values", maxValues: Infinity } as const;
  const bound = bind(operator, given, setting);
  if (bound === undefined) throw new RangeError(`${operator.name} takes every value of a field`);
  const { value, test, bounds } = bound;
  return { position: 0, field: name, operator: operator.name, value, negated: false, test, bounds };
}
