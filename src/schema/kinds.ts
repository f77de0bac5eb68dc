// All kinds of fields.

import { boolean } from "./kinds/boolean.ts";
import { float } from "./kinds/float.ts";
import { int } from "./kinds/int.ts";
import { json } from "./kinds/json.ts";
import { string } from "./kinds/string.ts";
import { strings } from "./kinds/strings.ts";
import { time } from "./kinds/time.ts";
import type { Kind, Storage } from "./kinds/kind.ts";

/** Each kind by its name, which is the `type` of its fields. */
const table = { int, float, boolean, string, strings, json, time };

/** The type of a field, the value of `field.type`. */
export type FieldType = keyof typeof table;

type ValueIn<K> = K extends Kind<infer Value> ? Value : never;

/** The values of a field of each type (rule V10). */
export type ValueByType = { [Type in FieldType]: ValueIn<(typeof table)[Type]> };

export const kinds: { readonly [Type in FieldType]: Kind<ValueByType[Type]> } = table;

/** The types of fields, as quoted in errors. */
export const fieldTypes: readonly FieldType[] = Object.freeze(Object.keys(table) as FieldType[]);

/** Whether a value names a type of field. */
export function isFieldType(value: unknown): value is FieldType {
  return fieldTypes.some((type) => type === value);
}

/** The types of fields that hold numbers. */
export type NumberType = {
  [Type in FieldType]: ValueByType[Type] extends number ? Type : never;
}[FieldType];

/** Whether the values of a type are numbers, and are sorted and compared as such. */
export const isNumeric = (type: FieldType): type is NumberType => kinds[type].holds === "numbers";

/** Whether the values of a type are their own text forms, and are sorted and compared by code point. */
export const isText = (type: FieldType): boolean => kinds[type].holds === "texts";

/** Whether the values of a type are compared with bounds. */
export const isCompared = (type: FieldType): boolean => isNumeric(type) || isText(type);

export const storageOf = (type: FieldType): Storage => kinds[type].storage;
