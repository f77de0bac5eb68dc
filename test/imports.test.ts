// Imports go round in no circle. That they go one way between folders, ESLint checks.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => join("src", file))
  .filter((file) => /\.tsx?$/.test(file));

/** The files that a file imports, for their types too. */
const importsOf = new Map(
  files.map((file) => {
    const named = readFileSync(file, "utf8").matchAll(/\bfrom "(\.[^"]+)"/g);
    return [file, Array.from(named, ([, name = ""]) => join(dirname(file), name))] as const;
  }),
);

/** What is left when what imports none of the rest, or is imported by none, is taken away again and again. */
function circular(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(graph);
  let size: number;
  do {
    size = left.size;
    const imported = new Set([...left.values()].flat());
    for (const [file, names] of left) {
      if (!imported.has(file) || !names.some((name) => left.has(name))) left.delete(file);
    }
  } while (left.size < size);
  return [...left.keys()];
}

test("the imports of no file lead back to it", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(circular(importsOf)).toEqual([]);
});

test("a circle would be found", () => {
  const graph = new Map([
    ["a", ["b"]],
    ["b", ["c"]],
    ["c", ["b"]],
    ["d", []],
  ]);
  expect(circular(graph)).toEqual(["b", "c"]);
});
