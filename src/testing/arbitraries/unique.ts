// The unique values of a schema, for the arbitraries and the reference: those of a unique field, or of a combination of
// fields.

import type { Schema, TextValue } from "../../index.ts";
import { comparedForm } from "./values.ts";

/** The unique fields, and the unique combinations of fields. */
export const uniqueIn = ({ fields, unique }: Schema): (readonly string[])[] => [
  ...Object.keys(fields).flatMap((name) => (fields[name]?.unique === true ? [[name]] : [])),
  ...unique,
];

/**
 * The values of some fields as one unambiguous string; `undefined` if one of them is null, which equals nothing (V13).
 */
export function uniqueText(
  { fields }: Schema,
  names: readonly string[],
  valueOf: (name: string) => TextValue | undefined,
): string | undefined {
  const texts: string[] = [];
  for (const name of names) {
    const textForm = valueOf(name);
    if (textForm === null || textForm === undefined) return undefined;
    texts.push(String(comparedForm(fields[name] ?? {}, textForm)));
  }
  return JSON.stringify(texts);
}
