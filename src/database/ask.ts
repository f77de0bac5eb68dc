// What a live query asks of a collection: a page, a count, counts by value, a histogram or a summary.

import type { NumericName } from "../collection/collection.ts";
import type { CountByOptions, ValueCount } from "../collection/execute/count-by.ts";
import type { Histogram, HistogramOptions } from "../collection/execute/histogram.ts";
import type { Summary } from "../collection/execute/summary.ts";
import type { CheckedQuery, Query } from "../collection/plan/query.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import { InputError } from "../schema/errors.ts";
import { readMembers } from "../schema/input.ts";
import type { RecordOf, Schema, SearchRecordOf, SortableName } from "../schema/schema.ts";
import { copyOfAsked } from "./live-queries.ts";

/** What a live query asks: a page, or a count, or counts by value, or a histogram, or a summary. */
export type LiveAsk<S extends Schema> =
  | Query<S>
  | { readonly count: Query<S>["criteria"] }
  | (CountByOptions & {
      readonly countBy: SortableName<S>;
      readonly criteria?: Query<S>["criteria"];
    })
  | (HistogramOptions<Query<S>["criteria"]> & { readonly histogram: NumericName<S> })
  | { readonly summary: NumericName<S>; readonly criteria?: Query<S>["criteria"] };

/**
 * What a live query of the type `Ask` must be, for methods that infer it: literals are checked as those of
 * {@link Collection.query} are, and what may be anything is left to the run time.
 */
export type CheckedAsk<S extends Schema, Ask> = [Ask] extends [never]
  ? // Nothing is like that: it is here for the compiler to infer `Ask` from.
    Ask
  : AskOf<S, Ask>;

type AskOf<S extends Schema, Ask> = Ask extends { readonly count: infer C }
  ? { readonly count: CheckedCriteria<S, C> }
  : Ask extends { readonly countBy: unknown }
    ? CountByOptions & {
        readonly countBy: SortableName<S>;
        readonly criteria?: CheckedCriteria<S, MemberOf<Ask, "criteria">>;
      }
    : Ask extends { readonly histogram: unknown }
      ? HistogramOptions<CheckedCriteria<S, MemberOf<Ask, "criteria">>> & {
          readonly histogram: NumericName<S>;
        }
      : Ask extends { readonly summary: unknown }
        ? {
            readonly summary: NumericName<S>;
            readonly criteria?: CheckedCriteria<S, MemberOf<Ask, "criteria">>;
          }
        : CheckedQuery<
            S,
            MemberOf<Ask, "criteria">,
            MemberOf<Ask, "sortBy">,
            MemberOf<Ask, "sortOrder">,
            MemberOf<Ask, "limit">,
            MemberOf<Ask, "offset">,
            MemberOf<Ask, "sort">
          >;

/** The type of a member; `null` if there is none. */
type MemberOf<Ask, Name extends string> =
  Ask extends Readonly<Partial<Record<Name, infer Value>>>
    ? unknown extends Value
      ? Name extends keyof Ask
        ? Value
        : null
      : Value
    : null;

/** The answer to what a live query asks. */
export type LiveAnswer<S extends Schema, Ask> = Ask extends { readonly count: unknown }
  ? number
  : Ask extends { readonly countBy: infer Name extends keyof SearchRecordOf<S> }
    ? readonly ValueCount<SearchRecordOf<S>[Name]>[]
    : Ask extends { readonly histogram: unknown }
      ? Histogram
      : Ask extends { readonly summary: unknown }
        ? Summary
        : RecordOf<S>[];

/** A collection of any schema: it checks what it is asked. */
interface Askable {
  query(query: unknown): unknown;
  count(criteria: unknown): unknown;
  countBy(field: unknown, criteria: unknown, options: unknown): unknown;
  histogram(field: unknown, options: unknown): unknown;
  summary(field: unknown, criteria: unknown): unknown;
}

/** A live query that was read. */
interface Ask {
  readonly criteria: unknown;
  readonly of: (collection: Askable) => unknown;
}

interface Kind {
  /** Its members; the first one names it. */
  readonly members: readonly string[];
  /** Those that select every record on which the answer depends. */
  readonly criteria: (asked: Asked) => unknown;
  readonly of: (collection: Askable, asked: Asked) => unknown;
}

type Asked = Readonly<Record<string, unknown>>;

const page: Kind = {
  members: ["criteria", "limit", "offset", "sortBy", "sortOrder", "sort"],
  criteria: ({ criteria }) => criteria,
  of: (collection, query) => collection.query(query),
};

const others: readonly Kind[] = [
  {
    members: ["count"],
    criteria: ({ count }) => count,
    of: (collection, { count }) => collection.count(count),
  },
  {
    members: ["countBy", "criteria", "limit", "order"],
    criteria: ({ criteria }) => criteria,
    of: (collection, { countBy, criteria, ...options }) => {
      const given = Object.keys(options).length === 0 ? undefined : options;
      return collection.countBy(countBy, criteria, given);
    },
  },
  {
    members: ["histogram", "criteria", "bins", "from", "to"],
    // The lowest and the highest value of all records give the bins that have no ends of their own.
    criteria: ({ criteria, from, to }) =>
      from === undefined || to === undefined ? undefined : criteria,
    of: (collection, { histogram, ...options }) => collection.histogram(histogram, options),
  },
  {
    members: ["summary", "criteria"],
    criteria: ({ criteria }) => criteria,
    of: (collection, { summary, criteria }) => collection.summary(summary, criteria),
  },
];

const allMembers = [...new Set([page, ...others].flatMap(({ members }) => members))];

/**
 * What is asked, copied: the criteria, and how to ask a collection, which checks the rest.
 *
 * @throws InputError if it is not an object, or has a member of another kind
 */
export function readAsk(given: unknown): Ask {
  const asked = copyOfAsked<Asked>(readMembers(given ?? {}, "ask", allMembers), "ask");
  const kind = others.find(({ members: [first = ""] }) => Object.hasOwn(asked, first)) ?? page;
  readMembers(asked, "ask", kind.members);
  return {
    criteria: kind.criteria(asked),
    of: (collection) => inAsk(kind, () => kind.of(collection, asked)),
  };
}

/** What `run` returns. An error that names a parameter of the collection's method names the member. */
function inAsk<Result>({ members: [first = ""] }: Kind, run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    const path = thrown.path.replace(/^options(?=\.)/, "ask").replace(/^field$/, `ask.${first}`);
    throw new InputError(path, thrown.reason, { cause: thrown, code: thrown.code });
  }
}
