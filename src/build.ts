// `npm run build`: makes dist/, the content of the package.
//
// - index.js: the library. It has few files, because Node.js imports them in 13 ms, and one file per module in
//   38 ms. Some folders are separate chunks, which a bundler drops if a program doesn't use them.
// - light.js: collections without indexes, which need only some of these chunks.
// - arrow.js, import.js, sql.js, store.js and worker.js: what they need in addition to those chunks, with flatbuffers
//   and pako, which nothing else uses.
// - disk.js: the files of the system, for store.js. It is the target of `#disk`, and in browsers disk.browser.js is.
// - testing.js, synthetic.js and faults.js: likewise. Only testing.js imports fast-check.
// - index.cjs and so on: each of these files and chunks as CommonJS, for Node.js before 20.19 and Jest, which can't
//   `require` a module. Elsewhere, the conditions `module-sync` and `bun` make `require` return the modules, so that
//   no class exists twice.
// - immer.browser.js: the target of `#immer` in browsers, because the package's own build reads `process`.
// - cli.js: the command, and what it needs in addition to the library. The code of each subcommand is a chunk that
//   only this subcommand loads.
// - playground.html.br: the page for exploring data, a single file, which `tercet playground` unpacks.
//   `src/playground/build.ts` makes it. Brotli makes it 40 kB smaller than the package's own gzip.
// - types/: the declarations, one file per entry point, with only what can be reached from there. They are CommonJS,
//   since such files can be imported from every kind of module. Those of `testing` are also there as ESM, since
//   fast-check has two sets of types. They are made by Rollup's WebAssembly build: one package for every platform.
//
// Modules are minified, but functions and classes keep their names and lines stay short, so that stack traces,
// logs and debuggers stay readable. There are no source maps, which took three quarters of the package.
//
// It prints the size of a bundle of each entry point; `test/package.test.ts` compares the README's numbers with it.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build, transform, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { rollup, type Plugin as RollupPlugin } from "rollup";
import { dts } from "rollup-plugin-dts";
import { minify, type MinifyOptions } from "terser";
import { buildPage } from "./playground/build.ts";
import { lean } from "./playground/lean.ts";

const target = "dist";
/** The folders that users import from. The library itself has the file `index`. */
const folders = [
  "light",
  "import",
  "synthetic",
  "testing",
  "faults",
  "arrow",
  "sql",
  "store",
  "worker",
];
/** The public entry points, by file name in `dist`. */
const entries: Readonly<Record<string, string>> = Object.fromEntries(
  ["index", ...folders].map((name) => [
    name,
    join("src", name === "index" ? "" : name, "index.ts"),
  ]),
);
/** The roots of the library's chunks: each contains what the previous ones don't. */
const chunks = {
  connect: "src/worker/connect.ts",
  criteria: "src/criteria/compile.ts",
  collection: "src/collection/collection.ts",
  service: "src/service/service.ts",
};

/** Marks the library's other entry points as external, so that each exists only once. */
const externalEntriesBut = (...included: readonly string[]): Plugin => ({
  name: "external entries",
  setup(bundler) {
    bundler.onResolve({ filter: /\/index\.ts$/ }, ({ kind, path, resolveDir }) => {
      const file = relative(".", join(resolveDir, path));
      const name = Object.keys(entries).find((each) => entries[each] === file);
      const isExternal = kind !== "entry-point" && name !== undefined && !included.includes(name);
      return isExternal ? { path: `./${name}.js`, external: true } : undefined;
    });
  },
});
const externalEntries = externalEntriesBut();

/** The module of the system's files, which browsers don't have. */
const disk = "src/store/system-disk.ts";

/** Makes `#disk` what imports that module, so that the platform decides. */
const externalDisk: Plugin = {
  name: "external disk",
  setup(bundler) {
    bundler.onResolve({ filter: /\/system-disk\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: "#disk", external: true },
    );
  },
};

/** Does the same for declarations: what an entry point declares about things outside its folder, others declare too. */
const externalDeclarations: RollupPlugin = {
  name: "external entries",
  resolveId(path, importer) {
    if (importer === undefined || !path.startsWith(".")) return undefined;
    const target = join(dirname(importer), path);
    const [from, to] = [folderIn(importer), folderIn(target)];
    return from === undefined || from === to
      ? undefined
      : { id: `./${to ?? "index"}.js`, external: "relative" };
  },
};

/** The folder that users import a file from; the index for files outside these folders. */
const folderIn = (path: string) =>
  folders.find((name) => relative("src", path).startsWith(name + sep));

const common = {
  bundle: true,
  format: "esm",
  outdir: target,
  logLevel: "warning",
  metafile: true,
} satisfies BuildOptions;
const forNode = { ...common, platform: "node", target: "node20" } satisfies BuildOptions;
/** The library and `tercet/testing`, which also run where some globals are missing. */
const everywhere = {
  ...forNode,
  inject: ["src/platform.ts"],
  minifySyntax: true,
} satisfies BuildOptions;

const forCommonJs = { format: "cjs", platform: "node", target: "node20", minify: true } as const;

rmSync(target, { recursive: true, force: true });

const library = await build({
  ...everywhere,
  entryPoints: {
    ...only("index", "light", "arrow", "import", "sql", "store", "worker"),
    ...chunks,
    disk,
  },
  plugins: [externalDisk],
  splitting: true,
  chunkNames: "chunk-[hash]",
  // Uses the ES modules of packages that have both formats, so that unused code is dropped.
  mainFields: ["module", "main"],
  alias: { immer: "#immer" },
  external: ["#immer"],
});
write("disk.browser.js", "export const systemDisk = undefined;");
// Only the index uses these.
for (const chunk of Object.keys(chunks)) rmSync(join(target, `${chunk}.js`));

await build({
  ...everywhere,
  entryPoints: only("testing", "synthetic", "faults"),
  plugins: [externalEntries],
  external: ["fast-check"],
});

for (const file of readdirSync(target)) {
  const text = readFileSync(join(target, file), "utf8");
  const { code } = await transform(text, { ...forCommonJs, loader: "js" });
  write(file.replace(/\.js$/, ".cjs"), await small(asCommonJs(code), { toplevel: true }));
  write(file, await readable(text));
}

const immer = await build({
  ...common,
  platform: "browser",
  target: "es2023",
  stdin: { contents: 'export { Immer } from "immer";', resolveDir: "." },
  entryNames: "immer.browser",
  // With its error messages.
  define: { "process.env.NODE_ENV": '"development"' },
  minify: true,
  banner: { js: "/*! Immer: MIT, see THIRD-PARTY.txt */" },
});

const command = await build({
  ...forNode,
  entryPoints: { cli: "src/cli/main.ts" },
  splitting: true,
  chunkNames: "[name]-[hash]",
  // The laws, including fast-check, so that users need not install it.
  plugins: [externalEntriesBut("testing"), lean],
  minify: true,
  banner: {
    // For CommonJS packages in the bundle.
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
});

for (const path of Object.keys(command.metafile.outputs)) {
  writeFileSync(path, await small(readFileSync(path, "utf8"), { module: true }));
}

const playground = await buildPage({ noticesOf: licencesOf, isSmall: true });
writeFileSync(join(target, "playground.html.br"), brotliCompressSync(playground.html));

writeFileSync(
  join(target, "THIRD-PARTY.txt"),
  licencesOf(library.metafile, immer.metafile, command.metafile, ...playground.inputs),
);

const types = join(target, "types");
const declarations = await rollup({
  input: entries,
  external: ["immer", "fast-check"],
  plugins: [externalDeclarations, dts({ compilerOptions: { stripInternal: true, types: [] } })],
});
await declarations.write({ dir: types, entryFileNames: "[name].d.ts" });
writeFileSync(join(types, "package.json"), '{ "type": "commonjs" }\n');

for (const name of Object.keys(entries)) {
  const declared = readFileSync(join(types, `${name}.d.ts`), "utf8");
  // Includes the entry points whose types it uses: the compiler finds a name for a type only in loaded files.
  const others = [...declared.matchAll(/ from '\.\/(\w+)\.js';/g)].map(([, other = ""]) => other);
  const declarationsFor = (extension: string) =>
    [
      `export * from "./types/${name}.js";`,
      ...others.map((other) => `import type {} from "./${other}.${extension}";`),
    ].join("\n");
  write(`${name}.d.cts`, declarationsFor("cjs"));
  if (name === "testing") cpSync(join(types, "testing.d.ts"), join(target, "testing.d.ts"));
  else write(`${name}.d.ts`, declarationsFor("js"));
}

for (const name of Object.keys(entries)) {
  await printSize(name === "index" ? "tercet" : `tercet/${name}`, `export * from "./${name}.js";`);
}
await printSize("connect", 'export { connect } from "./worker.js";');
for (const name of ["compileCriteria", "createCollection", "createDatabase"]) {
  await printSize(name, `export { ${name} } from "./index.js";`);
}

/** A module without white space, and with short variable names; functions and classes keep theirs. */
function readable(text: string): Promise<string> {
  return minified(text, {
    compress: false,
    mangle: { keep_classnames: true, keep_fnames: true },
    format: { comments: false, max_line_len: 500 },
  });
}

/**
 * A file with only short names. A function that is called once is not inlined: V8 compiles it separately for a reason.
 */
function small(text: string, options: MinifyOptions): Promise<string> {
  return minified(text, { ...options, compress: { inline: 1, reduce_funcs: false } });
}

async function minified(text: string, options: MinifyOptions): Promise<string> {
  const { code } = await minify(text, { ecma: 2020, ...options });
  if (code === undefined) throw new Error("terser made no program");
  return code;
}

/** The CommonJS files, referring to each other instead of to modules. Jest would resolve `#immer` as browsers do. */
function asCommonJs(code: string): string {
  return code
    .replaceAll(/\brequire\("\.\/([\w-]+)\.js"\)/g, 'require("./$1.cjs")')
    .replaceAll('require("#disk")', 'require("./disk.cjs")')
    .replaceAll('require("#immer")', 'require("immer")');
}

/** Prints how much a program adds to its bundle by exporting this. */
async function printSize(name: string, contents: string): Promise<void> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: target },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    external: ["fast-check"],
    logLevel: "error",
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  const [minified, gzipped] = [bytes, gzipSync(bytes)].map(({ length }) =>
    Math.round(length / 1e3),
  );
  console.log(`${name}: ${minified} kB minified, ${gzipped} kB gzipped`);
}

function only(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => names.includes(name)));
}

function write(name: string, line: string): void {
  writeFileSync(join(target, name), `${line}\n`);
}

/** The licences of the packages that these bundles contain. */
function licencesOf(...bundles: readonly Metafile[]): string {
  const inputs = bundles.flatMap((bundle) => Object.keys(bundle.inputs));
  const folders = inputs.map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .sort()
    .map(licenceOf)
    .join("\n\n");
}

function licenceOf(folder: string): string {
  const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    name: string;
  };
  const file = ["LICENSE", "LICENSE.md", "LICENSE-MIT.txt", "license"]
    .map((name) => join(folder, name))
    .find(existsSync);
  if (file === undefined) throw new Error(`${folder} has no licence`);
  return `${name}\n\n${readFileSync(file, "utf8").trim()}`;
}
