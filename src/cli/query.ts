// `tercet query`: criteria on any table, with its types inferred.

import { writeJson, writeSchema } from "../import/index.ts";
import { boolean, createCollection, CriteriaError, defineSchema, float } from "../index.ts";
import { InputError, int, json, operatorsOf, QueryError, string } from "../index.ts";
import type { Collection, Field, FieldType, Query, Schema } from "../index.ts";
import { UsageError, warn } from "./errors.ts";
import { openOutput, write, type OutputFlags } from "./export.ts";
import { parseJson } from "./input.ts";
import { send, sendAll, table, type AnyRecord, type Column } from "./output.ts";
import { show } from "./search.ts";
import { inWords, openTable, type TableFlags } from "./tables.ts";
import { TABLE_LIMIT, type Word } from "./words.ts";

/** The options, as typed. */
export interface QueryOptions extends TableFlags, OutputFlags {
  /** Each the JSON of three words, or of `"OR"`: see {@link joinWords}. */
  readonly where?: readonly string[];
  readonly criteria?: string;
  readonly sort?: readonly string[];
  readonly limit?: string;
  readonly offset?: string;
  readonly count?: true;
  readonly countBy?: string;
  readonly histogram?: string;
  readonly summary?: string;
  readonly bins?: number;
  readonly explain?: true;
  readonly infer?: true;
  readonly json?: true;
}

/** Records to print. */
interface Answer {
  readonly schema: Schema;
  readonly records: readonly AnyRecord[];
  /** The line below their table; a page of records has its own. */
  readonly foot?: string;
}

/** Answers a query over a table. */
export async function queryTable(place: string, options: QueryOptions): Promise<void> {
  const isWritten = options.format !== undefined || options.to !== undefined;
  const output = isWritten && !options.infer ? openOutput(options, [place]) : undefined;
  const opened = await openTable(place, options);
  const { schema } = opened;
  if (options.infer) {
    await send(process.stdout, schemaText(schema));
    return;
  }
  const asked = new Asked(schema, options);
  // First without records: loading them may take long.
  asked.check(schema);
  const collection = await opened.load();
  if (opened.isInferred) warn(`types inferred: ${inWords(schema)}`);
  if (options.count) {
    await send(process.stdout, `${collection.count(asked.query.criteria)}\n`);
    return;
  }
  const answer = asked.answer(collection);
  const { records, foot } = answer;
  const json = () => writeJson(records);
  if (output !== undefined && !options.explain) {
    const columns = { schema: answer.schema };
    await output.send(write({ records, columns, json }, output.format, {}));
  } else if (foot === undefined) {
    const shown = { what: "records", columns: columnsOf(schema), records, json } as const;
    await show(collection, shown, asked.query, options);
  } else if (options.json) await sendAll(process.stdout, json());
  else {
    await sendAll(process.stdout, table(columnsOf(answer.schema), records));
    await send(process.stdout, `${foot}\n`);
  }
}

/** The columns of a table; all except the first may be left out if there is no room. */
function columnsOf({ fields }: Schema): readonly Column[] {
  return Object.keys(fields).map((field, index) => {
    const column = { field, width: 24 };
    return index === 0 ? column : { ...column, optional: true };
  });
}

/** What the options ask of a table. */
class Asked {
  /** As collections check it. */
  readonly query: Query;
  readonly #options: QueryOptions;
  readonly #words: readonly Word[] | undefined;

  constructor(schema: Schema, options: QueryOptions) {
    const { where, criteria, sort = [], limit, offset, json, format, to } = options;
    if (where !== undefined && criteria !== undefined) {
      throw new UsageError("--where: can't be combined with --criteria");
    }
    this.#options = options;
    // `joinWords` made them.
    this.#words = where?.map((text) => JSON.parse(text) as Word);
    const isWhole = json ?? (format !== undefined || to !== undefined);
    const query = {
      criteria:
        criteria === undefined
          ? this.#words?.map((word) => criterionOf(schema, word))
          : parseJson(criteria, "--criteria"),
      ...sortOf(sort),
      limit: limit ?? (isWhole ? undefined : TABLE_LIMIT),
      offset,
    };
    this.query = query as Query;
  }

  /** @throws UsageError that names the option at fault */
  check(schema: Schema): void {
    const empty = createCollection(schema, []);
    this.#run(() => empty.query(this.query));
    this.answer(empty);
  }

  /** @throws UsageError that names the option at fault */
  answer(collection: Collection): Answer {
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
      // A schema that is known only at run time does not determine their types.
      const records = collection.query(this.query) as AnyRecord[];
      return { schema: carried(schema), records };
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
      if (word !== undefined) return new UsageError(`--where ${word.join(" ")}: ${reason}`);
      const option = this.#words === undefined ? "--criteria" : "--where";
      return new UsageError(thrown.message.replace(/^criteria/, option));
    }
    if (thrown instanceof QueryError) {
      const { parameter, reason } = thrown;
      const isSort = parameter !== "limit" && parameter !== "offset";
      return new UsageError(`--${isSort ? "sort" : parameter}: ${reason}`);
    }
    if (!(thrown instanceof InputError)) return thrown;
    const { countBy, histogram } = this.#options;
    const field =
      countBy !== undefined ? "--count-by" : histogram !== undefined ? "--histogram" : "--summary";
    const option = thrown.path === "field" ? field : thrown.path.replace(/^options\./, "--");
    return new UsageError(`${option}: ${thrown.reason}`);
  }
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
function sortOf(sort: readonly string[]): object {
  const fields = sort.map((each) => {
    const [, field = each, order = "DESC"] = /^(.*):(asc|desc)$/is.exec(each) ?? [];
    return [field, order.toUpperCase()] as const;
  });
  const [first, ...others] = fields;
  if (first === undefined) return {};
  return others.length > 0 ? { sort: fields } : { sortBy: first[0], sortOrder: first[1] };
}

/** The fields that records carry. */
function carried(schema: Schema): Schema {
  const fields = Object.entries(schema.fields).filter(([, { stored }]) => stored);
  return fields.length === schema.places.length ? schema : defineSchema(Object.fromEntries(fields));
}

function answerOf(fields: Readonly<Record<string, Field>>, rows: readonly object[], foot: string) {
  // The schema was made for the rows.
  return { schema: defineSchema(fields), records: rows as readonly AnyRecord[], foot };
}

const makers: Readonly<Record<FieldType, () => Field>> = {
  int: () => int({ nullable: true }),
  float: () => float({ nullable: true }),
  boolean: () => boolean({ nullable: true }),
  string: () => string({ nullable: true }),
  json: () => json({ nullable: true }),
};

/** A field for values of another field, which is known to exist. */
function likeField({ fields }: Schema, name: string): Field {
  return makers[fields[name]?.type ?? "string"]();
}

/** The JSON of a schema, a field on each line. */
function schemaText(schema: Schema): string {
  const { fields, ...rest } = writeSchema(schema);
  const lineOf = ([name, value]: [string, unknown]) =>
    `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  const before = Object.entries(rest).map((each) => `  ${lineOf(each)},\n`);
  const lines = Object.entries(fields).map((each) => `    ${lineOf(each)}`);
  return `{\n${before.join("")}  "fields": {\n${lines.join(",\n")}\n  }\n}\n`;
}
