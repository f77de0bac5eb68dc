// Tables with the columns of others (rule C20): a path is a LEFT JOIN for each of its steps, and a condition on records
// that refer to a row is EXISTS. Each table in a statement has an alias, by which its columns are named.

import {
  type Condition as OtherCondition,
  type FieldAtPath,
  type OtherField,
} from "../database/relations/read-question.ts";
import type { Reference } from "../database/relations/references.ts";
import type { ParsedCriteria } from "../criteria/tree.ts";
import { boolean } from "../schema/declare.ts";
import { fieldOf } from "../schema/names.ts";
import { schemaOfEntries, type Schema } from "../schema/schema.ts";
import { conditionOf, type Condition, type Writing } from "./condition.ts";
import type { Dialect } from "./dialect.ts";
import { orderedOf, type NamedColumns } from "./columns.ts";
import type { AskedTable } from "./names.ts";
import { columnsIn } from "./records.ts";
import type { ConditionedTable } from "./sql-collection.ts";

/** The tables of collections, and criteria on them. */
export interface JoinedTables {
  readonly dialect: Dialect;
  /** The table of a collection, whose columns have an alias in front of them. */
  readonly tableOf: (name: string, alias: string) => AskedTable;
  /** Parses criteria on a collection with fields of others, which were checked. */
  readonly criteriaOf: (
    name: string,
    fields: readonly OtherField[],
    criteria: unknown,
  ) => ParsedCriteria;
}

/** The schema of a collection with fields of others. */
export function schemaWith(schema: Schema, fields: readonly OtherField[]): Schema {
  const own = schema.places.map(({ name, field }) => [name, field] as const);
  const others = fields.map((other) => {
    if (other.kind === "condition") return [other.name, { ...boolean(), stored: false }] as const;
    // Computed, so that queries can select it; where it comes from is not used.
    const isRead = fieldOf(schema, other.reference.field)?.stored === true;
    const compute = isRead ? () => null : undefined;
    return [other.name, Object.freeze({ ...other.described, compute })] as const;
  });
  return schemaOfEntries([...own, ...others], schema.form, { unique: schema.unique });
}

/** A table of a statement. */
interface Aliased {
  readonly alias: string;
  readonly table: AskedTable;
}

/** The alias of the table whose rows a question is about: in DuckDB, a column of a subquery would hide one of its name. */
export const aliasAt = (depth: number): string => `tercet_t${depth}`;

/**
 * The table of a collection with fields of others.
 *
 * @param depth within how many conditions it is
 */
export function joinedTable(
  tables: JoinedTables,
  name: string,
  fields: readonly OtherField[],
  depth = 0,
): ConditionedTable {
  const { dialect, tableOf } = tables;
  const aliased = (of: string, alias: string): Aliased => ({ alias, table: tableOf(of, alias) });
  const base = aliased(name, aliasAt(depth));
  const joins = [`${base.table.name} AS ${base.alias}`];
  const steps = new Map<string, Aliased>();

  /** The table to which a field of another one refers. */
  function step(from: Aliased, { field, to, key }: Reference): Aliased {
    const path = JSON.stringify([from.alias, field]);
    const known = steps.get(path);
    if (known !== undefined) return known;
    const next = aliased(to, `${base.alias}_${joins.length}`);
    const isSame = areEqual(columnsOf(from, field), columnsOf(next, key.name), dialect);
    joins.push(`LEFT JOIN ${next.table.name} AS ${next.alias} ON ${isSame}`);
    steps.set(path, next);
    return next;
  }

  function atPath(from: Aliased, { reference, field, fields: further }: FieldAtPath): NamedColumns {
    const to = step(from, reference);
    for (const each of further) if (each.kind === "path") return atPath(to, each);
    const columns = to.table.fields.get(field);
    if (columns === undefined) throw new RangeError(`${reference.to} has no field ${field}`);
    return orNull(columns, columnsOf(to, reference.key.name), dialect);
  }

  const all = new Map(base.table.fields);
  const conditions = new Map<string, (writing: Writing) => Condition>();
  for (const each of fields) {
    if (each.kind === "path") all.set(each.name, atPath(base, each));
    else conditions.set(each.name, conditionOn(tables, each, base, depth + 1));
  }
  return { ...base.table, name: joins.join(" "), fields: all, conditions };
}

const columnsOf = ({ table }: Aliased, field: string): NamedColumns => columnsIn(table)(field);

/** Whether records that criteria select refer to a row. */
function conditionOn(
  tables: JoinedTables,
  { reference, criteria, fields }: OtherCondition,
  row: Aliased,
  depth: number,
): (writing: Writing) => Condition {
  const { dialect, criteriaOf } = tables;
  const { from, field, key } = reference;
  // Made when they are needed: the check of criteria only needs the columns of the row, at each depth.
  return (writing) => {
    const others = joinedTable(tables, from, fields, depth);
    const refers = columnsIn(others)(field);
    const named = columnsOf(row, key.name);
    const { conditions, name: table } = others;
    const own: Writing = {
      ...writing,
      ...{ table, columnsOf: columnsIn(others), conditions, within: undefined },
    };
    const holds = conditionOf(criteriaOf(from, fields, criteria), own);
    if (holds === false) return false;
    const and = holds === true ? "" : ` AND ${holds}`;
    if (dialect.correlates) {
      return `EXISTS (SELECT 1 FROM ${table} WHERE ${areEqual(refers, named, dialect)}${and})`;
    }
    const [value, other] = comparable(named, refers, dialect);
    const rows = `SELECT ${other} FROM ${table} WHERE ${other} IS NOT NULL${and}`;
    return `(${value} IS NOT NULL AND ${dialect.isSelected(value, rows)})`;
  };
}

/** The condition that two columns are equal, which is not true for nulls. */
export const areEqual = (one: NamedColumns, other: NamedColumns, dialect: Dialect): string =>
  comparable(one, other, dialect).join(" = ");

/** Expressions of two columns that are equal if and only if their values are, as criteria compare them. */
function comparable(one: NamedColumns, other: NamedColumns, dialect: Dialect) {
  const hasOwn = one.own !== undefined || other.own !== undefined;
  // Values of a type that the engine compares with those of the same type alone.
  if (hasOwn && one.native !== undefined && one.native === other.native) {
    return [one.value, other.value] as const;
  }
  return [one, other].map((columns) => comparedAlone(columns, dialect)) as [string, string];
}

/** An expression that is compared with columns of any type that the field may have. */
function comparedAlone(columns: NamedColumns, dialect: Dialect): string {
  const { field, value, own, booleans } = columns;
  if (field.type === "boolean") {
    const [no, yes] = booleans ?? dialect.booleans;
    return `CASE WHEN ${value} = ${yes} THEN 1 WHEN ${value} = ${no} THEN 0 END`;
  }
  if (field.type !== "string") return value;
  return own === undefined
    ? orderedOf(columns, dialect)
    : dialect.ordered(own.text(value), "string");
}

/** The columns of a field in rows that may be missing, as those of its key are then. */
function orNull(columns: NamedColumns, key: NamedColumns, dialect: Dialect): NamedColumns {
  const nullable = { ...columns, field: { ...columns.field, nullable: true }, isNotNull: false };
  const { stringsInTexts } = dialect;
  const toJson = columns.strings?.toJson;
  if (stringsInTexts === undefined || toJson === undefined) return nullable;
  // Arrays can't be null there, but their JSON can.
  const value = `CASE WHEN ${key.value} IS NOT NULL THEN ${toJson(columns.value)} END`;
  return { ...nullable, value, strings: stringsInTexts, select: stringsInTexts.toJson };
}
