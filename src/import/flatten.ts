// Makes members of nested objects members of the record.

import { quote } from "../schema/errors.ts";
import { namesIn, noteOrder } from "../schema/exact-json.ts";
import { isMembers } from "../schema/input.ts";
import type { AnyRecord } from "./form.ts";
import type { JsonFormat } from "./json-format.ts";
import { Malformed, type Sink } from "./sink.ts";

/** A sink for records whose nested objects are flattened, if the format says so. */
export function flattening(sink: Sink, { flatten }: JsonFormat): Sink {
  if (!flatten) return sink;
  return {
    take(value, number, placeOf) {
      const isRecord = isMembers(value) && !(value instanceof Malformed);
      sink.take(isRecord ? flattened(value) : value, number, placeOf);
    },
  };
}

/** The nesting of a record has no limit; its names have one, or a record could become much longer than its text. */
const LONGEST_NAME = 1000;

function flattened(record: AnyRecord): AnyRecord | Malformed {
  const flat = new Map<string, unknown>();
  const ahead = lastFirst(record, "");
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const [name, value] = next;
    if (name.length > LONGEST_NAME)
      return new Malformed(record, "is nested too deeply to be flattened");
    if (isMembers(value)) {
      for (const each of lastFirst(value, `${name}.`)) ahead.push(each);
    } else if (flat.has(name)) {
      return new Malformed(record, `has two values for ${quote(name)} when it is flattened`);
    } else flat.set(name, value);
  }
  const made = Object.fromEntries(flat);
  noteOrder(made, [...flat.keys()]);
  return made;
}

/** The members of an object, the last one first. */
const lastFirst = (
  object: AnyRecord,
  prefix: string,
): (readonly [name: string, value: unknown])[] =>
  namesIn(object)
    .map((name) => [prefix + name, object[name]] as const)
    .toReversed();
