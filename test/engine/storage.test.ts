// Records that are stored as columns are those that are stored as objects: what is loaded, what is refused, and what
// queries find, before and after changes.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createCollection,
  createService,
  defineSchema,
  int,
  type Schema,
} from "../../src/index.ts";
import {
  batch,
  fileRecord,
  inputRecords,
  ownSchema,
  query,
  validRequest,
} from "../../src/testing/index.ts";
import { settings } from "../property.ts";

const columns = { storage: "columns" } as const;

/** What a function returns, or the message of what it throws. */
function outcome<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    return String(error);
  }
}

test("a collection of any schema", () => {
  const given = ownSchema().chain((schema: Schema) =>
    fc.tuple(
      fc.constant(schema),
      inputRecords(schema),
      fc.array(query(schema), { minLength: 1, maxLength: 5 }),
    ),
  );
  fc.assert(
    fc.property(given, ([schema, records, queries]) => {
      const objects = createCollection(schema, records);
      const stored = createCollection(schema, records, columns);
      const half = Math.ceil(records.length / 2);
      const changed = createCollection(schema, records.slice(0, half), columns).insert(
        records.slice(half),
      );
      for (const each of [stored, changed]) {
        expect([...each]).toEqual([...objects]);
        for (const asked of queries) expect(each.query(asked)).toEqual(objects.query(asked));
      }
      const twice = [...records, ...records];
      expect(outcome(() => createCollection(schema, twice, columns).size)).toBe(
        outcome(() => createCollection(schema, twice).size),
      );
    }),
    settings(60),
  );
});

test("a service", () => {
  const files = fc.uniqueArray(fileRecord(), { selector: ({ id }) => String(id), maxLength: 8 });
  const given = fc
    .record({ files, batches: fc.array(batch(), { maxLength: 1 }) })
    .chain((data) => fc.tuple(fc.constant(data), fc.array(validRequest(data), { maxLength: 5 })));
  fc.assert(
    fc.property(given, ([data, requests]) => {
      const objects = createService(data);
      const stored = createService({ ...data, ...columns });
      for (const request of requests) {
        expect(stored.dispatch(request)).toEqual(objects.dispatch(request));
      }
    }),
    settings(40),
  );
});

test("a storage that there is not is refused", () => {
  const refused = /^InputError: options\.storage: must be "objects" or "columns"/;
  const schema = defineSchema({ id: int() });
  const options = { storage: "rows" } as object;
  expect(outcome(() => createCollection(schema, [], options))).toMatch(refused);
  expect(outcome(() => createService(options))).toMatch(refused);
});
