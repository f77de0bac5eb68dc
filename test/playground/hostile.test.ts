// Malicious input has no effect on the page: files, their names, fields, values, links and criteria. No script runs, no
// request leaves, no foreign element appears, errors name the place, and the next table works as before.

import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as parquetWriter from "hyparquet-writer";
import type { Page } from "puppeteer-core";
import { afterAll, describe, expect, test } from "vitest";
import { readCsv, writeArrow, writeCsv, writeParquet } from "../../src/import/index.ts";
import { fromLink } from "../../src/playground/link.ts";
import { parquetWithPage } from "../import/hostile-parquet.ts";
import {
  criteriaText,
  drop,
  matching,
  savedAt,
  textsOf,
  until,
  usePage,
  waitForText,
  writeCriteria,
} from "./opened.ts";

const { shared, openUnwatched, folder } = usePage(1);

const dialogs: string[] = [];

async function opened(): Promise<Page> {
  const page = await shared();
  if (page.listenerCount("dialog") === 0) {
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
  }
  return page;
}

/** What the page itself never has. That nothing was requested or logged is asked after each test. */
const foreignIn = (page: Page) =>
  page.evaluate(() => [
    ...[
      ...document.querySelectorAll(
        "img, iframe, object, embed, a, base, video, audio, script ~ script, [src], [srcdoc], [onerror], [onload]",
      ),
    ].map(({ outerHTML }) => outerHTML),
    ...Object.keys(Object.prototype),
    ...(document.title === "tercet" ? [] : [document.title]),
  ]);

/** Nothing has happened. That the page answers shows in the next test, which opens its table in the same page. */
async function expectUnharmed(page: Page): Promise<void> {
  expect(await foreignIn(page)).toEqual([]);
  expect(dialogs).toEqual([]);
}

afterAll(async () => {
  const page = await shared();
  await drop(page, "good.csv", "n\n1\n2\n");
  await waitForText(page, ".source", "good.csv");
  await waitForText(page, ".matching", "2 of 2 records");
});

const HTML = "<img src=x onerror=alert(1)>";
const BIDI = "\u202egpj.exe";
const FORMULA = "=cmd|' /C calc'!A0";
const LONG = "long ".repeat(4000);

describe("a file is opened whatever its name is", () => {
  test.each([
    ["markup", `${HTML}.csv`],
    ["the end of a script", "</script><script>alert(1)</script>.csv"],
    ["an address", "javascript:alert(1)"],
    ["a prototype", "__proto__"],
    ["a member of a prototype", "constructor"],
    ["a path", "../../etc/passwd.csv"],
    ["part of a link", "a%00b&file=c#d.csv"],
    ["text with NUL", "a\0b.csv", "a<U+0000>b.csv"],
    ["text that turns around", `${BIDI}.csv`, "<U+202E>gpj.exe.csv"],
    ["very long", LONG, `${LONG.slice(0, 300)}…`],
  ])("%s", async (_, name, shown = name) => {
    const page = await opened();
    await drop(page, name, "n\n1\n");
    await waitForText(page, ".matching", "1 of 1 records");
    expect(await page.$eval(".source", ({ textContent }) => textContent)).toBe(shown);
    await until(async () => {
      expect(fromLink(await page.evaluate(() => location.hash)).file).toBe(name);
    });
    await expectUnharmed(page);
  });
});

const names = [HTML, "__proto__", "constructor", "toString", "", BIDI, "a\0b", LONG, "7", FORMULA];
const values = [
  HTML,
  "</script><!--",
  "javascript:1",
  "__proto__",
  BIDI,
  "\0",
  "%s",
  LONG,
  FORMULA,
];
const records = Array.from({ length: 40 }, (_, i) =>
  Object.fromEntries(names.map((name, at) => [name, values[(i + at) % values.length]])),
);

test("the page's policy lets no code reach the network", async () => {
  const asked: string[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url ?? "");
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Content-Type", "text/javascript");
    response.end("export default 1;");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    const page = await openUnwatched();
    const outcomes = await page.evaluate(
      async (url) => {
        const code = `
          const ways = {
            fetch: () => fetch("${url}/fetch"),
            xhr: () => new Promise((good, bad) => {
              const request = new XMLHttpRequest();
              request.onload = good; request.onerror = bad;
              request.open("GET", "${url}/xhr"); request.send();
            }),
            socket: () => new Promise((good, bad) => {
              const socket = new WebSocket("${url}/socket".replace("http", "ws"));
              socket.onopen = good; socket.onerror = bad;
            }),
            scripts: async () => importScripts("${url}/scripts"),
            import: () => import("${url}/import"),
            blob: () => import(URL.createObjectURL(new Blob([""], { type: "text/javascript" }))),
            eval: async () => eval("1"),
          };
          (async () => {
            const done = [];
            for (const [name, way] of Object.entries(ways)) {
              await way().then(() => done.push(name), () => {});
            }
            postMessage(done);
          })();`;
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        return await new Promise((done) => (worker.onmessage = ({ data }) => done(data)));
      },
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    expect(outcomes).toEqual([]);
    expect(asked).toEqual([]);
  } finally {
    server.close();
  }
});

describe("names of fields and values do nothing", () => {
  test.each([
    ["csv", [...writeCsv(records)].join("")],
    ["parquet", writeParquet(parquetWriter, records)],
    ["arrow", writeArrow(records)],
  ])("in each part of the page: %s", async (ending, content) => {
    const page = await opened();
    await drop(page, `hostile.${ending}`, content);
    await waitForText(page, ".matching", "40 of 40 records");
    const press = (name: string) => page.locator(`::-p-aria(${name})`).click();

    const heads = await page.$$(".head > * > button:first-child");
    expect(heads).toHaveLength(names.length);
    for (const head of heads) await head.click();
    await page.click("#row-0");
    await page.waitForSelector(".detail");
    const raw = await textsOf(page, ".detail dt");
    expect(raw.filter((name) => name === HTML)).toHaveLength(1);
    expect(raw).toContain("<U+202E>gpj.exe");
    await press("Columns 10 of 10");
    await press("Change");
    await page.waitForSelector(".changes");
    await press("Change");

    await page.click("#tab-facets");
    await page.waitForSelector('section[aria-label="__proto__"] li:nth-child(2)');
    await page.click('section[aria-label="__proto__"] li:nth-child(2) button');
    await page.waitForFunction(
      () => !document.querySelector(".matching")?.textContent.includes("40 of 40"),
    );
    const [[field, , [chosen]]] = JSON.parse(await criteriaText(page)) as [
      [string, "in", [string]],
    ];
    expect(field).toBe("__proto__");
    await matching(page, records.filter((record) => record[field] === chosen).length);
    await page.click("#tab-how");
    await page.waitForSelector(".step");
    await page.click("#tab-envelope");
    for (const language of await page.$$(".same .switch button")) {
      await language.click();
      const name = await language.evaluate(({ textContent }) => textContent);
      await page.waitForSelector(`.snippet[aria-label="As ${name}"]`);
    }
    await page.click("#tab-answer");
    await expectUnharmed(page);
  });

  test("and are saved as they are, formulas too", async () => {
    const page = await opened();
    const client = await page.createCDPSession();
    await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
    await drop(page, "../../formulas.csv", [...writeCsv(records)].join(""));
    await waitForText(page, ".matching", "40 of 40 records");
    await page.locator("::-p-aria(Save as)").click();
    await page.locator("::-p-aria(CSV)").click();
    const name = await until(() => {
      const found = readdirSync(folder).find((each) => each.endsWith("formulas.csv"));
      return found ?? expect.fail("nothing is saved yet");
    });
    const saved = [...readCsv(await savedAt(join(folder, name)))];
    expect(saved.map((each) => each[FORMULA])).toEqual(records.map((each) => each[FORMULA]));
    await expectUnharmed(page);
  });
});

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("a file that can't be read says where it is broken", () => {
  const parquet = writeParquet(parquetWriter, records);
  const arrow = writeArrow(records);
  test.each([
    ["empty.csv", "", "has no columns"],
    ["wide.csv", Array.from({ length: 20_000 }, (_, i) => `c${i}`).join(), "limit of 10000"],
    ["twice.csv", "a,a\n1\n", "line 2"],
    ["more.csv", "a,b\n1,2\n1,2,3\n", "line 3"],
    ["open.csv", `a\n1\n"${"x".repeat(100_000)}`, "line 3"],
    ["text.json", HTML, "JSON"],
    ["half.json", '[{"a":1},{"a":', "JSON"],
    ["deep.json", `[{"a":${nested(5000)}}]`, "deep"],
    ["list.ndjson", '{"a":1}\n[5]\n', "line 2: must be an object"],
    ["half.parquet", parquet.slice(0, -9), "Parquet"],
    ["none.parquet", "PAR1 and no more PAR1", "Parquet"],
    ["page.parquet", parquetWithPage({ kind: "data", values: 2 ** 31 - 1 }), "values, not up to 1"],
    ["back.parquet", parquetWithPage({ kind: "data", values: 0, size: -20 }), "Parquet"],
    ["half.arrow", arrow.slice(0, -9), "Arrow"],
    ["half.csv.gz", gzipSync("a\n1\n").subarray(0, 15), "is damaged gzip"],
    ["bomb.json.gz", gzipSync(" ".repeat(30_000_000)), "JSON"],
  ])("%s", async (name, content, reason) => {
    const page = await opened();
    await drop(page, name, content);
    await waitForText(page, ".source", name);
    await waitForText(page, "main > .fault", reason);
    await expectUnharmed(page);
  });
});

test("a table with a column for each record is drawn in part, and can be asked all of it", async () => {
  const page = await opened();
  const wide = Array.from({ length: 800 }, (_, i) => JSON.stringify({ [`c${i}`]: i % 7 }));
  await drop(page, "wide.ndjson", wide.join("\n"));
  await waitForText(page, ".matching", "800 of 800 records");
  expect(await page.$$eval(".head > * > button:first-child", (all) => all.length)).toBe(200);
  await writeCriteria(page, '[["c799","exactly",1]]');
  await matching(page, 1);
  await expectUnharmed(page);
});

/** So many criteria that all records meet. */
const many = (length: number) => Array.from({ length }, (_, i) => `["n","not",${i + 9}]`).join();
const linkTo = (criteria: string) => `#file=link.csv&criteria=${encodeURIComponent(criteria)}`;

describe("a link", () => {
  test.each([
    ["that is malformed", "#%&=%E0%A4%A&&data&count=="],
    ["with names of prototypes", "#__proto__=1&data=__proto__&show=constructor"],
  ])("%s shows nothing", async (_, hash) => {
    const page = await opened();
    await page.evaluate((to) => (location.hash = to), hash);
    expect(await textsOf(page, ".start h2")).toHaveLength(1);
    await expectUnharmed(page);
  });

  test("to a file with markup as its name asks for it", async () => {
    const page = await opened();
    await page.evaluate((to) => (location.hash = to), `#file=${HTML}`);
    await waitForText(page, ".matching", `This link needs ${HTML}`);
    await expectUnharmed(page);
  });

  const all = "2 of 2 records";
  test.each([
    ["markup in criteria", linkTo(`[["${HTML}","exactly","${HTML}"]]`), `unknown field "${HTML}"`],
    [
      "names of prototypes",
      linkTo('[["__proto__","constructor","x"]]'),
      'unknown field "__proto__"',
    ],
    ["other values as criteria", linkTo('[null,{"a":[1]},[],"AND",7]'), "must be"],
    ["deep criteria", linkTo(nested(100_000)), all],
    ["deep values", linkTo(`[["n","in",${nested(100_000)}]]`), all],
    ["very many criteria", linkTo(`[${many(900)}]`), "and 800 more, as text"],
    ["too many criteria", linkTo(`[${many(9000)}]`), "there may be at most 1000 criteria"],
    ["a very long value", linkTo(JSON.stringify([["n", "contains", LONG.repeat(20)]])), "0 of 2"],
    ["columns of prototypes", '#file=link.csv&columns=["__proto__",["n",1e9]]', all],
    ["sorts of prototypes", "#file=link.csv&sort=__proto__+ASC&sort=n+ASC", all],
    ["types of prototypes", '#file=link.csv&types=[["__proto__","int"],["n","constructor"]]', all],
    ["an unknown encoding", '#file=link.csv&read={"encoding":"x-none"}', "x-none"],
    ["an unknown delimiter", '#file=link.csv&read={"delimiter":"\\n","header":{}}', "delimiter"],
  ])("with %s", async (_, hash, shown) => {
    const page = await opened();
    await page.evaluate((to) => (location.hash = to), hash);
    await waitForText(page, ".matching", "This link needs link.csv");
    await drop(page, "link.csv", "n\n1\n2\n");
    await waitForText(page, "main", shown);
    await expectUnharmed(page);
  });
});

describe("criteria as text", () => {
  test.each([
    ["an object", '{"n":1}', "criteria are an array"],
    ["markup", HTML, "not valid JSON"],
    ["nested deep", nested(100_000), "nested at most 40 deep"],
    ["names of prototypes", '[["__proto__","exactly",1]]', 'unknown field "__proto__"'],
    ["an operator of a prototype", '[["n","constructor",1]]', "constructor"],
    ["an error behind all rows", `[${many(900)},["n","like",1]]`, "criteria[900]"],
  ])("%s", async (_, text, reason) => {
    const page = await opened();
    await drop(page, "good.csv", "n\n1\n2\n");
    await waitForText(page, ".matching", "2 of 2 records");
    await writeCriteria(page, text);
    await waitForText(page, ".criteria .fault", reason);
    await expectUnharmed(page);
  });
});
