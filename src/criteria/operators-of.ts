// The operators of a field, for programs that let users choose one.

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

/** An operator for users to choose, and what it takes. */
export interface OperatorChoice {
  readonly name: OperatorName;
  /**
   * The kind of the criterion's third element: a `value` of the field or null, any string (`text`), a `bound` to
   * compare with (a number, or a string on a string field), a list of `values`, an `element` of an array of strings, or
   * a list of `elements`.
   */
  readonly takes: Taken;
}

const choices: readonly OperatorChoice[] = Object.entries(operators).flatMap(([name, { takes }]) =>
  isOperatorName(name, "values") ? [Object.freeze({ name, takes })] : [],
);

/**
 * The operators for a field, in the order of the documentation; without a field, all operators of the schema.
 *
 * @returns empty if the field is not searchable
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
