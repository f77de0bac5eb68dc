// The kinds of live query: a page, a count, counts by value, a histogram, a summary or groups.

import { maintainedCount, maintainedPage, maintainedRecords } from "../collection/maintained.ts";
import {
  maintainedCountBy,
  maintainedGroupBy,
  maintainedHistogram,
  maintainedSummary,
} from "../collection/maintained-groups.ts";
import type {
  CollectionState,
  NumericName,
  PrefixFor,
  QuantilesFor,
  SummaryOf,
} from "../collection/types.ts";
import type { CountByOptions, CountedBy, CountedValue } from "../engine/execution/count-by.ts";
import type { CountedBin, Histogram, HistogramOptions } from "../engine/execution/histogram.ts";
import type { SummaryOptions } from "../engine/execution/summary.ts";
import type {
  CheckedHaving,
  GroupKeys,
  GroupOf,
  GroupQuery,
  Measures,
} from "../engine/group-types.ts";
import type {
  CheckedPageQuery,
  CheckedQuery,
  Page,
  PagePosition,
  Query,
  Selecting,
  SortOrder,
} from "../engine/query.ts";
import type { Selected } from "../engine/projection.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import type { Maintained } from "../engine/maintenance/maintained.ts";
import { InputError } from "../schema/errors.ts";
import { isMembers, reading, readMembers } from "../schema/input.ts";
import type { CountableName, FieldName } from "../schema/names.ts";
import type { CountedValueOf } from "../schema/record-types.ts";
import type { Schema } from "../schema/schema.ts";
import { copyOfAsked } from "./copy-asked.ts";

/**
 * The query of a live query: records, a page after a cursor, a count, counts by value, a histogram, a summary or groups.
 */
export type LiveAsk<S extends Schema> =
  | Query<S>
  | { readonly page: PageQuery<S> }
  | { readonly count: Query<S>["criteria"] }
  | (CountByOptions<NumericName<S> | undefined, number | undefined> & {
      readonly countBy: CountableName<S>;
      readonly criteria?: Query<S>["criteria"];
    })
  | (HistogramOptions<Query<S>["criteria"], NumericName<S> | undefined> & {
      readonly histogram: NumericName<S>;
    })
  | (SummaryOptions & {
      readonly summary: CountableName<S>;
      readonly criteria?: Query<S>["criteria"];
    })
  | (Omit<GroupQuery<S, GroupKeys<S>, Measures<S>, NumericName<S>, Query<S>["criteria"]>, "by"> & {
      readonly groupBy: GroupKeys<S>;
    });

type PageQuery<S extends Schema> = Omit<Query<S>, "offset"> & PagePosition;

/**
 * The type check of a live query of type `Ask`, for methods that infer it: literals are checked like those of {@link
 * Collection.query}, and wider types at run time.
 */
export type CheckedAsk<S extends Schema, Ask> = [Ask] extends [never]
  ? // Matches nothing, but lets the compiler infer `Ask`.
    Ask
  : AskOf<S, Ask>;

type AskOf<S extends Schema, Ask> = Ask extends { readonly count: infer C }
  ? { readonly count: CheckedCriteria<S, C> }
  : Ask extends { readonly page: infer Asked }
    ? {
        readonly page: CheckedPageQuery<
          S,
          MemberOf<Asked, "criteria">,
          MemberOf<Asked, "sortBy">,
          MemberOf<Asked, "sortOrder">,
          MemberOf<Asked, "limit">,
          MemberOf<Asked, "sort">
        > &
          Selecting<S, MemberOf<Asked, "select">>;
      }
    : Ask extends { readonly countBy: infer Name }
      ? CountByOptions<SummarizedIn<S, Ask>, PrefixIn<S, Name, Ask>> & {
          readonly countBy: CountableName<S>;
          readonly criteria?: CheckedCriteria<S, MemberOf<Ask, "criteria">>;
        }
      : Ask extends { readonly histogram: unknown }
        ? HistogramOptions<CheckedCriteria<S, MemberOf<Ask, "criteria">>, SummarizedIn<S, Ask>> & {
            readonly histogram: NumericName<S>;
          }
        : Ask extends { readonly summary: infer Name }
          ? SummaryOptions<QuantilesIn<S, Name, Ask>> & {
              readonly summary: CountableName<S>;
              readonly criteria?: CheckedCriteria<S, MemberOf<Ask, "criteria">>;
            }
          : Ask extends { readonly groupBy: infer By }
            ? GroupsOf<S, By, Ask>
            : CheckedQuery<
                S,
                MemberOf<Ask, "criteria">,
                MemberOf<Ask, "sortBy">,
                MemberOf<Ask, "sortOrder">,
                MemberOf<Ask, "limit">,
                MemberOf<Ask, "offset">,
                MemberOf<Ask, "sort">
              > &
                Selecting<S, MemberOf<Ask, "select">>;

/** A query of groups, whose keys are its member `groupBy`. */
type GroupsOf<S extends Schema, By, Ask> = Pick<
  GroupQuery<
    S,
    By,
    MeasuresIn<S, Ask>,
    string,
    CheckedCriteria<S, MemberOf<Ask, "criteria">>,
    CheckedHaving<MeasuresIn<S, Ask>, MemberOf<Ask, "having">>
  >,
  "criteria" | "having" | "limit" | "offset"
> & {
  readonly groupBy: GroupKeys<S>;
  readonly sort?: readonly (readonly [name: string, order: SortOrder])[] | undefined;
  readonly measures?: Measures<S> | undefined;
  readonly summarize?: readonly NumericName<S>[] | undefined;
};
type MeasuresIn<S extends Schema, Ask> = Ask extends {
  readonly measures: infer Found extends Measures<S>;
}
  ? Found
  : Record<never, "count">;
type TotaledIn<S extends Schema, Ask> = Ask extends {
  readonly summarize: readonly (infer Name extends NumericName<S>)[];
}
  ? Name
  : never;

/** The type of a member; `null` if it is missing. */
type MemberOf<Ask, Name extends string> =
  Ask extends Readonly<Partial<Record<Name, infer Value>>>
    ? unknown extends Value
      ? Name extends keyof Ask
        ? Value
        : null
      : Value
    : null;

/** The type of the given member; `undefined` if it is missing. */
type GivenIn<Ask, Name extends string, Allowed> = Name extends keyof Ask
  ? Extract<Ask[Name], Allowed>
  : undefined;

type SummarizedIn<S extends Schema, Ask> = GivenIn<Ask, "summarize", NumericName<S> | undefined>;
type PrefixIn<S extends Schema, Name, Ask> = GivenIn<Ask, "prefix", PrefixFor<S, Name>>;
type QuantilesIn<S extends Schema, Name, Ask> = "quantiles" extends keyof Ask
  ? Extract<Ask["quantiles"], QuantilesFor<S, Name>>
  : readonly [];

/** The result of a live query. */
export type LiveAnswer<S extends Schema, Ask> = Ask extends { readonly count: unknown }
  ? number
  : Ask extends { readonly page: infer Asked }
    ? Page<Selected<S, MemberOf<Asked, "select">>>
    : Ask extends { readonly countBy: infer Name extends FieldName<S> }
      ? readonly CountedValue<
          CountedBy<CountedValueOf<S, Name>, PrefixIn<S, Name, Ask>>,
          SummarizedIn<S, Ask>
        >[]
      : Ask extends { readonly histogram: unknown }
        ? Histogram<CountedBin<SummarizedIn<S, Ask>>>
        : Ask extends { readonly summary: infer Name }
          ? SummaryOf<S, Name, QuantilesIn<S, Name, Ask>>
          : Ask extends { readonly groupBy: infer By }
            ? readonly GroupOf<S, By, MeasuresIn<S, Ask>, TotaledIn<S, Ask>>[]
            : Selected<S, MemberOf<Ask, "select">>[];

/** The result with read-only arrays, since it is shared. */
export type SharedAnswer<S extends Schema, Ask> =
  LiveAnswer<S, Ask> extends readonly (infer Each)[] ? readonly Each[] : LiveAnswer<S, Ask>;

/** A collection of any schema, with unchecked arguments. */
interface Askable {
  readonly state: CollectionState;
  query(query: unknown): unknown;
  page(query: unknown): unknown;
  count(criteria: unknown): unknown;
  countBy(field: unknown, criteria: unknown, options: unknown): unknown;
  histogram(field: unknown, options: unknown): unknown;
  summary(field: unknown, criteria: unknown, options: unknown): unknown;
  groupBy(query: unknown): unknown;
}

/** A live query after reading. */
interface Ask {
  readonly asked: unknown;
  /**
   * Criteria that select every record on which the answer depends.
   *
   * @param question the same question, which may name the fields of others otherwise
   */
  readonly criteriaOf: (question: unknown) => unknown;
  readonly of: (collection: Askable, question: unknown) => unknown;
  /** The answer as one that follows changes; `undefined` if there is none. */
  readonly maintain: (collection: Askable, question: unknown) => Maintained | undefined;
}

interface Kind {
  /** Its members; the first one identifies the kind of query. */
  readonly members: readonly string[];
  /** Criteria that select every record on which the result depends. */
  readonly criteria: (asked: Asked) => unknown;
  readonly of: (collection: Askable, asked: Asked) => unknown;
  readonly maintain?: (collection: Askable, asked: Asked) => Maintained | undefined;
}

type Asked = Readonly<Record<string, unknown>>;

const records: Kind = {
  members: ["criteria", "limit", "offset", "sortBy", "sortOrder", "sort", "select"],
  criteria: ({ criteria }) => criteria,
  of: (collection, query) => collection.query(query),
  maintain: ({ state }, query) => maintainedRecords(state, query),
};

const others: readonly Kind[] = [
  {
    members: ["page"],
    criteria: ({ page }) => (isMembers(page) ? page.criteria : undefined),
    of: (collection, { page }) => collection.page(page),
    maintain: ({ state }, { page }) => maintainedPage(state, page),
  },
  {
    members: ["count"],
    criteria: ({ count }) => count,
    of: (collection, { count }) => collection.count(count),
    maintain: ({ state }, { count }) => maintainedCount(state, count),
  },
  {
    members: ["countBy", "criteria", "limit", "order", "ascending", "summarize", "prefix"],
    criteria: ({ criteria }) => criteria,
    of: (collection, { countBy, criteria, ...options }) =>
      collection.countBy(countBy, criteria, unlessEmpty(options)),
    maintain: ({ state }, { countBy, criteria, ...options }) =>
      maintainedCountBy(state, countBy, criteria, unlessEmpty(options)),
  },
  {
    members: ["histogram", "criteria", "bins", "step", "unit", "zone", "from", "to", "summarize"],
    // Without `from` and `to`, bins range over the values of all records.
    criteria: ({ criteria, from, to }) =>
      from === undefined || to === undefined ? undefined : criteria,
    of: (collection, { histogram, ...options }) => collection.histogram(histogram, options),
    maintain: ({ state }, { histogram, ...options }) =>
      maintainedHistogram(state, histogram, options),
  },
  {
    members: ["summary", "criteria", "quantiles"],
    criteria: ({ criteria }) => criteria,
    of: (collection, { summary, criteria, ...options }) =>
      collection.summary(summary, criteria, unlessEmpty(options)),
    maintain: ({ state }, { summary, criteria, ...options }) =>
      maintainedSummary(state, summary, criteria, unlessEmpty(options)),
  },
  {
    // oxfmt-ignore
    members: ["groupBy", "measures", "summarize", "criteria", "having", "sort", "limit", "offset"],
    criteria: ({ criteria }) => criteria,
    of: (collection, { groupBy, ...query }) => collection.groupBy({ ...query, by: groupBy }),
    maintain: ({ state }, { groupBy, ...query }) =>
      maintainedGroupBy(state, { ...query, by: groupBy }),
  },
];

/** The options; `undefined` if there are none, because collections cache results only then. */
const unlessEmpty = (options: Asked) => (Object.keys(options).length === 0 ? undefined : options);

const allMembers = [...new Set([records, ...others].flatMap(({ members }) => members))];

/**
 * Reads and copies the query; the collection checks the rest when it runs.
 *
 * @throws InputError if it is not an object, or has a member that its kind does not have
 */
export function readLiveQuery(given: unknown): Ask {
  if (isMembers(given)) requireNoPosition(given);
  const asked = copyOfAsked<Asked>(readMembers(given ?? {}, "ask", allMembers), "ask");
  const kind = others.find(({ members: [first = ""] }) => Object.hasOwn(asked, first)) ?? records;
  readMembers(asked, "ask", kind.members);
  return {
    asked,
    criteriaOf: (question) => kind.criteria(question as Asked),
    of: (collection, question) => inAsk(kind, () => kind.of(collection, question as Asked)),
    maintain: (collection, question) =>
      inAsk(kind, () => kind.maintain?.(collection, question as Asked)),
  };
}

/** The members of a page that a query without pages does not have. */
const POSITION = ["after", "before", "last", "cursors"];

/** @throws InputError if a member of a page stands beside it */
function requireNoPosition(given: Asked): void {
  const names = reading("ask", () => Object.keys(given));
  const ofPages = names.includes("page") ? [...POSITION, ...records.members] : POSITION;
  const name = names.find((each) => each !== "page" && ofPages.includes(each));
  if (name === undefined) return;
  throw new InputError(`ask.${name}`, `belongs to a page; write { page: { ${name}: … } }`);
}

/** Returns the result of `run`. An error that names a parameter of the collection's method names the member instead. */
function inAsk<Result>({ members: [first = ""] }: Kind, run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    const path = thrown.path
      .replace(/^(options|query)(?=\.)/, "ask")
      .replace(/^field$|^ask\.by\b/, `ask.${first}`);
    throw new InputError(path, thrown.reason, { cause: thrown, code: thrown.code });
  }
}
