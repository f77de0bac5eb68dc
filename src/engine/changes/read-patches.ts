// Reads patches from any input, each member once.

import { alternatives, describe, InputError, member } from "../../schema/errors.ts";
import { isCount, isMembers, iterate, readMembers, reading } from "../../schema/input.ts";
import { isEqualJson } from "../../schema/json.ts";
import type { NamedBy, Patch } from "./patch.ts";

/** A patch that was read, and its name in errors. */
export interface PlacedPatch {
  readonly place: string;
  readonly op: Patch["op"];
  readonly path: readonly unknown[];
  readonly value: unknown;
  /** `undefined` if the patch accepts any value. */
  readonly before: unknown;
  readonly key: number | undefined;
  readonly by: NamedBy;
}

/**
 * Reads patches, each member once.
 *
 * @param by what their paths identify records by
 * @throws InputError with the number of the first that is not a patch
 */
export function* readPatches(
  input: unknown,
  by: NamedBy = "identity",
): Generator<PlacedPatch, void> {
  let index = 0;
  for (const each of iterate(input, "patches")) {
    const place = `patches[${index++}]`;
    const members = readMembers(each, place, ["op", "path", "value", "before", "key"]);
    const { op, path, value, before, key } = members;
    if (op !== "add" && op !== "remove" && op !== "replace") {
      throw new InputError(
        `${place}.op`,
        `must be ${alternatives(["add", "remove", "replace"])}, not ${describe(op)}`,
      );
    }
    if (key !== undefined && !isCount(key)) {
      throw new InputError(`${place}.key`, `must be an insertion number, not ${describe(key)}`);
    }
    if (before !== undefined && op === "add") {
      throw new InputError(
        `${place}.before`,
        "must be omitted from an add, which has no earlier value",
      );
    }
    yield { place, op, path: readPath(path, `${place}.path`), value, before, key, by };
  }
}

/**
 * Longer than any valid path, including the part that a service adds before the key, and the values of a long
 * combination.
 */
const LONGEST_PATH = 20;

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

/**
 * @param now the current value
 * @throws InputError if it does not match the `before` of the patch
 */
export function requireBefore({ place, before }: PlacedPatch, now: unknown): void {
  if (before === undefined) return;
  const path = `${place}.before`;
  reading(path, () => {
    if (isEqualJson(before, now)) return;
    const names = isMembers(before) && isMembers(now) ? Object.keys({ ...now, ...before }) : [];
    const valueIn = (of: unknown, name: string) => (isMembers(of) ? of[name] : undefined);
    const name = names.find((each) => !isEqualJson(valueIn(before, each), valueIn(now, each)));
    const [said, is] = [before, now].map((of) =>
      describe(name === undefined ? of : valueIn(of, name)),
    );
    throw new InputError(
      name === undefined ? path : member(path, name),
      `is ${said}, but the current value is ${is}: it has changed since`,
      { code: "conflict" },
    );
  });
}
