// The columns of a table that tercet did not make: their types, and how statements refer to fields in
// them.

import { InputError, member } from "../schema/errors.ts";
import type { FieldType, WireValue } from "../schema/field.ts";
import type { Collation, ColumnDefinition, Dialect, NativeType, TypeFamily } from "./dialect.ts";
import { int, type AskedTable, type NamedColumns } from "./names.ts";

export type NativeColumns = ReturnType<typeof nativeColumns>;

/** @param rows what the catalog answers */
export function nativeColumns(rows: readonly (readonly WireValue[])[], { name: dialect }: Dialect) {
  const columns = new Map(rows.map(([name = null, ...row]) => [name ?? "", nativeType(row)]));
  // The others know the case of names.
  const isFolded = dialect === "sqlite" || dialect === "duckdb" || dialect === "mariadb";
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

/** As engines and their drivers say so. */
const isTrue = (value: WireValue | undefined) => value === "1" || value === "true";

function nativeType([type, isNotNull, collation]: readonly WireValue[]): NativeType {
  const plain = (type ?? "").toLowerCase().replace(/^(?:lowcardinality\(|nullable\()+|\)+$/g, "");
  const [, precision, scale] = /\((\d+)(?:, ?(\d+))?/.exec(plain) ?? [];
  return {
    type: type ?? "",
    family: FAMILIES.find(([, names]) => names.test(plain))?.[0] ?? "other",
    precision: precision === undefined ? undefined : Number(precision),
    scale: precision === undefined ? undefined : Number(scale ?? 0),
    isNotNull: isTrue(isNotNull),
    collation: COLLATIONS.find((each) => each === collation) ?? null,
  };
}

const COLLATIONS: readonly Collation[] = ["points", "equality", "other"];

/** By the beginning of the type's name. */
const FAMILIES: readonly (readonly [TypeFamily, RegExp])[] = [
  ["integer", /^(?:u?(?:tiny|small|medium|big|huge)?int(?:eger)?\d*\b|serial|bigserial|year)/],
  ["decimal", /^(?:decimal|numeric|number)/],
  ["float", /^(?:real|float\d*|double)/],
  ["boolean", /^bool/],
  ["text", /^(?:varchar|character|char|bpchar|text|(?:tiny|medium|long)text|string|clob|nvarchar)/],
  ["json", /^json/],
];

/** The families of columns that a field of each type may be in. What SQLite is not told may be anything. */
const FITTING: Readonly<Record<FieldType, readonly TypeFamily[]>> = {
  int: ["integer", "decimal"],
  float: ["float", "integer", "decimal"],
  boolean: ["boolean", "integer"],
  string: ["text", "integer", "decimal", "float", "boolean", "json", "other"],
  json: ["json", "text", "other"],
};

/** Why a field can't be in a column of a type, as the end of a sentence; `undefined` where it can. */
function misfit(field: FieldType, { type, family, scale = 0 }: NativeType): string | undefined {
  const isWhole = field !== "int" || family !== "decimal" || scale === 0;
  if (type === "" || (FITTING[field].includes(family) && isWhole)) return undefined;
  return `which no ${field} field can be of`;
}

const misplaced = ({ type, family }: NativeType): string | undefined =>
  type === "" || family === "integer" ? undefined : "not of integers";

/** Doubles distinguish decimals of up to this many digits, so that both compare alike. */
const EXACT_DIGITS = 15;

/** How a field is asked for in a column of a type. */
function columnsIn(own: NamedColumns, native: NativeType, dialect: Dialect): NamedColumns {
  const { field, value: column } = own;
  const { family, collation } = native;
  const asText = (value: string) => dialect.catalog.text(value, native);
  const asItIs = { ...own, isNotNull: native.isNotNull || !field.nullable };
  switch (field.type) {
    case "string": {
      const value = asText(column);
      const isOwn = value === column;
      return {
        ...asItIs,
        value,
        text: value,
        ordered: isOwn && collation === "points" ? column : undefined,
        necessary: !isOwn && family === "text" ? column : undefined,
      };
    }
    case "float": {
      const isDecimal = family === "decimal";
      const numbers = isDecimal && isExact(native) ? (dialect.decimals ?? "float") : "float";
      const isHeld = !isDecimal || (dialect.decimals === undefined && isExact(native));
      const value = isHeld || numbers !== "float" ? column : dialect.toFloat(column);
      return { ...asItIs, value, select: dialect.toFloat, numbers };
    }
    case "boolean":
      return { ...asItIs, booleans: family === "integer" ? ["0", "1"] : undefined };
    case "int":
      return { ...asItIs, select: family === "decimal" ? dialect.toText : undefined };
    case "json":
      return { ...asItIs, select: asText };
  }
}

const isExact = ({ precision }: NativeType) => precision !== undefined && precision <= EXACT_DIGITS;

/**
 * A table as its columns are.
 *
 * @throws InputError where it lacks the column of a field, or one is of a type that the field can't be of
 */
export function tableAsItIs(table: AskedTable, native: NativeColumns, dialect: Dialect) {
  if (native.size === 0) {
    throw new InputError("options.table", `there is no table ${table.path.join(".")}`, {
      code: "not_found",
    });
  }
  const fields = new Map<string, NamedColumns>();
  for (const { option, field, type, fault } of columnsFound(table, native)) {
    if (type === undefined || fault !== undefined) throw new InputError(option, fault ?? "");
    if (field !== undefined) fields.set(field[0], columnsIn(field[1], type, dialect));
  }
  return { ...table, fields };
}

/** A column that is asked for. */
export interface FoundColumn {
  /** What names it. */
  readonly option: string;
  readonly column: ColumnDefinition;
  /** The field, and its columns, where it is what holds the values. */
  readonly field?: readonly [name: string, columns: NamedColumns] | undefined;
  /** `undefined` where there is no such column. */
  readonly type: NativeType | undefined;
  /** Why it can't be what it is named for. */
  readonly fault: string | undefined;
}

/** The columns of fields, and that of the position, with their types and what is wrong with these. */
export function columnsFound({ fields, path, position }: AskedTable, native: NativeColumns) {
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
    const option = member("options.columns", name);
    const refuse = (type: NativeType) => misfit(columns.field.type, type);
    return columns.columns.map((column, i) =>
      i === 0
        ? find(option, column, refuse, [name, columns])
        : find(option, column, () => undefined),
    );
  });
  return position === "" ? found : [...found, find("options.position", int(position), misplaced)];
}
