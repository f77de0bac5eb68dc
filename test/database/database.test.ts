// A database: named collections of any schema that change together, patches that describe the change,
// and subscribers that are notified.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  boolean,
  createCollection,
  createDatabase,
  createService,
  DeadlineError,
  defineSchema,
  float,
  InputError,
  int,
  json,
  string,
  type DatabaseChange,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";

const Ticket = defineSchema({
  id: int({ unique: true }),
  state: string({ oneOf: ["open", "closed"], default: "open" }),
  votes: int({ default: 0 }),
  price: float({ nullable: true }),
  paid: boolean({ default: false }),
  lines: json({ nullable: true }),
});
const User = defineSchema({ id: int({ unique: true }), name: string() });

function someDatabase() {
  return createDatabase({
    tickets: createCollection(Ticket, [
      { id: 1, votes: 3, price: 1.5 },
      { id: 2, votes: 5, state: "closed" },
      { id: 3, votes: 4, lines: [{ sku: "a" }] },
    ]),
    users: createCollection(User, [{ id: 1, name: "Ada" }]),
  });
}

describe("a database", () => {
  test("lists its collections among its members", () => {
    expect(Object.keys(someDatabase())).toEqual([
      ...["update", "applyPatches", "subscribe", "buildDue", "expire"],
      ...["query", "page", "count", "groupBy", "explain", "explainCount", "explainGroupBy"],
      ...["watch", "live", "tickets", "users"],
    ]);
  });

  test("answers from its collections as they are now", () => {
    const db = someDatabase();
    const before = db.tickets;
    db.update((draft) => {
      draft.tickets = draft.tickets.insert({ id: 4 });
    });
    expect(db.tickets.size).toBe(4);
    expect(before.size).toBe(3);
    expect(db.tickets.query({ criteria: [["votes", "at_least", 4]], sortBy: "votes" })).toEqual([
      { id: 2, votes: 5, state: "closed", price: null, paid: false, lines: null },
      { id: 3, votes: 4, state: "open", price: null, paid: false, lines: [{ sku: "a" }] },
    ]);
  });

  test("changes several collections, all or nothing", () => {
    const db = someDatabase();
    const boom = new Error("boom");
    expect(() =>
      db.update((draft) => {
        draft.users = draft.users.remove([]);
        draft.tickets = draft.tickets.update([], (ticket) => void (ticket.votes += 1));
        throw boom;
      }),
    ).toThrow(boom);
    expect([db.users.size, db.tickets.at(0)?.votes]).toEqual([1, 3]);
    db.update((draft) => {
      draft.users = draft.users.insert({ id: 2, name: "Grace" });
      draft.tickets = draft.tickets.update([], (ticket) => void (ticket.votes += 1));
    });
    expect([db.users.size, db.tickets.at(0)?.votes]).toEqual([2, 4]);
  });

  test("says what changed, and patches undo and repeat it", () => {
    const db = someDatabase();
    const other = someDatabase();
    const changes: DatabaseChange[] = [];
    const stop = db.subscribe((change) => void changes.push(change));
    const { patches, inversePatches } = db.update((draft) => {
      draft.tickets = draft.tickets
        .update([["id", "exactly", 1]], (ticket) => void (ticket.price = 2.25))
        .remove([["id", "exactly", 2]]);
      draft.users = draft.users.insert({ id: 2, name: "Grace" });
    });
    expect(changes).toHaveLength(1);
    expect(patches).toEqual([
      {
        op: "remove",
        path: ["tickets", 2],
        before: expect.objectContaining({ id: 2, votes: 5 }) as unknown,
      },
      { op: "replace", path: ["tickets", 1, "price"], value: 2.25, before: 1.5 },
      { op: "add", path: ["users", 2], value: { id: 2, name: "Grace" }, key: 1 },
    ]);
    other.applyPatches(JSON.parse(JSON.stringify(patches)) as typeof patches);
    expect([other.tickets.query(), other.users.query()]).toEqual([
      db.tickets.query(),
      db.users.query(),
    ]);
    db.applyPatches(inversePatches);
    expect(db.tickets.query()).toEqual(someDatabase().tickets.query());
    stop();
    db.update((draft) => void (draft.users = draft.users.remove([])));
    expect(changes).toHaveLength(2);
  });

  test("that is not changed tells nobody", () => {
    const db = someDatabase();
    let reported = 0;
    db.subscribe(() => reported++);
    const { tickets } = db;
    db.update((draft) => {
      draft.tickets = draft.tickets.update([], (ticket) => void (ticket.paid = false));
    });
    db.update((draft) => {
      for (const paid of [true, false]) draft.tickets = draft.tickets.update([], { paid });
    });
    expect(reported).toBe(0);
    expect(db.tickets).toBe(tickets);
  });

  test("refuses with a code what comes too early or too late, and what is not there", () => {
    const db = someDatabase();
    let leaked: { users: unknown } | undefined;
    const change = () => db.update((draft) => void (leaked = draft));
    change();
    const refused: [code: string, run: () => unknown, message: string][] = [
      [
        "conflict",
        () => db.update(() => void change()),
        "database: can't be changed while an update is running; subscribers may change it",
      ],
      [
        "closed",
        () => Object.assign(leaked ?? {}, { users: db.users }),
        "draft.users: belongs to an update that has ended",
      ],
      [
        "not_found",
        () => db.watch(untyped("user"), {}, () => undefined),
        'name: must be "tickets" or "users", not "user"; did you mean "users"?',
      ],
      [
        "invalid",
        () => db.watch(untyped(["users"]), {}, () => undefined),
        'name: must be "tickets" or "users", not an array',
      ],
    ];
    for (const [code, run, message] of refused) {
      expect(thrownBy(InputError, run)).toMatchObject({ code, message });
    }
    expect(change().patches).toEqual([]);
  });

  test("reports what a subscriber throws, and tells the others", () => {
    const thrown: unknown[] = [];
    const db = createDatabase(
      { users: createCollection(User, []) },
      { onError: (each) => void thrown.push(each) },
    );
    let reported = 0;
    db.subscribe(() => {
      throw new Error("mine");
    });
    db.subscribe(() => reported++);
    db.update((draft) => void (draft.users = draft.users.insert({ id: 1, name: "a" })));
    expect([thrown, reported]).toEqual([[new Error("mine")], 1]);
  });

  test.each<[what: string, recipe: (draft: Record<string, unknown>) => unknown, message: string]>([
    [
      "a collection of another name",
      (draft) => void (draft.users = draft.tickets),
      'draft.users: must be made from the collection "users" of this database',
    ],
    [
      "a member that is none",
      (draft) => void (draft.user = 1),
      'draft: has no member "user"; use "tickets" or "users"',
    ],
    [
      "a promise",
      () => Promise.resolve(),
      "draft: the recipe returned a promise; it must change its draft synchronously",
    ],
  ])("refuses %s from a recipe", (_what, recipe, message) => {
    const db = someDatabase();
    expect(thrownBy(InputError, () => db.update(untyped(recipe))).message).toBe(message);
    expect(db.tickets.query()).toEqual(someDatabase().tickets.query());
  });

  test("refuses a change that is dropped, with the line to write", () => {
    const db = someDatabase();
    const dropped = thrownBy(InputError, () =>
      db.update((draft) => void draft.tickets.remove([["id", "exactly", 1]])),
    );
    expect(dropped.message).toContain("write draft.tickets = draft.tickets.remove(…)");
  });

  test("refuses a recipe exactly if one of its changes leads to nothing that is put into the draft", () => {
    const step = fc.record({ from: fc.nat(), isPlaced: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        const db = someDatabase();
        // Of each collection in the recipe, the one it is made from; the first is that of the draft.
        const origins = steps.map(({ from }, i) => from % (i + 1));
        const needed = new Set([0]);
        let last = 0;
        for (const [i, { isPlaced }] of steps.entries()) {
          if (!isPlaced) continue;
          last = i + 1;
          for (let at = last; at > 0; at = origins[at - 1] ?? 0) needed.add(at);
        }
        let [size, at] = [db.tickets.size, last];
        for (; at > 0; at = origins[at - 1] ?? 0) size++;
        const update = () =>
          db.update((draft) => {
            const made = [draft.tickets];
            for (const [i, { isPlaced }] of steps.entries()) {
              const next = made[origins[i] ?? 0]?.insert({ id: 100 + i }) ?? draft.tickets;
              made.push(next);
              if (isPlaced) draft.tickets = next;
            }
          });
        const isRefused = needed.size <= steps.length;
        if (isRefused) expect(update).toThrow("does not change the collection");
        else update();
        expect(db.tickets.size).toBe(isRefused ? 3 : size);
      }),
      settings(100),
    );
  });

  describe("changes a collection by withPatches as without", () => {
    type Tickets = ReturnType<typeof someDatabase>["tickets"];
    const isNew: [["id", "exactly", number]] = [["id", "exactly", 9]];

    test.each<[what: string, change: (tickets: Tickets) => Tickets]>([
      ["one change", (tickets) => tickets.insert({ id: 9 })],
      ["several", (tickets) => tickets.insert({ id: 9 }).update(isNew, { votes: 1 })],
      ["none", (tickets) => tickets],
      ["one back and forth", (tickets) => tickets.insert({ id: 9 }).remove(isNew)],
      ["one that moves records", (tickets) => tickets.insert({ id: 9 }).remove(isNew).compact()],
      [
        "its inverse",
        (tickets) => {
          const { collection, inversePatches } = tickets.withPatches((all) => all.remove(null));
          return collection.applyPatches(inversePatches);
        },
      ],
    ])("%s", (_, change) => {
      const results = [change, (tickets: Tickets) => tickets.withPatches(change).collection].map(
        (made) => {
          const db = someDatabase();
          const notified = vi.fn();
          db.subscribe(notified);
          const { patches, inversePatches } = db.update((draft) => {
            draft.tickets = made(draft.tickets);
          });
          return [patches, inversePatches, db.tickets.query(), notified.mock.calls.length];
        },
      );
      expect(results[1]).toEqual(results[0]);
    });

    test("what throws in it has changed nothing", () => {
      const db = someDatabase();
      db.update((draft) => {
        const { tickets } = draft;
        expect(() => tickets.withPatches((all) => all.insert({ id: 9 }).insert({ id: 1 }))).toThrow(
          "already used by another record",
        );
        draft.tickets = tickets.insert({ id: 4 });
      });
      expect(db.tickets.size).toBe(4);
    });

    test("refuses one that is dropped", () => {
      const dropped = thrownBy(InputError, () =>
        someDatabase().update((draft) => void draft.tickets.withPatches((all) => all.remove(null))),
      );
      expect(dropped.message).toContain("write draft.tickets = draft.tickets.remove(…)");
    });
  });

  test.each([["nothing"], ["files"], [5]])("refuses patches that lead to %j", (name) => {
    const patch = { op: "remove", path: [name, 0] };
    expect(thrownBy(InputError, () => someDatabase().applyPatches(untyped([patch]))).message).toBe(
      'patches[0].path: must start with "tickets" or "users"',
    );
  });

  test("may have collections of any name but those that it needs", () => {
    const users = createCollection(User, [{ id: 1, name: "a" }]);
    const names = ["0", "2024", "__proto__", "constructor", "then", "toString", "Ä b/c.d"];
    const db = createDatabase(Object.fromEntries(names.map((name) => [name, users])));
    for (const name of names) {
      const { patches } = db.update((draft) => {
        draft[name] = (draft[name] ?? users).insert(untyped({ id: 2, name }));
      });
      expect(patches).toEqual([{ op: "add", path: [name, 2], value: { id: 2, name }, key: 1 }]);
      expect(Reflect.get(db, name)).toHaveProperty("size", 2);
    }
    for (const name of [
      "update",
      "watch",
      "subscribe",
      "files",
      "batches",
      "close",
      "",
      "\ud83d",
    ]) {
      expect(() => createDatabase({ [name]: users } as never)).toThrow(InputError);
    }
    const long = "ä".repeat(30);
    expect(Object.keys(createDatabase({ [long]: users }))).toContain(long);
    const messageOf = (name: string) =>
      thrownBy(InputError, () => createDatabase(untyped({ [name]: users }))).message;
    expect(messageOf(`${long}x`)).toBe(
      `collections: "${long}x" can't be a name: it needs 1 to 60 bytes of UTF-8`,
    );
    expect(messageOf("close")).toBe(
      'collections: "close" is reserved by the database; choose another name',
    );
    expect(() => createDatabase(untyped({ users: [] }))).toThrow(
      "collections.users: must be made by createCollection(), not an array",
    );
  });

  test("takes a service's Files and Batches beside its collections", () => {
    const db = someDatabase();
    const service = createService({
      database: db,
      files: [{ id: 1, folder_id: 7, name: "a.txt" }],
    });
    let reported = 0;
    service.subscribe(() => reported++);
    const { patches } = service.update((draft) => {
      draft.files = draft.files.remove([]);
      draft.users = draft.users.remove([]);
    });
    expect(patches).toEqual([
      { op: "remove", path: ["users", 1], before: { id: 1, name: "Ada" } },
      {
        op: "remove",
        path: ["files", "1"],
        before: expect.objectContaining({ id: "1" }) as unknown,
      },
    ]);
    expect([service.searchFiles(), db.users.size, reported]).toEqual([[], 0, 1]);
    db.update((draft) => void (draft.users = draft.users.insert({ id: 1, name: "Ada" })));
    expect([db.users.size, reported]).toEqual([1, 2]);
    expect(service.dispatch({ id: 1, method: "searchFiles", params: ["key"] }).error).toBeNull();
    expect(() => createService({ database: untyped({}) })).toThrow(
      "options.database: must be made by createDatabase(), not an object",
    );
  });

  test("asks for an answer that it could not give again at each change, whatever that alters", () => {
    const thrown: unknown[] = [];
    const users = createCollection(User, [], { indexes: "none" });
    const db = createDatabase(
      { users },
      { limits: { milliseconds: 60_000 }, onError: (each) => void thrown.push(each) },
    );
    const insert = (id: number) =>
      db.update((draft) => void (draft.users = draft.users.insert({ id, name: `${id}` })));
    const reported: number[] = [];
    // Distinct values are asked for again, at each change that may alter them.
    const ask = {
      groupBy: "name",
      measures: { ids: ["distinct", "id"] },
      criteria: [["name", "exactly", "1"]],
    } as const;
    db.watch("users", ask, (groups) => void reported.push(groups.length));
    let time = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => (time += 120_000));
    try {
      insert(1);
      insert(2);
    } finally {
      now.mockRestore();
    }
    const late: unknown = expect.any(DeadlineError);
    expect([reported, thrown]).toEqual([[0], [late, late]]);
    insert(3);
    insert(4);
    expect([reported, thrown.length]).toEqual([[0, 1], 2]);
  });

  test("refuses answers that take longer than its limit, and makes changes of any length", () => {
    const User = defineSchema({ id: int({ unique: true }), name: string() });
    const rows = Array.from({ length: 100 }, (_, id) => ({ id, name: `${id}` }));
    const users = createCollection(User, rows, { indexes: "none" });
    const thrown: unknown[] = [];
    const db = createDatabase(
      { users },
      { limits: { milliseconds: 1000 }, onError: (each) => void thrown.push(each) },
    );
    const criteria = [["name", "contains", "9"]] as const;
    const ask = {
      page: () => db.users.query({ criteria }),
      count: () => db.users.count(criteria),
      counts: () => db.users.countBy("name", criteria),
      histogram: () => db.users.histogram("id", { bins: 3, criteria }),
      summary: () => db.users.summary("id", criteria),
    };
    let pages = 0;
    db.watch(
      "users",
      { groupBy: "name", measures: { ids: ["distinct", "id"] }, criteria },
      () => pages++,
    );
    const now = vi.spyOn(performance, "now");
    try {
      let time = 0;
      // Ten seconds go by whenever the time is asked for.
      now.mockImplementation(() => (time += 10_000));
      for (const [what, run] of Object.entries(ask)) {
        expect(thrownBy(DeadlineError, run).message, what).toBe(
          "exceeded its time limit of 1000 ms",
        );
      }
      db.update((draft) => void (draft.users = draft.users.remove([["name", "exactly", "99"]])));
      expect([thrown, pages]).toEqual([[expect.any(DeadlineError)], 1]);
      expect(
        thrownBy(DeadlineError, () => db.watch("users", { count: criteria }, () => 0)),
      ).toBeDefined();
    } finally {
      now.mockRestore();
    }
    expect(Object.values(ask).map((run) => run())).toHaveLength(5);
    db.update((draft) => void (draft.users = draft.users.remove([["name", "exactly", "9"]])));
    expect([thrown.length, pages, db.users.size]).toEqual([1, 2, 98]);
    expect(() => createDatabase({ users }, { limits: { milliseconds: -1 } })).toThrow(
      "options.limits.milliseconds: must be a non-negative integer, not -1",
    );
    expect(users.query({ criteria })).toHaveLength(19);
  });
});
