// Expressions as functions, of rows or of records.

import type { Tree } from "./expression.ts";
import { OPERATIONS, type Value } from "./operations.ts";

/** How the columns of rows are read. */
export interface Source<Row> {
  readonly read: (name: string) => (row: Row) => Value;
  /** Whether a value is null, in a column of any type. */
  readonly isMissing: (name: string) => (row: Row) => boolean;
}

const MISSING = OPERATIONS.get("missing");

/** A tree as a function. Nothing of it is looked up again. */
export function compiled<Row>(tree: Tree, source: Source<Row>): (row: Row) => Value {
  if (tree.kind === "constant") return () => tree.value;
  if (tree.kind === "column") return source.read(tree.name);
  const { of, parts } = tree;
  if (of === MISSING) return missingIn(parts, source);
  // The types of the values were checked when the tree was read.
  const run = of.run as (...values: readonly Value[]) => Value;
  const all = parts.map((part) => compiled(part, source));
  const [first, second] = all;
  if (of.takesNulls || first === undefined || second === undefined || all.length > 2) {
    return (row) => {
      const values = all.map((read) => read(row));
      return !of.takesNulls && values.includes(null) ? null : known(run(...values));
    };
  }
  // Most operations, without a list for each row.
  return (row) => {
    const value = first(row);
    const other = value === null ? null : second(row);
    return other === null ? null : known(run(value, other));
  };
}

/** Numbers that are not finite are null. Adding 0 turns −0 into 0. */
const known = (value: Value): Value =>
  typeof value !== "number" ? value : Number.isFinite(value) ? value + 0 : null;

/** How many are null, which takes no value. */
function missingIn<Row>(parts: readonly Tree[], source: Source<Row>): (row: Row) => number {
  const tests = parts.map((part) => {
    if (part.kind === "column") return source.isMissing(part.name);
    const read = compiled(part, source);
    return (row: Row) => read(row) === null;
  });
  return (row) => {
    let count = 0;
    for (const isMissing of tests) if (isMissing(row)) count++;
    return count;
  };
}
