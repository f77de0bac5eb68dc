// The code blocks of the README and of the documents of the folders. Each of them is run, and what
// it prints is compared with what the document says that it prints:
//
// - `ts`: a part of a program. The `ts` blocks below one `##` heading are one program, in order.
//   They are type-checked, so that `@ts-expect-error` proves what is said about compile errors.
//   A program that imports Vitest is a suite, which prints its tests and how they ended. Those of
//   `test/store/browser/documents.ts` need a browser, in which `test/store/browser.test.ts` runs them.
// - `text`: what the `ts` block right above it prints. A `ts` block without one prints nothing.
// - `console`: commands after `$ `, each followed by what it prints on stdout and stderr.
// - `json`: a Batch, as `tercet contacts` reads it.
//
// Any other block fails. README_UPDATE=1 writes what is printed into the documents instead.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as arrow from "../src/arrow/index.ts";
import * as faults from "../src/faults/index.ts";
import * as imports from "../src/import/index.ts";
import * as index from "../src/index.ts";
import {
  compileCriteria,
  createService,
  defineSchema,
  int,
  string,
  strings,
  type BatchInput,
  type Taken,
} from "../src/index.ts";
import * as sql from "../src/sql/index.ts";
import * as light from "../src/light/index.ts";
import * as store from "../src/store/index.ts";
import * as synthetic from "../src/synthetic/index.ts";
import * as testing from "../src/testing/index.ts";
import * as worker from "../src/worker/index.ts";
import { appliesTo } from "../src/criteria/operators-of.ts";
import { operators } from "../src/criteria/operators.ts";
import { fieldTypes } from "../src/schema/field.ts";
import { errorNames } from "../src/service/errors.ts";
import { lacksPython } from "./check/lines.ts";
import { bundleCommand } from "./command.ts";
import { IN_BROWSERS } from "./store/browser/documents.ts";

const project = resolve(import.meta.dirname, "..");
/** The documents whose code is run, from the root of the project. */
const DOCUMENTS = [
  "README.md",
  "src/criteria/README.md",
  "src/collection/README.md",
  "src/light/README.md",
  "src/database/README.md",
  "src/service/README.md",
  "src/arrow/README.md",
  "src/store/README.md",
  "src/worker/README.md",
  "src/sql/README.md",
  "src/import/README.md",
  "src/synthetic/README.md",
  "src/testing/README.md",
  "src/cli/README.md",
  "test/check/README.md",
  "bench/README.md",
];
/** Those whose code is not run, or that have none. */
const OTHERS = ["CONTRIBUTING.md", "src/collection/DESIGN.md", "src/playground/README.md"];
/** What users import, by what follows the name of the package. */
const ENTRIES = {
  "/light": light,
  ...{ "": index, "/arrow": arrow, "/faults": faults, "/import": imports, "/sql": sql },
  ...{ "/store": store, "/synthetic": synthetic, "/testing": testing, "/worker": worker },
};
const read = (document: string) => readFileSync(join(project, document), "utf8");
const all = DOCUMENTS.map(read).join("\n");

interface Block {
  readonly language: string;
  /** The `##` heading that it stands under. */
  readonly section: string;
  readonly text: string;
  /** The lines of its fences, counted from 0. */
  readonly start: number;
  readonly end: number;
}

function readBlocks(markdown: string): Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  let section = "Start";
  for (let start = 0; start < lines.length; start++) {
    const line = lines[start] ?? "";
    section = /^## (.*)$/.exec(line)?.[1] ?? section;
    const language = /^```(ts|text|console|json)$/.exec(line)?.[1];
    if (language === undefined) {
      if (!/^\s*(?:```|~~~)|^(?: {4}|\t)/.test(line)) continue;
      throw new Error(`line ${start + 1}: no such kind of code block: ${line}`);
    }
    const end = lines.indexOf("```", start + 1);
    if (end === -1) throw new Error(`line ${start + 1}: the code block has no end`);
    blocks.push({ language, section, text: lines.slice(start + 1, end).join("\n"), start, end });
    start = end;
  }
  return blocks;
}

/** Code, and the block with what it prints. */
interface Part {
  readonly code: Block;
  readonly prints: Block | undefined;
}

/** The parts of each section's program. */
function readPrograms(blocks: readonly Block[]): [section: string, parts: Part[]][] {
  const programs = new Map<string, Part[]>();
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1];
    const after = blocks[index + 1];
    if (block.language === "text" && (before?.language !== "ts" || before.end + 2 < block.start)) {
      throw new Error(`line ${block.start + 1}: no ts block stands right above it`);
    }
    if (block.language !== "ts") continue;
    const parts = programs.get(block.section) ?? [];
    const isAnswered = after?.language === "text" && after.start <= block.end + 2;
    parts.push({ code: block, prints: isAnswered ? after : undefined });
    programs.set(block.section, parts);
  }
  return [...programs];
}

interface Command {
  readonly line: string;
  readonly prints: string;
}

/** The commands of a console block. A command that ends in a backslash goes on in the next line. */
function readCommands({ text, start }: Block): Command[] {
  if (!text.startsWith("$ ")) throw new Error(`line ${start + 2}: a command begins with "$ "`);
  return text
    .slice(2)
    .split(/\n\$ /)
    .map((command) => {
      const [, line = "", prints = ""] = /^((?:[^\n]*\\\n)*[^\n]*)\n?([^]*)$/.exec(command) ?? [];
      return { line, prints };
    });
}

/** A block, and where it stands. */
type Found = [place: string, document: string, block: Block];

const programs: [place: string, document: string, parts: Part[]][] = [];
const found: Found[] = [];
for (const document of DOCUMENTS) {
  const blocks = readBlocks(read(document));
  for (const [section, parts] of readPrograms(blocks)) {
    programs.push([`${document}, ${section}`, document, parts]);
  }
  for (const block of blocks) {
    found.push([`${document}, ${block.section}, line ${block.start + 1}`, document, block]);
  }
}
const of = (language: string) => found.filter(([, , block]) => block.language === language);

const cache = join(project, "node_modules/.cache/tercet");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "readme-"));
/** A copy of the checkout, in which commands may make files. */
const checkout = join(folder, "checkout");
/** Where programs find the package's own files: they stand there for whoever has installed it. */
const installed = join(folder, "node_modules/tercet");
const binaries = join(folder, "bin");

/** What is in a checkout that was worked in, and not in a new one. */
const MADE = ["node_modules", "dist", "reports", "coverage", ".git", ".stryker-tmp"];

const COPYING = {
  recursive: true,
  preserveTimestamps: true,
  filter: (path: string) => !path.endsWith("node_modules"),
};

/** Printed between the parts of a program. */
const MARK = "\u0001";

const programName = (place: string) => place.toLowerCase().replace(/\W+/g, "-");

/** What a program prints. */
function run(place: string, [first]: readonly Part[]): string {
  const program = `${programName(place)}.mjs`;
  const isSuite = first?.code.text.includes('from "vitest"') === true;
  const vitest = join(project, "node_modules/vitest/vitest.mjs");
  const suite = [vitest, "run", "--reporter=tap-flat", "--root", folder, program];
  const printed = execFileSync(process.execPath, isSuite ? suite : [program], {
    cwd: folder,
    encoding: "utf8",
    timeout: 240_000,
  });
  if (!isSuite) return printed;
  const ended = [...printed.matchAll(/^((?:not )?ok) \d+ - \S+ > (.*?)(?: # time=\S+)?$/gm)];
  return [...ended.map(([, result, name]) => `${result}: ${name}`), `${MARK}\n`].join("\n");
}

beforeAll(async () => {
  mkdirSync(dirname(installed));
  symlinkSync(project, installed, "junction");
  for (const name of readdirSync(project)) {
    if (MADE.includes(name)) continue;
    cpSync(join(project, name), join(checkout, name), COPYING);
  }
  for (const [place, , parts] of programs) {
    const code = parts.map(({ code: { text } }) => `${text}\nconsole.log("${MARK}");\n`).join("");
    writeFileSync(join(folder, `${programName(place)}.mts`), code);
  }
  const entries = {
    tercet: join(project, "src/index.ts"),
    "tercet/arrow": join(project, "src/arrow/index.ts"),
    "tercet/light": join(project, "src/light/index.ts"),
    "tercet/faults": join(project, "src/faults/index.ts"),
    "tercet/import": join(project, "src/import/index.ts"),
    "tercet/sql": join(project, "src/sql/index.ts"),
    "tercet/store": join(project, "src/store/index.ts"),
    "tercet/synthetic": join(project, "src/synthetic/index.ts"),
    "tercet/testing": join(project, "src/testing/index.ts"),
    "tercet/worker": join(project, "src/worker/index.ts"),
  };
  const paths = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, [file]]));
  const tsconfig = {
    extends: join(project, "tsconfig.json"),
    compilerOptions: { paths, typeRoots: [join(project, "node_modules/@types")] },
    include: ["*.mts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  const suites = { test: { include: ["*.mjs"], exclude: [] } };
  writeFileSync(join(folder, "vitest.config.js"), `export default ${JSON.stringify(suites)};`);
  await build({
    bundle: true,
    platform: "node",
    target: "node20",
    logLevel: "silent",
    entryPoints: programs.map(([place]) => join(folder, `${programName(place)}.mts`)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    alias: entries,
    packages: "external",
  });
  mkdirSync(binaries);
  await bundleCommand(join(binaries, "tercet.mjs"));
  const script = '#!/bin/sh\nexec node "${0%/*}/tercet.mjs" "$@"\n';
  writeFileSync(join(binaries, "tercet"), script, { mode: 0o755 });
});

/** What the blocks should hold, where they are to be written anew. */
const updates = new Map<Block, { document: string; text: string }>();
/** What is generated outside of blocks. Written after them, since blocks are found by their lines. */
const rewrites = new Map<string, (text: string) => string>();

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const document of DOCUMENTS) {
    const blocks = [...updates].filter(([, update]) => update.document === document);
    if (blocks.length === 0) continue;
    const lines = read(document).split("\n");
    for (const [{ start, end }, { text }] of blocks.sort(([a], [b]) => b.start - a.start)) {
      lines.splice(start + 1, end - start - 1, ...(text === "" ? [] : text.split("\n")));
    }
    writeFileSync(join(project, document), lines.join("\n"));
  }
  for (const [document, rewrite] of rewrites) {
    writeFileSync(join(project, document), rewrite(read(document)));
  }
});

function expectPrinted(
  document: string,
  block: Block | undefined,
  expected: string,
  printed: string,
): void {
  if (process.env.README_UPDATE === "1" && block !== undefined) {
    updates.set(block, { document, text: printed });
  } else expect(printed).toBe(expected);
}

test("their programs type-check", () => {
  const { stdout } = spawnSync(
    process.execPath,
    [join(project, "node_modules/typescript-7/bin/tsc"), "--project", folder],
    { encoding: "utf8" },
  );
  expect(stdout).toBe("");
});

const inNode = programs.filter(([place]) => !IN_BROWSERS.includes(place));
test.each(inNode)("%s: the program prints what it says", (place, document, parts) => {
  const printed = run(place, parts).split(`${MARK}\n`);
  expect(printed).toHaveLength(parts.length + 1);
  for (const [index, { prints }] of parts.entries()) {
    expectPrinted(document, prints, prints?.text ?? "", (printed[index] ?? "").trimEnd());
  }
});

const lacking = ([, , { text }]: Found) => lacksPython && text.includes("python3");
test.skip.each(of("console").filter(lacking))("%s: there is no python3", () => undefined);

const commands = of("console").filter((each) => !lacking(each));
test.each(commands)("%s: the commands print what it says", (_, document, block) => {
  const shown = readCommands(block).map(({ line, prints }) => {
    const { stdout } = spawnSync("sh", ["-c", `{ ${line}\n} 2>&1`], {
      cwd: checkout,
      encoding: "utf8",
      env: {
        ...process.env,
        PATH: [binaries, dirname(process.execPath), process.env.PATH].join(delimiter),
      },
    });
    const text = (printed: string) => (printed === "" ? `$ ${line}` : `$ ${line}\n${printed}`);
    return { said: text(prints), printed: text(stdout.trimEnd()) };
  });
  const join = (which: "said" | "printed") => shown.map((each) => each[which]).join("\n");
  expectPrinted(document, block, join("said"), join("printed"));
});

test.each(of("json"))("%s: the JSON is a Batch", (_, _document, { text }) => {
  const batch = JSON.parse(text) as BatchInput;
  expect(Object.keys(createService({ batches: [batch] }).batches)).toEqual([String(batch.id)]);
});

describe("no block is passed over", () => {
  test.each([
    ["a language without a convention", "```js\n1\n```"],
    ["no language", "```\n1\n```"],
    ["a fence of another kind", "~~~ts\n1\n~~~"],
    ["an indented fence", "- x\n  ```ts\n  1\n  ```"],
    ["an indented block", "x\n\n    1\n"],
    ["a block without an end", "```ts\n1\n"],
    ["output that nothing prints", "```text\n1\n```"],
    ["output that stands apart", "```ts\n1\n```\n\nx\n\n```text\n1\n```"],
  ])("%s is refused", (_, markdown) => {
    expect(() => readPrograms(readBlocks(markdown))).toThrow(/^line \d+: /);
  });

  test("a console block begins with a command", () => {
    expect(() => readBlocks("```console\nls\n```").map(readCommands)).toThrow(/^line 2: /);
  });

  test("programs, commands and JSON are there", () => {
    expect(programs.length).toBeGreaterThan(5);
    expect(of("console").length).toBeGreaterThan(3);
    expect(of("json")).not.toHaveLength(0);
  });
});

describe("their tables are complete", () => {
  /** The first cells of the rows of the table under a heading. */
  const firstCells = (document: string, heading: string) =>
    (read(document).split(`\n## ${heading}\n`)[1] ?? "")
      .split(/\n#/)[0]
      ?.match(/^\| [^|]+(?= \|)/gm)
      ?.map((cell) => cell.slice(2).trim())
      .filter((cell) => !cell.startsWith("-"))
      .slice(1);

  /** What an operator takes, in the table of operators; the first operator that takes it is named by the others. */
  const TAKEN: Readonly<Record<Taken, string>> = {
    value:
      "a value of the field or its canonical string, or `null`; of a string field also a number; of a `strings()` field only `[]` or `null`",
    text: "string, finite number",
    bound: "int: safe integer or its text; float: finite number or its text; string: string",
    range: "array of two values as for `greater_than`, the lower one first",
    values: "array of values for `exactly`, or a string split at its commas, spaces kept",
    element: "string",
    elements: "array of strings",
  };

  const spaced = (value: unknown): string =>
    Array.isArray(value) ? `[${value.map(spaced).join(", ")}]` : JSON.stringify(value);

  test("operators are those that are declared; README_UPDATE=1 writes the table", () => {
    const path = "src/criteria/README.md";
    const record = { size: 2048, name: "logo.png", tags: ["work", "home"] };
    const nullable = { nullable: true } as const;
    const Example = defineSchema({
      ...{ size: int(nullable), name: string(nullable), tags: strings(nullable) },
    });
    const searchable = fieldTypes.filter((type) => type !== "json");
    const rows = operators.map((operator) => {
      const { name, words, takes, example } = operator;
      const accepts = compileCriteria(Example, [example as unknown]);
      expect(accepts(record), `${name}: its example is true of the record`).toBe(true);
      const types = searchable.filter((type) => appliesTo(operator, type, "values"));
      const first = operators.find((each) => each.takes === takes) ?? operator;
      return [
        `\`${name}\``,
        words,
        types.length === searchable.length ? "any" : types.join(", "),
        first === operator ? TAKEN[takes] : `as for \`${first.name}\``,
        accepts({}) ? "yes" : "no",
        `\`${spaced(example)}\``,
      ];
    });
    const heads = ["Operator", "True if the field", "Fields", "Value", "Null", "Example"];
    const widths = heads.map((head, i) =>
      Math.max(...[head, ...rows.map((row) => row[i] ?? "")].map(({ length }) => length)),
    );
    const line = (cells: readonly string[], fill = " ") =>
      `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0, fill)).join(" | ")} |\n`;
    const all = [
      line(heads),
      line(
        heads.map(() => ""),
        "-",
      ),
      ...rows.map((row) => line(row)),
    ];
    const own = operators.filter(({ isOwn }) => isOwn).map(({ name }) => `\`${name}\``);
    const sentence = `${own.slice(0, -1).join(", ")} and ${own.at(-1)} are for schemas of your own.`;
    const rewrite = (text: string) =>
      text
        .replace(/^\| Operator [^]*?\n(?=\n)/m, () => all.join(""))
        .replace(/^`at_least`.* are for schemas of your own\./m, () => sentence);
    if (process.env.README_UPDATE === "1") rewrites.set(path, rewrite);
    else expect(read(path)).toBe(rewrite(read(path)));
  });

  test("CONTRIBUTING.md shows the file of an operator as it is", () => {
    const [, path = "", shown] =
      /^An operator .*`(src\/[\w/-]+\.ts)`:\n\n```ts\n([^]*?)^```/m.exec(read("CONTRIBUTING.md")) ??
      [];
    expect(shown).toBe(read(path));
  });

  test("errors, with their names", () => {
    const codes = Object.entries(errorNames);
    const named = firstCells("src/service/README.md", "Errors")?.filter((cell) =>
      /^\d{3}$/.test(cell),
    );
    expect(named).toEqual(codes.map(([code]) => code));
    for (const [code, name] of codes) expect(all).toMatch(new RegExp(`\\| ${code} +\\| ${name} `));
  });

  test("rules", () => {
    const groups = { V: 14, C: 21, P: 10, E: 14, R: 2, U: 5 };
    const rules = Object.entries(groups).flatMap(([letter, last]) =>
      Array.from({ length: last }, (_, index) => `${letter}${index + 1}`),
    );
    rules.push("V15", "V16", "V17");
    const named = new Set(all.match(/\b[VCPERU]\d+\b/g));
    expect([...named].sort()).toEqual(rules.sort());
  });
});

describe("they name each value that an entry exports", () => {
  /** What stands in code: a word such as `query` or `batch` in a sentence names no function. */
  const code = all.match(/^```ts\n[^]*?^```|`[^`\n]+`/gm)?.join("\n") ?? "";

  test.each(Object.entries(ENTRIES))("tercet%s", (_, entry) => {
    const names = Object.keys(entry);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });
});

describe("what they point to is there", () => {
  /** The anchor that GitHub gives a heading. */
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/\s/g, "-");
  const anchorsOf = (document: string) =>
    read(document)
      .match(/^#+ .*$/gm)
      ?.map((line) => `#${slug(line.replace(/^#+ /, ""))}`);

  test.each([...DOCUMENTS, ...OTHERS, "bench/RESULTS.md"])("links of %s", (document) => {
    const links = [...read(document).matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)];
    const broken = links.filter(([, path = "", anchor]) => {
      const target = path === "" ? document : join(dirname(document), path);
      if (!existsSync(join(project, target))) return true;
      return anchor !== undefined && !anchorsOf(target)?.includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test.each([...DOCUMENTS, ...OTHERS])("files that %s names", (document) => {
    const paths = [...read(document).matchAll(/`((?:src|test|data|bench)\/[\w./-]+)`/g)];
    expect(
      paths.map(([, path = ""]) => path).filter((path) => !existsSync(join(project, path))),
    ).toEqual([]);
  });

  test("the README leads to every other document", () => {
    const others = DOCUMENTS.filter((document) => document !== "README.md");
    expect(others.filter((document) => !read("README.md").includes(`](${document})`))).toEqual([]);
  });

  test("CONTRIBUTING.md names every folder of src", () => {
    const text = read("CONTRIBUTING.md");
    const folders = readdirSync(join(project, "src")).map((folder) => `\`src/${folder}\``);
    expect(folders.filter((folder) => !text.includes(folder))).toEqual([]);
  });
});
