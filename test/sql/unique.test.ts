// Unique fields and combinations in tables of engines: their constraints reject what a collection rejects, and
// checkTable reports missing ones.

import { expect, test } from "vitest";
import { createCollection, defineSchema, int, InputError, string } from "../../src/index.ts";
import { checkTable, createTable, insertRecords } from "../../src/sql/index.ts";
import { rowsOf, type Engine } from "../engines/engine.ts";
import { onEngine } from "../engines/on-engine.ts";

const Subscriber = defineSchema(
  {
    id: int({ unique: true }),
    code: string({ unique: true, nullable: true }),
    list: int({ nullable: true }),
    email: string({ ignoreCase: true }),
  },
  { unique: [["list", "email"]] },
);
const records = [
  { id: 1, code: null, list: 1, email: "ada@example.org" },
  // V13: null equals nothing, in a field and in a combination.
  { id: 2, code: null, list: null, email: "ada@example.org" },
  { id: 3, code: "c", list: null, email: "Ada@example.org" },
  { id: 4, code: "C", list: 2, email: "ada@example.org" },
];
const taken = [
  { id: 4, email: "new" },
  { id: 5, code: "c", email: "new" },
  { id: 6, list: 1, email: "ADA@example.org" },
];

interface Given {
  readonly id: number;
  readonly code?: string | null;
  readonly list?: number | null;
  readonly email: string;
}

async function put(engine: Engine, given: readonly Given[], from: number): Promise<void> {
  const options = { dialect: engine.dialect, table: "subscribers", from } as const;
  for (const { text, parameters } of insertRecords(Subscriber, given, options)) {
    await rowsOf(engine, text, parameters);
  }
}

for (const name of ["SQLite", "DuckDB", "PostgreSQL", "MariaDB"] as const) {
  onEngine(name, (engine) => {
    test(`${name} refuses what a collection refuses, and checkTable misses nothing`, async () => {
      await engine().clear();
      const { dialect, run } = engine();
      for (const { text } of createTable(Subscriber, { dialect, table: "subscribers" })) {
        await rowsOf(engine(), text);
      }
      await put(engine(), records, 0);
      const rows = createCollection(Subscriber, records);
      for (const each of taken) {
        expect(() => rows.insert(each)).toThrow(InputError);
        await expect(put(engine(), [each], 10)).rejects.toThrow();
      }
      const columns = {
        ...{ id: "c0", code: "c1", list: "c2" },
        email: { column: "c3", folded: "c3_folded" },
      } as const;
      const problems = async () => {
        const found = await checkTable({
          ...{ schema: Subscriber, dialect, run, table: "subscribers", position: "position" },
          columns,
        });
        return found;
      };
      expect(await problems()).toEqual([]);
      if (dialect === "duckdb") return; // has no catalog of indexes that is asked
      await engine().clear();
      for (const { text } of createTable(Subscriber, { dialect, table: "subscribers" })) {
        await rowsOf(engine(), text.replaceAll(/, UNIQUE \([^)]*\)/g, ""));
      }
      const missing = await problems();
      expect(missing.map(({ reason }) => reason)).toEqual([
        'no index keeps "c0" unique, as the schema does',
        'no index keeps "c1" unique, as the schema does',
        'no index keeps "c2", "c3_folded" unique together, as the schema does',
      ]);
      for (const { statement } of missing) await rowsOf(engine(), statement ?? "");
      expect(await problems()).toEqual([]);
      for (const { statement } of missing) {
        const index = /INDEX (\S+)/.exec(statement ?? "")?.[1] ?? "";
        const on = dialect === "mariadb" ? " ON subscribers" : "";
        await rowsOf(engine(), `DROP INDEX ${index}${on}`);
      }
      const twice = { id: 7, code: "d", list: 3, email: "new" };
      await put(engine(), [twice], 10);
      await put(engine(), [twice], 11);
      expect(await problems()).toMatchObject(
        ['"c0"', '"c1"', '"c2", "c3_folded"'].map((names) => ({
          kind: "wrong",
          statement: null,
          reason: `two rows have the same ${names}, which the schema makes unique`,
        })),
      );
    });
  });
}
