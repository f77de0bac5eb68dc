// Selections: the positions in an index's order whose rows criteria on other fields select, one bit
// each. The start of a filtered page in the order of the index is then found by the ranks of the bits.
// Selections are made for sets of codes with up to eight ranges, and for the intersection of several
// such sets.
//
// Held: with each index, the latest eight, which take 8.5 bits a row together. They count dead rows
// like live ones, so all versions of a segment share them.
//
// Stale: never, since neither index changes.

import { addRows, bitAt, createBitset, intersectInto, type Bitset } from "../algorithms/bitset.ts";
import { DeadlineError, type Deadline } from "../algorithms/deadline.ts";
import { RankedBits } from "../algorithms/ranked-bits.ts";
import { finish, inSteps, STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { tuning } from "../tuning.ts";
import { buildCosts } from "./build-costs.ts";
import type { CodeRanges } from "./code-set.ts";
import type { FieldIndex } from "./field-index.ts";

/** The rows of some codes of an index. */
export interface SomeCodes {
  readonly index: FieldIndex;
  readonly set: CodeRanges;
}

/** Rows selected by one or more sets of codes: those that are in each. */
export type Selected = readonly SomeCodes[];

interface Account {
  readonly selected: Selected;
  /** What pages have cost for lack of the bits, in nanoseconds. */
  spent: number;
  /** A build that a deadline interrupted. */
  building: Steps<RankedBits> | undefined;
  bits: RankedBits | undefined;
}

/** The selections in the order of one index, and the accounts of missing ones. */
export class Selections {
  readonly #index: FieldIndex;
  /** The latest first. */
  #accounts: readonly Account[] = [];

  constructor(index: FieldIndex) {
    this.#index = index;
  }

  /** The positions of selected rows, if they are known. */
  known(selected: Selected): RankedBits | undefined {
    const account = this.#find(selected);
    if (account?.bits === undefined) return undefined;
    if (account !== this.#accounts[0]) this.#putFirst(account);
    return account.bits;
  }

  /** Charges what a page has cost for lack of a selection. */
  charge(selected: Selected, nanoseconds: number): void {
    this.#accountOf(selected).spent += nanoseconds;
  }

  /** Whether the charges to a selection have reached its price. */
  isDue(selected: Selected): boolean {
    return this.#isDue(this.#find(selected)?.spent ?? 0);
  }

  #isDue(spent: number): boolean {
    return spent >= this.cost * tuning.selectionShare;
  }

  /** The cost of finding one, in nanoseconds. */
  get cost(): number {
    return this.#index.rows * buildCosts.selection;
  }

  /** Finds the positions of selected rows. @throws DeadlineError; a later call goes on from there */
  build(selected: Selected, deadline: Deadline | undefined): RankedBits {
    const account = this.#accountOf(selected);
    const steps = account.building ?? selecting(this.#index, selected);
    account.building = undefined;
    try {
      account.bits = finish(steps, deadline);
    } catch (error) {
      if (error instanceof DeadlineError) account.building = steps;
      throw error;
    }
    this.#putFirst(account);
    return account.bits;
  }

  /** Gives a selection up for good, as there is no room for it. */
  giveUp(selected: Selected): void {
    this.#accountOf(selected).spent = -Infinity;
  }

  /** What is due but not built. */
  get due(): Selected[] {
    return this.#accounts
      .filter(({ bits, spent }) => bits === undefined && this.#isDue(spent))
      .map(({ selected }) => selected);
  }

  /** How many bytes one more takes. */
  get bytesOfOne(): number {
    return RankedBits.bytesFor(this.#index.rows);
  }

  get bytes(): number {
    return this.#accounts.reduce((sum, { bits }) => sum + (bits?.bytes ?? 0), 0);
  }

  #find(selected: Selected): Account | undefined {
    return this.#accounts.find((account) => areSame(account.selected, selected));
  }

  #accountOf(selected: Selected): Account {
    const known = this.#find(selected);
    if (known !== undefined) return known;
    const account = { selected, spent: 0, building: undefined, bits: undefined };
    this.#putFirst(account);
    return account;
  }

  /** As many accounts are kept of missing ones: what is asked for once displaces nothing that is built. */
  #putFirst(account: Account): void {
    const all = [account, ...this.#accounts.filter((each) => each !== account)];
    const built = all.filter(({ bits }) => bits !== undefined).slice(0, tuning.mostSelections);
    const missing = all.filter(({ bits }) => bits === undefined).slice(0, tuning.mostSelections);
    this.#accounts = [...built, ...missing];
  }
}

const ofIndexes = new WeakMap<FieldIndex, Selections>();

/** The selections in the order of an index. */
export function selectionsOf(index: FieldIndex): Selections {
  let selections = ofIndexes.get(index);
  if (selections === undefined) ofIndexes.set(index, (selections = new Selections(index)));
  return selections;
}

/** Whether each of two selections has the sets of the other. Two fields may share an index. */
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

/** Finds the rows first, as a set, and then which positions hold one of them. */
function* selecting(index: FieldIndex, selected: Selected): Steps<RankedBits> {
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
  return new RankedBits(positions);
}

function* rowsOf({ index, set }: SomeCodes): Steps<Bitset> {
  const rows = createBitset(index.rows);
  for (let i = 0; i < set.length; i += 2) {
    const [from, to] = [index.startOf(set[i]!), index.startOf(set[i + 1]!)];
    yield* inOrder(index, from, to, (order, _, length) => {
      addRows(rows, order, 0, length);
    });
  }
  return rows;
}

/** Visits a stretch of an index's order, of which no more than a step has to be in memory. */
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
