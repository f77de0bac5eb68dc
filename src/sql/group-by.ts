// Groups of a table (rules G1 to G3). The engine counts the rows that have the same keys and the same values, and the
// groups of in-memory collections combine the counts: so results are as exact as there.

import type { AggregatedValues } from "../engine/aggregates/aggregate.ts";
import { rangesBetween } from "../engine/execution/cuts.ts";
import {
  CountedGroups,
  type GroupRow,
  type ParsedGroupBy,
  type ParsedKey,
} from "../engine/execution/group-by.ts";
import { sortValueOf } from "../engine/execution/value-groups.ts";
import type { SortValue } from "../engine/versions/sort-order.ts";
import type { ParsedCriteria } from "../criteria/tree.ts";
import { isNumeric, type TextValue } from "../schema/field.ts";
import { isCompared } from "../schema/kinds.ts";
import type { AskedSource } from "./aggregates.ts";
import type { Asked, Writing } from "./condition.ts";
import { ConsistencyError, patiently } from "./consistency.ts";
import type { Statement } from "./dialect.ts";
import { named, namedAll, nameOf, type FieldColumns } from "./names.ts";
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
    const ranges = await rangesOf(asked, query.keys, criteria);
    const keys = query.keys.map((key, i) => keyIn(source, key, ranges[i]));
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

/** A measured field. */
interface Measured {
  readonly name: string;
  readonly columns: FieldColumns;
  readonly needs: AggregatedValues;
}

/** A value as it is sorted by, or `null`. @throws RowError if the field can't have it */
function valueIn({ name, columns }: Measured, value: TextValue): SortValue {
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
  readonly read: (value: TextValue) => SortValue;
}

/** The most ranges of numbers in a statement, for all of its keys. */
const MOST_RANGES = 2000;

/**
 * The edges of the ranges that keys cut numbers into; `undefined` for other keys, and if there are more than
 * {@link MOST_RANGES}.
 */
async function rangesOf(
  { source, ask }: AskedSource,
  keys: readonly ParsedKey[],
  criteria: ParsedCriteria,
): Promise<readonly (readonly number[] | undefined)[]> {
  const cut = keys.filter((key) => key.cut.rangeOf !== undefined);
  if (cut.length === 0) return [];
  const columns = cut.map(({ field }) => source.columnsOf(field));
  const asked = extremesStatement(source, columns, { criteria });
  const [extremes = []] = await ask(asked, 2 * cut.length);
  let most = MOST_RANGES;
  return keys.map((key) => {
    const {
      field,
      type,
      cut: { rangeOf },
    } = key;
    if (rangeOf === undefined) return undefined;
    const place = 2 * cut.indexOf(key);
    const [low = -Infinity, high = -Infinity] = extremes
      .slice(place, place + 2)
      .map((value) =>
        value === null
          ? -Infinity
          : Number(sortValueOf(type, textFormOf(source.columnsOf(field), field, value))),
      );
    if (low === -Infinity) return undefined;
    const edges = rangesBetween(rangeOf, low, high, most);
    most -= edges?.length ?? 0;
    return edges;
  });
}

function keyIn(source: Asked, key: ParsedKey, edges: readonly number[] | undefined): Key {
  const { field: name, type, cut } = key;
  const columns = source.columnsOf(name);
  const { field, own, value } = columns;
  if (edges !== undefined) {
    const isReached = isReachedBy(field);
    const before = edges.filter((edge) => edge < 0 && !isReached(edge)).length;
    return {
      write: (writing) => rangeAmong(edges, columns, writing),
      read(found) {
        const range = readRange(name, field, found);
        if (range === null) return -Infinity;
        const end = before + range;
        const from = edges[end - 1];
        if (from !== undefined && end < edges.length) return from;
        throw new ConsistencyError(`the values of ${name} changed while they were grouped`);
      },
    };
  }
  // Values of engine-specific types are cut afterwards: only complete ones can be checked.
  const { prefix } = cut;
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
  keys: readonly Pick<Key, "write">[],
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
    const selected = namedAll([...groups, ofPart, "count(*)", ...values, ...others]);
    const by = [...groups, ofPart, ...values].join(", ");
    return `SELECT ${selected} FROM (${rows}) AS counted GROUP BY ${by}`;
  });
}

/** The numbers of the fields, joined to the table. */
const PARTS = "tercet_parts";
