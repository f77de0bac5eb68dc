// Groups rows one by one: all rows in sequence, those with some codes of an index in its order, or those that a plan
// finds.

import type { Deadline } from "../../algorithms/deadline.ts";
import { STEP_ROWS } from "../../algorithms/steps.ts";
import { chargedRows, slowness } from "../../indexes/account.ts";
import { forEachRange, hasCode } from "../../indexes/code-set.ts";
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
import { fieldReader, TALLIED } from "./measured-field.ts";
import { groupReader, groupsByCode, isFew, type Rows } from "./read-groups.ts";
import { codesOfSome, deadRowsOf } from "./runs.ts";
import type { Times } from "./tally.ts";

/** About what these take, in nanoseconds: finding a group among those that occur, counting a row, adding a value. */
const FIND = 20;
const COUNT = 1;
const LOOKUP = 1.5;
const MEASURE = 10;
/** Beginning again after a dead row. */
const GAP = 100;

/** What is read of each row. */
export interface ReadPerRow {
  readonly keys: readonly SegmentKey[];
  /** How many fields are measured. */
  readonly measured: number;
}

/** All live rows. @param counts counts them, if reading rows need not */
export function groupsOfAll(
  { size, live, dead }: Segment,
  read: ReadPerRow,
  counts: GroupPlan | undefined,
): GroupPlan {
  const { keys } = read;
  const cost = costOf(read, live) + (counts?.cost ?? size * COUNT) + dead.count * GAP;
  return groupsWith({ path: "all", keys, counts, rows: live }, cost);
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
  add({ keys, counts, rows }, run, times) {
    const { segment, deadline, add } = run;
    if (counts !== undefined) add(counts, times);
    addRows(run, keys, { rows, cost: rows * COUNT }, (visit) => {
      const ownTimes = counts === undefined ? times : 0;
      let first = 0;
      for (const row of [...deadRowsOf(segment), segment.size]) {
        visitSteps(first, row, deadline, (from, to) => visit(undefined, from, to, ownTimes));
        first = row + 1;
      }
    });
  },
};

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

/**
 * Adds the groups of rows to the tally. What reading values takes is charged to the indexes that would have saved it.
 *
 * @param expected about how many rows there are, and what finding them costs
 * @param visitAll visits the rows, so that each counts so many times
 * @throws DeadlineError
 */
function addRows(
  { segment, deadline, tally, groupings, groupsOf, measured }: GroupRun,
  keys: readonly SegmentKey[],
  expected: { readonly rows: number; readonly cost: number },
  visitAll: (visit: Visit) => void,
): void {
  const before = groupings.map(({ size }) => size);
  const readers = keys.map(({ field, index }, i) =>
    groupReader(segment, field, index, groupings[i]!, expected.rows, deadline),
  );
  const numbers = keys.map(() => new Int32Array(TALLIED));
  const [key, ...others] = keys;
  const isCount = key !== undefined && others.length === 0 && measured.length === 0;
  // The most common case in one loop: it takes two thirds of the time.
  const byCode = isCount ? groupsByCode(key.index, groupings[0]!, expected.rows) : undefined;
  const fields = measured.map((each) => {
    const reader = fieldReader(segment, each, expected.rows, deadline);
    return {
      ...reader,
      values: new Float64Array(TALLIED),
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
      for (let at = from; at < to; at += TALLIED) {
        const end = Math.min(to, at + TALLIED);
        for (let i = 0; i < readers.length; i++) readers[i]!(rows, at, end, numbers[i]!);
        for (const { read, values } of fields) read(rows, at, end, values);
        tally.addRows(groupsOf(numbers, end - at), end - at, times, fields);
      }
    });
    isDone = true;
  } finally {
    const read = [
      ...keys.flatMap(({ field, index }) => (index === undefined ? [field] : [])),
      ...measured.flatMap(({ field }, i) => (fields[i]!.isScan ? [field] : [])),
    ];
    const charged = chargedRows(visited, isDone);
    const costIn = (field: string) =>
      charged * (segment.hasNumbers(field) ? FIND : costs.valueTest);
    const cost = read.reduce((sum, field) => sum + costIn(field), expected.cost);
    const times = slowness(start, cost);
    for (const field of read) segment.charge(field, costIn(field) * times);
    // The values of a key are sorted afterwards.
    keys.forEach(({ field, index }, i) => {
      const added = groupings[i]!.size - before[i]!;
      if (index === undefined) segment.charge(field, added * costs.sortRow);
    });
  }
}
