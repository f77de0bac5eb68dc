// What is measured as time passes, as a line: of all records and of those with a value. A click selects a step.

import type { JSX } from "preact";
import { useContext, useRef, useState } from "preact/hooks";
import { labelOf, measureName, measureText, whereName } from "../group-labels.ts";
import { isAdditive, type Group, type GroupBy } from "../groups.ts";
import type { FieldInfo } from "../messages.ts";
import type { Format } from "../texts.ts";
import { logTicksOf, ticksOf } from "../ticks.ts";
import { Axis, gridOf, ticksIn, UP } from "./axis.tsx";
import { Scalings } from "./scaling.ts";
import { ScalingSwitch } from "./scaling-switch.tsx";
import { shown } from "./words.ts";

const WIDE = 960;
const HIGH = 200;
const HEADROOM = 0.05;

interface Props {
  readonly of: GroupBy;
  /** One after the other. */
  readonly steps: readonly Group[];
  readonly field: FieldInfo;
  readonly format: Format;
  readonly isChosen: (group: Group) => boolean;
  readonly toggle: (group: Group) => void;
}

export function Lines({ of, steps, field, format, isChosen, toggle }: Props): JSX.Element {
  const plot = useRef<SVGSVGElement>(null);
  const [pointed, setPointed] = useState<number>();
  const isLog = useContext(Scalings).isLog;
  const values = steps.map(({ value }) => value);
  const parts = steps.map(({ within }) => within?.value ?? null);
  const known = [...values, ...(of.where === undefined ? [] : parts)].filter(
    (each): each is number => each !== null && (!isLog || each > 0),
  );
  const [low, high] = [Math.min(...known), Math.max(...known)];
  // Amounts begin at 0, so that their heights can be compared.
  const from = isLog ? low : isAdditive(of.measure) || low < high / 2 ? Math.min(0, low) : low;
  // The highest point is below the edge.
  const to = high > from ? high + (isLog ? 0 : (high - from) * HEADROOM) : from + 1;
  const start = Number(steps[0]?.key);
  const end = Number(steps.at(-1)?.key);
  const across = (group: Group) => ((Number(group.key) - start) / (end - start || 1)) * WIDE;
  const scale = (value: number) => (isLog ? Math.log10(value) : value);
  const up = (value: number) =>
    HIGH - ((scale(value) - scale(from)) / (scale(to) - scale(from))) * HIGH;
  const ticks = (isLog ? logTicksOf : ticksOf)(from, to, UP);
  const path = (of: readonly (number | null)[]) =>
    of
      .map((value, i) => {
        const [step, before] = [steps[i], of[i - 1] ?? null];
        if (value === null || step === undefined || (isLog && value <= 0)) return "";
        const isJoined = before !== null && (!isLog || before > 0);
        const to = `${across(step).toFixed(2)},${up(value).toFixed(2)}`;
        return `${isJoined ? "L" : "M"}${to}${isJoined ? "" : "h0"}`;
      })
      .join("");
  const nearest = (event: PointerEvent) => {
    const { left, width } = plot.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    const at = ((event.clientX - left) / width) * WIDE;
    return steps.reduce(
      (best, step, i) =>
        Math.abs(across(step) - at) < Math.abs(across(steps[best] ?? step) - at) ? i : best,
      0,
    );
  };
  const step = steps[pointed ?? -1];
  const text = (value: number | null | undefined) => measureText(value, of, format);
  return (
    <figure class="lines">
      <figcaption>
        {step === undefined ? (
          <span class="axis scales">
            <span class="of-some">
              {shown(of.where === undefined ? measureName(of) : whereName(of.where))}
            </span>
            {of.where !== undefined && <span class="of-all">all</span>}
          </span>
        ) : (
          <strong>
            {labelOf(step, of.part, field)}:{" "}
            {of.where !== undefined && `${text(step.within?.value)} of `}
            {text(step.value)}
          </strong>
        )}
        <span class="space" />
        <ScalingSwitch isAlone />
      </figcaption>
      <div class="chart">
        <Axis ticks={ticks} side="left" />
        <div class="plot">
          <svg
            ref={plot}
            viewBox={`0 0 ${WIDE} ${HIGH}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${shown(measureName(of))} from ${labelOf(steps[0] ?? NONE, of.part, field)} to ${labelOf(steps.at(-1) ?? NONE, of.part, field)}, from ${text(low)} to ${text(high)}`}
            onPointerMove={(event) => setPointed(nearest(event))}
            onPointerLeave={() => setPointed(undefined)}
            onPointerUp={(event) => {
              const chosen = steps[nearest(event)];
              if (chosen !== undefined) toggle(chosen);
            }}
          >
            <path class="gridline" d={gridOf(ticks, WIDE, HIGH)} />
            {steps.filter(isChosen).map((each) => (
              <path key={each.key} class="chosen" d={`M${across(each)},0v${HIGH}`} />
            ))}
            {step !== undefined && <path class="pointed" d={`M${across(step)},0v${HIGH}`} />}
            <path
              class={of.where === undefined ? "line-of some" : "line-of all"}
              d={path(values)}
            />
            {of.where !== undefined && <path class="line-of some" d={path(parts)} />}
          </svg>
          <Axis ticks={ticksIn(start, end, field, 8)} side="below" />
        </div>
      </div>
    </figure>
  );
}

const NONE = { key: null, end: undefined, choice: undefined };
