// Live queries of a database: notified when a change alters the result, and re-run only then.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  int,
  string,
  TercetError,
  type Collection,
} from "../../src/index.ts";
import { query } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";

const Ticket = defineSchema({
  id: int({ unique: true }),
  state: string(),
  votes: int({ nullable: true }),
});
type Tickets = Collection<typeof Ticket>;

const someTickets = () =>
  createDatabase({
    tickets: createCollection(Ticket, [
      { id: 1, state: "open", votes: 3 },
      { id: 2, state: "closed", votes: 1 },
      { id: 3, state: "open", votes: 2 },
    ]),
  });

type Db = ReturnType<typeof someTickets>;

const change = (db: Db, run: (tickets: Tickets) => Tickets) =>
  void db.update((draft) => void (draft.tickets = run(draft.tickets)));

describe("watch", () => {
  test("tells a page at once, and after each change that alters it", () => {
    const db = someTickets();
    const pages: number[][] = [];
    const stop = db.watch(
      "tickets",
      { criteria: [["state", "exactly", "open"]], sortBy: "votes", limit: 2 },
      (page) => void pages.push(page.map(({ id }) => id)),
    );
    change(db, (tickets) => tickets.insert({ id: 4, state: "open", votes: 9 }));
    change(db, (tickets) => tickets.insert({ id: 5, state: "closed", votes: 9 }));
    change(db, (tickets) => tickets.insert({ id: 6, state: "open", votes: 0 }));
    change(db, (tickets) => tickets.remove([["id", "exactly", 1]]));
    stop();
    change(db, (tickets) => tickets.remove([]));
    expect(pages).toEqual([
      [1, 3],
      [4, 1],
      [4, 3],
    ]);
  });

  test("tells a page after a cursor, and where the next begins", () => {
    const db = someTickets();
    const reported: [ids: number[], hasNext: boolean][] = [];
    const query = { criteria: [["state", "exactly", "open"]], sortBy: "votes", limit: 1 } as const;
    const { next } = db.tickets.page(query);
    db.watch("tickets", { page: { ...query, after: next } }, ({ records, next }) => {
      reported.push([records.map(({ id }) => id), next !== null]);
    });
    // Before the page; after it; not among its records; in it; its own.
    change(db, (tickets) => tickets.insert({ id: 4, state: "open", votes: 9 }));
    change(db, (tickets) => tickets.insert({ id: 5, state: "open", votes: 0 }));
    change(db, (tickets) => tickets.insert({ id: 6, state: "closed", votes: 2 }));
    change(db, (tickets) => tickets.update([["id", "exactly", 4]], (t) => void (t.votes = 2)));
    change(db, (tickets) => tickets.remove([["id", "exactly", 3]]));
    change(db, (tickets) => tickets.remove([["votes", "at_most", 0]]));
    expect(reported).toEqual([
      [[3], false],
      [[3], true],
      [[4], true],
      [[4], false],
    ]);
    const error = thrownBy(TercetError, () => {
      db.watch("tickets", { page: { sortBy: "id", after: next } }, () => undefined);
    });
    expect(error.code).toBe("cursor");
  });

  test("tells counts, counts by value and histograms", () => {
    const db = someTickets();
    const reported: unknown[] = [];
    const tell = (answer: unknown) => void reported.push(answer);
    db.watch("tickets", { count: [["state", "exactly", "open"]] }, tell);
    db.watch("tickets", { countBy: "state", order: "count" }, tell);
    db.watch("tickets", { histogram: "votes", bins: 2, from: 0, to: 3 }, tell);
    change(db, (tickets) => tickets.update([["id", "exactly", 2]], (t) => void (t.state = "open")));
    expect(reported.slice(0, 2)).toEqual([
      2,
      [
        { value: "open", count: 2 },
        { value: "closed", count: 1 },
      ],
    ]);
    expect(reported.slice(3)).toEqual([3, [{ value: "open", count: 3 }]]);
    expect(reported).toHaveLength(5);
  });

  test("tells groups of what its criteria select", () => {
    const db = someTickets();
    const query = {
      groupBy: ["state"],
      measures: { tickets: "count", votes: ["sum", "votes"] },
      criteria: [["votes", "at_least", 2]],
      having: [["tickets", "at_least", 2]],
      sort: [["votes", "DESC"]],
    } as const;
    const reported: [state: string, votes: number][][] = [];
    db.watch("tickets", query, (groups) => {
      reported.push(groups.map(({ state, votes }) => [state, votes]));
    });
    // Not selected; in a group that is not listed; in one that is.
    change(db, (tickets) => tickets.insert({ id: 4, state: "closed", votes: 1 }));
    change(db, (tickets) => tickets.insert({ id: 5, state: "closed", votes: 3 }));
    change(db, (tickets) => tickets.update([["id", "exactly", 2]], (t) => void (t.votes = 9)));
    expect(reported).toEqual([
      [["open", 5]],
      [
        ["closed", 12],
        ["open", 5],
      ],
    ]);
    const wrong = ["sum", "state"] as const;
    // @ts-expect-error: the sum of strings
    expect(() => db.live("tickets", { groupBy: "state", measures: { n: wrong } })).toThrow(
      "ask.measures.n[1]",
    );
    // @ts-expect-error: no such field
    expect(() => db.live("tickets", { groupBy: "stat" })).toThrow("ask.groupBy");
  });

  test("tells summaries of what its criteria select", () => {
    const db = someTickets();
    const criteria = [["state", "exactly", "open"]] as const;
    const reported: unknown[] = [];
    db.watch("tickets", { summary: "votes", criteria }, (summary) => void reported.push(summary));
    change(db, (tickets) => tickets.insert({ id: 4, state: "closed", votes: 7 }));
    change(db, (tickets) => tickets.remove([["id", "exactly", 3]]));
    const summary = { count: 1, minimum: 3, maximum: 3, sum: 3, mean: 3 };
    expect(reported).toEqual([
      expect.objectContaining({ count: 2, minimum: 2, maximum: 3 }),
      expect.objectContaining(summary),
    ]);
  });

  test("a histogram's bins follow all records where it gives no ends, whichever its criteria select", () => {
    for (const ends of [{}, { from: 0 }, { to: 9 }, { from: 0, to: 9 }]) {
      const db = someTickets();
      const reported: unknown[] = [];
      const criteria = [["state", "exactly", "open"]] as const;
      const asked = { bins: 2, criteria, ...ends };
      db.watch("tickets", { histogram: "votes", ...asked }, (answer) => void reported.push(answer));
      for (const [id, votes] of [-5, 20].entries()) {
        change(db, (tickets) => tickets.insert({ id: 10 + id, state: "closed", votes }));
        expect(reported.at(-1)).toEqual(db.tickets.histogram("votes", asked));
      }
      expect(reported).toHaveLength(3 - Object.keys(ends).length);
    }
  });

  test("keeps nothing of its input", () => {
    const db = someTickets();
    const criterion = ["state", "exactly", "open"];
    const criteria = [criterion];
    const sizes: number[] = [];
    const ask = { criteria: untyped(criteria) as [] };
    db.watch("tickets", ask, (page) => void sizes.push(page.length));
    criterion[2] = "closed";
    change(db, (tickets) => tickets.insert({ id: 9, state: "open" }));
    expect(sizes).toEqual([2, 3]);
  });

  test("copies lists to their ends, and refuses those without elements as soon as it can", () => {
    const db = someTickets();
    const reported: number[] = [];
    const ids = Array.from({ length: 300 }, (_, id) => id + 1);
    db.watch("tickets", { count: [["id", "in", ids]] }, (count) => void reported.push(count));
    for (const id of [99, 100, 101, 102, 103, 300, 301]) {
      change(db, (tickets) => tickets.insert({ id, state: "open" }));
    }
    expect(reported).toEqual([3, 4, 5, 6, 7, 8, 9]);
    const criteria = untyped(new Array(2 ** 32 - 1)) as [];
    const watch = () => db.watch("tickets", { criteria }, () => undefined);
    expect(thrownBy(TercetError, watch).message).toContain("criteria");
  });

  test("keeps no group of the caller, however deep", () => {
    const db = someTickets();
    const criterion = ["state", "exactly", "open"];
    let criteria: unknown[] = ["NOT", criterion];
    for (let i = 0; i < 31; i++) criteria = [criteria];
    const counts: number[] = [];
    db.watch("tickets", { count: untyped(criteria) as [] }, (count) => void counts.push(count));
    criterion[2] = "closed";
    change(db, (tickets) => tickets.insert({ id: 9, state: "closed" }));
    change(db, (tickets) => tickets.insert({ id: 10, state: "open" }));
    expect(counts).toEqual([1, 2]);
  });

  test("reads each list once, and refuses one that contains itself", () => {
    const db = someTickets();
    let reads = 0;
    const list = (elements: unknown[]): unknown[] =>
      new Proxy(elements, {
        get: (target, name): unknown => ((reads += 1), Reflect.get(target, name)),
      });
    const watch = (criteria: unknown) => () =>
      db.watch("tickets", { criteria: untyped(criteria) as [] }, () => undefined);
    let shared = list([]);
    for (let i = 0; i < 40; i++) shared = list([shared, shared]);
    expect(thrownBy(TercetError, watch(shared)).message).toContain("nested at most 32 deep");
    expect(reads).toBeLessThan(1000);
    const own: unknown[] = [];
    own.push(own, own);
    expect(thrownBy(TercetError, watch(own)).message).toContain("nested at most 32 deep");
  });

  test.each<[name: unknown, ask: unknown, message: string]>([
    ["ticket", {}, 'name: must be "tickets", not "ticket"; did you mean "tickets"?'],
    [5, {}, 'name: must be "tickets", not 5'],
    ["tickets", 5, "ask: must be an object, not 5"],
    ["tickets", { summary: "stat" }, 'ask.summary: unknown field "stat"; did you mean "state"?'],
    [
      "tickets",
      { summary: "state", quantiles: [0.5] },
      "ask.quantiles: must be omitted for a field of the type string",
    ],
    [
      "tickets",
      { countBy: "state", order: "sum" },
      'ask.order: "sum" needs options.summarize, the name of an int or float field',
    ],
    ["tickets", { sortBy: "vote" }, 'sortBy: unknown field "vote"; did you mean "votes"?'],
    [
      "tickets",
      { cuont: [] },
      'ask: has no member "cuont"; use "criteria", "limit", "offset", "sortBy", "sortOrder", "sort", "select", "page", "count", "countBy", "order", "ascending", "summarize", "prefix", "histogram", "bins", "step", "unit", "zone", "from", "to", "summary", "quantiles", "groupBy", "measures" or "having"',
    ],
    ["tickets", { last: true }, "ask.last: belongs to a page; write { page: { last: … } }"],
    [
      "tickets",
      { page: {}, sortBy: "votes" },
      "ask.sortBy: belongs to a page; write { page: { sortBy: … } }",
    ],
    [
      "tickets",
      { countBy: "state", bins: 3 },
      'ask: has no member "bins"; use "countBy", "criteria", "limit", "order", "ascending", "summarize" or "prefix"',
    ],
    ["tickets", { countBy: "stat" }, 'ask.countBy: unknown field "stat"; did you mean "state"?'],
    [
      "tickets",
      { countBy: "state", limit: -1 },
      "ask.limit: must be a non-negative integer, not -1",
    ],
    [
      "tickets",
      { histogram: "votes" },
      "ask.bins: must be an integer from 1 to 10000, unless options.step is given",
    ],
    [
      "tickets",
      { histogram: "votes", bins: 2, from: 0.5 },
      "ask.from: must be a safe integer, not 0.5",
    ],
  ])("refuses %j, %j", (name, ask, message) => {
    const watch = () => someTickets().watch(untyped(name), untyped(ask), () => undefined);
    expect(thrownBy(TercetError, watch).message).toBe(message);
  });

  test("shows a change to those whose criteria select the record", () => {
    const db = createDatabase({
      tickets: createCollection(
        Ticket,
        Array.from({ length: 1000 }, (_, id) => ({ id, state: "open", votes: 0 })),
      ),
    });
    const reported = new Map<number, number>();
    for (let id = 0; id < 1000; id++) {
      db.watch("tickets", { criteria: [["id", "exactly", id]] }, ([ticket]) => {
        reported.set(id, (reported.get(id) ?? 0) + (ticket?.votes ?? 0) + 1);
      });
    }
    const many = ["votes", "greater_than", 9] as const;
    for (const criteria of [[many], [["id", "exactly", 7], many]] as const) {
      db.watch("tickets", { criteria }, () => undefined);
    }
    change(db, (tickets) => tickets.update([["id", "exactly", 7]], (t) => void (t.votes = 5)));
    expect([...reported].filter(([, times]) => times !== 1)).toEqual([[7, 7]]);
  });

  test.each<[what: string, criteria: unknown[], asked: boolean]>([
    ["a group that has the value", [[["id", "exactly", 7], "OR", ["id", "exactly", 8]]], true],
    ["a group that has other values", [[["id", "exactly", 6], "OR", ["id", "exactly", 8]]], false],
    [
      "a group with a part of the value",
      [[["id", "exactly", 6], "OR", ["state", "contains", "o"]]],
      true,
    ],
    [
      "two groups",
      [[["id", "in", [6, 7]]], [["id", "exactly", 7], "OR", ["id", "exactly", 8]]],
      true,
    ],
    ["NOT of the value", ["NOT", ["id", "exactly", 7]], false],
    ["NOT of another", ["NOT", ["id", "exactly", 8]], true],
    ["NOT of a group", ["NOT", [["id", "exactly", 8], "OR", ["id", "exactly", 9]]], true],
    ["NOT of not", ["NOT", ["id", "not", 7]], true],
    ["no record", ["NOT", []], false],
  ])("asks again if a changed record is in %s", (_what, criteria, asked) => {
    const tickets = Array.from({ length: 10 }, (_, id) => ({ id, state: "open", votes: 0 }));
    const db = createDatabase({ tickets: createCollection(Ticket, tickets) });
    let times = 0;
    db.watch("tickets", { criteria: untyped(criteria) as [] }, () => void times++);
    change(db, (all) => all.update([["id", "exactly", 7]], (t) => void (t.votes = 5)));
    expect(times).toBe(asked ? 2 : 1);
  });

  test("judges a changed record only by the criteria of those that want a value that it has", () => {
    const db = someTickets();
    for (let id = 1; id <= 500; id++) {
      const criteria = [
        ["state", "contains", "needle"],
        ["id", "in", [id, -id]],
      ] as const;
      db.watch("tickets", { count: criteria }, () => undefined);
    }
    const judging = vi.spyOn(String.prototype, "includes");
    change(db, (tickets) => tickets.update([["id", "exactly", 1]], (t) => void (t.votes = 5)));
    const judged = judging.mock.contexts.filter((text) => String(text) === "open").length;
    judging.mockRestore();
    expect(judged).toBe(2);
  });

  test("those that begin and end between changes", () => {
    const db = someTickets();
    const reported: string[] = [];
    const begin = (name: string, id: number) =>
      db.watch("tickets", { criteria: [["id", "exactly", id]] }, ([ticket]) => {
        reported.push(`${name}: ${String(ticket?.votes)}`);
      });
    const vote = () => {
      change(db, (tickets) =>
        tickets.update([["id", "exactly", 1]], (t) => void (t.votes = (t.votes ?? 0) + 1)),
      );
    };
    const end = begin("first", 1);
    vote();
    begin("second", 1);
    vote();
    end();
    vote();
    expect(reported).toEqual([
      "first: 3",
      "first: 4",
      "second: 4",
      "first: 5",
      "second: 5",
      "second: 6",
    ]);
  });

  test("ended twice, one ends no other that has begun meanwhile", () => {
    const db = someTickets();
    const reported: number[] = [];
    const end = db.watch("tickets", { count: [] }, () => undefined);
    end();
    db.watch("tickets", { count: [] }, (count) => void reported.push(count));
    end();
    change(db, (tickets) => tickets.insert({ id: 4, state: "open" }));
    expect(reported).toEqual([3, 4]);
  });

  test("tells exactly when the answer is another, whatever is asked and changed", () => {
    const record = fc.record({
      id: fc.nat({ max: 9 }),
      state: fc.constantFrom("open", "closed", ""),
      votes: fc.option(fc.integer({ min: -2, max: 3 })),
    });
    const records = fc.uniqueArray(record, { selector: ({ id }) => id, maxLength: 8 });
    const steps = fc.array(fc.tuple(fc.constantFrom("put", "remove", "both"), records), {
      maxLength: 6,
    });
    const cases = records.chain((first) =>
      fc.tuple(
        fc.constant(first),
        fc.array(query(Ticket, { records: first }), { maxLength: 6 }),
        steps,
      ),
    );
    fc.assert(
      fc.property(cases, ([first, queries, changes]) => {
        const db = createDatabase({ tickets: createCollection(Ticket, first) });
        const last: unknown[] = [];
        const times = queries.map(() => 0);
        queries.forEach((asked, i) =>
          db.watch("tickets", asked, (page) => {
            last[i] = page;
            times[i] = (times[i] ?? 0) + 1;
          }),
        );
        for (const [kind, given] of changes) {
          const before = queries.map((asked) => JSON.stringify(db.tickets.query(asked)));
          const counted = [...times];
          const ids = given.map(({ id }) => id);
          change(db, (tickets) => {
            const left = kind === "put" ? tickets : tickets.remove([["id", "in", ids]]);
            if (kind === "remove") return left;
            return left.insert(given.filter(({ id }) => left.get("id", id) === undefined));
          });
          queries.forEach((asked, i) => {
            const now = db.tickets.query(asked);
            expect(last[i]).toEqual(now);
            const isOther = JSON.stringify(now) !== before[i];
            expect((times[i] ?? 0) - (counted[i] ?? 0)).toBe(isOther ? 1 : 0);
          });
        }
      }),
      settings(60),
    );
  });
});
