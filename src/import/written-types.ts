// The types that Parquet and Arrow files have for columns of strings.

import { readColumnType, type ColumnType, type WrittenType } from "../arrow/column-types.ts";
import { InputError, member } from "../schema/errors.ts";
import { membersOf } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import type { FlatColumn, FlatOptions } from "./write-text.ts";

/** The options of `writeParquet` and `writeArrow`. */
export interface WriteTypedOptions<
  S extends Schema | undefined = undefined,
> extends FlatOptions<S> {
  /**
   * Columns of strings that other programs are to have as dates, local times or decimals, by name: `{ day: "date" }`.
   * Every value must be of the type. In Parquet files, such columns are read like those of other programs; Arrow files
   * also have the strings, which tercet reads.
   */
  readonly types?: Readonly<Record<string, ColumnType>> | undefined;
}

/** @throws InputError if a type is not valid, or there is no such column of strings */
export function writtenTypesOf(
  columns: readonly FlatColumn[],
  { types = {} }: Pick<WriteTypedOptions, "types">,
): ReadonlyMap<string, WrittenType> {
  // Without a schema and records there are no columns.
  if (columns.length === 0) return new Map();
  const path = "options.types";
  const given = Object.entries<unknown>(membersOf(types, path));
  return new Map(
    given.map(([name, type]) => {
      const column = columns.find((each) => each.name === name);
      const place = member(path, name);
      if (column === undefined)
        throw new InputError(
          place,
          "is no column; the columns are those of the schema or of the first record",
        );
      if (column.type !== "string")
        throw new InputError(place, `must be a column of strings, not ${column.type}`);
      return [name, readColumnType(type, place)];
    }),
  );
}
