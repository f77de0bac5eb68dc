// Counts of all records: the values of a field with their counts, the histogram of a field, and its summary.
// A user interface requests facets at each step.
//
// Held: by a collection, for each field the counts of all its values and its last histogram, if there
// are at most 1,000 values or bins, and its summary. What was counted without an index is not kept: reading values is
// what gets an index built.
//
// Stale: never, since a collection doesn't change.

import { isMembers } from "../../schema/input.ts";
import { tuning } from "../tuning.ts";

/** The bins of a histogram. */
interface Binning {
  readonly bins: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export class KeptCounts<
  ValueCount extends object,
  Histogram extends { readonly bins: readonly object[] },
  Summary,
> {
  /** Both by field; of each field the last histogram. */
  readonly #values = new Map<unknown, readonly ValueCount[]>();
  readonly #histograms = new Map<
    unknown,
    { readonly binning: Binning; readonly found: Histogram }
  >();

  readonly #summaries = new Map<unknown, Summary>();

  /** @param field may be anything: only fields are kept */
  values(field: unknown): readonly ValueCount[] | undefined {
    return this.#values.get(field);
  }

  keepValues(field: string, found: readonly ValueCount[]): readonly ValueCount[] {
    if (found.length > tuning.mostCounts) return found;
    this.#values.set(field, frozen(found));
    return found;
  }

  /** @param field may be anything: only fields are kept */
  summary(field: unknown): Summary | undefined {
    return this.#summaries.get(field);
  }

  keepSummary(field: string, found: Summary): Summary {
    this.#summaries.set(field, found);
    return found;
  }

  /** The last result for the same options. The reader of options handles all others, valid or not. */
  histogram(field: unknown, options: unknown): Histogram | undefined {
    const kept = this.#histograms.get(field);
    return kept !== undefined && isOfAll(options, kept.binning) ? kept.found : undefined;
  }

  keepHistogram(field: string, binning: Binning, found: Histogram): Histogram {
    if (found.bins.length > tuning.mostCounts) return found;
    frozen(found.bins);
    this.#histograms.set(field, { binning, found: Object.freeze(found) });
    return found;
  }
}

/** Whether options have these bins and no criteria. They come from outside, and may throw. */
function isOfAll(options: unknown, binning: Binning): boolean {
  try {
    if (!isMembers(options)) return false;
    for (const name in options) {
      if (name !== "bins" && name !== "from" && name !== "to" && name !== "criteria") return false;
    }
    const { bins, from, to, criteria } = options;
    const isSame = bins === binning.bins && from === binning.from && to === binning.to;
    return isSame && (criteria === undefined || criteria === null);
  } catch {
    return false;
  }
}

/** A list shared by many callers, frozen with its items. */
function frozen<Item extends object>(list: readonly Item[]): readonly Item[] {
  list.forEach(Object.freeze);
  return Object.freeze(list);
}
