// What a library that uses the package must be able to declare: each inferred type has a name that the library can
// import.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lazily } from "../lazily.ts";
import { packed } from "../packed.ts";
import { annotatedLibrary, inferredLibrary, libraryOptions } from "../typed-library.ts";

const project = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "tercet-declarations-"));
const ENTRIES = ["", "/import", "/synthetic", "/testing", "/faults", "/arrow", "/sql", "/store"];

beforeAll(() => {
  mkdirSync(join(folder, "node_modules"));
  execFileSync("tar", ["xzf", packed().tarball, "-C", join(folder, "node_modules")]);
  symlinkSync("package", join(folder, "node_modules/tercet"));
  for (const name of ["fast-check", "pure-rand"]) {
    symlinkSync(join(project, "node_modules", name), join(folder, "node_modules", name));
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { options, errors } = ts.convertCompilerOptionsFromJson(
  { ...libraryOptions, module: "NodeNext", outDir: join(folder, "out") },
  folder,
);

/** What was read of the package and of the language, for all programs. */
const read = new Map<string, ts.SourceFile | undefined>();

function compile(text: string, more: ts.CompilerOptions = {}): ts.Program {
  const file = join(folder, "library.ts");
  writeFileSync(file, text);
  // Packages are linked to, and their dependencies stand beside them here.
  const all = { ...options, preserveSymlinks: true, ...more };
  const host = ts.createCompilerHost(all);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...given) => {
    if (path === file) return getSourceFile(path, ...given);
    if (!read.has(path)) read.set(path, getSourceFile(path, ...given));
    return read.get(path);
  };
  return ts.createProgram([file], all, host);
}

/** What is wrong with a program, declarations included. */
function problemsOf(program: ts.Program): string[] {
  expect(errors).toEqual([]);
  const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  const messages = found.map(
    ({ code, messageText }) => `TS${code} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  );
  return [...new Set(messages)];
}

describe("a library compiles with declarations", () => {
  test("whose types are inferred", () => {
    expect(problemsOf(compile(inferredLibrary))).toEqual([]);
  });

  test("whose types are written, so that each file can be declared alone", () => {
    expect(problemsOf(compile(annotatedLibrary, { isolatedDeclarations: true }))).toEqual([]);
  });
});

const everyEntry = lazily(() =>
  compile(ENTRIES.map((entry, i) => `export * as entry${i} from "tercet${entry}";`).join("\n")),
);

/**
 * Programs over what an entry exports: one with each function, which imports nothing else, and one with a function
 * over each type that returns each of its members.
 */
function programsOver(entry: string): string[] {
  const program = everyEntry();
  const checker = program.getTypeChecker();
  const exportsOf = (of: ts.Symbol) => checker.getExportsOfModule(of);
  const source = program.getSourceFile(join(folder, "library.ts"));
  const module = source && checker.getSymbolAtLocation(source);
  const namespace = module && exportsOf(module)[ENTRIES.indexOf(entry)];
  if (namespace === undefined) throw new Error(`tercet${entry} exports nothing`);
  const exported = exportsOf(checker.getAliasedSymbol(namespace));
  const names = new Set(exported.map(({ name }) => name));
  const imported = `import type * as entry from "tercet${entry}";`;
  const functions = [imported];
  const types = [imported, `import type * as index from "tercet";`];
  const add = (lines: string[], line: string) =>
    lines.push(`export const v${lines.length} = ${line};`);

  /** The parameters of a type, with their constraints as this file has to write them. */
  const parametersOf = (declared: readonly ts.TypeParameterDeclaration[]) => {
    const own = new Set(declared.map(({ name }) => name.text));
    const qualified = (text: string) =>
      text.replace(/\b[A-Z]\w+\b/g, (name) =>
        own.has(name) || /^(?:Iterable|Readonly|Record)$/.test(name)
          ? name
          : `${names.has(name) ? "entry" : "index"}.${name}`,
      );
    return declared.map(({ name, constraint }) =>
      constraint === undefined
        ? name.text
        : `${name.text} extends ${qualified(constraint.getText())}`,
    );
  };

  for (const { name } of exported) {
    const found = exported.find((each) => each.name === name);
    if (found === undefined) continue;
    const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
    if (symbol.flags & ts.SymbolFlags.Function) {
      add(functions, `(given: ReturnType<typeof entry.${name}>) => given`);
      add(functions, `(...given: Parameters<typeof entry.${name}>) => given`);
    }
    const declaration = symbol.declarations?.find(
      (each) =>
        ts.isInterfaceDeclaration(each) ||
        ts.isClassDeclaration(each) ||
        ts.isTypeAliasDeclaration(each),
    );
    if (declaration === undefined) continue;
    const parameters = parametersOf(declaration.typeParameters ?? []);
    const given = (declaration.typeParameters ?? []).map((each) => each.name.text);
    const [over, of] = [parameters, given].map((list) =>
      list.length === 0 ? "" : `<${list.join(", ")}>`,
    );
    // Reducing a criterion names all that there are eight times, which is more than the compiler writes out.
    const isPublic = ({ name: member, valueDeclaration }: ts.Symbol) =>
      /^(?!reduce)[a-z]\w*$/i.test(member) &&
      (valueDeclaration === undefined ||
        (ts.getCombinedModifierFlags(valueDeclaration) & ts.ModifierFlags.Private) === 0);
    const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
    const all = members.filter(isPublic).map((each) => `${each.name}: it.${each.name}`);
    // Each alone: a method of a list of criteria writes out all elements that there may be.
    add(types, `${over}(it: entry.${name}${of}) => it`);
    for (const each of all) add(types, `${over}(it: entry.${name}${of}) => ({ ${each} })`);
  }
  const programs = [functions, types];
  expect(Math.min(...programs.map(({ length }) => length))).toBeGreaterThan(2);
  return programs.map((lines) => lines.join("\n"));
}

/** What is wrong with the programs over each entry, declarations included: the lines that the compiler in Go prints. */
const problems = lazily(() => {
  const over = join(folder, "over");
  mkdirSync(over);
  for (const entry of ENTRIES) {
    for (const [i, text] of programsOver(entry).entries()) {
      writeFileSync(join(over, `${entry.slice(1)}-${i}.ts`), text);
    }
  }
  const compilerOptions = { ...libraryOptions, skipLibCheck: true, preserveSymlinks: true };
  const settings = { compilerOptions: { ...compilerOptions, module: "NodeNext", outDir: "out" } };
  writeFileSync(join(over, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(project, "node_modules/typescript-7/bin/tsc");
  const run = [compiler, "--project", over, "--pretty", "false"];
  return spawnSync(process.execPath, run, { cwd: over, encoding: "utf8" }).stdout.split("\n");
});

describe("the compiler can name what it infers from each type and function of", () => {
  test.each(ENTRIES)("tercet%s", (entry) => {
    expect(problems().filter((line) => line.startsWith(`${entry.slice(1)}-`))).toEqual([]);
  });

  test("nothing else is wrong", () => {
    expect(problems()).toEqual([""]);
  });
});
