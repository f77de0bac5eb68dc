// Standard Schema, version 1: the interface through which tools that accept any schema, such as validators of a
// server's input, check a value. Its specification: https://standardschema.dev.

import { GIVEN, type ComputedPlace } from "./computed.ts";
import { describe, InputError } from "./errors.ts";
import {
  isNext,
  storedValue,
  readField,
  type Field,
  type FieldValue,
  type RecordForm,
} from "./field.ts";
import { isMembers } from "./input.ts";

/** The properties of a schema for such tools. */
export interface StandardProperties<Input, Output> {
  readonly version: 1;
  readonly vendor: "tercet";
  /**
   * Validates an input record of any type. Never throws.
   *
   * @returns the complete, frozen record, or all issues; an omitted field whose default is `next` is `undefined`
   */
  readonly validate: (value: unknown) => StandardResult<Output>;
  /** Only a type; absent at run time. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/** The result of validation: a value or issues, never both. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A problem of a record. */
export interface StandardIssue {
  readonly message: string;
  /** The field at fault; empty for the whole record. */
  readonly path: readonly string[];
}

/** The standard's properties for a schema with these fields. */
export function standardOf<Input, Output>(
  places: readonly { readonly name: string; readonly field: Field }[],
  form: RecordForm,
  deriveFields: ((input: unknown) => unknown) | undefined,
  computed: ReadonlyMap<string, ComputedPlace>,
): StandardProperties<Input, Output> {
  const known = new Set(places.map(({ name }) => name));

  function validate(value: unknown): StandardResult<Output> {
    const issues: StandardIssue[] = [];
    const record: Record<string, FieldValue> = {};
    try {
      const given = deriveFields === undefined ? value : deriveFields(value);
      if (!isMembers(given)) return refuse(`must be an object, not ${describe(given)}`);
      for (const name of Object.keys(given)) {
        if (!known.has(name)) issues.push({ message: "is not a field", path: [name] });
      }
      for (const { name, field } of places) {
        if (computed.has(name)) {
          if (Object.hasOwn(given, name)) issues.push({ message: GIVEN, path: [name] });
          continue;
        }
        const isNumbered = isNext(field.default) && given[name] === undefined;
        const [textForm, reason] = isNumbered ? [null] : readField(given, name, field);
        if (reason !== undefined) {
          issues.push({ message: reason, path: [name] });
          continue;
        }
        // Not an assignment: `__proto__` is a field like any other.
        Object.defineProperty(record, name, {
          // The collection into which the record is inserted gives it the number.
          value: isNumbered ? undefined : storedValue(form, field, textForm),
          enumerable: true,
        });
      }
      if (issues.length > 0) return { issues };
      for (const { name, read } of computed.values()) {
        try {
          read(record);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          issues.push({ message: error.reason, path: [name] });
        }
      }
    } catch {
      return refuse("could not be read");
    }
    if (issues.length > 0) return { issues };
    // Each field of the schema was put there, in the schema's form.
    return { value: Object.freeze(record) as Output };
  }

  return Object.freeze({ version: 1, vendor: "tercet", validate });
}

const refuse = (message: string) => ({ issues: [{ message, path: [] }] });
