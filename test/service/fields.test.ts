// Every field of the two records passes through the service: returned, searched, sorted. The service
// has the Batches that it was given.

import { describe, expect, test } from "vitest";
import { createService, File } from "../../src/index.ts";
import { CONTACT_FIELDS, FILE_FIELDS, untyped } from "../rules/fixtures.ts";

const ENUMERATED: Readonly<Record<string, readonly [string, string]>> = {
  send_status: ["failed", "split_sms"],
  open_type: ["html", "text"],
};

/** Two values of each field, the first lower; no two fields have one in common. */
function valuesOf(fields: readonly (readonly [name: string, type: string, ...rest: unknown[]])[]) {
  const pairs = fields.map(([name, type], i): [string, readonly [string, string]] => [
    name,
    ENUMERATED[name] ??
      (type === "int" ? [`9${100 + i}`, `10${100 + i}`] : [`.10 ${name}`, `.9 ${name}`]),
  ]);
  return [0, 1].map((which) =>
    Object.fromEntries(pairs.map(([name, pair]) => [name, pair[which] ?? ""])),
  );
}

describe("a Contact", () => {
  const [low = {}, high = {}] = valuesOf(CONTACT_FIELDS);
  const contacts = [high, low, { ...low, ...high, contact_id: 5 }].map(untyped);
  const service = createService({ batches: [{ id: 1, lists: [{ id: 2, contacts }] }] });
  const find = (...parameters: unknown[]) =>
    service.getBatchContacts(1, ...(parameters as []))["2"];

  test("comes back with the values that it was given with", () => {
    expect(find()).toEqual([high, low, { ...high, contact_id: "5" }]);
  });

  test.each(CONTACT_FIELDS.filter(([, , searchable]) => searchable).map(([name]) => name))(
    "is found by its %s",
    (name) => {
      expect(find([[name, "exactly", low[name]]])).toEqual([low]);
      expect(find([[name, "contains", low[name]]])).toEqual([low]);
      expect(find([[name, "not", high[name]]])).toContainEqual(low);
      expect(find([[name, "in", [high[name], null]]])).not.toContainEqual(low);
    },
  );

  test.each(CONTACT_FIELDS.map(([name]) => name))("is sorted by its %s", (name) => {
    const values = (order: string) =>
      find(null, null, null, name, order)?.map((contact): unknown => Reflect.get(contact, name));
    const [a, b, c] = [low[name], high[name], name === "contact_id" ? "5" : high[name]];
    const ascending = name === "contact_id" ? [c, a, b] : [a, b, c];
    expect(values("ASC")).toEqual(ascending);
    expect(values("DESC")).toEqual(ascending.toReversed());
  });
});

describe("a File", () => {
  const [low = {}, high = {}] = valuesOf(FILE_FIELDS);
  const service = createService({ files: [high, low].map(untyped) });
  const find = (...parameters: unknown[]) => service.searchFiles(...(parameters as []));

  test("comes back with the values that it was given with", () => {
    expect(find()).toEqual([high, low]);
    expect(Object.keys(File.fields)).toEqual(Object.keys(low));
  });

  test.each(FILE_FIELDS.map(([name]) => name))("is found and sorted by its %s", (name) => {
    expect(find([[name, "exactly", low[name]]])).toEqual([low]);
    expect(find([[name, "not", low[name]]])).toEqual([high]);
    expect(find(null, null, null, name, "ASC")).toEqual([low, high]);
    expect(find(null, null, null, name, "DESC")).toEqual([high, low]);
  });
});

test("the Batches stand under their ids, and nothing else does", () => {
  const lists = [{ id: 3, contacts: [] }];
  const { batches } = createService({
    batches: [
      { id: 12, lists },
      { id: -4n, lists },
    ],
  });
  expect(Object.keys(batches)).toEqual(["12", "-4"]);
  expect(Object.values(batches).map(({ id }) => id)).toEqual(["12", "-4"]);
  expect(Object.keys(createService().batches)).toEqual([]);
});
