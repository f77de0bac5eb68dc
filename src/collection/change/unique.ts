// Finds the record with a value in a unique field, for changes.

import { comparisonText, toWire, type WireValue } from "../../schema/field.ts";
import type { Place } from "../../schema/place.ts";
import { indexedRowOf, scannedRowOf } from "../execute/lookup.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";

/** The live row with a value in a unique field, as it is compared. Builds the index of the field. */
export function locationOf(
  { segments }: Snapshot,
  field: string,
  value: WireValue,
): Location | undefined {
  for (const segment of segments) {
    const row = segment.isNeverIndexed
      ? scannedRowOf(segment, field, value)
      : indexedRowOf(segment, segment.indexes.requireOrdered(field), value);
    if (row >= 0) return { segment, row };
  }
  return undefined;
}

/** The text by which a value of an identity is compared; `undefined` if the field refuses the value. */
export function identityText({ field }: Place, value: unknown): string | undefined {
  const wire = toWire(field, value);
  return wire == null ? undefined : comparisonText(field, wire);
}
