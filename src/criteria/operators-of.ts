// The operators that criteria may have, for programs in which people choose one.

import { InputError } from "../schema/errors.ts";
import { knownField, type FieldName } from "../schema/names.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import {
  appliesTo,
  isOperatorName,
  operators,
  type OperatorName,
  type Taken,
} from "./operators.ts";

/** An operator that a person may choose, and what it takes. */
export interface OperatorChoice {
  readonly name: OperatorName;
  /**
   * What the third element of a criterion may be: a `value` of the field or null, any `text`, a `bound` to
   * compare with (a number, or a string on a string field), a list of `values`, an `element`
   * of strings, or a list of `elements`.
   */
  readonly takes: Taken;
}

const choices: readonly OperatorChoice[] = Object.entries(operators).flatMap(([name, { takes }]) =>
  isOperatorName(name, "values") ? [Object.freeze({ name, takes })] : [],
);

/**
 * The operators that criteria on a field may have, in the order of the documentation; without a field,
 * those of all criteria for the schema.
 *
 * @returns none if the field is not searchable
 * @throws SchemaError if the schema is not one; InputError if it has no such field
 */
export function operatorsOf<S extends Schema>(
  schema: S,
  field?: FieldName<S>,
): readonly OperatorChoice[] {
  requireSchema(schema);
  const described =
    field === undefined
      ? undefined
      : knownField(schema, field, (...reason) => new InputError("field", ...reason));
  return choices.filter(
    ({ name }) =>
      isOperatorName(name, schema.form) &&
      (described === undefined ||
        (described.searchable && appliesTo(name, described.type, schema.form))),
  );
}
