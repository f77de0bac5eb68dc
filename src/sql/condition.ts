// From parsed criteria to the condition of a WHERE clause. What can be decided without asking the
// engine is decided here: the fewer things are left to engines, the fewer they do in their own way.

import type { TextBounds } from "../criteria/operators.ts";
import type { ParsedCriteria, ParsedCriterion } from "../criteria/parse.ts";
import type { WireValue } from "../schema/field.ts";
import { isCanonicalInteger } from "../schema/numbers.ts";
import type { Dialect } from "./dialect.ts";
import type { FieldColumns } from "./names.ts";
import type { Parameter } from "./statement.ts";

/** A condition in SQL; or `true` or `false`, where it always or never holds. */
export type Condition = string | boolean;

/** What a statement is written with. */
export interface Writing {
  readonly dialect: Dialect;
  readonly columnsOf: (field: string) => FieldColumns;
  readonly parameters: Parameter[];
}

/** The condition under which criteria select a row. Never unknown where it must be false: `null` is asked for. */
export function conditionOf({ groups }: ParsedCriteria, writing: Writing): Condition {
  const some: string[] = [];
  const start = writing.parameters.length;
  for (const group of groups) {
    // What was bound for a group that is left out would have no placeholder.
    const { length } = writing.parameters;
    const every = allOf(group, writing);
    if (every === true) {
      writing.parameters.length = start;
      return true;
    }
    if (every === false) writing.parameters.length = length;
    else some.push(every);
  }
  return some.length === 0 ? false : joined(some, " OR ");
}

function allOf(group: readonly ParsedCriterion[], writing: Writing): Condition {
  const every: string[] = [];
  for (const criterion of group) {
    const condition = one(criterion, writing);
    if (condition === false) return false;
    if (condition !== true) every.push(condition);
  }
  return every.length === 0 ? true : joined(every, " AND ");
}

/** A balanced tree: engines limit how deep an expression may be, and a flat list of a thousand is a thousand deep. */
export function joined(terms: readonly string[], operator: " AND " | " OR "): string {
  const join = (from: number, to: number): string => {
    if (to - from === 1) return terms[from] ?? "";
    const half = (from + to) >>> 1;
    return `(${join(from, half)}${operator}${join(half, to)})`;
  };
  return join(0, terms.length);
}

function one({ field: name, bounds }: ParsedCriterion, writing: Writing): Condition {
  const columns = writing.columnsOf(name);
  const { value } = columns;
  switch (bounds.kind) {
    case ">":
    case ">=":
    case "<":
    case "<=":
      return `${value} ${bounds.kind} ${bind(bounds.bound, writing)}`;
    case "values":
      return bounds.inside
        ? isAmong(bounds.values, columns, writing)
        : isOther(bounds.values, columns, writing);
    case "prefix":
    case "suffix":
    case "substring":
      return hasPart(bounds, columns, writing);
  }
}

function bind(value: string | number, { dialect, parameters }: Writing): string {
  return dialect.bind(value, parameters);
}

/** C5: an integer equals its canonical text alone. A text equals what the engine can hold. */
function isPossible(value: WireValue, { field }: FieldColumns, { dialect }: Writing): boolean {
  if (value === null) return field.nullable;
  return field.type === "int" ? isCanonicalInteger(value) : dialect.hasNul || !value.includes("\0");
}

function isAmong(values: readonly WireValue[], columns: FieldColumns, writing: Writing): Condition {
  const { field, value } = columns;
  const possible = values.filter((each) => isPossible(each, columns, writing));
  const texts = possible.filter((each) => each !== null);
  const terms: string[] = [];
  if (texts.length < possible.length) terms.push(`${value} IS NULL`);
  const [only] = texts;
  if (only !== undefined) {
    const isInt = field.type === "int";
    if (texts.length === 1) {
      terms.push(`${value} = ${bind(isInt ? Number(only) : only, writing)}`);
    } else {
      const { dialect, parameters } = writing;
      const list = dialect.bind(isInt ? texts.map(Number) : texts, parameters);
      terms.push(dialect.isIn(value, list, field.type));
    }
  }
  return terms.length === 0 ? false : joined(terms, " OR ");
}

/** That a field has none of some values: C6, `null` is other than any text. */
function isOther(values: readonly WireValue[], columns: FieldColumns, writing: Writing): Condition {
  const { field, value } = columns;
  const terms: string[] = [];
  for (const each of values) {
    if (!isPossible(each, columns, writing)) continue;
    if (each === null) terms.push(`${value} IS NOT NULL`);
    else {
      const differs = `${value} <> ${bind(field.type === "int" ? Number(each) : each, writing)}`;
      terms.push(field.nullable ? `(${value} IS NULL OR ${differs})` : differs);
    }
  }
  return terms.length === 0 ? true : joined(terms, " AND ");
}

function hasPart(
  { kind, text: part }: TextBounds,
  { field, text }: FieldColumns,
  writing: Writing,
): Condition {
  const { dialect } = writing;
  if (part === "") return field.nullable ? `${text} IS NOT NULL` : true;
  if (!dialect.hasNul && part.includes("\0")) return false;
  return dialect[kind](text, bind(part, writing), part);
}
