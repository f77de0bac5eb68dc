// What the options of a command ask of a table: a page of records, or counts.

import { boolean, createCollection, CriteriaError, defineSchema, float } from "../index.ts";
import { InputError, int, json, operatorsOf, QueryError, string } from "../index.ts";
import type { Collection, Field, FieldType, Query, Schema } from "../index.ts";
import { writeJson } from "../import/index.ts";
import { UsageError } from "./errors.ts";
import { parseJson } from "./input.ts";
import type { AnyRecord } from "./output.ts";
import type { Page, Table } from "./tables.ts";
import type { Word } from "./words.ts";

/** The requested page, as typed. */
export interface PageFlags {
  readonly criteria?: string;
  readonly sortBy?: string;
  readonly order?: string;
  readonly limit?: string;
  readonly offset?: string;
}

/** What is asked, as typed. */
export interface AskFlags extends PageFlags {
  /** Each the JSON of three words, or of `"OR"`: see {@link joinWords}. */
  readonly where?: readonly string[];
  readonly sort?: readonly string[];
  readonly countBy?: string;
  readonly histogram?: string;
  readonly summary?: string;
  readonly bins?: number;
  readonly count?: true;
}

/** Records to print. */
export interface Answer extends Page {
  readonly schema: Schema;
  /** The line below their table; a page of records has its own. */
  readonly foot?: string;
}

/** The parameters that both operations of a service share, in their order. */
export const pageOf = ({
  criteria,
  limit,
  offset,
  sortBy,
  order,
}: PageFlags): readonly unknown[] => [
  criteria === undefined ? undefined : parseJson(criteria, "--criteria"),
  ...[limit, offset, sortBy, order],
];

/** What the options ask of a table. */
export class Asked {
  /** As collections check it. */
  readonly query: Query;
  readonly #table: Table;
  readonly #options: AskFlags;
  readonly #words: readonly Word[] | undefined;

  /** @param most how many records there are if no limit is given; default: all */
  constructor(table: Table, options: AskFlags, most?: number) {
    const { where, criteria, limit, offset } = options;
    if (where !== undefined && criteria !== undefined) {
      throw new UsageError("--where: can't be combined with --criteria");
    }
    this.#table = table;
    this.#options = options;
    // `joinWords` made them.
    this.#words = where?.map((text) => JSON.parse(text) as Word);
    const query = {
      criteria:
        criteria === undefined
          ? this.#words?.map((word) => criterionOf(table.schema, word))
          : parseJson(criteria, "--criteria"),
      ...sortOf(options),
      limit: limit ?? most,
      offset,
    };
    this.query = query as Query;
  }

  /** @throws UsageError that names the option at fault */
  check(): void {
    const empty = createCollection(this.#table.schema, []);
    this.#run(() => empty.query(this.query));
    this.answer(empty, pageIn);
  }

  /** @throws UsageError that names the option at fault */
  answer(collection: Collection, page = this.#table.page ?? pageIn): Answer {
    const { count, countBy, histogram, summary, bins = 10 } = this.#options;
    const { criteria, limit } = this.query;
    const { schema } = collection;
    const asked = [count, countBy, histogram, summary].filter((each) => each !== undefined);
    if (asked.length > 1) {
      throw new UsageError("--count, --count-by, --histogram and --summary: give only one of them");
    }
    return this.#run(() => {
      if (countBy !== undefined) {
        const most = limit === undefined ? undefined : Number(limit);
        const rows = collection.countBy(countBy, criteria, { order: "count", limit: most });
        const value = likeField(schema, countBy);
        return answerOf({ value, count: int() }, rows, `${rows.length} values of ${countBy}`);
      }
      if (histogram !== undefined) {
        const given = { bins, criteria };
        const { bins: rows, nulls } = collection.histogram(histogram, given);
        const end = likeField(schema, histogram);
        const without = nulls === 0 ? "" : `; ${nulls} records without it`;
        const foot = `${rows.length} ranges of ${histogram}${without}`;
        return answerOf({ from: end, to: end, count: int() }, rows, foot);
      }
      if (summary !== undefined) {
        const found = collection.summary(summary, criteria);
        const [number, whole] = [float({ nullable: true }), int()];
        const end = likeField(schema, summary);
        const fields = { count: whole, nulls: whole, sum: number, minimum: end, maximum: end };
        return answerOf({ ...fields, mean: number }, [found], `summary of ${summary}`);
      }
      return { schema: carried(schema), ...page(this.query, collection) };
    });
  }

  /** What `run` returns. An error about a part of the query names its option. */
  #run<Result>(run: () => Result): Result {
    try {
      return run();
    } catch (thrown) {
      throw this.#named(thrown);
    }
  }

  #named(thrown: unknown): unknown {
    if (thrown instanceof CriteriaError) {
      const { position, reason } = thrown;
      const word = position === null ? undefined : this.#words?.[position];
      if (word === "OR") return new UsageError(`--or: ${reason}`);
      const option = this.#words === undefined ? "--criteria" : "--where";
      const criterion: unknown = this.query.criteria?.[position ?? -1];
      const name: unknown = Array.isArray(criterion) ? criterion[0] : undefined;
      const message =
        word === undefined
          ? thrown.message.replace(/^criteria/, option)
          : `--where ${word.join(" ")}: ${reason}`;
      return new UsageError(message + (this.#table.hintOn?.(reason, name) ?? ""));
    }
    if (thrown instanceof QueryError) {
      const { parameter, reason } = thrown;
      const isPaired = this.#options.sort !== undefined;
      const option = parameter === null || isPaired ? undefined : optionNames[parameter];
      return new UsageError(`--${option ?? "sort"}: ${reason}`);
    }
    if (!(thrown instanceof InputError)) return thrown;
    const { countBy, histogram } = this.#options;
    const field =
      countBy !== undefined ? "--count-by" : histogram !== undefined ? "--histogram" : "--summary";
    const option = thrown.path === "field" ? field : thrown.path.replace(/^options\./, "--");
    return new UsageError(`${option}: ${thrown.reason}`);
  }
}

/** The options of what is not `--sort`. */
const optionNames: Readonly<Record<string, string>> = {
  limit: "limit",
  offset: "offset",
  sortBy: "sort-by",
  sortOrder: "order",
};

/** A page of a collection. */
function pageIn(query: Query, collection: Collection): Page {
  // A schema that is known only at run time does not determine their types.
  const records = collection.query(query) as AnyRecord[];
  return { records, json: () => writeJson(records) };
}

/** A criterion from its words: `null` means null if the field allows it, and a number may have any form. */
function criterionOf(schema: Schema, word: Word): unknown {
  if (word === "OR") return word;
  const [name, operator, value] = word;
  const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  if (field === undefined) return word;
  const takes = operatorsOf(schema, name).find((each) => each.name === operator)?.takes;
  if (takes === undefined || takes === "text") return word;
  const valueOf = (text: string) => {
    if (text === "null" && field.nullable) return null;
    const number = text.trim() === "" ? NaN : Number(text);
    return field.type === "float" && Number.isFinite(number) ? number : text;
  };
  return [name, operator, takes === "values" ? value.split(",").map(valueOf) : valueOf(value)];
}

/** The members of a query that determine its order. */
function sortOf({ sort = [], sortBy, order }: AskFlags): object {
  const fields = sort.map((each) => {
    const [, field = each, order = "DESC"] = /^(.*):(asc|desc)$/is.exec(each) ?? [];
    return [field, order.toUpperCase()] as const;
  });
  const [first, ...others] = fields;
  if (first === undefined) return { sortBy, sortOrder: order };
  return others.length > 0 ? { sort: fields } : { sortBy: first[0], sortOrder: first[1] };
}

/** The fields that records carry. */
function carried(schema: Schema): Schema {
  const fields = Object.entries(schema.fields).filter(([, { stored }]) => stored);
  return fields.length === schema.places.length ? schema : defineSchema(Object.fromEntries(fields));
}

function answerOf(fields: Readonly<Record<string, Field>>, rows: readonly object[], foot: string) {
  // The schema was made for the rows.
  const records = rows as readonly AnyRecord[];
  return { schema: defineSchema(fields), records, json: () => writeJson(records), foot };
}

const makers: Readonly<Record<FieldType, (options: { readonly nullable: true }) => Field>> = {
  ...{ int, float, boolean, string, json },
};

/** A field for values of another field, which is known to exist. */
function likeField({ fields }: Schema, name: string): Field {
  return makers[fields[name]?.type ?? "string"]({ nullable: true });
}
