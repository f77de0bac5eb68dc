// Two numbers of each record: points or, of many records, a grid of cells. What is drawn over selects.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { facetChoice, withFacet } from "../criteria-list.ts";
import { isNumber, rangeOf } from "../groups.ts";
import type { Charts } from "../link.ts";
import type { Correlation, CriteriaList, FieldInfo, Loaded } from "../messages.ts";
import type { ScatterAxis, ScatterCounts } from "../messages.ts";
import { boundIn } from "../texts.ts";
import { useLatest } from "./asking.ts";
import { Axis, ACROSS, ticksIn, UP } from "./axis.tsx";
import { Select } from "./controls.tsx";
import type { Engine } from "./engine.ts";
import { count, counted, shown } from "./words.ts";

const WIDE = 600;
const HIGH = 360;

interface Props {
  readonly engine: Engine;
  readonly loaded: Loaded;
  readonly list: CriteriaList;
  readonly charts: Charts;
  readonly onCharts: (charts: Charts) => void;
  /** With what makes other criteria of those that there are. */
  readonly onChange: (make: (list: CriteriaList) => CriteriaList) => void;
}

export function ScatterPlot(props: Props): JSX.Element | null {
  const { loaded, charts, onCharts } = props;
  const numbers = loaded.fields.filter(isNumber);
  const measures = [...numbers].sort((a, b) => Number(b.isMeasure) - Number(a.isMeasure));
  if (measures.length < 2) return null;
  const fieldOf = (axis: "x" | "y") => measures.find(({ name }) => name === charts[axis]);
  const [x, y] = [fieldOf("x"), fieldOf("y")];
  const choice = (axis: "x" | "y", text: string) => (
    <>
      <label>
        <span>{text}</span>
        <Select
          aria-label={`${text} axis`}
          value={fieldOf(axis)?.name ?? ""}
          options={[["", "choose"], ...measures.map(({ name }) => [name, shown(name)] as const)]}
          onChange={(next) => onCharts({ ...charts, [axis]: next })}
        />
      </label>
      {fieldOf(axis)?.unit === undefined && (
        <label class="toggle">
          <input
            type="checkbox"
            checked={charts[`log${axis}`] !== ""}
            onChange={({ currentTarget }) =>
              onCharts({ ...charts, [`log${axis}`]: currentTarget.checked ? "1" : "" })
            }
          />
          log
        </label>
      )}
    </>
  );
  return (
    <section class="scatter" aria-label="Scatter plot">
      <header>
        <h2>Scatter plot</h2>
        {choice("x", "across")}
        {choice("y", "up")}
      </header>
      {x !== undefined && y !== undefined && <Plot {...props} x={x} y={y} />}
    </section>
  );
}

interface PlotProps extends Props {
  readonly x: FieldInfo;
  readonly y: FieldInfo;
}

/** A place in the plot, from 0 to 1 on both axes. */
type Place = readonly [x: number, y: number];

function Plot({ engine, loaded, list, charts, onChange, x, y }: PlotProps): JSX.Element | null {
  const [drag, setDrag] = useState<{ readonly from: Place; readonly to: Place }>();
  const plot = useRef<SVGSVGElement>(null);
  const [across, up] = useAxes(x, y, charts);
  const found = useLatest(engine, loaded, "scatter", [list, across, up]);
  if (found === undefined) return null;
  const { all, selected } = found;
  if (Number.isNaN(found.x.from) || Number.isNaN(found.y.from)) {
    return <p class="quiet note">No record has both numbers.</p>;
  }
  const placeOf = ({ clientX, clientY }: PointerEvent): Place => {
    const { left, top, width, height } = plot.current?.getBoundingClientRect() ?? NO_BOX;
    const within = (share: number) => Math.max(0, Math.min(1, share));
    return [within((clientX - left) / width), within(1 - (clientY - top) / height)];
  };
  const axes = [
    [x, found.x],
    [y, found.y],
  ] as const;
  const chosen = axes.map(([field, axis]) => rangeIn(list, field, axis));
  const isSet = axes.some(([field]) => facetChoice(list, rangeOf(field)) !== undefined);
  const choose = (from: Place | undefined, to: Place | undefined) =>
    onChange((list) =>
      axes.reduce<CriteriaList>((before, [field, axis], i) => {
        const [a, b] = [from?.[i], to?.[i]];
        if (a === undefined || b === undefined) return withFacet(before, rangeOf(field), undefined);
        return withFacet(before, rangeOf(field), rangeBetween(a, b, field, axis));
      }, list),
    );
  const box = drag === undefined ? chosen : [0, 1].map((i) => [drag.from[i], drag.to[i]] as const);
  const [wide, high] = box.map((ends) => [...ends].map((end) => end ?? 0).sort((a, b) => a - b));
  const left = (wide?.[0] ?? 0) * WIDE;
  const right = (wide?.[1] ?? 1) * WIDE;
  const bottom = (1 - (high?.[0] ?? 0)) * HIGH;
  const top = (1 - (high?.[1] ?? 1)) * HIGH;
  const shownCounts = selected ?? all;
  return (
    <>
      <div class="chart">
        <Axis ticks={ticksIn(found.y.from, found.y.to, y, UP + 1, found.y.isLog)} side="left" />
        <div class="plot">
          <svg
            ref={plot}
            viewBox={`0 0 ${WIDE} ${HIGH}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${shown(x.name)} and ${shown(y.name)} of ${counted(shownCounts.shown, "record")}`}
            onPointerDown={(event) => {
              plot.current?.setPointerCapture(event.pointerId);
              setDrag({ from: placeOf(event), to: placeOf(event) });
            }}
            onPointerMove={(event) => {
              if (drag !== undefined) setDrag({ ...drag, to: placeOf(event) });
            }}
            onPointerUp={(event) => {
              if (drag === undefined) return;
              const to = placeOf(event);
              setDrag(undefined);
              const isClick = drag.from.every((share, i) => Math.abs(share - (to[i] ?? 0)) < 0.01);
              if (isClick) choose(undefined, undefined);
              else choose(drag.from, to);
            }}
            onPointerCancel={() => setDrag(undefined)}
          >
            {selected !== undefined && <Counts counts={all} kind="all" />}
            <Counts counts={shownCounts} kind="some" />
            {(isSet || drag !== undefined) && (
              <rect class="box" x={left} y={top} width={right - left} height={bottom - top} />
            )}
          </svg>
          <Axis ticks={ticksIn(found.x.from, found.x.to, x, ACROSS, found.x.isLog)} side="below" />
        </div>
      </div>
      <p class="axis scales">
        <span>
          {shown(x.name)} across, {shown(y.name)} up
        </span>
        <span class="of-some">
          {keyText(shownCounts, selected === undefined ? "all" : "selected")}
        </span>
        {selected !== undefined && <span class="of-all">{keyText(all, "all")}</span>}
        {shownCounts.hidden > 0 && (
          <span>
            {counted(shownCounts.hidden, "record")} without{" "}
            {charts.logx !== "" || charts.logy !== "" ? "two numbers above 0" : "both numbers"}
          </span>
        )}
      </p>
      <p class="axis correlation">{correlationText(found.correlation)}</p>
      <p class="bounds" role="group" aria-label="Selected range">
        {axes.map(([field, axis]) => (
          <Bounds
            key={field.name}
            {...{ field, axis, list }}
            onRange={(choice) => onChange((before) => withFacet(before, rangeOf(field), choice))}
          />
        ))}
        {isSet && (
          <button type="button" class="plain" onClick={() => choose(undefined, undefined)}>
            Reset
          </button>
        )}
      </p>
    </>
  );
}

const NO_BOX = { left: 0, top: 0, width: 1, height: 1 };

type Wanted = Pick<ScatterAxis, "field" | "isLog">;

/** The same objects as long as nothing else is asked for. */
function useAxes(x: FieldInfo, y: FieldInfo, charts: Charts) {
  const axes = useRef<readonly [Wanted, Wanted] | undefined>(undefined);
  const next = [
    { field: x.name, isLog: x.unit === undefined && charts.logx !== "" },
    { field: y.name, isLog: y.unit === undefined && charts.logy !== "" },
  ] as const;
  if (JSON.stringify(axes.current) !== JSON.stringify(next)) axes.current = next;
  return axes.current ?? next;
}

/** Nearer to the edge of a plot there are no numbers. */
const EDGE = 0.02;

/** The numbers between two places of an axis, rounded to what can be seen. */
function rangeBetween(a: number, b: number, field: FieldInfo, axis: ScatterAxis) {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  const at = (share: number) => valueAt(share, axis);
  // The edges of the plot have no end, so that all numbers beyond them are selected too.
  const step = field.type === "int" ? 1 : 0;
  const digits = step === 1 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(axis.to - axis.from || 1)));
  const round = (value: number) =>
    step === 1 ? Math.round(value) : Number(value.toFixed(Math.min(20, digits)));
  return {
    from: low <= EDGE ? -Infinity : round(at(low)),
    end: high >= 1 - EDGE ? Infinity : round(at(high)) + step,
  };
}

function valueAt(share: number, { from, to, isLog }: ScatterAxis): number {
  if (!isLog) return from + share * (to - from);
  return 10 ** (Math.log10(from) + share * (Math.log10(to) - Math.log10(from)));
}

function placeIn(value: number, { from, to, isLog }: ScatterAxis): number {
  const scale = (number: number) => (isLog ? Math.log10(Math.max(number, from)) : number);
  const share = (scale(value) - scale(from)) / (scale(to) - scale(from) || 1);
  return Math.max(0, Math.min(1, Number.isNaN(share) ? 0 : share));
}

/** The part of an axis that the criteria select. */
function rangeIn(
  list: CriteriaList,
  field: FieldInfo,
  axis: ScatterAxis,
): readonly [number, number] {
  const choice = facetChoice(list, rangeOf(field));
  if (choice === undefined || !("from" in choice)) return [0, 1];
  const end = Number.isFinite(choice.end) ? placeIn(choice.end, axis) : 1;
  return [Number.isFinite(choice.from) ? placeIn(choice.from, axis) : 0, end];
}

interface BoundsProps {
  readonly field: FieldInfo;
  readonly axis: ScatterAxis;
  readonly list: CriteriaList;
  readonly onRange: (choice: { readonly from: number; readonly end: number }) => void;
}

/** What the keys move a bound by, as a share of the axis. */
const STEP = 0.02;

/** The bounds of the selection on an axis, moved by arrow keys. */
function Bounds({ field, axis, list, onRange }: BoundsProps): JSX.Element {
  const [low, high] = rangeIn(list, field, axis);
  const move = (which: "from" | "to", by: number) => {
    const start = which === "from" ? low : high;
    const rangeAt = (share: number) =>
      rangeBetween(
        ...(which === "from" ? ([share, high] as const) : ([low, share] as const)),
        field,
        axis,
      );
    const before = JSON.stringify(rangeAt(start));
    // Of few integers, several steps are none.
    for (let share = start + by; share > -STEP && share < 1 + STEP; share += by) {
      const within = Math.max(0, Math.min(1, share));
      const isRange = which === "from" ? within < high : within > low;
      if (!isRange) return;
      const range = rangeAt(within);
      if (JSON.stringify(range) === before) continue;
      onRange(range);
      return;
    }
  };
  return (
    <>
      {(["from", "to"] as const).map((which) => {
        const value = valueAt(which === "from" ? low : high, axis);
        return (
          <span
            key={which}
            role="slider"
            tabIndex={0}
            aria-label={`${shown(field.name)} ${which}`}
            aria-valuemin={axis.from}
            aria-valuemax={axis.to}
            aria-valuenow={value}
            aria-valuetext={boundIn(Number(value.toPrecision(4)), field)}
            onKeyDown={(event) => {
              const by = /Right|Up/.test(event.key)
                ? STEP
                : /Left|Down/.test(event.key)
                  ? -STEP
                  : 0;
              if (by === 0 || !event.key.startsWith("Arrow")) return;
              event.preventDefault();
              move(which, by);
            }}
          >
            {shown(field.name)} {which}
          </span>
        );
      })}
    </>
  );
}

function correlationText({ pairs, pearson, spearman }: Correlation): string {
  const of = `${counted(pairs, "record")} with both numbers`;
  if (pearson === null || spearman === null) {
    return `No correlation of ${of}${pairs > 1 ? ", of which one is always the same" : ""}`;
  }
  return `Pearson’s r ${coefficient(pearson)}, Spearman’s ρ ${coefficient(spearman)} of ${of}`;
}

/** Beyond these, digits are those of rounding errors. */
const MOST_DIGITS = 12;

/** Three digits, or as many as tell that it is not quite 1. */
function coefficient(value: number): string {
  const digits = Math.max(3, Math.ceil(-Math.log10(1 - Math.abs(value))));
  if (digits > MOST_DIGITS) return `≈ ${Math.sign(value)}`;
  return `≈ ${value.toFixed(digits).replace(/^-(0\.0+)$/, "$1")}`;
}

function keyText(counts: ScatterCounts, which: string): string {
  if ("points" in counts) return `${which}: ${counted(counts.shown, "point")}`;
  const most = counts.cells.reduce((high, each) => Math.max(high, each), 0);
  return `${which}: ${counted(counts.shown, "record")}, up to ${count(most)} a cell, darker is more`;
}

/** How many shades cells have. */
const SHADES = 6;

function Counts({
  counts,
  kind,
}: {
  readonly counts: ScatterCounts;
  readonly kind: "all" | "some";
}) {
  if ("points" in counts) {
    const { points } = counts;
    let path = "";
    for (let i = 0; i + 1 < points.length; i += 2) {
      const [x = 0, y = 0] = [points[i], points[i + 1]];
      path += `M${(x * WIDE).toFixed(1)},${((1 - y) * HIGH).toFixed(1)}h0`;
    }
    return <path class={`points ${kind}`} d={path} />;
  }
  const { cells, across } = counts;
  const down = cells.length / across;
  const most = cells.reduce((high, each) => Math.max(high, each), 1);
  const [wide, high] = [WIDE / across, HIGH / down];
  const paths = Array.from({ length: SHADES }, () => "");
  for (const [i, each] of cells.entries()) {
    if (each === 0) continue;
    const shade = Math.min(SHADES - 1, Math.floor((Math.log1p(each) / Math.log1p(most)) * SHADES));
    const [x, y] = [(i % across) * wide, HIGH - (Math.floor(i / across) + 1) * high];
    paths[shade] += `M${x.toFixed(2)},${y.toFixed(2)}h${wide}v${high.toFixed(2)}h${-wide}z`;
  }
  return (
    <>
      {paths.map((path, shade) => (
        <path key={shade} class={`cells ${kind}`} opacity={(shade + 1) / SHADES} d={path} />
      ))}
    </>
  );
}
