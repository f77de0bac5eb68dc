// Two tables, and what leads from one to the other (rule C20).

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { faultOf, Session } from "../../src/playground/engine/session.ts";
import { groupedBy } from "../../src/playground/groups.ts";
import type { Loaded } from "../../src/playground/messages.ts";
import { settings } from "../property.ts";
import { axeFindings, dropAll, matching, textOf, textsOf, until } from "./opened.ts";
import { usePage, waitForText } from "./opened.ts";
import { ReadFile, readFilesAtOnce } from "./read-file.ts";

readFilesAtOnce();

const { openEmpty } = usePage(0);

async function sessionOf(records: readonly object[]) {
  const session = new Session(() => undefined);
  const lines = records.map((each) => JSON.stringify(each)).join("\n");
  const file = new ReadFile(Buffer.from(lines), "records.ndjson");
  const readAs = { types: [], text: {} };
  const loaded = await session.load({ file, name: "records.ndjson" }, "auto", readAs);
  return { session, loaded };
}

type Opened = Awaited<ReturnType<typeof sessionOf>>;

/** Relates a table by a column to the other one. */
const relate = async ({ session }: Opened, by: string, other: Opened, key: string) =>
  await session.relate([
    { by, table: "others", key, saved: other.session.saveAll(), fields: other.loaded.fields },
  ]);

const texts = fc.constantFrom("a", "b", "", "é", "A", "0", "__proto__", "😀");

test("a field of others is what it would be as a field of its own", async () => {
  const other = fc.record({
    name: fc.option(texts),
    size: fc.option(fc.integer({ min: -2, max: 3 })),
    tags: fc.array(texts, { maxLength: 2 }),
  });
  const own = fc.record({ other: fc.option(texts), n: fc.integer({ min: 0, max: 4 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(texts, other), { selector: ([key]) => key, maxLength: 6 }),
      fc.array(own, { maxLength: 12 }),
      async (keyed, some) => {
        // The types of all columns are known by the first record.
        const first = { key: "first", name: "a", size: 1, tags: ["a"] };
        const others = [first, ...keyed.map(([key, each]) => ({ key, ...each }))];
        const records = [{ other: "first", n: 0 }, ...some];
        const table = await sessionOf(records);
        const { fields, missing } = await relate(table, "other", await sessionOf(others), "key");
        const found = records.map(({ other: key }) =>
          key === null ? undefined : others.find((each) => each.key === key),
        );
        const whole = records.map((record, i) => ({
          ...record,
          "other.name": found[i]?.name ?? null,
          "other.size": found[i]?.size ?? null,
          "other.tags": found[i]?.tags ?? null,
        }));
        const orphans = records.filter(({ other: key }, i) => key !== null && !found[i]).length;
        expect(missing).toEqual([orphans]);
        const alone = await sessionOf(whole);
        const names = fields.map(({ name }) => name);
        expect(new Set(names)).toEqual(new Set(alone.loaded.fields.map(({ name }) => name)));
        const { session } = table;
        const at = alone.loaded.fields.map(({ name }) => names.indexOf(name));
        for (const criteria of [
          [],
          [["other.name", "exactly", "a"]],
          [["other.name", "not", "a"]],
          [["other.name", "finds", "E"]],
          [["*", "finds", "a"]],
          ["NOT", [["other.size", "at_least", 1]]],
          [["other.name", "exactly", null], "OR", ["n", "less_than", 2]],
          [
            ["other.tags", "has", "a"],
            ["other.size", "less_than", 3],
          ],
        ]) {
          for (const sort of [
            [],
            [
              ["other.size", "DESC"],
              ["other.name", "ASC"],
            ],
          ] as const) {
            const asked = { criteria, sort };
            const rows = (await session.run("rows", [asked, 0, 50])) as { rows: unknown[][] };
            const expected = (await alone.session.run("rows", [asked, 0, 50])) as typeof rows;
            expect(rows.rows.map((row) => at.map((i) => row[i]))).toEqual(expected.rows);
          }
          const [mine, theirs] = await Promise.all(
            [session, alone.session].map(async (each) => [
              await each.run("count", [criteria]),
              await each.run("profile", [criteria, "other.name"]),
              await each.run("summaries", [criteria, ["other.size"]]),
            ]),
          );
          expect(withoutTimes(mine)).toEqual(withoutTimes(theirs));
          for (const [by, of] of [
            ["other.name", "n"],
            ["n", "other.size"],
          ] as const) {
            const field = fields.find(({ name }) => name === by);
            if (field === undefined) throw new Error(`there is no ${by}`);
            const group = groupedBy(field, "value", { measure: "sum", of });
            const groups = await session.run("groups", [criteria, group, 20]);
            const expected = await alone.session.run("groups", [criteria, group, 20]);
            expect(withoutTimes(groups)).toEqual(withoutTimes(expected));
          }
        }
      },
    ),
    settings(25),
  );
});

/** Without times, and without the number of values, which is counted only where there may be nulls. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, each: unknown) =>
      name === "milliseconds" || name === "values" ? undefined : each,
    ),
  );

describe("with customers", () => {
  const customers = Array.from({ length: 30 }, (_, i) => ({
    id: i + 1,
    country: ["Austria", "Brazil"][i % 2],
    since: `2024-03-${String((i % 28) + 1).padStart(2, "0")}`,
  }));
  const orders = Array.from({ length: 300 }, (_, i) => ({
    number: i,
    customer_id: i % 50 === 0 ? 99 : (i % 30) + 1,
    amount: i / 4,
  }));
  const both = async () => {
    const [of, others] = [await sessionOf(orders), await sessionOf(customers)];
    return { of, others, related: await relate(of, "customer_id", others, "id") };
  };
  const fieldsOf = ({ fields }: Pick<Loaded, "fields">) => fields.map(({ name }) => name);

  test("what is changed is of the table itself, whatever selects it", async () => {
    const { of } = await both();
    const { session } = of;
    const austrian = [["customer_id.country", "exactly", "Austria"]];
    const { matching } = session.count(austrian);
    expect(matching).toBe(orders.filter(({ customer_id: id }) => id % 2 === 1 && id < 99).length);
    const changed = session.change({ kind: "set", criteria: austrian, field: "amount", value: 0 });
    expect(changed.done[0]?.records).toBe(
      matching - orders.filter(({ amount }) => amount === 0).length + 1,
    );
    const asked = { criteria: austrian, sort: [] };
    const [row = []] = session.rows(asked, 3, 1).rows;
    session.change({ kind: "remove", place: { asked, position: 3, row } });
    expect(session.count(austrian).matching).toBe(matching - 1);
    session.change({ kind: "undo" });
    expect(session.rows(asked, 3, 1).rows).toEqual([row]);
  });

  test("it is saved with the fields of others, and all records without", async () => {
    const { of } = await both();
    const asked = { criteria: [["number", "less_than", 2]], sort: [] };
    const csv = await of.session.save(asked, "csv").text();
    expect(
      csv
        .split("\n")
        .slice(0, 3)
        .map((line) => line.trimEnd()),
    ).toEqual([
      "number,customer_id,amount,customer_id.country,customer_id.since",
      "0,99,0,,",
      "1,2,0.25,Brazil,2024-03-02",
    ]);
    const again = await sessionOf(orders);
    expect(await of.session.saveAll().arrayBuffer()).toEqual(
      await again.session.saveAll().arrayBuffer(),
    );
  });

  test("what can’t lead there is refused, and what was there stays", async () => {
    const { of, others, related } = await both();
    const refused = async (by: string, key: string) =>
      faultOf(await relate(of, by, others, key).catch((thrown: unknown) => thrown)).reason;
    expect(await refused("number", "country")).toContain(
      "number is int, country is string; choose the same type for both",
    );
    expect(await refused("nothing", "id")).toContain("This table has no column nothing");
    expect(await refused("number", "nothing")).toContain("others has no column nothing");
    const twice = await sessionOf([...customers, ...customers.slice(0, 2)]);
    await expect(relate(of, "customer_id", twice, "id")).rejects.toThrow(
      "2 of the values there are in several records",
    );
    expect(of.session.count([["customer_id.country", "exactly", null]]).matching).toBe(6);
    const none = await of.session.relate([]);
    expect(fieldsOf(none)).toEqual(fieldsOf(of.loaded));
    expect(fieldsOf(related)).toEqual([
      ...fieldsOf(of.loaded),
      "customer_id.country",
      "customer_id.since",
    ]);
  });

  const asCsv = (records: readonly Readonly<Record<string, unknown>>[]) =>
    [Object.keys(records[0] ?? {}), ...records.map((each) => Object.values(each))]
      .map((line) => `${line.join()}\n`)
      .join("");

  test("on the page, its columns are used in criteria, charts and groups", async () => {
    const page = await openEmpty();
    await dropAll(page, { "customers.csv": asCsv(customers) });
    await matching(page, customers.length);
    // A single table leads nowhere.
    expect(await textsOf(page, ".actions button")).not.toContain("Relations");
    await dropAll(page, { "orders.csv": asCsv(orders) });
    await matching(page, orders.length);
    await page.locator('::-p-aria([name="Relations"][role="button"])').click();
    // What most likely leads where is proposed.
    expect(
      await page.$$eval(".relations select", (all) => all.map((select) => select.value)),
    ).toEqual(["customer_id", "customers.csv", "id"]);
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('::-p-aria([name="Add"][role="button"])').click();
    await waitForText(page, ".relations", "6 of 300 name a record that is not there.");
    await page.keyboard.press("Escape");
    const heads = () => textsOf(page, ".head > * > button:first-child");
    expect(await heads()).toEqual([
      ...["number", "customer_id", "amount", "customer_id.country", "customer_id.since"],
    ]);
    expect(await textsOf(page, "#row-1 > *")).toEqual(["1", "2", "0.25", "Brazil", "2024-03-02"]);

    await page.locator('::-p-aria([name="Facets"][role="tab"])').click();
    const chart = "section[aria-label='customer_id.country']";
    await page.locator(`${chart} .values li:nth-child(1) button`).click();
    const austrian = orders.filter(({ customer_id: id }) => id % 2 === 1 && id < 99).length;
    const brazilian = orders.length - austrian - 6;
    const [most, name] = austrian > brazilian ? [austrian, "Austria"] : [brazilian, "Brazil"];
    await matching(page, most);
    await until(() => expect(new URL(page.url()).hash).toContain("leads="));
    expect(await textOf(page, `${chart} [aria-pressed=true] .name`)).toBe(name);
    // The other table has changed: its new values are used.
    await page.locator('::-p-aria([name="customers.csv"][role="button"])').click();
    await matching(page, customers.length);
    await page.locator("#cell-0-1").click({ count: 2 });
    await page.waitForSelector(".editor input:focus");
    await page.keyboard.type("Chile");
    await page.keyboard.press("Enter");
    await waitForText(page, ".said", "Done");
    await page.locator('::-p-aria([name="orders.csv"][role="button"])').click();
    await page.locator('::-p-aria([name="Clear"][role="button"])').click();
    await page.locator('::-p-aria([name="Add a criterion"][role="button"])').click();
    await page.locator('::-p-aria([name="Field"][role="combobox"])').fill("customer_id.country");
    await page.locator('::-p-aria([name="Value"])').fill("Chile");
    await matching(page, orders.filter(({ customer_id: id }) => id === 1).length);
  });
});
