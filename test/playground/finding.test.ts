// What is found in any column, without regard to case and accents; by a regular expression; and by a pasted list.

import fc from "fast-check";
import type { Page } from "puppeteer-core";
import { describe, expect, test } from "vitest";
import { ANY_COLUMN } from "../../src/playground/comparisons.ts";
import { FIND, withFacet } from "../../src/playground/criteria-list.ts";
import { faultOf, Session } from "../../src/playground/engine/session.ts";
import type { CriteriaList, TaskName, Tasks } from "../../src/playground/messages.ts";
import { settings } from "../property.ts";
import { axeFindings, criteriaText, drop, matching, textOf, textsOf, usePage } from "./opened.ts";
import { ReadFile, readFilesAtOnce } from "./read-file.ts";
import { waitForText, writeCriteria } from "./opened.ts";

readFilesAtOnce();

const { openEmpty } = usePage(0);

/** What the worker answers to the page. */
const ask = async <Name extends TaskName>(
  session: Session,
  task: Name,
  ...given: Parameters<Tasks[Name]>
) => (await session.run(task, given)) as ReturnType<Tasks[Name]>;

async function sessionOf(records: readonly object[]): Promise<Session> {
  const session = new Session(() => undefined);
  const lines = records.map((each) => JSON.stringify(each)).join("\n");
  const file = new ReadFile(Buffer.from(lines), "records.ndjson");
  const readAs = { types: [], text: {} };
  await session.load({ file, name: "records.ndjson" }, "auto", readAs);
  return session;
}

const folded = (text: string) =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ς", "σ").normalize("NFC");

describe("in any column", () => {
  const word = fc.string({
    unit: fc.constantFrom(
      "a",
      "A",
      "é",
      "e",
      "E\u0301",
      "ς",
      "Σ",
      "0",
      "1",
      ".",
      "😀",
      "'",
      ",",
      " ",
    ),
    maxLength: 5,
  });
  const record = fc.record({
    a: fc.option(word),
    __proto: word,
    b: fc.array(word, { maxLength: 2 }),
    n: fc.option(fc.constantFrom(0, 1, 10, 101, -1)),
    x: fc.constantFrom(0.5, 1.25, 10),
  });
  /** The types of all columns are known by the first record. */
  const first = { a: "a", __proto: "", b: ["a"], n: 1, x: 0.5 };

  test("is found what the definition says, of every record", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 12 }),
        fc.oneof(word, fc.constantFrom("1", "10", ".5", "1,0", "e")),
        async (some, text) => {
          const all = [first, ...some];
          const session = await sessionOf(all);
          // Letter by letter, as it is typed: what is found is looked for in what was found before.
          for (let length = 0; length <= text.length; length++) {
            const typed = text.slice(0, length);
            const digits = typed.trim().replaceAll(",", "");
            const isNumber = /^-?[\d.]+$/.test(digits);
            const isIn = (value: unknown): boolean => {
              if (Array.isArray(value)) return value.some(isIn);
              if (typeof value === "string") return folded(value).includes(folded(typed));
              return typeof value === "number" && isNumber && String(value).includes(digits);
            };
            const expected = all.filter((each) => Object.values(each).some(isIn)).length;
            const found = [[ANY_COLUMN, "finds", typed]];
            const others = ["NOT", [ANY_COLUMN, "finds", typed]];
            expect((await ask(session, "count", found)).matching).toBe(expected);
            expect((await ask(session, "count", others)).matching).toBe(all.length - expected);
            const ofA = all.filter(({ a }) => a !== null && folded(a).includes(folded(typed)));
            const inA = await ask(session, "count", [["a", "finds", typed]]);
            expect(inA.matching).toBe(ofA.length);
          }
        },
      ),
      settings(60),
    );
  });

  test("a chart of a column counts what is found in it, and is not its choice", async () => {
    const states = ["Open", "open", "shut", "opened", "shut", "Open"];
    const session = await sessionOf(states.map((state, i) => ({ state, i })));
    const facet = { kind: "values", field: "state", values: [], distinct: 4 } as const;
    const [counted] = await ask(
      session,
      "facets",
      [["state", "finds", "OPEN"]],
      [facet],
      new Map(),
    );
    expect(counted).toMatchObject({ total: 4, found: 4 });
  });

  test("criteria that can’t be are refused at their place", async () => {
    const session = await sessionOf([{ a: "x", n: 1 }]);
    const faultIn = async (criteria: CriteriaList) =>
      faultOf(await ask(session, "count", criteria).catch((thrown: unknown) => thrown));
    const sound = ["a", "exactly", "x"];
    expect(await faultIn([sound, ["a", "matches", "("]])).toMatchObject({
      position: 1,
      reason: "matches: “)” is missing at character 2",
    });
    expect(await faultIn([["n", "finds", "1"]])).toMatchObject({
      position: 0,
      reason: "finds is for strings; n is int",
    });
    expect(await faultIn([sound, "OR", [[ANY_COLUMN, "exactly", "1"]]])).toMatchObject({
      position: 2,
      reason: "any column can be asked for “finds” or “matches”, not “exactly”",
    });
    expect(await faultIn([["b", "finds", "1"]])).toMatchObject({
      position: 0,
      reason: "there is no column “b”",
    });
  });

  test("the box is a choice that restricts every side of an or", () => {
    const or = [["a", "exactly", "x"], "OR", ["b", "exactly", "y"]];
    const found = withFacet(or, FIND, { text: "z" });
    const z = [ANY_COLUMN, "finds", "z"];
    expect(found).toEqual([or[0], z, "OR", or[2], z]);
    expect(withFacet(found, FIND, { text: "" })).toEqual(or);
  });
});

const lines = Array.from({ length: 400 }, (_, i) => ({
  path: i % 5 === 0 ? `/api/v${i % 3}/users/${i}` : `/home/${i}`,
  message: i % 40 === 0 ? "upstream TIMEOUT" : i % 7 === 0 ? "Café du port" : "fine",
  note: i === 3 ? "timeout of the gateway" : "",
  bytes: 1000 + ((i * 37) % 401),
}));
const csv = [
  "path,message,note,bytes",
  ...lines.map((each) => Object.values(each).join()),
  "",
].join("\n");

const openLines = async () => {
  const page = await openEmpty();
  await drop(page, "access.csv", csv);
  await matching(page, lines.length);
  return page;
};

const BOX = '::-p-aria([name="Find in any column"][role="searchbox"])';

/** Types in the box, in the place of what it has. */
async function find(page: Page, text: string): Promise<void> {
  await page.locator(BOX).click({ count: 3 });
  await page.keyboard.press("Backspace");
  await page.keyboard.type(text);
}

describe("questions", () => {
  test("O4: which lines contain “timeout” in any column?", async () => {
    const page = await openLines();
    await find(page, "timeout");
    const expected = lines.filter(({ message, note }) => /timeout/i.test(message + note));
    await matching(page, expected.length);
    expect(expected).toHaveLength(11);
    // The box says what is found: no row repeats it.
    expect(await page.$(".row")).toBeNull();
    await find(page, "1007");
    await matching(page, 1);
    // With “or”, it restricts both sides.
    await find(page, "timeout");
    await writeCriteria(
      page,
      JSON.stringify([
        ["bytes", "less_than", 1010],
        ["*", "finds", "timeout"],
        "OR",
        ["bytes", "greater_than", 1300],
        ["*", "finds", "timeout"],
      ]),
    );
    const some = expected.filter(({ bytes }) => bytes < 1010 || bytes > 1300);
    await matching(page, some.length);
    expect(await page.$$(".row")).toHaveLength(2);
    expect(await axeFindings(page)).toEqual([]);
    await page.click(".row .remove");
    await matching(page, expected.filter(({ bytes }) => bytes > 1300).length);
    expect(await page.$eval(".find", (box) => (box as HTMLInputElement).value)).toBe("timeout");
    await find(page, "nowhere");
    await matching(page, 0);
  });

  test("R5: free text that contains “café”, whatever its accents and case", async () => {
    const page = await openLines();
    await find(page, "CAFE\u0301");
    await matching(page, lines.filter(({ message }) => message.startsWith("Café")).length);
    // The code and SQL have what the library takes.
    await page.$eval("#tab-envelope", (tab) => (tab as HTMLElement).click());
    await waitForText(page, ".snippet", '["message","in",["Café du port"]]');
  });

  test("O6: paths that match a regular expression", async () => {
    const page = await openLines();
    await page.locator('::-p-aria([name="Add a criterion"][role="button"])').click();
    await page.locator('::-p-aria([name="Operator"][role="combobox"])').fill("matches");
    await page.locator('::-p-aria([name="Value"])').fill("/api/v\\d+/users/\\d+$");
    await matching(page, lines.filter(({ path }) => path.startsWith("/api")).length);
    await page.locator('::-p-aria([name="Value"])').fill("/api/(");
    await waitForText(page, ".element .fault", "“)” is missing at character 7");
  });

  test("S10: what do the orders of a pasted list add up to?", async () => {
    const page = await openLines();
    const wanted = lines.filter((_, i) => i % 13 === 0);
    await page.locator('::-p-aria([name="Add a criterion"][role="button"])').click();
    await page.waitForSelector(".value:focus");
    const paste = (text: string) =>
      page.$eval(
        ".value",
        (input, pasted) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", pasted);
          const event = { clipboardData, bubbles: true, cancelable: true };
          input.dispatchEvent(new ClipboardEvent("paste", event));
        },
        text,
      );
    await paste(wanted.map(({ path }) => ` ${path} `).join("\r\n"));
    await matching(page, wanted.length);
    expect(JSON.parse(await criteriaText(page))).toEqual([
      ["path", "in", wanted.map(({ path }) => path)],
    ]);
    const sum = wanted.reduce((total, { bytes }) => total + bytes, 0).toLocaleString("en-US");
    await waitForText(page, ".foot", `sum ${sum}`);
    // More cells are added to those that are there.
    await paste(`${lines[1]?.path}\t${lines[2]?.path}`);
    await matching(page, wanted.length + 2);
    expect(await textOf(page, ".tables .source")).toBe("access.csv");
    expect(await textsOf(page, "[role=alert]")).toEqual([]);
  });
});
