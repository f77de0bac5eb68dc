// A database in a worker, over a MessageChannel: its answers are those of the database, changes are repeated, live
// queries follow by differences, errors keep their class, and either side can end.

import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import {
  createCollection,
  createDatabase,
  CriteriaError,
  DeadlineError,
  defineSchema,
  InputError,
  int,
  float,
  QueryError,
  string,
  strings,
  TercetError,
  time,
} from "../../src/index.ts";
import {
  connect,
  serve,
  WorkerError,
  type CollectionsIn,
  type ConnectOptions,
  type RemoteDraft,
  type ServeOptions,
} from "../../src/worker/index.ts";

const Product = defineSchema({
  id: int({ unique: true }),
  name: string(),
  price: float({ nullable: true }),
  tags: strings({ default: [] }),
  added: time({ default: "2026-01-01" }),
});
const Review = defineSchema({
  id: int({ unique: true }),
  product: int({ references: ["products", "id"], onRemove: "remove" }),
  stars: int(),
});

const make = () =>
  createDatabase({
    products: createCollection(Product, [
      { id: 1, name: "chair", price: 40, tags: ["wood"] },
      { id: 2, name: "table", price: 90.5 },
      { id: 3, name: "lamp", price: null, tags: ["light", "wood"] },
    ]),
    reviews: createCollection(Review, [{ id: 7, product: 1, stars: 5 }]),
  });
type Db = ReturnType<typeof make>;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A database, and a connection to it. */
function connected(options?: ConnectOptions, limits?: ServeOptions, db: Db | Promise<Db> = make()) {
  const { port1, port2 } = new MessageChannel();
  const serving = serve(db, port1, limits);
  const remote = connect<Db>(port2, options);
  ends.push(() => {
    port1.close();
    port2.close();
  });
  return { db: db as Db, remote, serving, port1, port2 };
}

test("questions have the answers of the database", async () => {
  const { db, remote } = connected();
  const query = { criteria: [["price", "at_least", 40]], sortBy: "price" } as const;
  expect(await remote.query("products", query)).toEqual(db.query("products", query));
  expect(await remote.query("products")).toEqual([...db.products]);
  expect(await remote.page("products", { sortBy: "id", limit: 2 })).toEqual(
    db.page("products", { sortBy: "id", limit: 2 }),
  );
  expect(await remote.count("products")).toBe(3);
  expect(await remote.count("products", [["tags", "has", "wood"]])).toBe(2);
  const by = { by: ["product.name"], measures: { most: ["maximum", "stars"] } } as const;
  const groups = await remote.groupBy("reviews", by);
  expect(groups).toEqual(db.groupBy("reviews", by));
  expectTypeOf(groups[0]?.most).toEqualTypeOf<number | null | undefined>();
  expect(await remote.explain("products", query)).toEqual(db.explain("products", query));
  expect(await remote.explain("products", query, { analyze: true })).toHaveProperty("access.path");
  const priced = [["product.price", "at_least", 40]] as const;
  expect(await remote.explainCount("reviews", priced)).toEqual(db.explainCount("reviews", priced));
  const signal = new AbortController().signal;
  expect(await remote.explainGroupBy("reviews", by, { signal })).toEqual(
    db.explainGroupBy("reviews", by),
  );
  // @ts-expect-error there is no such field
  await expect(remote.explainGroupBy("reviews", { by: "product.nmae" })).rejects.toThrow("nmae");
  const selected = await remote.query("reviews", { select: ["stars", "product.price"] });
  expectTypeOf(selected).toEqualTypeOf(db.query("reviews", { select: ["stars", "product.price"] }));
  expectTypeOf(selected[0]?.["product.price"]).toEqualTypeOf<number | null | undefined>();
  // @ts-expect-error there is no such field
  await expect(remote.query("products", { sortBy: "nmae" })).rejects.toThrow(QueryError);
});

test("a recipe is repeated in the worker, all of it or nothing", async () => {
  const { db, remote } = connected();
  const change = await remote.update((draft) => {
    const { products } = draft;
    draft.products = products
      .insert({ id: 4, name: "sofa", price: 300, added: new Date("2026-02-03") })
      .insert(new Set([{ id: 5, name: "rug", price: 10 }]))
      .update([["id", "exactly", 1]], { price: 45 })
      .upsert({ id: 2, name: "desk" }, "id", { merge: true })
      .remove([["id", "exactly", 3]]);
    draft.reviews = draft.reviews.insert({ id: 8, product: 5, stars: 2 });
  });
  expect(db.query("products", { sort: [["id", "ASC"]], select: ["id", "name", "price"] })).toEqual([
    { id: 1, name: "chair", price: 45 },
    { id: 2, name: "desk", price: 90.5 },
    { id: 4, name: "sofa", price: 300 },
    { id: 5, name: "rug", price: 10 },
  ]);
  const before = [...make().products];
  expect(change.patches).toContainEqual({
    op: "replace",
    path: ["products", 1, "price"],
    value: 45,
    before: 40,
  });
  await remote.applyPatches(change.inversePatches);
  expect([...db.products]).toEqual(before);
  const failed = remote.update((draft) => {
    draft.products = draft.products.remove(null);
    draft.reviews = draft.reviews.insert({ id: 9, product: 77, stars: 1 });
  });
  await expect(failed).rejects.toThrow(InputError);
  expect([...db.products]).toEqual(before);
  const recipe = (draft: RemoteDraft<CollectionsIn<Db>>) => {
    draft.products = draft.products.insert({ id: 6, name: "x", price: 1 });
  };
  const bulk = remote.update(recipe, { patches: false });
  expectTypeOf(bulk).toEqualTypeOf<Promise<undefined>>();
  expect(await Promise.all([bulk])).toEqual([undefined]);
});

test("patches in a recipe are applied where they stand", async () => {
  const { db, remote } = connected();
  const patches = [{ op: "replace", path: ["products", 1, "price"], value: 1 }] as const;
  await remote.update((draft) => {
    draft.products = draft.products.update([["id", "exactly", 1]], { price: 7, name: "seat" });
    draft.applyPatches(patches);
    draft.products = draft.products.update([["price", "exactly", 1]], { name: "cheap" });
  });
  expect(db.products.get("id", 1)).toMatchObject({ name: "cheap", price: 1 });
});

test.each<[string, (draft: never) => unknown, string]>([
  [
    "makes a collection without assigning it",
    ({ products }: { products: { remove(criteria: null): unknown } }) => {
      products.remove(null);
    },
    "draft.products: remove() does not change the collection, but returns a new one; write draft.products = draft.products.remove(…)",
  ],
  [
    "assigns something else",
    (draft: { products: unknown }) => {
      draft.products = [];
    },
    "draft.products: must be made from draft.products by its methods, not an array",
  ],
  [
    "assigns another collection",
    (draft: { products: unknown; reviews: unknown }) => {
      void draft.products;
      draft.products = draft.reviews;
    },
    "draft.products: must be made from the draft.products of this recipe, read anew",
  ],
  [
    "changes records by a function",
    (draft: { products: { update(criteria: null, changes: unknown): unknown } }) => {
      draft.products = draft.products.update(null, () => undefined) as never;
    },
    "changes: must be an object of values: a function can't be sent to a worker",
  ],
  [
    "returns a promise",
    () => Promise.resolve(),
    "draft: the recipe returned a promise; it must change its draft synchronously",
  ],
  [
    "names a collection that is not there",
    (draft: { prodcts: { remove(criteria: null): never } }) => {
      draft.prodcts = draft.prodcts.remove(null);
    },
    'name: must be "products" or "reviews", not "prodcts"; did you mean "products"?',
  ],
])("a recipe that %s is refused", async (_, recipe, message) => {
  const { db, remote } = connected();
  const { products } = db;
  const error: unknown = await remote.update(recipe as never).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InputError);
  expect((error as Error).message).toBe(message);
  expect(db.products).toBe(products);
});

test("errors keep their class, place and code", async () => {
  const { db, remote } = connected();
  const thrownBy = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };
  const bad = { criteria: [["price", "at_lest", 3]] } as object;
  const cases: readonly (readonly [() => unknown, Promise<unknown>])[] = [
    [() => db.query("products", bad), remote.query("products", bad)],
    [() => db.query("products", { limit: -1 }), remote.query("products", { limit: -1 })],
    [() => db.query("nothing" as never), remote.query("nothing" as never)],
    [
      () =>
        void db.update((draft) => {
          draft.products = draft.products.insert({ id: 1, name: "x", price: 0 });
        }),
      remote.update((draft) => {
        draft.products = draft.products.insert({ id: 1, name: "x", price: 0 });
      }),
    ],
  ];
  const classes = [];
  for (const [run, promise] of cases) {
    const here = thrownBy(run) as TercetError;
    const there: unknown = await promise.catch((thrown: unknown) => thrown);
    expect(there).toBeInstanceOf(here.constructor);
    expect(there).toEqual(here);
    expect(Object.entries(there as object).sort()).toEqual(Object.entries(here).sort());
    classes.push(here.constructor);
  }
  expect(classes).toEqual([CriteriaError, QueryError, InputError, InputError]);
});

describe("live queries", () => {
  const wood = { criteria: [["tags", "has", "wood"]], sort: [["id", "ASC"]] } as const;

  test("follow changes; rows that do not change stay the same objects", async () => {
    const { db, remote } = connected();
    const live = remote.live("products", wood);
    expect(live.current).toBe(undefined);
    const seen: unknown[] = [];
    const stop = live.subscribe((rows) => seen.push(rows));
    const first = await live.ready();
    expect(first).toEqual(db.query("products", wood));
    expect(live.current).toBe(first);
    expect(Object.isFrozen(first) && Object.isFrozen(first[0]?.tags)).toBe(true);
    await remote.update((draft) => {
      draft.products = draft.products
        .update([["id", "exactly", 3]], { price: 5 })
        .insert({ id: 9, name: "shelf", price: 12, tags: ["wood"] });
    });
    // The new result is there before the promise resolves.
    const now = live.current;
    expect(now).toEqual(db.query("products", wood));
    expect(now?.[0]).toBe(first[0]);
    await remote.update((draft) => {
      draft.products = draft.products.update([["id", "exactly", 2]], { price: 1 });
    });
    expect(live.current).toBe(now);
    expect(seen).toEqual([first, now]);
    stop();
  });

  test("of each kind", async () => {
    const { db, remote } = connected();
    const asks = [
      {},
      { page: { sortBy: "price", limit: 2 } },
      { count: [["price", "at_least", 50]] },
      { countBy: "tags" },
      { histogram: "price", bins: 3 },
      { summary: "price" },
      { groupBy: ["name"], measures: { sum: ["sum", "price"] } },
    ] as const;
    const lives = asks.map((ask) => remote.live("products", ask));
    const ends = lives.map((live) => live.subscribe(() => undefined));
    await Promise.all(lives.map(({ ready }) => ready()));
    for (let id = 10; id < 20; id++) {
      await remote.update((draft) => {
        draft.products = draft.products
          .insert({ id, name: `n ${id % 3}`, price: id * 7, tags: [`t ${id % 4}`] })
          .remove([["id", "exactly", id - 9]]);
      });
      for (const [i, ask] of asks.entries()) {
        expect(lives[i]?.current).toEqual(db.live("products", ask).current);
      }
    }
    for (const end of ends) end();
  });

  test("that are equal share their result, and end a while after their last listener", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { db, remote } = connected({ linger: 50 });
      const live = remote.live("products", wood);
      expect(remote.live("products", { ...wood })).toBe(live);
      expect(remote.live("products", { ...wood, limit: 1 })).not.toBe(live);
      const stop = live.subscribe(() => undefined);
      const first = await live.ready();
      stop();
      const again = live.subscribe(() => undefined);
      expect(live.current).toBe(first);
      again();
      vi.advanceTimersByTime(49);
      expect(live.current).toBe(first);
      vi.advanceTimersByTime(1);
      expect(live.current).toBe(undefined);
      db.update((draft) => void (draft.products = draft.products.remove([["id", "exactly", 1]])));
      const last = remote.live("products", wood);
      expect(last).not.toBe(live);
      expect(await last.ready()).toEqual(db.query("products", wood));
    } finally {
      vi.useRealTimers();
    }
  });

  test("tell an error to their listeners, and throw it", async () => {
    const onError = vi.fn();
    const { remote } = connected({ onError });
    const live = remote.live("products", { sortBy: "nmae" } as object);
    const own = vi.fn();
    const stops = [live.subscribe(vi.fn()), live.subscribe(vi.fn(), own)];
    await expect(live.ready()).rejects.toThrow(QueryError);
    expect(() => live.current).toThrow('unknown field "nmae"');
    expect(onError.mock.calls).toEqual(own.mock.calls);
    expect(own).toHaveBeenCalledTimes(1);
    for (const stop of stops) stop();
  });

  test("of one change are told of once all results are there", async () => {
    const { remote } = connected();
    const rows = remote.live("products", {});
    const count = remote.live("products", { count: null });
    const seen: unknown[] = [];
    const tell = () => seen.push([rows.current?.length, count.current]);
    await Promise.all([rows.ready(), count.ready()]);
    const stops = [rows.subscribe(tell), count.subscribe(tell)];
    seen.length = 0;
    await remote.update(
      (draft) => void (draft.products = draft.products.remove([["id", "exactly", 2]])),
    );
    expect(seen).toEqual([
      [2, 2],
      [2, 2],
    ]);
    for (const stop of stops) stop();
  });
});

describe("calls", () => {
  test("that were aborted, or are late, are not run if they still wait", async () => {
    const { db, remote } = connected();
    const aborting = new AbortController();
    const reason = new Error("typed on");
    const insert = (id: number) =>
      ((draft) => {
        draft.products = draft.products.insert({ id, name: "new", price: 1 });
      }) as Parameters<typeof remote.update>[0];
    const first = remote.update(insert(20));
    const second = remote.update(insert(21), { signal: aborting.signal });
    const third = remote.update(insert(22));
    aborting.abort(reason);
    await expect(second).rejects.toBe(reason);
    await Promise.all([first, third]);
    expect(db.products.query({ sort: [["id", "ASC"]], offset: 3, select: ["id"] })).toEqual([
      { id: 20 },
      { id: 22 },
    ]);
    await expect(remote.count("products", null, { signal: aborting.signal })).rejects.toBe(reason);
    const never = connected({}, {}, new Promise<Db>(() => undefined)).remote;
    await expect(never.count("products", null, { milliseconds: 0 })).rejects.toThrow(DeadlineError);
    const all = connected({ milliseconds: 1 }, {}, new Promise<Db>(() => undefined)).remote;
    await expect(all.count("products")).rejects.toThrow("count: the worker took more than 1 ms");
  });

  test("wait for a database that is not there yet, and reject with its error", async () => {
    let there: ((db: Db) => void) | undefined;
    const { remote } = connected({}, {}, new Promise<Db>((resolve) => (there = resolve)));
    const counts = [remote.count("products"), remote.live("reviews", { count: null }).ready()];
    there?.(make());
    expect(await Promise.all(counts)).toEqual([3, 1]);
    const failed = connected({}, {}, Promise.reject(new RangeError("no data"))).remote;
    await expect(failed.count("products")).rejects.toThrow(new RangeError("no data"));
    await expect(failed.live("products", {}).ready()).rejects.toThrow(RangeError);
    const wrong = connected({}, {}, Promise.resolve(5 as never)).remote;
    await expect(wrong.count("products")).rejects.toThrow("db: must be made by createDatabase()");
  });

  test("are limited on both sides", async () => {
    const pending = new Promise<Db>(() => undefined);
    const { remote } = connected({ calls: 2 }, {}, pending);
    const open = [remote.count("products"), remote.count("products")];
    await expect(remote.count("products")).rejects.toMatchObject({ code: "limit" });
    const few = connected({}, { limits: { calls: 1, live: 1 } });
    const two = [few.remote.count("products"), few.remote.count("products")];
    expect((await Promise.allSettled(two)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
    ]);
    await few.remote.live("products", {}).ready();
    await expect(few.remote.live("reviews", {}).ready()).rejects.toMatchObject({ code: "limit" });
    remote.close();
    for (const each of open) await expect(each).rejects.toMatchObject({ code: "closed" });
  });

  test("with what can't be sent are refused", async () => {
    const { remote } = connected();
    const query = { criteria: [["name", "exactly", () => undefined]] } as object;
    await expect(remote.query("products", query)).rejects.toThrow(
      "query: has a value that can't be sent to a worker",
    );
    await expect(remote.live("products", query).ready()).rejects.toThrow(InputError);
    expect(await remote.count("products")).toBe(3);
  });
});

describe("a connection", () => {
  test("ends from either side, and rejects what is open with the reason", async () => {
    for (const side of ["page", "worker"] as const) {
      const { db, remote, serving } = connected();
      const own = vi.fn();
      const live = remote.live("products", {});
      const stop = live.subscribe(vi.fn(), own);
      await live.ready();
      const open = remote.count("products");
      if (side === "page") remote.close();
      else serving.close();
      const error: unknown = await open.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(WorkerError);
      expect(error).toMatchObject({ code: "closed" });
      expect(await remote.closed).toBe(error);
      expect(own.mock.calls).toEqual([[error]]);
      expect(() => live.current).toThrow(WorkerError);
      await expect(remote.update(() => undefined)).rejects.toBe(error);
      stop();
      db.update((draft) => void (draft.products = draft.products.remove(null)));
      remote.close();
      serving.close();
    }
  });

  test("ends with a `using` block", async () => {
    const { remote } = connected();
    {
      using used = remote;
      expect(await used.count("products")).toBe(3);
    }
    await expect(remote.count("products")).rejects.toThrow("the connection was closed");
  });

  test("ends with the thread of the worker", async () => {
    const script = `
      const { parentPort } = require("node:worker_threads");
      parentPort.on("message", ({ is }) => { if (is === "call") process.exit(3); });`;
    const { Worker } = await import("node:worker_threads");
    const remote = connect<Db>(new Worker(script, { eval: true }));
    const calls = [remote.count("products"), remote.live("products", {}).ready()];
    for (const each of calls) {
      await expect(each).rejects.toThrow("the worker has ended; start a new one");
    }
    const broken = connect<Db>(new Worker("throw new Error('no disk')", { eval: true }));
    await expect(broken.count("products")).rejects.toThrow("the worker failed: no disk");
  });

  test("to a page that is slow gets few messages, and the last result", async () => {
    const { db, port1 } = connected();
    const { port1: ours, port2: theirs } = new MessageChannel();
    serve(db, port1);
    const other = serve(db, ours);
    const messages: { is: string; results?: unknown }[] = [];
    theirs.on("message", (message: { is: string }) => messages.push(message));
    const post = (message: object) => theirs.postMessage({ tercet: 1, ...message });
    post({ is: "call", id: 1, method: "live", given: ["products", { count: null }] });
    await vi.waitFor(() => expect(messages).toHaveLength(1));
    for (let id = 100; id < 120; id++) {
      db.update((draft) => {
        draft.products = draft.products.insert({ id, name: "n", price: 1 });
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
    post({ is: "seen" });
    await vi.waitFor(() => expect(messages).toHaveLength(3));
    expect(messages.map(({ is }) => is)).toEqual(["result", "results", "results"]);
    expect(messages[2]?.results).toEqual([[1, { value: 23 }]]);
    other.close();
    theirs.close();
  });
});

describe("messages are checked", () => {
  const mark = (message: object) => ({ tercet: 1, ...message });
  test.each<[string, unknown]>([
    ["of no kind", mark({})],
    ["of a kind that objects inherit", mark({ is: "constructor" })],
    ["without a number", mark({ is: "call", id: -1, method: "count", given: ["products"] })],
    ["without arguments", mark({ is: "call", id: 1, method: "count", given: "products" })],
    ["for another version", { tercet: 2, is: "hello", lock: null }],
    ["with a lock that is none", mark({ is: "hello", lock: 5 })],
  ])("one %s ends the connection", async (_, message) => {
    const { db } = connected();
    const { port1, port2 } = new MessageChannel();
    const serving = serve(db, port1);
    const reply = new Promise((resolve) => port2.once("message", resolve));
    port2.postMessage(message);
    expect(await reply).toMatchObject({ is: "closed", error: { name: "WorkerError" } });
    serving.close();
    port2.close();
  });

  test.each<[string, string, readonly unknown[]]>([
    ["a method that is none", "close", []],
    ["a method that objects inherit", "constructor", []],
    ["a method that a page may not call", "subscribe", ["x"]],
    ["no operations", "update", [5]],
    ["an operation that is no list", "update", [[5]]],
    [
      "an operation of a collection that objects inherit",
      "update",
      [[["__proto__", "insert", {}]]],
    ],
    ["an operation by another method", "update", [[["products", "change", {}]]]],
    ["an operation that compacts", "update", [[["products", "compact"]]]],
    ["patches that are none", "update", [[["applyPatches", 5]]]],
    ["a record that is none", "update", [[["products", "insert", "x"]]]],
    ["a query that contains itself", "query", ["products", circular()]],
    ["a live query of nothing", "live", [null, null]],
    ["a live query that contains itself", "live", ["products", circular()]],
  ])("a call of %s is an error, and changes nothing", async (_, method, given) => {
    const { db } = connected();
    const before = db.products;
    const { port1, port2 } = new MessageChannel();
    const serving = serve(db, port1);
    const reply = new Promise((resolve) => port2.once("message", resolve));
    port2.postMessage(mark({ is: "call", id: 1, method, given }));
    expect(await reply).toMatchObject({ is: "error", id: 1 });
    expect(db.products).toBe(before);
    serving.close();
    port2.close();
  });

  test("those of others are ignored", async () => {
    const { remote, port1, port2 } = connected();
    for (const port of [port1, port2]) {
      for (const message of [5, null, { is: "closed" }, [], "tercet"]) port.postMessage(message);
    }
    expect(await remote.count("products")).toBe(3);
  });

  test.each<[string, object]>([
    ["an error that is none", { is: "error", id: 1, error: 5 }],
    ["results that are none", { is: "results", results: [[1]] }],
    ["rows beyond the result", { is: "results", results: [[1, { rows: [[0, 9]] }]] }],
    ["a difference of another kind", { is: "results", results: [[1, { members: {} }]] }],
  ])("a worker that sends %s ends the connection", async (_, message) => {
    const { port1, port2 } = new MessageChannel();
    const remote = connect<Db>(port2, { onError: () => undefined });
    const live = remote.live("products", {});
    const ready = live.ready();
    port1.postMessage(mark({ is: "result", id: 1, result: [] }));
    await ready;
    port1.postMessage(mark(message));
    expect(await remote.closed).toMatchObject({ code: "damaged" });
    port1.close();
  });
});

function circular(): unknown {
  const criteria: unknown[] = [];
  criteria.push(criteria);
  return { criteria };
}

test("arguments are checked", () => {
  expect(() => connect({} as never)).toThrow(
    "port: must be a Worker or a MessagePort, not an object",
  );
  expect(() => serve(make(), null)).toThrow("port: must be a Worker or a MessagePort, not null");
  const { port1 } = new MessageChannel();
  expect(() => serve({} as never, port1)).toThrow("db: must be made by createDatabase()");
  expect(() => connect(port1, { lingr: 5 } as never)).toThrow('options: has no member "lingr"');
  port1.close();
});
