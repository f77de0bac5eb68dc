// Formats inferred from a name or the first byte, and Contacts as a Batch.

import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatOf, readRecords, writeCsv, writeJson, writeNdjson } from "../../src/import/index.ts";
import { toBatch } from "../../src/import/to-batch.ts";
import { createService, InputError, type BatchContactInput } from "../../src/index.ts";
import { settings } from "../property.ts";
import { fitsCsv, nastyRecords, nastyValue, pieceSize } from "./nasty.ts";
import { encode, pieces } from "./pieces.ts";
import { like } from "../likeness.ts";

test.each([
  ["people.csv", "csv"],
  ["PEOPLE.TSV.GZ", "csv"],
  ["a.b/x.jsonl", "ndjson"],
  ["x.ndjson.gz", "ndjson"],
  ["x.json", "json"],
  ["x.gz", undefined],
  ["json", undefined],
  ["a.csv/x", undefined],
  ["x.constructor", undefined],
])("the name %s means %s", (name, format) => {
  expect(formatOf(name)).toBe(format);
});

test("the records are the same, whether an option, a name or the first byte gives the format", () => {
  const formats = { csv: writeCsv, ndjson: writeNdjson, json: writeJson };
  const records = nastyRecords.filter((all) => all.length > 0);
  fc.assert(
    fc.property(
      records,
      fc.constantFrom("csv", "ndjson", "json"),
      pieceSize,
      fc.boolean(),
      (all, format, size, isZipped) => {
        if (format === "csv" && !fitsCsv(all)) return;
        const text = encode([...formats[format](all)].join(""));
        const bytes = isZipped ? gzipSync(text) : text;
        for (const options of [{ format }, { name: `x.${format}.gz` }]) {
          expect(Array.from(readRecords(pieces(bytes, size), options))).toStrictEqual(all);
        }
        const marked = format === "csv" ? bytes : encode(`\ufeff \n${text.toString()}`);
        // CSV may begin like JSON, or be a header of nothing but space.
        if (format === "csv" && /^[\s\ufeff]*(?:[[{]|$)/.test(text.toString())) return;
        expect(Array.from(readRecords(pieces(marked, size)))).toStrictEqual(all);
      },
    ),
    settings(500),
  );
});

test("empty input has no records, and tabs separate the values of .tsv", () => {
  for (const text of ["", " \n", "\ufeff"]) expect(Array.from(readRecords(text))).toEqual([]);
  expect(Array.from(readRecords("a\tb\n1\t2\n", { name: "x.tsv" }))).toEqual([{ a: "1", b: "2" }]);
  expect(() => readRecords("", { format: "xml" as "csv" })).toThrow(
    like(new InputError("options.format", 'must be "csv", "ndjson" or "json", not "xml"')),
  );
});

describe("toBatch", () => {
  const contact = (more: object): BatchContactInput => ({
    send_id: 1,
    contact_id: 1,
    contact_email: "x",
    ...more,
  });

  test("makes each List that a Contact names, in the order of first mention", () => {
    const { lists } = toBatch([contact({ list: 9 }), contact({}), contact({ list: "9" })], {
      id: 1,
      list: 5,
    });
    expect(Array.from(lists, ({ id, contacts }) => [id, Array.from(contacts).length])).toEqual([
      ["9", 2],
      ["5", 1],
    ]);
  });

  test("uses the declared List Fields, or those that Contacts have", () => {
    const contacts = [
      contact({ list: 1, fields: { Age: 5, City: "x" } }),
      contact({ list: 2, fields: { Age: null } }),
    ];
    const fieldsOf = (options: Partial<Parameters<typeof toBatch>[1]>) =>
      Array.from(toBatch(contacts, { id: 1, ...options }).lists, ({ fields }) => fields);
    expect(fieldsOf({})).toEqual([{ Age: "int", City: "string" }, { Age: "int" }]);
    const listFields = { Age: "int", City: "string" } as const;
    expect(fieldsOf({ listFields })).toEqual([listFields, listFields]);
  });

  test("makes a Batch that a service accepts, whatever its List Fields hold", () => {
    const name = nastyValue.filter((text) => text !== "fields" && text.length < 20);
    const contacts = fc.array(
      fc
        .tuple(
          fc.integer({ min: 1, max: 3 }),
          fc.dictionary(name, fc.option(nastyValue), { maxKeys: 3 }),
        )
        .map(([list, fields]) => contact({ list, fields })),
    );
    fc.assert(
      fc.property(contacts, (all) => {
        const service = createService({ batches: [toBatch(all, { id: 1 })] });
        expect(service.batches["1"]?.contacts.size).toBe(all.length);
      }),
      settings(200),
    );
  });
});
