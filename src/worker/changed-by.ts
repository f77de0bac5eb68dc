// What a difference between two results of a live query leads to, on the page.

import { isCount, isMembers } from "../schema/input.ts";
import { WorkerError } from "./worker-error.ts";

export type Difference =
  /** Another result. */
  | { readonly value: unknown }
  /** A list of pieces. */
  | { readonly rows: readonly Piece[] }
  /** An object in which these members differ. */
  | { readonly members: Readonly<Record<string, Difference>> };

/** Some rows of the list before, from a position to before another; or others. */
export type Piece = readonly [from: number, to: number] | { readonly added: readonly unknown[] };

/** The result that a difference leads to. @throws WorkerError if it does not belong to the one before */
export function changedBy(before: unknown, difference: unknown): unknown {
  if (isMembers(difference)) {
    const { rows, members } = difference;
    if (Object.hasOwn(difference, "value")) return difference.value;
    if (Array.isArray(rows) && Array.isArray(before)) {
      return rows.flatMap((piece: unknown) => rowsOf(before, piece));
    }
    if (isMembers(members) && isMembers(before)) {
      const changed = Object.entries(members).map(([name, each]) => [
        name,
        changedBy(Object.hasOwn(before, name) ? before[name] : undefined, each),
      ]);
      return { ...before, ...Object.fromEntries(changed) };
    }
  }
  throw new WorkerError("a result does not follow from the one before", { code: "damaged" });
}

function rowsOf(before: readonly unknown[], piece: unknown): readonly unknown[] {
  if (Array.isArray(piece)) {
    const [from, to] = piece as unknown[];
    if (isCount(from) && isCount(to) && from <= to && to <= before.length) {
      return before.slice(from, to);
    }
  } else if (isMembers(piece) && Array.isArray(piece.added)) return piece.added;
  throw new WorkerError("a result has rows that the one before has not", { code: "damaged" });
}
