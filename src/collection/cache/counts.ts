// Counts: the values of a field with how many records have each, and the histogram of a field, of all
// records. A facet is asked for at each step of whoever looks at it.
//
// Held: by a collection, for each field the counts of all its values and its last histogram, where there are
// at most 1,000 values or bins. What was counted without an index is not kept: reading values is
// what gets one built.
//
// Stale: never, as a collection doesn't change.

import { isMembers } from "../../schema/input.ts";
import { tuning } from "../tuning.ts";

/** Which bins a histogram has. */
interface Binning {
  readonly bins: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export class KeptCounts<
  ValueCount extends object,
  Histogram extends { readonly bins: readonly object[] },
> {
  /** Both by field. Of the histograms of a field, the last. */
  readonly #values = new Map<unknown, readonly ValueCount[]>();
  readonly #histograms = new Map<
    unknown,
    { readonly binning: Binning; readonly found: Histogram }
  >();

  /** @param field may be anything: nothing is kept but of fields */
  values(field: unknown): readonly ValueCount[] | undefined {
    return this.#values.get(field);
  }

  keepValues(field: string, found: readonly ValueCount[]): readonly ValueCount[] {
    if (found.length > tuning.mostCounts) return found;
    this.#values.set(field, frozen(found));
    return found;
  }

  /** What the same options gave before. Others, and whatever is wrong with them, are for the reader of options. */
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

/** Whether options have these bins and no criteria. They are of anybody's making, and may throw. */
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

/** A list that many get, with what is in it. */
function frozen<Item extends object>(list: readonly Item[]): readonly Item[] {
  list.forEach(Object.freeze);
  return Object.freeze(list);
}
