// Rows described by the codes of their values: what criteria select if indexes answer all of them. Counting such rows
// takes neither records nor a list of the rows.

import type { CodeSet } from "../../indexes/code-set.ts";
import type { FieldIndex } from "../../indexes/field-index.ts";
import type { SelectedCodes } from "../operator.ts";

/** The rows with some codes of an index. */
export interface CodeLeaf extends SelectedCodes {
  readonly path: "set";
  readonly field: string;
  readonly index: FieldIndex;
  readonly set: CodeSet;
  /** How many there are, dead ones included. */
  readonly rows: number;
}

export type CodeTree =
  | CodeLeaf
  /** The rows in all, or in any, of its parts; there are at least two. */
  | { readonly path: "all" | "any"; readonly parts: readonly CodeTree[] }
  /** The rows that are not in its part. */
  | { readonly path: "none"; readonly part: CodeTree };

/** The rows in all, or in any, of some trees. @param parts at least one */
export function treeOf(path: "all" | "any", parts: readonly CodeTree[]): CodeTree {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { path, parts };
}

/** The leaves, if the rows of the tree are those in all of them. */
export function setsOf(tree: CodeTree): readonly CodeLeaf[] | undefined {
  if (tree.path === "set") return [tree];
  if (tree.path !== "all") return undefined;
  const sets = tree.parts.filter((part) => part.path === "set");
  return sets.length === tree.parts.length ? sets : undefined;
}

export function leavesOf(tree: CodeTree): readonly CodeLeaf[] {
  switch (tree.path) {
    case "set":
      return [tree];
    case "none":
      return leavesOf(tree.part);
    default:
      return tree.parts.flatMap(leavesOf);
  }
}
