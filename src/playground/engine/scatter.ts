// Two numbers of each record, as points or, where these would be too many, counted in the cells of a grid.

import type { CriteriaList, Scatter, ScatterAxis, ScatterCounts } from "../messages.ts";
import { numbersOf, type ColumnsOf } from "./columns.ts";
import { correlationOf } from "./correlation.ts";

/** More records than this are counted in cells. */
export const MOST_POINTS = 10_000;

/** How many cells there are beside and above each other. */
const ACROSS = 60;
const DOWN = 36;

type Wanted = Pick<ScatterAxis, "field" | "isLog">;

/** @throws CriteriaError */
export function scatterOf(
  columnsOf: ColumnsOf,
  criteria: CriteriaList,
  x: Wanted,
  y: Wanted,
): Scatter {
  const read = (of: CriteriaList) => columnsOf([x.field, y.field], of.length === 0 ? null : of);
  const all = read([]);
  const axes = [x, y].map((axis, i) => withEnds(axis, all[i] && numbersOf(all[i])));
  const [across, up] = axes;
  if (across === undefined || up === undefined) throw new RangeError("there are two axes");
  const count = (columns: ReturnType<ColumnsOf>) => countsOf(columns, across, up);
  const some = criteria.length === 0 ? undefined : read(criteria);
  return {
    x: across,
    y: up,
    all: count(all),
    selected: some && count(some),
    correlation: correlationOf(...pairOf(some ?? all)),
  };
}

/** How far the ends of an axis are beyond the lowest and the highest number, as a share of what is between them. */
const BEYOND = 0.03;

/** On a log scale there are positive numbers only. */
function withEnds(axis: Wanted, numbers: Float64Array | undefined): ScatterAxis {
  const shown = numbers?.find((number) => (axis.isLog ? number > 0 : !Number.isNaN(number)));
  const [low, high] = [shown ?? NaN, numbers?.at(-1) ?? NaN];
  if (axis.isLog) {
    const factor = (high / low) ** BEYOND;
    return { ...axis, from: low / factor, to: high * factor };
  }
  const margin = (high - low) * BEYOND;
  return { ...axis, from: low - margin, to: high + margin };
}

function pairOf([across, up]: ReturnType<ColumnsOf>) {
  if (across === undefined || up === undefined) throw new RangeError("there are two columns");
  const numbers = (of: typeof across) => ({ codes: of.codes, numbers: numbersOf(of) });
  return [numbers(across), numbers(up)] as const;
}

function countsOf(columns: ReturnType<ColumnsOf>, x: ScatterAxis, y: ScatterAxis): ScatterCounts {
  const [across, up] = pairOf(columns);
  const [left, bottom] = [placesOf(across.numbers, x), placesOf(up.numbers, y)];
  const [xs, ys] = [across.codes, up.codes];
  const { length } = xs;
  let shown = 0;
  for (let i = 0; i < length; i++) {
    if (!Number.isNaN(left[xs[i]!]!) && !Number.isNaN(bottom[ys[i]!]!)) shown++;
  }
  const rest = { shown, hidden: length - shown };
  if (shown <= MOST_POINTS) {
    const points = new Float32Array(2 * shown);
    let at = 0;
    for (let i = 0; i < length; i++) {
      const [across, up] = [left[xs[i]!]!, bottom[ys[i]!]!];
      if (Number.isNaN(across) || Number.isNaN(up)) continue;
      points[at++] = across;
      points[at++] = up;
    }
    return { ...rest, points };
  }
  const cells = new Uint32Array(ACROSS * DOWN);
  for (let i = 0; i < length; i++) {
    const [across, up] = [left[xs[i]!]!, bottom[ys[i]!]!];
    if (Number.isNaN(across) || Number.isNaN(up)) continue;
    const column = Math.min(ACROSS - 1, Math.floor(across * ACROSS));
    const row = Math.min(DOWN - 1, Math.floor(up * DOWN));
    cells[row * ACROSS + column]!++;
  }
  return { ...rest, cells, across: ACROSS };
}

/** Where each number is on an axis, from 0 to 1; NaN if it is not on it. */
function placesOf(numbers: Float64Array, { from, to, isLog }: ScatterAxis): Float64Array {
  const scale = (number: number) => (isLog ? Math.log10(number) : number);
  const low = scale(from);
  const span = scale(to) - low;
  return numbers.map((number) => {
    if (Number.isNaN(number) || (isLog && number <= 0)) return NaN;
    return span > 0 ? (scale(number) - low) / span : 0.5;
  });
}
