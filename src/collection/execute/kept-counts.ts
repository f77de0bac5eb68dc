// The counts of all records that were asked for last. A collection never changes, so that what was counted
// once stays so: a facet is asked for at each step of whatever looks at it. Only what was counted from an
// index is kept, for to read values is what makes an index come to be.

import { isMembers } from "../../schema/input.ts";
import type { Segment } from "../snapshot/segment.ts";
import type { ValueCount } from "./count-by.ts";
import type { Binning, Histogram } from "./histogram.ts";
import { countingIndex } from "./tally.ts";

/** Of more values or bins than this nothing is kept: it would take memory that nobody asked for. */
const LONGEST = 1000;

interface KeptHistogram {
  readonly binning: Binning;
  readonly found: Histogram;
}

export class KeptCounts {
  /** Both by field. Of the histograms of a field, the last. */
  readonly #values = new Map<unknown, readonly ValueCount[]>();
  readonly #histograms = new Map<unknown, KeptHistogram>();

  /** @param field may be anything: nothing is kept but of fields */
  values(field: unknown): readonly ValueCount[] | undefined {
    return this.#values.get(field);
  }

  keepValues(base: Segment, field: string, found: readonly ValueCount[]): readonly ValueCount[] {
    if (found.length > LONGEST || countingIndex(base, field) === undefined) return found;
    this.#values.set(field, frozen(found));
    return found;
  }

  /** What the same options gave before. Others, and whatever is wrong with them, are for the reader of options. */
  histogram(field: unknown, options: unknown): Histogram | undefined {
    const kept = this.#histograms.get(field);
    return kept !== undefined && isOfAll(options, kept.binning) ? kept.found : undefined;
  }

  keepHistogram(base: Segment, field: string, binning: Binning, found: Histogram): Histogram {
    if (found.bins.length > LONGEST || countingIndex(base, field) === undefined) return found;
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
