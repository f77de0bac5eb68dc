// The values of fields in the selected records as columns, for custom charts, tables of groups and statistics.

import type { FieldValue, TextValue } from "../../schema/field.ts";
import { isNumeric, storedValue } from "../../schema/field.ts";
import { InputError } from "../../schema/errors.ts";
import { fieldOf } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { costs } from "../operators/costs.ts";
import type { ParsedQuery } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { SortValue } from "../versions/sort-order.ts";
import { answerSegment, rowsOf } from "./execute.ts";
import { blockOf } from "../operators/groups/block.ts";
import { groupReader, textFormOfValue } from "../operators/groups/read-groups.ts";
import { Tally } from "../operators/groups/tally.ts";
import { ValueGroups } from "./value-groups.ts";

/** The values of a field in some records: each distinct value once, and for each record the code of its value. */
export class Column<Value = FieldValue> {
  /**
   * For each record the code of its value, less than `distinct`. Lower values have lower codes; `null` is the lowest.
   * The caller owns the array.
   */
  readonly codes: Uint32Array;
  /** How many different values the records have, `null` included. */
  readonly distinct: number;
  readonly #values: Values;
  #numbers: Float64Array | undefined;

  /** @internal */
  constructor(codes: Uint32Array, distinct: number, values: Values) {
    this.codes = codes;
    this.distinct = distinct;
    this.#values = values;
  }

  /**
   * The value with a code, as in records; in lower case if the field ignores case. Cost: constant.
   *
   * @throws InputError if it is not a code of this column
   */
  valueAt(code: number): Value {
    if (!(code >= 0 && code < this.distinct && Number.isInteger(code))) {
      throw new InputError(
        "code",
        `must be an integer from 0 to ${this.distinct - 1}, not ${code}`,
      );
    }
    return this.#values.at(code) as Value;
  }

  /**
   * For a field of numbers, the number for each code; NaN for `null`. `undefined` for other fields. Cost: linear in the
   * distinct values when first read.
   */
  get numbers(): Float64Array | undefined {
    return (this.#numbers ??= this.#values.numbers?.());
  }
}

/** The values of a column by code. */
interface Values {
  readonly at: (code: number) => FieldValue;
  readonly numbers: (() => Float64Array) | undefined;
}

/** The selected rows of a segment. */
interface Selected {
  readonly segment: Segment;
  readonly rows: ArrayLike<number>;
}

/** The columns of the selected rows, all in the same row order. @throws DeadlineError */
export function columnsOf(
  { segments }: Snapshot,
  query: ParsedQuery,
  schema: Schema,
  fields: readonly string[],
): Column[] {
  const selected = segments.map((segment) => ({
    segment,
    rows: rowsOf(answerSegment(segment, query)),
  }));
  return fields.map((field) => columnOf(selected, schema, field, query.deadline));
}

function columnOf(
  selected: readonly Selected[],
  schema: Schema,
  field: string,
  deadline: Deadline | undefined,
): Column {
  const tally = new Tally();
  const grouping = new ValueGroups(tally);
  const groups = new Int32Array(selected.reduce((sum, { rows }) => sum + rows.length, 0));
  let at = 0;
  for (const { segment, rows } of selected) {
    const index = segment.ordered(field, deadline);
    const read = groupReader(segment, field, index, grouping, rows.length, deadline);
    read(blockOf(rows, 0, rows.length), groups.subarray(at));
    if (index === undefined) segment.charge(field, rows.length * costs.valueTest);
    at += rows.length;
    deadline?.check();
  }
  tally.addRows(groups, groups.length, 1);
  const order = grouping.inOrder(deadline);
  renumber(groups, order, tally.size);
  const stored = storedBy(schema, field);
  const { type } = fieldOf(schema, field)!;
  return new Column(new Uint32Array(groups.buffer), order.length, {
    at: (code) => stored(grouping.valueAt(order[code]!)),
    numbers: isNumeric(type) ? () => grouping.numbersAt(order) : undefined,
  });
}

/** Replaces the group of each row with the position of that group in an order. */
function renumber(groups: Int32Array, order: Uint32Array, size: number): void {
  const [first = 0] = order;
  let place = 0;
  while (place < order.length && order[place] === first + place) place++;
  if (place === order.length) {
    if (first > 0) for (let i = 0; i < groups.length; i++) groups[i]! -= first;
    return;
  }
  const places = new Int32Array(size);
  for (place = 0; place < order.length; place++) places[order[place]!] = place;
  for (let i = 0; i < groups.length; i++) groups[i] = places[groups[i]!]!;
}

/** Converts values as they are sorted to values as records hold them. */
function storedBy(schema: Schema, name: string): (value: SortValue) => FieldValue {
  const field = fieldOf(schema, name)!;
  // Numbers need no detour through strings.
  return isNumeric(field.type) && schema.form === "values"
    ? (value) => (value === -Infinity ? null : value)
    : (value) => storedValue(schema.form, field, textFormOfValue(value) satisfies TextValue);
}
