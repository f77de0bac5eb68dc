// The codes of errors: each code of the type is in the table of the README and is thrown by something, and
// the table has no other.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  errorNames,
  int,
  parseCriteria,
  ServiceError,
  string,
  TercetError,
  type TercetErrorCode,
} from "../src/index.ts";
import { Deadline } from "../src/engine/algorithms/deadline.ts";
import { openCollection } from "../src/arrow/index.ts";
import { createSqlCollection } from "../src/sql/index.ts";
import { createStore, openFile, openStore } from "../src/store/index.ts";

const Order = defineSchema({ id: int({ unique: true }), state: string({ default: "open" }) });
const orders = createCollection(Order, [{ id: 1 }]);
const unchecked = (value: unknown) => value as never;
const folder = mkdtempSync(join(tmpdir(), "tercet-codes-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const stored = () => {
  const path = mkdtempSync(join(folder, "store-"));
  return { path, store: createStore(path, createDatabase({ orders })) };
};
const closing = (store: { close(): void }, run: () => unknown) => {
  try {
    return run();
  } finally {
    store.close();
  }
};

/** What throws each code: the compiler requires one of each. */
const thrown: Record<TercetErrorCode, readonly (() => unknown)[]> = {
  closed: [
    () => {
      const { store } = stored();
      store.close();
      store.update((draft) => {
        draft.orders = draft.orders.insert({ id: 2 });
      });
    },
  ],
  conflict: [
    () => orders.applyPatches([{ op: "add", path: [1], value: { id: 1 } }]),
    () => {
      const { path, store } = stored();
      store.close();
      createStore(path, createDatabase({ orders }));
    },
  ],
  cursor: [() => orders.page({ after: "x" })],
  damaged: [() => openCollection(new Uint8Array(100))],
  driver: [
    () => {
      const run = () => Promise.reject(new Error("gone"));
      return createSqlCollection({
        schema: Order,
        dialect: "sqlite",
        table: "orders",
        order: ["id"],
        run,
      }).count();
    },
  ],
  duplicate: [
    () => orders.insert({ id: 1 }),
    () => createCollection(Order, [{ id: 1 }, { id: "1" }]),
    () => orders.insert({ id: 2 }).update([["id", "exactly", 1]], { id: 2 }),
    () => orders.insert({ id: 2 }).update([["id", "exactly", 1]], (order) => void (order.id = 2)),
  ],
  invalid: [
    () => orders.insert({ id: unchecked("x") }),
    () => orders.count(unchecked([["state", "is", "open"]])),
    () => orders.query({ limit: -1 }),
    () => createCollection(Order, [], unchecked({ index: "all" })),
  ],
  invalid_schema: [() => defineSchema({}), () => int({ default: unchecked("x") })],
  io: [
    () => {
      const file = join(folder, "a file");
      writeFileSync(file, "");
      openStore(join(file, "below"), { orders: Order });
    },
  ],
  limit: [
    () => orders.count(unchecked(Array.from({ length: 1001 }, () => ["id", "exactly", 1]))),
    () => parseCriteria(Order, [["id", "in", [1, 2]]], { maxValues: 1 }),
  ],
  locked: [
    () => {
      const { path, store } = stored();
      return closing(store, () => openStore(path, { orders: Order }));
    },
  ],
  missing: [() => orders.insert(unchecked({}))],
  not_found: [
    () => orders.applyPatches([{ op: "remove", path: [7] }]),
    () => createDatabase({ orders }).watch(unchecked("order"), {}, () => 0),
    () => openFile(join(folder, "none.arrow")),
    () => openStore(join(folder, "none"), { orders: Order }),
  ],
  timeout: [() => new Deadline(-1).check()],
  unknown_field: [
    () => orders.insert(unchecked({ id: 2, sate: "open" })),
    () => orders.update(null, unchecked({ sate: "open" })),
    () => orders.count(unchecked([["sate", "exactly", "open"]])),
    () => orders.query({ sortBy: unchecked("sate") }),
    () => orders.query(unchecked({ sort: [["sate", "ASC"]] })),
    () => orders.countBy(unchecked("sate")),
    () => createDatabase({ orders }).watch("orders", unchecked({ countBy: "sate" }), () => 0),
  ],
  unsupported: [
    () => {
      const { path, store } = stored();
      store.close();
      const reader = openStore(path, { orders: Order }, { readOnly: true });
      return closing(reader, () =>
        reader.update((draft) => void (draft.orders = draft.orders.insert({ id: 2 }))),
      );
    },
  ],
};

const codeOf = async (run: () => unknown) => {
  try {
    return await run();
  } catch (error) {
    return error instanceof TercetError ? error.code : error;
  }
};

describe("codes of errors", () => {
  const all = Object.entries(thrown).flatMap(([code, runs]) =>
    runs.map((run) => [code, String(run).replaceAll(/\s+/g, " "), run] as const),
  );

  it.each(all)("%s: %s", async (code, _, run) => {
    expect(await codeOf(run)).toBe(code);
  });

  it("are those of the tables in the README", () => {
    const tablesOf = (folder: string) => {
      const file = new URL(`../src/${folder}/README.md`, import.meta.url);
      const [, section = ""] = readFileSync(file, "utf8").split("\n## Errors\n");
      return section.split(/\n## /)[0]?.split(/\n\n(?=\|)/) ?? [];
    };
    const [, numbers] = tablesOf("service");
    const [, , strings] = tablesOf("collection");
    const codesIn = (table = "") =>
      Array.from(table.matchAll(/^\| `?(\w+)`? +\|/gm), ([, code]) => code).slice(1);
    expect(codesIn(strings).sort()).toEqual(Object.keys(thrown).sort());
    expect(codesIn(numbers)).toEqual(Object.keys(errorNames));
  });

  it("of a ServiceError are the numbers of the contract", () => {
    expect(new ServiceError(310, "limit").code).toBe(310);
  });
});
