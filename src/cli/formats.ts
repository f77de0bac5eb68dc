// The options by which records of other formats are read and written, as they are typed.

import type { CsvFormatOptions, ListFields, RecordFormat } from "../import/index.ts";
import { UsageError } from "./errors.ts";

export interface RecordFlags {
  readonly format?: string;
  readonly column?: readonly string[];
  readonly ignoreColumns?: true;
  readonly listField?: readonly string[];
  readonly delimiter?: string;
  readonly null?: string;
}

/** What readers take for them. */
export function recordOptions(place: string, flags: RecordFlags) {
  const { format, column = [], ignoreColumns } = flags;
  const columns = column.map((each) => {
    const at = each.lastIndexOf("=");
    if (at < 1) throw new UsageError(`--column: must be NAME=FIELD, not ${each}`);
    return [each.slice(0, at), at === each.length - 1 ? null : each.slice(at + 1)] as const;
  });
  return {
    // The reader checks it.
    ...(format !== undefined && { format: format as RecordFormat }),
    name: place,
    ...(columns.length > 0 && { columns: Object.fromEntries(columns) }),
    ...(ignoreColumns && { otherColumns: "ignore" as const }),
    ...csvOptions(flags),
  };
}

/** How CSV is read and written. */
export function csvOptions({ delimiter, null: nullText }: RecordFlags): CsvFormatOptions {
  return {
    ...(delimiter !== undefined && { delimiter: delimiter === "\\t" ? "\t" : delimiter }),
    ...(nullText !== undefined && { nullText }),
  };
}

/** The List Fields that are named, with their types. */
export function listFieldsOf({ listField }: RecordFlags): ListFields | undefined {
  if (listField === undefined) return undefined;
  return Object.fromEntries(
    listField.map((each) => {
      const [, name = each, type = "string"] = /^(.*)=(int|string)$/s.exec(each) ?? [];
      return [name, type as "int" | "string"];
    }),
  );
}
