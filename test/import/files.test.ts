// Arrow and Parquet, which are read from their ends: our own files are read, and those of other tools.

import * as flechette from "@uwdata/flechette";
import fc from "fast-check";
import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { openCollection } from "../../src/arrow/index.ts";
import {
  readArrow,
  readParquet,
  writeArrow,
  writeParquet,
  type ArrowOptions,
  type ImportOf,
  type Reading,
  type Refused,
} from "../../src/import/index.ts";
import { Contact, createCollection, InputError, type Schema } from "../../src/index.ts";
import { settings } from "../property.ts";
import { nastyRecords, Person, person } from "./nasty.ts";
import { like } from "../likeness.ts";

interface Format {
  readonly name: string;
  readonly write: typeof writeArrow;
  readonly read: <S extends Schema | undefined = undefined>(
    file: Uint8Array,
    options?: ArrowOptions<S>,
  ) => Reading<ImportOf<S>>;
}

const formats: readonly Format[] = [
  {
    name: "Arrow",
    write: writeArrow,
    read: (file, options) => readArrow(flechette, file, options),
  },
  {
    name: "Parquet",
    write: (records, options) => writeParquet(writer, records, options),
    read: (file, options) => readParquet(hyparquet, file, options),
  },
];

describe.each(formats)("$name", ({ name, write, read }) => {
  test("keeps the records, whatever they hold", async () => {
    // Without rows there are no types of columns, and Parquet has no column with an empty name.
    const records = nastyRecords.filter(
      (all) => all.length > 0 && !(name === "Parquet" && Object.hasOwn(all[0] ?? {}, "")),
    );
    const keeps = fc.asyncProperty(records, async (records) => {
      expect(await read(write(records)).collect()).toStrictEqual(records);
    });
    await fc.assert(keeps, settings(200));
  });

  test("keeps the records of a schema", async () => {
    const people = fc.array(person, { minLength: 1, maxLength: 20 });
    const keeps = fc.asyncProperty(people, async (people) => {
      const all = await read(write(people, { schema: Person }), { schema: Person }).collect();
      expect(createCollection(Person, all).query()).toEqual(people);
    });
    await fc.assert(keeps, settings(100));
  });

  test("has the List and the List Fields of Contacts, if any, in columns", async () => {
    const options = { schema: Contact, listFields: { Age: "int" } } as const;
    const contact = { send_id: 1, contact_id: 2, contact_email: "x" };
    const contacts = [
      { ...contact, list: 7, fields: { Age: 5 } },
      { ...contact, fields: { Age: null } },
    ];
    const all = await read(write(contacts, options), options).collect();
    expect(all).toMatchObject([contacts[0], { fields: { Age: null } }]);
    expect(all[1]?.list).toBeUndefined();
  });

  test("gives more rows than are held at once in their order, each with its place", async () => {
    const ids = Array.from({ length: 25_001 }, (_, id) => ({ id, name: "x" }));
    const progress: number[] = [];
    const reading: Reading<object> = read(write(ids, { schema: Person }), {
      schema: Person,
      onProgress: (rows) => progress.push(rows),
    });
    let row = 0;
    for await (const record of reading) {
      expect(record).toMatchObject({ id: row });
      row++;
      if (row === 25_001) expect(reading.place).toBe("row 25001");
    }
    expect([row, progress]).toEqual([
      25_001,
      name === "Arrow" ? [10_000, 20_000, 25_001] : [1000, 25_001],
    ]);
  });

  test("is an error that says so if the file is damaged, wherever it is cut", async () => {
    const file = write([{ a: "x" }, { a: "yy" }]);
    for (let end = 0; end < file.length; end++) {
      await expect(read(file.subarray(0, end)).collect()).rejects.toThrow(
        `source: can't be read as ${name}: `,
      );
    }
  });
});

test("an Arrow file of a schema is the one that saveCollection makes", () => {
  const people = fc.array(person, { maxLength: 20 });
  const isSaved = fc.property(people, (people) => {
    const file = writeArrow(people, { schema: Person });
    expect(openCollection(file, { schema: Person }).query()).toEqual(people);
  });
  fc.assert(isSaved, settings(100));
});

test("a value of Parquet that is neither a string nor an integer is refused with its row, and columns are mapped", async () => {
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
    like(new InputError("columns", 'these columns are not fields: "nr", "when"')),
  );
});

test("a Parquet file that claims more rows than it has is refused at once", async () => {
  const bytes = writeParquet(writer, [{ id: 1 }, { id: 2 }]);
  let reads = 0;
  const lying = {
    ...hyparquet,
    parquetMetadataAsync: async (file: hyparquet.AsyncBuffer) => {
      const metadata = await hyparquet.parquetMetadataAsync(file);
      const groups = metadata.row_groups.map((group) => ({ ...group, num_rows: 1n << 50n }));
      return { ...metadata, num_rows: 1n << 50n, row_groups: groups };
    },
    parquetRead: (options: Parameters<typeof hyparquet.parquetRead>[0]) => {
      if (++reads > 2) throw new Error("reading does not end");
      return hyparquet.parquetRead(options);
    },
  };
  await expect(readParquet(lying, bytes).collect()).rejects.toThrow(
    like(new InputError("columns.id", "has 2 values, but the footer has 1125899906842624 rows")),
  );
});
