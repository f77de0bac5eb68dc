// Imports between folders go one way, without cycles.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

/** The layers of the library: each imports only from those before it. */
const LAYERS = [
  "schema",
  "criteria",
  "engine",
  "collection",
  "database",
  "service",
  "arrow",
  "import",
  "sql",
  "store",
  "worker",
  "cli",
];
/** The same of the folders of the engine. */
const FOLDERS = [
  "algorithms",
  "indexes",
  "columns",
  "cache",
  "versions",
  "operators",
  "optimizer",
  "execution",
  "changes",
  "explain",
].map((folder) => `engine/${folder}`);

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/.test(file));

/** The files that a file imports, for their types too. Paths begin below `src`. */
const importsOf = new Map(
  files.map((file) => {
    const text = readFileSync(join("src", file), "utf8");
    const named = text.matchAll(/\b(?:from |import\()"(\.[^"]+)"/g);
    const paths = Array.from(named, ([, name = ""]) => join(dirname(file), name));
    return [file, paths.map((path) => path.replaceAll("\\", "/"))] as const;
  }),
);

const isIn = (path: string, folders: readonly string[]) =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** The imports that begin in one of the folders and lead where they must not. */
function refused(from: readonly string[], isRefused: (path: string) => boolean): string[] {
  const importing = [...importsOf].filter(([file]) => isIn(file, from));
  expect(importing).not.toEqual([]);
  return importing.flatMap(([file, paths]) =>
    paths.filter(isRefused).map((path) => `${file} imports ${path}`),
  );
}

describe("imports go one way", () => {
  test.each([
    ...LAYERS.map((layer, height) => [layer, LAYERS.slice(height + 1)] as const),
    ...FOLDERS.map((folder, height) => [folder, FOLDERS.slice(height + 1)] as const),
    ["arrow/read", ["arrow/write"]] as const,
  ])("%s imports nothing from above it", (from, above) => {
    expect(refused([from], (path) => isIn(path, above))).toEqual([]);
  });

  test("what tests or makes data with the library uses its public names, as users do", () => {
    expect(refused(["synthetic", "testing"], (path) => isIn(path, LAYERS))).toEqual([]);
  });

  // What the command took from elsewhere would be packed twice, and an error of a class that is there
  // twice is not an instance of the other.
  test("the page and the command use the entries", () => {
    const inside = LAYERS.filter((layer) => layer !== "cli");
    const isInside = (path: string) => isIn(path, inside) && !/^\w+\/index\.ts$/.test(path);
    // The page is a bundle of its own. For what has no public name, it may look inside: the zones of times, and references
    // that may name no record.
    const looked = (path: string) =>
      /^engine\/(?:relations|columns\/codec|execution\/time-zone)|^collection\/collection/.test(
        path,
      );
    expect(refused(["playground"], (path) => isInside(path) && !looked(path))).toEqual([]);
    // It imports types only, so a second copy of it in the command has no class that exists twice.
    const alone = "import/to-batch.ts";
    expect(refused(["cli"], (path) => path !== alone && isInside(path))).toEqual([]);
  });
});

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
