// The package as users get it: packed, installed in an empty folder, imported from modules of both
// kinds, type-checked from TypeScript, run from the command line, bundled, and used on a page.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build, transform } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createService } from "../src/index.ts";
import { FIRST_VIEW, toLink } from "../src/playground/link.ts";
import { generateLazyBatch } from "../src/synthetic/index.ts";
import { vectors } from "../src/testing/index.ts";
import { packed } from "./packed.ts";
import { openWatched } from "./playground/browser.ts";
import { matching } from "./playground/opened.ts";
import { consumerOptions, typedConsumer } from "./typed-consumer.ts";

const project = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "tercet-package-"));
const consumer = join(folder, "consumer");
const installed = join(consumer, "node_modules/tercet");
let tarball: string;

function run(command: string, parameters: readonly string[], cwd = consumer): string {
  return execFileSync(command, parameters, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function write(name: string, text: string): void {
  writeFileSync(join(consumer, name), text);
}

let built: string;

beforeAll(() => {
  mkdirSync(consumer);
  const made = packed();
  tarball = made.tarball;
  built = made.printed;
  write("package.json", JSON.stringify({ name: "consumer", private: true, type: "module" }));
  run("npm", ["install", "--silent", "--prefer-offline", tarball, "fast-check"]);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("it is imported by each of its entries", () => {
  write(
    "main.mjs",
    `import { createService } from "tercet";
     import { readNdjson } from "tercet/import";
     import { generateFiles } from "tercet/synthetic";
     import { checkService } from "tercet/testing";
     import { createCollection, defineSchema, int } from "tercet";
     import { openCollection, saveCollection } from "tercet/arrow";
     import { createStore, openStore } from "tercet/store";
     import { compileSql } from "tercet/sql";
     import { connect } from "tercet/worker";
     console.log(typeof connect);
     const saved = saveCollection(createCollection(defineSchema({ id: int() }), [{ id: 7 }]));
     console.log([...openCollection(saved)]);
     const lines = [...generateFiles({ count: 5, seed: 3 })].map((file) => JSON.stringify(file));
     const files = readNdjson(lines.join("\\n"));
     console.log(createService({ files }).searchFiles().length);
     createStore("store", createService({ files })).close();
     console.log(openStore("store").searchFiles().length);
     const Word = defineSchema({ id: int() });
     console.log(compileSql(Word, { limit: 1 }, { dialect: "postgres", table: "words" }).text);
     console.log((await checkService(createService, { numRuns: 1 })).passed);`,
  );
  expect(run("node", ["main.mjs"])).toBe(
    `function\n[ { id: 7 } ]\n5\n5\nSELECT "c0" AS tercet_0 FROM "words" ORDER BY "position" LIMIT 1\ntrue\n`,
  );
});

test("stack frames of the kit name their functions, each in a line of its own", () => {
  write(
    "frames.mjs",
    `import { laws } from "tercet/testing";
     await laws[0].check({}, { numRun: 1 }).catch(({ stack }) => console.log(stack));`,
  );
  const frame = /at checkMembers \(.*testing\.js:(\d+):\d+\)\n +at .*testing\.js:(\d+):/;
  const [, inner, outer] = frame.exec(run("node", ["frames.mjs"])) ?? [];
  expect(Number(inner)).toBeGreaterThan(100);
  expect(outer).not.toBe(inner);
});

test("`require` gives what `import` gives, from each of its entries", () => {
  write(
    "main.cjs",
    `const entries = ["tercet", "tercet/synthetic", "tercet/testing", "tercet/faults", "tercet/arrow", "tercet/import", "tercet/sql", "tercet/store", "tercet/light", "tercet/worker"];
     Promise.all(entries.map((entry) => import(entry))).then(async (imported) => {
       for (const [index, entry] of entries.entries()) {
         const required = Object.entries(require(entry));
         console.log(required.length > 0, required.every(([name, it]) => imported[index][name] === it));
       }
       const { createService, generateFiles } = { ...require("tercet"), ...require("tercet/synthetic") };
       const { checkService } = require("tercet/testing");
       console.log(createService({ files: generateFiles({ count: 5, seed: 3 }) }).searchFiles().length);
       console.log((await checkService(createService, { numRuns: 1 })).passed);
     });`,
  );
  expect(run("node", ["main.cjs"])).toBe(`${"true true\n".repeat(10)}5\ntrue\n`);
});

/** What Jest's jsdom has besides what ECMAScript defines, and is used by Node.js's `require`. */
const IN_JSDOM =
  /^(?:Abort(?:Controller|Signal)|Event(?:Target)?|DOMException|Blob|File|FormData|Headers|URL(?:SearchParams)?|WebSocket|WebAssembly|(?:set|clear)(?:Timeout|Interval)|queueMicrotask|performance|console|process|Buffer|global|atob|btoa|crypto)$/;

test("`require` of each entry works where it can't load modules, and with no global beyond those of Jest's jsdom", () => {
  write(
    "commonjs.cjs",
    `const { runInNewContext } = require("node:vm");
     const standard = runInNewContext("Object.getOwnPropertyNames(globalThis)");
     for (const name of Object.getOwnPropertyNames(globalThis)) {
       if (!standard.includes(name) && !${String(IN_JSDOM)}.test(name)) delete globalThis[name];
     }
     console.log(["TextEncoder", "structuredClone", "fetch"].some((name) => name in globalThis));
     const tercet = require("tercet");
     const { generateFiles, generateLazyBatch } = require("tercet/synthetic");
     const { openCollection, saveCollection } = require("tercet/arrow");
     const { readCsv, readNdjson, writeCsv, inferSchema, loadCollection } = require("tercet/import");
     const { compileSql } = require("tercet/sql");
     const { createStore, openStore } = require("tercet/store");
     const { faults } = require("tercet/faults");
     const Note = tercet.defineSchema({ id: tercet.int({ unique: true }), text: tercet.string({ ignoreCase: true }) });
     const records = Array.from({ length: 5000 }, (_, id) => ({ id, text: "nöte 😀 " + ((id * 7919) % 5000) }));
     const notes = tercet.createCollection(Note, records);
     let found = 0;
     for (let round = 1; round <= 300; round++) found += notes.count([["text", "contains", "Ö" + "TE 😀 " + round]]);
     notes.prepare({ sort: ["text"], match: ["text"], contains: ["text"] });
     console.log(found, notes.query({ sortBy: "text", limit: 1 })[0].id, notes.explain().access.path);
     const db = tercet.createDatabase({ notes });
     db.watch("notes", { countBy: "text", limit: 1 }, () => undefined);
     db.update((draft) => { draft.notes = draft.notes.insert({ id: 5000, text: "ü" }); });
     const saved = openCollection(saveCollection(notes), { schema: Note });
     console.log(saved.size, saved.count([["text", "starts_with", "nöte 😀 77"]]));
     const csv = [...writeCsv(notes)];
     console.log(readCsv(csv.map((piece) => piece), { schema: Note }) !== undefined);
     console.log(loadCollection(Note, readNdjson('{"id":1,"text":"ä"}', { schema: Note })).at(0).text);
     console.log(compileSql(Note, { criteria: [["text", "contains", "ä"]] }, { dialect: "sqlite", table: "t" }).parameters.length);
     const files = [...generateFiles({ count: 50, seed: 1 })];
     const service = tercet.createService({ files, batches: [generateLazyBatch({ count: 50, seed: 1 })] });
     createStore("commonjs", service).close();
     const opened = openStore("commonjs");
     console.log(opened.searchFiles().length);
     opened.close();
     faults(service, { rate: 0 }).dispatchJson("5").then((text) => console.log(JSON.parse(text).error.code));
     const { checkService, criteria } = require("tercet/testing");
     const Person = tercet.defineSchema({ id: tercet.int(), name: tercet.string() });
     const people = tercet.createCollection(Person, [{ id: 1, name: "Ada" }]);
     console.log(people.update(null, (draft) => { draft.name = "Eva"; }).at(0).name);
     try {
       people.count([["age", "exactly", 1]]);
     } catch (error) {
       console.log(error instanceof tercet.CriteriaError, error instanceof tercet.TercetError);
     }
     console.log(typeof criteria(Person).generate);
     checkService(tercet.createService, { numRuns: 1 }).then(({ passed }) => console.log(passed));
     console.log(Object.keys(tercet).sort().join());`,
  );
  write(
    "names.mjs",
    `import * as tercet from "tercet"; console.log(Object.keys(tercet).sort().join());`,
  );
  const names = run("node", ["names.mjs"]);
  expect(run("node", ["--no-experimental-require-module", "commonjs.cjs"])).toBe(
    `false\n12200 1321 scan\n5000 11\ntrue\nä\n1\n50\nEva\ntrue true\nfunction\n${names}310\ntrue\n`,
  );
});

describe("its types check in a strict TypeScript consumer, and refuse a wrong field", () => {
  // The compiler of version 7 is several times quicker; that of version 6 is asked once for each kind of file.
  const [modules, bundled] = [["main.mts", "main.cts"], ["main.ts"]];
  test.each([
    ["typescript", "Node16", modules],
    ["typescript-7", "Node16", modules],
    ["typescript-7", "NodeNext", modules],
    ["typescript", "Preserve", bundled],
    ["typescript-7", "Preserve", bundled],
  ])("%s, module %s: %j", (compiler, module, names) => {
    for (const name of names) write(name, typedConsumer);
    const compilerOptions = { ...consumerOptions, module };
    write("tsconfig.json", JSON.stringify({ compilerOptions, files: names }));
    expect(printedBy("node", [join(project, "node_modules", compiler, "bin/tsc")])).toBe("");
  });
});

/** What a command prints, also where it fails. */
function printedBy(command: string, parameters: readonly string[]): string {
  return run("sh", ["-c", '"$@" 2>&1 || true', "sh", command, ...parameters]);
}

test("its command runs where it is installed", () => {
  expect(run("npx", ["--no", "tercet", "--version"])).toMatch(/^\d+\.\d+\.\d+\n$/);
  const files = JSON.parse(run("npx", ["--no", "tercet", "files", ".", "--json"])) as unknown[];
  expect(files).not.toHaveLength(0);
});

test("the command has all laws without fast-check beside it", async () => {
  const alone = join(folder, "alone/node_modules/tercet");
  cpSync(installed, alone, { recursive: true });
  cpSync(join(consumer, "node_modules/immer"), join(folder, "alone/node_modules/immer"), {
    recursive: true,
  });
  const printed = run("node", [join(alone, "dist/cli.js"), "vectors", "--count", "400"]);
  // A law that the build leaves out has no lines here.
  const lines: string[] = [];
  for await (const line of vectors({ count: 400 })) lines.push(`${JSON.stringify(line)}\n`);
  expect(printed).toBe(lines.join(""));
});

test("users install no dependency beyond the library's own", () => {
  const { dependencies = {} } = JSON.parse(
    readFileSync(join(consumer, "node_modules/tercet/package.json"), "utf8"),
  ) as { dependencies?: Record<string, string> };
  expect(Object.keys(dependencies)).toEqual(["immer"]);
});

describe("for browsers", () => {
  test("its files have only syntax that the oldest browsers of the README have", async () => {
    const readme = readFileSync(join(project, "README.md"), "utf8");
    const [, ...versions] =
      /Chrome or Edge ([\d.]+), Firefox ([\d.]+) and Safari ([\d.]+) on/.exec(readme) ?? [];
    const target = ["chrome", "firefox", "safari"].map((name, i) => `${name}${versions[i]}`);
    const files = readdirSync(join(installed, "dist")).filter((name) => name.endsWith(".js"));
    expect(files).toContain("worker.js");
    // What they lack would be rewritten.
    const written = (text: string, target: string | string[]) => transform(text, { target });
    for (const file of files.filter((name) => !name.startsWith("cli"))) {
      const text = readFileSync(join(installed, "dist", file), "utf8");
      expect((await written(text, target)).code, file).toBe((await written(text, "esnext")).code);
    }
    expect((await written("class A { static { a(); } }", "safari16")).code).not.toMatch(
      /static \{/,
    );
  });

  /**
   * Runs a module where there is what ECMAScript defines and a console, and nothing else. It imports files only, but for
   * what the import map in the README names.
   */
  function runOnPage(program: string): string {
    write("program.mjs", program);
    write(
      "page.mjs",
      `import { readFileSync } from "node:fs";
       import { resolve, dirname } from "node:path";
       import { createContext, SourceTextModule } from "node:vm";
       const context = createContext({ console: { log: (...values) => console.log(...values) } });
       const modules = new Map();
       function load(path) {
         if (!modules.has(path)) {
           modules.set(path, new SourceTextModule(readFileSync(path, "utf8"), { context, identifier: path }));
         }
         return modules.get(path);
       }
       const program = load(resolve("program.mjs"));
       await program.link((specifier, { identifier }) => {
         const own = { "#immer": "immer.browser.js", "#disk": "disk.browser.js" }[specifier];
         if (own !== undefined) return load(resolve("node_modules/tercet/dist", own));
         if (!/^\\.\\.?\\//.test(specifier)) throw new Error("imports " + specifier);
         return load(resolve(dirname(identifier), specifier));
       });
       await program.evaluate();`,
    );
    return run("node", ["--experimental-vm-modules", "--no-warnings", "page.mjs"]);
  }

  /** Those that need no package and nothing of Node.js. */
  const entries = [
    "index",
    "light",
    "synthetic",
    "faults",
    "arrow",
    "import",
    "sql",
    "store",
    "worker",
  ];

  const program = `
    import { createCollection, createService, defineSchema, int, string } from "tercet";
    console.log(typeof process);
    const Person = defineSchema({ id: int({ unique: true }), name: string() });
    const people = createCollection(Person, [{ id: 1, name: "Ada" }, { id: 2, name: "Bo" }]);
    const changed = people.update([["name", "starts_with", "B"]], (draft) => { draft.name = "Eva"; });
    console.log(JSON.stringify(changed.query({ sortBy: "name", sortOrder: "DESC", limit: 1 })));
    const service = createService({ files: [{ id: 1, folder_id: 7, name: "logo.png" }] });
    console.log(service.dispatchJson('{"id":1,"method":"searchFiles","params":["k",[["x"]]]}'));
    try {
      people.update([], () => { throw new Error("no"); });
    } catch ({ message }) {
      console.log(message.includes("no"));
    }`;
  const printed = [
    "undefined",
    '[{"id":2,"name":"Eva"}]',
    expect.stringMatching(/^\{"id":1,"result":null,"error":\{"code":311,/),
    "true",
  ];

  test.each(entries)("the file of %s works on a page with the import map", (entry) => {
    const file = `./node_modules/tercet/dist/${entry}.js`;
    const imported = `import * as entry from "${file}"; console.log(Object.keys(entry).length > 0);`;
    expect(runOnPage(imported)).toBe("true\n");
  });

  test("what the files export works on a page with the import map", () => {
    const output = runOnPage(program.replace('"tercet"', '"./node_modules/tercet/dist/index.js"'));
    expect(output.trimEnd().split("\n")).toEqual(printed);
  });

  test("a bundle of it works on a page, made by a bundler that defines nothing", async () => {
    expect(
      runOnPage(await bundle(program))
        .trimEnd()
        .split("\n"),
    ).toEqual(printed);
  });

  test("a bundle of the compiler alone has no collections in it", async () => {
    const text = await bundle(`export { compileCriteria } from "tercet";`);
    expect(text).toContain("must have exactly three elements");
    expect(text).not.toMatch(/sortBy|immer/i);
  });

  test("its entries share one copy of the library in a bundle", async () => {
    const text = await bundle(
      `import { InputError } from "tercet";
       import { generateFiles } from "tercet/synthetic";
       try { generateFiles({ count: -1 }); } catch (error) { console.log(error instanceof InputError); }`,
    );
    expect(runOnPage(text)).toBe("true\n");
  });

  test.each([
    "tercet",
    "tercet/synthetic",
    "tercet/testing",
    "tercet/faults",
    "tercet/arrow",
    "tercet/import",
    "tercet/sql",
    "tercet/worker",
  ])("%s needs nothing of Node.js", async (entry) => {
    const text = await bundle(`export * from "${entry}";`);
    expect(text).not.toMatch(/\brequire\(|["']node:|\bprocess\.|\bBuffer\b|\beval\(|new Function/);
  });

  async function bundle(contents: string): Promise<string> {
    const { outputFiles, warnings } = await build({
      stdin: { contents, resolveDir: consumer },
      bundle: true,
      platform: "neutral",
      conditions: ["browser"],
      external: ["fast-check"],
      write: false,
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    return outputFiles.map(({ text }) => text).join("");
  }
});

describe("its documents", () => {
  const documents = () =>
    readdirSync(installed, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md") && !path.includes("node_modules"))
      .sort();

  test("are there", () => {
    expect(documents()).toEqual(expect.arrayContaining(["README.md", "src/service/README.md"]));
  });

  // They stay in the repository, for whoever reads or changes the documents there.
  const isLeftOut = (path: string) =>
    /\.(?:webp|svg)$|^(?:CONTRIBUTING|CHANGELOG|bench\/README|src\/collection\/DESIGN)\.md$/.test(
      path,
    );

  test("link only to what is packed, but for pictures, what contributors need and what changed", () => {
    const broken = documents().flatMap((document) => {
      const text = readFileSync(join(installed, document), "utf8");
      return [...text.matchAll(/\]\((?![a-z]+:)([^)#]+)[^)]*\)/g)]
        .filter(([, path = ""]) => !isLeftOut(path))
        .filter(([, path = ""]) => !existsSync(join(installed, dirname(document), path)))
        .map(([link]) => `${document}: ${link}`);
    });
    expect(broken).toEqual([]);
  });

  test("the first program of the README runs where it is installed, and prints what stands there", () => {
    const readme = readFileSync(join(installed, "README.md"), "utf8");
    const [, code = "", printed] = /```ts\n([^]*?)```\n+```text\n([^]*?)```/.exec(readme) ?? [];
    write("first.mjs", code);
    expect(run("node", ["first.mjs"])).toBe(printed);
  });
});

// Of which the page, which holds the library once more, is a fifth, and the command a seventh.
test("it is small: 1,500 kB to download", () => {
  expect(statSync(tarball).size).toBeLessThan(1_550_000);
});

test("bundles have the sizes that the README names, within 2 % or 1 kB; README_UPDATE=1 writes them", () => {
  const sizes = [...built.matchAll(/^(\S+): (\d+) kB minified, (\d+) kB gzipped$/gm)];
  expect(sizes.map(([, name]) => name)).toHaveLength(14);
  const path = join(project, "README.md");
  let readme = readFileSync(path, "utf8");
  for (const [, name = "", ...printed] of sizes) {
    const row = new RegExp(`^\\| \`${name}\` .*\\| +(\\d+) kB +\\| +(\\d+) kB +\\|$`, "m");
    const [line = "", ...named] = row.exec(readme) ?? [];
    expect(line, name).not.toBe("");
    if (process.env.README_UPDATE === "1") {
      const sizes = printed.values();
      const updated = line.replaceAll(/ +\d+(?= kB)/g, (cell) =>
        ` ${sizes.next().value ?? ""}`.padStart(cell.length),
      );
      readme = readme.replace(line, updated);
      continue;
    }
    for (const [index, size] of printed.map(Number).entries()) {
      const difference = Math.abs(Number(named[index]) - size);
      expect(difference, name).toBeLessThanOrEqual(Math.max(1, size / 50));
    }
  }
  if (process.env.README_UPDATE === "1") writeFileSync(path, readme);
});

test("the package has every file of it that an example reads", () => {
  const documents = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  const read = documents.flatMap((name) =>
    Array.from(
      readFileSync(join(installed, name), "utf8").matchAll(/node_modules\/tercet\/([\w./-]+\w)/g),
      ([, file = ""]) => file,
    ),
  );
  expect(new Set(read).size).toBeGreaterThan(1);
  expect(read.filter((file) => !existsSync(join(installed, file)))).toEqual([]);
});

describe("`tercet playground`", () => {
  let path = "";
  beforeAll(() => {
    [path = ""] = run("npx", ["tercet", "playground", "page.html"]).split("\n");
  });

  test("writes the page, a file of less than 350 kB gzipped, and says where", () => {
    const html = readFileSync(path);
    expect(html.toString()).toContain("<title>tercet");
    expect(gzipSync(html).length).toBeLessThan(350_000);
  });

  // What terser made of the page, which other tests open as it is without that.
  test("the page answers", async () => {
    const criteria = [["open_type", "exactly", "html"]] as const;
    const view = toLink({ ...FIRST_VIEW, kind: "contacts", count: 3000, criteria });
    const { page, complaints } = await openWatched(pathToFileURL(path).href + view);
    const contacts = generateLazyBatch({ count: 3000, seed: 1, lists: 3 });
    const { batches } = createService({ batches: [contacts] });
    const [batch] = Object.values(batches);
    await matching(page, batch?.contacts.count(criteria) ?? 0);
    await page.click("#tab-facets");
    await page.waitForSelector("section[aria-label=open_type] .count");
    await page.close();
    expect(complaints).toEqual([]);
  });
});

test("an editor shows what each function and class of it does", () => {
  for (const entry of [
    "index",
    "light",
    "synthetic",
    "testing",
    "arrow",
    "import",
    "sql",
    "store",
    "worker",
  ]) {
    const text = readFileSync(join(installed, `dist/types/${entry}.d.ts`), "utf8");
    const exported = /^export \{ (.*) \};$/m.exec(text)?.[1]?.split(", ") ?? [];
    const declared = exported.filter((name) =>
      new RegExp(`^declare (?:abstract )?(?:function|class) ${name}\\b`, "m").test(text),
    );
    expect(declared.length).toBeGreaterThan(1);
    const explained = declared.filter((name) =>
      new RegExp(`\\*/\ndeclare (?:abstract )?(?:function|class) ${name}\\b`).test(text),
    );
    expect(explained).toEqual(declared);
  }
});

test("publint finds nothing to say", async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false });
  expect(messages).toEqual([]);
});

test("each way to import finds the types of the file that it runs", async () => {
  const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (!analysis.types) throw new Error("it has no types");
  // Resolution as in Node.js 10, which knows no exports, finds the types of each entry, and what runs of `tercet`.
  expect(analysis.problems).toEqual([]);
});
