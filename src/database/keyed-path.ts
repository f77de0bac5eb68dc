// The grammar of the patches of collections by key, below the name of their group:
//
//   [name, key]                         to an item as a whole
//   [name, key, declared]               to what it declares, which is replaced as a whole
//   [name, key, records, record, …]     to a record; the path goes on to a field of it

import type { Patch } from "../collection/change/patch.ts";
import type { PlacedPatch } from "../collection/change/read-patches.ts";

/** The names in the paths of a group. */
export interface KeyedNames {
  /** Of the group. */
  readonly name: string;
  /** Of an item's members. */
  readonly declared: string;
  readonly records: string;
  /** The key that an element of a path names; `undefined` if it can be none. */
  readonly readKey: (element: unknown) => string | undefined;
}

type Path = Patch["path"];

/** Where a patch leads. The path to a record, within its collection, begins with its key. */
export type KeyedTarget =
  | { readonly kind: "item" | "declared"; readonly key: string }
  | { readonly kind: "record"; readonly key: string; readonly within: readonly unknown[] };

export const keyedPaths = ({ name, declared, records }: KeyedNames) => ({
  item: (key: string): Path => [name, key],
  declared: (key: string): Path => [name, key, declared],
  records: (key: string): Path => [name, key, records],
});

/** `undefined` if it leads nowhere. */
export function keyedTarget(
  { op, path }: Pick<PlacedPatch, "op" | "path">,
  { declared, records, readKey }: KeyedNames,
): KeyedTarget | undefined {
  const [, element, member, ...within] = path;
  const key = readKey(element);
  if (key === undefined) return undefined;
  if (path.length === 2) return { kind: "item", key };
  if (member === records) return { kind: "record", key, within };
  const isDeclared = member === declared && within.length === 0 && op === "replace";
  return isDeclared ? { kind: "declared", key } : undefined;
}
