// Arrow files as rows: our own output and that of apache-arrow is read.

import { tableFromArrays, tableToIPC } from "apache-arrow";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openCollection } from "../../src/arrow/index.ts";
import { readArrow, writeArrow, type Refused } from "../../src/import/index.ts";
import { Contact, InputError } from "../../src/index.ts";
import { settings } from "../property.ts";
import { nastyRecords, Person, person } from "./nasty.ts";

test("a round trip keeps the records, whatever they hold", () => {
  fc.assert(
    fc.property(
      nastyRecords.filter((all) => all.length > 0),
      (records) => {
        expect([...readArrow(writeArrow(records))]).toStrictEqual(records);
      },
    ),
    settings(200),
  );
});

test("with a schema, the file is the one that saveCollection makes", () => {
  fc.assert(
    fc.property(fc.array(person, { maxLength: 20 }), (people) => {
      const file = writeArrow(people, { schema: Person });
      expect(openCollection(file, { schema: Person }).query()).toEqual(people);
      const read = [...readArrow(file, { schema: Person })];
      expect(read.map(({ id, age, name, note }) => [String(id), name, note, age ?? null])).toEqual(
        people.map(({ id, age, name, note }) => [
          id,
          name,
          note,
          age === null ? null : BigInt(age),
        ]),
      );
    }),
    settings(100),
  );
});

test("Contacts have their List and List Fields in columns", () => {
  const listFields = { Age: "int" } as const;
  const contact = { send_id: 1n, contact_id: 2n, contact_email: "x" };
  const contacts = [
    { ...contact, list: 7n, fields: { Age: 5n } },
    { ...contact, fields: { Age: null } },
  ];
  const file = writeArrow(contacts, { schema: Contact, listFields });
  const read = [...readArrow(file, { schema: Contact, listFields })];
  expect(read).toMatchObject([contacts[0], { fields: { Age: null } }]);
  expect(read[1]?.list).toBeUndefined();
});

test("files of another tool are read with mapped columns, and rows refused with their number", () => {
  const table = tableFromArrays({
    nr: Float64Array.of(1, 2.5, 3),
    label: ["a", "b", "c"],
    other: Int32Array.of(1, 2, 3),
  });
  const file = tableToIPC(table, "file");
  const columns = { nr: "id", label: "name" };
  const refused: Refused[] = [];
  const reading = readArrow(file, {
    schema: Person,
    columns,
    otherColumns: "ignore",
    skipInvalid: (each) => refused.push(each),
  });
  expect(Array.from(reading, ({ id, name }) => [id, name, reading.place])).toEqual([
    [1, "a", "row 1"],
    [3, "c", "row 3"],
  ]);
  expect(refused.map(({ place, reason }) => [place, reason.slice(0, 22)])).toEqual([
    ["row 2", "id: must be an integer"],
  ]);
  expect(() => [...readArrow(file, { schema: Person, columns })]).toThrow(
    new InputError("columns", 'the column "other" is not a field'),
  );
});

test("rows are counted and reported across all batches and pieces", () => {
  const ids = Array.from({ length: 25_001 }, (_, id) => ({ id, name: "x" }));
  const told: number[] = [];
  const reading = readArrow(writeArrow(ids, { schema: Person }), {
    schema: Person,
    onProgress: (rows) => told.push(rows),
  });
  let row = 0;
  for (const { id } of reading) {
    expect(id).toBe(BigInt(row++));
    if (row === 25_001) expect(reading.place).toBe("row 25001");
  }
  expect([row, told]).toEqual([25_001, [10_000, 20_000, 25_001]]);
});

test("a damaged file is an error that says so, wherever it is cut", () => {
  const file = writeArrow([{ a: "x" }, { a: "yy" }]);
  for (let end = 0; end < file.length; end++) {
    expect(() => [...readArrow(file.subarray(0, end))]).toThrow(
      /^source: can't be read as Arrow: /,
    );
  }
});
