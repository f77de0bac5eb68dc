// Programs of a library that depends on the package, with declarations: schemas, collections and functions over any
// schema, exported. They are strings, since they import the package like a user's program. Two tests compile them:
// `types/declarations.test.ts` with the compiler of this project, `runtimes/run.ts` with the oldest.

/** What the compiler infers it must be able to name: `declaration: true`. */
export const inferredLibrary = `
import {
  boolean, createCollection, createDatabase, createService, defineSchema, float, int, json, readSchema, string,
  type ChangesOf, type Collection, type Collections, type Criteria, type Database, type InputOf, type JoinedSchema, type LiveAsk,
  type Query, type Recipe, type RecordOf, type Schema,
} from "tercet";
import { createStore, openStore } from "tercet/store";
import { createSqlCollection, type Run } from "tercet/sql";
import { readJson } from "tercet/import";

export const Order = defineSchema({
  id: int({ unique: true }),
  state: string({ oneOf: ["open", "closed"], default: "open" }),
  note: string({ nullable: true, searchable: false }),
  total: float({ default: 0 }),
  paid: boolean({ stored: false }),
  tags: json<readonly string[]>({ default: [] }),
});
export const Customer = defineSchema({ id: int({ unique: true }), name: string() });
export const Table = readSchema({ fields: { id: { type: "int" } } });
export const orders = createCollection(Order, [{ id: 1, paid: true }]);
export const db = createDatabase({ orders, customers: createCollection(Customer, []) });
export const service = createService({ database: db });
export const stored = () => createStore("folder", service);
export const opened = () => openStore("folder", { orders: Order });
export const remote = (run: Run) =>
  createSqlCollection({ schema: Order, dialect: "sqlite", table: "orders", position: "position", run });

export const found = orders.query({ criteria: [["state", "exactly", "open"]], sortBy: "id" });
export const counts = orders.countBy("state");
export const plan = orders.explain();
export const changed = orders.withPatches((all) => all.update(null, { state: "closed" }));
export const read = readJson("[]", { schema: Order });

export function first<S extends Schema>(rows: Collection<S>) { return rows.at(0); }
export function make<S extends Schema>(schema: S, rows: InputOf<S>[]) { return createCollection(schema, rows); }
export function select<S extends Schema>(rows: Collection<S>, query: Query<S>) { return rows.query(query); }
export function count<S extends Schema>(rows: Collection<S>, criteria: Criteria<S>) { return rows.count(criteria); }
export function change<S extends Schema>(rows: Collection<S>, to: ChangesOf<InputOf<S>>) { return rows.update(null, to); }
export function edit<S extends Schema>(rows: Collection<S>, recipe: Recipe<S>) { return rows.update(null, recipe); }
export function follow<S extends Schema>(
  of: Database<{ rows: Collection<S> }>,
  ask: LiveAsk<JoinedSchema<{ rows: Collection<S> }, "rows">>,
) {
  return of.watch("rows", ask, (answer) => answer);
}
export function all<C extends Collections, Name extends keyof C & string>(of: Database<C>, name: Name) {
  return of[name];
}
export class Repository<S extends Schema> {
  constructor(readonly rows: Collection<S>) {}
  all() { return this.rows.query(); }
  page(limit: number) { return this.rows.query({ limit }); }
  with(record: InputOf<S>) { return new Repository(this.rows.insert(record)); }
}
/** One of several collections: what all of them have. */
export function either(name: "orders" | "customers", sent: unknown) {
  const stop = db.watch(name, { criteria: [["id", "exactly", 1]] }, (rows) => rows.length);
  return [db[name].query({ criteria: [["id", "exactly", 1]], sortBy: "id" }), db[name].count(), db[name].count(sent), stop];
}
export type Row = RecordOf<typeof Order>;
`;

/** What a compiler must be able to declare that looks at one file alone: `isolatedDeclarations: true`. */
export const annotatedLibrary = `
import {
  createCollection, createDatabase, defineSchema, int, json, string,
  type Collection, type Database, type DefinedSchema, type Field, type JsonField, type ListedField, type RecordOf,
} from "tercet";

export const Order: DefinedSchema<{
  readonly id: Field<"int", ["unique"]>;
  readonly state: ListedField<"open" | "closed", ["default"]>;
  readonly note: Field<"string", ["nullable", "unsearchable"]>;
  readonly tags: JsonField<readonly string[], ["default"]>;
}> = defineSchema({
  id: int({ unique: true }),
  state: string({ oneOf: ["open", "closed"], default: "open" }),
  note: string({ nullable: true, searchable: false }),
  tags: json<readonly string[]>({ default: [] }),
});
export const orders: Collection<typeof Order> = createCollection(Order, [{ id: 1 }]);
export const db: Database<{ readonly orders: Collection<typeof Order> }> = createDatabase({ orders });
export const open: RecordOf<typeof Order>[] = orders.query({ criteria: [["state", "exactly", "open"]] });
export const tags = (): readonly string[] | undefined => orders.at(0)?.tags;
// @ts-expect-error the field is not unique
export const Wrong: DefinedSchema<{ readonly id: Field<"int", ["unique"]> }> = defineSchema({ id: int() });
`;

/** Compiler options of a library: declarations for those who use it. */
export const libraryOptions = {
  strict: true,
  declaration: true,
  emitDeclarationOnly: true,
  target: "ES2022",
  lib: ["ES2022"],
  types: [],
  skipLibCheck: false,
};
