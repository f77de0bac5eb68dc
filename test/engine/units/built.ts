// Runs a build in steps to its end, for tests without a deadline.

import { selectingRange } from "../../../src/engine/algorithms/quickselect.ts";
import { finish, type Steps } from "../../../src/engine/algorithms/steps.ts";
import { forEachRange, setOfCodes, type CodeSet } from "../../../src/engine/indexes/code-set.ts";
import { FieldIndex } from "../../../src/engine/indexes/field-index.ts";
import type { Values } from "../../../src/engine/indexes/values.ts";
import { StringTable } from "../../../src/engine/indexes/string-table.ts";
import { TrigramIndex } from "../../../src/engine/indexes/trigram-index.ts";
import { buildingIndex } from "../../../src/engine/indexes/memory-index.ts";

export const fieldIndexOf = (...given: Parameters<typeof buildingIndex>) =>
  finish(buildingIndex(...given));

/** Its values, by code. */
export const valuesOf = ({ values }: FieldIndex) =>
  Array.from({ length: values.length }, (_, code) => values.at(code));

export function codesIn(set: CodeSet): number[] {
  const codes: number[] = [];
  forEachRange(set, (low, high) => {
    for (let code = low; code < high; code++) codes.push(code);
  });
  return codes;
}

/** An index that has the arrays of another one. */
class Wrapped extends FieldIndex {
  readonly #of: FieldIndex;
  readonly values: Values;
  readonly isInPieces: boolean;
  readonly areCodesInPieces = false;
  readonly isInFile: boolean;
  readonly keepsOrder = false;
  protected readonly arrayBytes: number;

  constructor(of: FieldIndex, values: Values, isInPieces: boolean) {
    super(of.type);
    this.#of = of;
    this.values = values;
    this.isInPieces = isInPieces;
    this.isInFile = isInPieces;
    this.arrayBytes = of.bytes;
  }

  get rows() {
    return this.#of.rows;
  }

  get codes() {
    return this.#of.codes;
  }

  get hasOrder() {
    return this.#of.hasOrder;
  }

  get order() {
    return this.#of.order;
  }

  get starts() {
    return this.#of.starts;
  }

  codeAt(row: number) {
    return this.#of.codeAt(row);
  }

  startOf(code: number) {
    return this.#of.startOf(code);
  }

  rowAt(position: number) {
    return this.#of.rowAt(position);
  }

  copyRows(from: number, to: number, target: Uint32Array, at?: number) {
    this.#of.copyRows(from, to, target, at);
  }

  copy() {
    return this.#of.copy();
  }
}

/** The same index, as one that is read from a file piece by piece. */
export const inPieces = (index: FieldIndex): FieldIndex => new Wrapped(index, index.values, true);

/** The same index with values that are read from elsewhere, which finds texts in them by itself. */
export function withValuesElsewhere(index: FieldIndex) {
  const { values } = index;
  const asked: string[] = [];
  const elsewhere: Values = {
    length: values.length,
    at: (code) => values.at(code),
    codesWith: ({ kind, text }, among) => {
      asked.push(text);
      const found = codesIn(among).filter((code) => {
        const value = values.at(code);
        return kind === "suffix" ? value?.endsWith(text) : value?.includes(text);
      });
      return setOfCodes(found, values.length);
    },
  };
  return { elsewhere: new Wrapped(index, elsewhere, false), asked };
}

/** Counts how often a member of an index is read, until it is restored. */
export function readsOf(index: FieldIndex, name: "codes" | "order") {
  const own = Object.getOwnPropertyDescriptor(index, name);
  const value = index[name];
  let count = 0;
  const get = () => {
    count++;
    return value;
  };
  Object.defineProperty(index, name, { configurable: true, get });
  return {
    get count() {
      return count;
    },
    restore() {
      if (own === undefined) Reflect.deleteProperty(index, name);
      else Object.defineProperty(index, name, own);
    },
  };
}

export const trigramIndexOf = (...given: Parameters<typeof TrigramIndex.building>) =>
  finish(TrigramIndex.building(...given));

export const stringTableOf = (...given: Parameters<typeof StringTable.building>) =>
  finish(StringTable.building(...given));

export const selectRange = (...given: Parameters<typeof selectingRange>) => {
  finish(selectingRange(...given));
};

/** How often work pauses, for whoever has a deadline: no clock, but a measure of what is done. */
export function stepsOf(work: Steps<unknown>): number {
  let steps = 0;
  while (work.next().done !== true) steps++;
  return steps;
}
