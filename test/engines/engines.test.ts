// Each engine that tests ask is there, answers, and forgets its tables when it is told to.

import { expect, test } from "vitest";
import { rowsOf } from "./engine.ts";
import { engineNames } from "./index.ts";
import { onEngine } from "./on-engine.ts";

for (const name of engineNames) {
  onEngine(name, (engine) => {
    test("keeps a table until it is cleared", async () => {
      const run = (text: string) => rowsOf(engine(), text);
      const { clear, dialect } = engine();
      const isClickhouse = dialect.startsWith("clickhouse");
      const columns = isClickhouse ? "(a Int64) ENGINE = Memory" : "(a BIGINT)";
      await run(`CREATE TABLE kept ${columns}`);
      await run("INSERT INTO kept VALUES (7)");
      const [row] = await run("SELECT a FROM kept");
      expect(Object.values(row ?? {}).map(String)).toEqual(["7"]);
      await clear();
      await expect(run("SELECT a FROM kept")).rejects.toThrow(/kept/);
    });
  });
}
