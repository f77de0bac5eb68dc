// The columns of the fields of a table: their names, as options give them, and how statements refer to them.

import { foldingInWords, isFolded } from "../schema/folding.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import type { Field, FieldType } from "../schema/field.ts";
import type { ComputedPlace } from "../schema/computed.ts";
import { membersOf } from "../schema/input.ts";
import { fieldOf } from "../schema/names.ts";
import { optional, readOptions, type OptionReaders } from "../schema/options.ts";
import type { Place } from "../schema/place.ts";
import type { Schema } from "../schema/schema.ts";
import type {
  Booleans,
  ColumnDefinition,
  Dialect,
  NumberForm,
  OwnForm,
  StoredType,
  StringsForm,
} from "./dialect.ts";
import { storedAs } from "./dialect.ts";
import { columnIn } from "./result-columns.ts";

/**
 * A column, optionally with a second one: for an int field, its values as strings; for a field that ignores case or
 * accents, its values as they are compared: in lower case, computed like `text.toLowerCase().replaceAll("ς", "σ")`,
 * without accents, like `text.normalize("NFD").replace(/\p{M}/gu, "").normalize()`, or without accents and then in
 * lower case.
 */
export type ColumnName =
  | string
  | {
      readonly column: string;
      readonly text?: string | undefined;
      readonly folded?: string | undefined;
    };

/** The columns of fields; `"fields"`: named after these. */
export type ColumnNames<Name extends string = string> =
  | Readonly<Partial<Record<Name, ColumnName>>>
  | "fields";

/** The columns of a field, quoted. */
export interface FieldColumns {
  readonly field: Field<StoredType>;
  /** The compared expression: numbers, booleans, or strings by code point. */
  readonly value: string;
  /** The text form; `undefined` for a float, which engines format differently. */
  readonly text: string | undefined;
  /** The ORDER BY expression. Default: that of the dialect for the value. */
  readonly ordered?: string | undefined;
  /** For a strings field: how its arrays are stored. Default: as the engine's arrays. */
  readonly strings?: StringsForm | undefined;
  /** How the value, or the lowest of several, is selected. Default: unchanged. */
  readonly select?: ((value: string) => string) | undefined;
  /** A column that must match by its own indexes as well, which is necessary but not sufficient. */
  readonly necessary?: Necessary | undefined;
  /** The mapping between values and the strings of the field, if they differ. */
  readonly own?: OwnForm | undefined;
  /** The column that is null if and only if the value is, for its indexes. Default: the value. */
  readonly presence?: string | undefined;
  /** The condition that a number is none that the field can have. */
  readonly fault?: string | undefined;
  /** The engine's name of the column's type, once it was read. */
  readonly native?: string | undefined;
  /** Whether the column is NOT NULL. */
  readonly isNotNull?: boolean | undefined;
  /** How operands are written: booleans as literals, numbers as parameters. */
  readonly booleans?: Booleans | undefined;
  readonly numbers?: NumberForm | undefined;
}

/** The expression to order a field by, and to compare ranges of strings. */
export const orderedOf = ({ field, value, ordered }: FieldColumns, dialect: Dialect): string =>
  ordered ?? dialect.ordered(value, field.type);

/** A column, and how to bind strings that are compared with it. */
export interface Necessary extends Partial<Pick<OwnForm, "bind" | "bindList">> {
  readonly column: string;
}

/** The columns of a field of a table, with their names. */
export interface NamedColumns extends FieldColumns {
  /** The type of the field itself. */
  readonly declared: FieldType;
  readonly column: string;
  /** The column to select for a field whose `value` is another column. */
  readonly returned: string;
  /** Whether the value, if it is an expression, can be indexed. */
  readonly isIndexable?: boolean | undefined;
  /** How the values are computed, if they are (rule V16). */
  readonly computed: ComputedPlace | undefined;
  /** Whether the caller named the column. */
  readonly isNamed: boolean;
  /** The path of the option for the missing column of folded values. */
  readonly missing: string | undefined;
  /** The column, and its folded or string form. */
  readonly columns: readonly ColumnDefinition[];
}

/** @throws InputError if it is not one */
export function readName(name: unknown, path: string): string {
  if (typeof name === "string" && name !== "" && !name.includes("\0") && name.isWellFormed()) {
    return name;
  }
  throw new InputError(path, `must be a name, not ${describe(name)}`);
}

/** @throws InputError if criteria, an order or an index need a column that was not named */
export function requireCompared(columns: NamedColumns): NamedColumns {
  if (columns.missing === undefined) return columns;
  const { ignored, expression } = foldingInWords(columns.field);
  throw new InputError(
    columns.missing,
    `must be { column, folded }: the field ignores ${ignored}, and \`folded\` holds its values as they are compared, as ${expression} in JavaScript computes them`,
  );
}

/** A column named after its field. */
const columnAfter = ({ name, field }: Place): ColumnName =>
  isFolded(field) ? { column: name, folded: `${name}_folded` } : name;

/** How statements refer to a column. */
export type Refer = (column: string) => string;

/** The columns of fields by the names of these, as statements refer to them. */
export type ColumnsBy = (refer: Refer) => ReadonlyMap<string, NamedColumns>;

/** @throws InputError with the path of the first name that is not valid */
export function readColumns(
  schema: Schema,
  dialect: Dialect,
  input: unknown,
  where: string,
  columnOf: (place: Place) => ColumnName,
): ColumnsBy {
  const given = input === "fields" ? {} : membersOf(input, where);
  const defaultOf = input === "fields" ? columnAfter : columnOf;
  for (const each of Object.keys(given)) {
    if (fieldOf(schema, each) === undefined) {
      throw new InputError(member(where, each), "is not a field", { code: "unknown_field" });
    }
  }
  const named = schema.places.map((place) => {
    const { name, field } = place;
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    const columnsBy = readColumn(field, dialect, own ?? defaultOf(place), member(where, name));
    return { name, columnsBy, isNamed: own !== undefined };
  });
  return (refer) => {
    const all = new Map<string, NamedColumns>(
      named.map(({ name, columnsBy, isNamed }) => {
        const computed = schema.computed.get(name);
        return [name, { ...columnsBy(refer), computed, isNamed }];
      }),
    );
    for (const [name, columns] of all) {
      if (columns.computed !== undefined) all.set(name, generatedFrom(all, columns, dialect));
    }
    return all;
  };
}

/** The columns of a computed field. If it has a path for which the engine has an expression, its value is generated. */
function generatedFrom(
  all: ReadonlyMap<string, NamedColumns>,
  columns: NamedColumns,
  dialect: Dialect,
): NamedColumns {
  const [source = "", ...path] = columns.field.path ?? [];
  const json = all.get(source)?.column;
  const { type, nullable } = columns.field;
  const generated =
    json === undefined
      ? undefined
      : dialect.atPath(dialect.quoteColumn(json), path, type, nullable);
  const [first, ...others] = columns.columns;
  if (generated === undefined || first === undefined) return columns;
  // Engines differ in whether such a column can be NOT NULL.
  return { ...columns, columns: [{ ...first, nullable: isNullable(first), generated }, ...others] };
}

/** Whether a generated column may be null: arrays of ClickHouse can't. */
const isNullable = ({ kind, nullable }: ColumnDefinition) => nullable || kind !== "strings";

const columnReaders = {
  column: readName,
  text: optional(readName),
  folded: optional(readName),
} satisfies OptionReaders<Record<keyof Exclude<ColumnName, string>, unknown>>;

function readColumn(
  declared: Field,
  dialect: Dialect,
  input: unknown,
  path: string,
): (refer: Refer) => Omit<NamedColumns, "computed" | "isNamed"> {
  const field: Field<StoredType> = { ...declared, type: storedAs[declared.type] };
  const { type, nullable } = field;
  const isCompared = isFolded(field);
  const { column, text, folded } =
    typeof input === "string"
      ? { column: readName(input, path), text: undefined, folded: undefined }
      : readOptions(input, path, columnReaders);
  if (folded !== undefined && !isCompared) {
    throw new InputError(`${path}.folded`, "is for a field that ignores case or accents");
  }
  if (text !== undefined && type !== "int" && type !== "float") {
    throw new InputError(`${path}.text`, "is for an int or float field");
  }
  const { toText } = dialect;
  const inTexts = type === "strings" && nullable ? dialect.stringsInTexts : undefined;
  const kind = inTexts === undefined ? type : "json";
  const columns: ColumnDefinition[] = [{ name: column, kind, nullable }];
  if (folded !== undefined) columns.push({ name: folded, kind: type, nullable });
  if (text !== undefined) {
    columns.push({
      name: text,
      kind: "string",
      nullable,
      generated: toText(dialect.quoteColumn(column)),
    });
  }
  const missing = isCompared && folded === undefined ? path : undefined;
  const strings = type === "strings" ? (inTexts ?? dialect.strings) : undefined;
  const select = strings?.toJson;
  const names = { column, missing, columns };
  return (refer) => {
    const returned = refer(column);
    const value = isCompared ? refer(folded ?? "") : returned;
    // Engines do not format floats like their text forms.
    const own = type === "string" ? value : type === "int" ? toText(value) : undefined;
    const written = text === undefined ? own : refer(text);
    const values = { returned, value, text: written, select, strings };
    return { field, declared: declared.type, ...names, ...values };
  };
}

/** An expression on columns of a table as the definition of an index has it, where no column is qualified. */
export const unqualified = (
  expression: string,
  { columns }: Pick<NamedColumns, "columns">,
  table: string,
  dialect: Dialect,
) =>
  columns.reduce(
    (text, { name }) => text.replaceAll(columnIn(table, name, dialect), dialect.quoteColumn(name)),
    expression,
  );
