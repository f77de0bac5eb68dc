// Axes of charts: ticks and their texts beside a plot, in HTML, because the plot is stretched.

import type { JSX } from "preact";
import { timeTicksOf, ticksOf, logTicksOf, type Tick } from "../ticks.ts";
import { millisecondsOf } from "../calendar.ts";
import { localOf } from "../times.ts";
import type { Format } from "../texts.ts";

/** About how many ticks there are across a chart, and up it. */
export const ACROSS = 5;
export const UP = 4;

/** On a phone, every second one of more ticks has its text. */
const MANY = 5;

interface Props {
  readonly ticks: readonly Tick[];
  readonly side: "below" | "left" | "right";
}

/** Readers that do not see the plot are told what it shows instead. */
export function Axis({ ticks, side }: Props): JSX.Element {
  return (
    <div class={`ticks ${side}${ticks.length > MANY ? " many" : ""}`} aria-hidden="true">
      {ticks.map(({ at, text }) => (
        <span
          key={`${at} ${text}`}
          class={at < 0.04 ? "first" : at > 0.96 ? "last" : ""}
          style={side === "below" ? { left: `${at * 100}%` } : { bottom: `${at * 100}%` }}
        >
          {text}
        </span>
      ))}
    </div>
  );
}

/** The ticks of the values of a field. */
export function ticksIn(
  from: number,
  to: number,
  format: Format,
  most: number,
  isLog = false,
): Tick[] {
  const { unit, zone, isMeasure } = format;
  if (unit !== undefined) {
    const scale = millisecondsOf(unit);
    return timeTicksOf(localOf(from * scale, zone), localOf(to * scale, zone), most);
  }
  return (isLog ? logTicksOf : ticksOf)(from, to, most, isMeasure);
}

/** Lines across a plot at the ticks of its left side. */
export const gridOf = (ticks: readonly Tick[], wide: number, high: number): string =>
  ticks.map(({ at }) => `M0,${((1 - at) * high).toFixed(2)}h${wide}`).join("");
