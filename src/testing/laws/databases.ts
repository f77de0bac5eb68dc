// Databases as subjects: a collection of one is queried by paths, as one that has the values at these as fields (C20).

import * as fc from "fast-check";
import { defineSchema, int } from "../../index.ts";
import { pathsFrom, relatedRecords, relatedSchemas } from "../arbitraries/related.ts";
import { referenceDatabase, referencesIn, RelatedTables } from "../reference-database.ts";
import type { MakeDatabase } from "./checked.ts";
import type { Kind } from "./kinds.ts";
import { databaseOf, type CollectionSetting, type Related, type Setting } from "./setting.ts";

/** The setting of a collection of a database. @throws InputError if the records are not valid */
function databaseSetting({ name, schemas, records, paths }: Related): CollectionSetting {
  const tables = new RelatedTables(schemas, records);
  const { schema, records: data } = tables.flat(name, paths);
  const own = Object.keys(tables.schemaOf(name).fields);
  const related = { name, schemas, records, paths };
  const database = {
    ...related,
    schema: tables.flat(name, [...new Set([...paths, ...own])]).schema,
    model: () => referenceDatabase(schemas, records),
    with: (other: Partial<Related>) => databaseSetting({ ...related, ...other }),
  };
  return { data, operation: "query", subject: [name], schema, isGiven: false, database };
}

function databaseSettings(texts?: fc.Arbitrary<string>): fc.Arbitrary<Setting> {
  return relatedSchemas()
    .chain((schemas) => {
      const referring = referencesIn(schemas).flatMap(({ from, to }) => [from, to]);
      return fc.constantFrom(...Object.keys(schemas), ...referring).chain((name) =>
        fc.record({
          name: fc.constant(name),
          schemas: fc.constant(schemas),
          records: relatedRecords(schemas, { maxLength: 6, texts }),
          paths: pathsFrom(schemas, name),
        }),
      );
    })
    .map(databaseSetting);
}

export const databases: Kind<MakeDatabase> = {
  noun: "database",
  callee: "checkDatabase",
  operations: ["query"],
  lacks: "has no query",
  made: (make) => (setting) => {
    const { schemas, records } = databaseOf(setting);
    return make(schemas, records);
  },
  example: () => {
    const schemas = { records: defineSchema({ id: int({ unique: true }) }) };
    return databaseSetting({ name: "records", schemas, records: {}, paths: ["id"] });
  },
  settings: (_, texts) => databaseSettings(texts),
};
