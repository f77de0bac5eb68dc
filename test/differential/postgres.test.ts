import { expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import { createSqlService, createTables, insertRows } from "../../src/sql/index.ts";
import { execute, rowsOf } from "../engines/engine.ts";
import { onEngine } from "../engines/on-engine.ts";
import { differential } from "./harness.ts";

differential("PostgreSQL");

onEngine("PostgreSQL", (engine) => {
  test("with indexes of substrings, contains and ends_with find what they find in memory", async () => {
    const parts = [
      "%",
      "_",
      "!",
      "!!",
      "\\",
      "'",
      " ",
      "",
      "abc",
      "ABC",
      "😀",
      "é",
      "e\u0301",
      "ß",
      "12",
      "1_2",
      "a%b",
    ];
    const names = parts.flatMap((a) =>
      parts.flatMap((b) => [a + b, `${a}${b}${a}x`, `xy${a}z${b}`]),
    );
    const files = names.map((name, i) => ({
      id: i * 37,
      folder_id: 1,
      name: `n${name}`,
      url: name,
    }));
    const { dialect, run } = engine();
    await engine().clear();
    const indexes = { substrings: { files: ["url", "name", "id"] } } as const;
    await execute(engine(), createTables({ dialect, indexes }));
    await execute(engine(), insertRows({ dialect, files }));
    // Of a table this small, the planner would read all rows.
    for (const way of ["seqscan", "indexscan", "indexonlyscan"]) {
      await rowsOf(engine(), `ALTER SYSTEM SET enable_${way} = off`);
    }
    await rowsOf(engine(), "SELECT pg_reload_conf()");
    const asked: string[] = [];
    const service = createSqlService({
      dialect,
      substrings: true,
      run: (text, ...rest) => {
        asked.push(text);
        return run(text, ...rest);
      },
    });
    const memory = createService({ files });
    const needles = [
      ...new Set([...names.slice(0, 300), "b\\a", "%%%", "___", "!_!", "a%bz", "37", "703", "x"]),
    ];
    for (const operator of ["contains", "ends_with"] as const) {
      for (const needle of needles) {
        const fields = /^[0-9]*$/.test(needle) ? (["url", "id"] as const) : (["url"] as const);
        for (const field of fields) {
          const criteria: unknown = [[field, operator, needle]];
          const found = await service.searchFiles(criteria);
          expect(found, JSON.stringify(criteria)).toEqual(memory.searchFiles(criteria));
        }
      }
    }
    const explain = async (needle: string) => {
      await service.searchFiles([["url", "contains", needle]]);
      const plan = await rowsOf(engine(), `EXPLAIN ${asked.at(-1)}`, [needle]);
      return JSON.stringify(plan);
    };
    expect(await explain("a%b")).toContain("tercet_files_url_parts");
    expect(await explain("ab")).not.toContain("_parts");
  });
});
