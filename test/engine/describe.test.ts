// What a collection prints: its size and fields, never millions of records.

import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createCollection, createService, int, string } from "../../src/index.ts";
import { wireSchema } from "../wire-schema.ts";

const Ticket = wireSchema({
  id: int({ unique: true }),
  "closed by": string({ nullable: true, searchable: false }),
  state: string({ oneOf: ["open", "closed"], default: "open" }),
  hidden: int({ nullable: true, stored: false }),
});
const tickets = createCollection(Ticket, [{ id: 1 }, { id: 2 }]);

test("console.log shows the size and the fields of a collection", () => {
  expect(inspect(tickets)).toBe(
    `Collection(2) {
  id: int, unique
  "closed by": string | null, not searchable
  state: "open" | "closed", default "open"
  hidden: int | null, not stored
}`,
  );
  const short = createCollection(wireSchema({ id: int(), name: string() }), []);
  expect(inspect({ short })).toBe("{ short: Collection(0) { id: int; name: string } }");
});

test("JSON.stringify writes the size and the fields of a collection", () => {
  expect(JSON.parse(JSON.stringify({ tickets }))).toEqual({
    tickets: {
      size: 2,
      fields: {
        id: { type: "int", unique: true },
        "closed by": { type: "string", nullable: true, searchable: false },
        state: { type: "string", oneOf: ["open", "closed"], default: "open" },
        hidden: { type: "int", nullable: true, stored: false },
      },
    },
  });
});

test("the Files and Batches of a service are printed as short, however many records they have", () => {
  const files = Array.from({ length: 5000 }, (_, id) => ({ id, folder_id: 1, name: "a.txt" }));
  const service = createService({ files, batches: [{ id: 7, lists: [] }] });
  expect(inspect(service.files).length).toBeLessThan(1000);
  expect(JSON.stringify(service.files)).toContain('"size":5000');
  expect(JSON.stringify(service.batches["7"])).toContain('"size":0');
  expect(inspect(service.batches["7"], { depth: 9 }).length).toBeLessThan(3000);
});

test("console.log and JSON.stringify of a draft's Batches show what they show of the Batches", () => {
  const lists = [{ id: 5, contacts: [] }];
  const service = createService({ batches: [7, 8].map((id) => ({ id, lists })) });
  service.update((draft) => {
    const [before, batch] = [service.batches["7"], draft.batches["7"]];
    expect(JSON.stringify(draft.batches)).toBe(JSON.stringify(service.batches));
    expect(`Batch ${inspect(batch)}`).toBe(inspect(before));
    const print = (batches: object) => inspect({ ...batches }).replaceAll("Batch {", "{");
    expect(inspect(draft.batches)).toBe(print(service.batches));
    delete draft.batches["8"];
    expect(inspect(draft.batches)).toBe(inspect({ "7": batch }));
    expect(Reflect.ownKeys(draft.batches)).toEqual(["7"]);
  });
  expect(Object.keys(service.batches)).toEqual(["7"]);
});
