// Finding the rows of one value without a plan: the one that has it in a unique field, or the few that
// have it in any.

import { describe, InputError } from "../../schema/errors.ts";
import type { WireValue } from "../../schema/field.ts";
import { fieldOf, type WireRecord } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { FieldIndex } from "../index/field-index.ts";
import { costs } from "../plan/costs.ts";
import { UNLIMITED } from "../plan/query.ts";
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
 * The live rows that have a value, in the order of keys, at least the first `wanted` of them; `undefined`
 * where a segment has more than a few and more are wanted, or where one that is not small has neither
 * an index of the field nor digests.
 *
 * @throws DeadlineError
 */
export function fewRowsWith(
  { segments }: Snapshot,
  field: string,
  value: WireValue,
  wanted: number,
  deadline: Deadline | undefined,
): Location[] | undefined {
  deadline?.check();
  const found: Location[] = [];
  const enough = Math.min(wanted, FEW_ROWS + 1);
  let parts = 0;
  for (let i = 0; i < segments.length; i++) {
    const before = found.length;
    if (!addRowsWith(found, segments[i]!, field, value, enough, FEW_ROWS, deadline))
      return undefined;
    if (found.length > before) parts++;
  }
  return parts > 1 ? found.sort(byKey) : found;
}

/**
 * The live rows of a segment that have a value, ascending; `undefined` where it is not small and has neither
 * an index of the field nor digests.
 *
 * @throws DeadlineError
 */
export function rowsWith(
  segment: Segment,
  field: string,
  value: WireValue,
  deadline: Deadline | undefined,
): Location[] | undefined {
  const found: Location[] = [];
  return addRowsWith(found, segment, field, value, UNLIMITED, UNLIMITED, deadline)
    ? found
    : undefined;
}

/**
 * Adds the live rows of a segment that have a value, ascending, at least the first `wanted` of them. Returns
 * whether it could: not where there are more than `most` and more are wanted, nor where a segment that is
 * not small has neither an index of the field nor digests.
 */
function addRowsWith(
  found: Location[],
  segment: Segment,
  field: string,
  value: WireValue,
  wanted: number,
  most: number,
  deadline: Deadline | undefined,
): boolean {
  const index = segment.isSmall ? undefined : segment.indexes.ordered(field, deadline);
  if (index !== undefined) {
    const code = index.codeOf(value, deadline);
    if (code < 0) return true;
    const start = index.startOf(code);
    const end = index.startOf(code + 1);
    if (end - start > most) return false;
    addIndexed(found, segment, index, start, end);
    return true;
  }
  if (!segment.isSmall && segment.rows.digestsOf(field) === undefined) return false;
  const before = found.length;
  addScanned(found, segment, field, value, wanted);
  deadline?.check();
  return found.length - before <= most;
}

/** @param wanted ends after so many */
function addScanned(
  found: Location[],
  segment: Segment,
  field: string,
  value: WireValue,
  wanted: number,
): void {
  const next = finderOf(segment, field, value);
  const full = found.length + wanted;
  let row = next(0);
  while (row < segment.size && found.length < full) {
    found.push({ segment, row });
    row = next(row + 1);
  }
  chargeScan(segment, field, row);
}

function addIndexed(
  found: Location[],
  segment: Segment,
  index: FieldIndex,
  start: number,
  end: number,
): void {
  const { dead } = segment;
  const copy = index.isInPieces ? new Uint32Array(end - start) : undefined;
  if (copy !== undefined) index.copyRows(start, end, copy);
  const rows = copy ?? index.order;
  const first = copy === undefined ? start : 0;
  for (let at = first; at < first + end - start; at++) {
    const row = rows[at]!;
    if (!dead.has(row)) found.push({ segment, row });
  }
}

/** The order of insertion. */
export const byKey = (a: Location, b: Location) => a.segment.keyOf(a.row) - b.segment.keyOf(b.row);

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
  const row = finderOf(segment, field, value)(0);
  chargeScan(segment, field, row);
  return row < segment.size ? row : -1;
}

/**
 * Finds the first row from one on that is live and has a value; it answers with how many rows there are
 * where there is none. It asks the digests first, where there are some: a record takes longest to read.
 */
function finderOf(
  { schema, size, rows, dead, readerOf }: Segment,
  field: string,
  value: WireValue,
): (from: number) => number {
  const read = readerOf(field);
  const digests = rows.digestsOf(field);
  if (digests === undefined) {
    return (from) => {
      let row = from;
      while (row < size && (read(row) !== value || dead.has(row))) row++;
      return row;
    };
  }
  const wanted = digestOf(fieldOf(schema, field)!.type, value);
  return (from) => {
    // The engine's own search is fast at its first call too, before any loop of ours is compiled.
    let row = digests.indexOf(wanted, from);
    while (row >= 0 && (dead.has(row) || read(row) !== value))
      row = digests.indexOf(wanted, row + 1);
    return row < 0 ? size : row;
  };
}

/** Charges what it cost to look at some rows of a segment to the index that would have found the right ones. */
function chargeScan(segment: Segment, field: string, looked: number): void {
  // Few rows have no indexes, and asking for them would make some.
  if (segment.isSmall) return;
  const isDigested = segment.rows.digestsOf(field) !== undefined;
  segment.indexes.charge(
    "ordered",
    field,
    looked * (isDigested ? costs.codeTest : costs.valueTest),
  );
}
