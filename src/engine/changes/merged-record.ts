// Records given with some of their fields only: the other fields keep the values of the record that is replaced.

import { dictionary } from "../../schema/dictionary.ts";
import type { UniqueConstraint } from "../../schema/unique.ts";
import { combinedText } from "../../schema/unique.ts";
import { InputError, quote } from "../../schema/errors.ts";
import { comparisonText, isComputed, readField, type TextValue } from "../../schema/field.ts";
import { isMembers, iterate, reading } from "../../schema/input.ts";
import type { Versioned } from "./delta.ts";
import { mergedDocument } from "./field-changes.ts";
import { locationOf } from "./unique.ts";

/** {@link mergedRecord} for each of some records. */
export function* mergedRecords(
  before: Versioned,
  records: unknown,
  by: UniqueConstraint,
): Generator<unknown, void> {
  let i = 0;
  for (const input of iterate(records, "records")) {
    yield mergedRecord(before, input, by, `records[${i++}]`);
  }
}

/**
 * A given record, completed by the values of the record that it replaces. Reads each member once. Input that is not
 * valid is returned for the loader to report.
 *
 * @param by the unique field or combination by which records are replaced
 * @throws InputError if the input can't be read
 */
export function mergedRecord(
  { snapshot, codec }: Versioned,
  input: unknown,
  by: UniqueConstraint,
  path: string,
): unknown {
  if (!isMembers(input)) return input;
  const computed = by.places.find(({ field }) => isComputed(field));
  if (computed !== undefined) {
    const reason = `must name a field that records are given with to merge them, not ${quote(computed.name)}, which is computed`;
    throw new InputError("field", reason);
  }
  return reading(path, () => {
    // No prototype, so that `__proto__` is a field like any other.
    const given = dictionary<unknown>(input);
    const texts: TextValue[] = [];
    for (const { name, field } of by.places) {
      const [textForm] = readField(given, name, field);
      if (textForm === undefined) return given;
      // The result of a default function, which the loader must not call again.
      given[name] ??= textForm;
      texts.push(comparisonText(field, textForm));
    }
    const replaced = locationOf(snapshot, by, combinedText(texts));
    if (replaced === undefined) return given;
    const { rows } = replaced.segment;
    const merged = mergedDocument(codec.write(rows, replaced.row), given, codec.layout);
    return codec.invalidateDerived(merged, rows.record(replaced.row));
  });
}
