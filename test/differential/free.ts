// Records of a schema with every kind of field.

import fc from "fast-check";
import { int, string } from "../../src/index.ts";
import { inputRecord } from "../../src/testing/index.ts";
import { wireSchema } from "../wire-schema.ts";

export const Free = wireSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  word: string({ ignoreCase: true }),
  number: int({ nullable: true }),
  digits: int({ default: "0" }),
  state: string({ oneOf: ["open", "closed", ""], default: "open" }),
  hidden: string({ nullable: true, stored: false, ignoreCase: true }),
  unsearchable: string({ searchable: false, default: "" }),
  // The column of the order of insertion is called so, too.
  position: int({ default: 0 }),
});

/** Their ids are their positions; repeated where there are to be many. */
export const freeRecords = fc
  .tuple(
    fc.array(inputRecord(Free), { maxLength: 20, size: "max" }),
    fc.constantFrom(1, 1, 1, 1, 1, 2, 15),
  )
  .map(([records, times]) =>
    Array.from({ length: times }, () => records)
      .flat()
      .map((record, id) => ({ ...record, id })),
  );
