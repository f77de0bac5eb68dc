// The counts of all records that were asked for last. A collection never changes, so that what was counted
// once stays so: a facet is asked for at each step of whatever looks at it. Only what was counted from an
// index is kept, for to read values is what makes an index come to be.

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

  histogram(field: unknown, { bins, from, to }: Binning): Histogram | undefined {
    const kept = this.#histograms.get(field);
    if (kept === undefined) return undefined;
    const { binning, found } = kept;
    return binning.bins === bins && binning.from === from && binning.to === to ? found : undefined;
  }

  keepHistogram(base: Segment, field: string, binning: Binning, found: Histogram): Histogram {
    if (found.bins.length > LONGEST || countingIndex(base, field) === undefined) return found;
    frozen(found.bins);
    this.#histograms.set(field, { binning, found: Object.freeze(found) });
    return found;
  }
}

/** A list that many get, with what is in it. */
function frozen<Item extends object>(list: readonly Item[]): readonly Item[] {
  list.forEach(Object.freeze);
  return Object.freeze(list);
}
