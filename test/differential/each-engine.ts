// What must hold for each engine under test, and for a service over it, besides equal results.

import fc from "fast-check";
import { expect, test } from "vitest";
import { createService, defineSchema, int, string } from "../../src/index.ts";
import {
  checkDriver,
  compileSql,
  createSqlService,
  createTable,
  createTables,
  insertRows,
} from "../../src/sql/index.ts";
import {
  batch,
  checkService,
  files,
  formatReport,
  request,
  validRequest,
  type CheckedData,
} from "../../src/testing/index.ts";
import {
  change,
  execute,
  isStorable,
  rowsOf,
  storable,
  type ClusterEngine,
  type Engine,
} from "../engines/engine.ts";
import type { EngineName } from "../engines/index.ts";
import { runsAll } from "../engines/on-engine.ts";
import { settings } from "../property.ts";
import { expectChangesWritten } from "../sql/changes.ts";
import { expectUnharmed } from "../sql/injection.ts";
import { serviceOn } from "../sql/load.ts";
import { tuned } from "../tuned.ts";
import { expectBoundedTries, expectWholeAnswers } from "../sql/snapshots.ts";

const HOURS = 12 * 3_600_000;

/** The service above an engine is the same for all: what it makes of requests is asked of one, and of all on demand. */
const asksAll = (name: EngineName) => runsAll || name === "SQLite";

/** A cluster is asked what one of its servers is. */
const isCluster = ({ createTables }: Engine) => createTables !== undefined;

export function testEach(name: EngineName, engine: () => Engine | ClusterEngine): void {
  test("keeps a table until it is cleared", async () => {
    const run = (text: string) => rowsOf(engine(), text);
    const { clear, dialect } = engine();
    const isClickhouse = dialect === "clickhouse";
    const columns = isClickhouse ? "(a Int64) ENGINE = Memory" : "(a BIGINT)";
    await run(`CREATE TABLE kept ${columns}`);
    await run("INSERT INTO kept VALUES (7)");
    const [row] = await run("SELECT a FROM kept");
    expect(Object.values(row ?? {}).map(String)).toEqual(["7"]);
    await clear();
    await expect(run("SELECT a FROM kept")).rejects.toThrow(/kept/);
  });

  test("nothing is wrong with its driver, but that some drop a leading U+FEFF", async () => {
    const { run, dialect, texts } = engine();
    const dropped = {
      check: "a string that begins with U+FEFF",
      reason: '[["\ufeffa"]] came back as [["a"]]',
      mend: 'give createSqlService and compileSql the option texts: "bytes"',
    };
    expect(await checkDriver(run, dialect)).toEqual(texts === "bytes" ? [dropped] : []);
  });

  test("List Fields whose names differ in case, or late, have an index each", async () => {
    const long = "x".repeat(70);
    const listFields = {
      a: "string",
      A: "int",
      [`${long}1`]: "string",
      [`${long}2`]: "int",
    } as const;
    const { clear, dialect, createTables: make } = engine();
    await clear();
    if (make === undefined)
      await execute(engine(), createTables({ dialect, indexes: { listFields } }));
    else await make({ listFields });
    await clear();
  });

  test("each index gets a name that the engine takes, besides those of tables and constraints", async () => {
    const { clear, dialect } = engine();
    if (isCluster(engine())) return;
    await clear();
    const long = "n".repeat(60);
    const schema = defineSchema({
      ...{ id: int({ unique: true }), user_name: string({ unique: true }), name: string() },
      ...{ api: string({ unique: true }), api_key: string(), pkey: int(), a: int(), b_c: int() },
      ...{ a_b: int(), c: int(), [long]: int(), [`${long}2`]: int(), [`${long}_2`]: int() },
    });
    const columns = Object.fromEntries(schema.places.map(({ name }) => [name, name]));
    const indexes = [
      ...["id", "name", "api_key", "pkey", long, `${long}2`, `${long}_2`],
      ...[
        [long, `${long}2`],
        [`${long}2`, long],
        ["a", "b_c"],
        ["a_b", "c"],
      ],
    ];
    await execute(
      engine(),
      createTable(schema, { dialect, table: { name: "user", columns }, indexes } as never),
    );
    await clear();
    const tables = {
      files: { name: "shop", columns: { size: long, name: `${long}2`, id: "pkey" } },
      contacts: ["shop_url"],
      lists: { name: `shop_${long.slice(5)}` },
    };
    await execute(
      engine(),
      createTables({
        ...{ dialect, tables },
        indexes: { files: ["size", "name", "url"], contacts: ["send_id"] },
      }),
    );
    await clear();
  });

  test("a misspelt column is an error, never a string", async () => {
    const { clear, dialect, run } = engine();
    if (isCluster(engine())) return;
    await clear();
    await execute(engine(), createTables({ dialect }));
    await execute(engine(), insertRows({ dialect, files: [{ id: 1, folder_id: 1, name: "a" }] }));
    const files = { name: "tercet_files", columns: { size: "sise" } } as const;
    const schema = defineSchema({ id: int(), sise: string() });
    const table = { name: "tercet_files", columns: { id: "id", sise: "sise" } } as const;
    for (const query of [
      {},
      { criteria: [["sise", "exactly", "sise"]] },
      { sortBy: "sise" },
    ] as const) {
      const { text, parameters } = compileSql(schema, query, { dialect, table });
      await expect(rowsOf(engine(), text, parameters)).rejects.toThrow("sise");
    }
    const thrown: unknown[] = [];
    const onInternalError = (each: unknown) => thrown.push(each);
    const service = createSqlService({ dialect, run, tables: { files }, onInternalError });
    await expect(service.searchFiles()).rejects.toThrow("Internal");
    expect(String(thrown)).toContain("sise");
    const [, ...indexes] = createTables({
      ...{ dialect, tables: { files: { ...files, columns: { id: "sise" } } }, only: "indexes" },
    });
    for (const index of indexes) await expect(execute(engine(), [index])).rejects.toThrow("sise");
    const memory = createService({ files: [{ id: 1, folder_id: 1, name: "a" }] });
    const removed = memory.update(
      (draft) => void (draft.files = draft.files.remove([["id", "exactly", 1]])),
    );
    const misspelt = { files: { name: "tercet_files", columns: { id: "sise" } } };
    await expect(change(engine(), removed, { tables: misspelt })).rejects.toThrow("sise");
    await clear();
  });

  if (asksAll(name)) {
    test(
      "every request has the answer that the service in memory gives",
      async () => {
        const cases = fc
          .tuple(files({ maxLength: 8 }), batch({ maxContacts: 6 }))
          .map(([files, batch]) => ({ files, batches: [batch] }))
          .chain((data) => {
            const requests = fc.array(request(data), { minLength: 1, maxLength: 40, size: "max" });
            return fc.tuple(fc.constant(data), requests);
          });
        await fc.assert(
          fc.asyncProperty(cases, async ([drawn, requests]) => {
            const data = storable(engine(), drawn);
            const options = { compatibility: {}, authenticate: (key: string) => key === "key" };
            const memory = createService({ ...data, ...options });
            const service = await serviceOn(engine(), data, options);
            for (const each of requests) {
              expect(await service.dispatch(each)).toEqual(memory.dispatch(each));
              const text = JSON.stringify(each);
              expect(await service.dispatchJson(text)).toBe(memory.dispatchJson(text));
            }
          }),
          settings(4),
        );
      },
      HOURS,
    );

    test(
      "the laws hold",
      async () => {
        const make = (data: CheckedData) => {
          // What an engine can't hold, no law is about.
          fc.pre(isStorable(engine(), data));
          return serviceOn(engine(), data);
        };
        // Tables are made and filled for each case, which may take long where the machine is busy.
        const report = await checkService(make, { ...settings(2), timeout: 600_000 });
        expect(report.passed, formatReport(report)).toBe(true);
      },
      HOURS,
    );
  }

  test("a page far from the start has the records that it has in memory", async () => {
    using _ = tuned({ fewBefore: 2 });
    const arbitrary = fc.record({
      files: files({ maxLength: 40 }),
      batches: fc.tuple(batch({ maxContacts: 40 })),
    });
    for (const drawn of fc.sample(arbitrary, { numRuns: 3, seed: 3 })) {
      const data = storable(engine(), drawn);
      const memory = createService(data);
      const service = await serviceOn(engine(), data);
      for (const each of fc.sample(validRequest(data), { numRuns: 30, seed: 5 })) {
        expect(await service.dispatch(each)).toEqual(memory.dispatch(each));
      }
    }
  });

  test(
    "after each change both sides answer alike",
    async () => {
      await expectChangesWritten(engine());
    },
    HOURS,
  );

  test("no answer has the Lists of one state and the Contacts of another", async () => {
    await expectWholeAnswers(engine());
    await expectBoundedTries(engine());
  });

  test(
    "what looks like SQL is a text as any other, as value and as name",
    async () => {
      await expectUnharmed(engine());
    },
    HOURS,
  );
}
