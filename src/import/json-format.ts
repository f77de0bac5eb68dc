// The options for where and how records appear in JSON, and their values after validation.

import { flag, must, oneOf, optional } from "../schema/options.ts";

/** The options of readers of JSON and NDJSON that no other reader has. */
export interface JsonFormatOptions {
  /**
   * Where the array of records is, in JSON that is one object: `"data.items"`. `""` is the text itself. Default: in the
   * object's only member, or in one that is named `data`, `docs`, `features`, `hits`, `items`, `records`, `response`, `result`,
   * `results`, `rows` or `value`, or in such a member of it. If several have an array, that is an error; if none has,
   * the object is a record. `onFormat` is called with the path, or with those of the arrays of the record.
   */
  readonly at?: string | undefined;
  /**
   * Whether the members of nested objects become members of the record, with their names joined by a dot:
   * `{"user":{"id":7}}` has `user.id`. Arrays stay as they are. Two members of one name are an error. Default: `false`.
   */
  readonly flatten?: boolean | undefined;
  /** What `NaN`, `Infinity` and `-Infinity` mean, which are not JSON: an error, the default, or `null`. */
  readonly nonFinite?: "refuse" | "null" | undefined;
}

/** The format of a text, with all defaults. */
export interface JsonFormat {
  readonly at: readonly string[] | undefined;
  readonly flatten: boolean;
  readonly isNonFiniteNull: boolean;
}

const isPath = (given: unknown): given is string => typeof given === "string";
const readPath = optional(must('the names of members, such as "data.items"', isPath));
const readFlatten = optional(flag, false);
const readNonFinite = optional(oneOf("refuse", "null"), "refuse");

/** @throws InputError that names the option */
export function readJsonFormat(options: JsonFormatOptions): JsonFormat {
  const at = readPath(options.at, "options.at");
  return {
    at: at === "" ? [] : at?.split("."),
    flatten: readFlatten(options.flatten, "options.flatten"),
    isNonFiniteNull: readNonFinite(options.nonFinite, "options.nonFinite") === "null",
  };
}
