// Collections over existing tables: errors before a statement is sent, mistakes of drivers and tables, and views with
// other names and types. test/differential tests that results equal those in memory.

import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  boolean,
  createCollection,
  CriteriaError,
  defineSchema,
  float,
  InputError,
  int,
  json,
  QueryError,
  string,
} from "../../src/index.ts";
import {
  checkTable,
  ConsistencyError,
  createSqlCollection,
  DriverError,
  RowError,
  type Run,
} from "../../src/sql/index.ts";
import { onEngine } from "../engines/on-engine.ts";
import { rowsOf, type Engine } from "../engines/engine.ts";

const Ticket = defineSchema({
  id: int({ unique: true }),
  subject: string(),
  state: string({ oneOf: ["open", "closed"] }),
  votes: int({ nullable: true }),
  price: float({ default: 0 }),
  urgent: boolean({ default: false }),
  note: json({ nullable: true }),
});

const records = [
  { id: 7, subject: "No heat", state: "open", votes: 9, price: 1.5, urgent: true, note: [1] },
  { id: 8, subject: "no light 😀", state: "closed", votes: null, price: 20, note: { a: "é" } },
  { id: 9, subject: "NO HEAT", state: "open", votes: 10, price: 0.1, note: null },
  { id: 12, subject: "\uffff", state: "open", votes: 9, price: 1.5, urgent: true },
] as const;

/** Two tables of other names and types, and a view of both. */
const TABLES = [
  "CREATE TABLE states (code SMALLINT PRIMARY KEY, label VARCHAR(20) NOT NULL)",
  "INSERT INTO states VALUES (1, 'open'), (2, 'closed')",
  'CREATE TABLE tickets (ticket_id INTEGER PRIMARY KEY, "Subject" VARCHAR(80) NOT NULL, state_code SMALLINT NOT NULL, votes INTEGER, price DECIMAL(10, 2) NOT NULL, urgent BOOLEAN NOT NULL, note JSON)',
  ...records.toReversed().map(({ id, subject, state, votes, price, ...others }) => {
    const { urgent = false, note = null } = others as { urgent?: boolean; note?: unknown };
    const text = note === null ? "NULL" : `'${JSON.stringify(note)}'`;
    return `INSERT INTO tickets VALUES (${id}, '${subject}', ${state === "open" ? 1 : 2}, ${votes ?? "NULL"}, ${price}, ${urgent ? "TRUE" : "FALSE"}, ${text})`;
  }),
  'CREATE VIEW open_tickets AS SELECT ticket_id AS number, "Subject" AS title, label, votes, price, urgent, note FROM tickets JOIN states ON code = state_code',
];
const columns = { id: "number", subject: "title", state: "label" } as const;

const optionsOn = (engine: Pick<Engine, "dialect" | "run" | "texts">) =>
  ({
    schema: Ticket,
    dialect: engine.dialect,
    run: engine.run,
    texts: engine.texts,
    table: "open_tickets",
    columns,
    order: ["id"],
  }) as const;

for (const name of ["SQLite", "DuckDB", "PostgreSQL"] as const) {
  onEngine(name, (engine) => {
    beforeEach(async () => {
      await engine().clear();
      for (const text of TABLES) await rowsOf(engine(), text);
    });

    test("a view over two joined tables, of other names and types", async () => {
      const memory = createCollection(Ticket, records);
      const found = createSqlCollection(optionsOn(engine()));
      expect(await found.query()).toStrictEqual(memory.query());
      const query = {
        criteria: [["subject", "contains", "o"], "OR", ["urgent", "exactly", true]],
        sort: [
          ["price", "DESC"],
          ["votes", "ASC"],
        ],
        limit: 3,
      } as const;
      expect(await found.query(query)).toStrictEqual(memory.query(query));
      expect(await found.count([["id", "contains", 2]])).toBe(1);
      expect(await found.countBy("state")).toEqual(memory.countBy("state"));
      expect(await found.countBy("urgent")).toEqual(memory.countBy("urgent"));
      const grouping = {
        by: ["state", { field: "subject", prefix: 2, as: "start" }],
        measures: {
          tickets: "count",
          urgent: ["maximum", "urgent"],
          first: ["minimum", "subject"],
          total: ["sum", "price"],
          median: ["quantile", "votes", 0.5],
        },
        having: [["total", "greater_than", 0]],
        sort: [["total", "DESC"]],
      } as const;
      expect(await found.groupBy(grouping)).toEqual(memory.groupBy(grouping));
      const binning = { bins: 3, from: 0, to: 2 };
      expect(await found.histogram("price", binning)).toEqual(memory.histogram("price", binning));
      expect(await found.summary("votes")).toEqual(memory.summary("votes"));
      expect(await checkTable({ ...optionsOn(engine()), queries: [query] })).toEqual([]);
      const path = [name === "PostgreSQL" ? "public" : "main", "open_tickets"];
      const named = createSqlCollection({ ...optionsOn(engine()), table: path });
      expect(await named.count()).toBe(4);
      expect(await checkTable({ ...optionsOn(engine()), table: path })).toEqual([]);
      const other = createSqlCollection({
        ...optionsOn(engine()),
        table: ["nowhere", "open_tickets"],
      });
      await expect(other.count()).rejects.toThrow(/nowhere/);
    });

    test("what the driver fails with is the cause, and the next question is answered", async () => {
      const cause = new Error("down");
      let isDown = true;
      const run: Run = (...asked) => (isDown ? Promise.reject(cause) : engine().run(...asked));
      const found = createSqlCollection({ ...optionsOn(engine()), run });
      const thrown: unknown = await found.count().catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(DriverError);
      expect(thrown).toMatchObject({ cause });
      isDown = false;
      expect(await found.count()).toBe(4);
    });

    test("a value that its field can't have is an error that names the field", async () => {
      await rowsOf(engine(), "UPDATE states SET label = 'lost' WHERE code = 2");
      const found = createSqlCollection(optionsOn(engine()));
      await expect(found.query({ limit: 1 })).resolves.toHaveLength(1);
      await expect(found.query()).rejects.toThrow(RowError);
      await expect(found.query()).rejects.toThrow(
        'the column of state has an invalid value: must be "open" or "closed", not "lost"',
      );
      await expect(found.countBy("state")).rejects.toThrow("the column of state");
      await expect(found.groupBy({ by: "state" })).rejects.toThrow("the column of state");
      if (engine().dialect !== "sqlite") return;
      await rowsOf(engine(), "UPDATE tickets SET note = '{'");
      await expect(found.query()).rejects.toThrow(
        "the column of note has a string that is not JSON",
      );
    });

    test("a table that lacks a column, or has one of another type, is an error before its rows are asked for", async () => {
      const found = (others: object) =>
        createSqlCollection({ ...optionsOn(engine()), ...others }).query();
      await expect(found({ table: "nowhere" })).rejects.toThrow("there is no table nowhere");
      await expect(found({ columns: { ...columns, price: "cost" } })).rejects.toThrow(
        'options.columns.price: open_tickets has no column "cost"',
      );
      const placed = (position: string) => found({ order: undefined, position });
      await expect(placed("nowhere")).rejects.toThrow("options.position: open_tickets has no");
      await expect(placed("title")).rejects.toThrow(/options\.position: .*, not of integers/);
      const written = { columns: { ...columns, id: { column: "number", text: "nowhere" } } };
      await expect(found(written)).rejects.toThrow(/options\.columns\.id: .* no column "nowhere"/);
      const mistaken = found({ columns: { ...columns, id: "title" } });
      await expect(mistaken).rejects.toThrow(InputError);
      await expect(mistaken).rejects.toThrow(/options\.columns\.id: .*"title".*which no int field/);
    });
  });
}

for (const [name, type, values] of [
  ["SQLite", "REAL", ["9e999", "-9e999", "'text'"]],
  ["DuckDB", "DOUBLE", ["'NaN'", "'Infinity'", "'-Infinity'"]],
  ["PostgreSQL", "double precision", ["'NaN'", "'Infinity'", "'-Infinity'"]],
  ["PostgreSQL", "real", ["'NaN'", "'Infinity'"]],
  ["PostgreSQL", "numeric", ["'NaN'", "'Infinity'"]],
] as const) {
  onEngine(name, (engine) => {
    test(`${type}: whatever meets NaN or an infinite number is an error`, async () => {
      const { dialect, run, texts, clear } = engine();
      const schema = defineSchema({ id: int(), d: float() });
      for (const value of values) {
        await clear();
        await rowsOf(engine(), `CREATE TABLE t (id INTEGER PRIMARY KEY, d ${type} NOT NULL)`);
        await rowsOf(engine(), `INSERT INTO t VALUES (1, 1.5), (2, 2.5), (3, ${value})`);
        const found = createSqlCollection({
          schema,
          dialect,
          run,
          texts,
          table: "t",
          order: ["id"],
        });
        for (const ask of [
          () => found.histogram("d", { bins: 2 }),
          () => found.histogram("d", { bins: 2, from: 0, to: 3 }),
          () => found.histogram("id", { bins: 2, summarize: "d" }),
          () => found.summary("d"),
          () => found.countBy("d"),
          () => found.countBy("id", null, { summarize: "d" }),
          () => found.groupBy({ by: "d" }),
          () => found.groupBy({ by: { field: "d", width: 1 } }),
          () => found.groupBy({ by: "id", measures: { deviation: ["deviation", "d"] } }),
          () => found.groupBy({ by: "id", measures: { lowest: ["minimum", "d"] } }),
          () => found.query(),
          () => found.page({ limit: 5, sortBy: "d" }),
        ]) {
          await expect(ask(), `${value}: ${String(ask)}`).rejects.toThrow(RowError);
        }
        const others = [["id", "at_most", 2]] as const;
        const range = { bins: 1, from: 1, to: 3, criteria: others };
        expect((await found.histogram("d", range)).bins).toEqual([{ from: 1, to: 3, count: 2 }]);
        expect((await found.summary("d", others)).maximum).toBe(2.5);
        const lowest = { lowest: ["minimum", "d"] } as const;
        const by = { field: "d", width: 1 } as const;
        expect(await found.groupBy({ by, measures: lowest, criteria: others })).toEqual([
          { d: 1, lowest: 1.5 },
          { d: 2, lowest: 2.5 },
        ]);
      }
    });
  });
}

onEngine("SQLite", (engine) => {
  test("a histogram whose values change while they are counted is counted again, or an error", async () => {
    await engine().clear();
    for (const text of TABLES) await rowsOf(engine(), text);
    let changes = 1;
    const run: Run = async (text, ...asked) => {
      const rows = await engine().run(text, ...asked);
      if (/^SELECT [^,]*min\(/.test(text) && changes-- > 0) {
        await rowsOf(engine(), "UPDATE tickets SET votes = votes + 1");
      }
      return rows;
    };
    const found = createSqlCollection({ ...optionsOn(engine()), run });
    expect((await found.histogram("votes", { bins: 2 })).bins).toEqual([
      { from: 10, to: 10, count: 2 },
      { from: 11, to: 11, count: 1 },
    ]);
    changes = Infinity;
    await expect(found.histogram("votes", { bins: 2 })).rejects.toThrow(ConsistencyError);
  });
});

onEngine("SQLite", (engine) => {
  test("a null that its field can't have is an error of groups, too", async () => {
    await engine().clear();
    await rowsOf(engine(), "CREATE TABLE t (id INTEGER PRIMARY KEY, d REAL, s TEXT)");
    await rowsOf(engine(), "INSERT INTO t VALUES (1, 1.5, 'a'), (2, NULL, NULL)");
    const schema = defineSchema({ id: int(), d: float(), s: string() });
    const { dialect, run } = engine();
    const found = createSqlCollection({ schema, dialect, run, table: "t", order: ["id"] });
    const by = { field: "id", edges: [0] } as const;
    for (const ask of [
      () => found.groupBy({ by: "d" }),
      () => found.groupBy({ by: { field: "d", width: 1 } }),
      () => found.groupBy({ by: { field: "s", prefix: 1 } }),
      () => found.groupBy({ by, summarize: ["d"] }),
      () => found.groupBy({ by, measures: { a: ["sum", "d"], b: ["sum", "id"] } }),
      () => found.groupBy({ by, measures: { least: ["minimum", "s"] } }),
      () => found.groupBy({ by, measures: { values: ["count", "d"] } }),
    ]) {
      await expect(ask(), String(ask)).rejects.toThrow(RowError);
    }
    expect(await found.groupBy({ by })).toEqual([{ id: 0, count: 2 }]);
  });

  test("groups of ranges are asked for again if values outside of these are added in between", async () => {
    await engine().clear();
    for (const text of TABLES) await rowsOf(engine(), text);
    let changes = 1;
    const run: Run = async (text, ...asked) => {
      const rows = await engine().run(text, ...asked);
      if (/^SELECT [^,]*min\(/.test(text) && changes-- > 0) {
        await rowsOf(engine(), "UPDATE tickets SET votes = votes + 10");
      }
      return rows;
    };
    const found = createSqlCollection({ ...optionsOn(engine()), run });
    const query = { by: { field: "votes", width: 2 } } as const;
    const after = createCollection(
      Ticket,
      records.map(({ votes, ...others }) => ({ ...others, votes: votes && votes + 10 })),
    );
    const open = [["state", "exactly", "open"]] as const;
    expect(await found.groupBy({ ...query, criteria: open })).toEqual(
      after.groupBy({ ...query, criteria: open }),
    );
    changes = Infinity;
    await expect(found.groupBy(query)).rejects.toThrow(ConsistencyError);
  });

  test("ranges are counted by the engine, in parts if they are many, and numbers as they are if they are too many", async () => {
    await engine().clear();
    await rowsOf(engine(), "CREATE TABLE t (id INTEGER PRIMARY KEY, part REAL NOT NULL)");
    const ids = Array.from({ length: 3000 }, (_, id) => ({ id, part: id / 2 }));
    const values = ids.map(({ id, part }) => `(${id}, ${part})`).join(", ");
    await rowsOf(engine(), `INSERT INTO t VALUES ${values}`);
    const schema = defineSchema({ id: int(), part: float() });
    const memory = createCollection(schema, ids);
    let sent = 0;
    const run: Run = async (...asked) => {
      const rows = await engine().run(...asked);
      sent = rows.length;
      return rows;
    };
    const { dialect } = engine();
    const found = createSqlCollection({ schema, dialect, run, table: "t", order: ["id"] });
    for (const [by, rows] of [
      [{ field: "id", width: 1000 }, 3],
      [{ field: "id", width: 20 }, 150],
      [{ field: "id", width: 1 }, 3000],
      // The last range has no end.
      [
        { field: "id", edges: ids.flatMap(({ id }) => (id % 30 && id % 30 !== 20 ? [] : [id])) },
        200,
      ],
      [{ field: "part", width: 0.75 }, 2000],
      [{ field: "part", width: 0.7 }, 3000],
    ] as const) {
      const query = { by } as const;
      expect(await found.groupBy(query)).toEqual(memory.groupBy(query));
      expect(sent).toBe(rows);
    }
  });
});

onEngine("MariaDB", (engine) => {
  test("texts that a column takes for equal are each looked up by themselves, also in an OR", async () => {
    const Word = defineSchema({ id: int(), word: string() });
    const words = ["A", "a", "b", "b ", "\u{482ae}", "\u{10000}", "ας"];
    const rows = words.map((word, id) => ({ id, word }));
    await engine().clear();
    await rowsOf(
      engine(),
      "CREATE TABLE words (id BIGINT PRIMARY KEY, word VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL, INDEX (word))",
    );
    for (const { id, word } of rows) {
      await rowsOf(engine(), "INSERT INTO words VALUES (?, ?)", [id, word]);
    }
    const { dialect, run } = engine();
    const memory = createCollection(Word, rows);
    const found = createSqlCollection({
      ...{ schema: Word, dialect, run },
      ...{ table: "words", columns: { id: "id", word: "word" }, order: ["id"] },
    });
    for (const list of [["a", "b "], ["A", "x"], ["ας", "\u{10000}"], words]) {
      for (const criteria of [
        [["word", "in", list]],
        [["word", "in", list], "OR", ["word", "exactly", "ας"]],
      ] as const) {
        expect(await found.query({ criteria })).toEqual(memory.query({ criteria }));
      }
    }
    const many = Array.from({ length: 70_000 }, (_, i) => (i === 0 ? "A" : `no word ${i}`));
    expect(await found.count([["word", "in", many], "OR", ["id", "exactly", 2]])).toBe(2);
  });
});

describe("without an engine", () => {
  const sent: string[] = [];
  const run: Run = (text) => {
    sent.push(text);
    return new Promise(() => undefined);
  };
  const options = { schema: Ticket, dialect: "sqlite", run, table: "t", order: ["id"] } as const;
  const found = createSqlCollection(options);

  test.each([
    [{ order: undefined }, "options.order: must name the fields"],
    [{ position: "p" }, "options.order: must be omitted if options.position is given"],
    [{ order: [] }, "options.order: must name the fields"],
    [{ order: ["idd"] }, 'options.order[0]: unknown field "idd"; did you mean "id"?'],
    [{ order: ["id", "id"] }, 'options.order[1]: repeats "id"'],
    [{ order: ["note"] }, 'options.order[0]: "note" is a json field'],
    [{ run: [run] }, "options.run: must be a function"],
    [{ dialect: "oracle" }, "options.dialect: must be"],
    [{ table: ["a", ""] }, "options.table[1]: must be a name"],
    [{ columns: { idd: "x" } }, "options.columns.idd: is not a field"],
    [{ columns: [] }, "options.columns: must be an object"],
    [
      { columns: { id: { column: "a", folded: "b" } } },
      "options.columns.id.folded: is for a field that ignores case or accents",
    ],
    [
      { columns: { state: { column: "a", text: "b" } } },
      "options.columns.state.text: is for an int or float field",
    ],
    [{ schema: {} }, "schema: must be made by defineSchema()"],
    [{ limit: 3 }, 'options: has no member "limit"'],
  ])("options that are not valid are refused: %j", (others, message) => {
    expect(() => createSqlCollection({ ...options, ...others } as never)).toThrow(message);
  });

  test("questions that are not valid are refused before a statement is sent", async () => {
    const price = [
      ["state", "exactly", "open"],
      ["price", "contains", 1],
    ] as const;
    const refused: [Promise<unknown>, new (...given: never[]) => Error, string][] = [
      [found.query({ criteria: [["nmae", "exactly", 1]] as never }), CriteriaError, "nmae"],
      [found.query({ limit: -1 }), QueryError, "limit"],
      [
        found.query({ criteria: price }),
        CriteriaError,
        'criteria[1]: contains compares the string form of the float field "price"',
      ],
      [found.count(price), CriteriaError, "criteria[1]"],
      [found.count(["NOT", price]), CriteriaError, "criteria[1]"],
      [found.page({ criteria: price }), CriteriaError, "criteria[1]"],
      [found.page({ offset: 1 } as never), QueryError, 'query: has no member "offset"'],
      [found.page({ after: "1AAAAAAAA" }), QueryError, "after: belongs to another query"],
      [found.countBy("note" as never), InputError, "field"],
      [found.groupBy({ by: "note" as never }), InputError, "query.by"],
      [found.groupBy({ by: "id", criteria: price }), CriteriaError, "criteria[1]"],
      [found.groupBy({ by: "id", having: [["count", "is", 1]] as never }), InputError, "having"],
      [found.groupBy({ by: "id" }, { signal: 1 as never }), InputError, "options.signal"],
      [found.histogram("subject" as never, { bins: 3 }), InputError, "field"],
      [found.histogram("id", { bins: 3, from: 1.5 }), InputError, "options.from"],
      [found.summary("note" as never), InputError, "field"],
      [found.query({}, { signal: 1 as never }), InputError, "options.signal"],
    ];
    for (const [promise, type, message] of refused) {
      const thrown: unknown = await promise.catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(type);
      expect(String(thrown)).toContain(message);
    }
    expect(sent).toEqual([]);
  });

  test("a caller that gives up gets an error at once, and the driver stops, too", async () => {
    const abortion = new AbortController();
    const signals: AbortSignal[] = [];
    const slow: Run = (text, _, { signal }) => {
      if (!text.includes("pragma")) signals.push(signal);
      const column = (field: string) => [field, "", 1, null, 0, null, 0, null];
      const fields = Object.keys(Ticket.fields).map(column);
      return text.includes("pragma") ? Promise.resolve(fields) : new Promise(() => undefined);
    };
    const waiting = createSqlCollection({ ...options, run: slow });
    const answer = waiting.query({}, { signal: abortion.signal });
    await vi.waitFor(() => expect(signals).toHaveLength(1), 120_000);
    abortion.abort(new Error("gone"));
    await expect(answer).rejects.toThrow("gone");
    expect(signals[0]?.aborted).toBe(true);
    const late = waiting.count(null, { signal: abortion.signal });
    await expect(late).rejects.toThrow("gone");
    expect(signals).toHaveLength(1);
  });
});
