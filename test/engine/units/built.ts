// Runs a build in steps to its end, for tests without a deadline.

import { selectingRange } from "../../../src/collection/algorithms/quickselect.ts";
import { finish, type Steps } from "../../../src/collection/algorithms/steps.ts";
import { forEachRange, setOfCodes, type CodeSet } from "../../../src/collection/index/code-set.ts";
import { FieldIndex } from "../../../src/collection/index/field-index.ts";
import { StringTable } from "../../../src/collection/index/string-table.ts";
import { TrigramIndex } from "../../../src/collection/index/trigram-index.ts";

export const fieldIndexOf = (...given: Parameters<typeof FieldIndex.building>) =>
  finish(FieldIndex.building(...given));

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

/** The same index, as one that is read from a file piece by piece. */
export function inPieces(index: FieldIndex): FieldIndex {
  const { type, values, codes, order, starts, rows, bytes } = index;
  return new FieldIndex(type, {
    ...{ values, codes, order, starts, rows, bytes },
    isInPieces: true,
    codeAt: (row) => index.codeAt(row),
    startOf: (code) => index.startOf(code),
    copyRows: (from, to, target, at) => {
      index.copyRows(from, to, target, at);
    },
    keepsOrder: false,
    copy: () => index.parts.copy(),
  });
}

/** The same index with values that are read from elsewhere, which finds texts in them by itself. */
export function withValuesElsewhere(index: FieldIndex) {
  const { type, values, codes, order, starts, rows, bytes } = index;
  const asked: string[] = [];
  const elsewhere = new FieldIndex(type, {
    ...{ codes, order, starts, rows, bytes, isInPieces: false },
    values: {
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
    },
    codeAt: (row) => index.codeAt(row),
    startOf: (code) => index.startOf(code),
    copyRows: (from, to, target, at) => {
      index.copyRows(from, to, target, at);
    },
    keepsOrder: false,
    copy: () => index.parts.copy(),
  });
  return { elsewhere, asked };
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
