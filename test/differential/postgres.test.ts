import { expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import { createSqlService, createTables, insertRows } from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { execute, rowsOf } from "../engines/engine.ts";
import { onEngine } from "../engines/on-engine.ts";
import { differential } from "./harness.ts";

differential("PostgreSQL");

onEngine("PostgreSQL", (engine) => {
  const own = { files: "uploads" } as const;

  test.each([
    ["stored", { textColumns: "stored" }, {}],
    ["virtual", { textColumns: "virtual" }, {}],
    ["in tables of one's own, without such columns", {}, { tables: own }],
  ] as const)(
    "with indexes of substrings, contains and ends_with find what they find in memory; texts of integers %s",
    async (_, made, named) => {
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
      await execute(engine(), createTables({ dialect, indexes, ...made, ...named }));
      await execute(engine(), insertRows({ dialect, files, ...named }));
      // Of a table this small, the planner would read all rows.
      for (const way of ["seqscan", "indexscan", "indexonlyscan"]) {
        await rowsOf(engine(), `ALTER SYSTEM SET enable_${way} = off`);
      }
      await rowsOf(engine(), "SELECT pg_reload_conf()");
      const asked: string[] = [];
      const service = createSqlService({
        dialect,
        substrings: true,
        ...named,
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
      const explain = async (needle: string, field: "url" | "id" = "url") => {
        await service.searchFiles([[field, "contains", needle]]);
        const plan = await rowsOf(engine(), `EXPLAIN ${asked.at(-1)}`, [needle]);
        return JSON.stringify(plan);
      };
      expect(await explain("a%b")).toContain("_url_parts");
      expect(await explain("703", "id")).toContain("_id_parts");
      expect(await explain("ab")).not.toContain("_parts");
      await rowsOf(engine(), "ALTER SYSTEM RESET ALL");
      await rowsOf(engine(), "SELECT pg_reload_conf()");
    },
  );

  test("virtual texts of integers take no space", async () => {
    const { dialect, run } = engine();
    const given = { files: [...generateFiles({ count: 2000, seed: 3 })] };
    const sizes: number[] = [];
    for (const textColumns of ["stored", "virtual"] as const) {
      await engine().clear();
      await execute(engine(), createTables({ dialect, textColumns }));
      await execute(engine(), insertRows({ dialect, ...given }));
      const size = await rowsOf(engine(), "SELECT pg_relation_size('tercet_files')");
      sizes.push(Number(Object.values(size[0] ?? {})[0]));
      const service = createSqlService({ dialect, run });
      const criteria: unknown = [
        ["size", "contains", "7"],
        ["id", "ends_with", 3],
      ];
      expect(await service.searchFiles(criteria)).toEqual(
        createService(given).searchFiles(criteria),
      );
    }
    const [stored = 0, virtual = 0] = sizes;
    expect(virtual).toBeLessThan(stored * 0.95);
  });

  test("an index led by what filters has a page by a List Field in order", async () => {
    const { dialect, run } = engine();
    const batch = generateBatch({ id: 7, count: 3000, lists: 2, seed: 5 });
    await engine().clear();
    const indexes = {
      contacts: [["open_type", { listField: "Email" }], "open_type", { listField: "Email" }],
      listFields: { Email: "string" },
    } as const;
    await execute(engine(), createTables({ dialect, indexes }));
    await execute(engine(), insertRows({ dialect, batch }));
    await engine().settle?.();
    let plan = "";
    const service = createSqlService({
      dialect,
      run: async (text, parameters, options) => {
        plan = (await run(`EXPLAIN ${text}`, parameters, options)).map(String).join("\n");
        return await run(text, parameters, options);
      },
    });
    const page = [[["open_type", "exactly", "html"]], 50, 300, "Email", "ASC"] as const;
    const memory = createService({ batches: [batch] });
    expect(await service.getBatchContacts(7, ...page)).toEqual(memory.getBatchContacts(7, ...page));
    expect(plan).toMatch(/Limit .*\n *-> +Index Scan using tercet_contacts_open_type_list_fields/);
  });
});
