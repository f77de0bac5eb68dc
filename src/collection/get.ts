// Records by the values of unique fields.

import { locationWith, readKey, uniqueField } from "../engine/execution/lookup.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import type { TextValue } from "../schema/field.ts";
import { membersOf, reading } from "../schema/input.ts";
import { combinationOf, combinedText } from "../schema/unique.ts";
import type { Versioned } from "../engine/changes/delta.ts";

/**
 * The record with a value in a unique field, or with the values of a combination; null matches none (V13).
 *
 * @param given the name of the field, or the values of a combination by their names
 * @throws InputError
 */
export function recordWith(
  { snapshot, codec: { schema, unique } }: Versioned,
  given: unknown,
  value: unknown,
): AnyRecord | undefined {
  let name: string;
  let text: TextValue;
  if (typeof given === "object") {
    const values = reading("values", () => ({ ...membersOf(given, "values") }));
    const combination = combinationOf(unique, Object.keys(values), "values");
    const { places } = combination;
    const texts = places.map((each) =>
      readKey(each.field, values[each.name], `values.${each.name}`),
    );
    ({ name } = combination);
    text = combinedText(texts);
  } else {
    const place = uniqueField(schema, unique, given);
    ({ name } = place);
    text = readKey(place.field, value);
  }
  const found = locationWith(snapshot, name, text);
  return found?.segment.rows.record(found.row);
}
