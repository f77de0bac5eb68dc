// Finding the rows of one value without a plan: the one that has it in a unique field, or the few that
// have it in any.

import { describe, InputError } from "../../schema/errors.ts";
import type { WireValue } from "../../schema/field.ts";
import { fieldOf, type WireRecord } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { FieldIndex } from "../index/field-index.ts";
import { costs } from "../plan/costs.ts";
import { digestOf } from "../records/digests.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { Location, Snapshot } from "../snapshot/snapshot.ts";

/** Of so many rows a plan makes no page sooner. */
const FEW_ROWS = 64;

/** A value to look up, in the form in which records hold it. @throws InputError */
export function readKey(value: unknown): WireValue {
  if (value === null || (typeof value === "string" && value.isWellFormed())) return value;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value === "bigint") return String(value);
  throw new InputError(
    "value",
    `must be a well-formed string, a finite number, a bigint or null, not ${describe(value)}`,
  );
}

/** The record that has a value in a unique field. */
export function recordWith(
  { segments }: Snapshot,
  field: string,
  value: WireValue,
): WireRecord | undefined {
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!;
    const index = segment.isSmall ? undefined : segment.indexes.ordered(field);
    const row =
      index === undefined
        ? scannedRowOf(segment, field, value)
        : indexedRowOf(segment, index, value);
    if (row >= 0) return segment.rows.record(row);
  }
  return undefined;
}

/**
 * The live rows that have a value, in the order of keys; `undefined` where a segment has no index that
 * finds them, or they are not few.
 *
 * @throws DeadlineError
 */
export function fewRowsWith(
  { segments }: Snapshot,
  field: string,
  value: WireValue,
  deadline: Deadline | undefined,
): Location[] | undefined {
  deadline?.check();
  const found: Location[] = [];
  let parts = 0;
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!;
    const before = found.length;
    if (segment.isSmall) addScanned(found, segment, field, value);
    else {
      const index = segment.indexes.ordered(field, deadline);
      if (index === undefined) return undefined;
      const code = index.codeOf(value, deadline);
      if (code < 0) continue;
      const start = index.startOf(code);
      const end = index.startOf(code + 1);
      if (end - start > FEW_ROWS) return undefined;
      addIndexed(found, segment, index, start, end);
    }
    if (found.length > before) parts++;
  }
  return parts > 1 ? found.sort(byKey) : found;
}

function addScanned(found: Location[], segment: Segment, field: string, value: WireValue): void {
  const { dead, size } = segment;
  const read = segment.readerOf(field);
  for (let row = 0; row < size; row++) {
    if (read(row) === value && !dead.has(row)) found.push({ segment, row });
  }
}

function addIndexed(
  found: Location[],
  segment: Segment,
  index: FieldIndex,
  start: number,
  end: number,
): void {
  for (let at = start; at < end; at++) {
    const row = index.rowAt(at);
    if (!segment.dead.has(row)) found.push({ segment, row });
  }
}

const byKey = (a: Location, b: Location) => a.segment.keyOf(a.row) - b.segment.keyOf(b.row);

/** The live row of an index that has a value, or −1. Where the field is unique there is but one. */
export function indexedRowOf({ dead }: Segment, index: FieldIndex, value: WireValue): number {
  const code = index.codeOf(value);
  if (code < 0) return -1;
  const end = index.startOf(code + 1);
  for (let at = index.startOf(code); at < end; at++) {
    const row = index.rowAt(at);
    if (dead.count === 0 || !dead.has(row)) return row;
  }
  return -1;
}

/** The live row that has a value, or −1, by looking at one after the other. */
export function scannedRowOf(segment: Segment, field: string, value: WireValue): number {
  const { schema, rows, dead, size, indexes } = segment;
  const read = segment.readerOf(field);
  const digests = rows.digestsOf(field);
  const wanted = digests && digestOf(fieldOf(schema, field)!.type, value);
  let row = 0;
  while (row < size && (digests?.[row] !== wanted || read(row) !== value || dead.has(row))) row++;
  const perRow = digests === undefined ? costs.valueTest : costs.codeTest;
  if (!segment.isSmall) indexes.charge("ordered", field, row * perRow);
  return row < size ? row : -1;
}
