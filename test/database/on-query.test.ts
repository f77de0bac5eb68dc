// Reports of queries: each kind, in collections, databases, stores and services.

import { describe, expect, test, vi } from "vitest";
import { join } from "node:path";
import {
  createCollection,
  createDatabase,
  createService,
  DeadlineError,
  defineSchema,
  formatPlan,
  InputError,
  int,
  string,
  type QueryReport,
} from "../../src/index.ts";
import { createStore, openStore } from "../../src/store/index.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";
import { newFolder } from "../store/fixtures.ts";

const Ticket = defineSchema({ id: int({ unique: true }), state: string() });
const records = Array.from({ length: 40 }, (_, id) => ({
  id,
  state: ["open", "closed"][id % 2] ?? "",
}));

/** A function that receives reports, and what it has received since the last look. */
function reporting() {
  const reports: QueryReport[] = [];
  const onQuery = (report: QueryReport) => void reports.push(report);
  return { onQuery, taken: () => reports.splice(0) };
}

const open = [["state", "exactly", "open"]] as const;

describe("onQuery", () => {
  test("is called with each kind of query, its rows and its plan", () => {
    const { onQuery, taken } = reporting();
    const tickets = createCollection(Ticket, records, { onQuery });
    const asked: [run: () => unknown, query: object, rows: number][] = [
      [() => tickets.query(), {}, 40],
      [() => tickets.query({ criteria: open, limit: 3 }), { criteria: open, limit: 3 }, 3],
      [() => tickets.page({ limit: 7 }), { page: { limit: 7 } }, 7],
      [() => tickets.count(), { count: null }, 1],
      [() => tickets.count(open), { count: open }, 1],
      [() => tickets.countBy("state", open), { countBy: "state", criteria: open }, 1],
      [() => tickets.countBy("state", null, { limit: 1 }), { countBy: "state", criteria: null, limit: 1 }, 1], // oxfmt-ignore
      [() => tickets.histogram("id", { bins: 4 }), { histogram: "id", bins: 4 }, 4],
      [() => tickets.summary("id"), { summary: "id", criteria: undefined }, 1],
      [() => tickets.groupBy({ by: "state" }), { groupBy: "state" }, 2],
      [() => tickets.groupColumns({ by: "state" }), { groupBy: "state" }, 2],
      [() => tickets.columns(["id"], open), { columns: ["id"], criteria: open }, 20],
    ];
    for (const [run, query, rows] of asked) {
      run();
      const [report, ...more] = taken();
      expect(more).toEqual([]);
      expect(report).toMatchObject({ collection: undefined, query, rows, error: undefined });
      expect(report?.milliseconds).toBeGreaterThanOrEqual(0);
      expect(report?.plan).toBeDefined();
      expect(report?.plan && formatPlan(report.plan)).not.toBe("");
    }
    // The results are those without it, and so are the errors; explaining is no query.
    expect(tickets.query({ criteria: open })).toEqual(
      createCollection(Ticket, records).query({ criteria: open }),
    );
    taken();
    expect(() => tickets.count(untyped([["no", "exactly", 1]]))).toThrow("unknown field");
    tickets.explain();
    tickets.explainCount(open);
    tickets.at(0);
    tickets.get("id", 1);
    expect([...tickets]).toHaveLength(40);
    expect(taken()).toEqual([]);
    // Versions keep it.
    tickets.insert({ id: 99, state: "open" }).count();
    expect(taken()).toHaveLength(1);
  });

  test("is called only for queries that are slower", () => {
    const { onQuery, taken } = reporting();
    const slowerThan = Number.MAX_VALUE;
    createCollection(Ticket, records, { onQuery, slowerThan }).query();
    expect(taken()).toEqual([]);
    const error = thrownBy(InputError, () => createCollection(Ticket, [], { slowerThan: -1 }));
    expect(error.path).toBe("options.slowerThan");
  });

  test("names the collection of a database, and reports no live query that follows changes", () => {
    const { onQuery, taken } = reporting();
    const db = createDatabase({ tickets: createCollection(Ticket, records) }, { onQuery });
    db.tickets.query({ limit: 1 });
    expect(taken()).toMatchObject([{ collection: "tickets", query: { limit: 1 }, rows: 1 }]);
    db.watch("tickets", { count: null }, () => undefined);
    db.update((draft) => {
      draft.tickets = draft.tickets.insert({ id: 99, state: "open" });
    });
    expect(taken()).toEqual([]);
    db.tickets.count();
    expect(taken()).toHaveLength(1);
    // That of a collection stays, unless the database has one.
    const own = reporting();
    const other = createDatabase({
      tickets: createCollection(Ticket, records, { onQuery: own.onQuery }),
    });
    other.tickets.count();
    expect(own.taken()).toMatchObject([{ collection: "tickets" }]);
  });

  test("is an option of stores", () => {
    const { onQuery, taken } = reporting();
    const directory = join(newFolder(), "store");
    createStore(directory, createDatabase({ tickets: createCollection(Ticket, records) })).close();
    const store = openStore(directory, { tickets: Ticket }, { onQuery });
    store.tickets.count();
    expect(taken()).toMatchObject([{ collection: "tickets", query: { count: null } }]);
    store.close();
  });

  test("reports the methods of a service", () => {
    const { onQuery, taken } = reporting();
    const contact = { contact_email: "a@example.org", contact_id: 1, send_id: 2 };
    const batch = { id: 5, lists: [{ id: 9, contacts: [contact] }] };
    const service = createService({ onQuery, batches: [untyped(batch)] });
    service.searchFiles([["size", "greater_than", 1]]);
    service.dispatch({ id: 1, method: "getBatchContacts", params: ["key", 5] });
    expect(taken()).toMatchObject([
      {
        collection: "files",
        query: { method: "searchFiles", parameters: [[["size", "greater_than", 1]]] },
        rows: 0,
      },
      { collection: "batches/5", query: { method: "getBatchContacts", parameters: [5] }, rows: 1 },
    ]);
    service.files.count();
    expect(taken()).toMatchObject([{ collection: "files", query: { count: null } }]);
    expect(() => service.getBatchContacts(6)).toThrow("6");
    expect(taken()).toEqual([]);
  });

  test("reports a query that was ended at its deadline", () => {
    const { onQuery, taken } = reporting();
    const many = Array.from({ length: 200_000 }, (_, id) => ({ id, state: `${id}` }));
    const collection = createCollection(Ticket, many, { indexes: "none" });
    const db = createDatabase({ many: collection }, { onQuery, limits: { milliseconds: 0 } });
    const search = { criteria: [["state", "contains", "no"]] } as const;
    const error = thrownBy(DeadlineError, () => db.many.query(search));
    expect(taken()).toMatchObject([{ collection: "many", query: search, rows: 0, error }]);
  });

  test("stops nothing when it throws or rejects: the error goes to onError (U5)", async () => {
    const errors: unknown[] = [];
    const options = { onError: (thrown: unknown) => void errors.push(thrown) };
    const thrown = new Error("thrown");
    const fail = () => {
      throw thrown;
    };
    const tickets = () => ({ tickets: createCollection(Ticket, records) });
    expect(createDatabase(tickets(), { ...options, onQuery: fail }).tickets.count()).toBe(40);
    expect(errors.splice(0)).toEqual([thrown]);
    const reject = () => Promise.reject(thrown);
    expect(createDatabase(tickets(), { ...options, onQuery: reject }).tickets.count()).toBe(40);
    await Promise.resolve().then(() => Promise.resolve());
    expect(errors.splice(0)).toEqual([thrown]);
    const write = vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect(createCollection(Ticket, records, { onQuery: fail }).count()).toBe(40);
    expect(write.mock.calls).toEqual([[thrown]]);
    write.mockRestore();
    const onInternalError = (error: unknown) => void errors.push(error);
    expect(createService({ onQuery: fail, onInternalError }).searchFiles()).toEqual([]);
    expect(errors).toEqual([thrown]);
  });
});
