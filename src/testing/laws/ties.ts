// The law of ties among many records (rule P4): several languages sort a few records by insertion, which keeps ties, and
// more of them in another way, which does not. So the law makes its own records, more than in other laws.

import * as fc from "fast-check";
import type { ContactInput, FileInput } from "../../index.ts";
import { expectSame } from "./compare.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { ofService, type ServiceSetting } from "./setting.ts";
import { Table } from "./table.ts";

/** More than are sorted by insertion in any language that we know of. */
const MANY = 64;

/** A setting of the same operation, with a record for each value of the field that is sorted by. */
function withValues({ operation }: ServiceSetting, values: readonly number[]): ServiceSetting {
  if (operation === "searchFiles") {
    const file = (size: number, id: number): FileInput => ({ id, folder_id: 1, name: "a", size });
    return { operation, subject: [], data: { files: values.map(file), batches: [] } };
  }
  const contacts = values.map((open_count, i): ContactInput => ({
    send_id: i,
    contact_id: 1,
    contact_email: "a",
    open_count,
  }));
  const batches = [{ id: 1, lists: [{ id: 1, contacts }] }];
  return { operation, subject: [1], data: { files: [], batches } };
}

const SORTED_BY = { searchFiles: "size", getBatchContacts: "open_count" } as const;

export const tieLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "ties keep insertion order among many records, too",
    rules: ["P4"],
    needs: ["a function that makes it"],
    generate: () =>
      fc.record({
        values: fc.array(fc.nat({ max: 3 }), { maxLength: 2 * MANY, size: "max" }),
        sortOrder: fc.constantFrom("ASC", "DESC"),
      }),
    async holds({ setting }, { values, sortOrder }, { make }) {
      const of = withValues(ofService(setting), values);
      const table = await Table.of(await make(of), of);
      const sortBy = SORTED_BY[of.operation];
      const expected = values
        .map((value, i) => ({ value, found: table.all[i] }))
        .sort((a, b) => (sortOrder === "ASC" ? a.value - b.value : b.value - a.value))
        .flatMap(({ found }) => found ?? []);
      expectSame("sorted", await table.run({ sortBy, sortOrder }), expected);
    },
  }),
];
