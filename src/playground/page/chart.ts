// The properties of the charts of facets, and the bars of a histogram as a path, on the page and in a
// picture.

import type { FacetCounts } from "../messages.ts";
import type { FacetChoice } from "../criteria-list.ts";
import { heightOf } from "./scaling.ts";
import type { Format } from "../texts.ts";

export interface ChartProps<Kind> {
  readonly facet: Kind;
  /** How its numbers and times are written. */
  readonly format: Format;
  readonly whole: FacetCounts | undefined;
  readonly part: FacetCounts | undefined;
  readonly choice: FacetChoice | undefined;
  readonly choose: (choice: FacetChoice | undefined) => void;
}

export const WIDE = 480;
export const HIGH = 112;

export const barsIn = (counts: FacetCounts | undefined): readonly number[] =>
  counts !== undefined && "bars" in counts ? counts.bars : [];

export const mostOf = (counts: FacetCounts | undefined): number => Math.max(0, ...barsIn(counts));

export function isSame(whole: FacetCounts | undefined, part: FacetCounts | undefined): boolean {
  const all = barsIn(whole);
  return part === undefined || barsIn(part).every((count, i) => count === all[i]);
}

/**
 * Bars beside each other as one path.
 *
 * @param most what is as high as the chart
 */
export function path(
  counts: FacetCounts | undefined,
  edges: readonly number[],
  most: number,
  isLog = false,
): string {
  const [from = 0] = edges;
  const scale = WIDE / ((edges.at(-1) ?? 1) - from);
  return barsIn(counts)
    .map((value, i) => {
      const [left, right] = [edges[i] ?? 0, edges[i + 1] ?? 0].map((edge) => (edge - from) * scale);
      const wide = (right ?? 0) - (left ?? 0);
      const high = heightOf(value, most, isLog) * HIGH;
      return value === 0
        ? ""
        : `M${(left ?? 0).toFixed(2)},${HIGH}v${(-high).toFixed(2)}h${(wide - Math.min(1, wide / 5)).toFixed(2)}V${HIGH}z`;
    })
    .join("");
}
