// A histogram that a brush filters, or the ends of the brush by the arrow keys.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { RangeFacet } from "../messages.ts";
import type { ChartProps } from "./facets.tsx";
import { shortCount, shown, shownNumber } from "./words.ts";

const WIDE = 480;
const HIGH = 112;

export function Histogram(props: ChartProps<RangeFacet>): JSX.Element {
  const { whole, part, choice, choose } = props;
  const { field, from, end, bins, step, unit } = props.facet;
  const chart = useRef<SVGSVGElement>(null);
  const [anchor, setAnchor] = useState<number | undefined>(undefined);
  const [all, some] = [whole, part].map((counts) =>
    counts !== undefined && "histogram" in counts ? counts.histogram : undefined,
  );
  const [allCounts, someCounts] = [all, some].map(
    (each) => each?.bins.map((bin) => bin.count) ?? [],
  );
  const most = Math.max(1, ...(allCounts ?? []));
  const range = choice !== undefined && "from" in choice ? choice : undefined;
  const [low, high] = [Math.max(from, range?.from ?? from), Math.min(end, range?.end ?? end)];
  const at = (value: number) => ((value - from) / (end - from)) * WIDE;
  const binOf = (value: number) => Math.round((at(value) / WIDE) * bins);
  /** The start of a bin, without the rounding errors of binary fractions. */
  const startOf = (bin: number) =>
    step === 1
      ? from + bin * ((end - from) / bins)
      : Number((from + (bin / bins) * (end - from)).toPrecision(12));

  const binAt = (event: PointerEvent): number => {
    const { left, width: wide } = chart.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    const share = (event.clientX - left) / wide;
    return Math.max(0, Math.min(bins - 1, Math.floor(share * bins)));
  };
  /** The few values above the last bin are chosen with it. */
  const chooseBins = (first: number, last: number) =>
    choose({ from: startOf(first), end: last === bins ? Infinity : startOf(last) });
  const choosing = (a: number, b: number) => chooseBins(Math.min(a, b), Math.max(a, b) + 1);
  const move = (edge: "from" | "to", by: number) => {
    const [first, last] = [binOf(low), binOf(high)];
    if (edge === "from") chooseBins(Math.max(0, Math.min(last - 1, first + by)), last);
    else chooseBins(first, Math.min(bins, Math.max(first + 1, last + by)));
  };
  const keysOf = (edge: "from" | "to"): Readonly<Record<string, () => void>> => ({
    ArrowRight: () => move(edge, 1),
    ArrowUp: () => move(edge, 1),
    ArrowLeft: () => move(edge, -1),
    ArrowDown: () => move(edge, -1),
    Home: () => move(edge, -bins),
    End: () => move(edge, bins),
    Escape: () => choose(undefined),
  });
  return (
    <div class="histogram">
      <div class="plot">
        <svg
          ref={chart}
          viewBox={`0 0 ${WIDE} ${HIGH}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setAnchor(binAt(event));
          }}
          onPointerMove={(event) => {
            if (anchor !== undefined) choosing(anchor, binAt(event));
          }}
          onPointerUp={(event) => {
            // A click where all of it was chosen takes one bin; elsewhere it gives the choice up.
            if (anchor === binAt(event)) choose(undefined);
            setAnchor(undefined);
          }}
        >
          <path class="all" d={bars(allCounts ?? [], most)} />
          <path class="some" d={bars(someCounts ?? [], most)} />
          {range !== undefined && (
            <>
              <rect class="out" x={0} y={0} width={at(low)} height={HIGH} />
              <rect class="out" x={at(high)} y={0} width={WIDE - at(high)} height={HIGH} />
            </>
          )}
        </svg>
        {(["from", "to"] as const).map((edge) => {
          const value = edge === "from" ? low : high - step;
          return (
            <button
              key={edge}
              type="button"
              class={`handle${range === undefined ? "" : " set"}`}
              role="slider"
              aria-label={`${shown(field)} ${edge}`}
              aria-valuemin={from}
              aria-valuemax={end - step}
              aria-valuenow={value}
              aria-valuetext={shownNumber(value, unit)}
              style={{ left: `${(at(edge === "from" ? low : high) / WIDE) * 100}%` }}
              onKeyDown={(event) => {
                const act = keysOf(edge)[event.key];
                if (act === undefined) return;
                event.preventDefault();
                act();
              }}
            />
          );
        })}
      </div>
      <p class="axis">
        <span>{shownNumber(from, unit)}</span>
        <span class="quiet">
          up to {shortCount(most)}
          {some !== undefined && some.nulls > 0 && `, ${shortCount(some.nulls)} null`}
        </span>
        <span>{shownNumber(end - step, unit)}</span>
      </p>
    </div>
  );
}

/** Bars beside each other as one path. */
function bars(counts: readonly number[], most: number): string {
  const wide = WIDE / Math.max(1, counts.length);
  const gap = Math.min(1, wide / 5);
  return counts
    .map((value, i) => {
      const high = (value / most) * HIGH;
      return value === 0
        ? ""
        : `M${(i * wide).toFixed(2)},${HIGH}v${(-high).toFixed(2)}h${(wide - gap).toFixed(2)}V${HIGH}z`;
    })
    .join("");
}
