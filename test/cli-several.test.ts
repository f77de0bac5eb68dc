// Several tables as one on the command line, and completion, which follows the program's own definition.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "tercet-several-"));
const at = (name: string) => join(folder, name);

beforeAll(() => {
  writeFileSync(at("a.csv"), "id,city,total\n1,Bern,5\n2,Basel,7\n");
  writeFileSync(at("b.csv"), "total,id,city\n1.5,3,Chur\n9,4,\n");
  writeFileSync(at("notes.txt"), "not a table");
  mkdirSync(at("below.csv"));
  mkdirSync(at("empty"));
  mkdirSync(at("other"));
  writeFileSync(join(folder, "other", "town.csv"), "id,town\n1,x\n");
  writeFileSync(join(folder, "other", "text.csv"), "id,city,total\n1,Bern,five\n");
  writeFileSync(join(folder, "other", "more.csv"), "id,city,total,x\n1,Bern,5,6\n");
});

const run = (...words: string[]) => runCommand(words);

const ALL = [
  { id: 4, city: null, total: 9 },
  { id: 2, city: "Basel", total: 7 },
  { id: 1, city: "Bern", total: 5 },
  { id: 3, city: "Chur", total: 1.5 },
];

describe("several tables", () => {
  test.each([
    ["files", () => [at("a.csv"), at("b.csv")]],
    ["a folder", () => [folder]],
    ["a pattern", () => [at("?.csv")]],
    ["a pattern with a star", () => [at("*.csv")]],
  ])("are one table: %s", async (_what, places) => {
    const { out, err } = await run("query", ...places(), "--sort", "total", "--json");
    expect(JSON.parse(out)).toEqual(ALL);
    expect(err).toContain("types inferred: id int, city string or null, total float");
  });

  test("are sorted by fields with commas between, a later one among equal values", async () => {
    writeFileSync(at("other/ties.csv"), 'id,"a,b",c\n1,x,1\n2,y,2\n3,x,3\n');
    const ids = async (...sort: string[]) => {
      const words = sort.flatMap((each) => ["--sort", each]);
      const { out } = await run("query", at("other/ties.csv"), ...words, "--json");
      return (JSON.parse(out) as { id: number }[]).map(({ id }) => id);
    };
    expect(await ids("a,b:ASC", "c")).toEqual([3, 1, 2]);
    expect(await ids("c,id")).toEqual([3, 2, 1]);
    expect(await ids("c:ASC,id")).toEqual([1, 2, 3]);
  });

  test.each([
    ["other/town.csv", 'lacks the field "city"'],
    ["other/text.csv", '"total" is of type string'],
    ["other/more.csv", 'has the field "x"'],
  ])("with other fields are refused: %s", async (name, reason) => {
    const { err, code } = await run("query", at("a.csv"), at(name));
    expect(err).toContain(
      `${at(name)}: ${reason}; ${at("a.csv")} has id int, city string, total int; --schema FILE sets the types of all`,
    );
    expect(code).toBe(2);
  });

  test("that are not there are refused", async () => {
    for (const place of [at("empty"), at("x*.csv")]) {
      const { err, code } = await run("query", place);
      expect([err, code]).toEqual([`tercet: ${place}: there are no tables\n`, 2]);
    }
  });

  test("name the file of a record that does not fit a given schema", async () => {
    const schema = at("schema.json");
    writeFileSync(schema, '{"fields":{"id":{"type":"int","unique":true},"city":{"type":"string","nullable":true},"total":{"type":"float"}}}'); // oxfmt-ignore
    const { out } = await run("query", at("a.csv"), at("b.csv"), "--schema", schema, "--count");
    expect(out).toBe("4\n");
    const { err } = await run("query", at("a.csv"), at("a.csv"), "--schema", schema, "--count");
    expect(err).toContain(`${at("a.csv")}: records[2]`);
  });
});

describe("completion", () => {
  const complete = (script: string, ...words: string[]) =>
    execFileSync(
      "bash",
      ["-c", `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tercet; printf '%s\\n' "\${COMPREPLY[@]}"`, "bash", "tercet", ...words], // oxfmt-ignore
      { encoding: "utf8", cwd: at("empty") },
    )
      .split("\n")
      .filter((word) => word !== "");

  test("in bash offers the commands, and the options of each", async () => {
    const { out: script } = await run("completion", "bash");
    expect(complete(script, "co")).toEqual(["contacts", "completion"]);
    expect(complete(script, "query", "--su")).toEqual(["--summary", "--summarize"]);
    expect(complete(script, "query", "x.csv", "--where", "a", "b", "c", "--co")).toContain(
      "--count",
    );
    expect(complete(script, "store", "")).toEqual(["check", "repair", "backup", "--help"]);
    expect(complete(script, "sql", "tables", "--f")).toEqual(["--files-index"]);
    expect(complete(script, "query", "--nothing")).toEqual([]);
  });

  test.each(["bash", "zsh", "fish"])("in %s has every option of the help", async (shell) => {
    const { out: script } = await run("completion", shell);
    for (const command of ["query", "files", "import", "check", "sql"]) {
      const { out: help } = await run(command, "--help");
      const options = [...help.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(
        ([, name]) => name ?? "",
      );
      expect(options.length).toBeGreaterThan(3);
      const dashes = shell === "fish" ? "-l " : "--";
      for (const option of options) expect(script).toContain(`${dashes}${option}`);
    }
  });

  test("in other shells is refused", async () => {
    const { err, code } = await run("completion", "ksh");
    expect(err).toContain('completion: "ksh" is not one of bash, zsh, fish');
    expect(code).toBe(2);
  });
});

test("the help of query begins with --where, in groups", async () => {
  const { out } = await run("query", "--help");
  expect([...out.matchAll(/^[A-Z].*:$/gm)].map(([heading]) => heading)).toEqual([
    ...["Arguments:", "Which records, in which order:", "Counts and groups:", "Output:"],
    ...["Reading:", "Types:", "Other tables:", "Options:", "Examples:"],
  ]);
  expect(/^ {2}--[\w-]+/m.exec(out)?.[0]).toBe("  --where");
});
