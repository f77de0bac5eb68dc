// Which rows of a table are visible. A page can be at most some ten million pixels high, so in a
// longer table the scroll position is a share of the table.

import { useEffect, useState } from "preact/hooks";
import { FOOT } from "./foot.tsx";
import { scale } from "./scale.ts";

/** The heights of a row and of the heads, like all sizes here in pixels. */
const ROW = 28;
const HEAD = 46;
const HIGHEST = 8_000_000;

/** Rows beyond the edges, so that a small scroll shows no gap. */
const BEYOND = 6;

/** @param box what scrolls */
export function useScrolling(box: { readonly current: HTMLElement | null }, rows: number) {
  const [scroll, setScroll] = useState({ top: 0, height: 600, width: 0 });
  const size = scale();
  const [row, head] = [ROW * size, HEAD * size];
  const full = rows * row;
  const height = Math.min(full, HIGHEST);
  const inSight = Math.max(1, Math.floor((scroll.height - head) / row));
  const isScaled = full > HIGHEST;
  const share = scroll.top / Math.max(1, height - scroll.height + head);
  const first = isScaled
    ? Math.round(Math.min(1, share) * Math.max(0, rows - inSight))
    : Math.floor(scroll.top / row);
  const from = Math.max(0, first - BEYOND);
  const to = Math.min(rows, first + inSight + BEYOND);

  const measure = () => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop, clientHeight, clientWidth } = element;
    setScroll({ top: scrollTop, height: clientHeight - FOOT * scale(), width: clientWidth });
  };
  useEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
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
    top: isScaled ? scroll.top - (first - from) * row : from * row,
    measure,
    /** Scrolls as little as it takes to have a row in sight. */
    bring: (position: number) => {
      const element = box.current;
      if (element === null || (position >= first && position < first + inSight)) return;
      const top = position < first ? position : position - inSight + 1;
      element.scrollTop = isScaled
        ? (top / Math.max(1, rows - inSight)) * (height - scroll.height + head)
        : top * row;
    },
  };
}
