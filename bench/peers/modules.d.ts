// The parts of the packages in bench/node_modules that the harness uses. Declared here, so that checking
// the repository requires none of them to be installed.

declare module "lokijs" {
  export interface Resultset<Item> {
    find(query: Readonly<Record<string, unknown>>): Resultset<Item>;
    where(test: (document: Item) => boolean): Resultset<Item>;
    simplesort(field: string, options: { desc: boolean }): Resultset<Item>;
    compoundsort(fields: readonly (readonly [field: string, desc: boolean])[]): Resultset<Item>;
    offset(count: number): Resultset<Item>;
    limit(count: number): Resultset<Item>;
    data(): Item[];
    update(change: (document: Item) => void): Resultset<Item>;
    remove(): void;
  }
  export interface DynamicView<Item> {
    applyFind(query: Readonly<Record<string, unknown>>): this;
    applySortCriteria(fields: readonly (readonly [field: string, desc: boolean])[]): this;
    count(): number;
    data(): Item[];
  }
  export interface Collection<Item> {
    adaptiveBinaryIndices: boolean;
    addDynamicView(name: string): DynamicView<Item>;
    insert(documents: readonly Item[]): void;
    update(document: Item): void;
    remove(document: Item): void;
    count(): number;
    ensureAllIndexes(): void;
    by(field: string, value: string | number): Item | undefined;
    chain(): Resultset<Item>;
  }
  export default class Loki {
    constructor(name: string, options: Readonly<Record<string, unknown>>);
    addCollection<Item>(name: string, options: Readonly<Record<string, unknown>>): Collection<Item>;
    getCollection<Item>(name: string): Collection<Item> | null;
    loadDatabase(options: object, done: (error: unknown) => void): void;
    saveDatabase(done: (error: unknown) => void): void;
  }
}

declare module "@tanstack/db" {
  /** A field or a condition; undefined only to the compiler, as fields are named at run time. */
  export type Expression = { readonly type: string } | undefined;
  type Refs<Item> = Readonly<{ contact: Readonly<Record<keyof Item, Expression>> }>;
  export interface Query<Item> {
    where(condition: (refs: Refs<Item>) => Expression): Query<Item>;
    select<Selected>(of: (refs: Refs<Item>) => Record<keyof Selected, Expression>): Query<Selected>;
    groupBy(key: (refs: Refs<Item>) => Expression): Query<Item>;
    orderBy(key: (refs: Refs<Item>) => Expression, order: "asc" | "desc"): Query<Item>;
    limit(count: number): Query<Item>;
    offset(count: number): Query<Item>;
    join<Other>(
      sources: { other: Collection<Other> },
      on: (refs: JoinedRefs<Item, Other>) => Expression,
      type: "inner",
    ): Joined<Item, Other>;
  }
  type JoinedRefs<Item, Other> = Refs<Item> &
    Readonly<{ other: Readonly<Record<keyof Other, Expression>> }>;
  export interface Joined<Item, Other> {
    where(condition: (refs: JoinedRefs<Item, Other>) => Expression): Joined<Item, Other>;
    orderBy(
      key: (refs: JoinedRefs<Item, Other>) => Expression,
      order: "asc" | "desc",
    ): Joined<Item, Other>;
    limit(count: number): Joined<Item, Other>;
    select<Selected>(
      of: (refs: JoinedRefs<Item, Other>) => Record<keyof Selected, Expression>,
    ): Query<Selected>;
  }
  export interface Start {
    from<Item>(sources: { contact: Collection<Item> }): Query<Item>;
  }
  export interface Transaction {
    readonly isPersisted: { readonly promise: Promise<unknown> };
  }
  export type IndexType = new (...given: never[]) => object;
  export interface LiveQuery<Item> {
    readonly toArray: Item[];
    readonly size: number;
    preload(): Promise<void>;
    subscribeChanges(listener: () => void): unknown;
  }
  export interface Collection<Item> {
    get(key: string): Item | undefined;
    createIndex(
      key: (refs: Readonly<Record<keyof Item, Expression>>) => Expression,
      options: {
        indexType: IndexType;
        options: {
          compareOptions: { direction: "asc"; nulls: "first"; stringSort: "lexical" };
        };
      },
    ): unknown;
    readonly size: number;
    insert(items: readonly Item[]): Transaction;
    update(key: string, recipe: (draft: Item) => void): Transaction;
    update(keys: readonly string[], recipe: (drafts: readonly Item[]) => void): Transaction;
    delete(keys: readonly string[]): Transaction;
  }
  export interface CollectionOptions<Item> {
    getKey(item: Item): string;
    defaultStringCollation: { stringSort: "lexical" };
    initialData: readonly Item[];
  }
  export const BTreeIndex: IndexType;
  export function localOnlyCollectionOptions<Item>(
    options: CollectionOptions<Item>,
  ): CollectionOptions<Item>;
  export function createCollection<Item>(options: CollectionOptions<Item>): Collection<Item>;
  export function createLiveQueryCollection<Item>(
    query: (start: Start) => Query<Item>,
  ): LiveQuery<Item>;
  export function queryOnce<Item>(query: (start: Start) => Query<Item>): Promise<Item[]>;
  export function eq(a: Expression, b: string | number | Expression): Expression;
  export function gt(a: Expression, b: number): Expression;
  export function gte(a: Expression, b: string | number): Expression;
  export function lte(a: Expression, b: number): Expression;
  export function lt(a: Expression, b: string | number): Expression;
  export function inArray(item: string, array: Expression): Expression;
  export function and(...all: readonly Expression[]): Expression;
  export function or(...some: readonly Expression[]): Expression;
  export function not(a: Expression): Expression;
  export function like(a: Expression, pattern: string): Expression;
  export function ilike(a: Expression, pattern: string): Expression;
  export function count(a: Expression): Expression;
  export function sum(a: Expression): Expression;
  export function min(a: Expression): Expression;
  export function max(a: Expression): Expression;
}

declare module "crossfilter2" {
  export interface Group<Item> {
    all(): readonly { readonly key: string | number; readonly value: number }[];
    reduceCount(): this;
    reduceSum(value: (item: Item) => number): this;
  }
  export interface Dimension<Item> {
    filterExact(value: string): this;
    filterFunction(test: (value: string) => boolean): this;
    filterAll(): this;
    filterRange(range: readonly [from: number, to: number]): this;
    group(key?: (value: string | number) => number): Group<Item>;
    top(count: number, offset?: number): Item[];
    bottom(count: number, offset?: number): Item[];
  }
  export interface Crossfilter<Item> {
    dimension(value: (item: Item, row: number) => string | number): Dimension<Item>;
    groupAll(): {
      reduce(
        add: (found: number, item: Item) => number,
        remove: (found: number, item: Item) => number,
        initial: () => number,
      ): { value(): number };
    };
    add(items: readonly Item[]): this;
    /** Removes the items that all filters select, or those that a function does. */
    remove(selects?: (item: Item) => boolean): this;
  }
  export default function crossfilter<Item>(items: readonly Item[]): Crossfilter<Item>;
}

declare module "better-sqlite3" {
  type Value = string | number | null;
  export interface Statement {
    run(...values: Value[]): unknown;
    get(...values: Value[]): Record<string, unknown> | undefined;
    all(...values: Value[]): Record<string, unknown>[];
  }
  export default class Database {
    constructor(path: string);
    exec(sql: string): this;
    close(): this;
    prepare(sql: string): Statement;
  }
}

// Node 20 lacks this module, and so do its types. The parts in use are as in better-sqlite3.

declare module "arquero" {
  export interface ColumnTable {
    params(values: Readonly<Record<string, string | number>>): ColumnTable;
    filter(expression: string): ColumnTable;
    groupby(keys: Readonly<Record<string, string>>): ColumnTable;
    rollup(values: Readonly<Record<string, unknown>>): ColumnTable;
    orderby(...orders: readonly unknown[]): ColumnTable;
    slice(from: number, to: number): ColumnTable;
    objects(): Record<string, unknown>[];
  }
  export function table(
    columns: Readonly<Record<string, readonly (string | number | null)[]>>,
  ): ColumnTable;
  export function desc(field: string): unknown;
  export const op: { count(): unknown };
}

declare module "vega" {
  export function parse(spec: object): object;
  export class View {
    constructor(runtime: object, options: { renderer: "none" });
    toSVG(): Promise<string>;
  }
}

declare module "vega-lite" {
  export function compile(spec: object): { readonly spec: object };
}

declare module "sift" {
  export default function sift(
    query: Readonly<Record<string, unknown>>,
  ): (item: unknown) => boolean;
}

declare module "mingo" {
  export interface Cursor<Item> {
    sort(order: Readonly<Record<string, 1 | -1>>): Cursor<Item>;
    limit(count: number): Cursor<Item>;
    all(): Item[];
  }
  export class Query {
    constructor(condition: object);
    find<Item>(items: readonly Item[]): Cursor<Item>;
  }
  export function aggregate(
    items: readonly unknown[],
    steps: readonly object[],
  ): { readonly _id: string; readonly count: number }[];
}
