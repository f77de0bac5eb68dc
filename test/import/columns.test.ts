// Loading bytes into columns and into records gives the same results and the same errors.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  loadBatch,
  loadContacts,
  openBatch,
  readCsv,
  readRecords,
  type LoadContactsOptions,
  type Refused,
} from "../../src/import/index.ts";
import { toBatch } from "../../src/import/to-batch.ts";
import {
  Contact,
  createService,
  TercetError,
  type Batch,
  type BatchInput,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { pieces } from "./pieces.ts";

const LIST_FIELDS = { Age: "int", Name: "string", __proto__x: "string" } as const;

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.constantFrom(
    "",
    "a",
    "ab",
    '"',
    'a"b',
    "\n",
    "\\",
    "é",
    "\u{1f600}",
    "\ufeff",
    "null",
    "0",
    ",",
    " ",
  ),
);
const integer = fc.oneof(
  fc.integer({ min: -3, max: 20 }),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);
/** Values that fields take, and some that they don't. */
const anyValue = fc.oneof(
  { weight: 8, arbitrary: integer },
  { weight: 8, arbitrary: integer.map(String) },
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "01",
      "1.0",
      1.5,
      1e300,
      true,
      [],
      {},
      "9007199254740993",
      "pending",
    ),
  },
);
const contact = fc
  .record(
    {
      send_id: fc.oneof({ weight: 30, arbitrary: integer }, { weight: 1, arbitrary: anyValue }),
      contact_id: fc.oneof(
        { weight: 30, arbitrary: integer.map(String) },
        { weight: 1, arbitrary: anyValue },
      ),
      contact_email: fc.oneof({ weight: 30, arbitrary: text }, { weight: 1, arbitrary: anyValue }),
      unsubscribe_time: fc.option(integer),
      send_status: fc.oneof(
        { weight: 30, arbitrary: fc.constantFrom("pending", "failed") },
        { weight: 1, arbitrary: text },
      ),
      open_country: fc.option(text),
      links_clicked: integer,
      fields: fc.oneof(
        {
          weight: 20,
          arbitrary: fc.record(
            { Age: fc.option(integer), Name: fc.option(text), __proto__x: text },
            { requiredKeys: [] },
          ),
        },
        { weight: 1, arbitrary: fc.constantFrom(null, [], { Other: 1 }, 5) },
      ),
      other: fc.constant(1),
    },
    { requiredKeys: ["send_id", "contact_id", "contact_email"] },
  )
  .chain((whole) =>
    fc.tuple(fc.constant(whole), fc.integer({ min: 0, max: 20 })).map(([record, lot]) => {
      // Mostly a valid one; now and then with its members in another order.
      const entries = Object.entries(record).filter(([name]) => name !== "other" || lot === 1);
      return lot % 3 === 0 ? Object.fromEntries(entries.reverse()) : Object.fromEntries(entries);
    }),
  );

/** JSON in one of the ways to write it. */
function written(value: unknown, way: number): string {
  const json = JSON.stringify(value, undefined, way % 3 === 0 ? 2 : undefined);
  if (way % 5 === 1) return json.replaceAll("/", "\\/").replaceAll("a", "\\u0061");
  if (way % 5 === 2)
    return json.replace(
      /[^\0-~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  return way % 7 === 3 ? json.replace('"send_id":', '"send_id":1,"send_id":') : json;
}

/** The answer of a service, or the message of the error. */
function outcome(load: () => Batch | BatchInput): unknown {
  let batch: Batch | undefined;
  try {
    batch = Object.values(createService({ batches: [load()] }).batches)[0];
  } catch (thrown) {
    if (!(thrown instanceof TercetError)) throw thrown;
    return thrown.message.replace(/^batches\[0\]/, "batch");
  }
  if (batch === undefined) return undefined;
  const { id, lists, contacts } = batch;
  const whole = contacts.withPatches((all) => all.remove([])).inversePatches;
  const sorted = ["send_id", "contact_email", "unsubscribe_time", "open_country"].map((sortBy) =>
    contacts.query({ sortBy: sortBy as "send_id" }),
  );
  const few = contacts.query({
    criteria: [["contact_email", "contains", "a"], "OR", ["send_id", "less_than", 5]],
  });
  return { id, lists, whole, sorted, few, fields: contacts.toJSON() };
}

test("a Batch in JSON is the same, or the same error, however it is loaded", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(contact, { maxLength: 6 }), { maxLength: 3 }),
      fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }),
      (lists, ways) => {
        const contacts = (all: readonly unknown[]) =>
          `[${all.map((each, i) => written(each, ways[i % 8] ?? 0)).join(ways[0] === 1 ? " ,\n" : ",")}]`;
        const all = lists.map((each, i) => {
          const fields = i === 1 ? '["Name"]' : JSON.stringify(LIST_FIELDS);
          return `{"id":${i + 1},"contacts":${contacts(each)},"fields":${fields}}`;
        });
        const bytes = new TextEncoder().encode(`{"lists":[${all.join(",")}],"id":7}`);
        const read = () => pieces(bytes, 1 + (ways[1] ?? 0));
        expect(outcome(() => loadBatch(read))).toEqual(outcome(() => openBatch(read)));
      },
    ),
    settings(70),
  );
});

const cell = fc.oneof(
  { weight: 20, arbitrary: integer.map(String) },
  { weight: 6, arbitrary: text.map((value) => `"${value.replaceAll('"', '""')}"`) },
  { weight: 6, arbitrary: text.map((value) => value.replace(/["\n\r,;]/g, "")) },
  { weight: 1, arbitrary: fc.constantFrom('"x"y', "NULL", '"NULL"', "01", '"') },
);
const column = fc.constantFrom(
  "unsubscribe_time",
  "send_status",
  "open_country",
  "list",
  "fields.Age",
  "fields.Name",
  "bad",
);

test("Contacts in CSV are the same, or the same error, however they are loaded", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(column, { maxLength: 5 }),
      fc.array(fc.tuple(fc.array(cell, { minLength: 8, maxLength: 8 }), fc.nat(60)), {
        maxLength: 8,
      }),
      fc.record({
        declared: fc.boolean(),
        nullText: fc.constantFrom("", "NULL", false as const),
        ignored: fc.boolean(),
        skipped: fc.boolean(),
        piece: fc.integer({ min: 1, max: 50 }),
        delimiter: fc.constantFrom(",", ";", "é"),
      }),
      (more, rows, { declared, nullText, ignored, skipped, piece, delimiter }) => {
        const names = ["send_id", "contact_email", "contact_id", ...more];
        const lines = rows.map(([cells, lot]) => {
          const own = names.map((name, i) => {
            const given = cells[i] ?? "";
            if (lot % 10 === 0) return given;
            if (name === "list") return lot % 7 === 0 ? "" : String(lot % 3);
            if (name === "send_status") return "pending";
            return name.endsWith("_id") || name === "unsubscribe_time" || name === "fields.Age"
              ? String(lot)
              : given;
          });
          return (lot === 50 ? own.slice(1) : own).join(delimiter);
        });
        const bytes = new TextEncoder().encode([names.join(delimiter), ...lines].join("\n"));
        const run = (load: (options: LoadContactsOptions) => Batch | BatchInput) => {
          const refused: Refused[] = [];
          const options = {
            id: 7,
            format: "csv" as const,
            list: 9,
            delimiter,
            nullText,
            ...(ignored && { otherColumns: "ignore" as const }),
            ...(skipped && { skipInvalid: (each: Refused) => refused.push(each) }),
            ...(declared && { listFields: LIST_FIELDS }),
          };
          return { made: outcome(() => load(options)), refused };
        };
        const found = run((options) => loadContacts(pieces(bytes, piece), options));
        const expected = run((options) =>
          toBatch(readCsv(pieces(bytes, piece), { ...options, schema: Contact }), options),
        );
        expect(found).toEqual(expected);
      },
    ),
    settings(70),
  );
});

test("Contacts in JSON are the same, or the same error, however they are loaded", () => {
  const given = fc.tuple(contact, fc.constantFrom(undefined, 3, "1", "x", null, 20, 3));
  fc.assert(
    fc.property(
      fc.array(given, { maxLength: 8 }),
      fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }),
      fc.record({ declared: fc.boolean(), skipped: fc.boolean() }),
      (contacts, ways, { declared, skipped }) => {
        const texts = contacts.map(([each, list], i) =>
          written({ ...each, ...(list !== undefined && { list }) }, ways[i % 8] ?? 0),
        );
        const lines = texts.map((text) => text.replaceAll("\n", " ")).join("\n");
        for (const [format, text] of [
          ["json", `[${texts.join(",")}]`],
          ["ndjson", lines],
        ] as const) {
          const bytes = () => pieces(new TextEncoder().encode(text), 1 + (ways[1] ?? 0));
          const run = (load: (options: LoadContactsOptions) => Batch | BatchInput) => {
            const refused: Refused[] = [];
            const options = {
              id: 7,
              format,
              list: 9,
              ...(skipped && { skipInvalid: (each: Refused) => refused.push(each) }),
              ...(declared && { listFields: LIST_FIELDS }),
            };
            return { made: outcome(() => load(options)), refused };
          };
          const found = run((options) => loadContacts(bytes(), options));
          const expected = run((options) =>
            toBatch(readRecords(bytes(), { ...options, schema: Contact }), options),
          );
          expect(found).toEqual(expected);
        }
      },
    ),
    settings(50),
  );
});

test("Contacts in other formats, or none, are loaded", () => {
  const options = { id: 7, list: 3 };
  const json = '[{"send_id":1,"contact_id":2,"contact_email":"a","fields":{"Age":4}}]';
  for (const source of [json, json.slice(1, -1), "", "[]"]) {
    const batch = loadContacts(source, options);
    expect(batch.id).toBe("7");
    expect(batch.contacts.size).toBe(source.includes("send_id") ? 1 : 0);
  }
  const none = loadContacts("send_id,contact_id,contact_email\n", options);
  expect([none.lists, none.contacts.size]).toEqual([[], 0]);
});

test("a loaded Batch changes like any other, in one service only", () => {
  const rows = "send_id,contact_id,contact_email,fields.Age\n1,1,a,5\n2,2,b,\n";
  const batch = loadContacts(rows, { id: 7, listFields: LIST_FIELDS });
  const [one, two] = [createService({ batches: [batch] }), createService({ batches: [batch] })];
  one.update((draft) => {
    draft.batches["7"]?.addListField("1", "City");
    const seven = draft.batches["7"];
    if (seven === undefined) throw new Error("there is a Batch");
    seven.contacts = seven.contacts.update([["send_id", "exactly", 1]], (contact) => {
      contact.contact_email = "c";
    });
  });
  expect(one.getBatchContacts(7)["1"]?.map((each) => each.contact_email)).toEqual(["c", "b"]);
  expect(two.getBatchContacts(7)["1"]?.map((each) => each.contact_email)).toEqual(["a", "b"]);
  expect(one.batches["7"]?.contacts.toJSON().fields).toHaveProperty("City");
  expect(two.batches["7"]?.contacts.toJSON().fields).not.toHaveProperty("City");
  expect(() => createService({ batches: [batch, batch] })).toThrow("Batch 7 occurs twice");
});

test("a loaded Batch whose changes were merged into it stays columns when it gets and loses List Fields", () => {
  const rows = Array.from({ length: 200 }, (_, id) => `${id},${id},c${id}@x,${id}`).join("\n");
  const header = "send_id,contact_id,contact_email,fields.Age\n";
  const batch = loadContacts(header + rows, { id: 7, listFields: LIST_FIELDS });
  const service = createService({ batches: [batch] });
  service.update((draft) => {
    const seven = draft.batches["7"];
    if (seven === undefined) throw new Error("there is a Batch");
    const change = (contact: { contact_email: string | null }) => {
      contact.contact_email = "changed";
    };
    seven.contacts = seven.contacts.update([["send_id", "less_than", 3]], change).compact();
  });
  const emails = () => service.getBatchContacts(7)["1"]?.map((each) => each.contact_email);
  const before = emails();
  expect(before?.slice(0, 4)).toEqual(["changed", "changed", "changed", "c3@x"]);
  service.update((draft) => {
    draft.batches["7"]?.addListField("1", "City");
    draft.batches["7"]?.removeListField("1", "Age");
  });
  const [base, ...others] = service.batches["7"]?.contacts.state.snapshot.segments ?? [];
  expect([base?.rows.records, others, base?.live]).toEqual([undefined, [], 200]);
  expect(emails()).toEqual(before);
  expect(service.batches["7"]?.contacts.toJSON().fields).not.toHaveProperty("Age");
});
