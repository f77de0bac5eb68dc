// Statements that change or remove rows that are there: those that a change of a service means.

import type { WireValue } from "../schema/field.ts";
import type { Dialect } from "./dialect.ts";
import type { Parameter, Statement } from "./statement.ts";
import type { Tables } from "./tables.ts";

export interface ChangeStatement extends Statement {
  /**
   * Whether it is run on each server of the cluster, instead of on the one that asks them: ClickHouse changes and
   * removes no rows through the tables of a cluster.
   */
  readonly onShards: boolean;
}

/** The tables of a cluster take rows in, wherever these go. */
export function* inserting(statements: Iterable<Statement>): Generator<ChangeStatement, void> {
  for (const statement of statements) yield { ...statement, onShards: false };
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
  readonly #tables: Tables;
  readonly #onShards: boolean;

  /** @param tables those that hold the rows: on the servers of a cluster, where these are to be told themselves */
  constructor(dialect: Dialect, tables: Tables, onShards: boolean) {
    this.#dialect = dialect;
    this.#tables = tables;
    this.#onShards = onShards;
  }

  remove(target: Target): ChangeStatement {
    const parameters: Parameter[] = [];
    const where = this.#where(target, parameters);
    const text = this.#dialect.remove(this.#tables[target.table].name, where);
    return { text, parameters, onShards: this.#onShards };
  }

  update(target: Target, { columns, listFields }: Assignments): ChangeStatement {
    const dialect = this.#dialect;
    const { contacts, files } = this.#tables;
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
    const text = dialect.update(table.name, set.join(", "), where);
    return { text, parameters, onShards: this.#onShards };
  }

  /** Gives Files ids that no File has, so that theirs are free: below the integers that are values, by position. */
  freeIds(positions: readonly number[]): ChangeStatement {
    const dialect = this.#dialect;
    const { name, position, fields } = this.#tables.files;
    const parameters: Parameter[] = [];
    const column = dialect.quote(position);
    const id = fields.get("id")?.value ?? "";
    const where = dialect.isIn(column, dialect.bind(positions, parameters), "int");
    const text = dialect.update(name, `${id} = ${BELOW} - ${column}`, where);
    return { text, parameters, onShards: this.#onShards };
  }

  #where({ where }: Target, parameters: Parameter[]): string {
    const { quote, bind } = this.#dialect;
    return where
      .map(([column, value]) => `${quote(column)} = ${bind(value, parameters)}`)
      .join(" AND ");
  }
}

const BELOW = Number.MIN_SAFE_INTEGER - 1;
