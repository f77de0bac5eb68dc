// A histogram that a brush filters, or the ends of the brush by the arrow keys.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { RangeFacet } from "../messages.ts";
import { HIGH, isSame, mostOf, path, WIDE, type ChartProps } from "./chart.ts";
import { shortCount, shown, shownNumber } from "./words.ts";

export function Histogram(props: ChartProps<RangeFacet>): JSX.Element {
  const { whole, part, choice, choose } = props;
  const { field, from, end, edges, step, unit } = props.facet;
  const chart = useRef<SVGSVGElement>(null);
  const [anchor, setAnchor] = useState<number | undefined>(undefined);
  const bins = edges.length - 1;
  const range = choice !== undefined && "from" in choice ? choice : undefined;
  const [low, high] = [Math.max(from, range?.from ?? from), Math.min(end, range?.end ?? end)];
  const at = (value: number) => ((value - from) / (end - from)) * WIDE;
  /** The bin that begins nearest to a value. */
  const binOf = (value: number) =>
    edges.reduce(
      (best, edge, i) =>
        Math.abs(edge - value) < Math.abs((edges[best] ?? from) - value) ? i : best,
      0,
    );
  const startOf = (bin: number) => edges[bin] ?? end;

  const binAt = (event: PointerEvent): number => {
    const { left, width: wide } = chart.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    const share = (event.clientX - left) / wide;
    const after = edges.findIndex((edge) => edge > from + share * (end - from));
    return after === -1 ? bins - 1 : Math.max(0, after - 1);
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
          <path class="all" d={path(whole, edges)} />
          <path class="some" d={path(part, edges)} />
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
        <span>{shownNumber(end - step, unit)}</span>
      </p>
      <Scales {...props} />
    </div>
  );
}

/** What the highest bar stands for: that of the selection, and that of all behind it. */
function Scales({ facet: { calendar }, whole, part }: ChartProps<RangeFacet>): JSX.Element {
  const [all, some] = [mostOf(whole), mostOf(part)];
  const nulls = part !== undefined && "bars" in part ? part.nulls : 0;
  const every = calendar ?? "bar";
  return (
    <p class="axis scales">
      {isSame(whole, part) ? (
        <span>
          up to {shortCount(all)} a {every}
        </span>
      ) : (
        <>
          <span class="of-some">
            selected: up to {shortCount(some)} a {every}
          </span>
          <span class="of-all">all: up to {shortCount(all)}</span>
        </>
      )}
      {nulls > 0 && <span>{shortCount(nulls)} null</span>}
    </p>
  );
}
