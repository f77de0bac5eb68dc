// What the methods of a collection that read do, and what the report of a slow call says.

import { answerBy } from "../engine/algorithms/deadline.ts";
import type { Kept, Kind } from "../engine/cache/cache.ts";
import { pageAtOf } from "../engine/cursor.ts";
import { columnsOf, type Column } from "../engine/execution/columns.ts";
import {
  CountedValues,
  countBy as tallyBy,
  readCountByOptions,
  type ValueCount,
} from "../engine/execution/count-by.ts";
import { countRows } from "../engine/execution/count.ts";
import { groupBy as groupsBy, groupsIn } from "../engine/execution/group-by.ts";
import type { ParsedGroupBy } from "../engine/execution/parsed-group-by.ts";
import { GroupColumns } from "../engine/execution/group-columns.ts";
import {
  Bins,
  histogram as binned,
  readHistogramOptions,
  type Histogram,
} from "../engine/execution/histogram.ts";
import { pageAt } from "../engine/execution/page-after.ts";
import { pageOf } from "../engine/execution/page.ts";
import {
  readSummaryOptions,
  summary as summing,
  Summing,
  type ValueSummary,
} from "../engine/execution/summary.ts";
import { groupValueIn } from "../engine/execution/value-groups.ts";
import { explainCount, type CountQueryPlan } from "../engine/explain/explain-count.ts";
import { explainGroupBy, type GroupByPlan } from "../engine/explain/explain-group-by.ts";
import { explain, type QueryPlan } from "../engine/explain/explain.ts";
import { parseGroupQuery } from "../engine/group-query.ts";
import { observed, type QueryReport } from "../engine/observer.ts";
import { projected } from "../engine/projection.ts";
import { parsePageQuery, parseQuery, type Page, type ParsedQuery } from "../engine/query.ts";
import { InputError, type Refuse } from "../schema/errors.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import { isMembers, reading } from "../schema/input.ts";
import { countableField, numericField, sortableField } from "../schema/names.ts";
import { must } from "../schema/options.ts";
import { asking, refuseField } from "./asking.ts";
import type { CollectionState } from "./types.ts";

/** A method that reads. Its arguments, which are at most three, are not checked yet. */
interface Method<Result> {
  readonly run: (state: CollectionState, ...given: Given) => Result;
  /** The call as its report has it. */
  readonly reported: (...given: Given) => object;
  /** How many rows the result has in a report. */
  readonly rowsOf: (result: Result) => number;
  readonly plan: (state: CollectionState, ...given: Given) => QueryReport["plan"];
}
type Given = readonly [first?: unknown, second?: unknown, third?: unknown];

/** Runs a method, and reports the call if it takes long. */
export function run<Result>(
  method: Method<Result>,
  state: CollectionState,
  first?: unknown,
  second?: unknown,
  third?: unknown,
): Result {
  const { observer, name: collection } = state.options;
  if (observer === undefined) return method.run(state, first, second, third);
  return observed(observer, {
    collection,
    query: method.reported(first, second, third),
    run: () => method.run(state, first, second, third),
    rowsOf: method.rowsOf,
    plan: () => method.plan(state, first, second, third),
  });
}

/** The records of a query, without a report. */
export function recordsOf(
  { codec: { schema }, snapshot, options }: CollectionState,
  query: unknown,
): AnyRecord[] {
  const parsed = parseQuery(schema, query, options);
  const { deadline } = parsed;
  const page =
    deadline === undefined
      ? pageOf(snapshot, parsed)
      : deadline.spend(() => pageOf(snapshot, parsed));
  return projected(parsed, page);
}

export function planOf(
  { codec: { schema }, snapshot, options }: CollectionState,
  query: unknown,
  analyze = false,
): QueryPlan {
  return explain(snapshot, parseQuery(schema, query, options), analyze);
}

export function planOfCount(state: CollectionState, criteria: unknown): CountQueryPlan {
  return asking(state, criteria, (asked) => explainCount(state.snapshot, asked));
}

export function planOfGroups(state: CollectionState, query: unknown): GroupByPlan {
  const { snapshot } = state;
  return grouping(state, query, (selected, asked) => explainGroupBy(snapshot, selected, asked));
}

/** The result of `answer` for a query of groups. */
function grouping<Answer>(
  state: CollectionState,
  query: unknown,
  answer: (selected: ParsedQuery, asked: ParsedGroupBy) => Answer,
): Answer {
  const [asked, criteria] = parseGroupQuery(state.codec.schema, query, state.options);
  return asking(state, criteria, (selected) => answer(selected, asked));
}

const query: Method<AnyRecord[]> = {
  run: recordsOf,
  reported: (given) => given ?? {},
  rowsOf: ({ length }) => length,
  plan: (state, given) => planOf(state, given),
};

const page: Method<Page<unknown>> = {
  run: ({ codec: { schema }, snapshot, options }, given) => {
    const [parsed, request] = parsePageQuery(schema, given, options);
    const at = pageAtOf(schema, parsed, request);
    return answerBy(parsed.deadline, () => pageAt(snapshot, parsed, at));
  },
  reported: (given) => ({ page: given ?? {} }),
  rowsOf: (found) => found.records.length,
  plan: ({ codec: { schema }, snapshot, options }, given) =>
    explain(snapshot, parsePageQuery(schema, given, options)[0], false),
};

const count: Method<number> = {
  run: (state, criteria) =>
    asking(state, criteria, (asked) => countRows(state.snapshot.segments, asked)),
  reported: (criteria) => ({ count: criteria ?? null }),
  rowsOf: () => 1,
  plan: planOfCount,
};

const countBy: Method<readonly ValueCount<unknown>[]> = {
  run: (state, field, criteria, options) => {
    const { schema } = state.codec;
    const [name, described] = countableField(schema, field, refuseField);
    const listing = readCountByOptions(schema, name, described, options);
    const toStored = groupValueIn(schema.form, described);
    const find = (asked: ParsedQuery) => tallyBy(state.snapshot, asked, name, toStored, listing);
    if (options !== undefined || !isEveryRecord(criteria)) return asking(state, criteria, find);
    const counted = (asked: ParsedQuery) => new CountedValues(find(asked), described, toStored);
    return tallied(state, CountedValues, name, "", criteria, counted).finish();
  },
  reported: (field, criteria, options) => ({ countBy: field, criteria, ...membersIn(options) }),
  rowsOf: ({ length }) => length,
  plan: (state, by, criteria) => planOfGroups(state, { by, criteria }),
};

const groupBy: Method<readonly unknown[]> = {
  run: (state, given) =>
    grouping(state, given, (selected, asked) => groupsBy(state.snapshot, selected, asked)),
  reported: groupsReported,
  rowsOf: ({ length }) => length,
  plan: planOfGroups,
};

const groupColumns: Method<GroupColumns> = {
  run: (state, given) =>
    grouping(
      state,
      given,
      (selected, asked) => new GroupColumns(groupsIn(state.snapshot, selected, asked)),
    ),
  reported: groupsReported,
  rowsOf: ({ size }) => size,
  plan: planOfGroups,
};

const histogram: Method<Histogram> = {
  run: (state, field, options) => {
    const { schema } = state.codec;
    const [name, { type }] = numericField(schema, field, refuseField);
    const binning = readHistogramOptions(schema, type, options);
    const { bins, step, unit, zone, from, to, criteria, summarize } = binning;
    const find = (asked: ParsedQuery) => binned(state.snapshot, asked, name, type, binning);
    // The cached counts do not follow changes of the summarized field.
    if (summarize !== undefined) return asking(state, criteria, find).finish();
    const asked = JSON.stringify([bins, step, unit, zone.name, from, to]);
    return tallied(state, Bins, name, asked, criteria, find).finish();
  },
  reported: (field, options) => ({ histogram: field, ...membersIn(options) }),
  rowsOf: ({ bins }) => bins.length,
  plan: (state, by, options) => {
    const { criteria } = membersIn(options);
    return planOfGroups(state, { by, criteria });
  },
};

const summary: Method<ValueSummary> = {
  run: (state, field, criteria, options) => {
    const [name, { type }] = countableField(state.codec.schema, field, refuseField);
    const quantiles = readSummaryOptions(type, options);
    const find = (asked: ParsedQuery) => summing(state.snapshot, asked, name, type, quantiles);
    return tallied(state, Summing, name, quantiles.join(), criteria, find).finish();
  },
  reported: (field, criteria, options) => ({ summary: field, criteria, ...membersIn(options) }),
  rowsOf: () => 1,
  plan: (state, by, criteria) => planOfGroups(state, { by, criteria }),
};

const columns: Method<readonly Column[]> = {
  run: (state, fields, criteria) => {
    const { schema } = state.codec;
    const names = reading("fields", () =>
      Array.from(readNames(fields, "fields"), (name, i) => {
        const refuse: Refuse = (...reason) => new InputError(`fields[${i}]`, ...reason);
        return sortableField(schema, name, refuse)[0];
      }),
    );
    return asking(state, criteria, (asked) => columnsOf(state.snapshot, asked, schema, names));
  },
  reported: (fields, criteria) => ({ columns: fields, criteria }),
  rowsOf: ([first]) => first?.codes.length ?? 0,
  plan: (state, fields, criteria) => planOf(state, { criteria }),
};

/** The methods whose calls are reported. */
export const methods = {
  query,
  page,
  count,
  countBy,
  groupBy,
  groupColumns,
  histogram,
  summary,
  columns,
};

/**
 * Tallies a field of the selected records. The result for all records is cached, unless no index was used: scans must
 * be charged so that an index is eventually built.
 *
 * @param query the tally to compute
 * @throws DeadlineError
 */
function tallied<K extends Kept>(
  state: CollectionState,
  kind: Kind<K>,
  field: string,
  query: string,
  criteria: unknown,
  find: (asked: ParsedQuery) => K,
): K {
  const { snapshot } = state;
  const { cache, segments } = snapshot;
  if (!isEveryRecord(criteria)) return asking(state, criteria, find);
  const kept = cache.get(kind, snapshot, field, query);
  if (kept !== undefined) return kept;
  const found = asking(state, criteria, find);
  const isIndexed = segments[0].indexes.there("ordered", field) !== undefined;
  if (isIndexed) cache.put(found, snapshot, field, query);
  return found;
}

const readNames = must("an array of names", (given): given is readonly unknown[] =>
  Array.isArray(given),
);

/** The members of options, unchecked. */
const membersIn = (options: unknown): Readonly<Record<string, unknown>> =>
  isMembers(options) ? options : {};

/** Groups as their report has them: like a live query. */
function groupsReported(query: unknown): object {
  const { by, ...others } = membersIn(query);
  return { groupBy: by, ...others };
}

const isEveryRecord = (criteria: unknown) => criteria === undefined || criteria === null;
