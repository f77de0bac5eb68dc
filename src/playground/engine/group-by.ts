// Groups the records that criteria select, and measures each group: one pass over the columns, whatever is asked.

import type { Collection } from "../../index.ts";
import { textFormOf } from "../criteria-list.ts";
import { isAdditive, isInSeveral, isOrdered, STEPS } from "../groups.ts";
import type { Group, GroupBy, Groups } from "../groups.ts";
import type { CriteriaList, FieldInfo, Scalar } from "../messages.ts";
import { millisecondsOf, startOf } from "../calendar.ts";
import type { ColumnsOf } from "./columns.ts";
import { keysOf, numbersOf, scalarAt, single, type Keys } from "./group-keys.ts";
import { grouped, measure, measuredOf } from "./measures.ts";
import type { Grouped, Measures, Numbers } from "./measures.ts";

/** Steps of the calendar without records are listed too, if there are at most so many steps. */
const MOST_STEPS = 2000;

/** Groups are sorted as soon as there are so many times as are wanted. */
const BATCH = 4;

/** @param limit how many groups are wanted @throws CriteriaError */
export function groupBy(
  collection: Collection,
  columnsOf: ColumnsOf,
  criteria: CriteriaList,
  of: GroupBy,
  fields: readonly FieldInfo[],
  limit: number,
): Groups {
  const start = performance.now();
  const found = fields.find(({ name }) => name === of.by);
  if (found === undefined) throw new RangeError(`there is no field ${of.by}`);
  if (isInSeveral(found)) return byElement(collection, criteria, of, found, limit);
  const isMeasured = of.measure !== "count";
  const names = [of.by, isMeasured ? of.of : of.by, of.where?.[0] ?? of.by];
  const [by, measured, filtered] = columnsOf(names, criteria);
  if (by === undefined || measured === undefined || filtered === undefined) {
    throw new RangeError("there is a field without a column");
  }
  const keys = keysOf(by, of.part, found);
  const records = recordsBy(by, keys);
  const numbers: Numbers | undefined = isMeasured
    ? { codes: measured.codes, byCode: numbersOf(measured) }
    : undefined;
  const measures = measure(of.measure, records, numbers);
  let within: Measures | undefined;
  if (of.where !== undefined) {
    const some = only(records.groups, filtered.codes, codeOf(filtered, of.where[1]));
    within = measure(of.measure, grouped(some, keys.size), numbers);
  }
  const nulls = numbers === undefined ? 0 : nullsIn(numbers);
  return tableOf(of, found, keys, { measures, within, nulls }, limit, start);
}

/** What was measured of groups, and of their records with the value asked for. */
interface Found {
  readonly measures: Measures;
  readonly within: Measures | undefined;
  readonly nulls: number;
}

function tableOf(
  of: GroupBy,
  field: FieldInfo,
  keys: Pick<Keys, "keyOf">,
  { measures, within, nulls }: Found,
  limit: number,
  start: number,
): Groups {
  const { first, found, smaller } = ranked(of, measures, within, limit);
  const listed = first.map((group): Group => ({
    ...keys.keyOf(group),
    ...measuredOf(measures, group),
    within: within && measuredOf(within, group),
  }));
  return {
    of,
    groups: isAdditive(of.measure) && of.least === 1 ? withSteps(listed, of, field) : listed,
    found,
    smaller,
    total: measures.total,
    within: within?.total,
    nulls,
    milliseconds: performance.now() - start,
  };
}

/** Groups by the strings of an array: a record is in the group of each. @throws CriteriaError */
function byElement(
  collection: Collection,
  criteria: CriteriaList,
  of: GroupBy,
  field: FieldInfo,
  limit: number,
): Groups {
  const start = performance.now();
  const counted = (list: CriteriaList) => {
    const found = collection
      .countBy(of.by, list)
      .map(({ value, count }) => [value, count] as const);
    return { counts: new Map(found), all: collection.count(list) };
  };
  const whole = counted(criteria);
  const values = [...whole.counts.keys()];
  const measuresOf = ({ counts, all }: typeof whole): Measures => {
    const records = Uint32Array.from(values, (value) => counts.get(value) ?? 0);
    return { records, values: new Float64Array(records), total: { records: all, value: all } };
  };
  const [name, value] = of.where ?? [];
  const also = criteria.length === 0 ? [] : [criteria];
  const within = name === undefined ? undefined : counted([...also, [name, "in", [value]]]);
  const keyOf = (group: number) => {
    const key = values[group];
    return typeof key === "string" ? single(key) : { ...single(null), choice: undefined };
  };
  const found = { measures: measuresOf(whole), within: within && measuresOf(within), nulls: 0 };
  return tableOf(of, field, { keyOf }, found, limit, start);
}

/** What another measure of the same groups needs again. */
const known = new WeakMap<Keys, Grouped>();

function recordsBy({ codes }: Parameters<typeof keysOf>[0], keys: Keys): Grouped {
  let found = known.get(keys);
  if (found === undefined) known.set(keys, (found = grouped(groupsOf(codes, keys), keys.size)));
  return found;
}

/** The group of each record. */
function groupsOf(codes: Uint32Array, { groupOf }: Keys): Int32Array {
  if (groupOf === undefined) return new Int32Array(codes.buffer, codes.byteOffset, codes.length);
  const groups = new Int32Array(codes.length);
  for (let i = 0; i < codes.length; i++) groups[i] = groupOf[codes[i]!]!;
  return groups;
}

/** The groups of the records that have a code; others are in none. */
function only(groups: Int32Array, codes: Uint32Array, code: number): Int32Array {
  const some = new Int32Array(groups.length);
  for (let i = 0; i < groups.length; i++) some[i] = codes[i] === code ? groups[i]! : -1;
  return some;
}

function codeOf(column: Parameters<typeof keysOf>[0], value: Scalar): number {
  const wanted = textFormOf(value);
  for (let code = 0; code < column.distinct; code++) {
    if (textFormOf(scalarAt(column, code)) === wanted) return code;
  }
  return -1;
}

function nullsIn({ codes, byCode }: Numbers): number {
  // Null has the lowest code.
  if (byCode.length === 0 || !Number.isNaN(byCode[0])) return 0;
  let nulls = 0;
  for (let i = 0; i < codes.length; i++) if (codes[i] === 0) nulls++;
  return nulls;
}

/** The first groups in the order asked for, of those with enough records. */
function ranked(of: GroupBy, measures: Measures, within: Measures | undefined, limit: number) {
  const { order, least } = of;
  const score = scoreBy(of, measures, within);
  const { records } = measures;
  // Weekdays without records are listed, too.
  const fewest = isOrdered(of.part) && least === 1 ? 0 : least;
  let kept: number[] = [];
  let found = 0;
  let bar = -Infinity;
  const settle = () => {
    // Ties stay in the order of values.
    kept = kept.sort((a, b) => score(b) - score(a) || a - b).slice(0, limit);
    if (kept.length === limit) bar = score(kept[limit - 1] ?? 0);
  };
  for (let group = 0; group < records.length; group++) {
    if (records[group]! < fewest) continue;
    found++;
    if (order === "key") {
      if (kept.length < limit) kept.push(group);
    } else if (score(group) > bar || kept.length < limit) {
      kept.push(group);
      if (kept.length >= BATCH * limit) settle();
    }
  }
  if (order !== "key") settle();
  return { first: kept, found, smaller: records.length - found };
}

/** What has no measure comes last. */
function scoreBy(
  { order, measure: by }: GroupBy,
  measures: Measures,
  within: Measures | undefined,
) {
  const { values } = measures;
  const known = (score: number) => (Number.isNaN(score) ? -Number.MAX_VALUE : score);
  if (order === "least") return (group: number) => known(-values[group]!);
  if (order !== "share" || within === undefined) return (group: number) => known(values[group]!);
  const parts = within.values;
  return isAdditive(by)
    ? (group: number) => known(parts[group]! / values[group]!)
    : (group: number) => known(parts[group]!);
}

/** With the steps of the calendar between the first and the last that have no records: they count 0. */
function withSteps(groups: readonly Group[], of: GroupBy, field: FieldInfo): readonly Group[] {
  const part = STEPS.find((each) => each === of.part);
  if (part === undefined || of.order !== "key" || field.unit === undefined) return groups;
  const steps = groups.filter(({ end }) => end !== undefined);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return groups;
  const scale = millisecondsOf(field.unit);
  const start = startOf[part](Number(first.key) * scale);
  const known = new Map(steps.map((each) => [each.key, each]));
  const filled = groups.filter(({ end }) => end === undefined);
  for (let i = 0; i < MOST_STEPS; i++) {
    const [key, end] = [start(i) / scale, start(i + 1) / scale];
    const none = { records: 0, value: 0 };
    const empty = { key, end, choice: { from: key, end }, ...none };
    filled.push(known.get(key) ?? { ...empty, within: of.where && none });
    if (key === last.key) return filled;
  }
  return groups;
}
