// Stores of arbitrary collections: their content after closing, alongside a writer, with changed schemas, and after
// damage.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
} from "../../src/index.ts";
import {
  checkStore,
  createStore,
  openStore,
  repairStore,
  schemasOf,
  StoreError,
  type CollectionsOf,
  type StoredDatabase,
} from "../../src/store/index.ts";
import { nodeDisk } from "../../src/store/node-disk.ts";
import { Log } from "../../src/store/log.ts";
import { createStoreOn, openStoreOn } from "../../src/store/store.ts";
import { newFolder } from "../store/fixtures.ts";
import { SimulatedDisk } from "../store/simulated-disk.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";

const Ticket = defineSchema({
  id: int({ unique: true }),
  state: string({ oneOf: ["open", "closed", "lost"], default: "open" }),
  price: float({ nullable: true }),
  paid: boolean({ default: false }),
  lines: json({ nullable: true }),
});
const User = defineSchema({ id: int({ unique: true }), name: string() });

const MANY = 1500;

const inFolder = (run: (directory: string) => void) => run(join(newFolder(), "store"));

const someTickets = (count: number) =>
  createCollection(
    Ticket,
    Array.from({ length: count }, (_, id) => ({
      id,
      price: id / 4,
      paid: id % 3 === 0,
      lines: id % 2 === 0 ? [{ sku: `s${id}` }] : null,
    })),
  );

/** A store of many tickets and one user, closed; and the names of its files. */
function made(directory: string, count = MANY): string[] {
  const db = createDatabase({
    tickets: someTickets(count),
    Users: createCollection(User, [{ id: 1, name: "Ada" }]),
  });
  createStore(directory, db).close();
  return readdirSync(directory).sort();
}

const schemas = { tickets: Ticket, Users: User };

describe("a store of collections", () => {
  test("holds values as they are, and changes in its journal", () => {
    inFolder((directory) => {
      expect(made(directory)).toEqual([
        "data-1.log",
        "journal-1.log",
        "lock",
        "store.json",
        "tickets-1.arrow",
      ]);
      const store = openStore(directory, schemas);
      expect(store.tickets.schema).toBe(Ticket);
      expect(store.tickets.get("id", 2)).toEqual(someTickets(3).get("id", 2));
      store.update((draft) => {
        draft.tickets = draft.tickets.update([["id", "exactly", 2]], (ticket) => {
          ticket.price = -0.5;
          ticket.lines = { a: [1, null] };
        });
        draft.Users = draft.Users.insert({ id: 2, name: "Grace" });
      });
      const [tickets, users] = [store.tickets.query(), store.Users.query()];
      store.close();
      const again = openStore(directory, schemas);
      expect([again.tickets.query(), again.Users.query()]).toEqual([tickets, users]);
      expect(again.found.replayed).toBe(1);
      again.checkpoint();
      again.close();
      const third = openStore(directory, schemas);
      expect([third.tickets.query(), third.Users.query()]).toEqual([tickets, users]);
      expect(third.found.replayed).toBe(0);
      third.close();
      expect(checkStore(directory).problems).toEqual([]);
    });
  });

  test("limits the time of a query as its service does", () => {
    inFolder((directory) => {
      made(directory, 5);
      for (const readOnly of [true, false]) {
        const limits = { milliseconds: 0 };
        const store = openStore(directory, schemas, { limits, readOnly: readOnly as true });
        const now = vi.spyOn(performance, "now");
        let time = 0;
        now.mockImplementation(() => time++);
        expect(() => store.tickets.count([["paid", "exactly", true]])).toThrow(DeadlineError);
        now.mockRestore();
        store.close();
      }
    });
  });

  test("limits criteria and values, made, stored and opened, by the same options", () => {
    inFolder((directory) => {
      const limits = { criteria: 2, values: 3 };
      const tickets = someTickets(5);
      const database = createDatabase({ tickets }, { limits });
      const stored = createStore(directory, database);
      stored.close();
      const reader = openStore(directory, { tickets: Ticket }, { limits, readOnly: true });
      for (const limiting of [database, stored, reader]) {
        const { tickets: limited } = limiting;
        const paid = ["paid", "exactly", true] as const;
        expect(limited.count([paid, paid])).toBe(2);
        expect(limited.count([["id", "in", [1, 2, 3]]])).toBe(3);
        for (const [criteria, reason] of [
          [[paid, "OR", paid, paid], "at most 2 criteria"],
          [[["id", "in", [1, 2, 3, 4]]], "at most 3 values"],
        ] as const) {
          for (const ask of [
            () => limited.count(criteria),
            () => limited.query({ criteria }),
            () => limited.countBy("state", criteria),
            () => limited.remove(criteria),
            () => limiting.watch("tickets", { count: criteria }, () => undefined),
          ]) {
            expect(ask).toThrow(reason);
          }
        }
      }
      // Other databases keep the limits of their collections.
      const own = createCollection(Ticket, tickets, { maxValues: 1 });
      const { tickets: kept } = createDatabase({ tickets: own }, { limits: { criteria: 2 } });
      expect(() => kept.count([["id", "in", [1, 2]]])).toThrow("at most 1 value");
      reader.close();
    });
  });

  test("is followed by a reader", () => {
    inFolder((directory) => {
      made(directory);
      const writer = openStore(directory, schemas);
      const reader = openStore(directory, schemas, { readOnly: true });
      const sizes: number[] = [];
      reader.watch("Users", {}, (page) => void sizes.push(page.length));
      writer.update((draft) => void (draft.Users = draft.Users.insert({ id: 2, name: "a" })));
      expect(reader.refresh()).toBe(1);
      writer.checkpoint();
      writer.update((draft) => void (draft.tickets = draft.tickets.remove([["id", "exactly", 0]])));
      reader.refresh();
      expect([sizes, reader.tickets.size]).toEqual([[1, 2], MANY - 1]);
      expect(() => reader.update((draft) => void (draft.Users = draft.Users.remove([])))).toThrow(
        StoreError,
      );
      reader.close();
      writer.close();
    });
  });

  test("keeps a service's data beside them, in one change", () => {
    inFolder((directory) => {
      const db = createDatabase({ users: createCollection(User, []) });
      const service = createService({
        database: db,
        files: [{ id: 1, folder_id: 1, name: "a.txt" }],
      });
      const store = createStore(directory, service);
      db.update((draft) => void (draft.users = draft.users.insert({ id: 1, name: "Ada" })));
      store.update((draft) => void (draft.files = draft.files.remove([])));
      store.close();
      const opened = openStore(directory, { users: User });
      expect(
        thrownBy(InputError, () => createService({ database: opened, files: [] })).message,
      ).toBe(
        "options.files: must be omitted: the database already has Files and Batches, as one from a store always does; add to them with update()",
      );
      const again = createService({ database: opened });
      expect([again.searchFiles(), opened.users.query()]).toEqual([[], [{ id: 1, name: "Ada" }]]);
      opened.close();
      const asService = openStore(directory);
      expect(asService.searchFiles()).toEqual([]);
      asService.close();
    });
  });

  test("keeps collections of any name in files of their own", () => {
    inFolder((directory) => {
      const names = ["tickets", "Tickets", "batch-5", "__proto__", "a/b ..", "Ä"];
      const all = Object.fromEntries(names.map((name, i) => [name, someTickets(MANY + i)]));
      createStore(directory, createDatabase(all)).close();
      const files = readdirSync(directory).filter((name) => name.endsWith(".arrow"));
      expect(new Set(files.map((name) => name.toLowerCase())).size).toBe(names.length);
      expect(files).toContain("%54ickets-1.arrow");
      const store = openStore(directory, Object.fromEntries(names.map((name) => [name, Ticket])));
      names.forEach((name, i) => {
        expect(Reflect.get(store, name)).toHaveProperty("size", MANY + i);
      });
      store.close();
    });
  });

  test("does not open if a file is of a collection that the data do not declare", () => {
    inFolder((directory) => {
      createStore(directory, createDatabase({ tickets: someTickets(MANY) })).close();
      const path = join(directory, "data-1.log");
      const read = new Log(nodeDisk, path, "r");
      const entries: string[][] = [];
      for (let entry = read.entryAt(0); entry !== undefined; entry = read.entryAt(entry.end)) {
        const lines = Array.from(read.values(entry), (line) =>
          JSON.stringify({ ...(line as object), collections: undefined }),
        );
        entries.push(lines.filter((line) => line !== "{}"));
      }
      read.close();
      const log = new Log(nodeDisk, path, "w+");
      let end = 0;
      for (const [i, lines] of entries.entries()) ({ end } = log.write(end, i + 1, lines));
      log.close();
      expect(thrownBy(StoreError, () => openStore(directory))).toMatchObject({
        file: join(directory, "tickets-1.arrow"),
        reason: "belongs to a collection that does not exist",
      });
    });
  });

  test("is salvaged record by record", () => {
    inFolder((directory) => {
      made(directory);
      const path = join(directory, "tickets-1.arrow");
      const bytes = readFileSync(path);
      bytes.fill(0x5a, 4096 * 3, 4096 * 3 + 8);
      writeFileSync(path, bytes);
      expect(checkStore(directory).problems).toHaveLength(1);
      const { kept } = repairStore(directory);
      expect(kept).toHaveLength(1);
      const store = openStore(directory, schemas);
      expect(store.Users.size).toBe(1);
      expect(store.tickets.size).toBeLessThan(MANY + 1);
      for (const ticket of store.tickets) expect(ticket.price).toBe(ticket.id / 4);
      store.close();
    });
  });
});

describe("a schema that has changed", () => {
  const { id, state, price, paid } = Ticket.fields;
  const other = (fields: Parameters<typeof defineSchema>[0]) => ({ tickets: defineSchema(fields) });

  test("opens where it has another field with a default, or lacks one without values", () => {
    inFolder((directory) => {
      made(directory);
      const Next = defineSchema({
        id,
        state: string({ oneOf: ["open", "closed"], default: "open" }),
        paid,
        note: string({ nullable: true }),
        kind: string({ default: "bug" }),
      });
      const drop = { tickets: { drop: ["price", "lines"] } };
      const store = openStore(directory, { tickets: Next }, { migrate: drop });
      expect(store.tickets.get("id", 3)).toEqual({
        id: 3,
        state: "open",
        paid: true,
        note: null,
        kind: "bug",
      });
      const { patches } = store.update((draft) => {
        draft.tickets = draft.tickets.update(
          [["id", "exactly", 3]],
          (ticket) => void (ticket.note = "x"),
        );
      });
      expect(patches).toEqual([
        { op: "replace", path: ["tickets", 3, "note"], value: "x", before: null },
      ]);
      store.close();
      const again = openStore(directory, { tickets: Next }, { migrate: drop });
      expect([again.tickets.get("id", 3)?.note, again.tickets.size]).toEqual(["x", MANY]);
      again.close();
    });
  });

  test.each<[what: string, fields: Parameters<typeof defineSchema>[0], reason: string]>([
    ["another type", { id, price: string({ nullable: true }) }, '"price" was float and is string'],
    [
      "a field without a default",
      { ...Ticket.fields, kind: string() },
      "5 of 5 records do not fit: tickets[0].kind: is missing; tickets[1].kind: is missing; tickets[2].kind: is missing; …;",
    ],
    [
      "a field that must not be null",
      { ...Ticket.fields, lines: json() },
      "2 of 5 records do not fit: tickets[1].lines: must not be null; tickets[3].lines: must not be null;",
    ],
    [
      "a value given up",
      { ...Ticket.fields, state: string({ oneOf: ["closed"] }) },
      '5 of 5 records do not fit: tickets[0].state: must be "closed", not "open"',
    ],
    [
      "values that are not unique any more",
      { ...Ticket.fields, paid: boolean({ unique: true }) },
      '3 of 5 records do not fit: tickets[2].paid: "false" is already used by tickets[1]; tickets[3].paid: "true" is already used by tickets[0]; tickets[4].paid: "false" is already used by tickets[1];',
    ],
  ])("is refused with the records that stand against it: %s", (_what, fields, reason) => {
    inFolder((directory) => {
      made(directory, 5);
      const error = thrownBy(StoreError, () => openStore(directory, other(fields)));
      expect(error.message).toContain(`the schema of "tickets" has changed: ${reason}`);
      expect(error.message.includes("; …")).toBe(reason.startsWith("5 of 5"));
      expect(error.message).toContain("migrate.tickets");
      const store = openStore(directory, schemas);
      expect(store.tickets.query()).toEqual(someTickets(5).query());
      store.close();
    });
  });

  test("is reached by a function from old record to new, run once", () => {
    inFolder((directory) => {
      made(directory);
      let runs = 0;
      const Next = defineSchema({ id, state, cents: int({ nullable: true }) });
      const migrate = {
        tickets: ({ id, state, price }: { id: number; state: "open"; price: number }) => {
          runs++;
          return { id, state, cents: Math.round(price * 100) };
        },
      };
      const store = openStore(directory, { tickets: Next }, { migrate });
      expect([runs, store.tickets.get("id", 5)]).toEqual([
        MANY,
        { id: 5, state: "open", cents: 125 },
      ]);
      store.close();
      const again = openStore(directory, { tickets: Next }, { migrate });
      expect(runs).toBe(MANY);
      expect(again.tickets.get("id", 5)?.cents).toBe(125);
      again.close();
    });
  });

  test("is reached once, however often the function is given", () => {
    inFolder((directory) => {
      made(directory, 5);
      const migrate = {
        tickets: ({ id, price }: { id: number; price: number }) => ({ id, price: price + 1 }),
      };
      const { tickets: Next } = other({ id, price });
      const prices = Array.from({ length: 3 }, () => {
        const store = openStore(directory, { tickets: Next }, { migrate });
        store.close();
        return store.tickets.query().map((ticket) => ticket.price);
      });
      expect(prices).toEqual(new Array(3).fill([1, 1.25, 1.5, 1.75, 2]));
    });
  });

  test("is reached from the old records again if the new ones could not be written", () => {
    const disk = new SimulatedDisk();
    const lock = false;
    const holder = createService({ database: createDatabase({ tickets: someTickets(5) }) });
    createStoreOn(disk, "/store", holder, { lock }).close();
    const { tickets: Next } = other({ id, price });
    const migrate = {
      tickets: ({ id, price }: { id: number; price: number }) => ({ id, price: price + 1 }),
    };
    const open = (): StoredDatabase<CollectionsOf<{ tickets: typeof Next }>> => {
      const schemas = new Map([["tickets", Next]]);
      return untyped(openStoreOn(disk, "/store", { migrate, lock }, schemas));
    };
    let cuts = 0;
    for (let opened = false; !opened; cuts++) {
      const last = disk.operations + cuts;
      disk.fails = (operation) => (operation >= last ? { code: "ENOSPC" } : undefined);
      try {
        open().close();
        opened = true;
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(StoreError);
      }
    }
    expect(cuts).toBeGreaterThan(5);
    disk.fails = () => undefined;
    const store = open();
    expect(store.tickets.query()).toEqual([0, 1, 2, 3, 4].map((id) => ({ id, price: id / 4 + 1 })));
    store.close();
  });

  test("is refused with the records that a function makes and that do not fit", () => {
    inFolder((directory) => {
      made(directory, 5);
      const { tickets: Next } = other({ id, price });
      const migrate = { tickets: ({ id }: { id: number }) => ({ id, cents: id === 0 ? 1 : 2 }) };
      expect(
        thrownBy(StoreError, () => openStore(directory, { tickets: Next }, { migrate })).reason,
      ).toBe(
        'migrate.tickets: 5 of 5 records do not fit: tickets[0]: has the unknown field "cents"; tickets[1]: has the unknown field "cents"; tickets[2]: has the unknown field "cents"; …',
      );
    });
  });

  test("has no function for a collection without a schema", () => {
    inFolder((directory) => {
      made(directory, 5);
      const migrate = { ticket: () => ({}) };
      expect(thrownBy(InputError, () => openStore(directory, schemas, { migrate })).message).toBe(
        'options.migrate.ticket: has no schema; use "tickets" or "Users"; did you mean "tickets"?',
      );
    });
  });

  test("is reported by schemasOf, and where that is damaged", () => {
    inFolder((directory) => {
      made(directory, 5);
      const migrate = { tickets: { drop: ["state", "paid", "lines"] } };
      openStore(directory, other({ id, price }), { migrate }).close();
      const { tickets } = schemasOf(directory);
      expect(Object.keys(tickets?.fields ?? {})).toEqual(["id", "price"]);
      const [data = ""] = readdirSync(directory).filter((name) => name.startsWith("data-"));
      writeFileSync(join(directory, data), "damaged");
      expect(thrownBy(StoreError, () => schemasOf(directory))).toMatchObject({
        file: join(directory, data),
        offset: 0,
        reason: "is damaged",
      });
    });
  });

  test("is refused to a reader, which writes nothing", () => {
    inFolder((directory) => {
      made(directory, 5);
      const migrate = { tickets: () => ({ id: 0, price: 0 }) };
      const open = () => openStore(directory, other({ id, price }), { readOnly: true, migrate });
      const reason = 'has another schema of "tickets"; open it as a writer with this schema first';
      expect(thrownBy(StoreError, open).reason).toBe(reason);
      const more = () => openStore(directory, { ...schemas, notes: User }, { readOnly: true });
      expect(thrownBy(StoreError, more).reason).toBe(
        'has no collection "notes"; open it as a writer with this schema first',
      );
      const reader = openStore(directory, schemas, { readOnly: true });
      const dropping = { tickets: { drop: ["state", "paid", "lines"] } };
      openStore(directory, other({ id, price }), { migrate: dropping }).close();
      const refresh = () => reader.refresh();
      expect([1, 2].map(() => thrownBy(StoreError, refresh).reason)).toEqual([reason, reason]);
      expect(reader.tickets.query()).toEqual(someTickets(5).query());
      reader.close();
    });
  });

  test("a collection that is not there begins without records", () => {
    inFolder((directory) => {
      made(directory, 5);
      const store = openStore(directory, { ...schemas, notes: User });
      store.update((draft) => void (draft.notes = draft.notes.insert({ id: 1, name: "x" })));
      store.close();
      const again = openStore(directory, { notes: User });
      expect(again.notes.size).toBe(1);
      again.close();
      expect(() => openStore(directory, untyped({ close: User }))).toThrow(InputError);
    });
  });
});

test("a misspelt option is an error that lists those of a store of collections", () =>
  inFolder((directory) => {
    createStore(directory, createDatabase({ users: createCollection(User) })).close();
    const error = thrownBy(InputError, () =>
      openStore(directory, { users: User }, untyped({ durabilty: "os" })),
    );
    expect(error.message).toContain('options: has no member "durabilty"; use');
    expect(error.message).toContain('"durability"');
    expect(error.message).not.toContain("authenticate");
    expect(() => openStore(directory, untyped({ expire: {} }))).toThrow(
      "options.expire: needs the schemas of collections",
    );
  }));
