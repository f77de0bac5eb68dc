// Users' schemas.

import * as fc from "fast-check";
import {
  boolean,
  defineSchema,
  float,
  int,
  json,
  string,
  type FieldOptions,
  type Schema,
} from "../../index.ts";

const NAMES = ["count", "price", "done", "word", "note"] as const;
/** Names that careless code mishandles, such as those of inherited members and keys that objects put first. */
const ODD_NAMES = ["", "0", "2024", "__proto__", "constructor", "toString", "Word"];

const mostly = fc.constantFrom(true, true, true, false);

/** The options of a field. */
const options = <Default extends number | boolean | string>(
  given: Default,
  searchable: fc.Arbitrary<boolean> = mostly,
): fc.Arbitrary<FieldOptions<boolean, boolean, boolean, Default>> =>
  fc
    .record({ nullable: fc.boolean(), stored: mostly, searchable, hasDefault: fc.boolean() })
    .map(({ hasDefault, ...flags }) => (hasDefault ? { ...flags, default: given } : flags));

/**
 * Schemas in both forms, with a field of each type. The float and string fields are searchable, and no two
 * records share an `id`.
 */
export function ownSchema(): fc.Arbitrary<Schema> {
  const always = fc.constant(true);
  return fc
    .record({
      form: fc.constantFrom("values", "values", "wire"),
      names: fc.oneof(
        { weight: 3, arbitrary: fc.constant<readonly string[]>(NAMES) },
        { weight: 1, arbitrary: fc.shuffledSubarray(ODD_NAMES, { minLength: 5, maxLength: 5 }) },
      ),
      fields: fc.tuple(
        options(0).map(int),
        options(0.5, always).map(float),
        options(false).map(boolean),
        options("", always).map(string),
        fc.record({ nullable: fc.boolean() }).map(json),
      ),
    })
    .map(({ form, names, fields }) => {
      const own = fields
        .filter(({ type }) => form === "values" || type !== "json")
        .map((field, i) => [names[i] ?? "", field] as const);
      return defineSchema(Object.fromEntries([["id", int({ unique: true })] as const, ...own]), {
        form,
      });
    });
}
