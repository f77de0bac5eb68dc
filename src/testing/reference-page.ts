// The semantics of a query as the simplest possible code, for records of any schema: criteria, order and page by the
// rules, over every record. Comments cite the rules. reference.ts adds the envelope.
//
// It shares no code with the engine. The laws and the tests compare results by this order only.

import {
  ServiceError,
  type ErrorCode,
  type FieldType,
  type OperatorName,
  type TextValue,
} from "../index.ts";
import { comparedForm } from "./arbitraries/values.ts";
import { finite, integer } from "./reference-data.ts";
import { compareTimes, periodOf, timeTest } from "./reference-time.ts";

/** The properties of a field that a query needs. */
interface Queried {
  readonly type: FieldType;
  readonly searchable?: boolean;
  readonly ignoreCase?: boolean;
  readonly ignoreAccents?: boolean;
  readonly precision?: string | undefined;
  readonly zone?: string | undefined;
}

export type QueriedFields = ReadonlyMap<string, Queried>;

/** A record by field name. */
interface Values {
  readonly values: ReadonlyMap<string, TextValue>;
}

/** @throws ServiceError unless the condition holds */
export function check(condition: boolean, code: ErrorCode, reason: string): asserts condition {
  if (!condition) throw new ServiceError(code, reason);
}

export const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** If a getter or a proxy throws while input is read, the input is not valid. */
export function reading<Result>(code: ErrorCode, read: () => Result): Result {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof ServiceError ? thrown : new ServiceError(code, "could not be read");
  }
}

/** C5, C13, C15: the string as which a criterion's value is compared. */
const asText = (value: unknown, type: FieldType) => {
  const isValue =
    typeof value === "string" ||
    Number.isFinite(value) ||
    (typeof value === "boolean" && type === "boolean");
  const text = isValue ? String(value) : undefined;
  return text?.isWellFormed() === true ? text : undefined;
};

/** C4, V12, C17: arrays of strings are compared only with null and the empty array. */
function asTextOrNull(value: unknown, type: FieldType): TextValue | undefined {
  if (value === null) return null;
  if (type !== "strings") return asText(value, type);
  return isArray(value) && value.length === 0 ? "[]" : undefined;
}

/** C16: one string, and an array of strings. */
const asElement = (value: unknown) =>
  typeof value === "string" && value.isWellFormed() ? [value] : undefined;

function asElements(value: unknown): string[] | undefined {
  if (!isArray(value)) return undefined;
  const elements = Array.from({ length: value.length }, (_, i) => value[i]).map(asElement);
  return elements.every((each) => each !== undefined) ? elements.flat() : undefined;
}

/** V12: the elements of an array of strings in text form; any other value counts as itself. */
export function countedOf(value: TextValue, type: FieldType): readonly TextValue[] {
  return type === "strings" && value !== null
    ? [...new Set(JSON.parse(value) as string[])]
    : [value];
}

const hasOne = (field: TextValue, searched: readonly string[]) =>
  field !== null &&
  countedOf(field, "strings").some((each) => searched.some((one) => one === each));

/** C17: every string, each as often as it is listed, is an element. */
const hasEvery = (field: TextValue, searched: readonly string[]) =>
  field !== null && searched.every((one) => countedOf(field, "strings").includes(one));

/** C4, C14: a bound: for strings a string; for floats any finite number or its string form. */
function asBound(value: unknown, type: FieldType): string | undefined {
  if (type === "string") return typeof value === "string" ? asText(value, type) : undefined;
  if (type === "int") return integer(value);
  return finite(value)?.toString();
}

/** C14: two bounds, the lower one first. */
function asRange(value: unknown, type: FieldType): readonly [string, string] | undefined {
  if (!isArray(value) || value.length !== 2) return undefined;
  const [low, high] = [asBound(value[0], type), asBound(value[1], type)];
  if (low === undefined || high === undefined) return undefined;
  return compareTextForms(low, high, type) > 0 ? undefined : [low, high];
}

/** The values of `in`: those of an array, or the parts of a string between its commas. */
function asMembers(value: unknown, type: FieldType): TextValue[] | undefined {
  if (typeof value === "string") return value.isWellFormed() ? value.split(",") : undefined;
  if (!isArray(value)) return undefined;
  const members: TextValue[] = [];
  const { length } = value;
  for (let i = 0; i < length; i++) {
    const member = asTextOrNull(value[i], type);
    if (member === undefined) return undefined;
    members.push(member);
  }
  return members;
}

/** V11, V17: the string by which a criterion's value is compared, or each of several. */
function comparedValue(field: Queried, value: unknown): unknown {
  if (field.ignoreCase !== true && field.ignoreAccents !== true) return value;
  const one = (each: unknown) => (typeof each === "string" ? comparedForm(field, each) : each);
  return isArray(value)
    ? Array.from({ length: value.length }, (_, i) => one(value[i]))
    : one(value);
}

type ValueTest = (field: TextValue) => boolean;

/** A row of C4: makes the test from a criterion's value; `undefined` if the value is not accepted. */
const operator =
  <Value>(
    read: (value: unknown, type: FieldType) => Value | undefined,
    holds: (field: TextValue, value: Value, type: FieldType) => boolean,
  ) =>
  (given: unknown, type: FieldType): ValueTest | undefined => {
    const value = read(given, type);
    return value === undefined ? undefined : (field) => holds(field, value, type);
  };

/** C6: these never hold for `null`. */
const onText = (holds: (field: string, text: string) => boolean) =>
  operator(asText, (field, text) => field !== null && holds(field, text));
const onOrder = (holds: (order: number) => boolean) =>
  operator(
    asBound,
    (field, bound, type) => field !== null && holds(compareTextForms(field, bound, type)),
  );

interface OperatorRow {
  /** The test for a criterion's value; `undefined` if the value is not accepted. */
  readonly test: (given: unknown, type: FieldType) => ValueTest | undefined;
  /** C4, V12, C16: the fields; `ordered` are those of numbers and, in a custom schema, strings. */
  readonly fields: "any" | "single" | "ordered" | "strings";
  /** C14, C16: whether the contract does not have it. */
  readonly isOwn?: true;
  /** Whether it has a list of values, of which there may be too many (E14). */
  readonly isList?: true;
  /** C5a: whether its values are values of the field. */
  readonly isOfValues?: true;
}

/** C4 to C7, C14, C16 and C17, by name. */
const ROWS: Readonly<Record<OperatorName, OperatorRow>> = {
  exactly: {
    test: operator(asTextOrNull, (field, value) => field === value),
    ...{ fields: "any", isOfValues: true },
  },
  not: {
    test: operator(asTextOrNull, (field, value) => field !== value),
    ...{ fields: "any", isOfValues: true },
  },
  contains: { test: onText((field, text) => field.includes(text)), fields: "single" },
  starts_with: { test: onText((field, text) => field.startsWith(text)), fields: "single" },
  ends_with: { test: onText((field, text) => field.endsWith(text)), fields: "single" },
  greater_than: { test: onOrder((order) => order > 0), fields: "ordered" },
  less_than: { test: onOrder((order) => order < 0), fields: "ordered" },
  at_least: { test: onOrder((order) => order >= 0), fields: "ordered", isOwn: true },
  at_most: { test: onOrder((order) => order <= 0), fields: "ordered", isOwn: true },
  between: {
    test: operator(
      asRange,
      (field, [low, high], type) =>
        field !== null &&
        compareTextForms(field, low, type) >= 0 &&
        compareTextForms(field, high, type) <= 0,
    ),
    ...{ fields: "ordered", isOwn: true },
  },
  in: {
    test: operator(asMembers, (field, members) => members.includes(field)),
    ...{ fields: "single", isList: true, isOfValues: true },
  },
  has: { test: operator(asElement, hasOne), fields: "strings", isOwn: true },
  has_any: { test: operator(asElements, hasOne), fields: "strings", isOwn: true, isList: true },
  has_all: { test: operator(asElements, hasEvery), fields: "strings", isOwn: true, isList: true },
};

export const OPERATORS: ReadonlyMap<string, OperatorRow> = new Map(Object.entries(ROWS));

function fits({ fields }: OperatorRow, type: FieldType, isOwn: boolean): boolean {
  if (fields === "any") return true;
  if (fields === "strings" || type === "strings") return fields === type;
  if (fields === "single" || type === "int" || type === "float") return true;
  return (type === "string" || type === "time") && isOwn;
}

/** C5a: a bigint in range is the number. */
function withoutBigInts(value: unknown): unknown {
  if (isArray(value)) {
    return Array.from({ length: value.length }, (_, i) => value[i]).map((each) =>
      isArray(each) ? each : withoutBigInts(each),
    );
  }
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** C5a: whether a field of the type can have the value. */
function canHave(field: Queried, value: unknown): boolean {
  const { type } = field;
  if (value === null) return true;
  if (type === "time") return periodOf(value, field) !== undefined;
  if (type === "int") return integer(value) !== undefined;
  if (type === "float") return finite(value) !== undefined;
  return type !== "boolean" || value === "true" || value === "false" || typeof value === "boolean";
}

/** The options of a service that change which queries are valid. */
export interface Settings {
  readonly criteria: number;
  readonly values: number;
  readonly rows: number;
  readonly unknownOperator: "exactly" | undefined;
  readonly zeroLimit: "unlimited" | undefined;
  /** Whether the schema is a custom one, with operators that the contract does not have (C14). */
  readonly isOwn?: boolean;
}

export const STRICT: Settings = {
  criteria: 1000,
  values: Infinity,
  rows: Infinity,
  unknownOperator: undefined,
  zeroLimit: undefined,
};

type Test = (row: Values) => boolean;

/** The test of an operator with the value of a criterion; `undefined` if it does not take the value. */
export function operatorTest(
  name: string,
  given: unknown,
  field: Queried,
  isOwn = true,
): ValueTest | undefined {
  const row = OPERATORS.get(name);
  if (row === undefined) return undefined;
  const isPeriod = field.type === "time" && (row.fields === "ordered" || row.isOfValues === true);
  if (isPeriod) return timeTest(name, given, field);
  return row.test(comparedValue(field, isOwn ? withoutBigInts(given) : given), field.type);
}

/** C1, C4, C8: one criterion. */
function readCriterion(given: unknown, fields: QueriedFields, settings: Settings): Test {
  const { unknownOperator, values: mostValues } = settings;
  check(isArray(given) && given.length === 3, 311, "a criterion is an array of three elements");
  const { isOwn = false } = settings;
  const [name, operatorName] = [given[0], given[1]];
  const value = isOwn ? withoutBigInts(given[2]) : given[2];
  const field = typeof name === "string" ? fields.get(name) : undefined;
  check(typeof name === "string" && field !== undefined, 311, "there is no such field");
  check(field.searchable !== false, 311, "the field is not searchable");
  check(typeof operatorName === "string", 311, "the operator is a string");
  const known = OPERATORS.get(operatorName);
  const isKnown = known !== undefined && (isOwn || known.isOwn !== true); // C14
  const row = isKnown ? known : OPERATORS.get(unknownOperator ?? ""); // E12
  check(row !== undefined, 311, "there is no such operator");
  check(fits(row, field.type, isOwn), 311, "the operator is not for such a field");
  if (row.isList === true) {
    const count =
      typeof value === "string" ? value.split(",").length : isArray(value) ? value.length : 0;
    check(!(count > mostValues), 311, "there are too many values"); // E14
  }
  if (isOwn && row.isOfValues === true) {
    const isText = row.isList === true && typeof value === "string";
    const all = isText ? value.split(",") : isArray(value) ? value : [value];
    check(
      all.every((each) => canHave(field, each)),
      311,
      "the field can't have the value",
    );
  }
  const test = operatorTest(
    isKnown ? operatorName : (unknownOperator ?? ""),
    given[2],
    field,
    isOwn,
  );
  check(test !== undefined, 311, "the operator takes no such value");
  return ({ values }) => test(comparedForm(field, values.get(name) ?? null)); // C9
}

/** C1 to C3a, C10. */
function readCriteria(given: unknown, fields: QueriedFields, settings: Settings): Test {
  if (given === undefined || given === null) return () => true;
  const count = { criteria: 0, groups: 0 };

  /** A list of criteria, split by "OR" into groups, at least one of which must hold; C3a: or a list within a list. */
  function readList(list: unknown, depth: number): Test {
    check(isArray(list), 311, "criteria are an array");
    check(depth <= DEEPEST, 311, "groups are nested too deeply");
    const { length } = list;
    const groups: Test[][] = [[]];
    let isNegated = false;
    for (let i = 0; i < length; i++) {
      const element = list[i];
      if (element === "NOT" && settings.isOwn === true) {
        check(!isNegated, 311, '"NOT" stands before a criterion or a group');
        isNegated = true;
      } else if (element === "OR") {
        check(!isNegated, 311, '"NOT" stands before a criterion or a group');
        groups.push([]);
      } else {
        const test = readPart(element, depth);
        groups.at(-1)?.push(isNegated ? (row) => !test(row) : test);
        isNegated = false;
      }
    }
    check(!isNegated, 311, '"NOT" stands before a criterion or a group');
    const isBetween = groups.length === 1 || groups.every((group) => group.length > 0);
    check(isBetween, 311, '"OR" stands between two criteria');
    return (row) => groups.some((group) => group.every((test) => test(row)));
  }

  function readPart(element: unknown, depth: number): Test {
    const isGroup = settings.isOwn === true && isArray(element) && startsAsGroup(element);
    const so = isGroup ? ++count.groups : ++count.criteria;
    check(so <= settings.criteria, 311, "there are too many criteria");
    return isGroup ? readList(element, depth + 1) : readCriterion(element, fields, settings);
  }

  return readList(given, 0);
}

/** C3a: how many groups a criterion may be nested in. */
const DEEPEST = 32;

/** C3a: a criterion begins with the name of a field, which may be "NOT". */
const startsAsGroup = (list: readonly unknown[]): boolean =>
  list.length === 0 || isArray(list[0]) || (list[0] === "NOT" && isArray(list[1]));

/** P3, P4, V10: `null` first, then numbers by number and strings by code point. */
export function compareTextForms(a: TextValue, b: TextValue, type: FieldType): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (type === "int" || type === "float") return Math.sign(Number(a) - Number(b));
  if (type === "time") return compareTimes(a, b);
  let at = 0;
  while (at < a.length && a.codePointAt(at) === b.codePointAt(at)) at++;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

/** Two bounds of a field, the lower one first. */
export const inOrder = <Bound extends string | number>(
  field: Queried,
  bounds: readonly [Bound, Bound],
): readonly [Bound, Bound] => {
  const [a, b] = bounds;
  const key = (bound: Bound) => comparedForm(field, String(bound));
  return compareTextForms(key(a), key(b), field.type) > 0 ? [b, a] : bounds;
};

/** P5. */
const isOmitted = (value: unknown) => value === undefined || value === null || value === "";

function readCount(value: unknown, otherwise: number): number {
  const count = isOmitted(value) ? otherwise : Number(integer(value) ?? NaN);
  check(count >= 0, 310, "limit and offset are non-negative safe integers");
  return count + 0;
}

/** A field to sort by. */
interface Order {
  readonly name: string;
  readonly field: Queried;
  readonly isDescending: boolean;
}

const isSortable = (field: Queried | undefined): field is Queried =>
  field !== undefined && field.type !== "json" && field.type !== "strings";

/** P9: pairs of a field, named once, and its order. */
function readSort(given: unknown, fields: QueriedFields): readonly Order[] {
  check(isArray(given), 310, "the sort is an array");
  const { length } = given;
  check(length <= fields.size, 310, "the sort has more fields than there are");
  const orders: Order[] = [];
  for (let i = 0; i < length; i++) {
    const pair = given[i];
    check(isArray(pair) && pair.length === 2, 310, "an element is a field and its order");
    const [name, order] = [pair[0], pair[1]];
    const field = typeof name === "string" ? fields.get(name) : undefined;
    check(typeof name === "string" && isSortable(field), 310, "the field is one to sort by");
    check(order === "ASC" || order === "DESC", 310, "the order is ASC or DESC");
    check(!orders.some((other) => other.name === name), 310, "each field is named once");
    orders.push({ name, field, isDescending: order === "DESC" });
  }
  return orders;
}

/**
 * P1 to P6, and P9. The parameters are checked from left to right (E4), their number last (E7).
 *
 * @param parameters criteria, limit, offset, the field to sort by, and the order; for a custom schema, also several
 *   fields with their orders
 * @throws ServiceError
 */
export function page<Row extends Values>(
  { fields, rows: all }: { readonly fields: QueriedFields; readonly rows: readonly Row[] },
  parameters: readonly unknown[],
  settings: Settings = STRICT,
): Row[] {
  const [criteria, givenLimit, givenOffset, sortBy, sortOrder, sort] = parameters;
  const test = reading(311, () => readCriteria(criteria, fields, settings));
  const limit = readCount(givenLimit, Infinity);
  const offset = readCount(givenOffset, 0);
  // A List Field without a name can't be sorted by: "" counts as omitted.
  const isField = typeof sortBy === "string" && !isOmitted(sortBy);
  const field = isField ? fields.get(sortBy) : undefined;
  check(isOmitted(sortBy) || isSortable(field), 310, "sort_by is a field");
  const isDescending = isOmitted(sortOrder) || sortOrder === "DESC";
  check(isDescending || sortOrder === "ASC", 310, "sort_order is ASC or DESC");
  const orders: Order[] = [];
  if (isField && field !== undefined) {
    orders.push({ name: sortBy, field, isDescending });
  }
  if (settings.isOwn === true && sort !== undefined && sort !== null) {
    check(isOmitted(sortBy) && isOmitted(sortOrder), 310, "there is one sort");
    orders.push(...reading(310, () => readSort(sort, fields)));
  }
  check(
    parameters.length <= (settings.isOwn === true ? 6 : 5),
    310,
    "there are too many parameters",
  );

  const rows = all.filter(test);
  const key = ({ values }: Row, { name, field }: Order) =>
    comparedForm(field, values.get(name) ?? null);
  rows.sort((a, b) => {
    for (const each of orders) {
      const order = compareTextForms(key(a, each), key(b, each), each.field.type);
      if (order !== 0) return each.isDescending ? -order : order;
    }
    return 0;
  });
  const most = limit === 0 && settings.zeroLimit === "unlimited" ? Infinity : limit; // E12
  const found = rows.slice(offset, offset + most);
  check(found.length <= settings.rows, 310, "there are too many records; ask for a page"); // E14
  return found;
}
