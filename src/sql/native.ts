// The columns of an existing table: the fields they can hold, how statements refer to them, and which of their values a
// field can't have.

import { isFolded } from "../schema/folding.ts";
import { InputError, member } from "../schema/errors.ts";
import type { FieldType, TextValue } from "../schema/field.ts";
import type { ColumnDefinition, Dialect, NativeType, Parameter, TypeFamily } from "./dialect.ts";
import { int, type AskedTable } from "./names.ts";
import type { NamedColumns } from "./columns.ts";
import { isTrue, nativeType } from "./native-type.ts";

export type NativeColumns = ReturnType<typeof nativeColumns>;

/** @param rows the result of the catalog query */
export function nativeColumns(rows: readonly (readonly TextValue[])[], dialect: Dialect) {
  const columns = new Map(
    rows.map(([name = null, ...row]) => [name ?? "", nativeType(row, dialect)]),
  );
  // Names in the other engines are case-sensitive.
  const isFolded = ["sqlite", "duckdb", "mariadb"].includes(dialect.name);
  const folded = new Map(
    isFolded ? Array.from(columns, ([name, type]) => [name.toLowerCase(), type]) : [],
  );
  return {
    size: columns.size,
    /** Whether it is a view, or another table without indexes of its own. */
    isView: isTrue(rows[0]?.[4]),
    get: (name: string) => columns.get(name) ?? folded.get(name.toLowerCase()),
  };
}

/** The families of columns that are suitable for a field of each type. */
const FITTING: Readonly<Record<FieldType, readonly TypeFamily[] | "all">> = {
  int: ["integer", "decimal", "untyped"],
  float: ["float", "integer", "decimal", "untyped"],
  boolean: ["boolean", "integer", "untyped"],
  string: "all",
  strings: ["strings", "text", "json", "untyped"],
  json: ["text", "json", "untyped"],
  // Other types write instants in other ways, so their strings would not compare with those of criteria.
  time: ["text", "untyped"],
};

function isFitting(field: FieldType, { family, scale = 0 }: NativeType): boolean {
  const fitting = FITTING[field];
  const isWhole = field !== "int" || family !== "decimal" || scale === 0;
  return (fitting === "all" || fitting.includes(family)) && isWhole;
}

/** Why a field can't use a column of a type, as the end of a sentence; `undefined` if it can. */
function misfit(field: FieldType, native: NativeType): string | undefined {
  if (isFitting(field, native)) return undefined;
  const others = (["float", "boolean", "string"] as const).filter((each) =>
    isFitting(each, native),
  );
  return `which no ${field} field can be of; make it a ${others.join(" or ")} field`;
}

const misplaced = ({ family }: NativeType): string | undefined =>
  family === "integer" || family === "untyped" ? undefined : "not of integers";

/** Doubles distinguish decimals with up to this many digits, so both compare alike. */
const EXACT_DIGITS = 15;

const isExact = ({ precision }: NativeType) => precision !== undefined && precision <= EXACT_DIGITS;

/**
 * How a field is selected from a column of a type.
 *
 * @param other the type of the column in lower case, or of the string column, if the field has one
 */
function columnsIn(
  own: NamedColumns,
  native: NativeType,
  other: NativeType | undefined,
  dialect: Dialect,
): NamedColumns {
  const { field, returned: column } = own;
  const { family } = native;
  const { catalog } = dialect;
  const isNotNull = native.isNotNull || !field.nullable;
  const isIndexable = catalog.isIndexable?.(native) ?? false;
  const secondText = own.text === undefined ? undefined : other && catalog.text(own.text, other);
  const mayBeText = family === "untyped" || native.isView;
  const numeric = mayBeText ? catalog.numeric : undefined;
  const plain =
    numeric ?? (catalog.integer && ((value) => catalog.integer?.(value, native) ?? value));
  // What cannot be returned: large integers in a float field can, and only compare as others do.
  const fault =
    field.type === "float"
      ? outside(column, Number.MAX_VALUE)
      : field.type === "int"
        ? faultOf(own, column, native, dialect, [])
        : undefined;
  const asItIs = { ...own, native: native.type, isNotNull, isIndexable, select: numeric, fault };
  const compared = catalog.number?.(column, native) ?? column;
  switch (field.type) {
    case "string":
      return { ...asItIs, select: undefined, ...stringIn(own, native, other, dialect) };
    case "float": {
      const isDecimal = family === "decimal";
      const numbers = isDecimal && isExact(native) ? (dialect.decimals ?? "float") : "float";
      const isHeld = !isDecimal || (dialect.decimals === undefined && isExact(native));
      const value = isHeld || numbers !== "float" ? compared : dialect.toFloat(column);
      const { toFloat } = dialect;
      const select = (value: string) => catalog.numeric?.(value, toFloat(value)) ?? toFloat(value);
      return { ...asItIs, value, select, numbers, text: secondText, presence: column };
    }
    case "boolean":
      return { ...asItIs, select: plain, booleans: family === "boolean" ? undefined : ["0", "1"] };
    case "int": {
      const isWhole = family === "integer" && !native.isView;
      const toText = (value: string) =>
        (isWhole ? undefined : catalog.wholeText?.(value, native)) ??
        dialect.toText(plain?.(value) ?? value);
      const select = family === "decimal" ? (numeric ?? toText) : plain;
      return { ...asItIs, value: compared, select, text: secondText ?? toText(column) };
    }
    case "strings": {
      const { strings: arrays, stringsInTexts = arrays } = dialect;
      if (family === "strings") {
        const own = { value: column, ...arrays };
        const { value, ...strings } = catalog.strings?.(column, native) ?? own;
        return { ...asItIs, value, strings, select: strings.toJson };
      }
      const text = catalog.text(column, native);
      const value = stringsInTexts.fromJson?.(text) ?? text;
      return { ...asItIs, value, strings: stringsInTexts, select: stringsInTexts.toJson };
    }
    case "json":
      return { ...asItIs, select: (value) => catalog.text(value, native) };
  }
}

/** A string in the engine-specific type of its column, if there is one. */
function stringIn(
  { field, value, returned: column }: NamedColumns,
  native: NativeType,
  other: NativeType | undefined,
  dialect: Dialect,
): Pick<NamedColumns, "value"> & Partial<NamedColumns> {
  const { catalog } = dialect;
  const own = catalog.own?.(native);
  const text = own?.text(column) ?? catalog.text(column, native);
  if (isFolded(field)) {
    // The compared column differs from the one with the spelling.
    const folded = other === undefined ? value : catalog.text(value, other);
    return { value: folded, text: folded, returned: text };
  }
  if (own !== undefined) {
    const ordered = own.isOrdered ? column : dialect.ordered(text, "string");
    return { value: own.value?.(column) ?? column, text, returned: text, own, ordered };
  }
  const isItself = text === column;
  const usual = native.family === "text" ? {} : undefined;
  const likeness = catalog.likeness === undefined ? usual : catalog.likeness(native);
  return {
    value: text,
    text,
    returned: text,
    ordered: isItself && native.collation === "points" ? column : undefined,
    presence: column,
    necessary: isItself || likeness === undefined ? undefined : { column, ...likeness },
  };
}

/**
 * A table, described by its columns.
 *
 * @param where the path of its options
 * @throws InputError if the column of a field is missing, or has an unsuitable type
 */
export function tableAsItIs(
  table: AskedTable,
  native: NativeColumns,
  dialect: Dialect,
  where = "options",
): AskedTable {
  if (native.size === 0) {
    throw new InputError(`${where}.table`, `there is no table ${table.path.join(".")}`, {
      code: "not_found",
    });
  }
  const fields = new Map<string, NamedColumns>();
  for (const { option, field, type, fault } of columnsFound(table, native, where)) {
    if (type === undefined || fault !== undefined) throw new InputError(option, fault ?? "");
    if (field === undefined) continue;
    const [name, columns] = field;
    const second = columns.columns[1];
    const other = second && native.get(second.name);
    fields.set(name, columnsIn(columns, type, other, dialect));
  }
  return { ...table, fields };
}

/** A requested column. */
export interface FoundColumn {
  /** The path of its option. */
  readonly option: string;
  readonly column: ColumnDefinition;
  /** The field and its columns, if the column is suitable. */
  readonly field?: readonly [name: string, columns: NamedColumns] | undefined;
  /** `undefined` if there is no such column. */
  readonly type: NativeType | undefined;
  /** Why it is unsuitable. */
  readonly fault: string | undefined;
}

/** The columns of fields and of the position, with their types and any problems with these. */
export function columnsFound(
  { fields, path, position }: AskedTable,
  native: NativeColumns,
  where = "options",
) {
  const find = (
    option: string,
    column: ColumnDefinition,
    refuse: (type: NativeType) => string | undefined,
    field?: FoundColumn["field"],
  ): FoundColumn => {
    const type = native.get(column.name);
    const called = JSON.stringify(column.name);
    const reason = type && refuse(type);
    const fault = reason && `the column ${called} is of the type ${type.type}, ${reason}`;
    const missing = `${path.join(".")} has no column ${called}`;
    return { option, column, field, type, fault: type === undefined ? missing : fault };
  };
  const found = [...fields].flatMap(([name, columns]) => {
    const option = member(`${where}.columns`, name);
    const refuse = (type: NativeType) => misfit(columns.declared, type);
    return columns.columns.map((column, i) =>
      i === 0
        ? find(option, column, refuse, [name, columns])
        : find(option, column, () => undefined),
    );
  });
  return position === "" ? found : [...found, find(`${where}.position`, int(position), misplaced)];
}

/** The condition that a column's value is invalid for its field; `undefined` if its type rules that out. */
export function faultOf(
  { field, declared }: Pick<NamedColumns, "field" | "declared">,
  column: string,
  native: NativeType,
  dialect: Dialect,
  parameters: Parameter[],
): string | undefined {
  const { type, nullable, oneOf, precision } = field;
  const { family, isView, isNotNull } = native;
  const own = type === "string" ? dialect.catalog.own?.(native) : undefined;
  const faults: (string | undefined)[] = [dialect.catalog.fault?.(column, type, native)];
  // For a table, the type says whether a column may be null.
  if (isView && !nullable && !isNotNull) faults.push(`${column} IS NULL`);
  if (type === "int") faults.push(outside(column, Number.MAX_SAFE_INTEGER));
  if (type === "float") {
    // Larger integers share doubles, so their order would differ.
    const isWhole = family === "integer";
    faults.push(outside(column, isWhole ? 2 ** 53 : Number.MAX_VALUE));
  }
  if (type === "boolean" && family !== "boolean") faults.push(`${column} NOT IN (0, 1)`);
  faults.push(own?.fault?.(column));
  if (declared === "time") {
    const fraction = precision === "microseconds" ? "______" : "___";
    const text = dialect.catalog.text(column, native);
    faults.push(`${text} NOT LIKE '____-__-__T__:__:__.${fraction}Z'`);
  }
  if (type === "string" && oneOf !== undefined) {
    const text = own?.text(column) ?? dialect.catalog.text(column, native);
    const list = dialect.bind(oneOf, parameters);
    faults.push(`NOT (${dialect.isIn(text, list, "string")})`);
  }
  const all = faults.filter((each) => each !== undefined);
  return all.length === 0 ? undefined : all.map((each) => `(${each})`).join(" OR ");
}

/** In engines, NaN is above all numbers, or unequal to everything. */
const outside = (column: string, most: number) => `NOT (${column} BETWEEN ${-most} AND ${most})`;
