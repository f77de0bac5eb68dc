// A database over tables of an engine, as a subject of laws.

import fc from "fast-check";
import {
  createCollection,
  createDatabase,
  CriteriaError,
  type Field,
  type Schema,
} from "../../src/index.ts";
import { createDatabaseTables, createSqlDatabase, insertRecords } from "../../src/sql/index.ts";
import type { MakeDatabase } from "../../src/testing/index.ts";
import { execute, type Engine } from "../engines/engine.ts";
import { untyped } from "../rules/fixtures.ts";

/** A database in memory. */
export const inMemory: MakeDatabase = (schemas, records) => {
  const collections = Object.entries(schemas).map(([name, schema]) => {
    return [name, createCollection(schema, records[name])] as const;
  });
  return createDatabase(Object.fromEntries(collections));
};

/** Columns whose names every engine takes. */
const columnsOf = ({ fields }: Schema) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { ignoreCase, ignoreAccents }], i) => [
      name,
      ignoreCase || ignoreAccents ? { column: `c${i}`, folded: `f${i}` } : `c${i}`,
    ]),
  );

type Asked = Readonly<
  Record<"query" | "page" | "count" | "groupBy", (...given: readonly unknown[]) => unknown>
>;

/** A database over tables. What concerns the text of a float, which engines write in other ways, memory answers. */
export const overSql =
  (engine: () => Engine): MakeDatabase =>
  async (schemas, records) => {
    // test/sql/computed.test.ts is about the columns of computed fields.
    const isComputed = ({ path, compute }: Field) => path !== undefined || compute !== undefined;
    const all = Object.values(schemas).flatMap(({ fields }) => Object.values(fields));
    fc.pre(!all.some(isComputed));
    const { dialect, run, texts, clear } = engine();
    // Refuses what the tables may hold.
    const memory: object = await inMemory(schemas, records);
    const tables = Object.entries(schemas).map(([name, schema], i) => {
      const columns = columnsOf(schema);
      return { name, schema, table: `t${i}`, position: "place", columns };
    });
    const collections = Object.fromEntries(tables.map(({ name, ...table }) => [name, table]));
    await clear();
    await execute(engine(), createDatabaseTables(untyped({ dialect, collections })));
    for (const { name, schema, table, columns, position } of tables) {
      const options = { dialect, table: { name: table, columns, position } };
      await execute(engine(), insertRecords(schema, records[name] ?? [], untyped(options)));
    }
    const database: object = createSqlDatabase(
      untyped({ dialect, run, collections, ...(texts && { texts }) }),
    );
    const asked = (method: keyof Asked) => {
      const ask = async (of: object, given: readonly unknown[]): Promise<unknown> =>
        await (of as Asked)[method](...given);
      return async (...given: readonly unknown[]) => {
        try {
          return await ask(database, given);
        } catch (error) {
          const isOfFloat =
            error instanceof CriteriaError && error.message.includes("of the float");
          if (!isOfFloat) throw error;
          return await ask(memory, given);
        }
      };
    };
    return {
      query: asked("query"),
      page: asked("page"),
      count: asked("count"),
      groupBy: asked("groupBy"),
    };
  };
