// A histogram, and the brush that filters by it.

import type { JSX } from "preact";
import { useContext, useRef } from "preact/hooks";
import { typedBound } from "../criteria-list.ts";
import type { RangeFacet } from "../messages.ts";
import { ACROSS, Axis, gridOf, ticksIn } from "./axis.tsx";
import { heightTicksOf, Scalings } from "./scaling.ts";
import { useBrush } from "./brush.ts";
import { barsIn, HIGH, isSame, mostOf, path, WIDE, type ChartProps } from "./chart.ts";
import { boundIn } from "../texts.ts";
import { count, shortCount, shown } from "./words.ts";

export function Histogram(props: ChartProps<RangeFacet>): JSX.Element {
  const { whole, part, format } = props;
  const { field, from, end, edges, step } = props.facet;
  const chart = useRef<SVGSVGElement>(null);
  const { isSet, low, high, pointed, onKeyDown, ...pointing } = useBrush(props, chart);
  const { isOne, isLog } = useContext(Scalings);
  const all = mostOf(whole);
  const most = isOne ? all : mostOf(part);
  const ticks = heightTicksOf(part === undefined ? all : most, 2, isLog);
  const at = (value: number) => ((value - from) / (end - from)) * WIDE;
  return (
    <div class="histogram">
      <div class="plot">
        <svg
          ref={chart}
          viewBox={`0 0 ${WIDE} ${HIGH}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          {...pointing}
        >
          <path class="all" d={path(whole, edges, all, isLog)} />
          <path class="some" d={path(part, edges, most, isLog)} />
          <path class="gridline" d={gridOf(ticks, WIDE, HIGH)} />
          {isSet && (
            <>
              <rect class="out" x={0} y={0} width={at(low)} height={HIGH} />
              <rect class="out" x={at(high)} y={0} width={WIDE - at(high)} height={HIGH} />
              <rect class="in" x={at(low)} y={0} width={at(high) - at(low)} height={HIGH} />
            </>
          )}
        </svg>
        <Axis ticks={ticks} side="left" />
        {(["from", "to"] as const).map((edge) => {
          const value = edge === "from" ? low : high - step;
          const bound = step === 1 ? value : typedBound(value);
          return (
            <button
              key={edge}
              type="button"
              class={`handle${isSet ? " set" : ""}`}
              role="slider"
              aria-label={`${shown(field)} ${edge}`}
              aria-valuemin={from}
              aria-valuemax={end - step}
              aria-valuenow={bound}
              aria-valuetext={boundIn(bound, format)}
              style={{ left: `${(at(edge === "from" ? low : high) / WIDE) * 100}%` }}
              onKeyDown={(event) => onKeyDown(event, edge)}
            />
          );
        })}
      </div>
      {pointed === undefined ? (
        <Axis ticks={ticksIn(from, end, format, ACROSS)} side="below" />
      ) : (
        <p class="axis">
          <strong>{barText(props, pointed)}</strong>
        </p>
      )}
      <Scales {...props} />
    </div>
  );
}

/** How many characters of a time name a calendar step: that of a quarter is its first month. */
const NAMED = { day: 10, week: 10, month: 7, quarter: 7, year: 4 } as const;

/** Which numbers a bar stands for, and how many there are. */
function barText({ facet, format, whole, part }: ChartProps<RangeFacet>, bar: number): string {
  const { calendar, edges, end, step } = facet;
  const first = boundIn(edges[bar] ?? end, format);
  const last = boundIn((edges[bar + 1] ?? end) - step, format);
  const name = calendar === undefined ? `${first} to ${last}` : first.slice(0, NAMED[calendar]);
  const inBar = (counts: typeof whole) => count(barsIn(counts)[bar] ?? 0);
  return `${name}: ${isSame(whole, part) ? "" : `${inBar(part)} of `}${inBar(whole)}`;
}

const NONE = { below: 0, above: 0, nulls: 0 };

/** What the highest bar stands for: that of the selection, and that of all behind it. */
function Scales(props: ChartProps<RangeFacet>): JSX.Element {
  const { facet, format, whole, part, choice, choose } = props;
  const { calendar, from, end, field, step } = facet;
  const [all, some] = [mostOf(whole), mostOf(part)];
  const { below, above, nulls } = part !== undefined && "bars" in part ? part : NONE;
  const isNull = choice !== undefined && "values" in choice && choice.values.includes(null);
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
      {below > 0 && (
        <span>
          {shortCount(below)} below {boundIn(from, format)}
        </span>
      )}
      {above > 0 && (
        <span>
          {shortCount(above)} above {boundIn(end - step, format)}
        </span>
      )}
      {(nulls > 0 || isNull) && (
        <button
          type="button"
          class="plain small"
          aria-label={`${shortCount(nulls)} null in ${shown(field)}`}
          aria-pressed={isNull}
          onClick={() => choose(isNull ? undefined : { values: [null] })}
        >
          {shortCount(nulls)} null
        </button>
      )}
    </p>
  );
}
