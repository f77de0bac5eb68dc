// The brush of a histogram: drawn, moved, or resized at either end, with the pointer or the keyboard.
// It always covers whole bars.

import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { RangeFacet } from "../messages.ts";
import type { ChartProps } from "./chart.ts";

/** How near to an end of the brush, in pixels, is on it. */
const NEAR = 6;

/** What is dragged, and from which bar: an end of the brush, opposite to a bar that stays; or all its bars. */
type Drag = {
  readonly begin: number;
  /** Whether the pointer has stayed on that bar. */
  readonly isClick: boolean;
} & ({ readonly stays: number } | { readonly first: number; readonly last: number });

type End = "from" | "to";

const BY: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
};

/** @param chart where the bars are drawn */
export function useBrush(
  { facet, choice, choose }: ChartProps<RangeFacet>,
  chart: RefObject<SVGSVGElement | null>,
) {
  const { from, end, edges } = facet;
  const [drag, setDrag] = useState<Drag>();
  const [pointed, setPointed] = useState<number>();
  const bars = edges.length - 1;
  const range = choice !== undefined && "from" in choice ? choice : undefined;
  const within = (value: number) => Math.max(from, Math.min(end, value));
  const low = within(range?.from ?? from);
  const high = Math.max(low, within(range?.end ?? end));
  const startOf = (bar: number) => edges[bar] ?? end;
  /** The bar that begins nearest to a value. */
  const barOf = (value: number) =>
    edges.reduce(
      (best, edge, i) => (Math.abs(edge - value) < Math.abs(startOf(best) - value) ? i : best),
      0,
    );
  /** The chosen bars, the last not included. */
  const [first, last] = [barOf(low), barOf(high)];

  /** The few values above the last bar are chosen with it. */
  const chooseBars = (begin: number, stop: number) =>
    choose({ from: startOf(begin), end: stop === bars ? Infinity : startOf(stop) });
  const between = (a: number, b: number) => chooseBars(Math.min(a, b), Math.max(a, b) + 1);
  const shift = (begin: number, stop: number, by: number) => {
    const bounded = Math.max(-begin, Math.min(bars - stop, by));
    chooseBars(begin + bounded, stop + bounded);
  };
  const moveEnd = (which: End, by: number) => {
    if (which === "from") chooseBars(Math.max(0, Math.min(last - 1, first + by)), last);
    else chooseBars(first, Math.min(bars, Math.max(first + 1, last + by)));
  };

  const boxOf = () => chart.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
  const barAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = boxOf();
    const value = from + ((clientX - left) / width) * (end - from);
    const after = edges.findIndex((edge) => edge > value);
    return after === -1 ? bars - 1 : Math.max(0, after - 1);
  };
  const dragAt = (event: PointerEvent): Drag => {
    const begin = barAt(event);
    const isClick = true;
    if (range === undefined) return { begin, isClick, stays: begin };
    const { left, width } = boxOf();
    const isNear = (value: number) =>
      Math.abs(left + ((value - from) / (end - from)) * width - event.clientX) <= NEAR;
    if (isNear(low)) return { begin, isClick, stays: last - 1 };
    if (isNear(high)) return { begin, isClick, stays: first };
    const isInside = begin >= first && begin < last;
    return { begin, isClick, ...(isInside ? { first, last } : { stays: begin }) };
  };

  return {
    isSet: range !== undefined,
    low,
    high,
    /** The bar that is pointed at. */
    pointed,
    onPointerDown: (event: PointerEvent) => {
      chart.current?.setPointerCapture(event.pointerId);
      setDrag(dragAt(event));
    },
    onPointerMove: (event: PointerEvent) => {
      const bar = barAt(event);
      setPointed(bar);
      if (drag === undefined || (drag.isClick && bar === drag.begin)) return;
      setDrag({ ...drag, isClick: false });
      if ("stays" in drag) between(drag.stays, bar);
      else shift(drag.first, drag.last, bar - drag.begin);
    },
    onPointerLeave: () => setPointed(undefined),
    /** A click gives the choice up, or chooses a bar where there is none. */
    onPointerUp: () => {
      if (drag?.isClick === true) {
        if (range === undefined) between(drag.begin, drag.begin);
        else choose(undefined);
      }
      setDrag(undefined);
    },
    onKeyDown: (event: KeyboardEvent, which: End) => {
      const { key, shiftKey } = event;
      const by = BY[key] ?? (key === "Home" ? -bars : key === "End" ? bars : 0);
      if (by === 0 && key !== "Escape") return;
      event.preventDefault();
      if (by === 0) choose(undefined);
      else if (shiftKey) shift(first, last, by);
      else moveEnd(which, by);
    },
  };
}
