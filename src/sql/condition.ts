// Converts parsed criteria to the condition of a WHERE clause. As much as possible is decided here rather than by the
// engine, because engines differ.

import {
  positiveOf,
  requiredText,
  type Bounds,
  type ElementBounds,
  type Limit,
  type TextBounds,
} from "../criteria/bounds.ts";
import { CriteriaError } from "../criteria/criteria-error.ts";
import {
  criteriaIn,
  isNested,
  type CriteriaPart,
  type ParsedCriteria,
  type ParsedCriterion,
} from "../criteria/tree.ts";
import { quote } from "../schema/errors.ts";
import { isNumeric, type TextValue } from "../schema/field.ts";
import { isCanonicalInteger, toFloatText } from "../schema/numbers.ts";
import type { Dialect, OwnForm, Parameter, TextForm } from "./dialect.ts";
import { orderedOf, type FieldColumns, type Necessary } from "./columns.ts";
import { lowestFrom, rangeOf } from "./own-form.ts";

/** A condition in SQL, or `true` or `false` if it always or never holds. */
export type Condition = string | boolean;

/** The rows of a table, and how statements select them. */
export interface Asked {
  readonly dialect: Dialect;
  readonly texts: TextForm;
  /** In quotes. */
  readonly table: string;
  readonly columnsOf: (field: string) => FieldColumns;
  /** Conditions that stand for boolean fields without columns, by their names; default: none. */
  readonly conditions?: ReadonlyMap<string, (writing: Writing) => Condition> | undefined;
  /** A condition on all rows, such as one for a Batch; default: none. */
  readonly within?: ((writing: Writing) => string) | undefined;
}

/** The table while a statement is written. */
export interface Writing extends Asked {
  readonly parameters: Parameter[];
}

/**
 * Throws for criteria on the text form of floats, since engines format numbers differently.
 *
 * @throws CriteriaError
 */
export function checkTellable({ groups }: ParsedCriteria, columnsOf: Writing["columnsOf"]): void {
  for (const { position, operator, field, bounds } of criteriaIn(groups)) {
    if (requiredText(positiveOf(bounds)) === "") continue;
    const columns = columnsOf(field);
    if (columns.field.type !== "float" || columns.text !== undefined) continue;
    const reason = `${operator} compares the string form of the float field ${quote(field)}, which engines format differently`;
    const mend = "give a column with this string: columns: { field: { column, text } }";
    throw new CriteriaError([position], `${reason}; ${mend}`);
  }
}

/**
 * The condition under which criteria select a row. Tests for NULL explicitly, so the result is false rather than
 * unknown.
 *
 * @throws CriteriaError like {@link checkTellable}
 */
export function conditionOf(criteria: ParsedCriteria, writing: Writing): Condition {
  checkTellable(criteria, writing.columnsOf);
  return anyGroup(criteria, writing);
}

function anyGroup(criteria: ParsedCriteria, writing: Writing): Condition {
  const { parameters } = writing;
  const start = parameters.length;
  const groups = criteria.groups.map((group) =>
    allOf(writing, group, (part) => ofPart(part, writing)),
  );
  const some = combined(groups, " OR ");
  if (some === true) parameters.length = start;
  return some;
}

function allOf<Part>(
  { parameters }: Writing,
  parts: readonly Part[],
  conditionOf: (part: Part) => Condition,
): Condition {
  const { length } = parameters;
  const every = combined(parts.map(conditionOf), " AND ");
  // Parameters of omitted conditions would have no placeholder.
  if (every === false) parameters.length = length;
  return every;
}

/** The condition that all criteria hold, each on different columns. */
export const conditionOn = (
  criteria: readonly (readonly [ParsedCriterion, FieldColumns])[],
  writing: Writing,
): Condition =>
  allOf(writing, criteria, ([criterion, columns]) => ofCriterion(criterion, columns, writing));

/**
 * Joins conditions as a balanced tree: engines limit the depth of expressions, and a flat list of a thousand conditions
 * is a thousand deep.
 */
function combined(conditions: readonly Condition[], operator: " AND " | " OR "): Condition {
  const neutral = operator === " AND ";
  const terms: string[] = [];
  for (const each of conditions) {
    if (typeof each === "string") terms.push(each);
    else if (each !== neutral) return each;
  }
  const join = (from: number, to: number): string => {
    if (to - from === 1) return terms[from] ?? "";
    const half = (from + to) >>> 1;
    return `(${join(from, half)}${operator}${join(half, to)})`;
  };
  return terms.length === 0 ? neutral : join(0, terms.length);
}

function ofPart(part: CriteriaPart, writing: Writing): Condition {
  if (isNested(part)) return anyGroup(part, writing);
  const condition = writing.conditions?.get(part.field);
  if (condition !== undefined) return ofCondition(part, condition, writing);
  return ofCriterion(part, writing.columnsOf(part.field), writing);
}

/** The condition itself or its negation, since it is never unknown. */
function ofCondition(
  { test }: ParsedCriterion,
  condition: (writing: Writing) => Condition,
  writing: Writing,
): Condition {
  const [hasNo, hasYes] = [test("false"), test("true")];
  if (hasNo === hasYes) return hasYes;
  const holds = condition(writing);
  if (hasYes) return holds;
  return typeof holds === "boolean" ? !holds : `NOT (${holds})`;
}

function ofCriterion(
  { test, bounds }: ParsedCriterion,
  columns: FieldColumns,
  writing: Writing,
): Condition {
  // If there are this few values, each has its own test.
  if (columns.field.type === "boolean") return isBoolean(test, columns, writing);
  return isWithin(bounds, columns, writing);
}

function isWithin(bounds: Bounds, columns: FieldColumns, writing: Writing): Condition {
  switch (bounds.kind) {
    case "complement": {
      const inside = isWithin(bounds.of, columns, writing);
      if (typeof inside === "boolean") return !inside;
      // The negation of unknown would be unknown, too.
      return combined(
        [columns.field.nullable && `${columns.value} IS NULL`, `NOT (${inside})`],
        " OR ",
      );
    }
    case "interval":
      return combined(
        bounds.limits.map((limit) => isBeyond(limit, columns, writing)),
        " AND ",
      );
    case "values":
      return bounds.inside
        ? isAmong(bounds.values, columns, writing)
        : isOther(bounds.values, columns, writing);
    case "prefix":
    case "suffix":
    case "substring":
      return hasPart(bounds, columns, writing);
    case "elements":
      return hasElements(bounds, columns, writing);
  }
}

function isBoolean(
  test: ParsedCriterion["test"],
  { field, value, booleans }: FieldColumns,
  { dialect }: Writing,
): Condition {
  const [no, yes] = booleans ?? dialect.booleans;
  const [hasNull, hasNo, hasYes] = [field.nullable && test(null), test("false"), test("true")];
  if (hasNo && hasYes) return hasNull || !field.nullable ? true : `${value} IS NOT NULL`;
  const isOne = (hasNo || hasYes) && `${value} = ${hasYes ? yes : no}`;
  return combined([hasNull && `${value} IS NULL`, isOne], " OR ");
}

export function bindNumbers(
  value: number | readonly number[],
  { field, numbers }: FieldColumns,
  { dialect, parameters }: Writing,
): string {
  return dialect.bind(value, parameters, numbers ?? (field.type === "float" ? "float" : "int"));
}

/** Binds what {@link isPossible}, a value or a list. */
export function bindValue(
  value: string | readonly string[],
  columns: FieldColumns,
  writing: Writing,
): string {
  if (!isNumeric(columns.field.type)) return bindText(value, columns.own, writing);
  const numbers = typeof value === "string" ? Number(value) : value.map(Number);
  return bindNumbers(numbers, columns, writing);
}

/** Binds a string, or a list of strings, to compare with a column of an engine-specific type. */
function bindText(
  value: string | readonly string[],
  own: Partial<Pick<OwnForm, "bind" | "bindList">> | undefined,
  { dialect, parameters }: Writing,
): string {
  const bound = dialect.bind(value, parameters);
  return (typeof value === "string" ? own?.bind : own?.bindList)?.(bound) ?? bound;
}

/** C5: a number equals only its text form. A string equals only values that the engine can store. */
function isPossible(
  value: TextValue,
  { field, own, isNotNull = false }: FieldColumns,
  { dialect }: Writing,
): boolean {
  // In MariaDB, the date 0000-00-00 in a column without nulls is said to be null.
  if (value === null) return field.nullable && !isNotNull;
  if (own !== undefined) return own.isCanonical(value);
  if (field.type === "int") return isCanonicalInteger(value);
  if (field.type === "float") return toFloatText(value) !== undefined;
  return dialect.hasNul || !value.includes("\0");
}

function isAmong(values: readonly TextValue[], columns: FieldColumns, writing: Writing): Condition {
  const { value, necessary, presence = value } = columns;
  const possible = values.filter((each) => isPossible(each, columns, writing));
  const texts = possible.filter((each) => each !== null);
  // Bound in the order of placeholders.
  const isPlausible = necessary === undefined || isAlike(texts, necessary, writing);
  const isEqual = isOneOf(texts, columns, writing);
  const isText = combined([isPlausible, isEqual], " AND ");
  return combined([texts.length < possible.length && `${presence} IS NULL`, isText], " OR ");
}

function isOneOf(texts: readonly string[], columns: FieldColumns, writing: Writing): Condition {
  const { field, value, own } = columns;
  const [first, ...others] = texts;
  if (first === undefined) return false;
  if (others.length === 0) return isEqual(first, columns, writing);
  // If the engine has no list of such values, each is bound, or their strings are compared.
  const isByText = own !== undefined && own.bindList === undefined;
  const alike = isByText && writing.dialect.isAlike?.(value, texts, writing.parameters);
  if (typeof alike === "string") return alike;
  const to = isByText ? own.text(value) : value;
  const list = isByText ? bindText(texts, own, writing) : bindValue(texts, columns, writing);
  return writing.dialect.isIn(to, list, field.type);
}

function isEqual(text: string, columns: FieldColumns, writing: Writing): string {
  const { field, value, strings = writing.dialect.strings } = columns;
  // C17: the only array that criteria name.
  if (field.type === "strings") return strings.isEmpty(value);
  return `${value} = ${bindValue(text, columns, writing)}`;
}

/** Whether a column equals one of some strings by its own collation. */
function isAlike(texts: readonly string[], necessary: Necessary, writing: Writing): Condition {
  const { column } = necessary;
  const { dialect } = writing;
  const [first, ...others] = texts;
  if (first === undefined) return false;
  if (others.length === 0) return `${column} = ${bindText(first, necessary, writing)}`;
  return dialect.isAlike === undefined
    ? dialect.isIn(column, bindText(texts, necessary, writing), "string")
    : dialect.isAlike(column, texts, writing.parameters);
}

/** True if the field matches none of the values; null matches none (C6). */
function isOther(values: readonly TextValue[], columns: FieldColumns, writing: Writing): Condition {
  const { field, value, presence = value } = columns;
  const all = values.map((each): Condition => {
    if (!isPossible(each, columns, writing)) return true;
    if (each === null) return `${presence} IS NOT NULL`;
    const differs =
      field.type === "strings"
        ? `NOT (${isEqual(each, columns, writing)})`
        : `${value} <> ${bindValue(each, columns, writing)}`;
    return field.nullable ? `(${presence} IS NULL OR ${differs})` : differs;
  });
  return combined(all, " AND ");
}

/** The comparison with the next higher value, if no value equals the string. */
const FROM_NEXT = { ">": ">=", ">=": ">=", "<": "<", "<=": "<" } as const;

/** Compares a number with a bound, or a string by code point (P3). */
function isBeyond({ comparison, bound }: Limit, columns: FieldColumns, writing: Writing): string {
  const { value, own } = columns;
  if (typeof bound === "number") {
    return `${value} ${comparison} ${bindNumbers(bound, columns, writing)}`;
  }
  const { dialect } = writing;
  const lowest = own?.isOrdered === true ? lowestFrom(own, bound) : undefined;
  if (lowest !== undefined) {
    // As values of the column's type, so that its indexes are used.
    const compared = lowest === bound ? comparison : FROM_NEXT[comparison];
    return `${value} ${compared} ${bindText(lowest, own, writing)}`;
  }
  const texts =
    own === undefined ? orderedOf(columns, dialect) : dialect.ordered(own.text(value), "string");
  const nul = dialect.hasNul ? -1 : bound.indexOf("\0");
  if (nul === -1) return `${texts} ${comparison} ${bindText(bound, undefined, writing)}`;
  // No value contains U+0000, so comparing with the part before it is enough: higher values are above the whole string,
  // and an equal value is below.
  const compared = comparison === ">" || comparison === ">=" ? ">" : "<=";
  return `${texts} ${compared} ${bindText(bound.slice(0, nul), undefined, writing)}`;
}

function hasElements(
  { elements, areAll }: ElementBounds,
  { field, value, strings }: FieldColumns,
  { dialect, parameters }: Writing,
): Condition {
  const possible = elements.filter((each) => dialect.hasNul || !each.includes("\0"));
  const { has, hasAll } = strings ?? dialect.strings;
  if (!areAll) return possible.length > 0 && has(value, dialect.bind(possible, parameters));
  if (elements.length === 0) return !field.nullable || `${value} IS NOT NULL`;
  const { length } = possible;
  return length === elements.length && hasAll(value, dialect.bind(possible, parameters), length);
}

function hasPart(
  { kind, text: part }: TextBounds,
  columns: FieldColumns,
  writing: Writing,
): Condition {
  const { field, text, value, own } = columns;
  const { dialect, parameters } = writing;
  if (part === "") return field.nullable ? `${value} IS NOT NULL` : true;
  if (!dialect.hasNul && part.includes("\0")) return false;
  const texts = text ?? value;
  const bind = (bound: string) => dialect.bind(bound, parameters);
  if (kind !== "prefix") return dialect[kind](texts, bind(part), part);
  const { from, until } = (own?.isOrdered === true && rangeOf(own, part)) || {};
  // In the column's own type, so that its indexes are used; necessary, but not sufficient.
  const all = [
    from !== undefined && `${value} >= ${bindText(from, own, writing)}`,
    until !== undefined && `${value} < ${bindText(until, own, writing)}`,
  ].filter((each) => each !== false);
  return combined([...all, beginsWith(texts, part, dialect, bind)], " AND ");
}

/** The condition that a string begins with a non-empty part. */
export function beginsWith(
  texts: string,
  part: string,
  { prefix }: Dialect,
  bind: (text: string) => string,
): string {
  if (prefix !== undefined) return prefix(texts, bind(part), part);
  const from = `${texts} >= ${bind(part)}`;
  const end = afterPrefix(part);
  return end === undefined ? from : `(${from} AND ${texts} < ${bind(end)})`;
}

/** The lowest string by code point that is above all strings with a prefix; `undefined` if none is. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix);
  while (points.at(-1) === "\u{10ffff}") points.pop();
  const last = points.pop()?.codePointAt(0);
  if (last === undefined) return undefined;
  // No string contains a surrogate by itself.
  return points.join("") + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
}
