// The README's code blocks. Each of them is run, and what it prints is compared with what the
// README says that it prints:
//
// - `ts`: a part of a program. The `ts` blocks below one `##` heading are one program, in order.
//   They are type-checked, so that `@ts-expect-error` proves what is said about compile errors.
// - `text`: what the `ts` block right above it prints. A `ts` block without one prints nothing.
// - `console`: commands after `$ `, each followed by what it prints on stdout and stderr.
// - `json`: a Batch, as `tercet contacts` reads it.
//
// Any other block fails. README_UPDATE=1 writes what is printed into the README instead.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createService, type BatchInput } from "../src/index.ts";
import { operatorNames } from "../src/criteria/operators.ts";
import { errorNames } from "../src/service/errors.ts";

const project = resolve(import.meta.dirname, "..");
const readmeFile = join(project, "README.md");
const readme = readFileSync(readmeFile, "utf8");

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

const blocks = readBlocks(readme);
const programs = readPrograms(blocks);
const of = (language: string) => blocks.filter((block) => block.language === language);

const cache = join(project, "node_modules/.cache/tercet");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "readme-"));
const binaries = join(folder, "bin");

/** Printed between the parts of a program. */
const MARK = "\u0001";

const programName = (section: string) => section.toLowerCase().replace(/\W+/g, "-");

beforeAll(async () => {
  for (const [section, parts] of programs) {
    const code = parts.map(({ code: { text } }) => `${text}\nconsole.log("${MARK}");\n`).join("");
    writeFileSync(join(folder, `${programName(section)}.mts`), code);
  }
  const entries = {
    tercet: join(project, "src/index.ts"),
    "tercet/synthetic": join(project, "src/synthetic/index.ts"),
    "tercet/testing": join(project, "src/testing/index.ts"),
  };
  const paths = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, [file]]));
  const tsconfig = {
    extends: join(project, "tsconfig.json"),
    compilerOptions: { paths, typeRoots: [join(project, "node_modules/@types")] },
    include: ["*.mts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  const common = { bundle: true, platform: "node", target: "node20", logLevel: "silent" } as const;
  await build({
    ...common,
    entryPoints: programs.map(([section]) => join(folder, `${programName(section)}.mts`)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    alias: entries,
    external: ["fast-check"],
  });
  await build({
    ...common,
    entryPoints: [join(project, "src/cli/main.ts")],
    outfile: join(binaries, "tercet"),
    format: "cjs",
  });
});

/** What the blocks should hold, where they are to be written anew. */
const updates = new Map<Block, string>();

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  if (updates.size === 0) return;
  const lines = readme.split("\n");
  for (const [{ start, end }, text] of [...updates].sort(([a], [b]) => b.start - a.start)) {
    lines.splice(start + 1, end - start - 1, ...(text === "" ? [] : text.split("\n")));
  }
  writeFileSync(readmeFile, lines.join("\n"));
});

function expectPrinted(block: Block | undefined, expected: string, printed: string): void {
  if (process.env.README_UPDATE === "1" && block !== undefined) updates.set(block, printed);
  else expect(printed).toBe(expected);
}

test("its programs type-check", () => {
  const { stdout } = spawnSync(
    process.execPath,
    [join(project, "node_modules/typescript/bin/tsc"), "--project", folder],
    { encoding: "utf8" },
  );
  expect(stdout).toBe("");
});

test.each(programs)("%s: the program prints what it says", (section, parts) => {
  const printed = execFileSync(process.execPath, [join(folder, `${programName(section)}.mjs`)], {
    cwd: project,
    encoding: "utf8",
    timeout: 30_000,
  }).split(`${MARK}\n`);
  expect(printed).toHaveLength(parts.length + 1);
  for (const [index, { prints }] of parts.entries()) {
    expectPrinted(prints, prints?.text ?? "", (printed[index] ?? "").trimEnd());
  }
});

const named = (block: Block) => [`${block.section}, line ${block.start + 1}`, block] as const;

test.each(of("console").map(named))("%s: the commands print what it says", (_, block) => {
  const shown = readCommands(block).map(({ line, prints }) => {
    const { stdout } = spawnSync("sh", ["-c", `{ ${line}\n} 2>&1`], {
      cwd: project,
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
  expectPrinted(block, join("said"), join("printed"));
});

test.each(of("json").map(named))("%s: the JSON is a Batch", (_, { text }) => {
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

describe("its tables are complete", () => {
  /** The first cells of the rows of the table under a heading. */
  const firstCells = (heading: string) =>
    (readme.split(`\n### ${heading}\n`)[1] ?? "")
      .split(/\n#/)[0]
      ?.match(/^\| [^|]+(?= \|)/gm)
      ?.map((cell) => cell.slice(2).trim())
      .filter((cell) => !cell.startsWith("-"))
      .slice(1);

  test("operators", () => {
    expect(firstCells("Operators")).toEqual(operatorNames.map((name) => `\`${name}\``));
  });

  test("errors, with their names", () => {
    const codes = Object.entries(errorNames);
    const named = firstCells("Errors")?.filter((cell) => /^\d{3}$/.test(cell));
    expect(named).toEqual(codes.map(([code]) => code));
    for (const [code, name] of codes)
      expect(readme).toMatch(new RegExp(`\\| ${code} +\\| ${name} `));
  });

  test("rules", () => {
    const groups = { V: 8, C: 11, P: 8, E: 12, R: 2 };
    const rules = Object.entries(groups).flatMap(([letter, last]) =>
      Array.from({ length: last }, (_, index) => `${letter}${index + 1}`),
    );
    const named = new Set(readme.match(/\b[VCPER]\d+\b/g));
    expect([...named].sort()).toEqual(rules.sort());
  });
});

describe("what it points to is there", () => {
  test("headings", () => {
    const anchors = readme
      .match(/^#+ .*$/gm)
      ?.map((line) => `#${line.replace(/^#+ /, "").toLowerCase().replace(/\W+/g, "-")}`);
    const links = [...readme.matchAll(/\]\((#[^)]*)\)/g)].map(([, link]) => link);
    expect(links).not.toHaveLength(0);
    expect(links.filter((link) => !anchors?.includes(link ?? ""))).toEqual([]);
  });

  test.each(["README.md", "CONTRIBUTING.md"])("files that %s names", (name) => {
    const text = readFileSync(join(project, name), "utf8");
    const paths = [...text.matchAll(/`((?:src|test|data)\/[\w./-]+)`/g)].map(([, path]) => path);
    expect(paths).not.toHaveLength(0);
    expect(paths.filter((path) => !existsSync(join(project, path ?? "")))).toEqual([]);
  });

  test("rooms that CONTRIBUTING.md names are the rooms of the house", () => {
    const text = readFileSync(join(project, "CONTRIBUTING.md"), "utf8");
    const rooms = readdirSync(join(project, "src")).map((room) => `\`src/${room}\``);
    expect(rooms.filter((room) => !text.includes(room))).toEqual([]);
  });
});
