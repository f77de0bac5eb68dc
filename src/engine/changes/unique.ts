// Finds the record with a value of a unique field or combination, for changes.

import { comparisonText, toTextForm, type TextValue } from "../../schema/field.ts";
import { combinedText, type UniqueConstraint } from "../../schema/unique.ts";
import type { Document } from "../columns/layout.ts";
import type { Location, Snapshot } from "../versions/snapshot.ts";

/**
 * The live row with a value of a constraint, as `uniqueText` has it; none has null (V13). Builds the index of its
 * field or combination.
 */
export function locationOf(
  { segments }: Snapshot,
  { name }: UniqueConstraint,
  value: TextValue,
): Location | undefined {
  if (value === null) return undefined;
  for (const segment of segments) {
    const row = segment.options.finder.row(segment, name, value);
    if (row >= 0) return { segment, row };
  }
  return undefined;
}

/** The string by which the values of an identity are compared; `undefined` if a field does not accept its value. */
export function identityText(
  { places }: UniqueConstraint,
  values: readonly unknown[],
): string | undefined {
  const texts = places.map(({ field }, i) => {
    const textForm = toTextForm(field, values[i]);
    return textForm == null ? null : comparisonText(field, textForm);
  });
  return combinedText(texts) ?? undefined;
}

/** The values of an identity in a document. */
export const identityIn = ({ places }: UniqueConstraint, document: Document): readonly unknown[] =>
  places.map(({ name }) => document[name]);
