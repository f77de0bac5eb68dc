// Statements that change or remove rows that are there: those that a change of a service means.

import type { WireValue } from "../schema/field.ts";
import type { Cell, Dialect, TableDefinition } from "./dialect.ts";
import { insertStatements } from "./rows.ts";
import type { Parameter, Statement } from "./statement.ts";
import type { Tables } from "./tables.ts";

export interface ChangeStatement extends Statement {
  /**
   * Whether it is run on each server of the cluster, instead of on the one that asks them: ClickHouse changes and
   * removes no rows through the tables of a cluster.
   */
  readonly onShards: boolean;
  /** The place of the shard whose rows it concerns; `undefined` where it may be those of any. */
  readonly shard: number | undefined;
}

/** Where the statements of a change go, and when they do something. */
export interface Reach {
  /** The tables whose rows are changed and removed. */
  readonly tables: Tables;
  /** The tables whose generation is raised, in quotes. */
  readonly raised: readonly string[];
  readonly onShards: boolean;
  readonly shard: number | undefined;
  /** Under which condition the shard takes the change. */
  readonly guard: string | undefined;
  /** Which of the rows that are inserted are the shard's. */
  readonly isOwn?: (into: TableDefinition) => string;
}

/** Which rows of a table are meant: those with these integers in these columns. */
export interface Target {
  readonly table: "files" | "contacts" | "lists";
  readonly where: readonly (readonly [column: string, value: number])[];
}

export function isSame(a: Target, b: Target): boolean {
  return a.table === b.table && JSON.stringify(a.where) === JSON.stringify(b.where);
}

/** What columns are set to, and List Fields by their keys. */
export interface Assignments {
  readonly columns: Map<string, WireValue>;
  readonly listFields: Map<string, WireValue>;
}

export class ChangedRows {
  readonly #dialect: Dialect;
  readonly #reach: Reach;

  constructor(dialect: Dialect, reach: Reach) {
    this.#dialect = dialect;
    this.#reach = reach;
  }

  /** Inserts rows where they are the shard's, and it takes the change: into a table that takes them wherever they go. */
  *insert(
    into: TableDefinition,
    rows: Iterable<readonly Cell[]>,
  ): Generator<ChangeStatement, void> {
    const { guard, isOwn, shard } = this.#reach;
    const conditions = [guard, isOwn?.(into)].filter((each) => each !== undefined);
    const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
    for (const { text, parameters } of insertStatements(this.#dialect, into, rows)) {
      yield { text: text + where, parameters, onShards: false, shard };
    }
  }

  remove(target: Target): ChangeStatement {
    const parameters: Parameter[] = [];
    const where = this.#where(target, parameters);
    const { name } = this.#reach.tables[target.table];
    return this.#statement(this.#dialect.remove(name, where), parameters);
  }

  update(target: Target, { columns, listFields }: Assignments): ChangeStatement {
    const dialect = this.#dialect;
    const { contacts, files } = this.#reach.tables;
    const parameters: Parameter[] = [];
    const table = target.table === "files" ? files : contacts;
    const ints = new Set([
      contacts.list,
      ...[...table.fields.values()]
        .filter(({ field }) => field.type === "int")
        .map(({ column }) => column),
    ]);
    const bind = (value: string | number) => dialect.bind(value, parameters);
    const set = [...columns].map(([column, value]) => {
      const bound = value === null ? "NULL" : ints.has(column) ? bind(Number(value)) : bind(value);
      return `${dialect.quote(column)} = ${bound}`;
    });
    if (listFields.size > 0) {
      const column = dialect.quote(contacts.listFields);
      let changed = column;
      for (const [key, value] of listFields) {
        changed = dialect.setListField(changed, key, value === null ? null : bind(value));
      }
      set.push(`${column} = ${changed}`);
    }
    const where = this.#where(target, parameters);
    return this.#statement(dialect.update(table.name, set.join(", "), where), parameters);
  }

  /** Gives Files ids that no File has, so that theirs are free: below the integers that are values, by position. */
  freeIds(positions: readonly number[]): ChangeStatement {
    const dialect = this.#dialect;
    const { name, position, fields } = this.#reach.tables.files;
    const parameters: Parameter[] = [];
    const column = dialect.quote(position);
    const id = fields.get("id")?.value ?? "";
    const assignment = `${id} = ${BELOW} - ${column}`;
    const where = this.#guarded(dialect.isIn(column, dialect.bind(positions, parameters), "int"));
    return this.#statement(dialect.update(name, assignment, where), parameters);
  }

  /** Sets the generation, where it is as told. */
  *raise(generation: string, where: string): Generator<ChangeStatement, void> {
    const dialect = this.#dialect;
    for (const table of this.#reach.raised) {
      const text = dialect.update(table, `${dialect.quote("generation")} = ${generation}`, where);
      yield this.#statement(text, []);
    }
  }

  #statement(text: string, parameters: readonly Parameter[]): ChangeStatement {
    const { onShards, shard } = this.#reach;
    return { text, parameters, onShards, shard };
  }

  #where({ where }: Target, parameters: Parameter[]): string {
    const { quote, bind } = this.#dialect;
    const conditions = where.map(
      ([column, value]) => `${quote(column)} = ${bind(value, parameters)}`,
    );
    return this.#guarded(conditions.join(" AND "));
  }

  #guarded(condition: string): string {
    const { guard } = this.#reach;
    return guard === undefined ? condition : `${condition} AND ${guard}`;
  }
}

const BELOW = Number.MIN_SAFE_INTEGER - 1;
