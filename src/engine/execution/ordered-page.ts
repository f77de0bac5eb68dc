// Orders a page whose rows are read in another order: selects it by the codes of an index, or sorts the rows. Charges
// the cost to the index that would have saved it.

import { selectingRange } from "../algorithms/quickselect.ts";
import { finish, inSteps } from "../algorithms/steps.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { slowness } from "../indexes/account.ts";
import { costs } from "../operators/costs.ts";
import { selectByIntegers } from "../algorithms/select-integers.ts";
import { DescendingSource, StretchSource } from "../operators/index-scan.ts";
import type { Opening } from "../operators/operator.ts";
import type { IndexOrder, Plan, ValueOrder } from "../operators/plan.ts";
import { isNumeric } from "../../schema/field.ts";
import { fieldOf } from "../../schema/names.ts";
import type { Segment } from "../versions/segment.ts";
import { DeadRows } from "../versions/dead-rows.ts";
import { Order } from "../versions/sort-order.ts";
import { tuning } from "../tuning.ts";
import { addRows, bitAt, createBitset } from "../algorithms/bitset.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { Source } from "../operators/source.ts";
import { makeshiftIndex } from "./makeshift-index.ts";
import { buildingIndex } from "../indexes/memory-index.ts";

/**
 * Charges the cost of ordering rows to the index that would have saved it.
 *
 * @param rows how many rows passed the filters, perhaps until the time was up
 */
export function chargeOrder(
  run: Opening,
  plan: Plan,
  order: IndexOrder | ValueOrder,
  rows: number,
): void {
  if (order.path === "select") chargeCompound(run, plan, rows * costs.selectRow);
  else run.segment.charge(order.field, rows * costs.sortRow);
}

/**
 * Charges the cost of reading rows to the index of the order, when the time was up: in that order, the page might have
 * been full after a few rows.
 */
export function chargeReading(segment: Segment, { order }: Plan, cost: number): void {
  if (order.path === "sort") segment.charge(order.field, cost);
}

/** A page in the order of a plan. @param rows all that pass its filters */
export function orderedPage(
  run: Opening,
  plan: Plan,
  order: IndexOrder | ValueOrder,
  rows: Uint32Array,
): ArrayLike<number> {
  const start = tuning.clock();
  const isSelected = order.path === "select";
  const page = isSelected ? selectPage(run, plan, order, rows) : sortPage(run, plan, order, rows);
  const estimate = rows.length * (isSelected ? costs.selectRow : costs.sortRow);
  // The estimate is charged already.
  const beyond = estimate * (slowness(start, estimate) - 1);
  if (!isSelected) run.segment.charge(order.field, beyond);
  else if (order.missing !== undefined) run.segment.indexes.chargeCompound(order.missing, beyond);
  return page;
}

/** Charges the cost of a page in excess of reading it by a compound index. */
export function chargeCompound(
  { segment }: Opening,
  { order, limit, rows }: Plan,
  cost: number,
): void {
  const missing = order.path === "source" || order.path === "select" ? order.missing : undefined;
  if (missing === undefined) return;
  const beyond = cost - costs.rankedPage - Math.min(limit, rows) * costs.indexScanRow;
  segment.indexes.chargeCompound(missing, beyond);
}

/** Selects a page by the codes of the sort index. */
function selectPage(
  run: Opening,
  plan: Plan,
  { index, descending }: IndexOrder,
  rows: Uint32Array,
): Uint32Array {
  const { size } = run.segment;
  const { offset, limit } = plan;
  const { codes } = index;
  const { length } = index.values;
  // One number holds both code and row, so ties keep insertion order. It is exact up to 2^53.
  const keys = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const code = codes[row]!;
    keys[i] = (descending ? length - code : code) * size + row;
  }
  const end = Math.min(keys.length, offset + limit);
  finish(selectingRange(keys, offset, end), run.deadline);
  const page = new Uint32Array(Math.max(0, end - offset));
  for (let i = 0; i < page.length; i++) page[i] = keys[offset + i]! % size;
  return page;
}

function selectByNumbers(
  read: (row: number) => number,
  rows: Uint32Array,
  descending: boolean,
  { offset, limit }: Plan,
  deadline: Deadline | undefined,
): Uint32Array {
  const numbers = new Float64Array(rows.length);
  const readSome = (low: number, high: number) => {
    for (let place = low; place < high; place++) numbers[place] = read(rows[place]!);
  };
  finish(inSteps(rows.length, readSome), deadline);
  const end = Math.min(rows.length, offset + limit);
  const places = selectByIntegers(numbers, descending, offset, end, deadline);
  return places.map((place) => rows[place]!);
}

/** Sorts rows by a field without an index; if there are many rows, by building an index of just these. */
function sortPage(
  run: Opening,
  plan: Plan,
  { field, descending }: ValueOrder,
  rows: Uint32Array,
): ArrayLike<number> {
  const { segment, deadline } = run;
  const { schema, rows: all, readerOf } = segment;
  const { offset, limit } = plan;
  const end = offset + limit;
  if (rows.length <= tuning.fewRows) {
    const sort = { field, order: descending ? "DESC" : "ASC" } as const;
    return new Order({ sort }).sorted(segment, rows).slice(offset, end);
  }
  const { type } = fieldOf(schema, field)!;
  if (isNumeric(type) && end <= (rows.length - 1) / tuning.selectedPart) {
    return selectByNumbers(all.numberReaderOf(field), rows, descending, plan, deadline);
  }
  const makeshift = makeshiftIndex(segment, field, deadline);
  if (makeshift !== undefined) return pageInOrder(run, plan, makeshift, descending, rows);
  const [read, readNumber] = [readerOf(field), all.numberReaderOf(field)];
  const sorting = buildingIndex(
    type,
    rows.length,
    (position) => read(rows[position]!),
    (position) => readNumber(rows[position]!),
  );
  const index = finish(sorting, deadline);
  const source = inOrder(index, rows.length, descending);
  source.skip(offset);
  const page = new Uint32Array(Math.min(limit, rows.length));
  const length = source.next(page, page.length);
  return page.subarray(0, length).map((position) => rows[position]!);
}

/** All rows of an index. @param size how many there are */
const inOrder = (index: FieldIndex, size: number, descending: boolean): Source =>
  descending
    ? new DescendingSource(index, 0, index.values.length)
    : new StretchSource(index, 0, size, DeadRows.EMPTY);

/** A page of some rows of an index of all, in steps, however long it is. */
function pageInOrder(
  { segment, deadline }: Opening,
  { offset, limit }: Plan,
  index: FieldIndex,
  descending: boolean,
  rows: Uint32Array,
): Uint32Array {
  const bits = createBitset(segment.size);
  addRows(bits, rows);
  const source = inOrder(index, segment.size, descending);
  const page = new Uint32Array(Math.max(0, Math.min(limit, rows.length - offset)));
  const batch = new Uint32Array(tuning.largestBatch);
  let before = offset;
  for (let length = 0; length < page.length;) {
    const read = source.next(batch, batch.length);
    for (let i = 0; i < read && length < page.length; i++) {
      const row = batch[i]!;
      if (bitAt(bits, row) === 1 && before-- <= 0) page[length++] = row;
    }
    deadline?.check();
  }
  return page;
}
