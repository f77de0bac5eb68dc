// The query that the options of a command describe: a page of records, counts or groups.

import { createCollection, CriteriaError, criterionFromText, defineSchema } from "../index.ts";
import { InputError, int, QueryError } from "../index.ts";
import type { CountQueryPlan, Field, GroupByPlan } from "../index.ts";
import type { Query, QueryPlan, Schema, Summary } from "../index.ts";
import { writeJson } from "../import/index.ts";
import type { Answering } from "./answering.ts";
import { answerOf, likeField, makers, totalsOf, type Answer } from "./answers.ts";
import { listedIn, pairsOf, type AskFlags, type PageFlags } from "./ask-flags.ts";
import { groupQuery, groupsIn, keysOf, measureOf } from "./asked-groups.ts";
import { refuseOptions, UsageError } from "./errors.ts";
import { parseJson } from "./input.ts";
import type { AnyRecord } from "./output.ts";
import type { Page, Table } from "./tables.ts";
import { forShell } from "./text.ts";
import type { Word } from "./words.ts";

/** The parameters that both operations of a service share, in order. */
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

/** The names in a query that may be fields. */
export function namesIn(options: AskFlags): ReadonlySet<string> {
  const { where = [], criteria, sort = [], sortBy, select = [], groupBy, measure = [] } = options;
  const { countBy, histogram, summary, summarize } = options;
  const listed = (text: string) => text.split(",");
  const by = groupBy === undefined ? [] : keysOf(groupBy, options);
  const keys: readonly unknown[] = Array.isArray(by) ? by : [by];
  const names: unknown[] = [
    ...where.map((text) => firstIn(JSON.parse(text))),
    ...(criteria === undefined ? [] : firstsIn(parseJson(criteria, "--criteria"))),
    // Groups are sorted by their members.
    ...(groupBy === undefined ? [...pairsOf(sort).map(([name]) => name), sortBy] : []),
    ...select.flatMap(listed),
    ...keys.map((key) =>
      typeof key === "object" && key !== null && "field" in key ? key.field : key,
    ),
    ...measure.map((each) => measureOf(each)[1][1]),
    ...[countBy, histogram, summary, summarize],
  ];
  return new Set(names.filter((name) => typeof name === "string"));
}

const firstIn = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

/** The first elements of lists within lists, but for the criteria on another table. */
const firstsIn = (list: unknown): readonly unknown[] => {
  if (!Array.isArray(list) || list[1] === "some" || list[1] === "none") return [];
  return [list[0], ...list.flatMap(firstsIn)];
};

/** The query of a command on a table. */
export class Asked {
  /** The query in the form that collections take. */
  readonly query: Query & { readonly select?: readonly string[] | undefined };
  readonly #table: Table<Answering>;
  readonly #options: AskFlags;
  readonly #words: readonly Word[] | undefined;

  /** @param most the default limit; default: all */
  constructor(table: Table<Answering>, options: AskFlags, most?: number) {
    const { where, criteria, limit, offset } = options;
    if (where !== undefined && criteria !== undefined) {
      throw new UsageError("--where: can't be combined with --criteria");
    }
    const positions = (["after", "before", "last"] as const).filter((name) => name in options);
    for (const name of positions) {
      refuseOptions(options, NOT_AFTER, `can't be combined with --${name}, a page of records`);
    }
    if (options.select !== undefined) {
      refuseOptions(options, NO_RECORDS, "can't be combined with --select, the fields of records");
    }
    if (positions.length > 1) {
      throw new UsageError("--after, --before and --last: give only one of them");
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
      // Groups are sorted by their members, which are no fields of records.
      ...(options.groupBy === undefined ? sortOf(options, table.schema) : {}),
      limit: limit ?? most,
      offset,
      select: options.select?.flatMap((names) => listedIn(table.schema, names)),
    };
    this.query = query as Query;
  }

  /** @throws UsageError that names the option at fault */
  check(): void {
    const empty = this.#table.empty?.() ?? createCollection(this.#table.schema);
    this.#run(() => empty.query(this.query));
    this.answer(empty, pageIn);
  }

  /** @throws UsageError that names the option at fault */
  answer(collection: Answering, page = this.#table.page ?? pageIn): Answer {
    const { count, countBy, histogram, summary, groupBy } = this.#options;
    const { criteria, limit } = this.query;
    const { schema } = collection;
    const { after, before, last } = this.#options;
    const isAt = after !== undefined || before !== undefined || last === true;
    const asked = [count, countBy, histogram, summary, groupBy].filter(
      (each) => each !== undefined,
    );
    if (asked.length > 1) {
      throw new UsageError(
        "--count, --count-by, --histogram, --summary and --group-by: give only one of them",
      );
    }
    for (const [option, needed] of detailOptions) {
      const isNeeded = needed.some((name) => this.#options[name] !== undefined);
      if (this.#options[option] === undefined || isNeeded) continue;
      const names = needed.map((name) => `--${dashed(name)}`).join(" or ");
      throw new UsageError(`--${dashed(option)}: needs ${names}`);
    }
    return this.#run(() => {
      const { summarize, by = "count", ascending, prefix, bins, step, unit, zone } = this.#options;
      const totals = summarize === undefined ? {} : totalsOf(likeField(schema, summarize));
      if (countBy !== undefined) {
        const most = limit === undefined ? undefined : Number(limit);
        const options = { order: by, limit: most, ascending, summarize, prefix };
        // As typed, since the collection checks it.
        const rows = collection.countBy(countBy, criteria, options as never);
        const value = likeField(schema, countBy);
        const what = prefix === undefined ? "values" : "beginnings";
        const foot = `${rows.length} ${what} of ${countBy}`;
        return answerOf({ value, count: int(), ...totals }, rows, foot);
      }
      if (histogram !== undefined) {
        if (schema.fields[histogram]?.type === "time") {
          const instead = `--group-by ${forShell(`${histogram}:${step ?? "month"}`)}`;
          throw new UsageError(`--histogram: ${histogram} is a time field; use ${instead} instead`);
        }
        const ranges = step === undefined ? { bins: bins ?? 10 } : { bins, step };
        const given = { ...ranges, unit, zone, criteria, summarize };
        const { bins: rows, nulls } = collection.histogram(histogram, given as never);
        const end = likeField(schema, histogram);
        const without = nulls === 0 ? "" : `; ${nulls} records without it`;
        const foot = `${rows.length} ranges of ${histogram}${without}`;
        return answerOf({ from: end, to: end, count: int(), ...totals }, rows, foot);
      }
      if (summary !== undefined) return summaryIn(collection, summary, criteria, this.#quantiles);
      if (groupBy !== undefined) {
        return groupsIn(
          collection,
          groupQuery(groupBy, collection.schema, this.query, this.#options),
        );
      }
      const found = isAt ? this.#pageAt(collection) : page(this.query, collection);
      return { schema: carried(schema, this.query.select), ...found };
    });
  }

  /**
   * How it is answered; pages are also measured.
   *
   * @throws UsageError that names the option at fault
   */
  explain(collection: Answering): CountQueryPlan | GroupByPlan | QueryPlan {
    const { count, countBy, histogram, summary, groupBy, prefix, summarize } = this.#options;
    const { criteria } = this.query;
    return this.#run(() => {
      if (count) return collection.explainCount(criteria);
      if (groupBy !== undefined) {
        const { query } = groupQuery(groupBy, collection.schema, this.query, this.#options);
        return collection.explainGroupBy(query as never);
      }
      const field = countBy ?? histogram ?? summary;
      if (field === undefined) return collection.explain(this.query, { analyze: true });
      const measure = summarize === undefined ? "count" : ["sum", summarize];
      const query = { by: { field, as: "value", prefix }, measures: { measure }, criteria };
      return collection.explainGroupBy(query as never);
    });
  }

  /** The quantiles as typed, by their label. */
  get #quantiles(): readonly string[] {
    return this.#options.quantiles?.split(",").map((each) => each.trim()) ?? [];
  }

  #pageAt(collection: Answering): Page & Pick<Answer, "next" | "previous"> {
    const { criteria, limit, sort, sortBy, sortOrder, select } = this.query;
    const { after, before, last } = this.#options;
    const at = { after: after === "" ? null : after, before, last };
    const query = { criteria, limit, sort, sortBy, sortOrder, select, ...at };
    const { records, previous, next } = collection.page(query);
    // As in `pageIn`.
    const schema = carried(collection.schema, select);
    return { ...jsonPage(records as AnyRecord[], schema), previous, next };
  }

  /** Returns the result of `run`. An error about a part of the query names its option. */
  #run<Result>(run: () => Result): Result {
    try {
      return run();
    } catch (thrown) {
      throw this.#named(thrown);
    }
  }

  #named(thrown: unknown): unknown {
    if (thrown instanceof CriteriaError) {
      const { position, path, reason } = thrown;
      const word = position === null ? undefined : this.#words?.[position];
      if (typeof word === "string") return new UsageError(`--${word.toLowerCase()}: ${reason}`);
      const option = this.#words === undefined ? "--criteria" : "--where";
      const member = (list: unknown, at: number): unknown =>
        Array.isArray(list) ? list[at] : undefined;
      const name = member(path.reduce(member, this.query.criteria), 0);
      const message =
        word === undefined
          ? thrown.message.replace(/^criteria/, option)
          : `--where ${word.join(" ")}: ${reason}`;
      return new UsageError(message + (this.#table.hintOn?.(reason, name) ?? ""));
    }
    if (thrown instanceof QueryError) {
      const { parameter, reason } = thrown;
      const isSort = parameter === null || parameter.startsWith("sort");
      const isPaired = isSort && this.#options.sort !== undefined;
      const isOne = this.#options.groupBy !== undefined && this.#options.sortBy !== undefined;
      const known = isSort && isOne ? "sort-by" : optionNames[parameter ?? ""];
      const option = parameter === null || isPaired ? undefined : known;
      return new UsageError(`--${option ?? "sort"}: ${reason}`);
    }
    if (!(thrown instanceof InputError)) return thrown;
    const { countBy, histogram } = this.#options;
    const field =
      countBy !== undefined ? "--count-by" : histogram !== undefined ? "--histogram" : "--summary";
    const named = thrown.path
      .replace(/^options\.order$/, "--by")
      .replace(/^query\.by\b/, "--group-by")
      .replace(/^query\.measures\.(.*?)(\[\d\])?$/s, "--measure $1")
      .replace(/^query\.(?=\w)/, "--")
      .replace(/^options\.(\w+).*$/s, "--$1");
    const option = thrown.path === "field" ? field : named;
    const reason = thrown.reason.replaceAll("options.", "--");
    return new UsageError(`${option}: ${reason}${this.#table.hintOn?.(reason) ?? ""}`);
  }
}

type Option = keyof AskFlags;

/** What each option requires: at least one of these. */
const detailOptions: readonly (readonly [option: Option, needed: readonly Option[]])[] = [
  ["summarize", ["countBy", "histogram"]],
  ["by", ["countBy"]],
  ["ascending", ["by"]],
  ["prefix", ["countBy"]],
  ["bins", ["histogram"]],
  ["step", ["histogram"]],
  ["unit", ["step", "groupBy"]],
  ["zone", ["step", "groupBy"]],
  ["quantiles", ["summary"]],
  ["measure", ["groupBy"]],
  ["having", ["groupBy"]],
];

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Options that print something else than records. */
const NO_RECORDS = ["count", "countBy", "histogram", "summary", "groupBy"] as const;

/** Options that can't be combined with a cursor. */
const NOT_AFTER = ["offset", ...NO_RECORDS, "explain"] as const;

/** The option for each parameter except `--sort`. */
const optionNames: Readonly<Record<string, string>> = {
  limit: "limit",
  offset: "offset",
  sortBy: "sort-by",
  sortOrder: "order",
  select: "select",
  after: "after",
  before: "before",
  last: "last",
};

/** A page of a collection. */
function pageIn(query: Asked["query"], collection: Answering): Page {
  // TypeScript can't infer the types from a schema that is known only at run time.
  const records = collection.query(query) as AnyRecord[];
  return jsonPage(records, carried(collection.schema, query.select));
}

const jsonPage = (records: readonly AnyRecord[], schema: Schema): Page => ({
  records,
  json: () => writeJson(records, { schema }),
});

/** A criterion from its words. */
const criterionOf = (schema: Schema, word: Word): unknown =>
  typeof word === "string" ? word : criterionFromText(schema, ...word);

/** The members of a query that determine its order. */
function sortOf({ sort = [], sortBy, order }: AskFlags, schema: Schema): object {
  const fields = pairsOf(sort, schema);
  const [first, ...others] = fields;
  if (first === undefined) return { sortBy, sortOrder: order };
  return others.length > 0 ? { sort: fields } : { sortBy: first[0], sortOrder: first[1] };
}

/** The fields that records contain. @param select their names. Default: all that are stored */
function carried(schema: Schema, select?: readonly string[]): Schema {
  const stored = schema.places.filter(({ field }) => field.stored);
  if (select === undefined && stored.length === schema.places.length) return schema;
  const names = select ?? stored.map(({ name }) => name);
  const known = new Map(schema.places.map(({ name, field }) => [name, inRecords(field)] as const));
  const fields = names.flatMap((name) => {
    const field = known.get(name);
    return field === undefined ? [] : [[name, field] as const];
  });
  return defineSchema(Object.fromEntries(fields), { order: names });
}

/** A field as selected records have it: with its value, even if that is computed. */
const inRecords = (field: Field): Field =>
  field.stored ? field : makers[field.type]({ nullable: true });

/** The summary of a field, with a column for each quantile. */
function summaryIn(
  collection: Answering,
  field: string,
  criteria: Query["criteria"],
  typed: readonly string[],
): Answer {
  const asked = typed.map((text) => (text === "" ? NaN : Number(text)));
  const options = asked.length === 0 ? undefined : { quantiles: asked };
  const found: Partial<Summary> = collection.summary(field, criteria, options);
  const { quantiles = [], ...others } = found;
  const end = likeField(collection.schema, field);
  const counts = { count: int(), nulls: int(), distinct: int() };
  const totals = "sum" in others ? totalsOf(end) : {};
  const names = typed.map((text) => `p${Number((100 * Number(text)).toPrecision(12))}`);
  const shares = Object.fromEntries(names.map((name) => [name, end]));
  const values = quantiles.map((value, i) => [names[i] ?? "", value] as const);
  const row = { ...others, ...Object.fromEntries<number | null>(values) };
  return answerOf({ ...counts, ...totals, ...shares }, [row], `summary of ${field}`);
}
