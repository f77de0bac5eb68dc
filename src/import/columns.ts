// Maps the columns of flat rows (CSV, Parquet, Arrow) to the fields of records.

import { InputError, member, quote } from "../schema/errors.ts";
import { membersOf } from "../schema/input.ts";
import { suggestion } from "../schema/nearest.ts";
import { must } from "../schema/options.ts";
import { converted, readConvert, type ConvertOptions } from "./convert.ts";
import { inputOf } from "./flat-value.ts";
import type { ReadOptions } from "./reading.ts";
import type { ReadColumn } from "./sink.ts";
import type { Schema } from "../schema/schema.ts";
import { LIST_FIELDS_MEMBER } from "../service/contact.ts";
import { UndeclaredError, unknownNames, type RecordForm } from "./form.ts";

/** How to map the columns of a flat format to fields. */
export interface ColumnOptions {
  /**
   * The fields for columns with other names: `{ "E-mail": "contact_email" }`. `null` omits a column.
   * For Contacts, `list` is the id of the List and `fields.Age` a List Field.
   */
  readonly columns?: Readonly<Record<string, string | null>>;
  /** What to do with columns that are not fields: `"refuse"`, the default, or `"ignore"`. */
  readonly otherColumns?: "refuse" | "ignore";
}

/** The options of readers of rows whose values have types: Parquet, Arrow. */
export interface RowOptions<S extends Schema | undefined = undefined>
  extends Omit<ReadOptions<S>, "onProgress">, ColumnOptions {
  /** Called with the number of rows read so far. */
  readonly onProgress?: (rows: number) => void;
}

/** How many rows are held at once. */
export const ROWS = 10_000;

/** Makes records from rows. */
export type RecordMaker = ReturnType<typeof recordMaker>;

/**
 * @param names the names of the columns
 * @param place where they are, for errors
 * @param hint the end of an error about columns that are not fields, in place of suggestions
 */
export function recordMaker(
  names: readonly string[],
  form: RecordForm | undefined,
  options: ColumnOptions & ConvertOptions,
  place: string,
  hint = "",
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
    return [{ name, index, field, path, convert: conversions.get(target) }];
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

  /** The same of a row in which a field that can't be null may be; it then gets its default. */
  const recordOfRow = (values: readonly unknown[]): Record<string, unknown> =>
    record(
      columns.map(({ field, convert }, i) => {
        const value = converted(values[i], convert) ?? null;
        if (field === undefined) return value;
        return value === null && !field.nullable ? undefined : inputOf(field, value);
      }),
    );

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
