// Questions of people of three trades, answered by clicks alone on small tables of their shapes. Every answer is computed
// here by plain loops over the same records.

import { describe, expect, test } from "vitest";
import { matching, until } from "./opened.ts";
import { orders, people, requests, useTables } from "./trades.ts";

const asking = useTables();

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
/** Of amounts in hundredths, so that it is exact. */
const money = (numbers: readonly number[]) =>
  sum(numbers.map((each) => Math.round(each * 100))) / 100;
const fixed = (value: number, digits = 0) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

function byKey<Record>(records: readonly Record[], keyOf: (record: Record) => string) {
  const groups = new Map<string, Record[]>();
  for (const record of records) {
    const key = keyOf(record);
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return groups;
}

describe("sales", () => {
  test("S1: the revenue of each month of 2024", async () => {
    const { tab, choose, criterion, rows } = await asking("orders.ndjson");
    await criterion("ordered_at", "exactly", "2024");
    await tab("Groups");
    await choose("by", "ordered_at");
    await choose("Show", "sum");
    await choose("of", "amount");
    const found = await rows("sum of amount by month of ordered_at");
    const expected = byKey(
      orders.filter(({ ordered_at: at }) => at.startsWith("2024")),
      ({ ordered_at: at }) => at.slice(0, 7),
    );
    expect(found.map(([month, amount]) => [month, amount])).toEqual(
      Array.from(expected, ([month, some]) => [
        month,
        fixed(money(some.map(({ amount }) => amount)), 2),
      ]),
    );
  });
});

describe("sales in groups", () => {
  const fieldsOf = async (...steps: readonly (readonly [label: string, option: string])[]) => {
    const hand = await asking("orders.ndjson");
    await hand.tab("Groups");
    for (const [label, option] of steps) await hand.choose(label, option);
    return hand;
  };

  test("S2: the ten customers with most revenue, and their share", async () => {
    const { rows } = await fieldsOf(["by", "customer"], ["Show", "sum"], ["of", "amount"]);
    const found = await rows("sum of amount by customer");
    const expected = Array.from(
      byKey(orders, ({ customer }) => customer),
      ([customer, some]) => [customer, money(some.map(({ amount }) => amount))] as const,
    ).sort(([, a], [, b]) => b - a);
    expect(found.slice(0, 10).map(([name, amount]) => [name, amount])).toEqual(
      expected.slice(0, 10).map(([name, amount]) => [name, fixed(amount, 2)]),
    );
  });

  test("S3: the mean amount of each country, without cancelled orders", async () => {
    const hand = await asking("orders.ndjson");
    await hand.criterion("status", "not", "cancelled");
    await hand.tab("Groups");
    await hand.choose("by", "country");
    await hand.choose("Show", "mean");
    await hand.choose("of", "amount");
    const found = await hand.rows("mean of amount by country");
    const kept = orders.filter(({ status }) => status !== "cancelled");
    for (const [country, some] of byKey(kept, (each) => each.country)) {
      const mean = money(some.map(({ amount }) => amount)) / some.length;
      const text = found.find(([name]) => name === country)?.[1] ?? "";
      expect(Number(text.replace(/[≈,\s]/g, ""))).toBeCloseTo(mean, 1);
    }
  });

  test("S4: the share of refunds of each channel", async () => {
    const { choose, rows } = await fieldsOf(["by", "channel"], ["of which", "status"]);
    await choose("is", JSON.stringify("refunded"));
    await until(async () => {
      const found = await rows("records by channel");
      const expected = Array.from(
        byKey(orders, ({ channel }) => channel),
        ([channel, some]) => [
          channel,
          String(some.filter(({ status }) => status === "refunded").length),
        ],
      );
      expect(found.map(([name, , , refunded]) => [name, refunded]).sort()).toEqual(expected.sort());
    });
  });

  test("S5: the customers of each quarter, each counted once", async () => {
    const { rows } = await fieldsOf(
      ["by", "ordered_at"],
      ["in steps of", "quarter"],
      ["Show", "distinct"],
      ["of", "customer"],
    );
    const found = await rows("distinct values of customer by quarter of ordered_at");
    const expected = byKey(orders, ({ ordered_at: at }) => {
      return `${at.slice(0, 4)} Q${Math.ceil(Number(at.slice(5, 7)) / 3)}`;
    });
    expect(found.map(([quarter, customers]) => [quarter, customers])).toEqual(
      Array.from(expected, ([quarter, some]) => [
        quarter,
        String(new Set(some.map(({ customer }) => customer)).size),
      ]),
    );
  });

  test("S7: the revenue that goes with each tag, by element of an array", async () => {
    const { rows } = await fieldsOf(["by", "tags"], ["Show", "sum"], ["of", "amount"]);
    const found = await rows("sum of amount by tags");
    const expected = ["new", "sale", "gift"].map((tag) => [
      tag,
      fixed(money(orders.filter(({ tags }) => tags.includes(tag)).map((each) => each.amount)), 2),
    ]);
    expect(found.map(([tag, amount]) => [tag, amount]).sort()).toEqual(expected.sort());
  });

  test("S8: the revenue of each country and channel", async () => {
    const { page, rows } = await fieldsOf(
      ["by", "country"],
      ["Show", "sum"],
      ["of", "amount"],
      ["and by", "channel"],
    );
    const found = await rows("sum of amount by country and channel");
    const names = await page.$$eval(".pivot thead th", (all) =>
      all.map((th) => th.innerText.trim()),
    );
    for (const [country, ...cells] of found) {
      for (const [i, channel] of names.slice(1, -1).entries()) {
        const some = orders.filter((each) => each.country === country && each.channel === channel);
        expect(cells[i]).toBe(fixed(money(some.map(({ amount }) => amount)), 2));
      }
    }
    expect(found).toHaveLength(4);
  });

  test("S9: the three products with most revenue of each country", async () => {
    const { choose, rows } = await fieldsOf(
      ["by", "country"],
      ["Show", "sum"],
      ["of", "amount"],
      ["and by", "product"],
    );
    await choose("Shown", "top3");
    await until(async () => {
      const found = await rows("sum of amount by country and product");
      expect(found).toHaveLength(12);
      const amounts = found.map((cells) => cells.find((cell) => /^[\d,]+\.\d\d$/.test(cell)));
      const countries = found.flatMap((cells) => (cells.length === 4 ? (cells[0] ?? "") : []));
      const expected = countries.flatMap((country) =>
        Array.from(
          byKey(
            orders.filter((each) => each.country === country),
            ({ product }) => product,
          ).values(),
          (some) => money(some.map(({ amount }) => amount)),
        )
          .sort((a, b) => b - a)
          .slice(0, 3)
          .map((amount) => fixed(amount, 2)),
      );
      expect(amounts).toEqual(expected);
    });
  });
});

describe("science", () => {
  test("R1: the emptiest columns first, and these in the table", async () => {
    const { page, tab, press } = await asking("survey.csv");
    await tab("Profile");
    await press("null");
    const nulls = (["email", "sex", "age", "score", "q7", "q9", "q10", "q12", "rare"] as const)
      .map((name) => [name, people.filter((each) => each[name] === null).length] as const)
      .sort(([, a], [, b]) => b - a);
    await until(async () => {
      const names = await page.$$eval(".profile tbody tr", (all) =>
        all.map((row) => row.querySelector("th")?.innerText.trim()),
      );
      expect(names.slice(0, 5)).toEqual(nulls.slice(0, 5).map(([name]) => name));
    });
    await page.locator('input[aria-label="Choose rare"]').click();
    await press("Show 1 column in the table");
    await until(async () =>
      expect(await page.$$eval("[role=columnheader]", (all) => all.length)).toBe(1),
    );
  });

  test("numbers far from the others are selected by a click", async () => {
    const { page, tab, press } = await asking("orders.ndjson");
    await tab("Profile");
    const sorted = orders.map(({ discount }) => discount).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    const width = at(0.75) - at(0.25);
    const [low, high] = [at(0.25) - 1.5 * width, at(0.75) + 1.5 * width];
    const far = orders.filter(({ discount }) => discount < low || discount > high).length;
    expect(far).toBeGreaterThan(0);
    await press("Outliers of discount");
    await matching(page, far);
  });

  test("R2: the mean and the deviation of an answer by sex, and how many there are", async () => {
    const { tab, choose, rows } = await asking("survey.csv");
    await tab("Groups");
    await choose("by", "sex");
    await choose("Show", "mean");
    await choose("of", "q12");
    await choose("and also", "deviation");
    await until(async () => {
      const found = await rows("mean of q12 by sex");
      for (const [sex, some] of byKey(people, (each) => each.sex)) {
        const values = some.flatMap(({ q12 }) => q12 ?? []);
        const mean = sum(values) / values.length;
        const variance = sum(values.map((each) => (each - mean) ** 2)) / (values.length - 1);
        const cells = found.find(([name]) => name === sex) ?? [];
        const numbers = cells.slice(1, 3).map((cell) => Number(cell.replace(/[≈\s]/g, "")));
        expect(numbers[0]).toBeCloseTo(mean, 1);
        expect(numbers[1]).toBeCloseTo(Math.sqrt(variance), 1);
        expect(cells.slice(3)).toEqual([String(values.length), String(some.length)]);
      }
    });
  });

  test("R7: education by smokers, in percent of each row", async () => {
    const { tab, choose, rows } = await asking("survey.csv");
    await tab("Groups");
    await choose("by", "education");
    await choose("and by", "smoker");
    await choose("Shown", "row");
    await until(async () => {
      const found = await rows("records by education and smoker");
      for (const [education, some] of byKey(people, (each) => each.education)) {
        const share = some.filter(({ smoker }) => smoker === "no").length / some.length;
        const cells = found.find(([name]) => name === education) ?? [];
        expect(cells).toContain(`${fixed(share * 100, 1)} %`);
      }
    });
  });

  test("R10: the median score of people of given ages", async () => {
    const { page, tab, choose, rows } = await asking("survey.csv");
    await tab("Groups");
    await choose("by", "age");
    await choose("in steps of", "range");
    await choose("Show", "median");
    await choose("of", "score");
    await page.locator('input[aria-label="Ranges begin at"]').fill("18, 30, 45, 65");
    const ranges = [18, 30, 45, 65, Infinity];
    await until(async () => {
      const found = await rows("median of score by ranges of age");
      expect(found.map(([name, median]) => [name, median])).toEqual(
        ranges.slice(0, -1).map((from, i) => {
          const end = ranges[i + 1] ?? 0;
          const scores = people
            .filter(({ age }) => age >= from && age < end)
            .flatMap(({ score }) => score ?? [])
            .sort((a, b) => a - b);
          const name = end === Infinity ? `${from} and more` : `${from} to below ${end}`;
          return [name, fixed(scores[Math.ceil(scores.length / 2) - 1] ?? 0, 1)];
        }),
      );
    });
  });
});

describe("operations", () => {
  test("O1: the median, the 95th and the 99th percentile of each route", async () => {
    const { tab, choose, rows } = await asking("access.ndjson");
    await tab("Groups");
    await choose("by", "route");
    await choose("Show", "median");
    await choose("of", "ms");
    await choose("and also", "p95");
    await choose("and also", "p99");
    const at = (some: readonly number[], share: number) =>
      some.toSorted((a, b) => a - b)[Math.ceil(share * some.length) - 1] ?? 0;
    await until(async () => {
      const found = await rows("median of ms by route");
      const expected = Array.from(
        byKey(requests, ({ route }) => route),
        ([route, some]) => [
          route,
          ...[0.5, 0.95, 0.99].map((share) =>
            fixed(
              at(
                some.map(({ ms }) => ms),
                share,
              ),
            ),
          ),
        ],
      );
      expect(found.map((cells) => cells.slice(0, 4)).sort()).toEqual(expected.sort());
    });
  });

  test("O3: the clients of the hour with most requests", async () => {
    const { page, tab, choose, rows } = await asking("access.ndjson");
    await tab("Groups");
    await choose("by", "at");
    await choose("in steps of", "hour");
    await choose("Order", "most");
    const hours = byKey(requests, ({ at }) => at.slice(0, 13));
    const most = Math.max(...Array.from(hours.values(), ({ length }) => length));
    const [peak = "", some = []] = [...hours].find(([, { length }]) => length === most) ?? [];
    await until(async () => {
      const [first] = await rows("records by hour of at");
      expect(first?.[0]).toBe(`${peak.replace("T", " ")}:00`);
    });
    await page.locator(".groups tbody tr:first-child button").click();
    await matching(page, most);
    await choose("by", "client");
    const found = await rows("records by client");
    const clients = Array.from(
      byKey(some, ({ client }) => client),
      ([, { length }]) => length,
    );
    expect(found[0]?.[1]).toBe(String(Math.max(...clients)));
  });

  test("O5: the bytes of each host", async () => {
    const { tab, choose, rows } = await asking("access.ndjson");
    await tab("Groups");
    await choose("by", "host");
    await choose("Show", "sum");
    await choose("of", "bytes");
    const found = await rows("sum of bytes by host");
    const expected = Array.from(
      byKey(requests, ({ host }) => host),
      ([host, some]) => [host, fixed(sum(some.map(({ bytes }) => bytes)))],
    );
    expect(found.map(([host, bytes]) => [host, bytes]).sort()).toEqual(expected.sort());
  });

  test("O8: requests of each weekday and hour", async () => {
    const { tab, choose, rows } = await asking("access.ndjson");
    await tab("Groups");
    await choose("by", "at");
    await choose("in steps of", "weekday");
    await choose("and by", "at");
    await choose("and in steps of", "hourOfDay");
    const found = await rows("records by weekday of at and hour of the day of at");
    const [monday = []] = found;
    const expected = Array.from({ length: 24 }, (_, hour) => {
      const { length } = requests.filter(({ at }) => {
        const date = new Date(at);
        return date.getUTCDay() === 1 && date.getUTCHours() === hour;
      });
      return length === 0 ? "–" : String(length);
    });
    expect(monday.slice(1, 25)).toEqual(expected);
  });

  test("O2: errors of each hour", async () => {
    const { tab, choose, rows } = await asking("access.ndjson");
    await tab("Groups");
    await choose("by", "at");
    await choose("in steps of", "hour");
    await choose("of which", "status");
    await choose("is", JSON.stringify("500"));
    const found = await rows("records by hour of at");
    const expected = byKey(requests, ({ at }) => `${at.slice(0, 13).replace("T", " ")}:00`);
    expect(found.map(([hour, all, , errors]) => [hour, all, errors])).toEqual(
      Array.from(expected, ([hour, some]) => [
        hour,
        String(some.length),
        String(some.filter(({ status }) => status === 500).length),
      ]).slice(0, found.length),
    );
  });

  test("O9: from 14:00 to 14:15 in Berlin", async () => {
    const { page, choose, criterion } = await asking("access.ndjson");
    await choose("Time zone", "Europe/Berlin");
    await criterion("at", "between", "2024-09-09 14:00, 2024-09-09 14:14");
    const [from, end] = ["2024-09-09T12:00:00.000Z", "2024-09-09T12:15:00.000Z"];
    const expected = requests.filter(({ at }) => at >= from && at < end);
    await matching(page, expected.length);
    await until(async () => {
      const first = await page.$eval("#row-0", (row) => (row as HTMLElement).innerText);
      const { at = "" } = expected[0] ?? {};
      expect(first).toContain(at.replace("T12", " 14").replace("Z", ""));
    });
  });
});
