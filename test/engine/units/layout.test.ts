// How documents are read and written: in which layout, and with which members besides their fields.

import { describe, expect, test } from "vitest";
import type { CollectionState } from "../../../src/collection/types.ts";
import { Codec } from "../../../src/engine/columns/codec.ts";
import {
  FlatLayout,
  Part,
  freeze,
  isDocument,
  type Layout,
} from "../../../src/engine/columns/layout.ts";
import { Loader, RecordSink } from "../../../src/engine/columns/loader.ts";
import { createCollection, InputError, int, string } from "../../../src/index.ts";
import { thrownBy, untyped, withOwn } from "../../rules/fixtures.ts";
import { wireSchema } from "../../wire-schema.ts";

const Plain = wireSchema({ id: int(), text: string({ nullable: true }) });
const Hidden = wireSchema({ id: int(), hidden: string({ nullable: true, stored: false }) });
const Proto = wireSchema(
  untyped(Object.assign(withOwn("__proto__", string()), { id: int() })) as { id: never },
);

const nothing = () => null;

describe("documents of fields beside each other", () => {
  test("are the record itself, where it carries all of them", () => {
    const layout = new FlatLayout(Plain.places);
    const record = Object.freeze({ id: "1", text: null });
    expect(layout.write(record, nothing)).toBe(record);
    expect(layout.hidden).toEqual([]);
  });

  test("have what the record does not carry, and are ordinary objects", () => {
    const layout = new FlatLayout(Hidden.places);
    const record = Object.freeze({ id: "1" });
    const document = layout.write(record, (name) => `the ${String(name)} one`);
    expect(document).toEqual({ id: "1", hidden: "the hidden one" });
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
    expect(Object.isFrozen(document)).toBe(false);
    expect(record).toEqual({ id: "1" });
  });

  test("have no prototype where a field is called __proto__", () => {
    const layout = new FlatLayout(Proto.places);
    const document = layout.write(
      untyped(Object.assign(withOwn("__proto__", "mine"), { id: "1" })),
      nothing,
    );
    expect(Object.getPrototypeOf(document)).toBeNull();
    expect(Object.keys(document).sort()).toEqual(["__proto__", "id"]);
    expect(Object.getOwnPropertyDescriptor(document, "__proto__")?.value).toBe("mine");
  });
});

test("a row with every field is the record itself, where it carries all of them", () => {
  const flatOf = ({ state: { codec, snapshot } }: { readonly state: CollectionState }) => {
    const [{ rows }] = snapshot.segments;
    return { flat: codec.flat(rows, 0), record: rows.record(0) };
  };
  const plain = flatOf(createCollection(Plain, [{ id: 1 }]));
  expect(plain.flat).toBe(plain.record);
  const hidden = flatOf(createCollection(Hidden, [{ id: 1, hidden: "x" }]));
  expect({ ...hidden.flat }).toEqual({ id: "1", hidden: "x" });
});

test("members may stand in another order from record to record, or be left out", () => {
  const given = [
    { id: 1, text: "a" },
    { text: "2", id: 2 },
    { id: 3 },
    { text: "4", id: 4 },
    { id: 5 },
    { text: undefined, id: 6 },
  ];
  expect([...createCollection(Plain, given)].map(({ id, text }) => [id, text])).toEqual([
    ["1", "a"],
    ["2", "2"],
    ["3", null],
    ["4", "4"],
    ["5", null],
    ["6", null],
  ]);
});

test("zero is a value only of a field of integers", () => {
  const Choice = wireSchema({ number: int(), text: string(), choice: string({ oneOf: ["a"] }) });
  const row = { number: "0", text: "0", choice: "a" };
  expect([...createCollection(Choice, [untyped(row)])]).toEqual([row]);
  const error = thrownBy(InputError, () =>
    createCollection(Choice, [untyped({ ...row, choice: "0" })]),
  );
  expect(error.path).toBe("records[0].choice");
});

test("a layout may hide as many columns as it likes", () => {
  const [first, second, third] = [Symbol("first"), Symbol("second"), Symbol("third")];
  const part = new Part(Plain.places, ["more"]);
  const layout: Layout = {
    hidden: [first, second, third],
    whole: part,
    parts: new Set(),
    read: (document, reading) => {
      const [more] = reading.take(document, part);
      reading.hide(0, String(more));
      reading.hide(1, "second");
      reading.hide(2, null);
    },
    write: (record) => record,
  };
  const codec = new Codec(Plain, { layout });
  const sink = new RecordSink(codec);
  new Loader(codec, sink).add([
    { id: 1, more: "one" },
    { id: 2, text: "b", more: "two" },
  ]);
  const rows = sink.finish();
  const columns = [first, second, third, Symbol("none")].map((name) =>
    [0, 1].map(rows.readerOf(name)),
  );
  expect(columns).toEqual([
    ["one", "two"],
    ["second", "second"],
    [null, null],
    [null, null],
  ]);
  expect(rows.records).toEqual([
    { id: "1", text: null },
    { id: "2", text: "b" },
  ]);
});

test("frozen values are frozen at every depth", () => {
  const inner = { list: [1, { deep: "x" }] };
  const value = { inner, text: "a", none: null };
  expect(freeze(value)).toBe(value);
  expect([value, inner, inner.list, inner.list[1]].every((each) => Object.isFrozen(each))).toBe(
    true,
  );
  expect(freeze(null)).toBeNull();
  expect([null, undefined, "text", 5].map(isDocument)).toEqual([false, false, false, false]);
  expect(isDocument({})).toBe(true);
});
