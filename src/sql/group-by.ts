// Groups of a table (rules G1 to G3). The engine counts the rows that have the same keys and the same values, and the
// groups of in-memory collections combine the counts: so results are as exact as there.

import type { AggregatedValues } from "../engine/aggregates/aggregate.ts";
import { rangesBetween } from "../engine/execution/cuts.ts";
import { CountedGroups } from "../engine/execution/group-by.ts";
import type { GroupRow, ParsedGroupBy, ParsedKey } from "../engine/execution/parsed-group-by.ts";
import { sortValueOf } from "../engine/execution/value-groups.ts";
import { tuning } from "../engine/tuning.ts";
import type { SortValue } from "../engine/versions/sort-order.ts";
import type { ParsedCriteria } from "../criteria/tree.ts";
import { isNumeric, type TextValue } from "../schema/field.ts";
import { isCompared } from "../schema/kinds.ts";
import type { AskedSource } from "./aggregates.ts";
import { bindNumbers, type Asked, type Writing } from "./condition.ts";
import { ConsistencyError, patiently } from "./consistency.ts";
import type { Statement } from "./dialect.ts";
import { named, namedAll, nameOf } from "./result-columns.ts";
import type { FieldColumns } from "./columns.ts";
import { selectedOf, textFormOf } from "./records.ts";
import {
  extremesStatement,
  fromWhere,
  isReachedBy,
  LONGEST_PREFIX,
  rangeAmong,
  readRange,
  written,
} from "./select.ts";

/** The groups of the selected rows. */
export async function groupBy(
  asked: AskedSource,
  query: ParsedGroupBy,
  criteria: ParsedCriteria,
): Promise<readonly GroupRow[]> {
  const { source, ask, signal } = asked;
  const fields = measuredIn(query, source);
  const others = fields.filter(({ needs }) => needs !== "each");
  const each = fields.filter(({ needs }) => needs === "each");
  return await patiently(signal, async () => {
    const ranges = await rangeKeys(asked, query.keys, criteria);
    const keys = query.keys.map((key, i) => ranges[i] ?? keyIn(source, key));
    const groups = new CountedGroups(query);
    const statement = groupsStatement(source, criteria, keys, fields);
    const columns = keys.length + 2 + each.length + 3 * others.length;
    for (const row of await ask(statement, columns)) {
      const at = (place: number) => row[place] ?? null;
      const group = groups.groupOf(keys.map((key, i) => key.read(at(i))));
      let place = keys.length;
      const part = Number(at(place++));
      const count = Number(at(place++));
      const counted = each[part];
      if (counted !== undefined) {
        const value = valueIn(counted, at(place + part));
        if (value !== null) groups.addValue(group, counted.name, value, count);
      }
      // Each part has all rows.
      if (part > 0) continue;
      groups.addRecords(group, count);
      place += each.length;
      for (const field of others) {
        const values = Number(at(place++));
        const extremes = [at(place++), at(place++)];
        if (values < count) valueIn(field, null);
        if (values === 0) continue;
        // Of values that are only counted, any number stands for all.
        const [lowest = 0, highest = 0] =
          field.needs === "count" ? [] : extremes.map((value) => valueIn(field, value));
        groups.addValue(group, field.name, lowest, 1);
        if (values > 1) groups.addValue(group, field.name, highest, values - 1);
      }
    }
    return groups.rows();
  });
}

/** A field by its name. */
interface Named {
  readonly name: string;
  readonly columns: FieldColumns;
}

/** A measured field. */
interface Measured extends Named {
  readonly needs: AggregatedValues;
}

/** A value as it is sorted by, or `null`. @throws RowError if the field can't have it */
function valueIn({ name, columns }: Named, value: TextValue): SortValue {
  const textForm = textFormOf(columns, name, value);
  return textForm === null ? null : sortValueOf(columns.field.type, textForm);
}

function measuredIn({ measures }: ParsedGroupBy, { columnsOf }: Asked): readonly Measured[] {
  const needs = new Map<string, AggregatedValues>();
  for (const measure of measures) {
    if (measure.kind === "records") continue;
    const { field } = measure;
    const own = measure.kind === "totals" ? "each" : measure.aggregate.needs;
    const known = needs.get(field);
    if (known === undefined || known === "count" || own === "each") needs.set(field, own);
  }
  return Array.from(needs, ([name, own]): Measured => {
    const columns = columnsOf(name);
    // PostgreSQL has no lowest boolean.
    const isInOrder = own !== "extremes" || isCompared(columns.field.type);
    return { name, columns, needs: isInOrder ? own : "each" };
  });
}

/** What rows are grouped by: an expression, and how its values are read as values of the field. */
interface Key {
  readonly write: (writing: Writing) => string;
  /** How its name is selected. Default: unchanged. */
  readonly select?: (name: string) => string;
  readonly read: (value: TextValue) => SortValue;
}

/** How many ranges of numbers are looked for. */
const MOST_RANGES = 20_000;

/** How many of them a statement may compare numbers with, for all of its keys. */
const MOST_COMPARED = 2000;

/** By key, its ranges of numbers; `undefined` for other keys, and if there are too many. */
async function rangeKeys(
  { source, ask }: AskedSource,
  keys: readonly ParsedKey[],
  criteria: ParsedCriteria,
): Promise<readonly (Key | undefined)[]> {
  const cut = keys.filter((key) => key.cut.rangeOf !== undefined);
  if (cut.length === 0) return [];
  const columns = cut.map(({ field }) => source.columnsOf(field));
  const asked = extremesStatement(source, columns, { criteria });
  const [extremes = []] = await ask(asked, 2 * cut.length);
  let compared = 0;
  return keys.map((key) => {
    const { rangeOf } = key.cut;
    if (rangeOf === undefined) return undefined;
    const named = { name: key.field, columns: source.columnsOf(key.field) };
    const place = 2 * cut.indexOf(key);
    const [low = null, high = null] = extremes.slice(place, place + 2);
    if (low === null || high === null) return undefined;
    const [from, to] = [Number(valueIn(named, low)), Number(valueIn(named, high))];
    const edges = rangesBetween(rangeOf, from, to, MOST_RANGES);
    if (edges === undefined) return undefined;
    const ranges = edges.length - 1;
    const isFew = ranges <= tuning.fewCompared;
    const width = isFew ? undefined : widthIn(edges, named.columns);
    if (width !== undefined) return byWidth(source, named, edges, width);
    if (compared + ranges > MOST_COMPARED) return undefined;
    compared += ranges;
    return byComparison(named, edges);
  });
}

const changed = (name: string) =>
  new ConsistencyError(`the values of ${name} changed while they were grouped`);

/** Ranges by the edges that are not above a number. */
function byComparison({ name, columns }: Named, edges: readonly number[]): Key {
  const isReached = isReachedBy(columns.field);
  const before = edges.filter((edge) => edge < 0 && !isReached(edge)).length;
  return {
    write: (writing) => rangeAmong(edges, columns, writing),
    read(found) {
      const range = readRange(name, columns.field, found);
      if (range === null) return -Infinity;
      const end = before + range;
      const from = edges[end - 1];
      if (from === undefined || end >= edges.length) throw changed(name);
      return from;
    },
  };
}

/** Into how many parts a range may be divided, on average. */
const MOST_PARTS = 50;

/** The largest width by which all ranges of integers can be divided; `undefined` if they would be divided too often. */
function widthIn(edges: readonly number[], { field }: FieldColumns): number | undefined {
  const [first = 0] = edges;
  const span = (edges.at(-1) ?? first) - first;
  const areIntegers = edges.every(Number.isSafeInteger) && Number.isSafeInteger(span);
  if (field.type !== "int" || !areIntegers) return undefined;
  const width = edges.reduce((known, edge) => commonDivisor(edge - first, known), 0);
  const parts = span / width;
  return parts <= MOST_PARTS * edges.length ? width : undefined;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** Parts of ranges, as wide as each other. */
function byWidth(
  source: Asked,
  { name, columns }: Named,
  edges: readonly number[],
  width: number,
): Key {
  const { value, fault, field } = columns;
  const [first = 0] = edges;
  const end = edges.at(-1) ?? first;
  return {
    write(writing) {
      const bound = (number: number) => bindNumbers(number, columns, writing);
      const faulty = fault === undefined ? "" : `WHEN ${fault} THEN -1 `;
      const isWithin = `${value} >= ${bound(first)} AND ${value} < ${bound(end)}`;
      const part = `${value} - ${bound(first)} - (${value} - ${bound(first)}) % ${bound(width)}`;
      return `CASE ${faulty}WHEN ${isWithin} THEN ${part} + 1 WHEN ${value} IS NOT NULL THEN 0 END`;
    },
    // Parts have the type of the column.
    select: (part) => selectedOf({ ...columns, value: part }, source),
    read(found) {
      const part = readRange(name, field, found);
      if (part === null) return -Infinity;
      if (part === 0) throw changed(name);
      return first + part - 1;
    },
  };
}

/** A key by the values of its field, or by the first characters of these. */
function keyIn(source: Asked, { field: name, type, cut: { prefix } }: ParsedKey): Key {
  const columns = source.columnsOf(name);
  const { own, value } = columns;
  // Values of engine-specific types are cut afterwards: only complete ones can be checked.
  const isCut = prefix !== undefined && own === undefined;
  const cutValue = isCut ? source.dialect.start(value, Math.min(prefix, LONGEST_PREFIX)) : value;
  return {
    write: () => selectedOf({ ...columns, value: cutValue }, source),
    read: (found) =>
      sortValueOf(type, isCut && found !== null ? found : textFormOf(columns, name, found)),
  };
}

/** The first of the names within the statement; no result column has one of them. */
const INNER = 1000;

/**
 * The statement with one row for each combination of keys and one value: the keys; the number of the value's field among
 * those of which each value is needed; how many rows there are; a column for each of these fields, in which only the one
 * has a value; and for each other field how many values there are, the lowest and the highest. With several fields of
 * which each value is needed, the statement has all rows of the table once for every one.
 */
export function groupsStatement(
  source: Asked,
  criteria: ParsedCriteria,
  keys: readonly Pick<Key, "write" | "select">[],
  fields: readonly Pick<Measured, "columns" | "needs">[],
): Statement {
  const { dialect } = source;
  const each = fields.filter(({ needs }) => needs === "each");
  const isInParts = each.length > 1;
  return written(source, (own) => {
    const inner: string[] = [];
    const nameFor = (value: string) => nameOf(INNER + inner.push(value) - 1);
    // Placeholders are in the order of their parameters.
    const groups = keys.map((key) => nameFor(key.write(own)));
    const part = isInParts ? `${PARTS}.${nameOf(0)}` : "0";
    const ofPart = nameFor(part);
    const values = each.map(({ columns }, i) => {
      const value = selectedOf(columns, source);
      return nameFor(isInParts ? `CASE WHEN ${part} = ${i} THEN ${value} END` : value);
    });
    const others = fields.flatMap(({ columns, needs }) => {
      if (needs === "each") return [];
      if (needs === "count") return [`count(${nameFor(columns.value)})`, "NULL", "NULL"];
      const { field, own: form, value } = columns;
      const isNumber = isNumeric(field.type);
      const ordered = isNumber ? value : dialect.ordered(form?.text(value) ?? value, field.type);
      const name = nameFor(ordered);
      const extremes = (["min", "max"] as const).map((which) =>
        selectedOf(
          { ...(isNumber ? columns : { field }), value: dialect.extreme(which, name) },
          source,
        ),
      );
      return [`count(${name})`, ...extremes];
    });
    const numbers = each.map((_, i) => `SELECT ${named(String(i), 0)}`).join(" UNION ALL ");
    const table = isInParts ? `${own.table} CROSS JOIN (${numbers}) AS ${PARTS}` : own.table;
    const rows = `SELECT ${namedAll(inner, INNER)} ${fromWhere(criteria, { ...own, table })}`;
    const selectedKeys = groups.map((name, i) => keys[i]?.select?.(name) ?? name);
    const selected = namedAll([...selectedKeys, ofPart, "count(*)", ...values, ...others]);
    const by = [...groups, ofPart, ...values].join(", ");
    return `SELECT ${selected} FROM (${rows}) AS counted GROUP BY ${by}`;
  });
}

/** The numbers of the fields, joined to the table. */
const PARTS = "tercet_parts";
