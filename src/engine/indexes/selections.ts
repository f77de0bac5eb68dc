// Selections: the positions in an index's order whose rows are selected by criteria on other fields, one bit each. The
// start of a filtered page in the order of the index is then found by the ranks of the bits. Selections are made for
// sets of codes with up to eight ranges, and for the intersection of several such sets.
//
// Each index holds the latest eight, which take 8.5 bits per row together, until the index budget evicts them. They
// include dead rows, so all versions of a segment share them.
//
// They never become stale, since neither index changes.

import {
  addRows,
  addRowsByCode,
  bitAt,
  createBitset,
  intersectInto,
  type Bitset,
} from "../algorithms/bitset.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { RankBitmap } from "../algorithms/rank-bitmap.ts";
import { Resumable } from "../algorithms/resumable.ts";
import { inSteps, STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { tuning } from "../tuning.ts";
import { Account } from "./account.ts";
import { buildCosts } from "./build-costs.ts";
import { bitsOf, type CodeRanges } from "./code-set.ts";
import type { FieldIndex } from "./field-index.ts";
import type { Evictable, IndexBudget, Structure } from "./index-budget.ts";

/** The rows of some codes of an index. */
export interface SomeCodes {
  readonly index: FieldIndex;
  readonly set: CodeRanges;
}

/** Rows selected by one or more sets of codes: those in all sets. */
export type Selected = readonly SomeCodes[];

/** A requested selection. */
class Entry implements Structure {
  readonly selected: Selected;
  /** What pages have cost for lack of it. */
  readonly account = new Account();
  lastUsed = 0;
  readonly building = new Resumable<RankBitmap>();
  bits: RankBitmap | undefined;

  constructor(selected: Selected) {
    this.selected = selected;
  }

  get bytes(): number {
    return this.bits?.bytes ?? 0;
  }

  evict(): void {
    this.bits = undefined;
    this.account.drop();
  }
}

/** The selections in the order of one index, and the accounts of missing ones. */
export class Selections {
  readonly #index: FieldIndex;
  /** The latest first. */
  #entries: readonly Entry[] = [];

  constructor(index: FieldIndex) {
    this.#index = index;
  }

  /** The positions of the selected rows, if they are known. */
  known(selected: Selected, budget?: IndexBudget): RankBitmap | undefined {
    const entry = this.#find(selected);
    if (entry?.bits === undefined) return undefined;
    if (entry !== this.#entries[0]) this.#putFirst(entry);
    budget?.use(entry);
    return entry.bits;
  }

  /** The account of a selection. */
  accountOf(selected: Selected): Account {
    return this.#entryOf(selected).account;
  }

  /** Whether the charges to a selection have reached its price. */
  isDue(selected: Selected): boolean {
    return this.#isDue(this.#find(selected)?.account.spent ?? 0);
  }

  #isDue(spent: number): boolean {
    return spent >= this.cost * tuning.selectionShare;
  }

  /** The cost of computing one, in nanoseconds. */
  get cost(): number {
    return this.#index.rows * buildCosts.selection;
  }

  /**
   * Finds the positions of selected rows, unless the budget has no room for them.
   *
   * @throws DeadlineError; a later call goes on from there
   */
  build(
    selected: Selected,
    deadline: Deadline | undefined,
    budget?: IndexBudget,
  ): RankBitmap | undefined {
    const entry = this.#entryOf(selected);
    if (entry.bits !== undefined) return entry.bits;
    const keep = [this.#index, ...selected.map(({ index }) => index)];
    if (budget?.canHold(this.bytesOfOne, keep) === false) {
      entry.account.drop();
      return undefined;
    }
    const bits = entry.building.finish(() => selecting(this.#index, selected), deadline);
    // There may be less room than when the build began.
    if (budget?.makeRoom(bits.bytes, keep) === false) {
      entry.account.drop();
      return undefined;
    }
    entry.bits = bits;
    entry.account.close();
    budget?.use(entry);
    this.#putFirst(entry);
    return bits;
  }

  /** The selections that are due but not built. */
  get due(): Selected[] {
    return this.#entries
      .filter(({ bits, account }) => bits === undefined && this.#isDue(account.spent))
      .map(({ selected }) => selected);
  }

  /** The size of an additional one in bytes. */
  get bytesOfOne(): number {
    return RankBitmap.bytesFor(this.#index.rows);
  }

  get bytes(): number {
    return this.#entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** What may be evicted. */
  get evictables(): Evictable[] {
    return this.#entries
      .filter(({ bits }) => bits !== undefined)
      .map((entry) => ({ structure: entry, bytes: entry.bytes, evict: () => entry.evict() }));
  }

  /** Drops the selections by an index that was evicted: they would keep it in memory. */
  dropBy(index: FieldIndex): void {
    this.#entries = this.#entries.filter(
      ({ selected }) => !selected.some((codes) => codes.index === index),
    );
  }

  #find(selected: Selected): Entry | undefined {
    return this.#entries.find((entry) => areSame(entry.selected, selected));
  }

  #entryOf(selected: Selected): Entry {
    const known = this.#find(selected);
    if (known !== undefined) return known;
    const entry = new Entry(selected);
    this.#putFirst(entry);
    return entry;
  }

  /** Keeps as many accounts of missing selections as selections: those requested once never displace a built one. */
  #putFirst(entry: Entry): void {
    const all = [entry, ...this.#entries.filter((each) => each !== entry)];
    const built = all.filter(({ bits }) => bits !== undefined).slice(0, tuning.mostSelections);
    const missing = all.filter(({ bits }) => bits === undefined).slice(0, tuning.mostSelections);
    this.#entries = [...built, ...missing];
  }
}

const ofIndexes = new WeakMap<FieldIndex, Selections>();

/** The selections in the order of an index. */
export function selectionsOf(index: FieldIndex): Selections {
  let selections = ofIndexes.get(index);
  if (selections === undefined) ofIndexes.set(index, (selections = new Selections(index)));
  return selections;
}

/** Whether two selections have the same sets. Two fields may share an index. */
function areSame(a: Selected, b: Selected): boolean {
  return isWithin(a, b) && isWithin(b, a);
}

function isWithin(a: Selected, b: Selected): boolean {
  return a.every(({ index, set }) =>
    b.some((other) => other.index === index && areEqual(other.set, set)),
  );
}

function areEqual(a: CodeRanges, b: CodeRanges): boolean {
  return a.length === b.length && a.every((code, i) => code === b[i]);
}

/** First finds the rows, as a set, and then the positions that hold them. */
function* selecting(index: FieldIndex, selected: Selected): Steps<RankBitmap> {
  let rows: Bitset | undefined;
  for (const codes of selected) {
    const own = yield* rowsOf(codes);
    if (rows === undefined) rows = own;
    else intersectInto(rows, own);
  }
  const positions = createBitset(index.rows);
  const all = rows ?? positions;
  yield* inOrder(index, 0, index.rows, (order, from, length) => {
    for (let i = 0; i < length; i++) {
      const position = from + i;
      positions[position >>> 5]! |= bitAt(all, order[i]!) << (position & 31);
    }
  });
  return new RankBitmap(positions);
}

function* rowsOf({ index, set }: SomeCodes): Steps<Bitset> {
  const rows = createBitset(index.rows);
  if (!index.hasOrder) {
    // Making an order would take longer.
    const [codes, selected] = [index.codes, bitsOf(set, index.values.length)];
    yield* inSteps(index.rows, (from, to) => addRowsByCode(rows, codes, selected, from, to));
    return rows;
  }
  for (let i = 0; i < set.length; i += 2) {
    const [from, to] = [index.startOf(set[i]!), index.startOf(set[i + 1]!)];
    yield* inOrder(index, from, to, (order, _, length) => {
      addRows(rows, order, 0, length);
    });
  }
  return rows;
}

/** Visits a range of an index's order, at most one step of which has to be in memory. */
function* inOrder(
  index: FieldIndex,
  from: number,
  to: number,
  visit: (rows: Uint32Array, from: number, length: number) => void,
): Steps<void> {
  const rows = new Uint32Array(Math.min(STEP_ROWS, to - from));
  yield* inSteps(to - from, (low, high) => {
    index.copyRows(from + low, from + high, rows);
    visit(rows, from + low, high - low);
  });
}
