import { schemaOf, type DefinedSchema } from "../src/schema/schema.ts";
import type { Fields } from "../src/schema/field-types.ts";

/** A schema whose records hold the text form of each value, as those of the service do. */
export function wireSchema<const F extends Fields>(fields: F): DefinedSchema<F, "wire"> {
  return schemaOf(fields, { form: "wire" });
}
