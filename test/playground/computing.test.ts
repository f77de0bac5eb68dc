// Columns that are computed on the page: like others in every part, in links, and after changes.

import type { Page } from "puppeteer-core";
import { describe, expect, test } from "vitest";
import { drop, matching, textOf, textsOf, until, usePage, waitForText } from "./opened.ts";

const { openEmpty, openAddress } = usePage(0);

const january = "id,amount,discount,unit price\n1,10,1,2\n2,20,10,3\n3,5,,4\n4,100,21,5";

const press = (page: Page, name: string) =>
  page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
const type = (page: Page, name: string, text: string) =>
  page.locator(`::-p-aria([name="${name}"][role="textbox"])`).fill(text);

async function compute(page: Page, name: string, expression: string): Promise<void> {
  await type(page, "Name", name);
  await type(page, "Expression", expression);
  await page.waitForSelector(".computed form button[aria-disabled=false]");
  await press(page, "Add");
  await page.waitForSelector(`[aria-label="Remove ${name}"]`);
}

const opened = async () => {
  const page = await openEmpty();
  await drop(page, "january.csv", january);
  await matching(page, 4);
  await press(page, "Compute");
  return page;
};

/** The values of the last column in the first four rows. */
const lastColumn = async (page: Page) =>
  (await textsOf(page, ".line:not(.head) > :last-child")).slice(0, 4);

describe("the panel", () => {
  test("says what is wrong while one types, and what the first values are", async () => {
    const page = await opened();
    await type(page, "Expression", "discount > 0.2 * amont");
    await waitForText(page, ".computed .fault", "character 18: there is no column amont");
    await type(page, "Expression", "discount > 0.2 * amount");
    await waitForText(page, ".computed form .quiet", "boolean: false, true, null");
    await type(page, "Expression", "");
    await page.locator('::-p-aria([name="Insert"][role="combobox"])').fill("unit price");
    await waitForText(page, ".computed form .quiet", "int: 2, 3, 4");
    const text = await page.$eval(".computed textarea", (area) => area.value);
    expect(text).toBe('"unit price"');
    // A name is needed, and one that is free.
    await type(page, "Name", "id");
    await waitForText(page, ".computed .fault", "there is already a column id");
    await press(page, "Add");
    expect(await textsOf(page, ".computed .made li")).toEqual([]);
  });

  test("changes an expression, on which others depend, and removes it", async () => {
    const page = await opened();
    await compute(page, "price", '"unit price" * 2');
    await compute(page, "more", "price + 1");
    await until(async () => expect(await lastColumn(page)).toEqual(["5", "7", "9", "11"]));
    await press(page, "Change the expression of price");
    await type(page, "Expression", '"unit price" * 3');
    await page.waitForSelector(".computed form button[aria-disabled=false]");
    await press(page, "Save");
    await until(async () => expect(await lastColumn(page)).toEqual(["7", "10", "13", "16"]));
    await press(page, "Remove price");
    await waitForText(page, ".computed li .fault", "there is no column price");
    await waitForText(page, "main > .fault", "more is not computed");
    await press(page, "Remove more");
    await until(async () => expect(await page.$("main > .fault")).toBe(null));
    await until(async () => expect(await lastColumn(page)).toEqual(["2", "3", "4", "5"]));
  });
});

describe("a computed column", () => {
  test("is filtered by, sorted by, shown as a chart and computed again after an edit", async () => {
    const page = await opened();
    await compute(page, "large", "discount > 0.2 * amount");
    await press(page, "Records where large is true");
    await matching(page, 2);
    await page.keyboard.press("Escape");
    await page.locator("#cell-0-2").click({ count: 2 });
    await page.waitForSelector(".editor input:focus");
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await waitForText(page, ".said", "Done");
    await matching(page, 1);
    await press(page, "Clear");
    await matching(page, 4);
    await page.$$eval("[role=columnheader] > button:first-child", (all) =>
      all.find((each) => each.innerText.startsWith("large"))?.click(),
    );
    await until(async () =>
      expect(await lastColumn(page)).toEqual(["true", "false", "false", "null"]),
    );
    // Nobody edits what is computed.
    await page.locator("#cell-0-4").click({ count: 2 });
    expect(await page.$(".editor")).toBe(null);
    await page.locator('::-p-aria([name="Facets"][role="tab"])').click();
    await page.locator("section[aria-label=large] .values li:nth-child(1) button").click();
    await matching(page, 2);
  });

  test("is in the link, and in the next file with the same columns", async () => {
    const page = await opened();
    await compute(page, "large", "discount > 0.2 * amount");
    await press(page, "Records where large is true");
    await matching(page, 2);
    await until(() => expect(new URL(page.url()).hash).toContain("compute="));
    const other = await openAddress(page.url());
    await waitForText(other, ".matching", "This link needs january.csv");
    await drop(other, "january.csv", january);
    await matching(other, 2);
    await drop(other, "february.csv", "id,amount,discount\n1,10,9\n2,10,9\n3,10,9");
    await matching(other, 3);
    expect(await textOf(other, "[role=columnheader]:last-child button")).toBe("large");
    // A file without them is shown all the same.
    await drop(other, "names.csv", "id,name\n1,a\n2,b");
    await waitForText(other, "main > .fault", "large is not computed: character 1");
    await press(other, "Clear");
    await matching(other, 2);
  });

  test("of a hostile link is refused without harm", async () => {
    const page = await openEmpty();
    const hash = new URLSearchParams({
      file: "january.csv",
      compute: JSON.stringify([
        ["__proto__", "id * 2"],
        ["constructor", "fetch('https://example.org') + eval(id)"],
        ["deep", "(".repeat(1500)],
        ["<img src=x onerror=alert(1)>", "id"],
        ["long", "1+".repeat(5000)],
        [{}, 1],
      ]),
    });
    const address = page.url().replace(/#.*/, "");
    const other = await openAddress(`${address}#${hash.toString()}`);
    await drop(other, "january.csv", january);
    await matching(other, 4);
    await waitForText(other, "main > .fault", "deep is not computed");
    expect(await textsOf(other, "[role=columnheader] > button:first-child")).toEqual([
      ...["id", "amount", "discount", "unit price", "__proto__", "<img src=x onerror=alert(1)>"],
    ]);
    await until(async () => expect(await lastColumn(other)).toEqual(["1", "2", "3", "4"]));
  });
});
