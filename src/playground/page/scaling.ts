// How high the bars and lines of charts are: whether a selection has the scale of the whole, and whether scales are
// logarithmic.

import { createContext } from "preact";
import { ticksOf, type Tick } from "../ticks.ts";

export interface Scaling {
  /** Whether a selection and the whole behind it have one scale. */
  readonly isOne: boolean;
  readonly isLog: boolean;
}

export const Scalings = createContext<Scaling>({ isOne: false, isLog: false });

/** How high a count is, if the highest one is 1. On a logarithmic scale 0 is 0, as one more is counted. */
export const heightOf = (value: number, most: number, isLog: boolean): number =>
  most <= 0 ? 0 : isLog ? Math.log1p(value) / Math.log1p(most) : value / most;

/** Ticks of counts from 0 to the highest. */
export function heightTicksOf(most: number, count: number, isLog: boolean): Tick[] {
  if (!(most > 0)) return [];
  if (!isLog) return ticksOf(0, most, count).filter(({ at }) => at > 0);
  const powers = Array.from({ length: Math.floor(Math.log10(most) + 1e-9) + 1 }, (_, i) => 10 ** i);
  const every = Math.ceil(powers.length / count);
  const shown = powers.filter((_, i) => i % every === 0);
  return shown.flatMap((power) =>
    ticksOf(power, power, 1).map(({ text }) => ({ at: heightOf(power, most, true), text })),
  );
}
