// Each of a set of broken services is caught by the law that names its mistake. kept.test.ts has the services that keep
// the laws.
//
// TERCET_RUNS sets how many cases each law is run on, TERCET_SEED their seed. TERCET_SEEDS sets in how
// many seeds each mistake must be found, and prints after how many cases it was.

import { describe, expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import { checkService, formatReport, laws, rulesOf } from "../../src/testing/index.ts";
import { RULES } from "../../src/testing/laws/rules.ts";
import { seeds, settings } from "../property.ts";
import { aContact, aFile } from "../rules/fixtures.ts";
import { brokenServices, unbroken } from "./broken.ts";
import { named, testCaught } from "./caught.ts";

const { seed = 20261121 } = settings(5);

const lawOf = named(laws);

describe("a mistake is caught by its law, in each seed, with as many cases as there are by default:", () => {
  testCaught(brokenServices, lawOf, 1);

  test("for each rule there are two, of which each breaks a law about it", () => {
    const broken = brokenServices.map(({ mistake, law, rule }) => {
      const { rules } = lawOf(law);
      expect(rule === undefined ? rules.length === 1 : rules.includes(rule), mistake).toBe(true);
      return rule ?? rules[0];
    });
    const few = RULES.filter((rule) => broken.filter((each) => each === rule).length < 2);
    expect(few).toEqual([]);
  });

  test("every law catches one", () => {
    const caught = new Set(brokenServices.map(({ law }) => law));
    expect(laws.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([]);
  });
});

describe("the rules", () => {
  test("are all asked, and what a check says of each is reported", async () => {
    const report = await checkService(createService, { seed, numRuns: 1 });
    expect(rulesOf(report).filter(({ outcome }) => outcome !== "held")).toEqual([]);
    expect(rulesOf(report).map(({ rule }) => rule)).toEqual(RULES);

    const wrong = (data: object) =>
      createService({ ...data, compatibility: { zeroLimit: "unlimited" } });
    const law = "limit 0 gives nothing";
    const rules = rulesOf(await checkService(wrong, { seed, law }));
    expect(rules.find(({ rule }) => rule === "P5")).toEqual({
      rule: "P5",
      outcome: "failed",
      laws: [law],
    });
    expect(rules.find(({ rule }) => rule === "V1")?.outcome).toBe("not asked");
  });
});

describe("a report", () => {
  const ties = lawOf("ties keep insertion order in both directions");
  const make = brokenServices[0]?.make ?? unbroken;

  test("names the law, its rules, the smallest case, and how to see it again", async () => {
    const { outcome, reason, counterexample, path } = await ties.report(make, { seed });
    expect(outcome).toBe("failed");
    expect(reason).toMatch(/^equal, and turned round: \[\S+, \S+\]/);
    // Two records are the fewest that can be turned round.
    expect(counterexample).toMatch(/sortBy/);
    await expect(ties.check(make, { seed })).rejects.toThrow(
      `await checkService(make, { seed: ${seed}, path: ${JSON.stringify(path)}, law: `,
    );
  });

  test("its case has no record, member or value that the failure does not need", async () => {
    const make = (data: object) =>
      createService({ ...data, compatibility: { zeroLimit: "unlimited" } });
    expect((await lawOf("limit 0 gives nothing").report(make, { seed: 2 })).counterexample).toBe(
      [
        'files: [{"id":0,"folder_id":0,"name":""}]',
        'operation: ["searchFiles"]',
        'asked: {"query":{},"zero":0}',
      ].join("\n"),
    );
  });

  // The smallest cases follow from the mistakes: one record that is null, and of two records one that is.
  test.each([
    ["not selects no null", 1, /^asked: \{"at":\{"field":"\w+","value":""\},"isNull":false\}$/m],
    [
      "null is ordered last",
      2,
      /^asked: \[\{"criteria":null,"sortBy":"\w+","sortOrder":"ASC"\}\]$/m,
    ],
  ])("its case is minimal in each seed where %s", async (mistake, count, asked) => {
    const { law, make } = named(brokenServices.map((each) => ({ ...each, name: each.mistake })))(
      mistake,
    );
    const contact = String.raw`\{"send_id":0,"contact_id":0,"contact_email":""(?:,"\w+":(?:0|""))?\}`;
    const contacts = Array.from({ length: count }, () => contact).join(",");
    const data = String.raw`^batches: \[\{"id":0,"lists":\[\{"id":0,"contacts":\[${contacts}\]\}\]\}\]$`;
    for (const each of [8, ...seeds(0)]) {
      const { counterexample } = await lawOf(law).report(make, { seed: each });
      expect(counterexample, `seed ${each}`).toMatch(new RegExp(data, "m"));
      expect(counterexample, `seed ${each}`).toMatch(asked);
    }
  });

  test("its case is one that a correct service passes, whatever is removed from its data", async () => {
    const law = "a number that no double has is refused, and never rounded";
    const { make } = named(brokenServices.map((each) => ({ ...each, name: each.mistake })))(
      "an infinite limit is none",
    );
    for (const each of [1, ...seeds(0)]) {
      const operations = ["getBatchContacts"] as const;
      const { reason } = await lawOf(law).report(make, { seed: each, operations });
      expect(reason, `seed ${each}`).toMatch(/expected id 1, error 310, got id 1, result/);
    }
  });

  test("its seed and path show the same failure alone", async () => {
    const first = await ties.report(make, { seed });
    const again = await ties.report(make, { seed: first.seed, path: first.path });
    expect(again).toEqual({ ...first, runs: 1, path: again.path, again: again.again });
  });

  test("whatever a service does, a check does not throw", async () => {
    const fail = () => {
      throw new Error("out of order");
    };
    for (const service of [
      { searchFiles: fail, getBatchContacts: fail },
      { searchFiles: () => 5, getBatchContacts: () => null },
      fail,
    ]) {
      const report = await checkService(service, { seed, numRuns: 2 });
      expect(report.passed).toBe(false);
      expect(formatReport(report)).toContain("failed: ");
    }
  });

  test("a service as it is, is asked about its own records", async () => {
    const service = createService({
      files: [3, 1, 2].map((id) => aFile(id, { size: id % 2 })),
      batches: [{ id: 7, lists: [{ id: 1, contacts: [1, 2, 3].map((id) => aContact(id)) }] }],
      authenticate: (key) => key === "secret",
    });
    const options = { seed, numRuns: 5, batchIds: [7], apiKey: "secret" };
    const { passed, laws: reports } = await checkService(service, options);
    expect(passed).toBe(true);
    expect(reports.filter(({ outcome }) => outcome !== "passed").map(({ name }) => name)).toEqual([
      "every record that was given is there, in the form and the order given",
      "List Fields leave the Contact fields as they are, whatever their names",
      "a Batch is an object by the ids of its Lists, whatever these are",
      "the data that it is made of is neither changed nor kept",
      "data that is not valid is refused",
      "null in the data is a value, and not one that was left out",
      "an integer that is loaded has one spelling",
      "ties keep insertion order among many records, too",
      "after an update, queries answer from the new records",
      "a Contact that is inserted comes last, whatever its List",
      "the names of a File follow the one that is changed",
    ]);
    expect(service.files.size).toBe(3);
  });
});
