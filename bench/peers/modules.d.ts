// Of the packages in bench/node_modules, what the harness uses of them. Written here, so that the
// check of the repository needs none of them installed.

declare module "mitata" {
  export interface Options {
    readonly gc?: false;
    readonly min_cpu_time?: number;
    readonly min_samples?: number;
    readonly batch_samples?: number;
  }
  export function measure(run: () => unknown, options: Options): Promise<{ samples: number[] }>;
}

declare module "lokijs" {
  type Document = Readonly<Record<string, string | number | null>>;
  export interface Resultset {
    find(query: Readonly<Record<string, unknown>>): Resultset;
    simplesort(field: string, options: { desc: boolean }): Resultset;
    offset(count: number): Resultset;
    limit(count: number): Resultset;
    data(): Document[];
  }
  export interface Collection {
    insert(documents: readonly Document[]): void;
    ensureAllIndexes(): void;
    by(field: string, value: string): Document | undefined;
    chain(): Resultset;
  }
  export default class Loki {
    constructor(name: string, options: Readonly<Record<string, unknown>>);
    addCollection(name: string, options: Readonly<Record<string, unknown>>): Collection;
  }
}

declare module "crossfilter2" {
  export interface Dimension<Item> {
    filterExact(value: string): this;
    filterFunction(test: (value: string) => boolean): this;
    filterAll(): this;
    top(count: number, offset?: number): Item[];
    bottom(count: number, offset?: number): Item[];
  }
  export interface Crossfilter<Item> {
    dimension(value: (item: Item, row: number) => string | number): Dimension<Item>;
  }
  export default function crossfilter<Item>(items: readonly Item[]): Crossfilter<Item>;
}

declare module "better-sqlite3" {
  export interface Statement {
    run(...values: unknown[]): unknown;
    all(...values: unknown[]): Record<string, unknown>[];
  }
  export default class Database {
    constructor(path: string);
    exec(sql: string): this;
    prepare(sql: string): Statement;
  }
}

declare module "@duckdb/node-api" {
  export interface DuckDBType {
    readonly typeId: number;
  }
  export const BIGINT: DuckDBType;
  export const VARCHAR: DuckDBType;
  export class DuckDBDataChunk {
    static create(types: readonly DuckDBType[], rows?: number): DuckDBDataChunk;
    setColumns(columns: readonly (readonly (string | bigint | null)[])[]): void;
  }
  export interface DuckDBAppender {
    appendDataChunk(chunk: DuckDBDataChunk): void;
    closeSync(): void;
  }
  export interface DuckDBPreparedStatement {
    bindVarchar(position: number, value: string): void;
    runAndReadAll(): Promise<{ getRowObjectsJS(): Record<string, unknown>[] }>;
  }
  export interface DuckDBConnection {
    run(sql: string): Promise<unknown>;
    createAppender(table: string): Promise<DuckDBAppender>;
    prepare(sql: string): Promise<DuckDBPreparedStatement>;
  }
  export const DuckDBInstance: {
    create(path: string): Promise<{ connect(): Promise<DuckDBConnection> }>;
  };
}

declare module "arquero" {
  export interface ColumnTable {
    params(values: Readonly<Record<string, string>>): ColumnTable;
    filter(expression: string): ColumnTable;
    orderby(order: unknown): ColumnTable;
    slice(from: number, to: number): ColumnTable;
    objects(): Record<string, unknown>[];
  }
  export function table(
    columns: Readonly<Record<string, readonly (string | number | null)[]>>,
  ): ColumnTable;
  export function desc(field: string): unknown;
}
