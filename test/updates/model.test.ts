// A collection and a plain array, changed in the same way and given the same queries, agree at every step. At the end,
// so does every snapshot taken along the way.

import fc from "fast-check";
import { expect, test } from "vitest";
import { collect } from "../../src/collection/create.ts";
import type { Collection } from "../../src/collection/collection.ts";
import { planning } from "../../src/engine/execution/planning.ts";
import { Codec } from "../../src/engine/columns/codec.ts";
import { parseQuery } from "../../src/engine/query.ts";
import {
  compileCriteria,
  InputError,
  int,
  string,
  type Changed,
  type ChangesOf,
  type Criteria,
  type DraftOf,
  type InputOf,
  type Patch,
  type Query,
  type SearchRecordOf,
} from "../../src/index.ts";
import { predicatePage } from "../reference-page.ts";
import { settings } from "../property.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { answersOfEveryPlan } from "../engine/plans.ts";
import { tuned } from "../tuned.ts";
import { comparedPatches } from "./fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

const Row = wireSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  number: int({ nullable: true }),
  group: string({ ignoreCase: true }),
  hidden: string({ nullable: true, stored: false, ignoreCase: true }),
});
type Row = SearchRecordOf<typeof Row>;
type RowInput = InputOf<typeof Row>;
type RowCriteria = Criteria<typeof Row>;
type RowQuery = Query<typeof Row>;

const strict = {
  maxCriteria: 1000,
  maxValues: 1000,
  unknownOperator: "error",
  finder: planning,
} as const;

/** The plain array: records in order, each with its key, and the key of the next one. */
interface Model {
  readonly rows: readonly { readonly key: number; readonly row: Row }[];
  readonly nextKey: number;
}

interface Taken {
  readonly collection: Collection<typeof Row>;
  readonly model: Model;
}

interface Step extends Taken {
  readonly before: Taken;
  readonly patches: readonly Patch[];
  readonly inversePatches: readonly Patch[];
}

/** The real thing: the collection now, the snapshots so far, and the steps that can be undone. */
class Subject {
  collection: Collection<typeof Row>;
  readonly taken: Taken[] = [];
  readonly steps: Step[] = [];

  constructor(collection: Collection<typeof Row>) {
    this.collection = collection;
  }
}

/** A model that commands can change. */
interface Box {
  model: Model;
}
type Command = fc.Command<Box, Subject>;

const words = fc.constantFrom(
  "",
  "a",
  "A",
  "ab",
  "aB",
  "abc",
  "b",
  "İ",
  "\u{1f600}",
  "\uffff",
  "é",
  "e\u0301",
);
const inputParts = {
  text: fc.option(words),
  number: fc.option(fc.integer({ min: -3, max: 12 })),
  group: fc.constantFrom("x", "X", "y"),
  hidden: fc.option(words),
};
const inputs = fc.record(inputParts);

const criterion = fc.oneof(
  fc.tuple(fc.constant("id" as const), fc.constant("exactly" as const), fc.nat({ max: 40 })),
  fc.tuple(fc.constant("id" as const), fc.constant("less_than" as const), fc.nat({ max: 40 })),
  fc.tuple(
    fc.constantFrom("text" as const, "hidden" as const),
    fc.constantFrom(
      "exactly" as const,
      "not" as const,
      "contains" as const,
      "starts_with" as const,
    ),
    words,
  ),
  fc.tuple(
    fc.constantFrom("text" as const, "number" as const),
    fc.constantFrom("exactly" as const, "not" as const),
    fc.constant(null),
  ),
  fc.tuple(
    fc.constant("number" as const),
    fc.constantFrom("greater_than" as const, "exactly" as const),
    fc.integer({ min: -3, max: 12 }),
  ),
  fc.tuple(fc.constant("group" as const), fc.constant("exactly" as const), fc.constant("x")),
);
const criteria: fc.Arbitrary<RowCriteria> = fc
  .array(fc.array(criterion, { minLength: 1, maxLength: 2 }), { maxLength: 2 })
  .map((groups) => groups.flatMap((group, i) => (i === 0 ? group : ["OR" as const, ...group])));

/** A few of the first records, so that others remain. */
const someIds = fc
  .array(fc.nat({ max: 80 }), { minLength: 1, maxLength: 3 })
  .map((ids): RowCriteria => [["id", "in", ids]]);

const sortField = fc.constantFrom(...(["id", "text", "number", "group", "hidden"] as const));
const sortOrder = fc.constantFrom("ASC" as const, "DESC" as const);
const page = {
  criteria,
  limit: fc.option(fc.nat({ max: 12 })),
  offset: fc.option(fc.nat({ max: 60 })),
};
const queries: fc.Arbitrary<RowQuery> = fc.oneof(
  fc.record({ ...page, sortBy: fc.option(sortField), sortOrder }),
  fc.record({
    ...page,
    sort: fc.uniqueArray(fc.tuple(sortField, sortOrder), {
      selector: ([field]) => field,
      minLength: 2,
      maxLength: 3,
    }),
  }),
);

/** What a plain array answers. */
const ask = ({ rows }: Model, query: RowQuery): Row[] =>
  predicatePage(
    Row,
    rows.map(({ row }) => row),
    query,
  );

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

function stored({ id, text, number, group }: Row) {
  return { id, text, number, group };
}

function compareWhole(collection: Collection<typeof Row>, model: Model): void {
  const whole = model.rows.map(({ row }) => row);
  expect(collection.size).toBe(whole.length);
  expect([...collection]).toEqual(whole.map(stored));
  const hidden = collection.query({ sortBy: "hidden", sortOrder: "ASC" });
  expect(idsOf(hidden)).toEqual(idsOf(ask(model, { sortBy: "hidden", sortOrder: "ASC" })));
  for (const position of [0, 1, 5, -1, -3, whole.length]) {
    const row = whole.at(position);
    expect(collection.at(position)).toEqual(row && stored(row));
  }
}

function compareAnswer(collection: Collection<typeof Row>, model: Model, query: RowQuery): void {
  const expected = idsOf(ask(model, query));
  for (const { plans, records } of answersOfEveryPlan(
    collection.state.snapshot,
    parseQuery(Row, query, strict),
  )) {
    expect(
      records.map(({ id }) => id),
      plans.map(({ source, order }) => `${source.step.path} → ${order.path}`).join(", "),
    ).toEqual(expected);
  }
  // More than once: what was found or put in order is kept for the next time.
  for (let times = 0; times < 3; times++) {
    expect(idsOf(collection.query(query))).toEqual(expected);
  }
  const page: RowQuery = { ...query, criteria: undefined };
  expect(idsOf(collection.query(page))).toEqual(idsOf(ask(model, page)));
  const all = ask(model, { criteria: query.criteria });
  expect(collection.count(query.criteria)).toBe(all.length);
}

/** A change that both make; where it may not be made, the collection must refuse and stay. */
class ChangeCommand implements Command {
  readonly #text: string;
  readonly #makeModel: (model: Model) => Model | undefined;
  readonly #make: (collection: Collection<typeof Row>, model: Model) => Changed<typeof Row>;

  constructor(
    text: string,
    makeModel: (model: Model) => Model | undefined,
    make: (collection: Collection<typeof Row>, model: Model) => Changed<typeof Row>,
  ) {
    this.#text = text;
    this.#makeModel = makeModel;
    this.#make = make;
  }

  check = () => true;
  toString = () => this.#text;

  run(box: Box, subject: Subject): void {
    const before = { collection: subject.collection, model: box.model };
    const model = this.#makeModel(box.model);
    subject.taken.push(before);
    if (model === undefined) {
      expect(() => this.#make(subject.collection, box.model)).toThrow(InputError);
      compareWhole(subject.collection, box.model);
      return;
    }
    const { collection, patches, inversePatches } = this.#make(subject.collection, box.model);
    box.model = model;
    subject.collection = collection;
    subject.steps.push({ before, collection, model, patches, inversePatches });
    compareWhole(collection, model);
    // What changed is the same, known from the commit or found by looking.
    expect({ patches, inversePatches }).toEqual(
      comparedPatches(before.collection.state, collection.state),
    );
    // Patches are JSON, and lead from one to the other and back.
    const [there, back] = [patches, inversePatches].map(
      (each) => JSON.parse(JSON.stringify(each)) as Patch[],
    );
    compareWhole(before.collection.applyPatches(there ?? []), model);
    compareWhole(collection.applyPatches(back ?? []), before.model);
  }
}

const hasDuplicateIds = ({ rows }: Model) =>
  new Set(rows.map(({ row }) => row.id)).size < rows.length;

const unlessDuplicate = (model: Model) => (hasDuplicateIds(model) ? undefined : model);

const flat = ({ id, text, number, group, hidden }: RowInput): Row => ({
  id: String(id),
  text: text ?? null,
  number: number === null || number === undefined ? null : String(number),
  group,
  hidden: hidden ?? null,
});

const append = (model: Model, rows: readonly RowInput[]): Model => ({
  rows: [...model.rows, ...rows.map((row, i) => ({ key: model.nextKey + i, row: flat(row) }))],
  nextKey: model.nextKey + rows.length,
});

const insertCommand = fc
  .tuple(fc.array(inputs, { maxLength: 30 }), fc.boolean())
  .map(([rows, mayCollide]) => {
    // With new ids most of the time, else with ids from 0 on, which most often are there.
    const withIds = ({ nextKey }: Model): RowInput[] =>
      rows.map((row, i) => ({ ...row, id: mayCollide ? i : 1000 + nextKey + i }));
    return new ChangeCommand(
      `insert(${rows.length}${mayCollide ? ", ids from 0" : ""})`,
      (model) => unlessDuplicate(append(model, withIds(model))),
      (collection, model) => collection.withPatches((all) => all.insert(withIds(model))),
    );
  });

interface Recipe {
  readonly name: string;
  /** What becomes of a row; `undefined` where it may not be. */
  readonly row: (row: Row) => Row | undefined;
  readonly recipe: ((draft: DraftOf<typeof Row>) => unknown) | ChangesOf<RowInput>;
}

/** The same changes of every row. */
const objects: fc.Arbitrary<Recipe> = fc
  .record(
    {
      text: fc.option(words),
      number: fc.option(fc.integer({ min: -3, max: 12 })),
      group: fc.constantFrom("x", "y"),
      hidden: fc.option(words),
      id: fc.nat({ max: 40 }),
    },
    { requiredKeys: [] },
  )
  .map((changes) => ({
    name: JSON.stringify(changes),
    row: (row) => flat({ ...row, ...changes }),
    recipe: changes,
  }));

const recipes: fc.Arbitrary<Recipe> = fc.oneof(
  fc.option(words).map((text) => ({
    name: `text = ${JSON.stringify(text)}`,
    row: (row: Row): Row => ({ ...row, text }),
    recipe: (draft: DraftOf<typeof Row>) => void (draft.text = text),
  })),
  fc.option(words).map((hidden) => ({
    name: `hidden = ${JSON.stringify(hidden)}`,
    row: (row: Row): Row => ({ ...row, hidden }),
    recipe: (draft: DraftOf<typeof Row>) => void (draft.hidden = hidden),
  })),
  fc.integer({ min: 1, max: 3 }).map((step) => ({
    name: `number += ${step}`,
    row: (row: Row): Row => ({ ...row, number: String(Number(row.number ?? 0) + step) }),
    recipe: (draft: DraftOf<typeof Row>) => {
      draft.number = Number(draft.number ?? 0) + step;
    },
  })),
  fc.integer({ min: -2, max: 2 }).map((step) => ({
    name: `id += ${step}`,
    row: (row: Row): Row => ({ ...row, id: String(Number(row.id) + step) }),
    recipe: (draft: DraftOf<typeof Row>) => void (draft.id = Number(draft.id) + step),
  })),
  fc.constantFrom<Recipe>(
    { name: "nothing", row: (row) => row, recipe: () => undefined },
    {
      name: "another record",
      row: ({ id }) => ({ id, text: null, number: null, group: "z", hidden: null }),
      recipe: ({ id }) => ({ id, group: "z" }),
    },
    {
      name: "a number for a text",
      row: () => undefined,
      recipe: (draft) => Object.assign(draft, { group: 5 }),
    },
    {
      name: "a new key",
      row: () => undefined,
      recipe: (draft) => Object.assign(draft, { more: "" }),
    },
    {
      name: "without a group",
      row: () => undefined,
      recipe: (draft: DraftOf<typeof Row>) => void Reflect.deleteProperty(draft, "group"),
    },
    { name: "a promise", row: () => undefined, recipe: () => Promise.reject(new Error("late")) },
  ),
);

const updateCommand = fc.tuple(fc.oneof(criteria, someIds), fc.oneof(recipes, objects)).map(
  ([chosen, { name, row, recipe }]) =>
    new ChangeCommand(
      `update(${JSON.stringify(chosen)}, ${name})`,
      (model) => {
        const predicate = compileCriteria(Row, chosen);
        const rows = model.rows.map((each) => {
          const next = predicate(each.row) ? row(each.row) : each.row;
          return next && { key: each.key, row: next };
        });
        const whole = rows.filter((each) => each !== undefined);
        return whole.length < rows.length ? undefined : unlessDuplicate({ ...model, rows: whole });
      },
      (collection) => collection.withPatches((all) => all.update(chosen, recipe)),
    ),
);

/** With ids that are there and ids that are not; `mayRepeat` is refused where one comes twice. */
const upsertCommand = fc
  .tuple(
    fc.array(fc.tuple(fc.nat({ max: 60 }), inputs), { maxLength: 12 }),
    fc.boolean(),
    fc.constantFrom("id" as const),
  )
  .map(([given, mayRepeat, field]) => {
    const rows = given.map(([id, row]): RowInput => ({ ...row, id }));
    const put = mayRepeat ? rows : [...new Map(rows.map((row) => [row.id, row])).values()];
    return new ChangeCommand(
      `upsert(${JSON.stringify(put)})`,
      (model) => {
        const wanted = new Map(put.map((row) => [String(row.id), row]));
        if (wanted.size < put.length) return undefined;
        const kept = model.rows.map(({ key, row }) => {
          const next = wanted.get(row.id);
          wanted.delete(row.id);
          return { key, row: next === undefined ? row : flat(next) };
        });
        return append({ ...model, rows: kept }, [...wanted.values()]);
      },
      (collection) => collection.withPatches((all) => all.upsert(put, field)),
    );
  });

/** With some of the fields: those of records that are there keep their values, others get nulls and "x". */
const mergeCommand = fc
  .uniqueArray(fc.tuple(fc.nat({ max: 60 }), fc.record(inputParts, { requiredKeys: [] })), {
    maxLength: 12,
    selector: ([id]) => id,
  })
  .map((given) => {
    const put = given.map(([id, row]) => ({ ...row, id }));
    return new ChangeCommand(
      `merge(${JSON.stringify(put)})`,
      (model) => {
        const wanted = new Map(put.map((row) => [String(row.id), row]));
        const kept = model.rows.map(({ key, row }) => {
          const next = wanted.get(row.id);
          wanted.delete(row.id);
          return { key, row: next === undefined ? row : flat({ ...row, ...next }) };
        });
        const added: RowInput[] = [];
        for (const { group, ...row } of wanted.values()) {
          if (group === undefined) return undefined;
          added.push({ ...row, group });
        }
        return append({ ...model, rows: kept }, added);
      },
      (collection) => collection.withPatches((all) => all.upsert(put, "id", { merge: true })),
    );
  });

const removeCommand = (which: fc.Arbitrary<RowCriteria>) =>
  which.map(
    (chosen) =>
      new ChangeCommand(
        `remove(${JSON.stringify(chosen)})`,
        (model) => {
          const predicate = compileCriteria(Row, chosen);
          return { ...model, rows: model.rows.filter(({ row }) => !predicate(row)) };
        },
        (collection) => collection.withPatches((all) => all.remove(chosen)),
      ),
  );

/** Patches by hand: a record replaced, one removed, one added with a key of its own. */
const applyCommand = fc.tuple(fc.nat(), words, fc.nat({ max: 5 })).map(
  ([pick, text, gap]) =>
    new ChangeCommand(
      `apply(row ${pick}, ${JSON.stringify(text)}, ${gap})`,
      (model) => {
        const at = model.rows.length === 0 ? -1 : pick % model.rows.length;
        const key = model.nextKey + gap;
        const added = { key, row: flat({ id: 5000 + key, group: "added", text }) };
        const rows = model.rows.flatMap((each, i) => {
          if (i === at) return [{ ...each, row: { ...each.row, text } }];
          return i === at + 1 && at >= 0 ? [] : [each];
        });
        return unlessDuplicate({ rows: [...rows, added], nextKey: key + 1 });
      },
      (collection, model) => {
        const at = model.rows.length === 0 ? -1 : pick % model.rows.length;
        const key = model.nextKey + gap;
        const [changed, removed] = at < 0 ? [] : [model.rows[at], model.rows[at + 1]];
        const id = 5000 + key;
        const patches: Patch[] = [
          { op: "add", path: [id], value: { id, group: "added", text: "" }, key },
          { op: "replace", path: [id, "text"], value: text },
        ];
        if (changed) patches.push({ op: "replace", path: [changed.row.id, "text"], value: text });
        if (removed) patches.push({ op: "remove", path: [removed.row.id] });
        return collection.withPatches((all) => all.applyPatches(patches));
      },
    ),
);

class UndoCommand implements Command {
  check = () => true;
  toString = () => "undo";

  run(box: Box, subject: Subject): void {
    const step = subject.steps.pop();
    if (step === undefined) return;
    subject.taken.push({ collection: subject.collection, model: box.model });
    subject.collection = subject.collection.applyPatches(step.inversePatches);
    box.model = { rows: step.before.model.rows, nextKey: box.model.nextKey };
    compareWhole(subject.collection, box.model);
  }
}

class QueryCommand implements Command {
  readonly #query: RowQuery;

  constructor(query: RowQuery) {
    this.#query = query;
  }

  check = () => true;
  toString = () => `query(${JSON.stringify(this.#query)})`;
  run = ({ model }: Box, { collection }: Subject) => compareAnswer(collection, model, this.#query);
}

class IndexCommand implements Command {
  readonly #text: string;
  readonly #index: (collection: Collection<typeof Row>) => Collection<typeof Row>;

  constructor(text: string, index: (collection: Collection<typeof Row>) => Collection<typeof Row>) {
    this.#text = text;
    this.#index = index;
  }

  check = () => true;
  toString = () => this.#text;

  run({ model }: Box, subject: Subject): void {
    subject.collection = this.#index(subject.collection);
    compareWhole(subject.collection, model);
  }
}

const prepareCommand = fc
  .record({
    match: fc.subarray(["id", "text", "number", "group", "hidden"] as const),
    contains: fc.subarray(["text", "hidden"] as const),
  })
  .map(
    (named) =>
      new IndexCommand(`prepare(${JSON.stringify(named)})`, (collection) =>
        collection.prepare(named),
      ),
  );

const commands = fc.commands(
  [
    insertCommand,
    updateCommand,
    updateCommand,
    updateCommand,
    upsertCommand,
    mergeCommand,
    removeCommand(criteria),
    removeCommand(someIds),
    removeCommand(someIds),
    applyCommand,
    fc.constant(new UndoCommand()),
    queries.map((query) => new QueryCommand(query)),
    queries.map((query) => new QueryCommand(query)),
    prepareCommand,
    fc
      .constantFrom(...reopenings)
      .map(
        (opening) =>
          new IndexCommand(`reopened(${JSON.stringify(opening)})`, (collection) =>
            reopened(collection, opening),
          ),
      ),
    fc.constant(new IndexCommand("compact()", (collection) => collection.compact())),
  ],
  { maxCommands: 30 },
);

function start(rows: readonly RowInput[]): { model: Box; real: Subject } {
  const codec = new Codec(Row);
  const collection = collect<typeof Row, RowInput>(codec, strict, (loader) => loader.add(rows));
  return {
    model: { model: append({ rows: [], nextKey: 0 }, rows) },
    real: new Subject(collection),
  };
}

const initial = fc
  .oneof(fc.array(inputs, { maxLength: 30 }), fc.array(inputs, { minLength: 80, maxLength: 250 }))
  .map((rows) => rows.map((row, id): RowInput => ({ ...row, id })));

test("a collection and a plain array agree at every step, and on every snapshot at the end", () => {
  fc.assert(
    fc.property(
      initial,
      fc.constantFrom(0, 2, 64),
      // With the smallest ratio, what has changed stays apart from the base for long.
      fc.constantFrom(1, 2, 8),
      commands,
      fc.array(queries, { minLength: 1, maxLength: 4 }),
      (rows, fewRows, sizeRatio, steps, lastQueries) => {
        using _ = tuned({ fewValues: 3, fewRows, sizeRatio });
        const { model, real } = start(rows);
        fc.modelRun(() => ({ model, real }), steps);
        for (const { collection, model: then } of [
          ...real.taken,
          { collection: real.collection, model: model.model },
        ]) {
          compareWhole(collection, then);
          for (const query of lastQueries) compareAnswer(collection, then, query);
        }
      },
    ),
    settings(25),
  );
}, 600_000);
