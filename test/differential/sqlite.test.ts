import initSqlJs from "sql.js";
import { expect, test } from "vitest";
import { createCollection, defineSchema, float, int, strings } from "../../src/index.ts";
import { createSqlCollection } from "../../src/sql/index.ts";
import { differential } from "./harness.ts";

differential("SQLite");

test("a list has floats whose shortest text is an integer that no double equals", async () => {
  const { Database } = await initSqlJs();
  const schema = defineSchema({ n: int(), amount: float() });
  const values = [-2594073385365405700, 2 ** 53 + 2, 0.5, 2 ** 62];
  const memory = createCollection(
    schema,
    values.map((amount, n) => ({ n, amount })),
  );
  for (const type of ["REAL", "NUMERIC"]) {
    const database = new Database();
    database.run(`CREATE TABLE counts (n INTEGER NOT NULL, amount ${type} NOT NULL)`);
    for (const [n, value] of values.entries()) {
      database.run("INSERT INTO counts VALUES (?, ?)", [n, String(value)]);
    }
    const found = createSqlCollection({
      schema,
      dialect: "sqlite",
      table: "counts",
      order: ["n"],
      run: (text, parameters) =>
        Promise.resolve(database.exec(text, parameters as never)[0]?.values ?? []),
    });
    for (const value of values) {
      const criteria = [["amount", "in", [value, 7]]] as const;
      expect(memory.count(criteria)).toBe(1);
      expect(await found.query({ criteria })).toEqual(memory.query({ criteria }));
      expect(await found.count(["NOT", ...criteria])).toBe(memory.count(["NOT", ...criteria]));
    }
    database.close();
  }
});

test("integers in a decimal column are compared as the doubles that answers hold", async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  // Doubles tell only the first of these from the others.
  const values = ["9007199254740990", "9007199254740992", "9007199254740993"];
  database.run("CREATE TABLE counts (n INTEGER NOT NULL, amount NUMERIC NOT NULL)");
  database.run(`INSERT INTO counts VALUES ${values.map((value, n) => `(${n}, ${value})`).join()}`);
  const schema = defineSchema({ n: int(), amount: float() });
  const found = createSqlCollection({
    schema,
    dialect: "sqlite",
    table: "counts",
    order: ["n"],
    run: (text, parameters) =>
      Promise.resolve(database.exec(text, parameters as never)[0]?.values ?? []),
  });
  const memory = createCollection(
    schema,
    values.map((value, n) => ({ n, amount: Number(value) })),
  );
  const most = 9007199254740992;
  expect(await found.count([["amount", "at_most", most]])).toBe(3);
  expect(memory.count([["amount", "at_most", most]])).toBe(3);
  expect(await found.countBy("amount")).toEqual(memory.countBy("amount"));
  const sorted = { sortBy: "amount", sortOrder: "DESC" } as const;
  expect(await found.query(sorted)).toEqual(memory.query(sorted));
  const bins = { bins: 2, from: 9007199254740990, to: most };
  expect(await found.histogram("amount", bins)).toEqual(memory.histogram("amount", bins));
  database.close();
});

test("a column of tags may have the name of a column of json_each()", async () => {
  const { Database } = await initSqlJs();
  const schema = defineSchema({ n: int(), tags: strings() });
  const tagged = [
    { n: 0, tags: ["a", "b"] },
    { n: 1, tags: ["b"] },
    { n: 2, tags: [] },
  ] as const;
  const memory = createCollection(schema, tagged);
  const asked = [
    [["tags", "has", "b"], "OR", ["tags", "has_any", ["c", "a"]]],
    [["tags", "exactly", []], "OR", ["tags", "has_all", ["a", "b"]]],
  ] as const;
  const own = ["key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root"];
  for (const column of [...own, "list", "a", "e"]) {
    const database = new Database();
    database.run(`CREATE TABLE notes (n INTEGER NOT NULL, "${column}" TEXT NOT NULL)`);
    for (const { n, tags } of tagged) {
      database.run("INSERT INTO notes VALUES (?, ?)", [n, JSON.stringify(tags)]);
    }
    const found = createSqlCollection({
      schema,
      dialect: "sqlite",
      table: "notes",
      columns: { n: "n", tags: column },
      order: ["n"],
      run: (text, parameters) =>
        Promise.resolve(database.exec(text, parameters as never)[0]?.values ?? []),
    });
    for (const criteria of asked) {
      expect(await found.query({ criteria }), column).toEqual(memory.query({ criteria }));
      expect(await found.count(["NOT", criteria]), column).toBe(1);
    }
    database.close();
  }
});
