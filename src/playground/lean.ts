// An esbuild plugin that keeps code out of the bundles of the page and the command that neither calls, though
// esbuild can't know that.

import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

/**
 * Generators that fast-check uses only if told to; kinds of columns and encodings that we don't write, or that we read
 * ourselves; Bloom filters and indexes of pages, which find few rows of a file; how a collection is printed.
 */
const UNCALLED =
  /pure-rand\/.*\/(congruential32|mersenne|xoroshiro128plus)\.js$|hyparquet-writer\/src\/(variant|wkb|geospatial|splitstream|delta)\.js$|hyparquet\/src\/(bloom|indexes|variant)\.js$|engine\/explain\/describe\.ts$/;

/** Live queries, which nobody asks of the page's database, and the answers that are maintained for them. */
const LIVE =
  /src\/(database\/(live|live-query|ask)|engine\/maintenance\/(maintained-\w+|row-readers)|collection\/maintained(-groups)?)\.ts$/;

/** What a database makes at its start for live queries, references and records that expire: that of the page has none. */
const IDLE: Readonly<Record<string, string>> = {
  "live-queries": "export class LiveQueries { follow() { return []; } }",
  "relations/relations": "export class Relations {}",
  "relations/integrity":
    "export const Integrity = { of: () => undefined }; export const schemasOf = () => [];",
  expiry:
    "export const NO_EXPIRY = { policies: new Map() }; export const expiryOf = () => NO_EXPIRY; export const expireOptions = {}; export const readNow = (now) => now; export const removeExpired = () => {};",
};

/** Filters, of which we give the Parquet reader none: it needs no column for them, and skips no part. */
const FILTERS = /hyparquet\/src\/filter\.js$/;

/** Bloom filters, which we don't write. */
const BLOOM = /hyparquet-writer\/src\/bloom\.js$/;

/** How files are merged that a load has spilled to a disk: the page has none. */
const MERGES = /src\/arrow\/write\/merge-files\.ts$/;

/** Immer runs recipes for records. The page changes records by fields and patches; the command takes them from the library. */
const RECIPES = /node_modules\/immer\/.*js$/;

/** Tables that are computed at the start. Of pako, only deflate needs some of them; of fast-check, no law does. */
const COMPUTED = /node_modules\/(fast-check|pako)\/.*js$/;

export const lean: Plugin = {
  name: "lean",
  setup(bundler) {
    bundler.onLoad({ filter: UNCALLED }, leftOut);
    bundler.onLoad({ filter: BLOOM }, () => ({
      contents: "export class BloomBuilder {} export const writeBlooms = () => {};",
    }));
    bundler.onLoad({ filter: RECIPES }, () => ({
      contents: `export class Immer { produce() { throw new Error("recipes were left out"); } }`,
    }));
    bundler.onLoad({ filter: FILTERS }, ({ path }) => ({
      contents: exportsOf(path)
        .map(
          (name) => `export const ${name} = () => ${name === "canSkipRowGroup" ? "false" : "[]"};`,
        )
        .join("\n"),
    }));
    bundler.onLoad({ filter: COMPUTED }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(
        /^(const \w+ = |\t)(?=inverseMap\(|new Config\()/gm,
        "$1/* @__PURE__ */ ",
      ),
    }));
  },
};

/** For the page alone: the command asks databases everything. */
export const leanPage: Plugin = {
  name: "lean page",
  setup(bundler) {
    bundler.onLoad({ filter: LIVE }, leftOut);
    bundler.onLoad({ filter: MERGES }, leftOut);
    for (const [module, contents] of Object.entries(IDLE)) {
      bundler.onLoad({ filter: new RegExp(`src/database/${module}\\.ts$`) }, () => ({ contents }));
    }
  },
};

const leftOut = ({ path }: { readonly path: string }) => ({
  contents: exportsOf(path)
    .map((name) => `export function ${name}() { throw new Error("${name} was left out"); }`)
    .join("\n"),
});

/** The names that a module exports. */
function exportsOf(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const lists = Array.from(text.matchAll(/^export \{ (.*) \}/gm), ([, names = ""]) => names);
  const single = Array.from(
    text.matchAll(/^export (?:const|function\*?|class) (\w+)/gm),
    ([, name = ""]) => name,
  );
  return [...lists.flatMap((names) => names.split(", ")), ...single];
}
