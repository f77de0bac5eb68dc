// Groups, counts by value, histograms and summaries of a collection, as answers that follow changes.

import { prefixCut, WHOLE } from "../engine/execution/cuts.ts";
import { listed, readCountByOptions, type ValueCount } from "../engine/execution/count-by.ts";
import { KnownRows, rowsOf } from "../engine/execution/group-by.ts";
import type { GroupRow, ParsedKey } from "../engine/execution/parsed-group-by.ts";
import { histogram, readHistogramOptions } from "../engine/execution/histogram.ts";
import { readSummaryOptions, summaryOf } from "../engine/execution/summary.ts";
import { groupValueIn } from "../engine/execution/value-groups.ts";
import { parseGroupQuery } from "../engine/group-query.ts";
import { MaintainedGroups } from "../engine/maintenance/maintained-groups.ts";
import { MaintainedHistogram } from "../engine/maintenance/maintained-histogram.ts";
import type { Field } from "../schema/field.ts";
import { countableField, numericField } from "../schema/names.ts";
import { asking, refuseField } from "./asking.ts";
import type { CollectionState } from "./types.ts";

/** The key of all values of a field. */
const keyOf = (state: CollectionState, name: string, field: Field): ParsedKey => ({
  field: name,
  type: field.type,
  cut: WHOLE,
  toStored: groupValueIn(state.codec.schema.form, field),
});

/** Like `groupBy`. @returns `undefined` if the groups can't be maintained */
export function maintainedGroupBy(
  state: CollectionState,
  query: unknown,
): MaintainedGroups<GroupRow> | undefined {
  const [asked, criteria] = parseGroupQuery(state.codec.schema, query, state.options);
  return asking(state, criteria, (selected) =>
    MaintainedGroups.of(
      state.snapshot,
      selected,
      asked.keys,
      asked.measures,
      (groups, fields, known: KnownRows<GroupRow>) => rowsOf(groups, fields, asked, known),
    ),
  );
}

/** Like `countBy`. @returns `undefined` if the counts can't be maintained */
export function maintainedCountBy(
  state: CollectionState,
  field: unknown,
  criteria: unknown,
  options: unknown,
): MaintainedGroups<ValueCount> | undefined {
  const { schema } = state.codec;
  const [name, described] = countableField(schema, field, refuseField);
  const listing = readCountByOptions(schema, name, described, options);
  const { summarize, prefix } = listing;
  const whole = keyOf(state, name, described);
  const key = prefix === undefined ? whole : { ...whole, cut: prefixCut(prefix) };
  const totals = summarize === undefined ? [] : [{ kind: "totals" as const, field: summarize }];
  return asking(state, criteria, (selected) =>
    MaintainedGroups.of(
      state.snapshot,
      selected,
      [key],
      totals,
      (groups, _fields, known: KnownRows<ValueCount>) => {
        const { tally, keys } = groups.finish(undefined);
        // Elements of arrays are numbered anew each time.
        const rows = tally === groups.tally ? known : new KnownRows<ValueCount>();
        return (
          keys[0] && listed(tally, keys[0].groups, key.toStored, listing, undefined, () => [], rows)
        );
      },
    ),
  );
}

/** Like `summary`. @returns `undefined` if the summary can't be maintained */
export function maintainedSummary(
  state: CollectionState,
  field: unknown,
  criteria: unknown,
  options: unknown,
): MaintainedGroups<never> | undefined {
  const [name, described] = countableField(state.codec.schema, field, refuseField);
  const quantiles = readSummaryOptions(described.type, options);
  const key = keyOf(state, name, described);
  return asking(state, criteria, (selected) =>
    MaintainedGroups.of(
      state.snapshot,
      selected,
      [key],
      [],
      ({ tally, groupings: [values] }) =>
        values && summaryOf(tally, values, described.type, quantiles).finish(),
    ),
  );
}

/**
 * Like `histogram`.
 *
 * @returns `undefined` if its ends are those of all records, and not all are counted: the histogram is not shown the
 *   changes of the others alone
 */
export function maintainedHistogram(
  state: CollectionState,
  field: unknown,
  options: unknown,
): MaintainedHistogram | undefined {
  const { schema } = state.codec;
  const [name, { type }] = numericField(schema, field, refuseField);
  const binning = readHistogramOptions(schema, type, options);
  const { criteria, from, to, summarize } = binning;
  const isOfAll = criteria === undefined || criteria === null;
  if (!isOfAll && (from === undefined || to === undefined)) return undefined;
  return asking(state, criteria, (selected) => {
    const bins = histogram(state.snapshot, selected, name, type, binning);
    return new MaintainedHistogram(schema, bins, name, summarize === undefined ? [] : [summarize]);
  });
}
