// The indexes of existing tables: which of them serve a query, and the statement for a missing one. An index may be on
// a column or on a compared expression.

import type { IntervalBounds, TextBounds } from "../criteria/bounds.ts";
import { isNested, type CriteriaGroup } from "../criteria/tree.ts";
import type { Sort } from "../engine/query.ts";
import type { TextValue } from "../schema/field.ts";
import type { Dialect, IndexColumn, StoredType } from "./dialect.ts";
import { columnIn, namedAll } from "./result-columns.ts";
import { unqualified, type NamedColumns } from "./columns.ts";
import type { AskedTable } from "./names.ts";
import type { NativeColumns } from "./native.ts";
import { rangeOf } from "./own-form.ts";
import { columnsIn } from "./records.ts";
import { orderedType } from "./select.ts";
import type { Described } from "./table-options.ts";
import type { UniqueConstraint } from "../schema/unique.ts";
import type { TableProblem } from "./table-problem.ts";
import { indexNaming, indexStatement } from "./table-indexes.ts";
import { comparedColumn } from "./unique-columns.ts";

/** Criteria that should be fast, and the order in which the rows are wanted. */
export interface Need {
  readonly group: CriteriaGroup;
  readonly sort: Sort | undefined;
  /** Whether the rows are wanted in an order at all. */
  readonly isOrdered: boolean;
}

interface Member {
  /** The column, or the {@link keyOf} an expression. */
  readonly key: string;
  readonly isDescending: boolean;
  readonly isNullFirst: boolean;
  readonly isByPoint: boolean;
}

interface Index {
  /** Whether its values are unique; `"unless null"` if several rows may have null. */
  readonly isUnique: boolean | "unless null";
  /** Whether queries use it. */
  readonly isUsed: boolean;
  readonly members: Member[];
}

/** An expression without the additions of engines: parentheses, quotes, spaces, the syntax of a cast. */
const keyOf = (expression: string) =>
  expression
    .replace(/CAST\(/gi, "")
    .replace(/ AS /gi, "::")
    .replace(/ COLLATE (?:"C"|BINARY)/g, "")
    .replace(/[()"`\s]/g, "")
    .toLowerCase();

/** @param rows the result of the catalog query */
export function indexesOf(
  rows: readonly (readonly TextValue[])[],
  { catalog }: Dialect,
): readonly Index[] {
  const indexes = new Map<TextValue, Index>();
  for (const row of rows) {
    const [name = null, unique, column = null, descending, nulls, collation, keyText = null] = row;
    const isUsed = unique !== "3";
    const isUnique = unique === "2" || ((unique === "1" || !isUsed) && "unless null");
    const index: Index = indexes.get(name) ?? { isUnique, isUsed, members: [] };
    indexes.set(name, index);
    const expression = catalog.expression?.(keyText ?? "", index.members.length) ?? keyText ?? "";
    index.members.push({
      key: column ?? `(${keyOf(expression)})`,
      isDescending: descending === "1",
      isNullFirst: nulls === "1",
      isByPoint: collation === null || collation === "points",
    });
  }
  return [...indexes.values()];
}

/** An indexable expression of a column, for comparisons or for an order. */
interface Indexed {
  readonly key: string;
  readonly value: string;
  readonly type: StoredType;
  readonly isExpression: boolean;
  readonly isByPoint: boolean;
  readonly indexable: IndexColumn["indexable"];
}

/** A column that is compared, or that rows are ordered by. */
interface Ordered extends Required<NonNullable<IndexColumn["sorted"]>> {
  readonly column: string;
  readonly type: StoredType;
  /** `undefined` if no index helps. */
  readonly compared: Indexed | undefined;
  readonly sorted: Indexed | undefined;
}

/** An index that queries lack, and what they need of it. */
interface Proposal {
  readonly reason: string;
  readonly equal: readonly (Ordered & { readonly compared: Indexed })[];
  readonly order: readonly Ordered[];
}

/**
 * The existing and the missing indexes of a table.
 *
 * @param existing `undefined` if there can be none
 * @param names that a new index can't have
 */
export function adviceOn(
  { position, order: keyFields, dialect }: Described,
  table: AskedTable,
  native: NativeColumns,
  existing: readonly Index[] | undefined,
  names: Iterable<string>,
) {
  const indexes = existing && [...existing];
  const newName = indexNaming(names);
  const proposals: Proposal[] = [];

  const onColumn = (column: string, type: StoredType, isByPoint = false): Indexed => ({
    ...{ key: column, value: dialect.quoteColumn(column), type, isExpression: false, isByPoint },
    indexable: indexableIn(column),
  });
  const indexableIn = (column: string) => {
    const type = native.get(column);
    return type && dialect.catalog.indexable?.(type);
  };

  function ordered(columns: NamedColumns, order: Ordered["order"] = "ASC"): Ordered {
    const { value, necessary, own } = columns;
    const column = comparedColumn(columns);
    const { isNotNull = false, isIndexable = false } = columns;
    const type = orderedType(columns);
    const ownName = columnIn(table.name, column, dialect);
    const isItself = own !== undefined || value.startsWith(ownName);
    const compared = own?.isOrdered === false ? own.text(value) : value;
    const expression = unqualified(compared, columns, table.name, dialect);
    const onExpression: Indexed | undefined = isIndexable
      ? {
          ...{ key: `(${keyOf(expression)})`, value: expression, type },
          ...{ isExpression: true, isByPoint: false, indexable: undefined },
        }
      : undefined;
    const itself = onColumn(column, type, columns.ordered === ownName);
    const isInOrder = isItself && own?.isOrdered !== false;
    const isCompared = isItself || necessary !== undefined;
    return {
      ...{ column, type: columns.field.type, isNotNull, order },
      compared: isCompared ? itself : onExpression,
      // MariaDB indexes only the first characters of strings, which give no order.
      sorted:
        dialect.name === "mariadb" && type === "string"
          ? undefined
          : isInOrder
            ? itself
            : onExpression,
    };
  }

  /** Whether the strings with a prefix are looked up as a range of values. */
  const isRange = ({ text }: TextBounds, { field: { type }, own }: NamedColumns) =>
    (dialect.prefix === undefined && type === "string" && text !== "") ||
    (own?.isOrdered === true && rangeOf(own, text).from !== undefined);

  const onPosition = onColumn(position ?? "", "int");
  const key: readonly Ordered[] =
    position === undefined
      ? keyFields.map((name) => ordered(columnsIn(table)(name)))
      : [
          {
            ...{ column: position, type: "int", order: "ASC", isNotNull: true },
            ...{ compared: onPosition, sorted: onPosition },
          },
        ];
  const mayBeNull =
    position === undefined
      ? key.some(({ isNotNull }) => !isNotNull)
      : native.get(position)?.isNotNull !== true;

  /** Whether no two rows have the same values in some columns, according to an index, or except for nulls. */
  function isUnique(
    columns: readonly Ordered[],
    isNullAside: boolean,
    mustBeUsed = false,
  ): boolean {
    const keys = columns.map(({ compared }) => compared?.key);
    return (
      indexes?.some(
        ({ isUnique, isUsed, members }) =>
          (isUnique === true || (isUnique && isNullAside)) &&
          (isUsed || !mustBeUsed) &&
          members.every((member) => keys.includes(member.key)),
      ) ?? false
    );
  }

  function missing({ reason, equal, order }: Proposal, isUnique: boolean): TableProblem {
    const members = [
      ...equal.map(({ compared }): IndexColumn => ({ ...compared, isCompared: true })),
      ...order.map(
        ({ sorted, order, isNotNull }): IndexColumn | undefined =>
          sorted && { ...sorted, isCompared: false, sorted: { order, isNotNull } },
      ),
    ];
    const known = members.filter((member) => member !== undefined);
    const write = (name: string) =>
      known.length === members.length
        ? indexStatement(dialect, table, name, known, isUnique)
        : undefined;
    if (write("") === undefined) return { kind: "slow", reason, statement: null };
    const name = newName(
      table,
      [...equal, ...order].map(({ column }) => column),
    );
    return { kind: "slow", reason, statement: write(name) ?? null };
  }

  const keyName = named(key.map(({ column }) => column));
  const keyValues =
    position === undefined
      ? keyFields.map((name) => columnsIn(table)(name).value)
      : [columnIn(table.name, position, dialect)];
  const hasKey = isUnique(key, !mayBeNull);
  const isInKey = (name: string) => key.some(({ column }) => column === name);
  return {
    hasKey,

    sameKeys: {
      text: dialect.query(
        `SELECT ${namedAll(["count(*)"])} FROM ${table.name} GROUP BY ${keyValues.join(", ")} HAVING count(*) > 1 LIMIT 1`,
      ),
      parameters: [],
    },

    /** @param isUniqueNow whether no two rows currently have the same key */
    key(isUniqueNow: boolean): TableProblem[] {
      const reason = `two rows have the same ${keyName}: which of them comes first is not defined, and pages may overlap`;
      if (!isUniqueNow) return [{ kind: "wrong", reason, statement: null }];
      if (indexes === undefined) return [];
      if (isUnique(key, true)) {
        const reason = `${keyName} may be null in several rows, for which no index is unique: which of them comes first is not defined, and pages may overlap`;
        return [{ kind: "wrong", reason, statement: null }];
      }
      const proposal: Proposal = {
        reason: `no index tells that ${keyName} is unique, or has rows in this order`,
        equal: [],
        order: key,
      };
      const problem = missing(proposal, true);
      if (problem.statement !== null) indexes.push({ ...indexFor(proposal), isUnique: true });
      return [problem];
    },

    /**
     * The query for duplicates of a unique constraint without a unique index; `undefined` if {@link key} finds them.
     */
    constraint({ places }: UniqueConstraint) {
      if (places.some(({ name }) => table.fields.get(name)?.missing !== undefined))
        return undefined;
      const columns = places.map(({ name }) => columnsIn(table)(name));
      const own = columns.map((each) => ordered(each));
      if (indexes === undefined || isUnique(own, true)) return undefined;
      const isKey = own.length === key.length && own.every(({ column }) => isInKey(column));
      if (isKey && !hasKey) return undefined;
      const values = columns.map(({ value }) => value);
      const isThere = values.map((value) => `${value} IS NOT NULL`).join(" AND ");
      const text = `SELECT ${namedAll(["count(*)"])} FROM ${table.name} WHERE ${isThere} GROUP BY ${values.join(", ")} HAVING count(*) > 1 LIMIT 1`;
      const names = own.map(({ column }) => column);
      // Complete values, where MariaDB's indexes for queries have only the first characters.
      const isColumns = own.every(({ compared }) => compared?.isExpression === false);
      const statement = () =>
        isColumns
          ? `CREATE UNIQUE INDEX ${dialect.quote(newName(table, names))} ON ${table.name} (${names.map(dialect.quoteColumn).join(", ")})`
          : null;
      const problem = (isUniqueNow: boolean): TableProblem => ({
        kind: "wrong",
        reason: isUniqueNow
          ? `no index keeps ${named(names)} unique${names.length > 1 ? " together" : ""}, as the schema does`
          : `two rows have the same ${named(names)}, which the schema makes unique`,
        statement: isUniqueNow ? statement() : null,
      });
      return { same: { text: dialect.query(text), parameters: [] }, problem };
    },

    /** Adds the index that would serve a group of criteria in the order of a sort, if no other does. */
    query({ group, sort, isOrdered }: Need): void {
      const equal = new Map<string, Ordered & { compared: Indexed }>();
      const ranges: Ordered[] = [];
      let hasNull = false;
      for (const part of group) {
        if (isNested(part)) continue;
        const { field, bounds } = part;
        const columns = table.fields.get(field);
        if (columns === undefined) continue;
        const found = ordered(columns);
        const { compared } = found;
        if (compared === undefined) continue;
        const isAmong = bounds.kind === "values" && bounds.inside;
        // An index lists the rows of several values one value after another, not in the requested order.
        if (isAmong && bounds.values.length === 1) {
          hasNull ||= bounds.values[0] === null;
          equal.set(compared.key, { ...found, compared });
        } else if (isAmong || (bounds.kind === "interval" && areNumbers(bounds))) {
          ranges.push({ ...found, sorted: compared });
        } else if (
          bounds.kind === "interval" ||
          (bounds.kind === "prefix" && isRange(bounds, columns))
        ) {
          ranges.push(found);
        }
      }
      // A single row needs no order.
      const values = [...equal.values()];
      const isOne =
        key.every(({ compared }) => compared && equal.has(compared.key)) ||
        isUnique(values, !hasNull, true);
      if (indexes === undefined || isOne) return;
      const sorts: Ordered[] = [];
      for (let by = sort; by !== undefined; by = by.ties) {
        // Not proposed until the column exists.
        if (table.fields.get(by.field)?.missing !== undefined) return;
        const sorted = ordered(columnsIn(table)(by.field), by.order);
        if (!equal.has(sorted.compared?.key ?? "")) sorts.push(sorted);
      }
      // Without a sort, a range on one column saves more than the order of the rows does.
      const [range] = sorts.length === 0 ? ranges : [];
      if (equal.size === 0 && sorts.length === 0 && range === undefined) return;
      const known = [...values, ...sorts].map(({ column }) => column);
      const rest = isOrdered ? key.filter(({ column }) => !known.includes(column)) : [];
      const order = range === undefined ? [...sorts, ...rest] : [range];
      if (order.some(({ sorted }) => sorted === undefined)) return;
      if (indexes.some((index) => serves(index, [...equal.keys()], order))) return;
      const members = [...values, ...order];
      const inOrder = members.length > 1 ? " in this order" : "";
      const columns = named(members.map(({ column }) => column));
      proposals.push({ reason: `no index has ${columns}${inOrder}`, equal: values, order });
    },

    /** The indexes that queries lack: none that another one of them makes unnecessary. */
    missing(): TableProblem[] {
      let rest: readonly Proposal[] = proposals;
      for (const each of proposals) {
        const others = rest.filter((other) => other !== each);
        if (others.some((other) => serves(indexFor(other), keysOf(each), each.order))) {
          rest = others;
        }
      }
      return rest.map((each) => missing(each, false));
    },
  };
}

const keysOf = ({ equal }: Proposal) => equal.map(({ compared }) => compared.key);

/** The index of a proposal, if it existed. */
const indexFor = (proposal: Proposal): Index => ({
  isUnique: false,
  isUsed: true,
  members: [
    ...keysOf(proposal).map((key) => ({
      ...{ key, isDescending: false, isNullFirst: true, isByPoint: true },
    })),
    ...proposal.order.map(({ sorted, order }) => {
      const isDescending = order === "DESC";
      return {
        ...{ key: sorted?.key ?? "", isDescending, isNullFirst: !isDescending, isByPoint: true },
      };
    }),
  ],
});

const named = (columns: readonly string[]) =>
  columns.map((column) => JSON.stringify(column)).join(", ");

/** Whether an index lists the rows with some values contiguously and in an order. */
function serves(
  { isUsed, members }: Index,
  equal: readonly string[],
  order: readonly Ordered[],
): boolean {
  if (!isUsed) return false;
  const first = members.slice(0, equal.length);
  if (!equal.every((key) => first.some((member) => member.key === key))) return false;
  const rest = members.slice(equal.length);
  return [false, true].some((isBackward) =>
    order.every(({ sorted, isNotNull, order: requested }, i) => {
      const member = rest[i];
      if (member === undefined || member.key !== sorted?.key) return false;
      const isDescending = requested === "DESC";
      const isTurned = member.isDescending !== isDescending;
      const isNullsRight = isNotNull || (member.isNullFirst === isDescending) === isTurned;
      const isByPoint = sorted.type !== "string" || member.isByPoint;
      return isTurned === isBackward && isNullsRight && isByPoint;
    }),
  );
}

const areNumbers = ({ limits }: IntervalBounds): boolean =>
  limits.every(({ bound }) => typeof bound === "number");
