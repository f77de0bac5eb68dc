// Custom schemas.

import * as fc from "fast-check";
import {
  boolean,
  defineSchema,
  float,
  int,
  json,
  string,
  strings,
  time,
  type Field,
  type FieldOptions,
  type Schema,
} from "../../index.ts";

const NAMES = ["count", "price", "done", "word", "tags", "note", "when"] as const;
/** Names that careless code mishandles, such as those of inherited members and keys that objects put first. */
const ODD_NAMES = ["", "0", "2024", "__proto__", "constructor", "toString", "Word"];

const mostly = fc.constantFrom(true, true, true, false);

/** The options of a field. */
const options = <Default extends number | boolean | string | readonly string[]>(
  given: Default,
  searchable: fc.Arbitrary<boolean> = mostly,
): fc.Arbitrary<FieldOptions<boolean, boolean, boolean, Default>> =>
  fc
    .record({ nullable: fc.boolean(), stored: mostly, searchable, hasDefault: fc.boolean() })
    .map(({ hasDefault, ...flags }) => (hasDefault ? { ...flags, default: given } : flags));

/**
 * Schemas with a field of each type, and perhaps computed ones. Fields of floats and of strings are searchable. No two records share an `id`, nor,
 * in half of the schemas, the values of two or three other fields.
 */
export function ownSchema({ isComputed = false } = {}): fc.Arbitrary<Schema> {
  const always = fc.constant(true);
  return fc
    .record({
      names: fc.oneof(
        { weight: 3, arbitrary: fc.constant<readonly string[]>(NAMES) },
        { weight: 1, arbitrary: fc.shuffledSubarray(ODD_NAMES, { minLength: 7, maxLength: 7 }) },
      ),
      fields: fc.tuple(
        options(0).map((given) => int(given)),
        options(0.5, always).map((given) => float(given)),
        options(false).map((given) => boolean(given)),
        fc
          .tuple(options("", always), fc.boolean(), fc.boolean())
          .map(([given, ignoreCase, ignoreAccents]) =>
            string({ ...given, ignoreCase, ignoreAccents }),
          ),
        options<readonly string[]>(["a"], always).map((given) => strings(given)),
        fc.record({ nullable: fc.boolean() }).map(json),
        fc
          .tuple(options("2024-02-29"), fc.constantFrom("milliseconds", "microseconds"))
          .map(([given, precision]) => time({ ...given, precision })),
      ),
      hasComputed: isComputed ? fc.boolean() : fc.constant(false),
      // JSON can't be unique.
      combined: fc.option(fc.subarray([0, 1, 2, 3, 4], { minLength: 2, maxLength: 3 }), {
        freq: 2,
      }),
    })
    .map(({ names, fields, combined, hasComputed }) => {
      const own = fields.map((field, i): [string, Field] => [names[i] ?? "", field]);
      const unique = combined === null ? [] : [combined.map((i) => names[i] ?? "")];
      const all = Object.fromEntries<Field>([["id", int({ unique: true })], ...own]);
      return defineSchema(all, {
        unique,
        computed: hasComputed ? computedFrom(names[3] ?? "", names[5] ?? "") : {},
      });
    });
}

/** Computed fields (V16). @param word a string field, and `note` a json field */
const computedFrom = (word: string, note: string) => ({
  part: string({ nullable: true, path: [note, "part"], ignoreCase: true }),
  deep: float({ nullable: true, path: [note, "at", "__proto__"] }),
  labels: strings({ nullable: true, path: [note, "0"] }),
  length: int({
    compute: (record: Readonly<Record<string, unknown>>) => {
      const text = record[word];
      return typeof text === "string" ? text.length : -1;
    },
  }),
});
