// The options of a query, as typed, and the names of fields in them.

import type { Schema } from "../index.ts";

/** The requested page, as typed. */
export interface PageFlags {
  readonly criteria?: string;
  readonly sortBy?: string;
  readonly order?: string;
  readonly limit?: string;
  readonly offset?: string;
}

/** The query options, as typed. */
export interface AskFlags extends PageFlags {
  /** JSON strings, each of three words, of `"OR"` or of `"NOT"`: see {@link joinWords}. */
  readonly where?: readonly string[];
  readonly sort?: readonly string[];
  /** Names of fields, with commas between. */
  readonly select?: readonly string[];
  /** The cursor after which the page begins; `""` for the first page. */
  readonly after?: string;
  /** The cursor before which the page ends. */
  readonly before?: string;
  /** Whether the page has the last records. */
  readonly last?: boolean;
  readonly countBy?: string;
  readonly histogram?: string;
  readonly summary?: string;
  readonly groupBy?: string;
  readonly measure?: readonly string[];
  readonly having?: string;
  readonly summarize?: string;
  readonly by?: string;
  readonly ascending?: true;
  readonly prefix?: number;
  readonly bins?: number;
  readonly step?: string;
  readonly unit?: string;
  readonly zone?: string;
  readonly quantiles?: string;
  readonly count?: true;
  readonly explain?: true;
}

/** A name to sort by, with its order. */
function pairOf(typed: string) {
  const [, name = typed, order = "DESC"] = /^(.*):(asc|desc)$/is.exec(typed) ?? [];
  return [name, order.toUpperCase()] as const;
}

/** Names to sort by, each with its order. @param schema whose fields may have commas in their names */
export const pairsOf = (sort: readonly string[], schema?: Schema) =>
  sort.flatMap((each) => {
    const whole = pairOf(each);
    return isField(schema, whole[0]) ? [whole] : each.split(",").map(pairOf);
  });

/** The names in a list with commas between; a field may itself have commas in its name. */
export const listedIn = (schema: Schema | undefined, list: string): readonly string[] =>
  isField(schema, list) ? [list] : list.split(",");

export const isField = (schema: Schema | undefined, name: string): boolean =>
  schema !== undefined && Object.hasOwn(schema.fields, name);
