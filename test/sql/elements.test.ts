// What criteria and queries have in all engines: elements of strings fields (C17), strings without accents (V17), and
// selected fields (C19).

import { beforeEach, expect, test } from "vitest";
import { createCollection, defineSchema, int, string, strings } from "../../src/index.ts";
import { createSqlCollection, createTable, insertRecords } from "../../src/sql/index.ts";
import { onEngine } from "../engines/on-engine.ts";
import { rowsOf } from "../engines/engine.ts";

const Person = defineSchema({
  id: int({ unique: true }),
  name: string({ ignoreAccents: true }),
  tags: strings({ nullable: true }),
});
const records = [
  { id: 1, name: "José", tags: ["a", "b", "a"] },
  { id: 2, name: "Jose", tags: [] },
  { id: 3, name: "jose", tags: null },
  { id: 4, name: "Zoe\u0301", tags: ["b", "c,d", ""] },
];
const people = createCollection(Person, records);
const columns = { id: "id", name: { column: "name", folded: "plain" }, tags: "tags" } as const;
const table = { name: "people", columns };
const asked: readonly object[] = [
  { criteria: [["tags", "exactly", []]] },
  { criteria: [["tags", "not", []]] },
  { criteria: [["tags", "has_all", ["a", "b"]]] },
  { criteria: [["tags", "has_all", ["c,d", ""]]] },
  { criteria: [["tags", "has_all", []]] },
  { criteria: [["name", "exactly", "José"]], select: ["tags", "id"] },
  { criteria: [["name", "contains", "e"]], sortBy: "name", select: ["name"] },
];

for (const name of ["SQLite", "DuckDB", "PostgreSQL", "chDB", "MariaDB"] as const) {
  onEngine(name, (engine) => {
    beforeEach(async () => {
      const { dialect } = engine();
      await engine().clear();
      for (const { text } of createTable(Person, { dialect, table })) await rowsOf(engine(), text);
      for (const { text, parameters } of insertRecords(Person, records, { dialect, table })) {
        await rowsOf(engine(), text, parameters);
      }
    });
    test("has_all, exactly [], accents and select", async () => {
      const { dialect, run, texts } = engine();
      const sql = createSqlCollection({ schema: Person, dialect, run, texts, table: "people", columns, position: "position" }); // oxfmt-ignore
      for (const query of asked) {
        expect([query, await sql.query(query)]).toEqual([query, people.query(query)]);
      }
    });
  });
}
