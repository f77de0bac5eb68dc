// The executor: runs a plan to the row numbers of its page (rule P1: filter, sort, skip, take).

import { fieldOf, type Schema } from "../schema/schema.ts";
import { FieldIndex } from "./field-index.ts";
import type { Filter } from "./filter.ts";
import type { Plan, PlanContext } from "./plan.ts";
import { costs } from "./costs.ts";
import { selectRange } from "./select.ts";
import { DescendingSource, ListSource, type Source } from "./source.ts";

/** What a run of a plan needs to know of the collection. */
export interface RunContext extends PlanContext {
  readonly schema: Schema;
}

/** Watches a plan run: may wrap the parts that are opened. */
export interface Watcher {
  source(source: Source): Source;
  filter(filter: Filter, position: number): Filter;
}

/** The row numbers of the page that a plan asks for, in its order. */
export function run(context: RunContext, plan: Plan, watcher?: Watcher): Uint32Array {
  const { offset, limit } = plan;
  if (limit === 0) return new Uint32Array();
  if (plan.order === "source") return pull(context, plan, offset, limit, watcher);
  const rows = pull(context, plan, 0, Infinity, watcher);
  return plan.order === "select" ? selectPage(context, plan, rows) : sortPage(context, plan, rows);
}

/** The row numbers of everything that a plan selects, in the order of its source. */
export function collect(context: PlanContext, plan: Plan): Uint32Array {
  return pull(context, plan, 0, Infinity);
}

const LARGEST_BATCH = 4096;
const SMALLEST_BATCH = 64;

/** Plans run one after the other and to their end, so all of them can use one batch. */
const batch = new Uint32Array(LARGEST_BATCH);

function pull(
  context: PlanContext,
  plan: Plan,
  offset: number,
  limit: number,
  watcher?: Watcher,
): Uint32Array {
  let source = plan.source.open();
  if (watcher !== undefined) source = watcher.source(source);
  if (plan.filters.length === 0) {
    if (offset > 0) source.skip(offset);
    const most = Math.max(0, plan.source.rows - offset);
    const rows = new Uint32Array(Math.min(limit, most));
    return rows.subarray(0, source.next(rows, rows.length));
  }

  // All are opened before the first batch: opening a union runs other plans.
  const filters = plan.filters.map((filter, position) => {
    const opened = filter.open();
    return watcher === undefined ? opened : watcher.filter(opened, position);
  });
  let rows = new Uint32Array(Math.min(limit, SMALLEST_BATCH));
  let length = 0;
  let skip = offset;
  let judged = 0;
  // Batches grow, so that a small page reads little and a large one in long stretches.
  let capacity = limit === Infinity ? LARGEST_BATCH : SMALLEST_BATCH;
  for (;;) {
    let kept = source.next(batch, capacity);
    if (kept === 0) break;
    judged += kept;
    for (const filter of filters) kept = filter.keep(batch, kept);
    const from = Math.min(skip, kept);
    skip -= from;
    const taken = Math.min(kept - from, limit - length);
    if (length + taken > rows.length) rows = grown(rows, length + taken, limit);
    rows.set(batch.subarray(from, from + taken), length);
    length += taken;
    if (length === limit) break;
    capacity = Math.min(2 * capacity, LARGEST_BATCH);
  }
  for (const { missing, perRow } of plan.filters) {
    for (const { kind, field } of missing) context.indexes.charge(kind, field, judged * perRow);
  }
  return rows.subarray(0, length);
}

function grown(
  rows: Uint32Array<ArrayBuffer>,
  need: number,
  most: number,
): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.min(most, Math.max(need, 2 * rows.length)));
  larger.set(rows);
  return larger;
}

/** Selects a page by the codes of the sort index. */
function selectPage(
  { indexes, size }: PlanContext,
  { sort, offset, limit }: Plan,
  rows: Uint32Array,
): Uint32Array {
  const index = sort === undefined ? undefined : indexes.sort(sort.field);
  if (sort === undefined || index === undefined) return rows;
  const { codes } = index;
  const highest = index.values.length - 1;
  const descending = sort.order === "DESC";
  // One number holds code and row, so that ties keep insertion order. It is exact up to 2^53.
  const keys = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const code = codes[row]!;
    keys[i] = (descending ? highest - code : code) * size + row;
  }
  const end = Math.min(keys.length, offset + limit);
  selectRange(keys, offset, end);
  return Uint32Array.from(keys.subarray(offset, end), (key) => key % size);
}

/** Sorts rows of a field that has no index, by making one of just these rows. */
function sortPage(
  { schema, readerOf, indexes }: RunContext,
  { sort, offset, limit }: Plan,
  rows: Uint32Array,
): Uint32Array {
  if (sort === undefined) return rows;
  indexes.charge("sort", sort.field, rows.length * costs.sortRow);
  const read = readerOf(sort.field);
  const type = fieldOf(schema, sort.field)?.type ?? "string";
  const index = new FieldIndex(type, rows.length, (position) => read(rows[position]!));
  const source =
    sort.order === "DESC"
      ? new DescendingSource(index, 0, index.values.length)
      : new ListSource(index.order);
  source.skip(offset);
  const page = new Uint32Array(Math.min(limit, Math.max(0, rows.length - offset)));
  const length = source.next(page, page.length);
  return page.subarray(0, length).map((position) => rows[position]!);
}
