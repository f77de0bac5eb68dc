// Suggests names for an unknown one.

import { alternatives } from "./errors.ts";

/** Longer names are unlikely to be typos, and are slow to compare. */
const LONGEST_NAME = 40;
/** The maximum number of names to compare, since a caller waits for the error. */
const MOST_COMPARED = 2000;
const MOST_NAMED = 3;

/** A shorter name is part of too many others to suggest them. */
const SHORTEST_PART = 3;

/**
 * `; did you mean "name"?` for the end of a message, with up to three of the nearest known names; an empty string if
 * none is near. A name is near if at most a third of its characters, or three, have to be changed, inserted, deleted or
 * transposed. If there is none, names that contain the unknown one, or are contained in it, count as near. Case does
 * not matter.
 */
export function suggestion(name: string, known: Iterable<string>): string {
  if (name.length > LONGEST_NAME) return "";
  const lowered = name.toLowerCase();
  const most = Math.min(3, Math.max(1, Math.floor(lowered.length / 3)));
  const near: { candidate: string; distance: number }[] = [];
  const related: string[] = [];
  let left = MOST_COMPARED;
  for (const candidate of known) {
    if (left-- === 0) break;
    if (candidate.length > LONGEST_NAME) continue;
    const name = candidate.toLowerCase();
    const distance = editDistance(lowered, name, most);
    if (distance <= most) near.push({ candidate, distance });
    else if (isPart(lowered, name) || isPart(name, lowered)) related.push(candidate);
  }
  near.sort((a, b) => a.distance - b.distance);
  const names = near.length > 0 ? near.map(({ candidate }) => candidate) : related;
  return names.length === 0 ? "" : `; did you mean ${alternatives(names.slice(0, MOST_NAMED))}?`;
}

function isPart(part: string, whole: string): boolean {
  return part.length >= SHORTEST_PART && whole.includes(part);
}

/**
 * The optimal string alignment distance of two strings, or any number larger than `most` if it is larger. Fills only
 * cells that can hold `most` or less (Ukkonen, 1985).
 */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  const beyond = most + 1;
  const emptyRow = () => new Array<number>(b.length + 1).fill(beyond);
  let [older, old, row] = [emptyRow(), emptyRow(), emptyRow()];
  for (let j = 0; j <= Math.min(b.length, most); j++) old[j] = j;
  for (let i = 1; i <= a.length; i++) {
    row.fill(beyond);
    if (i <= most) row[0] = i;
    const end = Math.min(b.length, i + most);
    for (let j = Math.max(1, i - most); j <= end; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (old[j] ?? beyond) + 1,
        (row[j - 1] ?? beyond) + 1,
        (old[j - 1] ?? beyond) + (same ? 0 : 1),
        swapped ? (older[j - 2] ?? beyond) + 1 : beyond,
      );
    }
    [older, old, row] = [old, row, older];
  }
  return old[b.length] ?? beyond;
}
