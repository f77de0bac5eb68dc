// The page after a position in an order (P10), as one statement. The rows after the position are selected in parts,
// each of which is one range of an index with this order, so a page costs the same at any depth. There is a part for
// each column of the order, last to first: the rows that tie in the earlier columns and come after the position in this
// one. A single condition with OR would be simpler, but engines would read all ties of the first column.

import { comingAfter, equalTo } from "../criteria/derived.ts";
import type { ParsedCriterion } from "../criteria/tree.ts";
import type { PageAt, Position } from "../engine/cursor.ts";
import { sortsOf, UNLIMITED, type ParsedQuery, type SortOrder } from "../engine/query.ts";
import { int } from "../schema/declare.ts";
import type { TextValue } from "../schema/field.ts";
import { conditionOn, type Condition, type Writing } from "./condition.ts";
import type { Dialect, Statement } from "./dialect.ts";
import { named, nameOf } from "./result-columns.ts";
import { orderedOf, type FieldColumns } from "./columns.ts";
import { selectedOf, textFormOf, type Source } from "./records.ts";
import { fromWhere, orderedType, orderOf, written } from "./select.ts";

/** A column of an order, and the value at a position. */
interface OrderedBy {
  readonly name: string;
  readonly columns: FieldColumns;
  readonly order: SortOrder;
  readonly value: TextValue;
}

/** The rows of a page, in the order of the query. */
export interface FoundPage {
  readonly rows: readonly (readonly TextValue[])[];
  /** Whether there are more in the direction of the page. */
  readonly hasMore: boolean;
  /** @throws RowError if a sort value is invalid */
  readonly positionAt: (index: number) => Position;
}

/** The statement of a page. */
export interface PageStatement {
  readonly statement: Statement;
  /** How many values a row of its result has. */
  readonly columns: number;
  readonly read: (result: readonly (readonly TextValue[])[]) => FoundPage;
}

/**
 * The statement for the rows of a query after a position, or from the first one on; backwards, for the rows before it,
 * or the last ones, which are the first in the opposite order.
 *
 * @param query without an offset
 * @param key the quoted column that orders ties in all sort columns; `undefined` if there can be none
 */
export function pageAfterStatement(
  source: Source,
  query: ParsedQuery,
  key: string | undefined,
  { position, isBackwards }: Pick<PageAt, "position" | "isBackwards">,
): PageStatement {
  const { limit } = query;
  const sorts = sortsOf(query.sort);
  const forwards = sorts.map(({ field, order }, i): OrderedBy => {
    const value = position?.values[i] ?? null;
    return { name: field, columns: source.columnsOf(field), order, value };
  });
  if (key !== undefined) forwards.push(byKey(key, position));
  const order = isBackwards ? forwards.map(turned) : forwards;
  const first = source.selected.length;
  const columns = first + order.length;
  const values = order.map(({ columns }, i) => named(selectedOf(columns, source), first + i));
  const selected = [...source.selected, ...values];
  // One more row tells whether another page follows.
  const asked = { ...query, limit: Math.min(UNLIMITED, limit + 1) };
  const statement = written(source, (writing) =>
    position === undefined
      ? selectPart(selected, asked, order, writing)
      : selectParts(selected, asked, order, writing),
  );

  const positionOf = (row: readonly TextValue[]): Position => {
    const all = order.map(({ name, columns }, i) =>
      textFormOf(columns, name, row[first + i] ?? null),
    );
    return { values: all.slice(0, sorts.length), key: key === undefined ? 0 : Number(all.at(-1)) };
  };
  return {
    statement,
    columns,
    read: (result) => {
      const rows = result.slice(0, limit);
      if (isBackwards) rows.reverse();
      return {
        rows,
        hasMore: limit < result.length,
        positionAt: (index) => positionOf(rows[index] ?? []),
      };
    },
  };
}

const turned = ({ order, ...by }: OrderedBy): OrderedBy => ({
  ...by,
  order: order === "ASC" ? "DESC" : "ASC",
});

const KEY = int();

function byKey(column: string, position: Position | undefined): OrderedBy {
  const columns = { field: KEY, value: column, text: undefined, isNotNull: true };
  return { name: "position", columns, order: "ASC", value: String(position?.key ?? 0) };
}

const orderBy = (order: readonly OrderedBy[], dialect: Dialect) =>
  order.map((by) => orderOf(by.columns, by.order, dialect)).join(", ");

function selectPart(
  selected: readonly string[],
  { criteria, limit }: ParsedQuery,
  order: readonly OrderedBy[],
  writing: Writing,
  and?: (writing: Writing) => Condition,
): string {
  const page = limit < UNLIMITED ? ` LIMIT ${limit}` : "";
  const rows = fromWhere(criteria, writing, and);
  return `SELECT ${selected.join(", ")} ${rows} ORDER BY ${orderBy(order, writing.dialect)}${page}`;
}

function selectParts(
  selected: readonly string[],
  query: ParsedQuery,
  order: readonly OrderedBy[],
  writing: Writing,
): string {
  const { dialect } = writing;
  const conditions = partsAfter(order, dialect);
  const [only = [], ...others] = conditions;
  const part = (condition: PartCriteria, columns = selected) =>
    selectPart(columns, query, order, writing, (own) => conditionOn(condition, own));
  if (others.length === 0) return part(only);
  // Named separately, since the ORDER BY expressions may differ from the selected ones.
  const last = selected.length;
  const ordered = order.map(({ columns }, i) => named(orderedOf(columns, dialect), last + i));
  const parts = conditions.map(
    (condition, i) => `SELECT * FROM (${part(condition, [...selected, ...ordered])}) AS part${i}`,
  );
  const again = order.map(({ columns, order }, i) =>
    dialect.orderBy(nameOf(last + i), orderedType(columns), order, columns.isNotNull),
  );
  const names = selected.map((_, i) => nameOf(i)).join(", ");
  const page = query.limit < UNLIMITED ? ` LIMIT ${query.limit}` : "";
  return `SELECT ${names} FROM (${parts.join(" UNION ALL ")}) AS parts ORDER BY ${again.join(", ")}${page}`;
}

/** Criteria that must all hold, on different columns. */
type PartCriteria = readonly (readonly [ParsedCriterion, FieldColumns])[];

/** The parts after a position, in order. */
function partsAfter(order: readonly OrderedBy[], dialect: Dialect): readonly PartCriteria[] {
  const parts: PartCriteria[] = [];
  let ties: PartCriteria = [];
  for (const { name, columns, order: direction, value } of order) {
    const { field, own } = columns;
    const compared = { name, field, value };
    const before = ties;
    const after = comingAfter(compared, direction);
    parts.unshift(...after.map((each): PartCriteria => [...before, [each, columns]]));
    // In the order of the rows, so that the index with this order is used.
    const isText = field.type === "string" && own === undefined;
    const tied = isText ? { ...columns, value: orderedOf(columns, dialect) } : columns;
    ties = [...ties, [equalTo(compared), tied]];
  }
  return parts;
}
