// The suggestions that an error adds to an unknown name.

import { describe, expect, test } from "vitest";
import {
  createCollection,
  createService,
  CriteriaError,
  InputError,
  int,
  parseCriteria,
  QueryError,
  string,
} from "../../src/index.ts";
import { suggestion } from "../../src/schema/nearest.ts";
import { ask, aService, thrownBy, untyped } from "../rules/fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

const Person = wireSchema({
  id: int(),
  name: string(),
  first_name: string(),
  last_name: string(),
  secret: string({ searchable: false, default: "" }),
});

describe("an unknown field", () => {
  test.each([
    ["nmae", '; did you mean "name"?'],
    ["NAME", '; did you mean "name"?'],
    ["firstName", '; did you mean "first_name"?'],
    ["frist_name", '; did you mean "first_name" or "last_name"?'],
    ["st_name", '; did you mean "last_name"?'],
    ["names", '; did you mean "name"?'],
    ["ip", '; did you mean "id"?'],
    ["colour", ""],
    ["", ""],
    ["secrets", ""],
    ["constructor", ""],
  ])("%j in a criterion suggests the nearest searchable names: %j", (field, hint) => {
    const criteria = untyped([[field, "exactly", 1]]);
    const error = thrownBy(CriteriaError, () => parseCriteria(Person, criteria));
    expect(error.reason).toBe(`unknown field ${JSON.stringify(field)}${hint}`);
  });

  test("in a sort suggests sortable names", () => {
    const people = createCollection(Person, []);
    const error = thrownBy(QueryError, () => people.query({ sortBy: untyped("secrets") }));
    expect(error.reason).toBe('unknown field "secrets"; did you mean "secret"?');
  });

  test("in a record suggests names that it may have", () => {
    const person = { id: 1, name: "a", first_name: "b", last_name: "c" };
    const create = () => createCollection(Person, [person, untyped({ ...person, nmae: "a" })]);
    expect(thrownBy(InputError, create).message).toBe(
      'records[1]: has the unknown field "nmae"; did you mean "name"?',
    );
    const people = createCollection(Person, [person]);
    const update = () => people.update(null, (draft) => Object.assign(draft, { lastname: "d" }));
    expect(thrownBy(InputError, update).reason).toBe(
      'has the unknown field "lastname"; did you mean "last_name"?',
    );
  });

  test.each([
    [{ Email: "a@x" }, "", 'has the unknown field "Email"; it stands under "fields"'],
    [{ field: {} }, "", 'has the unknown field "field"; did you mean "fields"?'],
    [{ sendid: 1 }, "", 'has the unknown field "sendid"; did you mean "send_id"?'],
    [{ fields: { email: "a" } }, ".fields", 'has the unknown field "email"; did you mean "Email"?'],
  ])(
    "in a Contact, as in %j, suggests where it belongs or the nearest name",
    (members, path, reason) => {
      const contacts = [untyped({ send_id: 1, contact_id: 1, ...members })];
      const lists = [{ id: 5, fields: { Email: "string" as const }, contacts }];
      const create = () => createService({ batches: [{ id: 7, lists }] });
      const error = thrownBy(InputError, create);
      expect(error.path).toBe(`batches[0].lists[0].contacts[0]${path}`);
      expect(error.reason).toBe(reason);
    },
  );

  test("in a request suggests List Fields and Contact fields", () => {
    const data = (...parameters: unknown[]) =>
      ask(aService(), "getBatchContacts", 7, ...parameters).error?.data;
    expect(data([["email", "exactly", "a"]])).toBe(
      'criteria[0]: unknown field "email"; did you mean "Email"?',
    );
    expect(data(null, 1, 0, "send_tiem")).toBe(
      'sort_by: unknown field "send_tiem"; did you mean "send_time" or "send_id"?',
    );
  });
});

describe("the nearest names", () => {
  test("are at most three, the nearest first, then in the given order", () => {
    const known = ["abcdexx", "abcdefx", "abcdef", "abcdefy", "abcdefz"];
    expect(suggestion("abcdef", known)).toBe('; did you mean "abcdef", "abcdefx" or "abcdefy"?');
  });

  test("differ in at most a third of the characters, changed, inserted, omitted or swapped", () => {
    const isNear = (name: string, known: string) => suggestion(name, [known]) !== "";
    expect(isNear("abcdef", "abxxef")).toBe(true);
    expect(isNear("abcdef", "axxxef")).toBe(false);
    expect(isNear("abcdef", "bacdfe")).toBe(true);
    expect(isNear("abcdef", "badcfe")).toBe(false);
    expect(isNear("abcdef", "abcd")).toBe(true);
    expect(isNear("abcdef", "abcdefgh")).toBe(true);
    expect(isNear("abcdef", "abzcdzefz")).toBe(false);
    expect(isNear("abcdefghijkl", "abcdefghi")).toBe(true);
    expect(isNear("abcdefghijklmnop", "abdeghjkmnop")).toBe(false);
  });

  test("are, if none is near, those that contain the name or are contained in it", () => {
    const known = ["id", "open_time", "open_type", "time"];
    expect(suggestion("OPEN", known)).toBe('; did you mean "open_time" or "open_type"?');
    expect(suggestion("first_open_time", known)).toBe('; did you mean "open_time" or "time"?');
    expect(suggestion("tiem", known)).toBe('; did you mean "time"?');
    expect(suggestion("en", known)).toBe("");
    expect(suggestion("identity", known)).toBe("");
  });

  test("are none for a long name, which is compared with nothing", () => {
    const long = "x".repeat(10_000_000);
    expect(suggestion(long, [long])).toBe("");
    expect(suggestion("x".repeat(40), ["x".repeat(40)])).not.toBe("");
    expect(suggestion("x".repeat(41), ["x".repeat(41)])).toBe("");
    expect(suggestion("x".repeat(40), ["x".repeat(41)])).toBe("");
  });

  test("come from the first two thousand names only", () => {
    let read = 0;
    function* names(): Generator<string> {
      for (;;) {
        read++;
        yield "another";
      }
    }
    expect(suggestion("name", names())).toBe("");
    expect(read).toBe(2001);
  });
});
