// CSV: our own output and that of other programs can be read, and errors locate damage.

import { gzipSync } from "node:zlib";
import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, test } from "vitest";
import {
  readCsv,
  readNdjson,
  UndeclaredError,
  writeCsv,
  type CsvOptions,
  type FoundFormat,
  type Refused,
  type SyncBytes,
} from "../../src/import/index.ts";
import { Contact, createCollection, File, InputError, int, string } from "../../src/index.ts";
import { settings } from "../property.ts";
import { fitsCsv, nastyName, nastyRecords, nastyValue, pieceSize } from "./nasty.ts";
import { encode, pieces } from "./pieces.ts";
import { like } from "../likeness.ts";
import { wireSchema } from "../wire-schema.ts";

const read = (text: string, size: number, options?: CsvOptions) =>
  Array.from(readCsv(pieces(encode(text), size), options));

const formats = fc.record({
  delimiter: fc.constantFrom(",", ";", "\t", "|", "^", "]", "\\", "-"),
  nullText: fc.constantFrom("", "\\N", "null", "a", " "),
});

test("a round trip keeps the records, whatever they hold and wherever the text is cut", () => {
  fc.assert(
    fc.property(nastyRecords, formats, pieceSize, (records, given, size) => {
      const format = given.nullText.includes(given.delimiter) ? { ...given, nullText: "" } : given;
      if (!fitsCsv(records, format.nullText)) {
        expect(() => [...writeCsv(records, format)]).toThrow(
          "in the only column, which would be a blank line",
        );
        return;
      }
      const text = [...writeCsv(records, format)].join("");
      expect(read(text, size, format)).toStrictEqual(records);
      // Other programs use other line ends, begin with a mark, and omit the last line end.
      const marked = `\ufeff${text}`;
      expect(read(marked, size, format)).toStrictEqual(records);
    }),
    settings(500),
  );
});

test("a text cut in two anywhere is the same text", () => {
  const text = '\ufeffa,é\r\n1,"x\r\n""y"""\n\n"",🎉\r\n,"\n"';
  const whole = read(text, 1000);
  expect(whole).toEqual([
    { a: "1", é: 'x\r\n"y"' },
    { a: "", é: "🎉" },
    { a: null, é: "\n" },
  ]);
  const bytes = encode(text);
  for (let at = 0; at <= bytes.length; at++) {
    expect(Array.from(readCsv([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(whole);
  }
});

const tables = fc.uniqueArray(nastyName, { minLength: 2, maxLength: 4 }).chain((names) =>
  fc
    .array(fc.array(nastyValue, { minLength: names.length, maxLength: names.length }), {
      maxLength: 6,
    })
    .map((rows) => [names, ...rows]),
);

test("Papa Parse and tercet read each other's output", () => {
  fc.assert(
    fc.property(
      tables,
      fc.boolean(),
      fc.constantFrom("\n", "\r\n"),
      pieceSize,
      (table, quotes, newline, size) => {
        const [names = [], ...rows] = table;
        const records = rows.map((row) =>
          Object.fromEntries(row.map((value, i) => [names[i] ?? "", value])),
        );
        const theirs = Papa.unparse(table, { newline, quotes });
        // A byte order mark at the start of a name is also at the start of the text, and nothing is no name.
        fc.pre(!theirs.startsWith("\ufeff") && (quotes || !names.includes("")));
        expect(read(theirs, size, { nullText: false })).toStrictEqual(records);

        const ours = [...writeCsv(records, { nullText: false })].join("");
        fc.pre(rows.length > 0);
        const parsed = Papa.parse<string[]>(ours.slice(0, -1), { delimiter: ",", newline: "\n" });
        expect(parsed.errors).toEqual([]);
        expect(parsed.data).toEqual([
          Object.keys(records[0] ?? {}),
          ...records.map((each) => Object.values(each)),
        ]);
      },
    ),
    settings(300),
  );
});

const Person = wireSchema({
  id: int(),
  name: string(),
  age: int({ nullable: true }),
  note: string({ nullable: true }),
  visits: int({ default: "0" }),
  kind: string({ oneOf: ["a", "b"], default: "a" }),
});

describe("with a schema", () => {
  test("nothing means null, the empty string, or the field's default", () => {
    const text = 'id,name,age,note,visits,kind\n1,,,,,\n2,"","","","",""\n3,n,4,x,5,b\n';
    const records = (nullText: string | false) =>
      createCollection(
        Person,
        readCsv(text.replaceAll(',"",', nullText === "" ? ',"",' : ","), {
          schema: Person,
        }),
      );
    expect(records("").query()).toEqual([
      { id: "1", name: "", age: null, note: null, visits: "0", kind: "a" },
      { id: "2", name: "", age: null, note: "", visits: "0", kind: "a" },
      { id: "3", name: "n", age: "4", note: "x", visits: "5", kind: "b" },
    ]);
  });

  test("another text means null, and nothing then means the empty string", () => {
    const read = readCsv('id,note,name\n1,\\N,x\n2,,y\n3,"\\N",z', {
      schema: Person,
      nullText: "\\N",
    });
    expect(Array.from(read, ({ note }) => note)).toEqual([null, "", "\\N"]);
    expect(() => Array.from(readCsv("id,name\n1,-", { schema: Person, nullText: "-" }))).toThrow(
      like(new InputError("line 2.name", "must not be null")),
    );
  });

  test("columns may be in any order, have other names, or be omitted", () => {
    const text = "Full name,nr,junk\nx,7,?\n";
    const columns = { "Full name": "name", nr: "id", junk: null };
    expect(Array.from(readCsv(text, { schema: Person, columns }))).toEqual([
      { id: "7", name: "x" },
    ]);
    expect(
      Array.from(readCsv("id,name,x\n1,y,z", { schema: Person, otherColumns: "ignore" })),
    ).toEqual([{ id: "1", name: "y" }]);
    expect(Array.from(readCsv("1,y", { schema: Person, header: ["id", "name"] }))).toEqual([
      { id: "1", name: "y" },
    ]);
  });

  test.each([
    ["id,nmae\n", {}, "line 1", 'the column "nmae" is not a field; did you mean "name"?'],
    ["id,name,id\n", {}, "line 1", 'the column "id_2" is not a field'],
    [
      "id,nr,name\n",
      { columns: { nr: "id" } },
      "line 1",
      'the column "nr" maps to "id", as does "id"',
    ],
    [
      "id,name\n",
      { columns: { nam: "name" } },
      "line 1",
      'has no column "nam"; did you mean "name"?',
    ],
    [
      "id,name\n",
      { columns: { name: "nme" }, otherColumns: "ignore" },
      "line 1",
      'the column "name" is not a field; did you mean "name"?',
    ],
    ['\n\n"id\n', {}, "line 3", "has an unclosed quote"],
    ["id\n1", {}, "line 2.name", "is missing"],
  ] as const)("%j is refused: %j", (text, options, path, reason) => {
    expect(() => Array.from(readCsv(text, { schema: Person, ...options }))).toThrow(
      like(new InputError(path, reason)),
    );
  });

  test("Contacts have their List and List Fields in columns", () => {
    const listFields = { Email: "string", Age: "int" } as const;
    const text = "send_id,contact_id,contact_email,list,City,fields.Age\n1,2,x,77,Rome,\n";
    const contact = { send_id: "1", contact_id: "2", contact_email: "x" };
    const columns = { City: "fields.Email" };
    expect(Array.from(readCsv(text, { schema: Contact, listFields, columns }))).toEqual([
      { ...contact, list: "77", fields: { Email: "Rome", Age: null } },
    ]);
    expect(() =>
      Array.from(readCsv(text, { schema: Contact, listFields: { Age: "int" }, columns })),
    ).toThrow(like(new InputError("line 1", 'the column "City" is not a field')));
    const many = Array.from({ length: 30 }, (_, i) => `c${i}`);
    const named = many.slice(0, 20).map((name) => `"${name}"`);
    expect(() => Array.from(readCsv(many.join(), { schema: Contact }))).toThrow(
      like(
        new InputError("line 1", `these columns are not fields: ${named.join(", ")} and 10 more`),
      ),
    );
    const failing = () => Array.from(readCsv("a,fields.City\n", { schema: Contact, listFields }));
    expect(failing).toThrow(UndeclaredError);
    expect(failing).toThrow(expect.objectContaining({ columns: ["a"], listFields: ["City"] }));
    expect(() =>
      Array.from(
        readCsv(text.replace("Rome,", "Rome,x"), { schema: Contact, columns, listFields }),
      ),
    ).toThrow(/^line 2\.fields\.Age: must be an integer/);
  });
});

describe("errors name the line on which the row begins", () => {
  const lines = fc.array(fc.constantFrom("1,x", '2,"\n"', '3,"\r\n\n"', "", '"4","""\n"'), {
    maxLength: 20,
  });
  test("whatever comes before it, and wherever it is cut", () => {
    fc.assert(
      fc.property(lines, fc.constantFrom("\n", "\r\n"), pieceSize, (before, end, size) => {
        const head = ["id,name", ...before].map((line) => line + end).join("");
        const place = `line ${head.split("\n").length}`;
        const fails = (row: string, reason: string, path = place) =>
          expect(() =>
            Array.from(readCsv(pieces(encode(`${head}${row}${end}5,z`), size), { schema: Person })),
          ).toThrow(like(new InputError(path, reason)));
        const remedy = 'if empty values were left off at its end, set the option ragged to "pad"';
        fails("6", `has 1 value, but there are 2 columns; ${remedy}`);
        fails("6,7,8", "has 3 values, but there are 2 columns");
        fails('6,"x"y', 'has "y" after a closing quote');
        fails('6,"x', "has an unclosed quote");
        const bad = pieces(encode(`${head}x,7`), size);
        expect(() => Array.from(readCsv(bad, { schema: Person }))).toThrow(
          new RegExp(`^${place}\\.id: must be an integer`),
        );
      }),
      settings(100),
    );
  });

  test("for bytes that are not UTF-8", () => {
    const text = Buffer.concat([encode('a\n"\n"\né'), Buffer.of(0xff), encode("\n")]);
    for (let size = 1; size <= text.length; size++) {
      expect(() => Array.from(readCsv(pieces(text, size)))).toThrow(
        like(
          new InputError(
            "line 4",
            'is not UTF-8 at byte 8; set the option encoding, such as "windows-1252"',
          ),
        ),
      );
    }
  });

  test("for the first of these bytes, wherever sequences may go wrong", () => {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const textOf = (bytes: Uint8Array) => {
      try {
        return decoder.decode(bytes);
      } catch {
        return undefined;
      }
    };
    // The ends of the ranges that the first and the second byte of a sequence may be in, and their neighbours.
    const ends = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf];
    ends.push(0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff);
    const sequence = fc.oneof(
      fc.constantFrom(...ends).map((byte) => [byte]),
      fc
        .constantFrom("a", "é", "€", "\ud7ff", "\ue000", "🎉", "\u{10ffff}")
        .map((text) => Array.from(encode(text))),
    );
    fc.assert(
      fc.property(fc.array(sequence, { minLength: 1, maxLength: 8 }), pieceSize, (all, size) => {
        const bytes = Uint8Array.from(all.flat());
        const text = textOf(bytes);
        const read = () => Array.from(readCsv(pieces(bytes, size), { header: ["a"] }));
        if (text !== undefined) expect(read()).toEqual([{ a: text }]);
        else {
          let bad = bytes.length - 1;
          while (textOf(bytes.subarray(0, bad)) === undefined) bad--;
          expect(read).toThrow(`line 1: is not UTF-8 at byte ${bad};`);
        }
      }),
      settings(500),
    );
  });

  test.each([
    [
      "a;b\n1;2,5\n",
      'line 2: has 2 values, but there is 1 column; the option delimiter may have to be ";"',
    ],
    ["a\n1,2\n", "line 2: has 2 values, but there is 1 column"],
    ["a\tb,c\n1,2,3\n", "line 2: has 3 values, but there are 2 columns"],
  ])("for %j, naming the delimiter if it may be another one", (text, message) => {
    expect(() => [...readCsv(text)]).toThrow(message);
  });

  test("for columns that look like one", () => {
    expect(() => [...readCsv("id\tname\n1\tAda\n", { schema: Person })]).toThrow(
      'line 1: the column "id\\tname" is not a field; the option delimiter may have to be "\\t"',
    );
  });
});

describe("the delimiter of a text of unknown origin", () => {
  const delimiterOf = (source: SyncBytes) => {
    let found: FoundFormat = {};
    const onFormat = (part: FoundFormat) => {
      found = { ...found, ...part };
    };
    // What is damaged is an error of reading.
    const reading = readCsv(source, { detect: true, onFormat, skipInvalid: () => undefined });
    expect(Array.from(reading)).toBeDefined();
    return found.delimiter;
  };

  test.each([
    ["id;name;total\n1;Ada;19,90\n2;Bo;5,00\n", ";"],
    ["id,name\n1,Ada\n", ","],
    ["id\tname\n1\tA,b\n2\tc\n", "\t"],
    ["a|b|c\r\n1|2|3", "|"],
    // Quoted values are whole, and blank lines no rows.
    ['a;"b,c"\n\n"1\n,2";3\n', ";"],
    // Several divide the rows alike: the plain reading stands.
    ["a;b;c,d\n1;2;3,4\n", ","],
    ["a;b,c\n1;2,3\n", ","],
    // In doubt a comma: one column, rows of several lengths, damaged quotes.
    ["id\n1,5\n2;6\n", ","],
    // As spreadsheets name it, even if all rows have another.
    ["sep=|\na,b|c\n1,2|3\n", "|"],
    // The first ten rows count, and a byte order mark is not part of the first name.
    [`\ufeff"a";b\n${"1;2\n".repeat(9)}3\n`, ";"],
    [`a;b\n${"1;2\n".repeat(8)}3\n`, ","],
  ])("of %j is %j", (text, delimiter) => {
    expect(delimiterOf(text)).toBe(delimiter);
    expect(delimiterOf(pieces(encode(text), 3))).toBe(delimiter);
    expect(delimiterOf(gzipSync(text))).toBe(delimiter);
  });

  test("divides any rows again that were written with it", () => {
    const value = nastyValue.map((text) => text.replace(/[,;\t|]/g, ""));
    const rows = fc.array(fc.record({ a: value, b: value, c: value }), { minLength: 1 });
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom(",", ";", "\t", "|"),
        pieceSize,
        (records, delimiter, size) => {
          const bytes = encode([...writeCsv(records, { delimiter })].join(""));
          expect(delimiterOf(pieces(bytes, size))).toBe(delimiter);
        },
      ),
      settings(100),
    );
  });
});

describe("text in another encoding", () => {
  // The characters of windows-1252 from its bytes 0x80 to 0x9f that differ from Latin-1, and those of Latin-1.
  const special = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";
  const codes = [0x80, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8e];
  codes.push(0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9e, 0x9f);
  const byteOf = (character: string) => {
    const at = special.indexOf(character);
    return at < 0 ? character.charCodeAt(0) : (codes[at] ?? 0);
  };
  const encoders = {
    "windows-1252": (text: string) => Uint8Array.from(text, byteOf),
    "utf-16le": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le"),
    "UTF-8": encode,
  };
  const texts = fc.string({
    unit: fc.constantFrom(...Array.from(`${special}aé\u00a0ÿß,;"\n\r`)),
    maxLength: 12,
  });

  test("is the same text in any pieces", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ a: texts, "é€": texts }, { noNullPrototype: true })),
        fc.constantFrom("windows-1252", "utf-16le", "UTF-8"),
        pieceSize,
        (records, encoding, size) => {
          const bytes = encoders[encoding]([...writeCsv(records)].join(""));
          expect([...readCsv(pieces(bytes, size), { encoding })]).toStrictEqual(records);
          expect([...readCsv(gzipSync(bytes), { encoding })]).toStrictEqual(records);
        },
      ),
      settings(100),
    );
  });

  test("is read by the readers of JSON, too, and a string has none", async () => {
    const bytes = Uint8Array.from('{"a":"é€"}', byteOf);
    const encoding = "windows-1252";
    expect([...readNdjson(bytes, { encoding })]).toEqual([{ a: "é€" }]);
    expect(await readNdjson(new Blob([bytes]), { encoding }).collect()).toEqual([{ a: "é€" }]);
    expect([...readCsv("é\n€", { encoding })]).toEqual([{ é: "€" }]);
    const detect = { encoding: "utf-16le", detect: true };
    expect([...readCsv(encoders["utf-16le"]("a;b\n1;2"), detect)]).toEqual([{ a: "1", b: "2" }]);
  });

  test("is refused if it is damaged, or of an unknown encoding", () => {
    expect(() => [...readCsv(Uint8Array.of(0, 0xd8, 65, 0), { encoding: "utf-16le" })]).toThrow(
      like(new InputError("source", "is not utf-16le")),
    );
    expect(() => [...readCsv(Uint8Array.of(65, 0, 66), { encoding: "utf-16le" })]).toThrow(
      like(new InputError("source", "is not utf-16le")),
    );
    expect(() => readCsv(Uint8Array.of(), { encoding: "klingon" })).toThrow(
      like(
        new InputError(
          "options.encoding",
          'must be the name of an encoding, such as "windows-1252", not "klingon"',
        ),
      ),
    );
  });
});

test("refused rows are skipped and reported, and the others come through", () => {
  const text = 'id,name\n1,a\nx,b\n2\n3,"c"?\n4,"d\n"\n5,"e';
  for (let size = 1; size <= text.length; size++) {
    const refused: Refused[] = [];
    const reading = readCsv(pieces(encode(text), size), {
      schema: Person,
      skipInvalid: (each) => refused.push(each),
    });
    expect(Array.from(reading, ({ id }) => id)).toEqual(["1", "4"]);
    expect(reading.refused).toBe(4);
    expect(refused.map(({ place, record }) => [place, record])).toEqual([
      ["line 3", { id: "x", name: "b" }],
      ["line 4", ["2"]],
      ["line 5", '3,"c"?'],
      ["line 8", '5,"e'],
    ]);
    expect(refused[0]?.reason).toMatch(/^id: must be an integer/);
  }
});

test("a row that does not end is refused at 16 MiB, however small the pieces", () => {
  const endless = function* () {
    yield encode('a,b\n1,"');
    for (let i = 0; i < 10_000; i++) yield encode(`${"x".repeat(4095)}\n`);
    throw new Error("reading went on");
  };
  expect(() => Array.from(readCsv(endless()))).toThrow(
    like(new InputError("line 2", "is longer than the limit of 16 MiB; a quote may be unclosed")),
  );
});

test("streams, Blobs, pages and gzip are read as they are", async () => {
  const text = "a,b\n1,x\n2,é\n";
  const expected = [
    { a: "1", b: "x" },
    { a: "2", b: "é" },
  ];
  const zipped = gzipSync(text);
  const sources = [text, encode(text), zipped, [zipped.subarray(0, 1), zipped.subarray(1)]];
  for (const source of sources) expect(await readCsv(source).collect()).toEqual(expected);
  for (const bytes of [encode(text), zipped]) {
    const blob = new Blob([bytes]);
    expect(await readCsv(blob).collect()).toEqual(expected);
    expect(await readCsv(blob.stream()).collect()).toEqual(expected);
    const response = new Response(bytes);
    if (response.body === null) throw new Error("there is no body");
    const reading = readCsv(response.body);
    const records: unknown[] = [];
    for await (const record of reading) records.push([reading.place, record]);
    expect(records).toEqual([
      ["line 2", expected[0]],
      ["line 3", expected[1]],
    ]);
  }
});

test("an invalid source is refused, and stopping early ends the stream", async () => {
  for (const source of [5, null, {}, [5]]) {
    await expect(readCsv(source as unknown as Uint8Array).collect()).rejects.toThrow(InputError);
  }
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(encode("a\n1\n")),
    cancel: () => void (isCancelled = true),
  });
  for await (const record of readCsv(stream)) {
    expect(record).toEqual({ a: "1" });
    break;
  }
  expect(isCancelled).toBe(true);
});

test("escapeFormulas makes formulas harmless and leaves integers alone", () => {
  const records = ["=1", "+1", "-1", "-1+1", "@x", "\tx", "\rx", "x=1", ""].map((a) => ({ a }));
  const text = [...writeCsv(records, { escapeFormulas: true })].join("");
  expect(read(text, 100).map(({ a }) => a)).toEqual([
    "'=1",
    "'+1",
    "-1",
    "'-1+1",
    "'@x",
    "'\tx",
    "'\rx",
    "x=1",
    "",
  ]);
});

test("escapeFormulas leaves no cell that begins with a sign, however a spreadsheet splits and trims it", () => {
  const part = fc.constantFrom(
    ...["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\n", "\r", "\t", " ", "\0"],
    ...[";", ",", "|", '"', "'", "1", "x", "\u3000", "\ufeff", "\u200b"],
  );
  const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
  const check = (value: string, name: string, delimiter: string) => {
    const written = [...writeCsv([{ [name]: value }], { escapeFormulas: true, delimiter })].join(
      "",
    );
    const [record = {}] = read(written, 100, { delimiter });
    for (const [given, kept] of [
      [value, Object.values(record)[0]],
      [name, Object.keys(record)[0]],
    ] as const) {
      const isNumber = /^-?\d+$/.test(given) && String(Number(given)) === given;
      const isFormula = /^[\s\0\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\n\r]/.test(given);
      expect(kept).toBe(isFormula && !isNumber ? `'${given}` : given);
    }
    // Without quoted values, no separator is left.
    expect(written.replaceAll(/"(?:[^"]|"")*"/g, "")).toMatch(/^[^,;|\t]*$/);
  };
  check("\n=1+1", "a", ",");
  check("a;=1+1", "\uff1d1+1", ",");
  fc.assert(
    fc.property(
      text,
      text.filter((name) => name !== ""),
      fc.constantFrom(",", ";", "\t"),
      check,
    ),
    { numRuns: 300 },
  );
});

test("Files are written with every column, and errors name what can't be written", () => {
  const files = [{ id: 1, folder_id: 2n, name: "a.txt" }];
  const [head, row] = writeCsv(files, { schema: File });
  expect(head).toBe(`${Object.keys(File.fields).join(",")}\n`);
  expect(row).toBe('1,2,a,.txt,0,0,0,0,"",0,0,a.txt,""\n');
  expect(() => [...writeCsv([{ id: 1 }], { schema: File })]).toThrow(
    like(new InputError("records[0].folder_id", "is missing")),
  );
  expect(() => [...writeCsv([{ a: null }], { nullText: false })]).toThrow(
    like(new InputError("records[0].a", "is null, which needs a nullText")),
  );
  expect(() => [...writeCsv([{ a: 1 }, { a: 1, b: 2 }])]).toThrow(
    like(new InputError("records[1]", 'has "b", which the first record lacks')),
  );
  expect(() => [...writeCsv([{ a: {} }])]).toThrow(/^records\[0\]\.a: must be/);
});

test.each([
  [{ delimiter: "" }, /^options\.delimiter: must be a string/],
  [{ delimiter: '"' }, /^options\.delimiter/],
  [{ delimiter: "\n" }, /^options\.delimiter/],
  [{ nullText: "a,b" }, /^options\.nullText: must be false or strings/],
  [{ nullText: '"' }, /^options\.nullText/],
])("the format %j is refused", (format, message) => {
  expect(() => readCsv("a", format)).toThrow(message);
  expect(() => [...writeCsv([], format)]).toThrow(message);
});
