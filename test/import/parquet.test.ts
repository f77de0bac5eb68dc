// Parquet: our own output and that of hyparquet's writer is read.

import fc from "fast-check";
import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import { expect, test } from "vitest";
import { readParquet, writeParquet, type Refused } from "../../src/import/index.ts";
import { Contact, createCollection, InputError } from "../../src/index.ts";
import { settings } from "../property.ts";
import { nastyRecords, Person, person } from "./nasty.ts";

test("a round trip keeps the records, whatever they hold", async () => {
  await fc.assert(
    fc.asyncProperty(
      // A file without rows has no column types, and one with an empty name no such column.
      nastyRecords.filter((all) => all.length > 0 && all.every((each) => !Object.hasOwn(each, ""))),
      async (records) => {
        const bytes = writeParquet(writer, records);
        expect(await readParquet(hyparquet, bytes).collect()).toStrictEqual(records);
      },
    ),
    settings(200),
  );
});

test("a collection of a schema comes back as it was", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(person, { minLength: 1, maxLength: 20 }), async (people) => {
      const bytes = writeParquet(writer, people, { schema: Person });
      const read = await readParquet(hyparquet, bytes, { schema: Person }).collect();
      expect(createCollection(Person, read).query()).toEqual(people);
    }),
    settings(100),
  );
});

test("more rows than are held at once come in order, each with its place", async () => {
  const ids = Array.from({ length: 25_001 }, (_, id) => ({ id, name: "x" }));
  const told: number[] = [];
  const reading = readParquet(hyparquet, writeParquet(writer, ids, { schema: Person }), {
    schema: Person,
    onProgress: (rows) => told.push(rows),
  });
  let row = 0;
  for await (const { id } of reading) {
    expect(id).toBe(BigInt(row++));
    if (row === 25_001) expect(reading.place).toBe("row 25001");
  }
  expect(row).toBe(25_001);
  expect(told).toEqual([10_000, 20_000, 25_001]);
});

test("a value that is neither a string nor an integer is refused with its row, and columns are mapped", async () => {
  const written = writer.parquetWriteBuffer({
    columnData: [
      { name: "nr", data: [1, 2.5, 3], type: "DOUBLE" },
      { name: "name", data: ["a", "b", null], type: "STRING" },
      { name: "when", data: [new Date(0), new Date(1), null], type: "TIMESTAMP" },
    ],
  });
  const refused: Refused[] = [];
  const columns = { nr: "id", when: null };
  const reading = readParquet(hyparquet, written, {
    schema: Person,
    columns,
    skipInvalid: (each) => refused.push(each),
  });
  expect(await reading.collect()).toEqual([{ id: 1, name: "a" }]);
  expect(refused.map(({ place, reason }) => [place, reason.slice(0, 22)])).toEqual([
    ["row 2", "id: must be an integer"],
    ["row 3", "name: is missing"],
  ]);
  await expect(readParquet(hyparquet, written, { schema: Person }).collect()).rejects.toThrow(
    new InputError("columns", 'these columns are not fields: "nr", "when"'),
  );
});

test("Contacts have their List and List Fields, if any, in columns", async () => {
  const listFields = { Age: "int" } as const;
  const contact = { send_id: 1n, contact_id: 2n, contact_email: "x" };
  const contacts = [
    { ...contact, list: 7n, fields: { Age: 5n } },
    { ...contact, fields: { Age: null } },
  ];
  const bytes = writeParquet(writer, contacts, { schema: Contact, listFields });
  const read = await readParquet(hyparquet, bytes, { schema: Contact, listFields }).collect();
  expect(read).toMatchObject([contacts[0], { fields: { Age: null } }]);
  expect(read[1]?.list).toBeUndefined();
});

test("a damaged file is an error that says so, wherever it is cut", async () => {
  const bytes = writeParquet(writer, [{ a: "x" }, { a: "yy" }]);
  for (let end = 0; end < bytes.length; end++) {
    await expect(readParquet(hyparquet, bytes.subarray(0, end)).collect()).rejects.toThrow(
      /^source: can't be read as Parquet: /,
    );
  }
});

test("a file that claims more rows than it has is refused at once", async () => {
  const bytes = writeParquet(writer, [{ id: 1 }, { id: 2 }]);
  let reads = 0;
  const lying = {
    ...hyparquet,
    parquetMetadataAsync: async (file: hyparquet.AsyncBuffer) => {
      const metadata = await hyparquet.parquetMetadataAsync(file);
      return { ...metadata, num_rows: 1n << 50n };
    },
    parquetRead: (options: Parameters<typeof hyparquet.parquetRead>[0]) => {
      if (++reads > 2) throw new Error("reading does not end");
      return hyparquet.parquetRead(options);
    },
  };
  await expect(readParquet(lying, bytes).collect()).rejects.toThrow(
    new InputError("source", "can't be read as Parquet: it has fewer rows than it says"),
  );
});
