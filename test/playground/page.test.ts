// The page in a real browser, opened as a file: the tests do what a user does by hand, and compare the page with the
// library's results in Node.

import { describe, expect, test } from "vitest";
import { untyped } from "../rules/fixtures.ts";
import {
  axeFindings,
  brush,
  criteriaText,
  emails,
  matching,
  textOf,
  textsOf,
  until,
  usePage,
  waitForText,
  writeCriteria,
} from "./opened.ts";

const COUNT = 3000;
const { open, openAddress, contacts } = usePage(COUNT);

describe("criteria", () => {
  test("that are typed filter at once; rows and text show each other", async () => {
    const page = await open();
    await matching(page, COUNT);
    await page.click(".add button");
    await page.type(".value", "anna");
    const criteria = [["contact_email", "contains", "anna"]] as const;
    await matching(page, contacts().count(criteria));
    expect(JSON.parse(await criteriaText(page))).toEqual(criteria);
    const found = contacts()
      .query({ criteria, limit: 5 })
      .map((each) => each.contact_email);
    expect((await emails(page)).slice(0, 5)).toEqual(found);

    await writeCriteria(
      page,
      '[["open_type","exactly","sms"],"OR",["open_count","greater_than","3"]]',
    );
    await matching(
      page,
      contacts().count([
        ["open_type", "exactly", "sms"],
        "OR",
        ["open_count", "greater_than", "3"],
      ]),
    );
    expect(await textsOf(page, ".or")).toEqual(["or"]);
    const values = await page.$$eval(".value", (all) =>
      all.map((input) => (input as HTMLInputElement).value),
    );
    expect(values).toEqual(["sms", "3"]);
  });

  test("that are broken have their error beside them, and the answer before them stays", async () => {
    const page = await open({ criteria: [["open_type", "exactly", "html"]] });
    const before = contacts().count([["open_type", "exactly", "html"]]);
    await matching(page, before);
    const broken = [
      ["open_type", "exactly", "html"],
      ["open_contry", "exactly", "Peru"],
    ];
    await writeCriteria(page, JSON.stringify(broken));
    await page.waitForSelector(".element.wrong");
    expect(await textOf(page, ".element:nth-child(2) .fault")).toContain(
      'unknown field "open_contry"; did you mean',
    );
    expect(await page.$(".element:nth-child(1) .fault")).toBeNull();
    expect(await textOf(page, ".matching.stale strong")).toBe(before.toLocaleString("en-US"));
    // Taken out, it is as it was.
    await page.click(".element:nth-child(2) .remove");
    await matching(page, before);
  });

  test("complete values from the data", async () => {
    const page = await open({ criteria: [["open_country", "exactly", ""]] });
    await page.focus(".value");
    await page.keyboard.type("Un");
    const expected = contacts()
      .countBy("open_country", [["open_country", "starts_with", "Un"]], { limit: 8 })
      .map(({ value }) => value);
    await page.waitForFunction(
      (length) => document.querySelectorAll("datalist option").length === length,
      {},
      expected.length,
    );
    const offered = await page.$$eval("datalist option", (all) =>
      all.map((option) => option.value),
    );
    expect(offered).toEqual(expected);
  });
});

describe("the answer", () => {
  test("is sorted by a click on a head, in both directions, and then as before", async () => {
    const page = await open({ criteria: [["contact_email", "contains", "gmail"]] });
    const criteria = [["contact_email", "contains", "gmail"]] as const;
    for (const sort of [
      { sortBy: "contact_email", sortOrder: "DESC" },
      { sortBy: "contact_email", sortOrder: "ASC" },
      {},
    ] as const) {
      await page.click(".head > :first-child button");
      const expected = contacts()
        .query({ criteria, ...sort, limit: 6 })
        .map((each) => each.contact_email);
      await until(async () => expect((await emails(page)).slice(0, 6)).toEqual(expected));
    }
  });

  test("is scrolled and read by the keyboard, to its last record", async () => {
    const page = await open();
    await page.focus(".grid");
    await page.keyboard.press("End");
    const last = contacts().at(-1);
    await waitForText(page, ".line.active", last?.contact_email ?? "");
    await page.keyboard.press("Enter");
    await waitForText(page, ".detail dl", last?.contact_email ?? "");
    const names = await textsOf(page, ".detail dt");
    expect(names.toSorted()).toEqual(Object.keys(last ?? {}).toSorted());
    expect(names[0]).toBe("contact_email");
    await page.keyboard.press("ArrowUp");
    await waitForText(page, ".detail dl", contacts().at(-2)?.contact_email ?? "");
    await page.keyboard.press("Home");
    await waitForText(page, ".line.active", contacts().at(0)?.contact_email ?? "");
  });

  test("of a Batch is grouped by List", async () => {
    const page = await open();
    await page.click(".toggle input");
    await page.waitForSelector(".lists section");
    expect(await textsOf(page, ".lists h2")).toEqual([
      "List 101 50 on this page",
      "List 102 0 on this page",
      "List 103 0 on this page",
    ]);
  });
});

describe("facets", () => {
  test("count as the library does, and filter by a click", async () => {
    const page = await open({ tab: "facets" });
    await waitForText(page, ".values .count", ",");
    const row = await page.waitForSelector("section[aria-label=open_type] li:nth-child(2) button");
    const value = await row?.$eval(".name", (name) => name.textContent);
    await row?.click();
    const criteria = [["open_type", "in", [value ?? ""]]] as const;
    await matching(page, contacts().count(criteria));
    // The chart of the same field still shows what another choice would give; the others do not.
    const [top] = contacts().countBy("send_status", criteria, { order: "count" });
    await waitForText(
      page,
      "section[aria-label=send_status] .count",
      top?.count.toLocaleString("en-US") ?? "",
    );
    const all = contacts().countBy("open_type", null, { order: "count" });
    // What is chosen comes first.
    const ordered = [
      ...all.filter((each) => each.value === value),
      ...all.filter((each) => each.value !== value),
    ];
    expect(await textsOf(page, "section[aria-label=open_type] .count")).toEqual(
      ordered.map(({ count }) => count.toLocaleString("en-US")),
    );
    await row?.click();
    await matching(page, COUNT);
  });

  test("filter by a brush, and by the arrow keys", async () => {
    const page = await open({ tab: "facets" });
    await brush(page, "send_time", 0.25, 0.6);
    await page.waitForFunction(() => document.querySelectorAll(".row").length === 2);
    // The last move of the brush may still be on its way.
    const brushed = await until(async () => {
      const found = JSON.parse(await criteriaText(page)) as [
        "send_time",
        "greater_than" | "less_than",
        number,
      ][];
      const expected = contacts().count(untyped(found)).toLocaleString("en-US");
      expect(await textsOf(page, ".matching:not(.stale) strong")).toEqual([expected]);
      return found;
    });
    expect(brushed.map(([field, operator]) => `${field} ${operator}`)).toEqual([
      "send_time greater_than",
      "send_time less_than",
    ]);
    await page.focus('[aria-label="send_time to"]');
    const before = await criteriaText(page);
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(
      (text) => document.querySelector<HTMLTextAreaElement>("#criteria-text")?.value !== text,
      {},
      before,
    );
    const narrower = JSON.parse(await criteriaText(page)) as [
      "send_time",
      "greater_than" | "less_than",
      number,
    ][];
    expect(narrower[1]?.[2]).toBeLessThan(brushed[1]?.[2] ?? 0);
    await matching(page, contacts().count(untyped(narrower)));
    await page.click("section[aria-label=send_time] header button");
    await matching(page, COUNT);
  });

  test("a bar of a histogram is read by pointing at it, and chosen and given up by a click", async () => {
    const page = await open({ tab: "facets" });
    const section = "section[aria-label=send_time]";
    const click = () => brush(page, "send_time", 0.52, 0.52);
    // Counted, with and without criteria.
    await until(async () =>
      expect(await textOf(page, `${section} .scales`)).toMatch(/^up to [1-9]/),
    );
    const chart = await page.$(`${section} svg`).then((found) => found?.boundingBox());
    await page.mouse.move(
      (chart?.x ?? 0) + (chart?.width ?? 0) * 0.52,
      (chart?.y ?? 0) + (chart?.height ?? 0) / 2,
    );
    await page.waitForSelector(`${section} .axis strong`);
    const reported = await textOf(page, `${section} .axis strong`);
    await click();
    await page.waitForFunction(() => document.querySelectorAll(".row").length === 2);
    const [, expected = ""] = /^2024-05-01 .* to .*: ([\d,]+)$/.exec(reported) ?? [];
    await waitForText(page, ".matching:not(.stale) strong", expected);
    expect(Number(expected.replace(",", ""))).toBeGreaterThan(0);
    await click();
    await matching(page, COUNT);
    expect(await criteriaText(page)).toBe("[]");
  });

  test("a brush is moved as a whole, by one end, and given up by a click", async () => {
    const page = await open({ tab: "facets" });
    /** The chosen numbers, once the page shows what they select. */
    const chosen = () =>
      until(async () => {
        const criteria = JSON.parse(await criteriaText(page)) as [string, string, number][];
        const expected = contacts().count(untyped(criteria)).toLocaleString("en-US");
        expect(await textsOf(page, ".matching:not(.stale) strong")).toEqual([expected]);
        const bounds = criteria.map(([, , bound]) => bound);
        expect(bounds).toHaveLength(2);
        return [bounds[0] ?? 0, bounds[1] ?? 0] as const;
      });
    const widthOf = ([low, high]: readonly [number, number]) => high - low;

    await brush(page, "send_time", 0.31, 0.49);
    const first = await chosen();
    await brush(page, "send_time", 0.4, 0.6);
    const moved = await until(async () => {
      const next = await chosen();
      expect(next[0]).toBeGreaterThan(first[0]);
      expect(widthOf(next)).toBe(widthOf(first));
      return next;
    });
    // Beyond the edge it stays whole.
    await brush(page, "send_time", 0.6, 0.05);
    const least = await until(async () => {
      const next = await chosen();
      expect(next[0]).toBeLessThan(first[0]);
      expect(widthOf(next)).toBe(widthOf(first));
      return next;
    });
    await page.focus('[aria-label="send_time from"]');
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    const next = await until(async () => {
      const shifted = await chosen();
      expect(shifted[0]).toBeGreaterThan(least[0]);
      expect(widthOf(shifted)).toBe(widthOf(first));
      return shifted;
    });
    expect(next[0]).toBeLessThan(moved[0]);

    const end = await page.$eval('[aria-label="send_time to"]', (handle) => {
      const { left, width } = handle.getBoundingClientRect();
      const plot = handle.parentElement?.querySelector("svg")?.getBoundingClientRect();
      return (left + width / 2 - (plot?.left ?? 0)) / (plot?.width ?? 1);
    });
    await brush(page, "send_time", end, 0.9);
    await until(async () => {
      const wider = await chosen();
      expect(wider[0]).toBe(next[0]);
      expect(wider[1]).toBeGreaterThan(moved[1]);
    });
    const inside = (end + 0.9) / 2;
    await brush(page, "send_time", inside, inside);
    await matching(page, COUNT);
    expect(await criteriaText(page)).toBe("[]");
  });
});

describe("how", () => {
  test("shows the plan with what was so, the indexes, and what is without them", async () => {
    const page = await open({ tab: "how", criteria: [["open_type", "exactly", "text"]] });
    await waitForText(page, ".tree", "one value of the index of open_type");
    expect(await textsOf(page, ".indexes tbody td:first-child")).toContain("send_time");
    // The step draws its rows, and says its share of the time.
    await waitForText(page, ".rowbar", "50 rows, estimated");
    await waitForText(page, ".time", "% of the time");
    await page.locator("::-p-aria(Run it without indexes)").click();
    await waitForText(page, ".without [role=status]", "without indexes");
    expect(await axeFindings(page)).toEqual([]);
    await page.click(".how input[type=radio]:not(:checked)");
    await waitForText(page, ".how", "No indexes");
    await waitForText(page, ".tree", "every record, in insertion order");
    await matching(page, contacts().count([["open_type", "exactly", "text"]]));
  });

  test("shows indexes as they are built, by loading and by questions", async () => {
    // Of fewer Contacts, too few questions ask for an index.
    const page = await open({ tab: "how", indexes: "none", count: 20_000 });
    await waitForText(page, ".how", "No indexes");
    await page.evaluate(() => {
      const seen = new Set<number>();
      const how = document.querySelector(".how");
      if (how === null) throw new Error("there is no plan");
      new MutationObserver(() => {
        seen.add(document.querySelectorAll(".indexes tbody tr").length);
      }).observe(how, { childList: true, subtree: true });
      Object.assign(globalThis, { seen });
    });
    await page.click(".how input[type=radio]:not(:checked)");
    await page.waitForFunction(() => document.querySelectorAll(".indexes tbody tr").length === 8);
    const seen = await page.evaluate(() => [
      ...(globalThis as unknown as { seen: Set<number> }).seen,
    ]);
    expect(seen.filter((rows) => rows > 0 && rows < 8).length).toBeGreaterThan(0);
    // Nothing has been asked of this field yet.
    const fields = () => textsOf(page, ".indexes tbody td:first-child");
    expect(await fields()).not.toContain("unsubscribe_email");
    for (let asked = 0; asked < 100 && !(await fields()).includes("unsubscribe_email"); asked++) {
      const value = `nobody${asked}@a.example`;
      await writeCriteria(page, JSON.stringify([["unsubscribe_email", "exactly", value]]));
      // No record matched the question before either: the plan names its own.
      await waitForText(page, ".tree", value);
      await matching(page, contacts().count([["unsubscribe_email", "exactly", value]]));
    }
    expect(await fields()).toContain("unsubscribe_email");
  });
});

describe("the envelope", () => {
  test("is answered, can be edited, and gets each error", async () => {
    const page = await open({ tab: "envelope" });
    await waitForText(page, ".response", '"error": null');
    const codes = await page.$$eval(".envelope select option", (all) =>
      all.map((option) => option.value).filter((value) => /\d/.test(value)),
    );
    expect(codes.toSorted()).toEqual(["100", "104", "107", "300", "308", "310", "311"]);
    for (const code of codes) {
      await page.select(".envelope select", code);
      await waitForText(page, ".response", `"code": ${code}`);
    }
    await page.select(".envelope select", "none");
    await waitForText(page, ".response", '"error": null');
    expect(await textOf(page, ".snippet")).toContain("service.getBatchContacts(");
    const languages = await textsOf(page, ".same .switch button");
    expect(languages).toHaveLength(8);
    for (const [i, language] of languages.entries()) {
      await page.click(`.same .switch button:nth-child(${i + 1})`);
      const start = ["import {", "import {", "tercet contacts"][i] ?? "SELECT ";
      await waitForText(page, `.snippet[aria-label="As ${language}"]`, start);
    }
  });
});

describe("data", () => {
  test("a link shows the same thing", async () => {
    const page = await open();
    await page.click(".add button");
    await page.type(".value", "li");
    await page.click(".head > :first-child button");
    const criteria = [["contact_email", "contains", "li"]] as const;
    await matching(page, contacts().count(criteria));
    const [first] = contacts().query({ criteria, sortBy: "contact_email", limit: 1 });
    await waitForText(page, ".line:not(.head)", first?.contact_email ?? "");
    await page.waitForFunction(
      () => location.href.includes("li%22") && location.href.includes("sort"),
    );
    const other = await openAddress(await page.evaluate(() => location.href));
    await matching(other, contacts().count(criteria));
    await waitForText(other, ".line:not(.head)", first?.contact_email ?? "");
  });

  test("are generated anew, as Files too", async () => {
    const page = await open();
    await page.locator("::-p-aria(Generate)").click();
    await page.waitForSelector("dialog[open]");
    await page.click("dialog label:nth-of-type(3) input");
    await page.select("#count", "1000");
    await page.click("dialog .main");
    await waitForText(page, ".matching", "of 1,000 Files");
  });
});

describe("for every reader", () => {
  test("axe finds nothing wrong with it", async () => {
    const criteria = [
      ["open_type", "in", ["html"]],
      ["last_open_time", "greater_than", 1714550000],
      "OR",
      ["open_contry", "exactly", null],
    ];
    const page = await open({ tab: "answer" });
    await page.click(".line:not(.head)");
    expect(await axeFindings(page)).toEqual([]);
    await page.click(".toggle input");
    await page.waitForSelector(".lists table");
    expect(await axeFindings(page)).toEqual([]);
    for (const tab of ["facets", "how", "envelope"]) {
      await page.click(`#tab-${tab}`);
      await page.waitForSelector(`.${tab}`);
      if (tab === "how") await page.waitForSelector(".tree");
      if (tab === "facets") await page.click(".values li:nth-child(2) button");
      expect(await axeFindings(page)).toEqual([]);
    }
    await writeCriteria(page, JSON.stringify(criteria));
    await page.waitForSelector(".element.wrong");
    expect(await axeFindings(page)).toEqual([]);
    await page.locator("::-p-aria(Generate)").click();
    await page.waitForSelector("dialog[open]");
    expect(await axeFindings(page)).toEqual([]);
  });

  test("at twice the size and on a phone nothing is cut off", async () => {
    const page = await open({ tab: "facets" });
    for (const [width, height] of [
      [390, 844],
      [640, 450],
    ] as const) {
      await page.setViewport({ width, height });
      for (const tab of ["answer", "facets", "how", "envelope"]) {
        await page.click(`#tab-${tab}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide).toBeLessThanOrEqual(width);
      }
    }
  });
});
