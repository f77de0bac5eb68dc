// Which rows of a table are visible. A page can be at most some ten million pixels high, so the scroll bar of a longer
// table is compressed: what moves it far, as dragging does, moves to a share of the table, and all else by pixels.

import { useEffect, useRef, useState } from "preact/hooks";
import { FOOT } from "./foot.tsx";
import { scale } from "./scale.ts";

/** The heights of a row and of the heads, like all sizes here in pixels. */
const ROW = 28;
const HEAD = 52;
const HIGHEST = 8_000_000;

/** So much at both ends of a long table is not compressed, and so far a wheel moves without a rest. */
const EDGE = 100_000;

/** The scroll bar has moved if it is so far from where it was: the smallest step of dragging it is farther. */
const FAR = 4000;

/** After so many milliseconds without a move, the scroll bar takes its place. */
const REST = 150;

/** Rows beyond the edges, so that a small scroll shows no gap. */
const BEYOND = 6;

/** How a scroll position, up to `most`, stands for a place in a table, up to `end`: equal at both ends. */
export function compression(most: number, end: number) {
  const edge = Math.min(EDGE, most / 4);
  const ratio = (end - 2 * edge) / Math.max(1, most - 2 * edge);
  const map = (from: number, last: number, to: number, by: number) => {
    if (from <= edge) return from;
    return last - from <= edge ? to - (last - from) : edge + (from - edge) * by;
  };
  return {
    placeAt: (scroll: number) => (end <= most ? scroll : map(scroll, most, end, ratio)),
    scrollAt: (place: number) => (end <= most ? place : map(place, end, most, 1 / ratio)),
  };
}

/** @param box what scrolls */
export function useScrolling(box: { readonly current: HTMLElement | null }, rows: number) {
  /** Where the box is scrolled to, and which place of the table is there. */
  const [scroll, setScroll] = useState({ top: 0, place: 0, height: 600, width: 0 });
  const newest = useRef(scroll);
  const resting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const size = scale();
  const [row, head] = [ROW * size, HEAD * size];
  const full = rows * row;
  const height = Math.min(full, HIGHEST);
  const inView = scroll.height - head;
  const inSight = Math.max(1, Math.floor(inView / row));
  const end = Math.max(0, full - inView);
  const { placeAt, scrollAt } = compression(Math.max(0, height - inView), end);
  const first = Math.floor(scroll.place / row);
  const from = Math.max(0, first - BEYOND);
  const to = Math.min(rows, first + inSight + BEYOND);

  const show = (next: typeof scroll) => {
    newest.current = next;
    setScroll(next);
  };
  const goTo = (element: HTMLElement, place: number) => {
    element.scrollTop = scrollAt(place);
    show({ ...newest.current, top: element.scrollTop, place });
  };
  const measure = () => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, clientHeight, clientWidth } = element;
    const { top: before, place } = newest.current;
    const moved = top - before;
    const isNear = full > HIGHEST && Math.abs(moved) < FAR;
    const next = isNear ? Math.max(0, Math.min(end, place + moved)) : placeAt(top);
    show({ top, place: next, height: clientHeight - FOOT * scale(), width: clientWidth });
    clearTimeout(resting.current);
    if (isNear && moved !== 0) resting.current = setTimeout(() => goTo(element, next), REST);
  };
  const latest = useRef(measure);
  latest.current = measure;
  useEffect(() => {
    measure();
    const observer = new ResizeObserver(() => latest.current());
    if (box.current !== null) observer.observe(box.current);
    return () => {
      observer.disconnect();
      clearTimeout(resting.current);
    };
  }, []);

  return {
    /** The rows that are drawn, `to` not included. */
    from,
    to,
    /** How many rows are in sight. */
    inSight,
    /** How much space the columns have. */
    space: scroll.width / size,
    /** How many rows are to be there, so that a page up or down shows no gap. */
    wanted: { offset: Math.max(0, from - inSight), limit: inSight * 3 + 2 * BEYOND },
    /** Of all rows, in pixels. */
    height,
    /** Where the first row is drawn, in pixels. */
    top: scroll.top + from * row - scroll.place,
    measure,
    /** Scrolls to the first row. */
    restart: () => {
      if (box.current !== null) goTo(box.current, 0);
    },
    /** Scrolls as little as it takes to have a row in sight. */
    bring: (position: number) => {
      const element = box.current;
      const isThere =
        position * row >= scroll.place && (position + 1) * row <= scroll.place + inView;
      if (element === null || isThere) return;
      clearTimeout(resting.current);
      goTo(element, position < first + 1 ? position * row : (position + 1) * row - inView);
    },
  };
}
