// Reads patches from any input, each member once.

import { alternatives, describe, InputError } from "../../schema/errors.ts";
import { iterate, readMembers, reading } from "../../schema/input.ts";
import type { Patch } from "./patch.ts";

/** A patch after reading, and its name in errors. */
export interface PlacedPatch {
  readonly place: string;
  readonly op: Patch["op"];
  readonly path: readonly unknown[];
  readonly value: unknown;
}

/**
 * Reads patches, each member once.
 *
 * @throws InputError with the number of the first that is not a patch
 */
export function* readPatches(input: unknown): Generator<PlacedPatch, void> {
  let index = 0;
  for (const each of iterate(input, "patches")) {
    const place = `patches[${index++}]`;
    const { op, path, value } = readMembers(each, place, ["op", "path", "value"]);
    if (op !== "add" && op !== "remove" && op !== "replace") {
      throw new InputError(
        `${place}.op`,
        `must be ${alternatives(["add", "remove", "replace"])}, not ${describe(op)}`,
      );
    }
    yield { place, op, path: readPath(path, `${place}.path`), value };
  }
}

/** Longer than any valid path, including a service's part before the key. */
const LONGEST_PATH = 6;

function readPath(path: unknown, place: string): readonly unknown[] {
  return reading(place, () => {
    if (!Array.isArray(path)) {
      throw new InputError(place, `must be an array, not ${describe(path)}`);
    }
    const { length } = path;
    if (length > LONGEST_PATH) throw new InputError(place, "is too long", { code: "limit" });
    return Array.from({ length }, (_, i): unknown => path[i]);
  });
}
