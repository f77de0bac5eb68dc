// Computed fields (V16): their values come from the rest of the record, by a path into a json field or by a function.

import { describe, InputError, member, quote, SchemaError } from "./errors.ts";
import {
  explainRefusal,
  isComputed,
  storedTestOf,
  toStored,
  Unreadable,
  type Field,
  type FieldValue,
} from "./field.ts";
import type { AnyRecord } from "./field-types.ts";
import { kinds } from "./kinds.ts";
import { suggestion } from "./nearest.ts";
import type { Place } from "./place.ts";

/** A computed field. */
export interface ComputedPlace extends Place {
  /** Whether its values can be computed: neither JSON nor files keep functions. */
  readonly isKnown: boolean;
  /** The fields that it reads: the json field of its path; all stored fields, if it is a function. */
  readonly sources: readonly Place[];
  /**
   * The value for a record, as records hold values.
   *
   * @param record may lack fields other than the sources
   * @param place of the record, for errors
   * @throws InputError that names the field, if the function throws or the field does not accept the value
   */
  readonly read: (record: AnyRecord, place?: RecordPlace) => FieldValue;
}

/** Where a record is, for errors. */
export interface RecordPlace {
  /** The path of one of its fields. */
  text(field: string): string;
}

const ANY_RECORD: RecordPlace = { text: (field) => member("record", field) };

/** The end of an error about a computed field that was given. */
export const GIVEN = "is computed from the rest of the record; leave it out";

/** @internal Stands for the function of a computed field, which neither JSON nor files keep. */
export const UNKNOWN_FUNCTION = () =>
  new Unreadable(
    undefined,
    () =>
      "can't be computed: its function is kept by neither files nor JSON; give the schema that has the function",
  );

/** The computed fields among those of a schema. @throws SchemaError that names the field */
export function computedPlaces(places: readonly Place[]): readonly ComputedPlace[] {
  const computed = places.filter(({ field }) => isComputed(field));
  const stored = places.filter(({ field }) => field.stored);
  return computed.map((place) => {
    const { path, compute } = place.field;
    if (path !== undefined) {
      const source = sourceOf(places, place.name, path);
      return {
        ...place,
        isKnown: true,
        sources: [source],
        read: reading(place, (record) => valueAt(record, path)),
      };
    }
    if (compute === undefined) throw new RangeError(`${place.name} is not computed`);
    const read = checkedOnce(place.name, compute, new Set(computed.map(({ name }) => name)));
    const isKnown = compute !== UNKNOWN_FUNCTION;
    return { ...place, isKnown, sources: stored, read: reading(place, read) };
  });
}

function sourceOf(places: readonly Place[], name: string, [first]: readonly string[]): Place {
  const at = `${member("fields", name)}.path`;
  const source = places.find((place) => place.name === first);
  if (source === undefined) {
    const known = places.filter(({ field }) => field.type === "json").map((place) => place.name);
    const near = suggestion(first ?? "", known);
    throw new SchemaError(`${at}: unknown field ${describe(first)}${near}`);
  }
  if (source.field.type === "json") return source;
  const { type } = source.field;
  throw new SchemaError(
    `${at}: must start with a json field; ${quote(source.name)} is a field of type ${type}`,
  );
}

/** The value at a path; `null` if a member is missing. Only objects have members, and only their own. */
export function valueAt(record: AnyRecord, path: readonly string[]): FieldValue {
  let value: FieldValue = record;
  for (const name of path) {
    // Frozen JSON, so that this test for members is enough.
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    const members = value as AnyRecord;
    if (!Object.hasOwn(members, name)) return null;
    value = members[name] ?? null;
  }
  return value;
}

function reading(
  { name, field }: Place,
  compute: (record: AnyRecord, place: RecordPlace) => unknown,
): ComputedPlace["read"] {
  // A copied value never has the stored form.
  const isStored = kinds[field.type].copy === undefined ? storedTestOf(field) : undefined;
  return (record, place = ANY_RECORD) => {
    const value = compute(record, place) ?? null;
    // Adding 0 turns −0 into 0.
    if (isStored?.(value) === true) return typeof value === "number" ? value + 0 : value;
    const stored = toStored(field, value);
    if (stored !== undefined && (stored !== null || field.nullable)) return stored;
    throw new InputError(place.text(name), explainComputed(field, value));
  };
}

function explainComputed(field: Field, value: unknown): string {
  const reason = explainRefusal(field, value);
  if (value instanceof Unreadable) return reason;
  const from = field.path === undefined ? "its function" : `the path ${JSON.stringify(field.path)}`;
  const remedy = value === null ? "; declare it nullable" : "";
  return `is computed, and the value of ${from} ${reason}${remedy}`;
}

/**
 * Calls a function, and names errors after its field. A function that reads a computed field would get `undefined`.
 * Checking each read would take longer than most functions, so the reads of the first record are checked.
 */
function checkedOnce(
  name: string,
  compute: (record: AnyRecord) => unknown,
  computed: ReadonlySet<string>,
): (record: AnyRecord, place: RecordPlace) => unknown {
  let isChecked = false;
  return (record, place) => {
    let read: string | undefined;
    try {
      if (isChecked) return compute(record);
      const value = compute(
        new Proxy(record, {
          get(target, key: keyof AnyRecord) {
            if (computed.has(key)) read ??= key;
            return target[key];
          },
        }),
      );
      if (read === undefined) {
        isChecked = true;
        return value;
      }
    } catch (error) {
      if (read === undefined) {
        const reason = "is computed, and its function threw an error";
        throw new InputError(place.text(name), `${reason}: ${messageOf(error)}`, { cause: error });
      }
    }
    const reason = `its function reads ${quote(read)}, which is computed, too`;
    throw new InputError(place.text(name), `${reason}; compute it from stored fields`);
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : describe(error));
