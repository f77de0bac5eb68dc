// `tercet query --reference`: tables of any format as a database, whose questions name fields of the other records.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createCollection, createDatabase, defineSchema, int, string } from "../src/index.ts";
import { createStore } from "../src/store/index.ts";
import { runCommand } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "tercet-references-"));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const REGION = ["--reference", "customer.region=regions.ndjson:code"];
const CUSTOMER = ["--reference", "customer=customers.csv:id"];

beforeEach(() => {
  writeFileSync(at("orders.csv"), "id,customer,total\n10,1,70\n11,2,20\n12,1,50\n13,,5\n");
  writeFileSync(at("customers.csv"), "id,name,country,region,boss\n1,Ann,AU,n,\n2,Bob,NZ,,1\n");
  writeFileSync(at("regions.ndjson"), '{"code":"n","label":"North"}\n{"code":"s","label":"South"}\n');
}); // oxfmt-ignore

const run = (...words: string[]) => runCommand(["query", ...words], { cwd: folder });

/** The records of a query. */
async function rows(...words: string[]): Promise<unknown> {
  const { code, out, err } = await run(...words, "--json");
  if (code !== 0) throw new Error(err);
  return JSON.parse(out);
}

describe("fields of other records", () => {
  test("stand in criteria, sorts and selections", async () => {
    const asked = ["--select", "id,customer.name,customer.region.label", "--sort", "customer.name"];
    const found = await rows("orders.csv", ...REGION, ...CUSTOMER, ...asked);
    expect(found).toEqual([
      { id: 11, "customer.name": "Bob", "customer.region.label": null },
      { id: 10, "customer.name": "Ann", "customer.region.label": "North" },
      { id: 12, "customer.name": "Ann", "customer.region.label": "North" },
      { id: 13, "customer.name": null, "customer.region.label": null },
    ]);
    const ids = await rows("orders.csv", ...CUSTOMER, "--select", "id", "--where", "customer.country", "in", "AU,US"); // oxfmt-ignore
    expect(ids).toEqual([{ id: 10 }, { id: 12 }]);
    const nested = '[["total","at_least",10],["NOT",[["customer.country","exactly","AU"]]]]';
    expect(await rows("orders.csv", ...CUSTOMER, "--criteria", nested)).toEqual([
      { id: 11, customer: 2, total: 20 },
    ]);
  });

  test("are counted, grouped and summarized", async () => {
    const asked = (...words: string[]) => rows("orders.csv", ...CUSTOMER, ...words);
    expect(await asked("--count-by", "customer.country", "--summarize", "total")).toMatchObject([
      { value: "AU", count: 2, sum: 120 },
      { value: null, count: 1, sum: 5 },
      { value: "NZ", count: 1, sum: 20 },
    ]);
    const grouped = ["--group-by", "customer.country,customer.name", "--measure", "sum=sum:total"];
    expect(await asked(...grouped, "--sort", "sum", "--limit", "1")).toEqual([
      { "customer.country": "AU", "customer.name": "Ann", sum: 120 },
    ]);
    const key = '{"field":"customer.name","prefix":1,"as":"letter"}';
    const most = ["--group-by", key, "--measure", "most=maximum:customer.id", "--sort", "letter:ASC"]; // oxfmt-ignore
    expect(await asked(...most)).toEqual([
      { letter: null, most: null },
      { letter: "A", most: 1 },
      { letter: "B", most: 2 },
    ]);
    expect(await asked("--histogram", "customer.id", "--bins", "2")).toMatchObject([
      { count: 2 },
      { count: 1 },
    ]);
    expect(await asked("--summary", "customer.name")).toMatchObject([{ count: 3, distinct: 2 }]);
  });

  test("count, page and explain", async () => {
    const words = ["orders.csv", ...CUSTOMER, "--where", "customer.name", "exactly", "Ann"];
    expect((await run(...words, "--count")).out).toBe("2\n");
    const { err } = await run(...words, "--limit", "1", "--after", "");
    const [, cursor = ""] = /--after (\S+)/.exec(err) ?? [];
    expect(await rows(...words, "--limit", "1", "--after", cursor)).toMatchObject([{ id: 12 }]);
    expect((await run(...words, "--explain")).out).toContain("customer.name exactly");
    const count = await run(...words, "--explain", "--count");
    expect(count.out).toContain("count");
    const groups = ["--group-by", "customer.name", "--measure", "sum=sum:total"];
    const grouped = await run("orders.csv", ...CUSTOMER, ...groups, "--explain");
    expect([grouped.code, grouped.out]).toEqual([0, expect.stringContaining("customer.name")]);
    const counted = ["--count-by", "customer.name", "--explain"];
    expect((await run("orders.csv", ...CUSTOMER, ...counted)).out).toContain("customer.name");
  });

  test("are those of the own table, too", async () => {
    const words = ["customers.csv", "--reference", "boss=customers.csv:id"];
    const bosses = await rows(...words, "--select", "name,boss.name,boss.boss.name");
    expect(bosses).toEqual([
      { name: "Ann", "boss.name": null, "boss.boss.name": null },
      { name: "Bob", "boss.name": "Ann", "boss.boss.name": null },
    ]);
    const criteria = '[["customers.csv","some",[["boss.name","exactly","Ann"]]]]';
    const select = ["--criteria", criteria, "--select", "name"];
    expect(await rows(...words, ...select)).toEqual([{ name: "Ann" }]);
    const wrong = '[["customers.csv","none",[["nmae","exactly","Ann"]]]]';
    expect((await run(...words, "--criteria", wrong)).err).toContain(
      '--criteria[0][2][0]: unknown field "nmae"; did you mean "name"?',
    );
  });

  test.each(["customers.arrow", "customers.parquet", "customers.json", "customers.csv.gz"])(
    "come from tables of any format: %s",
    async (name) => {
      const to = name.replace(".gz", "");
      await run("customers.csv", "--to", to, "--force");
      if (to !== name) writeFileSync(at(name), gzipSync(readFileSync(at(to))));
      const asked = ["--reference", `customer=${name}:id`, "--select", "id,customer.name"];
      expect(await rows("orders.csv", ...asked, "--limit", "2")).toEqual([
        { id: 10, "customer.name": "Ann" },
        { id: 11, "customer.name": "Bob" },
      ]);
      await run("orders.csv", "--to", "orders.arrow", "--force");
      const criteria = ["--where", "customer.name", "exactly", "Bob"];
      expect(await rows("orders.arrow", ...asked, ...criteria)).toHaveLength(1);
    },
  );

  test("come from several files, and from stores, which have references of their own", async () => {
    writeFileSync(at("orders2.csv"), "id,customer,total\n20,2,1\n");
    const both = ["orders.csv", "orders2.csv", ...CUSTOMER];
    expect((await run(...both, "--where", "customer.name", "exactly", "Bob", "--count")).out).toBe(
      "2\n",
    );
    const Person = defineSchema({ id: int({ unique: true }), name: string() });
    const Note = defineSchema({ text: string(), by: int({ references: ["people", "id"] }) });
    const people = createCollection(Person, [{ id: 1, name: "Cy" }]);
    const notes = createCollection(Note, [{ text: "a", by: 1 }]);
    createStore(at("s.store"), createDatabase({ people, notes })).close();
    expect(await rows("s.store/notes", "--select", "text,by.name")).toEqual([
      { text: "a", "by.name": "Cy" },
    ]);
    const withNotes = (text: string) =>
      run(
        "s.store/people",
        "--count",
        "--criteria",
        `[["notes","some",[["text","exactly","${text}"]]]]`,
      );
    expect([(await withNotes("a")).out, (await withNotes("b")).out]).toEqual(["1\n", "0\n"]);
    expect((await run("s.store/notes", "--where", "by.nam", "exactly", "x")).err).toContain(
      'by.nam: "people" has no field "nam"; did you mean "name"?',
    );
    const other = ["--reference", "customer=s.store/people:id", "--select", "customer.name"];
    const one = ["--where", "customer", "exactly", "1", "--skip-invalid", "lost.ndjson", "--force"];
    expect(await rows("orders.csv", ...other, ...one, "--limit", "1")).toEqual([
      { "customer.name": "Cy" },
    ]);
  });
});

describe("errors", () => {
  test.each([
    [["--reference", "customer"], "--reference: must be FIELD=TABLE:FIELD, such as customer=customers.csv:id"],
    [["--reference", "custmer=customers.csv:id"], 'orders.csv has no field "custmer"; it has id int, customer int or null'],
    [["--reference", "customer=customers.csv:idd"], 'customers.csv has no field "idd"; it has id int, name string'],
    [["--reference", "customer=regions.ndjson:code"], "customer of orders.csv is of type int, and code of regions.ndjson of type string"],
    [["--reference", "customer=nowhere.csv:id"], "nowhere.csv: no such file or directory"],
    [[...CUSTOMER, "--reference", "customer.regin=regions.ndjson:code"], 'customers.csv has no field "regin"'],
    [[...CUSTOMER, ...CUSTOMER], "--reference customer=customers.csv:id: customer refers to another table already"],
    [[...CUSTOMER, "--where", "customer.nam", "exactly", "x"], 'customer.nam: "customers.csv" has no field "nam"; did you mean "name"?'],
    [[...CUSTOMER, "--select", "id,customer.region.label"], 'customer.region.label: "customers.csv" has no field "region" that refers to records; it has none'],
    [[...CUSTOMER, "--group-by", "customer.zip"], '"customers.csv" has no field "zip"; use "id", "name"'],
    [[...CUSTOMER, "--where", "customer.name", "has", "x"], "--where customer.name has x: "],
    [[...CUSTOMER, "--sort", "name"], '--sort: unknown field "name"'],
  ])("name the words: %j", async (words, reason) => {
    const { code, err } = await run("orders.csv", ...words);
    expect(err).toContain(reason);
    expect(code).toBe(2);
  }); // oxfmt-ignore

  test("name the record whose key another one has", async () => {
    writeFileSync(at("customers.csv"), "id,name,country,region\n1,Ann,AU,n\n1,Bob,NZ,\n");
    const { code, err } = await run("orders.csv", ...CUSTOMER);
    expect(err).toContain('customers.csv: line 3.id: "1" is already used by line 2');
    expect(code).toBe(2);
    await run("customers.csv", "--to", "customers.arrow", "--force");
    const saved = await run("orders.csv", "--reference", "customer=customers.arrow:id");
    expect(saved.err).toContain('customers.arrow: records[1].id: "1" is already used');
  });

  test("name the record whose reference leads nowhere; it is left out where invalid ones are", async () => {
    writeFileSync(at("customers.csv"), "id,name,country,region\n1,Ann,AU,x\n2,Bob,NZ,n\n");
    const words = ["orders.csv", ...REGION, ...CUSTOMER, "--select", "id"];
    const { code, err } = await run(...words);
    expect(err).toContain(
      'customers.csv: region: refers to "x", but no record of regions.ndjson has this code; --skip-invalid FILE leaves such records out',
    );
    expect(code).toBe(2);
    // So are those that refer to a record that was left out.
    const skipping = ["--skip-invalid", "bad.ndjson", "--force"];
    const skipped = await run(...words, ...skipping, "--format", "ndjson");
    expect(skipped.out).toBe('{"id":11}\n{"id":13}\n');
    expect(skipped.err).toContain("left out 3 records that are not valid");
    expect(skipped.code).toBe(0);
    const lines = readFileSync(at("bad.ndjson"), "utf8").trim().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { source: "customers.csv", record: { id: 1, region: "x" } },
      { source: "orders.csv", record: { id: 10 }, reason: "customer: refers to 1, but no record of customers.csv has this id" },
      { source: "orders.csv", record: { id: 12 } },
    ]); // oxfmt-ignore
    rmSync(at("bad.ndjson"));
    await run(...words, "--skip-invalid", "bad.ndjson", "--where", "customer.nam", "exactly", "x");
    expect(existsSync(at("bad.ndjson"))).toBe(false);
  });
});
