// What has changed from one result of a live query to the next. Rows that are there before and after are sent as their
// positions, and stay the same objects at the other side.

import { isMembers } from "../schema/input.ts";
import { isEqualJson } from "../schema/json.ts";
import type { Difference, Piece } from "./changed-by.ts";

/** What leads from one result to another. Cost: linear in the rows. */
export function differenceOf(before: unknown, after: unknown): Difference {
  if (Array.isArray(before) && Array.isArray(after)) return { rows: piecesOf(before, after) };
  if (!isMembers(before) || !isMembers(after)) return { value: after };
  const entries = Object.entries(after);
  const isAlike =
    entries.length === Object.keys(before).length &&
    entries.every(([name]) => Object.hasOwn(before, name));
  if (!isAlike) return { value: after };
  const changed = entries.filter(([name, value]) => !isEqualJson(before[name], value));
  return {
    members: Object.fromEntries(
      changed.map(([name, value]) => [name, differenceOf(before[name], value)]),
    ),
  };
}

function piecesOf(before: readonly unknown[], after: readonly unknown[]): readonly Piece[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && isEqualJson(before[start], after[start])) start++;
  let end = 0;
  while (
    end < most - start &&
    isEqualJson(before[before.length - 1 - end], after[after.length - 1 - end])
  ) {
    end++;
  }
  // Between the two, a record that has not changed is the same object.
  const places = new Map<unknown, number>();
  for (let i = start; i < before.length - end; i++) places.set(before[i], i);
  const pieces = new Pieces();
  pieces.copy(0, start);
  for (let i = start; i < after.length - end; i++) {
    const place = places.get(after[i]);
    if (place === undefined) pieces.add(after[i]);
    else pieces.copy(place, place + 1);
  }
  pieces.copy(before.length - end, before.length);
  return pieces.all;
}

class Pieces {
  readonly all: Piece[] = [];
  #added: unknown[] | undefined;
  #copied: [number, number] | undefined;

  copy(from: number, to: number): void {
    if (from === to) return;
    if (this.#copied?.[1] === from) {
      this.#copied[1] = to;
      return;
    }
    this.#added = undefined;
    this.all.push((this.#copied = [from, to]));
  }

  add(row: unknown): void {
    if (this.#added === undefined) {
      this.#copied = undefined;
      this.all.push({ added: (this.#added = []) });
    }
    this.#added.push(row);
  }
}
