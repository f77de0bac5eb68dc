// The JSON of a Batch, loaded in pieces of any size, gives the same Batch as its parsed JSON, and errors with the place
// and the byte.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { loadBatch, openBatch, readJson } from "../../src/import/index.ts";
import { createService, InputError, type BatchInput } from "../../src/index.ts";
import { settings } from "../property.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";
import { pieces } from "./pieces.ts";

const contact = (id: number, more: object = {}) => ({
  send_id: id,
  contact_id: id + 1,
  contact_email: `${id}@example.com`,
  ...more,
});

/** More Contacts than are noted together, with some that are not plain among them. */
const many = Array.from({ length: 1500 }, (_, id) =>
  contact(id, {
    bounce_description: "x".repeat(id % 90),
    fields: id % 3 === 0 ? {} : { Age: `${id}` },
  }),
);
const BATCH = {
  id: 7,
  lists: [
    { id: 1, fields: { Age: "int" }, contacts: many },
    { contacts: [contact(1, { fields: { City: "é" } }), contact(2)], fields: ["City"], id: "2" },
    { id: 3, contacts: [] },
  ],
};

const encode = (value: unknown) =>
  Buffer.from(
    JSON.stringify(value)
      // Some have names and texts that have to be parsed.
      .replaceAll('"send_id":77,', '"send_\\u0069d":77,')
      .replaceAll('"55@example.com"', '"55@ex\\u0061mple.com"'),
  );

const load = (bytes: Uint8Array, size = 1000) => loadBatch(() => pieces(bytes, size));
const answers = (batch: object) =>
  createService(untyped({ batches: [batch] })).getBatchContacts(
    7,
    [["Age", "not", "4"]],
    null,
    null,
    "send_id",
  );

test.each([100, 5000, 1 << 20])("in pieces of %d bytes it is the same Batch", (size) => {
  const bytes = encode(BATCH);
  const expected = answers(BATCH);
  expect(answers(load(bytes, size))).toEqual(expected);
  const opened = openBatch(() => pieces(bytes, size));
  expect(answers(opened)).toEqual(expected);
  // Iterated over from the start, again.
  expect(answers(opened)).toEqual(expected);
});

test("plain Contacts are not parsed one by one, whatever List Fields they have", () => {
  const plain = many.map((each, id) => ({ ...each, fields: { Age: id, City: null } }));
  const lists = [{ id: 1, fields: { Age: "int", City: "string" }, contacts: plain }];
  const bytes = encode({ id: 7, lists });
  const parse = vi.spyOn(JSON, "parse");
  try {
    const { contacts } = load(bytes, 1 << 16);
    expect(contacts.size).toBe(plain.length);
    // The members around them, and the two that are not plain.
    expect(parse.mock.calls.length).toBeLessThan(20);
  } finally {
    parse.mockRestore();
  }
});

describe("an error has the place", () => {
  const withList = (list: object) => ({ ...BATCH, lists: [BATCH.lists[1], list] });
  test.each<[string, unknown]>([
    [
      "batch.lists[1].contacts[1].send_id",
      withList({ id: 5, contacts: [contact(1), contact(2, { send_id: "x" })] }),
    ],
    [
      "batch.lists[1].contacts[0].contact_email",
      withList({ id: 5, contacts: [{ send_id: 1, contact_id: 2 }] }),
    ],
    [
      "batch.lists[1].contacts[0].fields",
      withList({ id: 5, contacts: [contact(1, { fields: { City: "x" } })] }),
    ],
    ["batch.lists[1].contacts[0]", withList({ id: 5, contacts: [contact(1, { City: "x" })] })],
    ["batch.lists[1].contacts[2]", withList({ id: 5, contacts: [contact(1), contact(2), 5] })],
    ["batch.lists[1].contacts", withList({ id: 5, contacts: 5 })],
    ["batch.lists[1].contacts", withList({ id: 5, contacts: "ab" })],
    ["batch.lists[1].id", withList({ id: "x", contacts: [] })],
    ["batch.lists", { id: 7, lists: 5 }],
    ["batch.id", { lists: [] }],
    ["batch", []],
    ["batch", 5],
  ])("%s", (path, given) => {
    for (const size of [3, 1000]) {
      expect(thrownBy(InputError, () => load(encode(given), size)).path).toBe(path);
    }
  });

  test("and its own name, if it has one", () => {
    const read = () => pieces(encode({ lists: [] }), 10);
    expect(thrownBy(InputError, () => loadBatch(read, { name: "files[2]" })).path).toBe(
      "files[2].id",
    );
  });
});

test("a byte that is legal nowhere in JSON is found where it is, in pieces of any size", () => {
  const small = encode({ ...BATCH, lists: BATCH.lists.slice(1) });
  fc.assert(
    fc.property(fc.nat({ max: small.length - 1 }), fc.integer({ min: 1, max: 80 }), (at, size) => {
      // Within a longer character it is not UTF-8 either.
      fc.pre((small[at] ?? 0) < 0x80);
      const bytes = Uint8Array.from(small);
      bytes[at] = 0x01;
      const error = thrownBy(InputError, () => load(bytes, size));
      expect(error.path).toMatch(/^batch(\.|$)/);
      expect(error.reason).toBe(`is not JSON: unexpected control character at byte ${at}`);
    }),
    settings(150),
  );
});

test("no more is read than is allowed", () => {
  const bytes = encode(BATCH);
  const read = () => pieces(bytes, 1000);
  expect(() => loadBatch(read, { maxBytes: bytes.length })).not.toThrow();
  const { path } = thrownBy(InputError, () => loadBatch(read, { maxBytes: bytes.length - 1 }));
  expect(path).toBe("source");
});

test("records of JSON are an array, or objects", () => {
  for (const text of ["5", "null", '"[]"']) {
    const error = thrownBy(InputError, () => [...readJson(text)]);
    expect([error.path, error.reason.startsWith("must be an array or objects, not ")]).toEqual([
      "records",
      true,
    ]);
  }
  expect([...readJson(" [ ] ")]).toEqual([]);
  expect([...readJson("{}")]).toEqual([{}]);
  const opened: BatchInput = openBatch(() => "5");
  expect(opened).toBe(5);
});
