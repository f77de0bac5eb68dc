// The options of fields that refer to records (rules C20, C21).

import { expect, test } from "vitest";
import {
  defineSchema,
  int,
  readSchema,
  SchemaError,
  string,
  writeSchema,
} from "../../src/index.ts";

test("a field says to which records its values refer", () => {
  const Order = defineSchema({
    id: int({ unique: true }),
    customer: int({ references: ["customers", "id"] }),
    seller: string({ references: ["sellers", "code"], nullable: true, onRemove: "null" }),
  });
  const { customer, seller, id } = Order.fields;
  expect([id.references, id.onRemove]).toEqual([undefined, undefined]);
  expect([customer.references, customer.onRemove]).toEqual([["customers", "id"], "refuse"]);
  expect([seller.references, seller.onRemove]).toEqual([["sellers", "code"], "null"]);
  const again = readSchema(JSON.parse(JSON.stringify(writeSchema(Order))));
  expect(again.fields).toEqual(Order.fields);
});

test.each([
  [{ references: "customers.id" }, 'must be [collection, field], such as ["customers", "id"]'],
  [{ references: ["customers"] }, "must be [collection, field]"],
  [{ references: ["customers", 1] }, "must be [collection, field]"],
  [{ onRemove: "null" }, "onRemove: needs references"],
  [
    { references: ["customers", "id"], onRemove: "null" },
    'onRemove: "null" needs a nullable field',
  ],
  [{ references: ["customers", "id"], onRemove: "cascade" }, "onRemove: must be"],
])("%j is refused", (options, reason) => {
  const make = () => int(options as never);
  expect(make).toThrow(SchemaError);
  expect(make).toThrow(reason);
});
