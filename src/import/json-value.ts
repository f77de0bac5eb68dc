// Numbers of JSON that a double can't represent: what fields, and records without a schema, get for them.

import { LongNumber, withTexts } from "../schema/exact-json.ts";
import type { Field } from "../schema/field.ts";
import { isMembers } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import { Malformed, type Sink } from "./sink.ts";

/**
 * The input of a field for a value of JSON. Where a number would be rounded, strings and JSON get its digits, so that a
 * string field gets those of other numbers, too. A float is the nearest number, but not that of a long integer.
 */
export function jsonInputOf({ type }: Field, value: unknown): unknown {
  if (typeof value !== "object") {
    return type === "string" && typeof value === "number" ? String(value) : value;
  }
  if (type === "json") return withTexts(value);
  if (!(value instanceof LongNumber)) return value;
  return type === "string"
    ? String(value)
    : type === "float" && !value.isInteger
      ? Number(value)
      : value;
}

/** A sink for records of JSON, in which fields get their input. The contract says what its own fields accept. */
export function exactly(sink: Sink, schema: Schema | undefined): Sink {
  if (sink.takesLongNumbers === true || schema?.form === "contract") return sink;
  const places = schema?.places.filter(({ field: { type } }) => HAS_INPUT.has(type));
  return {
    json: sink.json,
    take(value, number, placeOf) {
      if (!isMembers(value) || value instanceof Malformed) sink.take(value, number, placeOf);
      else if (places === undefined) sink.take(withTexts(value), number, placeOf);
      else {
        const record = { ...value };
        for (const { name, field } of places) {
          if (Object.hasOwn(record, name)) record[name] = jsonInputOf(field, record[name]);
        }
        sink.take(record, number, placeOf);
      }
    },
  };
}

const HAS_INPUT: ReadonlySet<string> = new Set(["string", "float", "json"]);
