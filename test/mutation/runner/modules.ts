// The code under test and its tests, loaded into this process. TypeScript instrumented by Stryker becomes functions
// that make modules again as often as required. Modules of the library stay, so that their code gets optimized; each
// test file has its own modules of `test/`.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { transformSync } from "esbuild";
import * as servers from "./servers.ts";
import { active, countFor, fuel, hit, hits, stop, type Covered } from "./switches.ts";
import * as vitest from "./vitest.ts";

/** What instrumented files do: count what runs, or run with mutants of one of them. */
export type Purpose = "counting" | { readonly mutated: string };

const POSTGRES = resolve("test/engines/postgres-server.ts");

interface Module {
  readonly exports: unknown;
}

type Make = (exports: unknown, require: (name: string) => unknown, ...switches: unknown[]) => void;

export class Modules {
  /** What ran while files of the library loaded. */
  readonly loading: Covered = new Map();
  readonly #purpose: Purpose;
  readonly #library: Modules | undefined;
  readonly #loaded = new Map<string, Module>();

  /** With a library, files of `src` are its modules. */
  constructor(purpose: Purpose, library?: Modules) {
    this.#purpose = purpose;
    this.#library = library;
  }

  /** What the file exports. Its code runs the first time. */
  load(path: string): unknown {
    if (this.#library !== undefined && path.startsWith(resolve("src"))) {
      const before = countFor(this.#library.loading);
      const exports = this.#library.load(path);
      countFor(before);
      return exports;
    }
    let module = this.#loaded.get(path);
    if (module === undefined) {
      module = { exports: {} };
      this.#loaded.set(path, module);
      const outside = createRequire(path);
      const require = (name: string): unknown => {
        if (name === "vitest") return vitest;
        if (!name.startsWith(".")) return outside(name);
        const file = resolve(dirname(path), name);
        return file === POSTGRES ? servers : this.load(file);
      };
      const make = scriptOf(path, this.#purpose).runInThisContext() as Make;
      const meta = { url: pathToFileURL(path).href, filename: path, dirname: dirname(path) };
      make(module.exports, require, module, meta, active, fuel, hits, hit, stop);
    }
    return module.exports;
  }
}

const scripts = new Map<string, Script>();

/** The script of a file, which all modules made from it share. */
function scriptOf(path: string, purpose: Purpose): Script {
  const role =
    purpose === "counting" ? "counting" : purpose.mutated === path ? "mutated" : "working";
  const key = `${role} ${path}`;
  let script = scripts.get(key);
  if (script === undefined) {
    const { code } = transformSync(SWITCHED[role](readFileSync(path, "utf8")), {
      loader: "ts",
      format: "cjs",
      target: "node20",
      // Leaves out what is never active.
      minifySyntax: true,
      // `import()` becomes a `require`, which gives the modules of this loader.
      supported: { "dynamic-import": false },
      define: { "import.meta": "$meta" },
    });
    const parameters = "exports, require, module, $meta, $active, $fuel, $hits, $hit, $stop";
    // As a module is, the code is strict.
    const text = `(function (${parameters}) {"use strict"; ${code}\n})`;
    script = new Script(text, { filename: path });
    scripts.set(key, script);
  }
  return script;
}

/**
 * Stryker's calls of helper functions, which take longer than the code around them, as operations on
 * the switches. Only the file that has the active mutant asks for it; all of them count their work,
 * at the start of each block.
 */
const SWITCHED = {
  counting: (source: string) => counting(asking(source, () => "false")),
  mutated: (source: string) =>
    working(asking(source, (mutant) => `($active[0] === ${mutant} && $hit())`)),
  working: (source: string) => working(asking(source, () => "false")),
};

function asking(source: string, ask: (mutant: string) => string): string {
  return source.replace(/stryMutAct_9fa48\("(\d+)"\)/g, (_, mutant: string) => ask(mutant));
}

function counting(source: string): string {
  return source.replace(/stryCov_9fa48\((["\d, ]+)\)/g, (_, mutants: string) => {
    const counts = mutants.replace(/"(\d+)"/g, "$hits[$1]++");
    return `(${counts})`;
  });
}

function working(source: string): string {
  return source
    .replace(/^(\s*)stryCov_9fa48\(["\d, ]+\);/gm, "$1if (--$fuel[0] < 0) $stop();")
    .replace(/stryCov_9fa48\(["\d, ]+\)/g, "0");
}
