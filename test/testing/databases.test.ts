// Each of a set of broken databases is caught by the law that names its mistake; tercet's own databases, in memory and over
// SQLite, keep them all (C20, C21).

import { describe, expect, test } from "vitest";
import {
  checkDatabase,
  databaseLaws,
  formatReport,
  referenceDatabase,
  rulesOf,
} from "../../src/testing/index.ts";
import { DATABASE_RULES } from "../../src/testing/laws/rules.ts";
import { settings } from "../property.ts";
import { onEngine } from "../engines/on-engine.ts";
import { brokenDatabases } from "./broken-databases.ts";
import { named, testCaught } from "./caught.ts";
import { inMemory, overSql } from "./sql-database.ts";

const { numRuns, seed } = settings(3);

const lawOf = named(databaseLaws);

describe.each([
  ["createDatabase", inMemory],
  ["referenceDatabase", referenceDatabase],
])("%s", (_, make) => {
  test("keeps the laws, and each rule is asked about", async () => {
    const report = await checkDatabase(make, { seed, numRuns });
    expect(report.passed, formatReport(report)).toBe(true);
    expect(rulesOf(report).filter(({ outcome }) => outcome !== "held")).toEqual([]);
    expect(rulesOf(report).map(({ rule }) => rule)).toEqual(DATABASE_RULES);
  });
});

onEngine("SQLite", (engine) => {
  test("createSqlDatabase keeps the laws that concern no changes", async () => {
    const report = await checkDatabase(overSql(engine), { seed, numRuns, shrink: false });
    expect(report.passed, formatReport(report)).toBe(true);
    const lacking = report.laws.filter(({ outcome }) => outcome !== "passed");
    expect(new Set(lacking.map(({ reason }) => reason))).toEqual(
      new Set(["needs countBy", "needs histogram", "needs update"]),
    );
  });
});

describe("a mistake is caught by its law, in each seed, with as many cases as there are by default:", () => {
  testCaught(brokenDatabases, lawOf, 2);

  test("of C20 and C21 there are several, of which each breaks a law about it", () => {
    for (const { law, rule, mistake } of brokenDatabases) {
      expect(lawOf(law).rules, mistake).toContain(rule);
    }
    const only = databaseLaws.filter(({ rules }) => rules.every((rule) => /^C2[01]$/.test(rule)));
    const caught = new Set(brokenDatabases.map(({ law }) => law));
    expect(only.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([]);
  });
});
