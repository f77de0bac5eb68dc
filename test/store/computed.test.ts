// Computed fields (V16) in files, stores and imports: they are kept as columns, paths with the schema, functions are
// not kept, and no source feeds them.

import { join } from "node:path";
import { expect, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import {
  boolean,
  createCollection,
  createDatabase,
  defineSchema,
  float,
  InputError,
  int,
  json,
  readSchema,
  string,
  strings,
  time,
  writeSchema,
} from "../../src/index.ts";
import { loadCollection, readCsv, readJson, readNdjson } from "../../src/import/index.ts";
import { createStore, openStore, schemasOf, StoreError } from "../../src/store/index.ts";
import { textFormColumn } from "../../src/schema/names.ts";
import { newFolder } from "./fixtures.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";

const fields = {
  id: int({ unique: true }),
  price: float(),
  quantity: int({ default: 1 }),
  address: json({ nullable: true }),
};
const city = string({ nullable: true, path: ["address", "city"], ignoreCase: true });
const Sale = defineSchema(fields, {
  computed: { city, total: float({ compute: ({ price, quantity }) => price * quantity }) },
});
/** Without functions, which neither files nor JSON keep. */
const Placed = defineSchema(fields, { computed: { city } });

const records = [
  { id: 1, price: 2, quantity: 3, address: { city: "Bern" } },
  { id: 2, price: 5, address: { city: "bern", zip: 3000 } },
  { id: 3, price: 0.5, address: null },
];
const sales = createCollection(Sale, records);
const skip = () => undefined;
const KEPT =
  "its function is kept by neither files nor JSON; give the schema that has the function";

test("a file has the values; without the schema it answers, but takes and selects none by function", () => {
  const bytes = saveCollection(sales);
  const whole = openCollection(bytes, { schema: Sale });
  expect(whole.query({ select: ["total", "city"] })).toEqual(
    sales.query({ select: ["total", "city"] }),
  );
  expect(whole.insert({ id: 4, price: 9 }).summary("total").maximum).toBe(9);
  const bare = openCollection(bytes);
  expect(bare.count([["total", "at_least", 5]])).toBe(2);
  expect(bare.countBy("city")).toEqual(sales.countBy("city"));
  expect(bare.query({ select: ["id", "city"] })).toEqual(sales.query({ select: ["id", "city"] }));
  expect(thrownBy(InputError, () => bare.insert({ id: 4, price: 9 })).message).toBe(
    `record.total: can't be computed: ${KEPT}`,
  );
  expect(thrownBy(InputError, () => bare.query({ select: ["total"] })).message).toBe(
    `record.total: can't be computed: ${KEPT}`,
  );
  const placed = createCollection(Placed, records);
  const again = openCollection(saveCollection(placed));
  expect(
    again.insert({ id: 4, price: 9, address: { city: "Zug" } }).count([["city", "exactly", "zug"]]),
  ).toBe(1);
  const other = defineSchema(fields, {
    computed: { city: string({ nullable: true, path: ["address", "town"], ignoreCase: true }) },
  });
  expect(
    thrownBy(InputError, () => openCollection(saveCollection(placed), { schema: other })).message,
  ).toBe('options.schema.fields.city: has path ["address","town"], in the file ["address","city"]');
});

test("the JSON of a schema has the path, and says that there was a function", () => {
  const written = writeSchema(Sale);
  expect(written.fields).toMatchObject({
    city: { type: "string", nullable: true, ignoreCase: true, path: ["address", "city"] },
    total: { type: "float", isComputed: true },
  });
  const read = readSchema(JSON.parse(JSON.stringify(written)));
  expect(writeSchema(read)).toEqual(written);
  const given = {
    fields: { address: { type: "json" }, city: { type: "string", path: ["address", 0] } },
  };
  expect(thrownBy(InputError, () => readSchema(given)).path).toBe("schema.fields.city");
  const missing = { fields: { city: { type: "string", path: ["address"] } } };
  expect(thrownBy(InputError, () => readSchema(missing)).message).toBe(
    'schema.fields.city.path: unknown field "address"',
  );
});

test("a store keeps them, replays its journal, and computes them anew when the schema changes", () => {
  const directory = join(newFolder(), "store");
  const options = { lock: false } as const;
  createStore(directory, createDatabase({ sales }), options).close();
  const store = openStore(directory, { sales: Sale }, options);
  store.update((draft) => {
    draft.sales = draft.sales.update([["id", "exactly", 3]], {
      address: { city: "Zug" },
      quantity: 9,
    });
    draft.sales = draft.sales.insert({ id: 4, price: 1, address: { city: "ZUG" } });
  });
  const asked = { criteria: [["city", "exactly", "zug"]], select: ["id", "total"] } as const;
  const expected = store.sales.query(asked);
  store.close();
  // Without the schema, changes are replayed, but the changed records can't be computed.
  const bare = openStore(directory, schemasOf(directory), options);
  expect(bare.sales?.count([["city", "exactly", "zug"]])).toBe(2);
  expect(() => bare.sales?.count([["total", "at_least", 2]])).toThrow(KEPT);
  bare.close();
  const again = openStore(directory, { sales: Sale }, options);
  expect(again.sales.query(asked)).toEqual(expected);
  again.close();
  // A function that returns other values than before looks the same; a migration computes them anew.
  const Doubled = defineSchema(fields, {
    computed: { city, total: float({ compute: ({ price, quantity }) => 2 * price * quantity }) },
  });
  const migrate = { sales: { 1: (record: object) => record } };
  const doubled = openStore(
    directory,
    { sales: Doubled },
    { ...options, migrate: untyped(migrate) },
  );
  expect(doubled.sales.summary("total").maximum).toBe(12);
  doubled.close();
  // Other computed fields need no migration: their values come from the records.
  const Next = defineSchema(fields, {
    computed: {
      zip: int({ nullable: true, path: ["address", "zip"] }),
      city: int({ compute: ({ id }) => -id }),
    },
  });
  const changed = openStore(directory, { sales: Next }, { ...options, migrate: untyped(migrate) });
  expect(
    changed.sales.query({ criteria: [["zip", "exactly", 3000]], select: ["id", "city"] }),
  ).toEqual([{ id: 2, city: -2 }]);
  changed.close();
  // A stored field that becomes computed loses its values, which only a migration may do.
  const Lost = defineSchema(
    { id: int({ unique: true }), quantity: int(), address: json({ nullable: true }) },
    { computed: { price: float({ compute: ({ quantity }) => quantity }) } },
  );
  expect(() => openStore(directory, { sales: Lost }, options)).toThrow(StoreError);
});

test("CSV, JSON and NDJSON compute them, and can't feed them", () => {
  const text = records.map((record) => JSON.stringify(record));
  const csv = [
    "id,price,quantity,address",
    '1,2,3,"{""city"":""Bern""}"',
    '2,5,,"{""city"":""bern"",""zip"":3000}"',
    "3,0.5,,",
  ].join("\n");
  for (const loaded of [
    loadCollection(Sale, readNdjson(text.join("\n"), { schema: Sale })),
    loadCollection(Sale, readJson(`[${text.join()}]`, { schema: Sale })),
    loadCollection(Sale, readCsv(csv, { schema: Sale })),
    loadCollection(Sale, readCsv(csv, { schema: Sale, skipInvalid: skip })),
    createCollection(Sale, readCsv(csv, { schema: Sale }) as never),
  ]) {
    expect(loaded.query()).toEqual(sales.query());
    expect(loaded.query({ sortBy: "total", select: ["id", "total", "city"] })).toEqual(
      sales.query({ sortBy: "total", select: ["id", "total", "city"] }),
    );
  }
  const given = JSON.stringify({ ...records[0], total: 6 });
  expect(
    thrownBy(InputError, () => loadCollection(Sale, readNdjson(given, { schema: Sale }))).message,
  ).toContain("total: is computed from the rest of the record; leave it out");
  expect(() => loadCollection(Sale, readCsv("id,price,total\n1,2,3", { schema: Sale }))).toThrow(
    /"total"/,
  );
  const invalid = `${text[0] ?? ""}\n{"id":7,"price":1,"address":{"city":5}}\n${text[1] ?? ""}`;
  const skipping = readNdjson(invalid, { schema: Sale, skipInvalid: skip });
  expect(loadCollection(Sale, skipping).size).toBe(2);
  expect(
    thrownBy(InputError, () => loadCollection(Sale, readNdjson(invalid, { schema: Sale }))).message,
  ).toContain(
    'city: is computed, and the value of the path ["address","city"] must be a string, not 5',
  );
});

test("a record that omits a generated default is computed from the generated value", () => {
  let made = 0;
  const Made = defineSchema(
    { id: int({ default: () => ++made }), name: string() },
    { computed: { double: int({ compute: ({ id }) => (id < 1 ? untyped(null) : id * 2) }) } },
  );
  const loaded = loadCollection(Made, readCsv("name\na\nb", { schema: Made, skipInvalid: skip }));
  expect(loaded.query({ select: ["name", "double"] })).toEqual([
    { name: "a", double: 2 },
    { name: "b", double: 4 },
  ]);
});

test("a file whose values at paths are others is refused where it is verified", () => {
  const at = (name: string) => ({ nullable: true, path: ["at", name] }) as const;
  const Noted = defineSchema(
    { at: json({ nullable: true }) },
    {
      computed: {
        text: string({ ...at("text"), ignoreCase: true }),
        count: int(at("count")),
        share: float(at("share")),
        isOpen: boolean(at("isOpen")),
        tags: strings(at("tags")),
        on: time(at("on")),
        ["2024"]: string(at("2024")),
      },
    },
  );
  const notes = createCollection(Noted, [
    { at: { text: "Bern", count: 7, share: -0, isOpen: true, tags: ["b", "a"], on: "2024-03-01" } },
    { at: { text: "", tags: [], 2024: "x" } },
    { at: null },
    { at: [1] },
  ]);
  const open = (collection: typeof notes, verify: boolean) =>
    openCollection(saveCollection(collection), { schema: Noted, verify });
  expect(open(notes, true).countBy("text")).toEqual(notes.countBy("text"));
  for (const [name, other] of [["2024", "other"], ["2024", null], ["on", null]] as const) {
    const lying = createCollection(Noted, notes);
    const { rows } = lying.state.snapshot.segments[0];
    const read = rows.readerOf.bind(rows);
    const column = textFormColumn(Noted, name);
    rows.readerOf = (asked) => (asked === column ? () => other : read(asked));
    expect(open(lying, false).size).toBe(4);
    expect(() => open(lying, true)).toThrow(
      `column ${name}: has other values than those at its path`,
    );
  } // oxfmt-ignore
});
