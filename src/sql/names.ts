// The names of tables and columns: those that tercet gives, or those of the caller's own tables.

import { describe, InputError, member } from "../schema/errors.ts";
import type { Field } from "../schema/field.ts";
import { isMembers, oneOrMore, readMembers } from "../schema/input.ts";
import type { Place } from "../schema/place.ts";
import type { Schema } from "../schema/schema.ts";
import type {
  Booleans,
  ColumnDefinition,
  Dialect,
  NumberForm,
  TableDefinition,
} from "./dialect.ts";

/** The name of a table; or several, where those of its database or schema stand before it. */
export type TableName = string | readonly string[];

/**
 * A column, perhaps with another one: of an int field one that holds its values as texts, of a field that
 * ignores case one that holds them in lower case, as `toLowerCase()` of JavaScript gives it.
 */
export type ColumnName =
  | string
  | {
      readonly column: string;
      readonly text?: string | undefined;
      readonly lower?: string | undefined;
    };

/** A table of the caller's own. */
export interface TableNames<Name extends string = string> {
  readonly name: TableName;
  /** The columns of fields. Default: `c0`, `c1` and so on, in the order of the schema. */
  readonly columns?: Readonly<Partial<Record<Name, ColumnName>>> | undefined;
  /** The column of integers that tells the order of insertion. Default: `position`. */
  readonly position?: string | undefined;
}

/** The columns of a field, in quotes. */
export interface FieldColumns {
  readonly field: Pick<Field, "type" | "nullable">;
  /** What is compared: numbers, booleans, or texts by code point. */
  readonly value: string;
  /** The value as its wire text; `undefined` for a float, which engines write otherwise. */
  readonly text: string | undefined;
  /** What rows are ordered by. Default: as the dialect orders the value. */
  readonly ordered?: string | undefined;
  /** How the value, or the lowest of several, is selected. Default: as it is. */
  readonly select?: ((value: string) => string) | undefined;
  /** The column, where that its indexes have a value is necessary for the comparison but not enough. */
  readonly necessary?: string | undefined;
  /** Whether the engine knows that there is no `null`. */
  readonly isNotNull?: boolean | undefined;
  /** How booleans are written, and numbers bound, that the value is compared with. */
  readonly booleans?: Booleans | undefined;
  readonly numbers?: NumberForm | undefined;
}

/** The columns of a field of a table, and what they are called. */
export interface NamedColumns extends FieldColumns {
  readonly column: string;
  /** What is returned, in quotes. */
  readonly returned: string;
  /** Where the column in lower case should be named, if it is not. */
  readonly missing: string | undefined;
  /** The column, and that in lower case or of texts. */
  readonly columns: readonly ColumnDefinition[];
}

/** A table: its own name in quotes, those of columns as they are. */
export interface Table extends TableDefinition {
  /** The same, not in quotes, and before it those of its database or schema. */
  readonly path: readonly string[];
}

/** What is asked of a table of records. */
export type AskedTable = Omit<RecordTable, keyof TableDefinition> & Pick<TableDefinition, "name">;

/** A table of records. */
export interface RecordTable extends Table {
  readonly position: string;
  /** By the name of the field. */
  readonly fields: ReadonlyMap<string, NamedColumns>;
}

/** @throws InputError where it is none */
export function readName(name: unknown, path: string): string {
  if (typeof name === "string" && name !== "" && !name.includes("\0") && name.isWellFormed()) {
    return name;
  }
  throw new InputError(path, `must be a name, not ${describe(name)}`);
}

/** @throws InputError where criteria, an order or an index needs a column that is not named */
export function requireCompared(columns: NamedColumns): NamedColumns {
  if (columns.missing === undefined) return columns;
  throw new InputError(
    columns.missing,
    "must be { column, lower }: the field ignores case, and `lower` holds it in lower case, as toLowerCase() of JavaScript gives it",
  );
}

/** The name of a table: one, or several of which the last is its own. */
export function readTableName(name: unknown, path: string): readonly string[] {
  const parts = oneOrMore(name, path);
  if (parts.length === 0) throw new InputError(path, "must be a name, not an empty array");
  return parts.map(({ value, path: place }) => readName(value, place));
}

/** What a table is called that was read. */
export const namedTable = ({ quote }: Dialect, path: readonly string[]) => ({
  name: path.map(quote).join("."),
  path,
});

/** A column of integers. */
export const int = (name: string, nullable = false): ColumnDefinition => ({
  ...{ name, kind: "int", nullable },
});

/** What a table is called as a whole, or its members by their names. */
export function tableMembers<const Name extends string>(
  input: unknown,
  path: string,
  names: readonly Name[],
): Readonly<Partial<Record<Name | "name", unknown>>> {
  const isName = typeof input === "string" || Array.isArray(input);
  return readMembers(isName ? { name: input } : input, path, ["name", ...names]);
}

export const TABLE_MEMBERS = ["columns", "position"] as const;

/**
 * Reads how a table and its columns are called.
 *
 * @param columnOf the column of a field, where the caller names none
 * @throws InputError with the path of the first member that is not valid
 */
export function readTable(
  schema: Schema,
  dialect: Dialect,
  input: unknown,
  path: string,
  columnOf: (place: Place) => ColumnName = defaultColumn,
): RecordTable {
  const given = tableMembers(input, path, TABLE_MEMBERS);
  const named = namedTable(dialect, readTableName(given.name, `${path}.name`));
  const position = readName(given.position ?? "position", `${path}.position`);
  const fields = readColumns(schema, dialect, given.columns ?? {}, `${path}.columns`, columnOf);
  const columns = [int(position), ...[...fields.values()].flatMap((field) => field.columns)];
  return { ...named, position, fields, columns, key: [position] };
}

const defaultColumn = ({ position, field }: Place): ColumnName => {
  const column = `c${position}`;
  return field.ignoreCase ? { column, lower: `${column}_lower` } : column;
};

export function readColumns(
  schema: Schema,
  dialect: Dialect,
  input: unknown,
  path: string,
  columnOf: (place: Place) => ColumnName,
): Map<string, NamedColumns> {
  if (!isMembers(input)) {
    throw new InputError(path, `must be an object, not ${describe(input)}`);
  }
  for (const each of Object.keys(input)) {
    if (!Object.hasOwn(schema.fields, each)) {
      throw new InputError(member(path, each), "is not a field");
    }
  }
  return new Map(
    schema.places.map((place) => {
      const { name, field } = place;
      const own = Object.hasOwn(input, name) ? input[name] : undefined;
      return [name, readColumn(field, dialect, own ?? columnOf(place), member(path, name))];
    }),
  );
}

function readColumn(field: Field, dialect: Dialect, input: unknown, path: string): NamedColumns {
  const isName = typeof input === "string";
  const given = isName ? { column: input } : readMembers(input, path, ["column", "text", "lower"]);
  const column = readName(given.column, isName ? path : `${path}.column`);
  const { type, nullable, ignoreCase } = field;
  if (given.lower !== undefined && !ignoreCase) {
    throw new InputError(`${path}.lower`, "is for a field that ignores case");
  }
  if (given.text !== undefined && type !== "int" && type !== "float") {
    throw new InputError(`${path}.text`, "is for an int or float field");
  }
  const returned = dialect.quote(column);
  const own: ColumnDefinition = { name: column, kind: type, nullable };
  const named = { field, column, returned, value: returned, missing: undefined, columns: [own] };
  if (ignoreCase) {
    if (given.lower === undefined) return { ...named, missing: path, value: "", text: "" };
    const name = readName(given.lower, `${path}.lower`);
    const value = dialect.quote(name);
    return { ...named, value, text: value, columns: [own, { ...own, name }] };
  }
  if (given.text === undefined) {
    return { ...named, text: textOf(field, returned, dialect) };
  }
  const name = readName(given.text, `${path}.text`);
  const generated = dialect.toText(returned);
  const columns = [own, { name, kind: "string", nullable, generated } as const];
  return { ...named, text: dialect.quote(name), columns };
}

/** The wire text of a value, where the engine writes it so. */
export function textOf({ type }: Pick<Field, "type">, value: string, dialect: Dialect) {
  return type === "string" ? value : type === "int" ? dialect.toText(value) : undefined;
}

/**
 * What the columns of results are called, in the order in which they are selected. No engine folds or cuts it, and
 * none has to read it as one of a table's columns.
 */
export const nameOf = (place: number) => `tercet_${place}`;

/** Values as they are selected. @param from the place of the first */
export const named = (values: readonly string[], from = 0): string =>
  values.map((value, i) => `${value} AS ${nameOf(from + i)}`).join(", ");
