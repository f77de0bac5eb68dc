// Loading records of any schema into columns, in every format, gives the same collection, or the same
// error, as reading them as records first.

import * as flechette from "@uwdata/flechette";
import fc from "fast-check";
import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import {
  loadCollection,
  readArrow,
  readCsv,
  readJson,
  readNdjson,
  readParquet,
  writeArrow,
  writeCsv,
  writeJson,
  writeNdjson,
  writeParquet,
  type Refused,
  type SyncReading,
} from "../../src/import/index.ts";
import {
  boolean,
  createCollection,
  defineSchema,
  File,
  float,
  InputError,
  int,
  json,
  string,
  TercetError,
  type Collection,
  type InputOf,
  type Schema,
} from "../../src/index.ts";
import { inputRecords } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { encode, isJson, pieces } from "./pieces.ts";
import { untyped } from "../rules/fixtures.ts";
import { like } from "../likeness.ts";
import { wireSchema } from "../wire-schema.ts";

const NAMES = ["a", "b", "0", "", "__proto__", "constructor", 'q"', "é"];
const options = fc.record({ nullable: fc.boolean() });
const field = fc.oneof(
  options.map((given) => int(given)),
  options.map((given) => float(given)),
  options.map((given) => boolean(given)),
  options.map((given) => string(given)),
);
const carried = options.map((given) => json(given));

const fieldsOf = (names: readonly string[]) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), field), {
      selector: ([name]) => name,
      minLength: 1,
      maxLength: 5,
    })
    .map((fields) => Object.fromEntries(fields));

/** A schema of all types, in either form. */
const schemaOf = (names: readonly string[]) =>
  fc.oneof(
    fc
      .tuple(fieldsOf(names), carried)
      .map(([fields, note]): Schema => defineSchema({ ...fields, note })),
    fieldsOf(names).map((fields): Schema => wireSchema(fields)),
  );

const given = (names = NAMES) =>
  schemaOf(names).chain((schema) =>
    fc.tuple(fc.constant(schema), inputRecords(schema, { maxLength: 8 })),
  );

describe("what a schema's records are written as is loaded as they were", () => {
  const same = (schema: Schema, records: readonly InputOf<Schema>[], loaded: Collection) => {
    // Not strictly: that takes a member `constructor` of JSON for the class of its object.
    expect(loaded.query()).toEqual(createCollection(schema, records).query());
  };

  test("in CSV, NDJSON and JSON, wherever the text is cut", () => {
    fc.assert(
      fc.property(given(), fc.integer({ min: 1, max: 40 }), ([schema, records], size) => {
        // Null in the only column would be a blank line.
        const form = { nullText: schema.places.length === 1 ? "\\N" : "" };
        const csv = pieces(encode(writeCsv(records, { schema, ...form })), size);
        same(schema, records, loadCollection(schema, readCsv(csv, { schema, ...form })));
        const ndjson = pieces(encode(writeNdjson(records)), size);
        same(schema, records, loadCollection(schema, readNdjson(ndjson, { schema })));
        const array = pieces(encode(writeJson(records)), size);
        same(schema, records, loadCollection(schema, readJson(array, { schema })));
      }),
      settings(120),
    );
  });

  test("in Arrow and Parquet", async () => {
    const names = NAMES.filter((name) => name !== "");
    await fc.assert(
      fc.asyncProperty(given(names), async ([schema, records]) => {
        const arrow = writeArrow(records, { schema });
        same(schema, records, loadCollection(schema, readArrow(flechette, arrow, { schema })));
        // A file without rows has no types of columns.
        if (records.length === 0) return;
        const parquet = writeParquet(writer, records, { schema });
        const reading = readParquet(hyparquet, parquet, { schema });
        same(schema, records, await loadCollection(schema, reading));
      }),
      settings(50),
    );
  });
});

/** Texts that some types take and others don't, in one way of writing or another. */
const TEXTS = [
  ...["", "0", "-0", "1", "19.90", "+5", "007", ".5", "5.", "1e5", "1E+2", "1e999", "0x10", " 1"],
  ...["1_000", "Infinity", "NaN", "9007199254740993", "-9007199254740991", "123456789012345678.5"],
  ...["true", "false", "True", "null", "{}", '{"a":1.0}', "[1,]", '"x"', "é", "a,b", 'a"b', "\n"],
];

const Row = defineSchema({
  i: int({ default: 3 }),
  f: float({ nullable: true }),
  b: boolean({ default: true }),
  s: string(),
  j: json({ nullable: true }),
});
const wireFields = { i: int(), f: float({ nullable: true }), b: boolean(), s: string() };
const Text = wireSchema(wireFields);
const rowSchema = fc.constantFrom<Schema>(Row, Text);

/** What loading and reading make of a source, with what they refuse. */
function outcomes(
  schema: Schema,
  read: (skipInvalid: ((refused: Refused) => void) | undefined) => SyncReading<never>,
  isSkipping: boolean,
): [unknown, unknown] {
  const outcome = (make: (reading: SyncReading<never>) => Collection) => {
    const refused: Refused[] = [];
    try {
      const reading = read(isSkipping ? (each) => refused.push(each) : undefined);
      const records = make(reading).query();
      return { records, refused, count: reading.refused };
    } catch (thrown) {
      if (!(thrown instanceof TercetError)) throw thrown;
      return { message: thrown.message, refused };
    }
  };
  return [
    outcome((reading) => loadCollection(schema, reading)),
    outcome((reading) => createCollection(schema, reading)),
  ];
}

test("cells of any text are the same values, or the same error, as in records", () => {
  const likely = {
    i: ["1", "-20", ""],
    f: ["19.90", "1", "-2.5e3", ""],
    b: ["true", "false", ""],
    s: ["x", "", "é"],
    j: ['{"a":[1]}', "[]", '"x"', ""],
  };
  const names = ["i", "f", "b", "s", "j"] as const;
  const cellOf = (name: (typeof names)[number]) =>
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...likely[name]) },
      { weight: 1, arbitrary: fc.constantFrom(...TEXTS) },
    );
  const row = fc.tuple(fc.tuple(...names.map(cellOf)), fc.boolean());
  fc.assert(
    fc.property(
      rowSchema,
      fc.array(row, { maxLength: 5 }),
      fc.record({
        size: fc.integer({ min: 1, max: 60 }),
        nullText: fc.constantFrom("", "null", false as const),
        isSkipping: fc.boolean(),
      }),
      (schema, rows, { size, nullText, isSkipping }) => {
        const own = schema === Row ? names : names.slice(0, 4);
        const text = [
          own.join(","),
          ...rows.map(([cells, isQuoted]) =>
            own
              .map((_, i) => cells[i] ?? "")
              .map((cell) =>
                isQuoted || /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
              )
              .join(","),
          ),
        ].join("\n");
        const source = () => pieces(Buffer.from(text), size);
        const [loaded, read] = outcomes(
          schema,
          (skipInvalid) =>
            untyped(readCsv(source(), { schema, nullText, ...(skipInvalid && { skipInvalid }) })),
          isSkipping,
        );
        expect(loaded).toEqual(read);
      },
    ),
    settings(300),
  );
});

test("JSON of any values is the same records, or the same error", () => {
  const likely = {
    i: ["1", '"2"', "-0", "7.0", "1e2"],
    f: ["19.90", "1", '"2.5"', "-0.0", "1e400", "null", "5e-7"],
    b: ["true", "false", '"true"'],
    s: ['"x"', '"\\u0061"', '""', '"\u{1f600}"'],
    j: ['{"a":[1,"\\n"]}', "[]", '"x"', "null", "1.50", "true"],
  };
  const names = ["i", "f", "b", "s", "j"] as const;
  const valueOf = (name: (typeof names)[number]) =>
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...likely[name]) },
      { weight: 1, arbitrary: fc.constantFrom(...Object.values(likely).flat(), '"19.90"', "nul") },
    );
  const record = fc.record({
    values: fc.tuple(...names.map(valueOf)),
    order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 3 }),
    space: fc.constantFrom("", " ", "\t", " \r"),
    more: fc.constantFrom("", "", "", "", ',"s":"again"', ',"other":1', "}", " x"),
  });
  fc.assert(
    fc.property(
      rowSchema,
      fc.array(record, { maxLength: 5 }),
      fc.record({ size: fc.integer({ min: 1, max: 60 }), isSkipping: fc.boolean() }),
      (schema, records, { size, isSkipping }) => {
        const texts = records.map(({ values, order, space, more }) => {
          const members = order
            .filter((i) => schema === Row || i < 4)
            .map((i) => `"${names[i] ?? ""}"${space}:${space}${values[i] ?? ""}`);
          return `{${space}${members.join(`${space},`)}${more}${space}}${space}`;
        });
        const sources = [
          [readNdjson, `\ufeff${texts.join("\n")}`],
          [readJson, `[${texts.join(",")}]`],
        ] as const;
        for (const [read, text] of sources) {
          const [loaded, asRecords] = outcomes(
            schema,
            (skipInvalid) => {
              const source = pieces(Buffer.from(text), size);
              return untyped(read(source, { schema, ...(skipInvalid && { skipInvalid }) }));
            },
            isSkipping,
          );
          // Of two faults either may be the first that is seen: here records are read one by one.
          if (read === readJson && !isJson(text)) {
            expect([loaded, asRecords]).toMatchObject([
              { message: expect.any(String) as string },
              { message: expect.any(String) as string },
            ]);
          } else expect(loaded).toEqual(asRecords);
        }
      },
    ),
    settings(300),
  );
});

describe("errors name the line and the field", () => {
  const message = (text: string) => {
    try {
      loadCollection(Row, readCsv(text, { schema: Row }));
    } catch (thrown) {
      return String(thrown);
    }
    return "none";
  };

  test.each([
    ["f\n19.9x\n", "line 2.f: must be a finite number, or its text as JavaScript writes it"],
    ["f\n1e999\n", "line 2.f: must be a finite number"],
    ["b\ntrue\nmaybe\n", 'line 3.b: must be true or false, not "maybe"'],
    ["i\n007\n", "line 2.i: must be an integer of magnitude at most 2^53 − 1"],
    ['j\n"{""a"":}"\n', "line 2.j: is not JSON: unexpected '}' at byte 5"],
    ["j\nplain\n", "line 2.j: is not JSON: unexpected 'p' at byte 0"],
  ])("%j", (text, expected) => {
    expect(message(`s,${text.replaceAll(/\n(?=.)/g, "\nx,")}`)).toContain(expected);
  });

  test("of both records that have one value in a unique field", () => {
    const Ticket = defineSchema({ id: int({ unique: true }), name: string({ nullable: true }) });
    const load = (reading: SyncReading<InputOf<typeof Ticket>>) => () =>
      loadCollection(Ticket, reading);
    const csv = 'id,name\n1,"two\nlines"\n\n5,\n5,\n';
    expect(load(readCsv(csv, { schema: Ticket }))).toThrow(
      like(new InputError("line 6.id", '"5" is already used by line 5')),
    );
    expect(load(readNdjson('{"id":1}\n\n{"id":2}\n{"id":"1"}', { schema: Ticket }))).toThrow(
      like(new InputError("line 4.id", '"1" is already used by line 1')),
    );
    expect(load(readJson('[{"id":1},{"id":1.0}]', { schema: Ticket }))).toThrow(
      like(new InputError("records[1].id", '"1" is already used by records[0]')),
    );
    const Name = defineSchema({ name: string({ nullable: true, unique: true }) });
    // V13: null equals nothing.
    expect(
      loadCollection(Name, readCsv("name\na\nNA\nNA\n", { schema: Name, nullText: "NA" })).size,
    ).toBe(3);
  });
});

test("a field that ignores case is compared in lower case, and keeps its spelling", () => {
  const schema = defineSchema({ name: string({ ignoreCase: true }) });
  const query = { criteria: [["name", "exactly", "ADA"]] } as const;
  for (const reading of [
    readCsv("name\naDa\nBo\n", { schema }),
    readJson('[{"name":"aDa"}]', { schema }),
  ]) {
    expect(loadCollection(schema, reading).query(query)).toEqual([{ name: "aDa" }]);
  }
});

test("a record whose fields depend on each other is completed", () => {
  const text = "id,folder_id,name\n1,2,a.txt\n";
  const files = loadCollection(File, readCsv(text, { schema: File }));
  expect(files.at(0)).toMatchObject({ basename: "a", extension: ".txt" });
});

test("asynchronous bytes are loaded, and a reading without the schema is refused", async () => {
  const stream = new Blob(["i,s\n1,x\n"]);
  const loaded = await loadCollection(Row, readCsv(stream, { schema: Row }));
  expect(loaded.query()).toEqual([{ i: 1, f: null, b: true, s: "x", j: null }]);
  const reason = "must come from a reader with this schema";
  for (const reading of [readCsv("s\nx\n"), readCsv("s\nx\n", { schema: File }), [], null]) {
    expect(() => loadCollection(Row, untyped(reading))).toThrow(
      like(new InputError("reading", reason)),
    );
  }
});

test("values of a file's own types fit fields of other types where nothing is lost", async () => {
  const schema = defineSchema({
    id: string(),
    price: float(),
    day: string(),
    time: int(),
    tags: json(),
    doc: json(),
  });
  const when = new Date("2024-05-01T12:00:00Z");
  const written = writer.parquetWriteBuffer({
    columnData: [
      { name: "id", data: [9007199254740993n], type: "INT64" },
      { name: "price", data: [3n], type: "INT64" },
      { name: "day", data: [when], type: "TIMESTAMP" },
      { name: "time", data: [when], type: "TIMESTAMP" },
      { name: "tags", data: [{ a: [1, "x"] }], type: "JSON" },
      { name: "doc", data: ["plain"], type: "JSON" },
    ],
  });
  const loaded = await loadCollection(schema, readParquet(hyparquet, written, { schema }));
  expect(loaded.query()).toEqual([
    {
      id: "9007199254740993",
      price: 3,
      day: "2024-05-01T12:00:00.000Z",
      time: when.getTime(),
      tags: { a: [1, "x"] },
      doc: "plain",
    },
  ]);
  const plain = await readParquet(hyparquet, written).collect();
  expect(plain).toMatchObject([{ tags: { a: [1, "x"] }, doc: "plain" }]);
});

describe("records that repeat a unique value, if invalid ones are skipped", () => {
  const Member = defineSchema(
    {
      card: int({ unique: true }),
      name: string({ unique: true, nullable: true, ignoreCase: true }),
      year: int({ nullable: true }),
      place: string(),
    },
    { unique: [["year", "place"]] },
  );
  const plain = defineSchema({ card: int({ unique: true }), name: string({ nullable: true }) });
  const record = fc.record({
    card: fc.constantFrom<unknown>(1, 2, 3, 4, 5, "x"),
    name: fc.constantFrom(null, "a", "A", "0", "__proto__", "1:a"),
    year: fc.constantFrom(null, 1, 11),
    place: fc.constantFrom("", "1", "1:"),
  });

  /** The records that are kept, and for each other one, the number of the earlier record that has its value. */
  function model(schema: Schema, records: readonly InputOf<Schema>[]) {
    const kept: InputOf<Schema>[] = [];
    const numbers: number[] = [];
    const refused: (number | undefined)[] = [];
    const keysOf = (each: InputOf<Schema>) =>
      schema.constraints.map(({ places }) => {
        const values = places.map(({ name, field }) => {
          const value: unknown = each[name];
          return field.ignoreCase ? String(value).toLowerCase() : value;
        });
        return places.some(({ name }) => each[name] === null) ? undefined : JSON.stringify(values);
      });
    for (const [number, each] of records.entries()) {
      const keys = keysOf(each);
      const hits = keys.map((key, i) =>
        key === undefined ? -1 : kept.findIndex((other) => keysOf(other)[i] === key),
      );
      const first = hits.find((at) => at >= 0);
      if (each.card === "x") refused.push(undefined);
      else if (first !== undefined) refused.push(numbers[first]);
      else {
        kept.push(each);
        numbers.push(number);
      }
    }
    return { kept, refused };
  }

  test("are refused like invalid ones, and the first is kept, whatever reads and holds them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Schema>(Member, plain),
        fc.array(record, { maxLength: 12 }),
        fc.nat(),
        async (schema, all, size) => {
          const names = schema.places.map(({ name }) => name);
          const records = all.map((each) =>
            Object.fromEntries(Object.entries(each).filter(([name]) => names.includes(name))),
          ) as InputOf<Schema>[];
          const { kept, refused } = model(schema, records);
          const columns = { columns: names, nullText: "NULL" };
          const texts = {
            csv: encode(writeCsv(records, columns)),
            ndjson: encode(writeNdjson(records)),
            json: encode(writeJson(records)),
          };
          for (const [form, bytes] of Object.entries(texts)) {
            let seen: Refused[] = [];
            const open = () => {
              seen = [];
              const options = { schema, skipInvalid: (each: Refused) => void seen.push(each) };
              const source = pieces(bytes, 1 + (size % 40));
              if (form === "csv") return readCsv(source, { ...options, nullText: "NULL" });
              return form === "json" ? readJson(source, options) : readNdjson(source, options);
            };
            const placeOf = (number: number) =>
              form === "json" ? `records[${number}]` : `line ${number + (form === "csv" ? 2 : 1)}`;
            const expected = createCollection(schema, kept).query();
            const ways = [
              () => loadCollection(schema, open()),
              () => createCollection(schema, open()),
              async () => createCollection(schema, (await open().collect()) as typeof kept),
              () => createCollection(schema, [...open()]),
            ];
            for (const way of ways) {
              expect((await way()).query()).toEqual(expected);
              const wheres = seen.map(({ reason }) => /already used by (.*)$/.exec(reason)?.[1]);
              expect(wheres).toEqual(
                refused.map((number) => (number === undefined ? undefined : placeOf(number))),
              );
            }
          }
        },
      ),
      settings(60),
    );
  });
});
