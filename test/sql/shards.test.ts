// Several independent databases, and what happens to a request when a driver fails, hangs, or returns
// something other than rows.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createService, type ServiceError } from "../../src/index.ts";
import {
  createSqlService,
  DriverError,
  RowError,
  type Run,
  type SqlServiceOptions,
} from "../../src/sql/index.ts";
import { batch, files, validRequest } from "../../src/testing/index.ts";
import { rowsOf, type Engine } from "../engines/engine.ts";
import { start } from "../engines/sqlite.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { serviceOn } from "./load.ts";

const request = { id: 1, method: "searchFiles", params: ["key"] } as const;
const serviceBy = (run: Run | readonly Run[], more: Partial<SqlServiceOptions> = {}) =>
  createSqlService({ dialect: "sqlite", run, ...more });
/** The row in which a database says which shard it is. */
const shardRow = (place: number | string, count: number, generation: number | null = 1) =>
  Array.from({ length: 18 }, (_, i) => [place, count, generation][i - 14] ?? null);
const codeOf = ({ error }: { readonly error: { readonly code: number } | null }) => error?.code;

describe("two databases", () => {
  let engines: readonly Engine[];
  beforeAll(async () => {
    engines = [await start(), await start()];
  });
  afterAll(() => Promise.all(engines.map((engine) => engine.close())));

  test.each([
    ["by record", "position"],
    ["unevenly", "position / 3"],
    ["all in one", "0"],
  ])(
    "a page over both is that of the service in memory; spread %s",
    async (_, place) => {
      const cases = fc
        .tuple(files({ maxLength: 12 }), batch({ maxContacts: 8 }))
        .chain(([files, batch]) => {
          const data = { files, batches: [batch] };
          const requests = fc.array(validRequest(data), {
            minLength: 1,
            maxLength: 30,
            size: "max",
          });
          return fc.tuple(fc.constant(data), requests);
        });
      await fc.assert(
        fc.asyncProperty(cases, async ([data, requests]) => {
          for (const [i, engine] of engines.entries()) {
            await serviceOn(engine, data, {}, { place: i, count: 2 });
            for (const table of ["tercet_files", "tercet_contacts"]) {
              await rowsOf(engine, `DELETE FROM ${table} WHERE (${place}) % 2 <> ${i}`);
            }
          }
          const service = serviceBy(
            engines.map(({ run }) => run),
            { texts: "bytes" },
          );
          const memory = createService(data);
          using _ = tuned({ fewBefore: 3 });
          for (const each of requests) {
            expect(await service.dispatch(each)).toEqual(memory.dispatch(each));
          }
        }),
        settings(8),
      );
    },
    300_000,
  );

  test("a page far from the start is that of the service in memory, and few rows are read for it", async () => {
    const count = 4000;
    // Names in pairs, two thirds of them the same; the last database is empty.
    const given = Array.from({ length: count }, (_, id) => ({
      id,
      folder_id: id % 7,
      name: id % 3 === 0 ? `${(id * 7919) % 1000}` : "same",
    }));
    const memory = createService({ files: given });
    for (const spread of ["position % 2", `position / ${count / 2}`, "position / 3000", "0"]) {
      for (const [place, engine] of engines.entries()) {
        await serviceOn(engine, { files: given }, {}, { place, count: 2 });
        await rowsOf(engine, `DELETE FROM tercet_files WHERE ${spread} <> ${place}`);
      }
      let read = 0;
      let asked = 0;
      const service = serviceBy(
        engines.map((engine): Run => async (...statement) => {
          const rows = await engine.run(...statement);
          read += rows.length;
          asked++;
          return rows;
        }),
        { texts: "bytes", limits: { rows: 20 } },
      );
      for (const offset of [257, 1999, 2000, 2700, count - 3, count, count + 1000]) {
        for (const [by, order] of [
          ["", ""],
          ["name", "ASC"],
          ["name", "DESC"],
          ["folder_id", "DESC"],
        ] as const) {
          for (const criteria of [null, [["folder_id", "less_than", 6]]] as const) {
            [read, asked] = [0, 0];
            const params = ["key", criteria, 10, offset, by, order];
            const asking = { id: 1, method: "searchFiles", params };
            expect(await service.dispatch(asking)).toEqual(memory.dispatch(asking));
            expect(read).toBeLessThan(700);
            expect(asked).toBeLessThan(40);
          }
        }
      }
    }
  });

  test("a change while a page is looked for has it looked for again", async () => {
    const given = Array.from({ length: 40 }, (_, id) => ({ id, folder_id: 1, name: `${id}` }));
    for (const [place, engine] of engines.entries()) {
      await serviceOn(engine, { files: given }, {}, { place, count: 2 });
      await rowsOf(engine, `DELETE FROM tercet_files WHERE position % 2 <> ${place}`);
    }
    using _ = tuned({ fewBefore: 3 });
    let asked = 0;
    const service = serviceBy(
      engines.map((engine): Run => async (...statement) => {
        // Between the first round and the second.
        if (asked++ === 2) {
          for (const each of engines) {
            await rowsOf(each, "DELETE FROM tercet_files WHERE position < 10");
            await rowsOf(each, "UPDATE tercet_shard SET generation = generation + 1");
          }
        }
        return await engine.run(...statement);
      }),
      { texts: "bytes" },
    );
    const found = await service.searchFiles(null, 3, 20, "id", "ASC");
    expect(found.map(({ id }) => id)).toEqual(["30", "31", "32"]);
  });

  test("a driver that changes texts ends the search for a page by an error", async () => {
    const given = Array.from({ length: 40 }, (_, id) => ({ id, folder_id: 1, name: `${id}` }));
    for (const [place, engine] of engines.entries()) {
      await serviceOn(engine, { files: given }, {}, { place, count: 2 });
      await rowsOf(engine, `DELETE FROM tercet_files WHERE position % 2 <> ${place}`);
    }
    using _ = tuned({ fewBefore: 3 });
    const reported: unknown[] = [];
    const service = serviceBy(
      engines.map((engine): Run => async (text, ...others) => {
        const rows = await engine.run(text, ...others);
        const isValue = text.includes(" OFFSET ");
        return isValue ? rows.map((row) => Object.values({ ...row, 0: "zz" })) : rows;
      }),
      { onInternalError: (thrown) => reported.push(thrown) },
    );
    await expect(service.searchFiles(null, 3, 20, "name", "ASC")).rejects.toMatchObject({
      code: 100,
    });
    expect(String(reported[0])).toContain("compares values otherwise than it gives them");
  });

  test("a text that begins with U+FEFF comes where it comes in memory", async () => {
    const names = ["b", "\ufeffa", "a", "\uffee"];
    const data = { files: names.map((name, id) => ({ id, folder_id: 1, name })), batches: [] };
    for (const [i, engine] of engines.entries()) {
      await serviceOn(engine, data, {}, { place: i, count: 2 });
      const others = `DELETE FROM tercet_files WHERE position % 2 <> ${i}`;
      await rowsOf(engine, others);
    }
    const service = serviceBy(
      engines.map(({ run }) => run),
      { texts: "bytes" },
    );
    const sorted = await service.searchFiles(null, "", "", "name", "ASC");
    expect(sorted.map(({ name }) => name)).toEqual(["a", "b", "\ufeffa", "\uffee"]);
  });

  test("one that fails fails the request, the other is aborted, and the next request works", async () => {
    const reported = vi.fn();
    let isDown = true;
    let aborted = 0;
    const whole: Run = (_text, _parameters, { signal }) =>
      isDown
        ? new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              aborted++;
              reject(new Error("given up"));
            });
          })
        : Promise.resolve([shardRow(0, 2)]);
    const failing: Run = () => {
      if (isDown) throw new Error("no connection to 10.0.0.7");
      return Promise.resolve([shardRow(1, 2)]);
    };
    const service = serviceBy([whole, failing], { onInternalError: reported });
    const answer = await service.dispatch(request);
    expect(answer).toEqual({
      id: 1,
      result: null,
      error: {
        code: 100,
        message: "Internal Server Error",
        data: "the service failed unexpectedly",
      },
    });
    expect(aborted).toBe(1);
    expect(reported.mock.calls).toEqual([[expect.any(DriverError)]]);
    expect(reported.mock.lastCall?.[0]).toMatchObject({
      message: expect.stringContaining("no connection") as string,
    });
    isDown = false;
    expect(await service.dispatch(request)).toEqual({ id: 1, result: [], error: null });
  });
});

describe("what databases say of their shards is checked before a row of theirs is returned", () => {
  const row = (position: number) =>
    Array.from({ length: 18 }, (_, i) => (i < 14 ? String(position) : null));

  const WRONG: readonly (readonly [
    what: string,
    rows: (readonly unknown[])[][],
    reason: string,
  ])[] = [
    ["one is missing", [[shardRow(0, 2)]], "the drivers ask shards 0 of 2"],
    [
      "one is there twice",
      [[shardRow(0, 2)], [shardRow(1, 2)], [shardRow(0, 2)]],
      "drivers 0 and 2 both ask shard 0",
    ],
    [
      "they are of different wholes",
      [[shardRow(10, 2)], [shardRow(9, 3)]],
      "the drivers ask shards 9, 10 of 2 or 3",
    ],
    ["none has a shard", [[shardRow("", 2)]], "the drivers ask shards of none of 0"],
    ["one does not say", [[shardRow(0, 2)], []], "driver 1: the table tercet_shard has no row"],
    [
      "one is of an earlier generation",
      [[shardRow("0,2", 3, 5)], [shardRow(1, 3, 4)]],
      "the shards are of generations 5, 4",
    ],
    [
      "nothing says that they are loaded",
      [[shardRow(0, 2, 0)], [shardRow(1, 2, 0)]],
      "the shards are of generation 0: nothing says that their records are there",
    ],
    [
      "a cluster says that one of its servers is another",
      [[shardRow(0, 1, null)]],
      "the servers of the cluster are not all its shards, each in its place, loaded, and of one generation",
    ],
    [
      "a record is on two of them",
      [
        [shardRow(0, 2), row(7)],
        [shardRow(1, 2), row(8), row(7)],
      ],
      "the record of position 7 is there twice",
    ],
  ];

  // All at once: some are asked again, after a while.
  test("what is wrong is reported, and the answer is an error", async () => {
    const asked = WRONG.map(async ([what, rows]) => {
      const reported: unknown[] = [];
      const service = serviceBy(
        rows.map((each) => () => Promise.resolve(each)),
        { onInternalError: (thrown) => reported.push(thrown) },
      );
      return [what, codeOf(await service.dispatch(request)), reported.map(String)];
    });
    expect(await Promise.all(asked)).toEqual(
      WRONG.map(([what, , reason]) => [what, 100, [`ConsistencyError: ${reason}`]]),
    );
  });

  test.each<[right: string, rows: (readonly unknown[])[][]]>([
    ["one that is all there is, not yet changed", [[shardRow(0, 1, 0), row(7)]]],
    [
      "several on one server, and a server that has none",
      [[shardRow("", 3)], [shardRow("2,0", 3)], [shardRow(1, 3), row(7)]],
    ],
  ])("%s", async (_, rows) => {
    const service = serviceBy(rows.map((each) => () => Promise.resolve(each)));
    expect((await service.searchFiles()).map(({ id }) => id)).toEqual(["7"]);
  });
});

describe("a driver", () => {
  test("is not asked where a check fails, and no more than once for each page", async () => {
    const noLists = [null, null, null, 0, 1, 0, null];
    const run = vi.fn<Run>((text) =>
      Promise.resolve([text.includes("tercet_lists") ? noLists : shardRow(0, 1)]),
    );
    const service = serviceBy(run, { authenticate: (key) => Promise.resolve(key === "key") });
    const ask = async (method: string, ...params: unknown[]) =>
      codeOf(await service.dispatch({ id: 1, method, params }));
    expect(await ask("searchFiles", "other")).toBe(300);
    expect(await ask("searchFiles", "key", [["size", "exactly"]])).toBe(311);
    expect(await ask("searchFiles", "key", [], -1)).toBe(310);
    expect(await ask("getBatchContacts", "key", "x")).toBe(308);
    expect(await ask("remove", "key")).toBe(104);
    await expect(service.searchFiles([], 1, 0, "nmae" as "name")).rejects.toThrow("did you mean");
    expect(run).not.toHaveBeenCalled();
    expect(await ask("getBatchContacts", "key", 7)).toBe(308);
    expect(await ask("searchFiles", "key", [], 0)).toBeUndefined();
    expect(run).toHaveBeenCalledTimes(1);
    expect(await ask("searchFiles", "key")).toBeUndefined();
    expect(run).toHaveBeenCalledTimes(2);
  });

  test("that hangs costs the request, at its time limit, and is aborted", async () => {
    let isAborted = false;
    const service = serviceBy(
      (_text, _parameters, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => (isAborted = true));
        }),
      { limits: { milliseconds: 20 } },
    );
    const answer = await service.dispatch([
      { jsonrpc: "2.0", id: 1, method: "searchFiles", params: ["key"] },
      request,
    ]);
    const data = "took longer than the 20 ms that a request may take";
    expect(answer).toMatchObject([
      { id: 1, error: { code: -32603, data } },
      { id: 1, error: { code: 100, data } },
    ]);
    expect(isAborted).toBe(true);
  });

  test("that is rejected after the time limit harms nobody", async () => {
    const reported = vi.fn();
    const service = serviceBy(
      (_text, _parameters, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("late")));
        }),
      { limits: { milliseconds: 5 }, onInternalError: reported },
    );
    expect(codeOf(await service.dispatch(request))).toBe(100);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(reported).not.toHaveBeenCalled();
  });

  test.each([
    ["nothing", undefined],
    ["an object", { rows: [] }],
    ["rows that are none", [1]],
    ["rows without values", [[]]],
    ["values that are none", [Array.from({ length: 13 }, () => true)]],
  ])("that gives %s: error 100, and what is wrong is reported", async (_, rows) => {
    const reported = vi.fn();
    const run = () => Promise.resolve(rows) as never;
    const service = serviceBy(run, { onInternalError: reported });
    expect(codeOf(await service.dispatch(request))).toBe(100);
    expect(reported.mock.calls).toEqual([[expect.any(RowError)]]);
  });

  test("may give rows as objects, and integers as bigints, numbers or strings", async () => {
    const named = (values: readonly unknown[]) =>
      Object.fromEntries(values.map((value, i) => [`tercet_${i}`, value]));
    const row = Array.from({ length: 18 }, (_, i) => (i < 14 ? [7n, 7, "7"][i % 3] : null));
    const service = serviceBy(() => Promise.resolve([named(shardRow(0, 1)), named(row)]));
    const [file] = await service.searchFiles();
    expect(Object.values(file ?? {})).toEqual(Array.from({ length: 13 }, () => "7"));
    expect(file).toSatisfy(Object.isFrozen);
  });

  test("that throws a ServiceError is hidden as any other", async () => {
    const thrown = await serviceBy(() => {
      throw Object.assign(new Error("secret"), { code: 308 });
    })
      .searchFiles()
      .catch((error: unknown) => error as ServiceError);
    expect(thrown).toMatchObject({ code: 100, data: "the service failed unexpectedly" });
  });
});

test("too many parameters are refused before a statement is sent", async () => {
  let sent = 0;
  const service = serviceBy(() => {
    sent++;
    return Promise.resolve([]);
  });
  const params = ["key", null, 1, 0, "", "", null];
  const answer = await service.dispatch({ id: 1, method: "searchFiles", params });
  expect(codeOf(answer)).toBe(310);
  expect(sent).toBe(0);
});

test("options that are not valid are refused, with their path", () => {
  const run = () => Promise.resolve([]);
  const make = (options: object) => () => createSqlService(options as never);
  expect(make({ dialect: "oracle", run })).toThrow(/options\.dialect: must be "postgres"/);
  expect(make({ dialect: "sqlite" })).toThrow("options.run: must be a function, not undefined");
  expect(make({ dialect: "sqlite", run: [] })).toThrow("options.run: needs at least one driver");
  expect(make({ dialect: "sqlite", run: Array(2) })).toThrow("options.run[0]: must be a function");
  expect(make({ dialect: "sqlite", run: [run, 1] })).toThrow("options.run[1]: must be a function");
  expect(make({ dialect: "sqlite", run, autenticate: run })).toThrow(/has no member "autenticate"/);
  expect(make({ dialect: "sqlite", run, texts: "hex" })).toThrow("options.texts: must be");
  const tables = (tables: object) => make({ dialect: "sqlite", run, tables });
  expect(tables({ files: "" })).toThrow("options.tables.files.name: must be a name");
  expect(tables({ files: { name: "f", columns: { sise: "x" } } })).toThrow(
    "options.tables.files.columns.sise: is not a field",
  );
  expect(tables({ contacts: { name: "c", batch: "a\0" } })).toThrow(
    "options.tables.contacts.batch: must be a name",
  );
});
