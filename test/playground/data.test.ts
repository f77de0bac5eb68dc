// The user's own data on the page: each format that the library imports, dropped or picked.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as parquetWriter from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { saveCollection } from "../../src/arrow/index.ts";
import {
  writeArrow,
  writeCsv,
  writeJson,
  writeNdjson,
  writeParquet,
} from "../../src/import/index.ts";
import { createService } from "../../src/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import {
  axeFindings,
  drop,
  dropAll,
  emails,
  matching,
  textsOf,
  usePage,
  waitForText,
  writeCriteria,
} from "./opened.ts";

const { open, openEmpty, shared, folder } = usePage(1);

const textOf = (pieces: Iterable<string>) => [...pieces].join("");

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Each way to write rows to a file, by how its name ends. */
const FORMATS: Readonly<Record<string, (rows: Rows) => string | Uint8Array>> = {
  csv: (rows) => textOf(writeCsv(rows)),
  ndjson: (rows) => textOf(writeNdjson(rows)),
  json: (rows) => textOf(writeJson(rows)),
  "csv.gz": (rows) => gzipSync(textOf(writeCsv(rows))),
  "ndjson.gz": (rows) => gzipSync(textOf(writeNdjson(rows))),
  "json.gz": (rows) => gzipSync(textOf(writeJson(rows))),
  parquet: (rows) => writeParquet(parquetWriter, rows),
  arrow: (rows) => writeArrow(rows),
};

/** A Parquet file that says that it has other many rows than it has. */
function claiming(parquet: Uint8Array, rows: number, claimed: number): Uint8Array {
  const file = Buffer.from(parquet);
  const length = file.readUInt32LE(file.length - 8);
  const [own, other] = [field(rows), field(claimed)];
  const at = file.indexOf(own, file.length - 8 - length);
  const end = Buffer.from("....PAR1");
  end.writeUInt32LE(length + other.length - own.length);
  return Buffer.concat([file.subarray(0, at), other, file.subarray(at + own.length, -8), end]);
}

/** A field of 64 bits in Thrift's compact protocol. */
function field(value: number): Buffer {
  const bytes = [0x16];
  let left = 2 * value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
}

const files = [...generateFiles({ count: 300, seed: 5 })];
const batch = generateBatch({ count: 200, seed: 5, lists: 2 });
const contacts = batch.lists.flatMap((list) => list.contacts);
/** Contacts as JSON has them, and as flat formats do. */
const listContacts = contacts.map(({ send_id, contact_id, contact_email, open_count }, i) => ({
  ...{ send_id, contact_id, contact_email, open_count, list: "7" },
  fields: { Town: i % 2 === 0 ? "Ulm" : null },
}));
const contactRows = listContacts.map(({ fields, ...contact }) => ({
  ...contact,
  "fields.Town": fields.Town,
}));

describe("files that are dropped", () => {
  test.each(Object.entries(FORMATS))("are read as Files: %s", async (ending, write) => {
    const page = await shared();
    await drop(page, `files.${ending}`, write(files));
    await waitForText(page, ".matching", "300 of 300 Files");
    const expected = files.slice(0, 8).map(({ name }) => name);
    expect((await emails(page)).slice(0, 8)).toEqual(expected);
  });

  test.each(Object.entries(FORMATS))("are read as Contacts: %s", async (ending, write) => {
    const page = await shared();
    await drop(
      page,
      `contacts.${ending}`,
      write(ending.includes("json") ? listContacts : contactRows),
    );
    await waitForText(page, ".matching", "200 of 200 Contacts");
    const expected = contacts.slice(0, 8).map(({ contact_email }) => contact_email);
    expect((await emails(page)).slice(0, 8)).toEqual(expected);
    // A List Field is asked for as any other.
    expect(await page.$$eval(".row", (rows) => rows.length)).toBe(0);
    await page.click(".add button");
    expect(await textsOf(page, ".row:first-child select:first-child option")).toContain("Town");
  });

  test("go into columns where they are Contacts in CSV, and each step is shown", async () => {
    const page = await open({ indexes: "none", tab: "how" });
    await page.$eval(".page", (shown) => {
      const reported = new Set<string>();
      const note = () => reported.add(shown.querySelector(".progress span")?.textContent ?? "");
      new MutationObserver(note).observe(shown, {
        childList: true,
        subtree: true,
        characterData: true,
      });
      Object.assign(globalThis, { reported });
    });
    await drop(page, "contacts.csv", textOf(writeCsv(contactRows)));
    await waitForText(page, ".matching", "200 of 200 Contacts");
    const reported = await page.evaluate(() => [
      ...(globalThis as unknown as { reported: string[] }).reported,
    ]);
    expect(reported.filter((each) => each !== "")).toEqual([
      "Starting",
      expect.stringMatching(/^Reading contacts\.csv: 0 kB of \d+ kB$/),
      "Sorting what was read",
      "Counting for the charts",
    ]);
    // Nothing was built: columns are indexes as they stand.
    await writeCriteria(page, '[["Town","exactly","Ulm"]]');
    await waitForText(page, ".tree", "one value of the index of Town");
    await waitForText(page, ".matching", "100 of 200 Contacts");
  });

  test("are read as a Batch: JSON, gzipped or not", async () => {
    const page = await shared();
    const json = JSON.stringify(batch);
    for (const [name, content] of [
      ["batch.json", json],
      ["batch.json.gz", gzipSync(json)],
    ] as const) {
      await drop(page, name, content);
      await waitForText(page, ".source", name);
      await waitForText(page, ".matching", "200 of 200 Contacts");
      // Answers that come meanwhile draw it anew.
      await page.locator(".toggle").click();
      await page.waitForSelector(".lists section");
      const lists = await textsOf(page, ".lists h2");
      expect(lists.map((each) => each.split(" ").slice(0, 2).join(" "))).toEqual(
        batch.lists.map(({ id }) => `List ${id}`),
      );
      await page.click(".toggle");
    }
    await drop(page, "empty.json", '{"id":5,"lists":[{"id":1,"contacts":[]}]}');
    await waitForText(page, ".matching", "0 of 0 Contacts");
  });

  test("are read as what saveCollection wrote", async () => {
    const page = await shared();
    await drop(page, "saved.arrow", saveCollection(createService({ files }).files));
    await waitForText(page, ".matching", "300 of 300 Files");
  });

  test("that are none are refused with their place, and other data can be had then", async () => {
    const page = await shared();
    for (const [name, content, reason] of [
      ["bad.csv", "id,folder_id,name\nx,2,a\n", "line 2.id: must be an integer"],
      ["bad.ndjson", '{"id":1}\n{"id":\n', "line 2: is not JSON"],
      ["bad.json", '{"id":5,"lists":[{"id":1,"contacts":[{}]}]}', "lists[0].contacts[0]"],
      ["bad.parquet", "PAR1 and no more", "can't be read as Parquet"],
      ["bad.arrow", "ARROW1 and no more", "does not end like an Arrow file"],
      ["bad.csv.gz", gzipSync("id\n1\n").subarray(0, 15), "is damaged gzip"],
      ["bad.parquet.gz", gzipSync("PAR1").subarray(0, 15), "is damaged gzip"],
      [
        "claims.parquet",
        claiming(writeParquet(parquetWriter, files), files.length, 200_000_000),
        "its footer has 200000000 rows, but its row groups have 300",
      ],
    ] as const) {
      await drop(page, name, content);
      await waitForText(page, ".source", name);
      await waitForText(page, "main > .fault", reason);
    }
    await drop(page, "files.csv", textOf(writeCsv(files)));
    await waitForText(page, ".matching", "300 of 300 Files");
  });
});

test("an empty page says what it is; loading tells how far it is and can be cancelled", async () => {
  const page = await openEmpty();
  expect(await textsOf(page, ".start button")).toEqual([
    "Open a file",
    "Paste",
    "Generate",
    "Sample",
  ]);
  expect(await page.$(".matching, .criteria")).toBeNull();
  expect(await axeFindings(page)).toEqual([]);
  // A worker that begins to read and never ends, so that there is always something to cancel; and a clock that stands
  // still until its next step, which continues from the first.
  await page.evaluate(() => {
    let now = 0;
    performance.now = () => now;
    const own = Object.getOwnPropertyDescriptor(Worker.prototype, "postMessage");
    Worker.prototype.postMessage = function () {
      Object.defineProperty(Worker.prototype, "postMessage", own ?? {});
      const tell = (progress: object) =>
        this.dispatchEvent(new MessageEvent("message", { data: { progress } }));
      tell({ phase: "Reading contacts.csv", done: 1, total: 3, share: 0.1 });
      const goOn = () => {
        now = 1000;
        tell({ phase: "Sorting what was read", done: 0, total: undefined, share: 0.25 });
      };
      Object.assign(globalThis, { goOn });
    };
  });
  await drop(page, "contacts.csv", textOf(writeCsv(contactRows)));
  await waitForText(page, ".status", "Reading contacts.csv: 1 of 3");
  expect(await page.$(".left")).toBeNull();
  await page.evaluate(() => (globalThis as unknown as { goOn: () => void }).goOn());
  await waitForText(page, ".status", "Sorting what was read");
  // A quarter took a second.
  expect(await textsOf(page, ".left")).toEqual(["about 3 s left"]);
  expect(await page.$eval(".progress progress", (bar) => bar.value)).toBe(0.25);
  await page.locator("::-p-aria(Cancel)").click();
  await page.waitForSelector(".start");
  await page.waitForFunction(() => location.hash === "");
  await page.locator("::-p-aria(Sample)").click();
  await waitForText(page, ".matching", "10,000 of 10,000 orders");
  await page.waitForFunction(() => location.hash === "#data=orders&count=10000&seed=1");
});

test("several files are several tables, each with its question, and one is closed again", async () => {
  const page = await shared();
  await dropAll(page, {
    "towns.csv": "town,size\nUlm,5\nBonn,7\nKiel,7\n",
    "rivers.ndjson": '{"river":"Elbe"}\n{"river":"Rhine"}\n',
  });
  await waitForText(page, ".matching", "2 of 2 records");
  expect(await textsOf(page, ".tables [aria-pressed]")).toEqual(["towns.csv", "rivers.ndjson"]);
  await writeCriteria(page, '[["river","exactly","Elbe"]]');
  await waitForText(page, ".matching", "1 of 2 records");
  await page.click(".tables li:first-child button");
  await waitForText(page, ".matching", "3 of 3 records");
  await writeCriteria(page, '[["size","exactly",7]]');
  await waitForText(page, ".matching", "2 of 3 records");
  await page.waitForFunction(() => location.hash.startsWith("#file=towns.csv&criteria="));
  await page.click(".tables li:last-child button");
  await waitForText(page, ".matching", "1 of 2 records");
  // The same file again takes the place of the table, whose question stays.
  await drop(page, "towns.csv", "town,size\nUlm,5\nBonn,7\nKiel,9\n");
  await waitForText(page, ".matching", "1 of 3 records");
  expect(await textsOf(page, ".tables [aria-pressed]")).toHaveLength(2);
  expect(await axeFindings(page)).toEqual([]);
  await page.locator("::-p-aria(Close towns.csv)").click();
  await page.waitForFunction(
    () => document.querySelector(".source")?.textContent === "rivers.ndjson",
  );
  await page.locator("::-p-aria(Close rivers.ndjson)").click();
  await page.waitForSelector(".start");
});

test("a folder that is dropped is refused as one, and a file beside it is opened", async () => {
  const page = await openEmpty();
  const [dropped, beside] = [join(folder, "exports"), join(folder, "beside.csv")];
  mkdirSync(dropped);
  for (const path of [join(dropped, "a.csv"), beside]) writeFileSync(path, "a,b\n1,2\n");
  const session = await page.createCDPSession();
  const data = { items: [], files: [dropped, beside], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", { type, x: 400, y: 400, data });
  }
  await waitForText(page, ".page > .fault", "exports: a folder can’t be opened");
  await waitForText(page, ".matching", "1 of 1 records");
  expect(await textsOf(page, ".tables .source")).toEqual(["beside.csv"]);
});

test("a file that is picked is read as one that is dropped", async () => {
  const page = await shared();
  const path = join(folder, "picked.ndjson");
  writeFileSync(path, textOf(writeNdjson(listContacts)));
  const [chooser] = await Promise.all([
    page.waitForFileChooser(),
    page.locator("::-p-aria(Open a file)").click(),
  ]);
  await chooser.accept([path]);
  await waitForText(page, ".source", "picked.ndjson");
  await waitForText(page, ".matching", "200 of 200 Contacts");
});

test("few lines that are no JSON are left out, counted and shown", async () => {
  const page = await shared();
  const lines = Array.from({ length: 60 }, (_, i) => (i === 16 ? '{"n":' : `{"n":${i}}`));
  await drop(page, "one bad line.ndjson", lines.join("\n"));
  await matching(page, 59);
  await waitForText(page, ".notices summary", "1 line is left out");
  await page.click(".notices summary");
  await waitForText(page, ".notices li:last-child", "line 17: is not JSON");
});

test("Parquet with gzip in its pages is read", async () => {
  const page = await shared();
  const bytes = parquetWriter.parquetWriteBuffer({
    columnData: [{ name: "n", data: Array.from({ length: 500 }, (_, i) => i % 7) }],
    codec: "GZIP",
    compressors: { GZIP: (page: Uint8Array) => gzipSync(page) },
  });
  await drop(page, "zipped.parquet", new Uint8Array(bytes));
  await matching(page, 500);
});

test("a column that is nearly one of numbers says so, and is read as numbers by a click", async () => {
  const page = await shared();
  const lines = Array.from(
    { length: 120 },
    (_, i) => `p${i},${i % 40 === 3 ? "NA" : `"$${(1000 + i * 37).toLocaleString("en-US")}"`}`,
  );
  await drop(page, "prices.csv", `who,price\n${lines.join("\n")}\n`);
  await matching(page, 120);
  await waitForText(page, ".notices", "117 of the first 120 values are numbers; 3 are NA");
  await page.click(".notices summary");
  await page.click(".notices button");
  await writeCriteria(page, '[["price","at_least",5000]]');
  const high = lines.filter((_, i) => i % 40 !== 3 && 1000 + i * 37 >= 5000).length;
  await matching(page, high);
});
