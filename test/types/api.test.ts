// The public names: a changed name or signature changes a report in `api`, every name has a comment, and no hover is
// too long to read.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENTRIES, extract, reportOf, unpackSurface, type Surface } from "./api.ts";

let surface: Surface;
beforeAll(() => {
  surface = unpackSurface();
}, 300_000);
afterAll(() => surface.remove());

/** What hovering over each exported name of an entry shows. */
interface Hover {
  readonly name: string;
  readonly lines: number;
  readonly comment: string;
}

/** The hovers of all entries: one language service for all, which reads the library's own types once. */
function readHovers(): [entry: string, Hover[]][] {
  const main = join(surface.folder, "main.ts");
  let text = "";
  let version = 0;
  const service = ts.createLanguageService({
    getScriptFileNames: () => [main],
    getScriptVersion: (file) => (file === main ? String(version) : "1"),
    getScriptSnapshot: (file) => {
      const content = file === main ? text : ts.sys.readFile(file);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => surface.folder,
    getCompilationSettings: () => ({
      ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, types: [] },
      strict: true,
    }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (file) => ts.sys.fileExists(file),
    readFile: (file) => ts.sys.readFile(file),
  });
  const exported = ENTRIES.map((entry) => `export * as ${entry}_ from "./${entry}/index.js";`);
  write(exported.join("\n"));
  const program = service.getProgram();
  const checker = program?.getTypeChecker();
  const source = program?.getSourceFile(main);
  const module = source && checker?.getSymbolAtLocation(source);
  if (checker === undefined || module === undefined) throw new Error("there is no program");
  const names = checker.getExportsOfModule(module).map((entry) => ({
    entry: entry.name.slice(0, -1),
    exports: checker.getExportsOfModule(checker.getAliasedSymbol(entry)).map(({ name }) => name),
  }));
  write(
    names
      .map(({ entry, exports }) => {
        const imported = exports.map((name) => `type ${name} as ${entry}_${name}`);
        return `import { ${imported.join(", ")} } from "./${entry}/index.js";`;
      })
      .join("\n"),
  );
  return names.map(({ entry, exports }) => [
    entry,
    exports.map((name) => hoverOver(name, text.indexOf(`type ${name} as ${entry}_`) + 5)),
  ]);

  function write(next: string): void {
    text = next;
    version++;
  }

  function hoverOver(name: string, position: number): Hover {
    const info = service.getQuickInfoAtPosition(main, position);
    const comment = ts.displayPartsToString(info?.documentation);
    const tags = info?.tags?.map((tag) => ts.displayPartsToString(tag.text)) ?? [];
    const shown = [ts.displayPartsToString(info?.displayParts), comment, ...tags];
    const lines = (SHOWS_ITS_MEMBERS.has(name) ? shown.slice(1) : shown)
      .filter((part) => part !== "")
      .join("\n")
      .split("\n").length;
    return { name, lines, comment };
  }
}

/** Their hovers list the fields of Files and Contacts, or the cases of a union: only their comments are counted. */
const SHOWS_ITS_MEMBERS = new Set([
  ...[
    "Contact",
    "File",
    "BatchContactCollection",
    "BatchContactInput",
    "BatchContacts",
    "ContactInput",
  ],
  ...["ContactRecord", "FileInput", "FileRecord", "Files", "GetBatchContactsParameters"],
  ...["GetBatchContactsResult", "SearchFilesParameters", "SearchFilesResult", "errorNames"],
  ...[
    "ImportOf",
    "ReferenceCollection",
    "ReferenceService",
    "JsonRpcResponse",
    "LiveAnswer",
    "LiveAsk",
  ],
]);

test("every public name has a comment, and its hover at most ten lines", () => {
  const hovers = readHovers();
  expect(hovers.map(([, of]) => of.length > 2)).toEqual(ENTRIES.map(() => true));
  const found = hovers.flatMap(([entry, of]) =>
    of.flatMap(({ name, lines, comment }) => [
      ...(comment === "" ? [`${entry}: ${name} has no comment`] : []),
      ...(lines > 10 ? [`${entry}: ${name} has a hover of ${lines} lines`] : []),
    ]),
  );
  expect(found).toEqual([]);
});

describe("the reports in `test/api` are those of the public names; README_UPDATE=1 writes them", () => {
  let report: ReturnType<typeof extract>;
  beforeAll(() => {
    report = extract(surface);
  });

  test.each(ENTRIES)("%s", (entry) => {
    const path = reportOf(entry);
    if (process.env.README_UPDATE === "1") writeFileSync(path, report(entry));
    else expect(existsSync(path) ? readFileSync(path, "utf8") : "").toBe(report(entry));
  });
});
