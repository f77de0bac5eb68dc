// What happens to a request when a driver fails, hangs, or returns something other than rows, and which
// options are refused.

import { describe, expect, test, vi } from "vitest";
import type { ServiceError } from "../../src/index.ts";
import {
  createSqlService,
  DriverError,
  RowError,
  type Run,
  type SqlServiceOptions,
} from "../../src/sql/index.ts";

const request = { id: 1, method: "searchFiles", params: ["key"] } as const;
const serviceBy = (run: Run, more: Partial<SqlServiceOptions> = {}) =>
  createSqlService({ dialect: "sqlite", run, ...more });
const codeOf = ({ error }: { readonly error: { readonly code: number } | null }) => error?.code;

describe("a driver", () => {
  test("is not asked where a check fails, and no more than once for each page", async () => {
    const run = vi.fn<Run>(() => Promise.resolve([]));
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

  test("that fails fails the request, and the next request works", async () => {
    const reported = vi.fn();
    let isDown = true;
    const run: Run = () => {
      if (isDown) throw new Error("no connection to 10.0.0.7");
      return Promise.resolve([]);
    };
    const service = serviceBy(run, { onInternalError: reported });
    const error = {
      code: 100,
      message: "Internal Server Error",
      data: "the service failed unexpectedly",
    };
    expect(await service.dispatch(request)).toEqual({ id: 1, result: null, error });
    expect(reported.mock.calls).toEqual([[expect.any(DriverError)]]);
    expect(reported.mock.lastCall?.[0]).toMatchObject({
      message: "the driver failed: no connection to 10.0.0.7",
    });
    isDown = false;
    expect(await service.dispatch(request)).toEqual({ id: 1, result: [], error: null });
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
    const data = "exceeded its time limit of 20 ms";
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
    const row = Array.from({ length: 13 }, (_, i) => [7n, 7, "7"][i % 3]);
    const service = serviceBy(() => Promise.resolve([named(row)]));
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
  expect(make({ dialect: "sqlite", run: [] })).toThrow("options.run: must be a function");
  expect(make({ dialect: "sqlite", run: [run] })).toThrow("options.run: must be a function");
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
