// Rows are found by indexes and plans.

import { Indexes } from "../indexes/indexes.ts";
import type { Finder } from "../versions/segment.ts";
import { answerSegment, rowsOf } from "./execute.ts";
import { indexedRowOf, scannedRowOf } from "./lookup.ts";

export const planning: Finder = {
  indexes: (schema, rows, options, inherited) => new Indexes(schema, rows, options, inherited),
  rows: (segment, query) => rowsOf(answerSegment(segment, query)),
  row: (segment, name, value) =>
    segment.isTiny
      ? scannedRowOf(segment, name, value)
      : indexedRowOf(segment, segment.indexes.requireOrdered(name), value),
  lookedUp(segment, name, value) {
    const index = segment.ordered(name);
    return index === undefined
      ? scannedRowOf(segment, name, value)
      : indexedRowOf(segment, index, value);
  },
};
