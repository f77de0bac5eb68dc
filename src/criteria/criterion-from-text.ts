// Criteria whose values are texts, as people type them in commands, URLs and forms.

import { fieldOf } from "../schema/names.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import { operatorsOf } from "./operators-of.ts";

/**
 * A criterion from texts, as people type them; its value is read by the kind of the field. `null` means null if the
 * field allows it, `[]` an array without elements, and a number of a float field may be written in any way.
 *
 * @param text the value; of an operator that takes several, these with commas between, or one text for each
 * @returns a criterion that is not checked, since collections do that; its value is the text if there is no such field
 *   or operator
 * @throws SchemaError if the schema is not one
 */
export function criterionFromText(
  schema: Schema,
  name: string,
  operator: string,
  text: string | readonly string[],
): readonly [field: string, operator: string, value: unknown] {
  requireSchema(schema);
  const field = fieldOf(schema, name);
  if (field === undefined) return [name, operator, text];
  const takes = operatorsOf(schema, name).find((each) => each.name === operator)?.takes;
  const listed = typeof text === "string" ? text.split(",") : text;
  const only = typeof text === "string" ? text : text.join();
  const valueOf = (one: string) => {
    const mayBeNull = takes === "value" || takes === "values";
    if (one === "null" && field.nullable && mayBeNull) return null;
    if (one === "[]" && field.type === "strings") return [];
    const number = one.trim() === "" ? NaN : Number(one);
    return field.type === "float" && Number.isFinite(number) ? number : one;
  };
  switch (takes) {
    case undefined:
    case "text":
    case "element":
      return [name, operator, only];
    case "elements":
      return [name, operator, listed];
    case "value":
    case "bound":
      return [name, operator, valueOf(only)];
    case "values":
    case "range":
      return [name, operator, listed.map(valueOf)];
  }
}
