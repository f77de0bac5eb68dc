// The options of text readers as users type them, in a command or on the page: one table with their names and possible
// values, and one function that converts them to reader options.

import type { CsvDialect, JsonFormatOptions } from "../import/index.ts";

/** The options of text readers. */
export type TextReading = CsvDialect & JsonFormatOptions & { readonly encoding?: string };

/** As typed; missing options are detected or have defaults. */
export interface TypedOptions {
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly header?: boolean;
  readonly null?: readonly string[];
  /** `""` if no character quotes. */
  readonly quote?: string;
  readonly escape?: string;
  readonly comment?: string;
  readonly skipLines?: number;
  readonly trim?: boolean;
  readonly ragged?: string;
  readonly decimal?: string;
  /** One format for all columns, or formats for fields, such as `placed=%d.%m.%Y`. */
  readonly dateFormat?: readonly string[];
  readonly at?: string;
  readonly flatten?: boolean;
  readonly nonFinite?: string;
}

export const TYPED_OPTIONS = [
  ...(["encoding", "delimiter", "header", "null", "quote", "escape", "comment"] as const),
  ...([
    "skipLines",
    "trim",
    "ragged",
    "decimal",
    "dateFormat",
    "at",
    "flatten",
    "nonFinite",
  ] as const),
] satisfies (keyof TypedOptions)[];

/** The reader options for typed words, which the readers check. */
export function textReading(typed: TypedOptions): TextReading {
  const { null: nullText, delimiter, quote, dateFormat, ...same } = typed;
  const given = {
    ...same,
    nullText: nullText?.length === 1 ? nullText[0] : nullText,
    delimiter: delimiter?.replaceAll("\\t", "\t"),
    quote: quote === "" ? false : quote,
    dateFormat: dateFormat && dateFormats(dateFormat),
  };
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as TextReading;
}

function dateFormats(typed: readonly string[]): string | Readonly<Record<string, string>> {
  const formats = typed.map((each) => {
    const [, field = "", format = each] = /^([^%=]+)=(.*)$/s.exec(each) ?? [];
    return [field, format] as const;
  });
  const [only] = formats;
  return only !== undefined && formats.length === 1 && only[0] === ""
    ? only[1]
    : Object.fromEntries(formats);
}
