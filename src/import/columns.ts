// Maps the columns of flat rows (CSV, Parquet, Arrow) to the fields of records.

import { InputError, member, quote } from "../schema/errors.ts";
import { membersOf } from "../schema/input.ts";
import { suggestion } from "../schema/nearest.ts";
import type { CellReader } from "./csv-cells.ts";
import { Unreadable, type Field } from "../schema/field.ts";
import { must, optional } from "../schema/options.ts";
import { converted, readConvert, type ConvertOptions } from "./convert.ts";
import { inputOf } from "./flat-value.ts";
import type { ReadOptions } from "./reading.ts";
import { Malformed, type ReadColumn } from "./sink.ts";
import { fieldOf, type Facts, type NonFinite, type ValueType } from "./value-types.ts";
import type { Schema } from "../schema/schema.ts";
import { LIST_FIELDS_MEMBER } from "../service/contact.ts";
import { UndeclaredError, unknownNames, type RecordForm } from "./form.ts";

/** The options of flat formats: how columns map to fields. */
export interface ColumnOptions {
  /**
   * The fields for columns with other names: `{ "E-mail": "contact_email" }`. `null` omits a column.
   * For Contacts, `list` is the id of the List and `fields.Age` a List Field.
   */
  readonly columns?: Readonly<Record<string, string | null>> | undefined;
  /** What to do with columns that are not fields: `"refuse"`, the default, throws; `"ignore"` omits them. */
  readonly otherColumns?: "refuse" | "ignore" | undefined;
}

/** A notice about a column. */
export interface ColumnNotice {
  readonly column: string;
  /** `has NaN or infinite values, which are read as null`, and the like. */
  readonly reason: string;
}

/** The options of readers of rows whose values have types: Parquet, Arrow. */
export interface RowOptions<S extends Schema | undefined = undefined>
  extends Omit<ReadOptions<S>, "onProgress">, ColumnOptions {
  /** What to do with NaN and infinities: `"null"`, the default, reads them as `null`; `"refuse"` throws. */
  readonly nonFinite?: NonFinite | undefined;
  /** Called when a schema is inferred, for each column that is omitted or whose values lose something. */
  readonly onNotice?: ((notice: ColumnNotice) => void) | undefined;
  /** Called with the number of rows read so far. */
  readonly onProgress?: ((rows: number) => void) | undefined;
}

/** @throws InputError if it is neither of the two */
export const readNonFinite = ({ nonFinite }: Pick<RowOptions, "nonFinite">): NonFinite =>
  optional(nonFiniteOption, "null")(nonFinite, "options.nonFinite");

const nonFiniteOption = must(
  '"null" or "refuse"',
  (given): given is NonFinite => given === "null" || given === "refuse",
);

/** The field for all values of a column, if any. Reports notices. */
export function fieldWithNotice(
  column: string,
  type: ValueType,
  facts: Facts,
  { onNotice }: Pick<RowOptions, "onNotice">,
): Field | undefined {
  const reason = type.notice?.(facts);
  if (reason !== undefined) onNotice?.({ column, reason });
  return fieldOf(type, facts);
}

/** Gives each column a unique name: `column_3` if it has none, `total_2` if the name is taken. */
export function distinctNames(names: readonly (string | undefined)[]): string[] {
  const taken = new Set<string>();
  const known = new Set(names);
  return names.map((name, index) => {
    const base = name ?? `column_${index + 1}`;
    let own = base;
    for (let number = 2; taken.has(own) || (own !== name && known.has(own)); number++) {
      own = `${base}_${number}`;
    }
    taken.add(own);
    return own;
  });
}

/** Reports columns whose names differ from those in the file. */
export function noticeNames(
  given: readonly string[],
  names: readonly string[],
  { onNotice }: Pick<RowOptions, "onNotice">,
): void {
  for (const [index, column] of names.entries()) {
    const name = given[index] ?? "";
    if (name === column) continue;
    const what = name === "" ? "no name" : `the name ${quote(name)}, which an earlier column has`;
    onNotice?.({ column, reason: `has ${what}` });
  }
}

/** Whether a column is undeclared: there is a schema, but neither a field nor an option for it. */
export const isUndeclared = (
  name: string,
  form: RecordForm | undefined,
  { columns = {}, otherColumns }: ColumnOptions,
): boolean =>
  form !== undefined &&
  form.columnOf(name) === undefined &&
  otherColumns !== "ignore" &&
  !Object.hasOwn(columns, name);

/** How many rows are held at once. */
export const ROWS = 10_000;

/** Makes records from rows. */
export type RecordMaker = ReturnType<typeof recordMaker>;

/**
 * @param names the names of the columns
 * @param place where they are, for errors
 * @param options.hint the end of an error about columns that are not fields, in place of suggestions
 * @param options.isLeftOut whether an unnamed column is left out
 * @param options.cellReader what converts texts of a column for which there is no conversion
 */
export function recordMaker(
  names: readonly string[],
  form: RecordForm | undefined,
  options: ColumnOptions & ConvertOptions,
  place: string,
  {
    hint = "",
    isLeftOut = () => false,
    cellReader,
  }: {
    readonly hint?: string;
    readonly isLeftOut?: (index: number) => boolean;
    readonly cellReader?: CellReader | undefined;
  } = {},
) {
  const { columns: mapping = {}, otherColumns = "refuse" } = options;
  const conversions = readConvert(options);
  const mapped = readMapping(mapping, names, place);
  const taken = new Map<string, string>();
  const unknown = new Map<string, string>();
  const columns = names.flatMap((name, index): ReadColumn[] => {
    const target = mapped.has(name) ? mapped.get(name) : name;
    if (target === null || target === undefined) return [];
    const column = form?.columnOf(target);
    if (column === undefined && !mapped.has(name) && isLeftOut(index)) return [];
    if (form !== undefined && column === undefined) {
      if (otherColumns !== "ignore" || target !== name) unknown.set(name, target);
      return [];
    }
    const earlier = taken.get(target);
    if (earlier !== undefined) {
      const both =
        earlier === name ? "occurs twice" : `maps to ${quote(target)}, as does ${quote(earlier)}`;
      throw new InputError(place, `the column ${quote(name)} ${both}`, { code: "duplicate" });
    }
    taken.set(target, name);
    const { field, path = [target] as const } = column ?? {};
    const convert = conversions.get(target) ?? cellReader?.(target, field);
    return [{ name, index, field, path, convert }];
  });
  if (form !== undefined && unknown.size > 0) {
    const [one, more] = ["the column % is not a field", "these columns are not fields: %"];
    const known = hint === "" ? form.columns.map((each) => each.name) : [];
    const listFields = [...unknown.values()].flatMap((target) => form.listFieldIn(target) ?? []);
    const isListField = (name: string) => form.listFieldIn(unknown.get(name) ?? "") !== undefined;
    const columns = [...unknown.keys()].filter((name) => !isListField(name));
    const reason = unknownNames(unknown, known, one, more) + hint;
    throw new UndeclaredError(place, reason, { listFields, columns });
  }
  const own = columns.flatMap(({ path: [name, inner] }) => (inner === undefined ? name : []));
  const nested = columns.flatMap(({ path: [, name] }) => name ?? []);
  /** The members common to all records. Not frozen, because cloning it is then twice as fast. */
  const outer = template(nested.length === 0 ? own : [...own, LIST_FIELDS_MEMBER]);
  const inner = nested.length === 0 ? undefined : template(nested);

  /** @param values one for each column that is read */
  function record(values: readonly unknown[]): Record<string, unknown> {
    // The clone has each member as its own, so assigning is safe whatever its name.
    const made: Record<string, unknown> = { ...outer };
    const within = inner && { ...inner };
    for (let i = 0; i < columns.length; i++) {
      const [name, nested] = columns[i]!.path;
      if (nested === undefined) made[name] = values[i];
      else if (within !== undefined) within[nested] = values[i];
    }
    if (within !== undefined) made[LIST_FIELDS_MEMBER] = within;
    return made;
  }

  /** Like `record`, for a row in which a field that can't be null may be; the field then gets its default. */
  function recordOfRow(values: readonly unknown[]): Record<string, unknown> | Malformed {
    const given: unknown[] = [];
    for (let i = 0; i < columns.length; i++) {
      const { field, convert, name } = columns[i]!;
      const value = converted(values[i], convert) ?? null;
      if (field !== undefined) {
        given.push(value === null && !field.nullable ? undefined : inputOf(field, value));
      } else if (value instanceof Unreadable) {
        return new Malformed(values, `${name}: ${value.reason}`);
      } else given.push(value);
    }
    return record(given);
  }

  return { columns, record, recordOfRow };
}

function template(names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

const readTarget = must(
  "the name of a field or null",
  (given): given is string | null => given === null || typeof given === "string",
);

function readMapping(columns: unknown, names: readonly string[], place: string) {
  const path = "options.columns";
  const mapped = Object.entries(membersOf(columns, path)).map(([name, given]) => {
    const target = readTarget(given, member(path, name));
    if (!names.includes(name)) {
      const reason = `has no column ${quote(name)}${suggestion(name, names)}`;
      throw new InputError(place, reason, { code: "not_found" });
    }
    return [name, target] as const;
  });
  return new Map(mapped);
}
