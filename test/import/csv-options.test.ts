// The options of CSV readers: which are valid, and where errors are reported.

import { describe, expect, test } from "vitest";
import { readCsv, type CsvOptions } from "../../src/import/index.ts";
import { Contact, defineSchema, InputError, int, string } from "../../src/index.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";

const rows = (text: string, options: CsvOptions = {}) => [...readCsv(text, options)];
const refused = (text: string, options: object) =>
  thrownBy(InputError, () => [...readCsv(text, untyped(options))]);

describe("the option delimiter", () => {
  test.each([",", ";", "\t", "|", " ", "a", "é", "€", "\ufeff", "||", "\u{1f986}"])(
    "may be %j",
    (delimiter) => {
      const text = `x${delimiter}y\n1${delimiter}"2${delimiter}"\n`;
      expect(rows(text, { delimiter })).toEqual([{ x: "1", y: `2${delimiter}` }]);
    },
  );

  test.each(["", '"', ',"', "\n", "\r", "\ud83d", 5, null, [","]])("may not be %j", (delimiter) => {
    expect(refused("x\n", { delimiter }).path).toBe("options.delimiter");
  });
});

describe("the option nullText", () => {
  test.each(["NULL", "\\N", " ", "é"])(
    "may be %j, which means null unless it is quoted",
    (nullText) => {
      expect(
        rows(`x,y\n${nullText},"${nullText}"\n,${nullText}${nullText}\n`, { nullText }),
      ).toEqual([
        { x: null, y: nullText },
        { x: "", y: nullText + nullText },
      ]);
    },
  );

  test("is the empty text by default, and false for none", () => {
    expect(rows('x,y\n,""\n')).toEqual([{ x: null, y: "" }]);
    expect(rows('x,y\n,""\n', { nullText: false })).toEqual([{ x: "", y: "" }]);
  });

  test.each(['a"', "a\n", "\r", "a,b", true, null, 0])("may not be %j", (nullText) => {
    expect(refused("x\n", { nullText }).path).toBe("options.nullText");
  });

  test("has no meaning in a name", () => {
    expect(rows('a,"",NULL\n1,2,3\n')).toEqual([{ a: "1", "": "2", NULL: "3" }]);
    expect(rows("a,NULL\n1,2\n", { nullText: "NULL" })).toEqual([{ a: "1", NULL: "2" }]);
  });
});

describe("the option trim", () => {
  test("ignores blanks around values and around quotes, but not within", () => {
    const text = ' a ,\t"b"\t, c\n 1 , " x ""y"", " ,  \n\t2,"",3 \n';
    expect(rows(text, { trim: true })).toEqual([
      { a: "1", b: ' x "y", ', c: null },
      { a: "2", b: "", c: "3" },
    ]);
    expect(rows("a\tb\n 1\t\n", { delimiter: "\t", trim: true })).toEqual([{ a: "1", b: null }]);
    expect(refused('a,b\n"x" y,1\n', { trim: true }).reason).toMatch(/"y" after a closing quote/);
    expect(refused("a", { trim: 1 }).path).toBe("options.trim");
  });
});

describe("the option ragged", () => {
  test("pads rows, drops empty values beyond the last column, and refuses others", () => {
    const ragged = "pad";
    const text = 'a,b,c\n1,2\n\n3,4,5,,\n6\n"",,\n';
    expect(rows(text, { ragged })).toEqual([
      { a: "1", b: "2", c: null },
      { a: "3", b: "4", c: "5" },
      { a: "6", b: null, c: null },
      { a: "", b: null, c: null },
    ]);
    expect(rows("1\n2,\n", { ragged, header: ["a", "b"] })).toHaveLength(2);
    expect(refused("a,b\n1,2,3\n", { ragged }).reason).toBe(
      "has 3 values, but there are 2 columns",
    );
    expect(refused("a,b\n1\n", {}).reason).toMatch(/set the option ragged to "pad"/);
    expect(refused("a,b\n1\n", { ragged: "x" }).path).toBe("options.ragged");
  });
});

test("a header may be given, and the first line is then a row", () => {
  expect(rows("1,2\n", { header: ["x", "y"] })).toEqual([{ x: "1", y: "2" }]);
  expect(rows("1,2\n", { header: ["x", "x"] })).toEqual([{ x: "1", x_2: "2" }]);
  for (const header of [5, "x", [1], null]) {
    expect(refused("1,2\n", { header }).path).toBe("options.header");
  }
});

describe("lines", () => {
  test("that are blank are skipped", () => {
    expect(rows("x,y\n\n1,2\r\n\r\n3,4")).toEqual([
      { x: "1", y: "2" },
      { x: "3", y: "4" },
    ]);
    expect(rows("x\n\n1\n\n")).toEqual([{ x: "1" }]);
  });

  test("may have as many columns as there are", () => {
    const names = Array.from({ length: 200 }, (_, i) => `c${i}`);
    const values = names.map((_, i) => (i % 2 === 0 ? `${i}` : `"a""${i}"`));
    const [row = {}] = rows(`${names.join()}\n${values.join()}\n`);
    expect(Object.entries(row)).toEqual(
      names.map((name, i) => [name, i % 2 === 0 ? `${i}` : `a"${i}`]),
    );
  });

  test.each([
    ["x,y\n1\n", "line 2"],
    ["x,y\n1,2\n\n1,2,3\n", "line 4"],
    ["x\n1,2\n", "line 2"],
    ['x,y\n"1\n2",3\n4\n', "line 4"],
    ['x,y\n1,"2\n', "line 2"],
    ['x,y\n1,"2"3\n', "line 2"],
    ['"x\n', "line 1"],
  ])("%j has its error at %s", (text, path) => {
    expect(refused(text, {}).path).toBe(path);
  });
});

describe("columns that are not fields", () => {
  const Person = defineSchema({
    id: int(),
    name: string({ default: "" }),
    city: string({ default: "" }),
  });
  const columns = (header: string, options: object = {}) =>
    refused(`${header}\n`, { schema: Person, ...options });

  test("are an error at the line of the header, with the names that are near", () => {
    const one = columns("id,nmae");
    expect([one.path, one.reason]).toEqual([
      "line 1",
      'the column "nmae" is not a field; did you mean "name"?',
    ]);
    const two = columns("id,nmae,wholly other");
    expect(two.reason).toContain('"nmae" (did you mean "name"?)');
    expect(two.reason).toContain('"wholly other"');
    const header = Array.from({ length: 30 }, (_, i) => `column ${i}`).join();
    expect(columns(header).reason).toMatch(/"column 19" and 10 more$/);
  });

  test("are ignored if one says so, but not if a field is named for them", () => {
    const schema = { schema: Person, otherColumns: "ignore" } as const;
    expect(rows("id,other\n1,2\n", untyped(schema))).toEqual([{ id: "1" }]);
    const mapped = refused("id,other\n1,2\n", { ...schema, columns: { other: "nmae" } });
    expect(mapped.reason).toContain('did you mean "name"?');
  });

  test("have another delimiter, perhaps", () => {
    for (const delimiter of [";", "\t", "|"]) {
      expect(columns(`id${delimiter}name`).reason).toContain(
        `have to be ${JSON.stringify(delimiter)}`,
      );
    }
    expect(columns("id;name", { delimiter: "," }).reason).toContain('";"');
    expect(columns("id,name", { delimiter: ";" }).reason).toContain('","');
  });

  test("are mapped to a field once, and only those that are there", () => {
    const both = columns("id,a,b", { columns: { a: "name", b: "name" } });
    expect(both.reason).toBe('the column "b" maps to "name", as does "a"');
    expect(columns("id,id").reason).toBe('the column "id_2" is not a field');
    expect(columns("id,city", { columns: { cite: "city" } }).reason).toBe(
      'has no column "cite"; did you mean "city"?',
    );
    expect(columns("id", { columns: { id: 5 } }).path).toBe("options.columns.id");
    expect(columns("id", { columns: null }).path).toBe("options.columns");
    const schema = { schema: Person, columns: { key: "id", x: null } };
    expect(rows("key,x\n1,2\n", untyped(schema))).toEqual([{ id: "1" }]);
  });

  test("of Contacts are List Fields, any or those that are declared", () => {
    const header = "send_id,contact_id,contact_email,list,fields.Age,fields.City";
    const row = "1,2,a@b.c,5,7,x";
    const read = (listFields?: object) =>
      rows(`${header}\n${row}\n`, untyped({ schema: Contact, listFields }));
    expect(read()).toMatchObject([{ fields: { Age: "7", City: "x" } }]);
    expect(read({ Age: "int", City: "string" })).toMatchObject([{ fields: { City: "x" } }]);
    const undeclared = thrownBy(InputError, () => read({ Age: "int" }));
    expect(undeclared).toMatchObject({ path: "line 1", listFields: ["City"], columns: [] });
    expect(thrownBy(InputError, () => read({ Age: "float" })).path).toBe("options.listFields.Age");
  });
});
