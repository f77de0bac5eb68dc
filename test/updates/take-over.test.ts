// Values that a recipe leaves alone are taken from the old record without being read, and the record
// equals the one made from the whole document.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createService, InputError, type Service } from "../../src/index.ts";
import { settings } from "../property.ts";
import { contact, expectRefused, makePeople } from "./fixtures.ts";

/** Two Lists: one field in common, one of each alone. */
function makeService(first: Readonly<Record<string, unknown>>): Service {
  const lists = [
    { id: 1, fields: ["Both", "One"], contacts: [] },
    { id: 2, fields: ["Both", "Two"], contacts: [] },
  ];
  const service = createService({ batches: [{ id: 1, lists }] });
  service.update((draft) => {
    const batch = draft.batches["1"];
    if (batch !== undefined) batch.contacts = batch.contacts.insert([first as never]);
  });
  return service;
}

const base = {
  ...contact(1),
  open_country: "DE",
  fields: { Both: "b", One: "1" },
  list: "1",
};

/** What becomes of a member: it goes, or gets a value, valid or not. */
const change = (name: string, values: readonly unknown[]) =>
  fc.record({
    name: fc.constant(name),
    value: fc.constantFrom<readonly [] | readonly [unknown]>(
      [],
      ...values.map((v) => [v] as const),
    ),
  });

const changes = fc.array(
  fc.oneof(
    change("open_country", [null, "DE", "FR", 7]),
    change("open_count", ["0", 3, "03", undefined]),
    change("contact_email", ["other@example.org", null]),
    change("send_status", ["failed", "lost"]),
    change("unknown", [1]),
    change("list", ["1", 2, "3", null]),
    change("fields", [
      { Both: "b", One: "1" },
      { Both: "c" },
      { Two: "2" },
      {},
      null,
      undefined,
      "fields",
    ]),
    change("fields.Both", ["x", null, 5]),
    change("fields.One", ["x", null]),
    change("fields.Two", ["x"]),
  ),
  { maxLength: 4 },
);

type Changes = readonly { readonly name: string; readonly value: readonly unknown[] }[];

function apply(document: Record<string, unknown>, all: Changes): void {
  for (const { name, value } of all) {
    const [member, field] = name.split(".") as [string, string | undefined];
    const target = field === undefined ? document : document[member];
    if (typeof target !== "object" || target === null) continue;
    if (value.length === 0) Reflect.deleteProperty(target, field ?? member);
    else Reflect.set(target, field ?? member, value[0]);
  }
}

/** What the service has, or that the change was refused: of several bad members, by any of them. */
function outcome(run: () => Service): unknown {
  try {
    const service = run();
    const fields = ["Both", "One", "Two"];
    const has = (field: string, value: string | null) =>
      Object.values(service.getBatchContacts(1, [[field, "exactly", value]])).flat().length > 0;
    const values = [null, "b", "c", "x", "1", "2", "5"];
    const found = fields.map((field) => values.filter((value) => has(field, value)));
    return { lists: service.getBatchContacts(1), found };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return "refused";
  }
}

describe("a changed record", () => {
  test("is what its document would make if it were new", () => {
    fc.assert(
      fc.property(changes, (all) => {
        const changed = outcome(() => {
          const service = makeService(base);
          service.update((draft) => {
            const batch = draft.batches["1"];
            if (batch === undefined) return;
            batch.contacts = batch.contacts.update(null, (each) => {
              apply(each, all);
            });
          });
          return service;
        });
        const whole = structuredClone(base) as Record<string, unknown>;
        apply(whole, all);
        expect(changed).toEqual(outcome(() => makeService(whole)));
      }),
      settings(100),
    );
  });

  test("loses what its recipe leaves out of a document that it returns", () => {
    const people = makePeople().update([["id", "exactly", 1]], ({ id, name }) => ({ id, name }));
    expect(people.query({ limit: 1 })).toEqual([
      { id: "1", name: "Ada", status: "active", age: null },
    ]);
    expect(people.count([["note", "exactly", "first"]])).toBe(0);
  });

  test("is refused by the member that is not valid, however much of it is as before", () => {
    expectRefused(
      () =>
        makePeople().update([["id", "exactly", 3]], (draft) => void ((draft.age as unknown) = "x")),
      "rows[2].age",
      'must be an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string, not "x"',
    );
  });
});
