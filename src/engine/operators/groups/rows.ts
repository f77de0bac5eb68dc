// Groups rows one by one: all rows in sequence, those with some codes of an index in its order, or those that a plan
// finds.

import type { Deadline } from "../../algorithms/deadline.ts";
import { STEP_ROWS } from "../../algorithms/steps.ts";
import { chargedRows, slowness } from "../../indexes/account.ts";
import { bitsOf, forEachRange, hasCode, onlyRange } from "../../indexes/code-set.ts";
import { tuning } from "../../tuning.ts";
import type { Segment } from "../../versions/segment.ts";
import { costs } from "../costs.ts";
import type { Plan } from "../plan.ts";
import {
  groupsWith,
  type GroupOperator,
  type GroupPlan,
  type GroupRun,
  type Selected,
  type SegmentKey,
} from "./group-plan.ts";
import {
  BLOCK_ROWS,
  EVERY_POSITION,
  blockOf,
  keepBits,
  keepRange,
  readCodes,
  type Rows,
} from "./block.ts";
import { fieldReader } from "./measured-field.ts";
import { groupReader, groupsByCode, isFew } from "./read-groups.ts";
import { codesOfSome, deadRowsOf } from "./runs.ts";
import type { Times } from "./tally.ts";

/**
 * About what these take, in nanoseconds: finding a group among those that occur, or by a number; counting a row, adding
 * a value.
 */
const FIND = 20;
const FIND_NUMBER = 5;
const COUNT = 1;
const LOOKUP = 1.5;
const MEASURE = 10;
/** Looking at the code of the next row, and reading something of one that is not selected. */
const SELECT = 1.5;
const PASS = 0.5;

/** What is read of each row. */
export interface ReadPerRow {
  readonly keys: readonly SegmentKey[];
  /** How many fields are measured. */
  readonly measured: number;
}

/**
 * All live rows, or those of them that have codes in each selection.
 *
 * @param rows about how many these are
 * @param counts counts them, if reading rows need not
 */
export function groupsOfAll(
  { size }: Segment,
  read: ReadPerRow,
  selected: readonly Selected[],
  rows: number,
  counts: GroupPlan | undefined,
): GroupPlan {
  const { keys, measured } = read;
  const passing = (size - rows) * (keys.length + measured) * PASS;
  const finding = size * selected.length * SELECT + passing;
  const cost = finding + costOf(read, rows) + (counts?.cost ?? rows * COUNT);
  return groupsWith({ path: "all", keys, selected, counts, rows }, cost);
}

export function groupsOfLookup({ dead }: Segment, read: ReadPerRow, selected: Selected): GroupPlan {
  const rows = selected.index.count(selected.set);
  const cost = rows * LOOKUP + costOf(read, rows) + dead.count * costs.codeTest;
  return groupsWith({ path: "lookup", keys: read.keys, selected, rows }, cost);
}

export const groupsOfRows = (read: ReadPerRow, plan: Plan): GroupPlan =>
  groupsWith(
    { path: "rows", keys: read.keys, plan },
    plan.cost + plan.rows * COUNT + costOf(read, plan.rows),
  );

/** What grouping so many rows takes, besides finding them. */
const costOf = ({ keys, measured }: ReadPerRow, rows: number): number =>
  keys.reduce(
    (sum, { index }) => {
      if (index === undefined) return sum + rows * costs.valueTest;
      return sum + (isFew(rows, index) ? rows * FIND : index.values.length + rows * costs.codeTest);
    },
    rows * measured * MEASURE,
  );

export const allOperator: GroupOperator<"all"> = {
  words: "group all rows",
  add({ keys, selected, counts, rows }, run, times) {
    const { segment, deadline, add } = run;
    if (counts !== undefined) add(counts, times);
    const cost = rows * COUNT + selected.length * segment.size * SELECT;
    const expected = { rows, cost, keep: keeping(segment, selected) };
    addRows(run, keys, expected, (visit) => {
      const ownTimes = counts === undefined ? times : 0;
      visitSteps(0, segment.size, deadline, (from, to) => visit(undefined, from, to, ownTimes));
    });
  },
};

/**
 * Finds the live rows from one to another that have codes in each selection: as positions after the first.
 *
 * @returns how many there are
 */
type Keep = (from: number, to: number, into: Int32Array) => number;

function keeping({ dead }: Segment, selected: readonly Selected[]): Keep {
  const codes = new Int32Array(BLOCK_ROWS);
  const selections = selected.map(({ index, set }) => {
    const range = onlyRange(set);
    const bits = range === undefined ? bitsOf(set, index.values.length) : undefined;
    return { codes: index.codes, range, bits };
  });
  return (from, to, into) => {
    let positions: Int32Array = EVERY_POSITION;
    let length = to - from;
    for (const selection of selections) {
      readCodes(selection.codes, blockOf(undefined, from, to), codes);
      const { range, bits } = selection;
      length =
        bits === undefined
          ? keepRange(codes, range!, positions, length, into)
          : keepBits(codes, bits, positions, length, into);
      positions = into;
    }
    for (let row = from; row < to;) {
      const [end, areLive] = dead.stretchFrom(row, to);
      if (!areLive) {
        let kept = 0;
        for (let i = 0; i < length; i++) {
          const position = positions[i]!;
          into[kept] = position;
          kept += dead.has(from + position) ? 0 : 1;
        }
        return kept;
      }
      row = end;
    }
    return length;
  };
}

export const lookupOperator: GroupOperator<"lookup"> = {
  words: "group the rows with some codes",
  add({ keys, rows, selected: { index, set } }, run, times) {
    const { segment, deadline } = run;
    addRows(run, keys, { rows, cost: rows * LOOKUP }, (visit) => {
      const { order, starts } = index;
      forEachRange(set, (low, high) => {
        visitSteps(starts[low]!, starts[high]!, deadline, (from, to) =>
          visit(order, from, to, times),
        );
      });
      const gone = deadRowsOf(segment);
      const codes = codesOfSome(index, gone);
      const own = gone.filter((_, i) => hasCode(set, codes[i]!));
      visit(own, 0, own.length, times === 1 ? -1 : 1);
    });
  },
};

/** @throws DeadlineError */
function visitSteps(
  from: number,
  end: number,
  deadline: Deadline | undefined,
  visit: (from: number, to: number) => void,
): void {
  for (; from < end; from += STEP_ROWS) {
    visit(from, Math.min(end, from + STEP_ROWS));
    deadline?.check();
  }
}

export const rowsOperator: GroupOperator<"rows"> = {
  words: "group the rows of a plan",
  add({ keys, plan }, run, times) {
    addRows(run, keys, plan, (visit) =>
      run.execute(plan, (rows, from, to) => visit(rows, from, to, times)),
    );
  },
};

type Visit = (rows: Rows, from: number, to: number, times: Times) => void;

/** About how many rows there are, and what finding them costs; `keep` keeps some of those that are visited in order. */
interface Expected {
  readonly rows: number;
  readonly cost: number;
  readonly keep?: Keep;
}

/**
 * Adds the groups of rows to the tally. What reading values takes is charged to the indexes that would have saved it.
 *
 * @param visitAll visits the rows, so that each counts so many times
 * @throws DeadlineError
 */
function addRows(
  { segment, deadline, tally, groupings, groupsOf, measured }: GroupRun,
  keys: readonly SegmentKey[],
  { rows: expectedRows, cost: expectedCost, keep }: Expected,
  visitAll: (visit: Visit) => void,
): void {
  const before = groupings.map(({ size }) => size);
  const readers = keys.map(({ field, index }, i) =>
    groupReader(segment, field, index, groupings[i]!, expectedRows, deadline),
  );
  const numbers = keys.map(() => new Int32Array(BLOCK_ROWS));
  const kept = new Int32Array(BLOCK_ROWS);
  const [key, ...others] = keys;
  const isCount = key !== undefined && others.length === 0 && measured.length === 0;
  // The most common case in one loop: it takes two thirds of the time.
  const byCode = isCount ? groupsByCode(key.index, groupings[0]!, expectedRows) : undefined;
  const fields = measured.map((each) => {
    const reader = fieldReader(segment, each, expectedRows, deadline);
    return {
      ...reader,
      values: new Float64Array(BLOCK_ROWS),
      get range() {
        return reader.range;
      },
    };
  });
  let visited = 0;
  let isDone = false;
  const start = tuning.clock();
  try {
    visitAll((rows, from, to, times) => {
      visited += to - from;
      if (byCode !== undefined && rows !== undefined) {
        tally.addByCode(byCode.codes, byCode.groupOf, rows, from, to, times);
        return;
      }
      for (let at = from; at < to; at += BLOCK_ROWS) {
        const all = blockOf(rows, at, Math.min(to, at + BLOCK_ROWS));
        const length = keep === undefined ? all.length : keep(at, all.to, kept);
        if (length === 0) continue;
        const block = length === all.length ? all : { ...all, kept, length };
        for (let i = 0; i < readers.length; i++) readers[i]!(block, numbers[i]!);
        for (const { read, values } of fields) read(block, values);
        tally.addRows(groupsOf(numbers, length), length, times, fields);
      }
    });
    isDone = true;
  } finally {
    const read = [
      ...keys.flatMap(({ field, index }) => (index === undefined ? [field] : [])),
      ...measured.flatMap(({ field }, i) => (fields[i]!.isScan ? [field] : [])),
    ];
    const charged = chargedRows(visited, isDone);
    const perRow = (field: string) => (segment.hasNumbers(field) ? FIND_NUMBER : costs.valueTest);
    const cost = read.reduce((sum, field) => sum + charged * perRow(field), expectedCost);
    const times = slowness(start, cost);
    // With an index, most counts read no rows, but anything else reads their codes.
    const left = isCount ? 0 : costs.codeTest;
    for (const field of read) segment.charge(field, charged * (perRow(field) - left) * times);
    // The values of a key are sorted afterwards.
    keys.forEach(({ field, index }, i) => {
      const added = groupings[i]!.size - before[i]!;
      if (index === undefined) segment.charge(field, added * costs.sortRow);
    });
  }
}
