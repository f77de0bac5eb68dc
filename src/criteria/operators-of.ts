// The operators of a field, for programs that let users choose one.

import { InputError } from "../schema/errors.ts";
import { isNumeric, isText, type FieldType, type RecordForm } from "../schema/field.ts";
import { knownField, type FieldName } from "../schema/names.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import type { Operator } from "./operator.ts";
import { operatorsFor, type OperatorChoice } from "./operators.ts";

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
  const all = operatorsFor(schema.form);
  if (field === undefined) return all;
  const { searchable, type } = knownField(
    schema,
    field,
    (...reason) => new InputError("field", ...reason),
  );
  return searchable ? all.filter((operator) => appliesTo(operator, type, schema.form)) : [];
}

/** Whether an operator applies to fields of a type in records of a form (C14). */
export function appliesTo(
  { fields }: Pick<Operator, "fields">,
  type: FieldType,
  form: RecordForm,
): boolean {
  switch (fields) {
    case "any":
      return true;
    case "single":
      return type !== "strings";
    case "ordered":
      return isNumeric(type) || (isText(type) && form !== "contract");
    case "strings":
      return type === "strings";
  }
}
