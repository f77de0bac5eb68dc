// Text as other programs write it: a random table in a random dialect reads back unchanged, however it is split into
// pieces, and the detected dialect is the one it was written in.

import * as zlib from "node:zlib";
import fc from "fast-check";
import * as fzstd from "fzstd";
import { describe, expect, test } from "vitest";
import { inferSchema, loadCollection, readCsv, readRecords } from "../../src/import/index.ts";
import type { CsvOptions, FoundFormat, Refused } from "../../src/import/index.ts";
import { InputError } from "../../src/index.ts";
import { settings } from "../property.ts";
import { thrownBy } from "../rules/fixtures.ts";
import { nastyName, nastyValue, pieceSize } from "./nasty.ts";
import { encode, pieces } from "./pieces.ts";

interface Table {
  readonly names: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

interface Dialect {
  readonly delimiter: string;
  readonly quote: string | false;
  readonly escape: string | undefined;
  readonly comment: string | undefined;
  readonly skipLines: number;
  readonly header: boolean;
  readonly nullText: readonly string[];
  readonly newline: string;
  readonly namesDelimiter: boolean;
}

const dialect: fc.Arbitrary<Dialect> = fc.record({
  delimiter: fc.constantFrom(",", ";", "\t", "|", "||", "\u{1f986}"),
  quote: fc.constantFrom<string | false>('"', "'", false),
  escape: fc.constantFrom(undefined, "\\"),
  comment: fc.constantFrom(undefined, "#", "//"),
  skipLines: fc.nat(3),
  header: fc.boolean(),
  nullText: fc.constantFrom<string[]>([""], ["NA"], ["NA", "-", ""], ["null", "NULL"]),
  newline: fc.constantFrom("\n", "\r\n", "\r"),
  namesDelimiter: fc.boolean(),
});

const table: fc.Arbitrary<Table> = fc
  .uniqueArray(nastyName, { minLength: 2, maxLength: 4 })
  .chain((names) => {
    const row = fc.array(fc.option(nastyValue), {
      minLength: names.length,
      maxLength: names.length,
    });
    return fc.record({ names: fc.constant(names), rows: fc.array(row, { maxLength: 5 }) });
  });

/** The text of a table; `undefined` if the dialect can't express it. */
function written({ names, rows }: Table, given: Dialect): string | undefined {
  const { delimiter, quote, escape, comment, nullText, newline } = given;
  const [ownNull = ""] = nullText;
  let isWritable = true;
  const cell = (value: string | null, isName = false) => {
    if (value === null) return ownNull;
    const isPlain =
      !/[\r\n]/.test(value) &&
      !(isName && value === "") &&
      !value.includes(delimiter) &&
      !nullText.includes(value) &&
      !(quote !== false && value.startsWith(quote)) &&
      !/^(?:\ufeff|sep=|#|\/\/)/i.test(value);
    if (isPlain) return value;
    if (quote === false) isWritable = false;
    const mark = quote || "";
    const inside =
      escape === undefined
        ? value.replaceAll(mark || "\0\0", mark + mark)
        : value.replaceAll(/[\\"']/g, (each) =>
            each === mark || each === escape ? escape + each : each,
          );
    return mark + inside + mark;
  };
  const lines = rows.map((row) => row.map((value) => cell(value)).join(delimiter));
  if (given.header) lines.unshift(names.map((name) => cell(name, true)).join(delimiter));
  // A delimiter may come about where a value ends.
  if (delimiter === "||" && lines.some((line) => line.includes("|||"))) isWritable = false;
  if (lines.some((line) => line === "")) isWritable = false;
  const commented = lines.flatMap((line) =>
    comment === undefined ? line : [`${comment}"x`, line],
  );
  const skipped = Array.from({ length: given.skipLines }, (_, i) => `title "${i}`);
  const sep = given.namesDelimiter ? [`sep=${delimiter}`] : [];
  if (given.namesDelimiter && delimiter.length > 1) isWritable = false;
  return isWritable
    ? [...skipped, ...sep, ...commented].map((line) => line + newline).join("")
    : undefined;
}

const recordsOf = ({ names, rows }: Table, header: boolean) =>
  rows.map((row) =>
    Object.fromEntries(
      row.map((value, i) => [header ? (names[i] ?? "") : `column_${i + 1}`, value]),
    ),
  );

/** Zstandard (RFC 8878) of raw blocks, because Node.js 20 can't compress it. */
function zstdOf(bytes: Uint8Array, most = 100): Uint8Array {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(bytes.length, 5);
  const parts: Uint8Array[] = [head];
  for (let at = 0; at === 0 || at < bytes.length; at += most) {
    const block = bytes.subarray(at, at + most);
    const header = (block.length << 3) | (at + most >= bytes.length ? 1 : 0);
    parts.push(Buffer.from([header & 255, (header >> 8) & 255, header >> 16]), block);
  }
  return Buffer.concat(parts);
}

const wrappings: Readonly<Record<string, (text: string) => Uint8Array>> = {
  plain: encode,
  gzip: (text) => zlib.gzipSync(text),
  zstd: (text) => zstdOf(encode(text)),
  "utf-16le": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "utf-16be": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
};
const wrapping = fc.constantFrom(...Object.keys(wrappings));

test("a table in any dialect reads back as it was, whatever it holds and wherever it is cut", () => {
  let count = 0;
  fc.assert(
    fc.property(table, dialect, wrapping, pieceSize, (given, format, wrapped, size) => {
      const text = written(given, format);
      if (text === undefined) return;
      count++;
      const { namesDelimiter, delimiter, escape, comment, ...others } = format;
      const { header, quote, skipLines, nullText } = others;
      const read: CsvOptions = {
        ...{ header, quote, skipLines, nullText },
        ...(!namesDelimiter && { delimiter }),
        ...(escape !== undefined && quote !== false && { escape }),
        ...(comment !== undefined && { comment }),
        zstd: fzstd,
      };
      const bytes = wrappings[wrapped]?.(text) ?? encode(text);
      expect(Array.from(readCsv(pieces(bytes, size), read))).toStrictEqual(
        recordsOf(given, format.header),
      );
    }),
    settings(1500),
  );
  expect(count).toBeGreaterThan(0);
});

describe("what is found out", () => {
  /** Values that hold the delimiter only in quotes, and whose types tell them from names. */
  const typed = fc.array(fc.tuple(fc.integer({ min: 0, max: 99 }), fc.boolean()), {
    minLength: 2,
    maxLength: 20,
  });

  test("is what the text was written in", () => {
    fc.assert(
      fc.property(
        typed,
        fc.constantFrom(",", ";", "\t", "|"),
        fc.constantFrom('"', "'"),
        fc.boolean(),
        fc.nat(2),
        pieceSize,
        (given, delimiter, quote, header, titles, size) => {
          // Without a header that is one by its values, a title may be the header.
          fc.pre(header || titles === 0);
          const rows = given.map(
            ([n, isHeld]) => [n, isHeld ? `Rome${delimiter} IT` : "Bo"] as const,
          );
          // If all of the values hold the delimiter, or none, single quotes could as well be part of them.
          const held = given.slice(0, 9).filter(([, isHeld]) => isHeld).length;
          fc.pre(quote === '"' || (held > 0 && held < Math.min(rows.length, 9)));
          const lines = rows.map(([n, city]) => `${n}${delimiter}${quote}${city}${quote}`);
          if (header) lines.unshift(`id${delimiter}city`);
          for (let i = 0; i < titles; i++) lines.unshift("A title");
          let found: FoundFormat = {};
          const onFormat = (part: FoundFormat) => {
            found = { ...found, ...part };
          };
          const options = { detect: true, onFormat };
          const text = pieces(encode(`${lines.join("\n")}\n`), size);
          const [a, b] = header ? ["id", "city"] : ["column_1", "column_2"];
          expect(Array.from(readCsv(text, options))).toEqual(
            rows.map(([n, city]) => ({ [a]: String(n), [b]: city })),
          );
          expect(found).toMatchObject({ delimiter, header, encoding: "utf-8" });
          expect(found.skipLines ?? 0).toBe(titles);
        },
      ),
      settings(300),
    );
  });

  test.each<[string, boolean]>([
    ["id,name\n1,a\n", true],
    ["1,a\n2,b\n", false],
    ["1,a\n", false],
    ["country,2019,2020\nNorway,1,2\n", true],
    ["2024-01-01,x\n2024-01-02,y\n", false],
    ["name,city\na,b\nc,d\n", true],
    ["a,b\na,b\n", true],
    ["a,b\na,b\nc,d\n", true],
    ["Mira,Jon,2019\nMira,Ute,2020\nJon,Ute,2020\n", false],
    ["name,2024-01-01,2024-02-01\nx,5,6\n", true],
    ["-,5\n3,6\n4,7\n", true],
  ])("of the header in %j", (text, header) => {
    let found: boolean | undefined;
    const onFormat = (part: FoundFormat) => (found = part.header ?? found);
    expect(Array.from(readCsv(text, { detect: true, onFormat })).length).toBeGreaterThan(0);
    expect(found).toBe(header);
  });

  /** Tables of texts, of which even the plain reading tells the values from the names. */
  const words = fc.constantFrom(
    ...["Lyon, FR", "late; rainy", 'she said "no", twice', "a|b", "x\ty", "it's", "", "\\"],
    ...["a\nb", "#1", "'a, b'", '"', "Ada", "Bo", "2019", "5.5", "7,5", "=1;2"],
  );
  const names = fc.constantFrom("a", "b", "it's", "c d", "City, Country", "x;y", "#id", "p|q");
  const tables = fc.integer({ min: 1, max: 4 }).chain((width) =>
    fc.record({
      names: fc.uniqueArray(names, { minLength: width, maxLength: width }),
      rows: fc.array(fc.array(words, { minLength: width, maxLength: width }), { maxLength: 6 }),
    }),
  );

  interface Written {
    readonly delimiter: string;
    readonly quotesAll: boolean;
    readonly space: string;
    /** Whether all rows, or those below the header, end in a delimiter, or lack a last value that is empty. */
    readonly ragged: "" | "all" | "trailing" | "left off";
    readonly title: string;
    /** The row before which a comment is. */
    readonly comment: number | undefined;
  }

  const usual: fc.Arbitrary<Written> = fc.record({
    delimiter: fc.constantFrom(",", ";", "\t", "|"),
    quotesAll: fc.boolean(),
    space: fc.constantFrom("", "", " "),
    ragged: fc.constantFrom("", "", "all", "trailing", "left off"),
    title: fc.constantFrom("", "", "", "Report\n", "City, 2019\n\n"),
    comment: fc.constantFrom(undefined, undefined, undefined, 0, 1),
  });

  /** The text of a table as most programs write it: only values that need quotes have them, or all of them. */
  function usualText(rows: readonly (readonly string[])[], as: Written): string {
    const { delimiter, quotesAll, space, ragged, title, comment } = as;
    const mayBePlain = (text: string) =>
      !quotesAll && text !== "" && !/["\n]/.test(text) && !text.includes(delimiter);
    const cell = (text: string) => (mayBePlain(text) ? text : `"${text.replaceAll('"', '""')}"`);
    const lines = rows.map((row, i) => {
      const isShort = ragged === "left off" && i > 0 && row.length > 1 && row.at(-1) === "";
      const held = isShort ? row.slice(0, -1) : row;
      const end = ragged === "all" || (ragged === "trailing" && i > 0) ? delimiter : "";
      return held.map(cell).join(delimiter + space) + end;
    });
    if (comment !== undefined) lines.splice(comment, 0, "# total, 3");
    return title + lines.map((line) => `${line}\n`).join("");
  }

  /** The options, other than delimiters and blanks, by which a reading differs from that of plain CSV. */
  function changed({ header, quote, escape, comment, skipLines, ragged }: FoundFormat): string[] {
    const own = {
      header: header !== true,
      quote: quote !== '"',
      escape,
      comment,
      skipLines,
      ragged,
    };
    return Object.entries(own).flatMap(([name, value]) =>
      value === undefined || value === false ? [] : name,
    );
  }

  /** The options by which a reading that changed nothing else differs from how the text was written. */
  const mistaken = (found: FoundFormat, as: Written): string[] =>
    Object.entries({
      delimiter: found.delimiter !== as.delimiter,
      trim: (found.trim === true) !== (as.space !== ""),
      comment: as.comment !== undefined,
      skipLines: as.title !== "",
      ragged: /trailing|left off/.test(as.ragged),
    }).flatMap(([name, isWrong]) => (isWrong ? name : []));

  test("is the table that was written, or it is refused, or a doubt names an option that decides", () => {
    let [exactly, all] = [0, 0];
    fc.assert(
      fc.property(tables, usual, (given, as) => {
        const text = usualText([given.names, ...given.rows], as);
        const found: FoundFormat = {};
        const onFormat = (part: FoundFormat) => void Object.assign(found, part);
        const attempt = (options: CsvOptions) => {
          try {
            // Without quotes, an empty value is null.
            const records = [...readCsv(text, options)];
            return records.map((record) => Object.entries(record).map(([k, v]) => [k, v ?? ""]));
          } catch (error) {
            expect(error).toBeInstanceOf(InputError);
            return undefined;
          }
        };
        const got = attempt({ detect: true, onFormat });
        const extra = as.ragged === "all" ? [[`column_${given.names.length + 1}`, ""]] : [];
        const exact = recordsOf(given, true).map((each) => [...Object.entries(each), ...extra]);
        const isRight = JSON.stringify(got) === JSON.stringify(exact);
        all++;
        if (isRight) exactly++;
        const { delimiter, space, ragged, title, comment } = as;
        const isUsual = !space && !ragged && !title && comment === undefined;
        // The plain reading of several columns stands.
        if (isUsual && delimiter === "," && given.names.length > 1) expect(got).toEqual(exact);
        if (got === undefined) return;
        const doubts = (found.doubts ?? []).join("; ");
        const options = [...doubts.matchAll(/the options? ([\w, ]+?) decide/g)].flatMap(
          ([, names = ""]) => names.split(/, | and /),
        );
        // Whatever is not read as in plain CSV is named, except delimiters and blanks that leave no choice.
        expect(options).toEqual(expect.arrayContaining(changed(found)));
        if (isRight || changed(found).length > 0) return;
        if (mistaken(found, as).some((name) => options.includes(name))) return;
        // By RFC 4180, the same text is that of another table, but for blanks.
        const { delimiter: by = "", trim = false } = found;
        const blank = trim ? " *" : "";
        const value = String.raw`${blank}(?:"(?:[^"]|"")*"|[^"\n${by}]*)`;
        expect(text).toMatch(new RegExp(`^(?:${value}[${by}\n])*$`));
        expect(got).toEqual(attempt({ delimiter: by, trim }));
      }),
      settings(1000),
    );
    expect(exactly * 3).toBeGreaterThan(all);
  });

  test.each([
    ["a;b|c\n1;2|3\n", 'source: may be divided by ";" or by "|"'],
    ["a;b\n1;2;3\n", 'source: may have one column, or several that ";" divides'],
    [
      "a,b,c\n1,2\n",
      "line 2: has 2 values, but there are 3 columns; if empty values were left off",
    ],
    ["a,b\n1,2,3\n", "line 2: has 3 values, but there are 2 columns"],
    ['remark\n"late, rainy" x\n"a, b" y\n', 'has " " after a closing quote'],
  ])("is doubtful for %j", (text, message) => {
    expect(() => [...readCsv(text, { detect: true })]).toThrow(message);
  });

  test.each<[string, FoundFormat, ...doubts: RegExp[]]>([
    ["id;name\n1;Zoë\n2;Bo\n", { delimiter: ";", header: true }],
    ["remark\nlate; rainy\nearly; dry\n", {}, /one column/],
    ["x;y,1\nz;w,2\n", { header: false }, /the option delimiter decides/, /"1" may be a value/],
    ["place,2019\nOslo,5\n", {}, /"2019" may be a value/],
    ["a, b\n1, 2\n", { trim: true }, /trim false: the option trim decides/],
    ['"a", "b"\n"1", "2"\n', { trim: true }],
    ["a ;b\n1 ;2\n", { trim: true, delimiter: ";" }, /the option trim decides/],
    ["a,b\n1,2,\n3,4,\n", { ragged: "pad" }, /the option ragged decides/],
    ["a,b,c\n1,2\n3,4,5\n", { ragged: "pad" }, /the option ragged decides/],
    [
      "Report\nFrom\tMay\nday\tsku\tpieces\nMo\tk\t1\nTu\tk\t2\n",
      { skipLines: 2 },
      /lines 1 to 2 were left out.*: the option skipLines decides/,
    ],
    ["a\nLyon, FR\n7,5\n7,5\n", { skipLines: 1 }, /line 1 was left out/],
    ["id;city\n1;'a;b'\n2;'c'\n", { quote: "'" }, /"'" as the quote.*: the option quote decides/],
    ["# made by x\na\n1\n2\n", {}, /line 1 was read as a row.*: the option comment decides/],
    ["# a, b\n1,2\n", {}, /line 1 was read as a row/],
    ["a,b\nx,1\n# total, 3\ny,2\n", {}, /line 3 was read as a row/],
    ["a,b\n1,2\n# x\n3,4\n# y\n", { comment: "#" }, /line 3 and 1 more were left out/],
    ['a;b,c\nx;"y; z",1\n', {}, /line 2 has quotes within a value/],
  ])("says how it read %j", (text, expected, ...doubts) => {
    const found: FoundFormat = {};
    const onFormat = (part: FoundFormat) => void Object.assign(found, part);
    expect([...readCsv(text, { detect: true, onFormat })].length).toBeGreaterThan(0);
    expect(found).toMatchObject(expected);
    expect(found.doubts ?? []).toEqual(doubts.map((each) => expect.stringMatching(each) as string));
  });

  test("names columns that have none, or that of another, and says which", () => {
    const parts: FoundFormat[] = [];
    const reading = readCsv("total,total,,total_2,\n1,2,3,4,5\n", {
      onFormat: (part) => parts.push(part),
    });
    expect([...reading]).toEqual([
      { total: "1", total_3: "2", column_3: "3", total_2: "4", column_5: "5" },
    ]);
    expect(parts).toContainEqual({
      ...{ format: "csv", delimiter: ",", header: true },
      renamed: [
        { column: 2, from: "total", to: "total_3" },
        { column: 3, from: "", to: "column_3" },
        { column: 5, from: "", to: "column_5" },
      ],
    });
  });
});

describe("dates in other forms", () => {
  const pad = (value: number) => String(value).padStart(2, "0");
  const forms: Readonly<Record<string, (date: Date) => string>> = {
    "%d.%m.%Y": (d) => `${pad(d.getUTCDate())}.${pad(d.getUTCMonth() + 1)}.${d.getUTCFullYear()}`,
    "%m/%d/%Y": (d) => `${d.getUTCMonth() + 1}/${d.getUTCDate()}/${d.getUTCFullYear()}`,
    "%d %b %Y": (d) =>
      `${d.getUTCDate()} ${d.toLocaleString("en-US", { month: "short", timeZone: "UTC" })} ${d.getUTCFullYear()}`,
    "%B %d, %Y": (d) =>
      `${d.toLocaleString("en-US", { month: "long", timeZone: "UTC" })} ${d.getUTCDate()}, ${d.getUTCFullYear()}`,
  };
  const date = fc.date({
    min: new Date("1000-01-01T00:00:00Z"),
    max: new Date("9999-12-31T00:00:00Z"),
    noInvalidDate: true,
  });

  test("become ISO texts, and all else stays", () => {
    fc.assert(
      fc.property(fc.array(date), fc.constantFrom(...Object.keys(forms)), (dates, dateFormat) => {
        const texts = dates.map((each) => forms[dateFormat]?.(each) ?? "");
        const csv = `n;at\n${texts.map((text, i) => `${i};${text}\n`).join("")}x;someday\n`;
        const iso = dates.map((each) => each.toISOString().slice(0, 10));
        for (const format of [dateFormat]) {
          const options = { delimiter: ";", dateFormat: format };
          expect(Array.from(readCsv(csv, options), ({ at }) => at)).toEqual([...iso, "someday"]);
          const schema = inferSchema(readCsv(csv, options));
          const loaded = loadCollection(schema, readCsv(csv, { ...options, schema }));
          expect(loaded.query().map(({ at }) => at)).toEqual([...iso, "someday"]);
        }
      }),
      settings(100),
    );
  });

  test.each([
    ["%d.%m.%Y %H:%M", "29.02.2024 09:05", "2024-02-29T09:05:00"],
    ["%Y-%m-%d %I:%M:%S %p", "2024-02-29 12:00:01 am", "2024-02-29T00:00:01"],
    ["%Y-%m-%dT%H:%M:%S.%f%z", "2024-02-29T23:30:00.5-02:00", "2024-03-01T01:30:00.500000Z"],
    ["%d.%m.%y", "31.12.69", "1969-12-31"],
    ["%d.%m.%Y", "30.02.2024", "30.02.2024"],
    ["%D", "2/29/24", "2024-02-29"],
  ])("in the form %s: %s is %s", (dateFormat, text, expected) => {
    expect([...readCsv(`at\n${text}\n`, { dateFormat })]).toEqual([{ at: expected }]);
  });

  test("of a column that is named must all have the form", () => {
    const csv = "at,on\n20240229,20240229\n20240230,x\n";
    const refused: Refused[] = [];
    const options = { dateFormat: { at: "%Y%m%d" } };
    const schema = inferSchema(readCsv("at,on\n20240229,x\n", options));
    const reading = readCsv(csv, { ...options, schema, skipInvalid: (each) => refused.push(each) });
    expect([...reading]).toEqual([{ at: "2024-02-29", on: "20240229" }]);
    expect(refused[0]?.reason).toBe('at: must be a date in the form %Y%m%d, not "20240230"');
  });

  test.each([
    ["%Y%m%d", /would take numbers for dates; name the column/],
    ["%d.%m", /must have a year, a month and a day/],
    ["%d.%m.%Y %Q", /unknown directive %Q; use %Y/],
    ["%d.%m.%Y %d", /has %d twice/],
  ])("may not be %s", (dateFormat, reason) => {
    expect(thrownBy(InputError, () => readCsv("", { dateFormat })).reason).toMatch(reason);
  });
});

test("numbers with a decimal comma are floats, and only these", () => {
  const options = { delimiter: ";", decimal: "," } as const;
  const csv = "a;b;c;d;e\n19,90;5;1.234,5;1.5;192.168.100.200\n-0,5;6;2;2.5;10.0.0.1\n";
  const schema = inferSchema(readCsv(csv, options));
  expect(Object.values(schema.fields).map(({ type }) => type)).toEqual([
    ...["float", "int", "float", "string", "string"],
  ]);
  expect(loadCollection(schema, readCsv(csv, { ...options, schema })).at(0)).toEqual({
    ...{ a: 19.9, b: 5, c: 1234.5, d: "1.5", e: "192.168.100.200" },
  });
});

describe("files that are no text", () => {
  test.each<[string, string | Buffer, RegExp]>([
    ["a workbook", "PK\x03\x04rest of it, as it is", /Excel.*save the sheet as CSV/],
    ["SQLite", "SQLite format 3\0 and pages", /SQLite database.*export/],
    ["Parquet", "PAR1 and columns and a footer", /Parquet.*readParquet/],
    ["Arrow", "ARROW1\0\0 and so on, and so on", /Arrow file.*readArrow/],
    ["bzip2", "BZh91AY&SY and so on, and so on", /bzip2; ?.*decompress|bzip2.*decompress/],
  ])("are named: %s", (_, text, reason) => {
    const bytes = Buffer.from(text.toString(), "latin1");
    for (const given of [bytes, zlib.gzipSync(bytes)]) {
      for (const size of [1, 5, 100]) {
        const error = thrownBy(InputError, () => [...readRecords(pieces(given, size))]);
        expect([error.path, error.code]).toEqual(["source", "unsupported"]);
        expect(error.reason).toMatch(reason);
      }
    }
  });

  // fzstd waits for more bytes than the shortest frames have.
  test.each([1, 100])("but Zstandard is text, however short, in pieces of %d bytes", (size) => {
    const frame = Buffer.from("28b52ffd2004210000610a310a", "hex");
    expect([...readCsv(pieces(frame, size), { zstd: fzstd })]).toEqual([{ a: "1" }]);
    expect([...readCsv(pieces(zstdOf(encode("a\n1\n")), size), { zstd: fzstd })]).toHaveLength(1);
  });

  test("or damaged, are refused wherever they end; Zstandard needs fzstd", () => {
    const packed = zstdOf(encode("a,b\n1,2\n3,4\n"), 5);
    expect(thrownBy(InputError, () => [...readCsv(packed)]).reason).toMatch(
      /pass the package fzstd/,
    );
    expect([...readCsv(Buffer.concat([packed, packed]), { zstd: fzstd })]).toHaveLength(5);
    for (let end = 4; end < packed.length; end++) {
      const cut = packed.subarray(0, end);
      expect(thrownBy(InputError, () => [...readCsv(cut, { zstd: fzstd })]).code).toBe("damaged");
    }
  });
});
