// What a mutation run says of the list of survivors.

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  compare,
  faultsOf,
  readReport,
  revise,
  type KnownSurvivors,
  type Mutant,
} from "./survivors.ts";

const source = `// How long a text is.
export function isLong(text: string): boolean {
  return text.length > 80;
}
`;

/** The report of a source in which `>` was changed, and `80 …` over two lines. */
const reportOf = (text: string, status: "Survived" | "Killed" = "Survived") => {
  const line = text.split("\n").findIndex((each) => each.includes("> 80")) + 1;
  return readReport({
    language: "typescript",
    source: text,
    mutants: [
      {
        id: "1",
        mutatorName: "EqualityOperator",
        replacement: "text.length >= 80",
        status,
        location: { start: { line, column: 10 }, end: { line, column: 26 } },
      },
      {
        id: "2",
        mutatorName: "BlockStatement",
        replacement: "{}",
        status: "Killed",
        location: { start: { line: line - 1, column: 47 }, end: { line: line + 1, column: 2 } },
      },
    ],
  });
};

const survivor: Mutant = {
  mutator: "EqualityOperator",
  code: "return «text.length > 80»;",
  replacement: "text.length >= 80",
};
const known = [{ reason: "80 characters are as good as 81", mutants: [survivor] }];

test("a survivor is known by what it changes, wherever its line moves", () => {
  const { survivors, mutants, detected } = reportOf(source);
  expect(survivors).toEqual([survivor]);
  expect([mutants, detected]).toEqual([2, 1]);
  expect(compare(survivors, known)).toEqual({ unlisted: [], stale: [] });
  expect(compare(reportOf(`\n\n// Moved.\n${source}`).survivors, known).stale).toEqual([]);
});

test("a survivor that is not listed is named", () => {
  expect(compare(reportOf(source).survivors)).toEqual({ unlisted: [survivor], stale: [] });
});

test("an entry whose mutant is detected, or whose line has changed, is stale", () => {
  expect(compare(reportOf(source, "Killed").survivors, known).stale).toEqual([survivor]);
  const changed = reportOf(source.replace("text.length", "text .length")).survivors;
  expect(compare(changed, known).stale).toEqual([survivor]);
});

test("one entry stands for one of two survivors on equal lines", () => {
  expect(compare([survivor, survivor], known).unlisted).toEqual([survivor]);
  expect(compare([survivor], [...known, ...known]).stale).toEqual([survivor]);
});

test("writing the list keeps the reasons of what is left, and leaves those of new ones empty", () => {
  const other: Mutant = { ...survivor, replacement: "true" };
  const report = { mutants: 5, detected: 3, survivors: [other, survivor] };
  expect(revise(report, [...known, { reason: "no more", mutants: [other, other] }])).toEqual({
    mutants: 5,
    detected: 3,
    survivors: [...known, { reason: "no more", mutants: [other] }],
  });
  expect(revise({ ...report, survivors: [] }, known).survivors).toEqual([
    { ...known[0], mutants: [] },
  ]);
  expect(revise({ ...report, survivors: [other] }).survivors).toEqual([
    { reason: "", mutants: [other] },
  ]);
});

test("an empty reason is a fault, and so is one that no mutant has", () => {
  expect(faultsOf(known)).toEqual([]);
  expect(faultsOf([{ reason: "", mutants: [survivor] }])).toEqual([
    "mutants without a reason: EqualityOperator: return «text.length > 80»; → text.length >= 80",
  ]);
  expect(faultsOf([{ reason: "no more", mutants: [] }])).toEqual([
    "a reason without mutants: no more",
  ]);
});

test("each file of the list is there", () => {
  const list = JSON.parse(
    readFileSync(new URL("survivors.json", import.meta.url), "utf8"),
  ) as KnownSurvivors;
  const root = new URL("../../", import.meta.url);
  expect(Object.keys(list).filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
});
