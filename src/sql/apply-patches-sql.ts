// Converts a change of an in-memory service to statements that make the same change in the tables of an engine. Patches
// are checked like inserted records.

import { readPatches, type PlacedPatch } from "../engine/changes/read-patches.ts";
import type { DatabaseChange } from "../database/changes.ts";
import { InputError } from "../schema/errors.ts";
import type { TextValue } from "../schema/field.ts";
import { isCount, membersOf, reading } from "../schema/input.ts";
import {
  anything,
  optional,
  positiveCount,
  readOptions,
  type OptionReaders,
} from "../schema/options.ts";
import { toIntegerText } from "../schema/numbers.ts";
import { LIST_FIELDS_MEMBER, LIST_MEMBER } from "../service/contact.ts";
import { readLists, type Lists } from "../service/lists.ts";
import { leadsNowhere, targetOf, type PatchTarget } from "../service/patch-path.ts";
import type {
  Cell,
  ColumnDefinition,
  Dialect,
  DialectName,
  Parameter,
  Statement,
} from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import {
  contactCells,
  insertStatements,
  LIST_FIELD,
  listCells,
  PIECE_ROWS,
  readCell,
  readListId,
  recordCells,
  rowsOfBatch,
} from "./insert-rows.ts";
import { listFieldKey } from "./list-fields.ts";
import {
  GENERATION_COLUMN,
  int,
  readTables,
  type ServiceTables,
  type Table,
  type Tables,
} from "./names.ts";
import { nameOf } from "./result-columns.ts";
import { readCluster, type Cluster } from "./cluster.ts";

/** The options of `applyPatchesSql`. */
export interface ApplyPatchesOptions {
  readonly dialect: DialectName;
  readonly tables?: ServiceTables | undefined;
  /** The option of `createTables`, if the tables are on other servers. */
  readonly cluster?: Cluster | undefined;
  /**
   * The number of the change, starting at 1. The statements have no effect unless the tables have the previous
   * generation, so they may be repeated, except in ClickHouse. Default: the tables' generation plus one.
   */
  readonly generation?: number | undefined;
}

/**
 * The statements that repeat a change of a service in the tables of an engine, in order, and raise the generation. Run
 * them in one transaction if the engine has transactions. Files are identified by id, Contacts by position: the keys of
 * the patches, as assigned by {@link insertRows}. Earlier values are not checked, so pass a generation. Cost: linear in
 * the patches.
 *
 * @param change as a subscriber receives it; its inverse patches say which List Fields existed
 * @throws InputError with the path of an invalid option; or, when the statement is requested, with the number of a
 *   patch that has no target or an invalid value
 */
export function applyPatchesSql(
  change: DatabaseChange,
  options: ApplyPatchesOptions,
): Iterable<Statement> {
  const given = readOptions(options, "options", applyOptions);
  const { dialect, generation } = given;
  const { patches, inversePatches } = reading("change", () => ({ ...membersOf(change, "change") }));
  const tables = readTables(dialect, given.tables);
  const state = tables.state.name;
  const column = dialect.quoteColumn(GENERATION_COLUMN);
  const before = generation === undefined ? undefined : generation - 1;
  const isBefore = `${column} = ${before}`;
  const isGuarded = before !== undefined && dialect.hasTransactions;
  const changed: Changed = {
    dialect,
    tables,
    edited: given.cluster === undefined ? tables : editedIn(dialect, tables, given.cluster),
    guard: isGuarded ? `(SELECT ${column} FROM ${state}) = ${before}` : undefined,
  };
  const read = [...readPatches(patches)];
  const raise = (to: string, where: string): Statement => {
    return { text: dialect.update(state, `${column} = ${to}`, where), parameters: [] };
  };
  return (function* () {
    if (before === undefined) {
      if (read.length > 0) yield raise(`${column} + 1`, "1 = 1");
    } else if (isGuarded) {
      // A change locks this row first. Of two concurrent changes, one waits, and then has nothing left to do.
      yield raise(String(before), isBefore);
    }
    for (const group of batched(stepsOf(changed, read, inversePatches))) {
      yield* group[0].rows === undefined ? edited(changed, group) : inserted(changed, group);
    }
    if (generation !== undefined) yield raise(String(generation), isBefore);
  })();
}

const applyOptions = {
  dialect: dialectOf,
  tables: anything,
  cluster: anything,
  generation: optional(positiveCount),
} satisfies OptionReaders<Record<keyof ApplyPatchesOptions, unknown>>;

interface Changed {
  readonly dialect: Dialect;
  /** The tables that rows are inserted into. */
  readonly tables: Tables;
  /** The tables whose rows are changed and removed. */
  readonly edited: Tables;
  /** The condition under which the statements have an effect. */
  readonly guard: string | undefined;
}

/** The tables on the servers, if rows are changed there rather than through the tables of a cluster. */
function editedIn(dialect: Dialect, tables: Tables, input: unknown): Tables {
  const { servers, tables: remote } = readCluster(dialect, input, tables);
  const { onServers } = dialect;
  const [cluster] = servers;
  if (onServers === undefined || cluster === undefined) return tables;
  const everywhere = <Named extends Table>(table: Named) => ({
    ...table,
    name: onServers(table.name, cluster),
  });
  return {
    files: everywhere(remote.files),
    contacts: everywhere(remote.contacts),
    lists: everywhere(remote.lists),
    state: tables.state,
  };
}

/** The effect of a patch: inserted rows, assignments to the selected rows, or their removal if there are neither. */
interface Step {
  readonly table: "files" | "contacts" | "lists";
  readonly rows?: Iterable<readonly Cell[]>;
  /** The rows with these integers in these columns. */
  readonly where?: Where;
  /**
   * The id of the only selected File, or the position of the Contact: the same statement may change further records.
   */
  readonly record?: number;
  readonly set?: Assignment | undefined;
}

type Where = readonly (readonly [column: string, value: number | readonly number[]])[];

/** The value for a column, or for a List Field by its key. */
interface Assignment {
  readonly column: string;
  readonly listField?: string;
  readonly value: TextValue;
}

type Group = [Step, ...Step[]];

/** Groups consecutive insertions, consecutive changes of records, and consecutive removals. */
function* batched(steps: Iterable<Step>): Generator<Group, void> {
  let group: Group | undefined;
  for (const step of steps) {
    if (group !== undefined && isLike(group[0], step)) group.push(step);
    else {
      if (group !== undefined) yield group;
      group = [step];
    }
  }
  if (group !== undefined) yield group;
}

function isLike(step: Step, other: Step): boolean {
  if (step.table !== other.table) return false;
  if (step.rows !== undefined || other.rows !== undefined) return !step.rows === !other.rows;
  if (step.record === undefined || other.record === undefined) return false;
  // The same Batch, or none.
  return !step.set === !other.set && step.where?.[0]?.[1] === other.where?.[0]?.[1];
}

function* inserted({ dialect, tables, guard }: Changed, steps: Group): Generator<Statement, void> {
  const into = tables[steps[0].table];
  const all = function* () {
    for (const { rows = [] } of steps) yield* rows;
  };
  for (const { text, parameters } of insertStatements(dialect, into, all())) {
    yield { text: guard === undefined ? text : `${text} WHERE ${guard}`, parameters };
  }
}

const whereOf = (conditions: readonly (string | undefined)[]) =>
  conditions.filter((each) => each !== undefined).join(" AND ");

/**
 * Sorts columns before List Fields, which share a column, so that placeholders appear in the order of their parameters.
 */
const keyOf = ({ column, listField }: Assignment) =>
  JSON.stringify([Number(listField !== undefined), column, listField]);

/**
 * One statement for all records with the same changed columns, if the engine supports it, and one for all removed
 * records.
 */
function* edited(changed: Changed, steps: Group): Generator<Statement, void> {
  const [{ table, where = [], record, set }] = steps;
  if (record === undefined) {
    yield changedRows(changed, table, where, set === undefined ? [] : [set]);
    return;
  }
  const isOneByOne = changed.dialect.rows === undefined && set !== undefined;
  const records = new Map<number, Map<string, Assignment>>();
  for (const { record = 0, set } of steps) {
    const sets = records.get(record) ?? new Map<string, Assignment>();
    records.set(record, sets);
    if (set !== undefined) sets.set(keyOf(set), set);
  }
  const alike = new Map<string, [position: number, sets: Assignment[]][]>();
  for (const [at, sets] of records) {
    const keys = [...sets.keys()].sort();
    const shape = isOneByOne ? String(at) : keys.join();
    const others = alike.get(shape) ?? [];
    alike.set(shape, others);
    others.push([at, keys.flatMap((key) => sets.get(key) ?? [])]);
  }
  const own = columnNaming(changed.edited, table);
  for (const all of alike.values()) {
    for (let from = 0; from < all.length; from += PIECE_ROWS) {
      const some = all.slice(from, from + PIECE_ROWS);
      const [[at, sets] = [0, []], ...others] = some;
      const meant = [own, others.length === 0 ? at : some.map(([at]) => at)] as const;
      const rows = some.map(([at, sets]) => [String(at), ...sets.map(({ value }) => value)]);
      yield changedRows(changed, table, [...where, meant], sets, rows);
    }
  }
}

/**
 * Sets columns of rows, or removes the rows if there are none.
 *
 * @param rows for several records, the position and the new values of each
 */
function changedRows(
  { dialect, edited: tables, guard }: Changed,
  table: Step["table"],
  where: Where,
  sets: readonly Assignment[],
  rows: readonly (readonly TextValue[])[] = [],
): Statement {
  const { name, columns } = tables[table];
  const own = columnNaming(tables, table);
  const { quoteColumn } = dialect;
  const isInt = ({ column }: Assignment) =>
    columns.some(({ name, kind }) => name === column && kind === "int");
  const columnOf = (set: Assignment): ColumnDefinition => ({
    ...{ name: set.column, kind: isInt(set) ? "int" : "string", nullable: true },
  });
  const first = firstFree(columns, 1 + sets.length);
  const source =
    rows.length > 1 && sets.length > 0
      ? dialect.rows?.([int(own), ...sets.map(columnOf)], rows, first)
      : undefined;
  const parameters: Parameter[] = [...(source?.parameters ?? [])];
  const bind = (value: Parameter) => dialect.bind(value, parameters);
  const values = new Map<string, string>();
  for (const [i, set] of sets.entries()) {
    const { column, listField, value } = set;
    const bound =
      source !== undefined
        ? nameOf(first + 1 + i)
        : value === null
          ? null
          : bind(isInt(set) ? Number(value) : value);
    const isWhole = listField === undefined;
    const before = values.get(column) ?? quoteColumn(column);
    values.set(
      column,
      isWhole ? (bound ?? "NULL") : dialect.setListField(before, listField, bound),
    );
  }
  const assigned = [...values]
    .map(([column, value]) => `${quoteColumn(column)} = ${value}`)
    .join(", ");
  const meant = where.map(([column, value]) =>
    typeof value === "number"
      ? `${quoteColumn(column)} = ${bind(value)}`
      : dialect.isIn(quoteColumn(column), bind(value), "int"),
  );
  const isOf = source && `${quoteColumn(own)} = ${nameOf(first)}`;
  const condition = whereOf([...meant, isOf, guard]);
  const text =
    sets.length === 0
      ? dialect.remove(name, condition)
      : dialect.update(name, assigned, condition, source?.text);
  return { text, parameters };
}

/** The number of the first of some successive result columns that have no name of a column, in any case. */
function firstFree(columns: readonly ColumnDefinition[], count: number): number {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  let first = 0;
  for (let place = 0; place < first + count; place++) {
    if (taken.has(nameOf(place))) first = place + 1;
  }
  return first;
}

/** The column that identifies records in patches: the ids of Files, the positions of Contacts. */
function columnNaming(tables: Tables, table: Step["table"]): string {
  return (
    (table === "files" ? tables.files.fields.get("id")?.column : undefined) ??
    tables[table].position
  );
}

function* stepsOf(
  changed: Changed,
  patches: Iterable<PlacedPatch>,
  inversePatches: unknown,
): Generator<Step, void> {
  for (const patch of patches) {
    const target = targetOf(patch);
    yield* "within" in target
      ? ofRecord(changed, patch, target)
      : target.kind === "batch"
        ? ofBatch(changed, patch, target.batch)
        : ofLists(changed, patch, target.batch, inversePatches);
  }
}

function* ofRecord(
  { dialect, tables: { files, contacts } }: Changed,
  { place, op, value, key: position }: PlacedPatch,
  target: Exclude<PatchTarget, { readonly kind: "batch" | "lists" }>,
): Generator<Step, void> {
  const [given, name, listField, ...rest] = target.within;
  const path = `${place}.value`;
  const id = target.kind === "file" ? toIntegerText(given) : undefined;
  const key = id === undefined ? given : Number(id);
  const isName = target.kind === "file" ? id !== undefined : isCount(key);
  if (typeof key !== "number" || !isName || rest.length > 0) throw leadsNowhere(place);
  const batch = target.kind === "contact" ? target.batch : undefined;
  const within: Step =
    batch === undefined
      ? { table: "files" }
      : { table: "contacts", where: inBatch(contacts, batch) };
  const edit = (set?: Assignment): Step => ({ ...within, record: key, set });
  const columns =
    typeof name === "string"
      ? (batch === undefined ? files : contacts).fields.get(name)
      : undefined;
  const isInLists = batch !== undefined && name === LIST_FIELDS_MEMBER;
  if (isInLists && typeof listField === "string") {
    const text = readCell(LIST_FIELD, op === "remove" ? null : value, dialect, path);
    const key = listFieldKey(listField);
    yield edit({ column: contacts.listFields, listField: key, value: text });
  } else if (listField !== undefined) {
    throw leadsNowhere(place);
  } else if (batch !== undefined && name === LIST_MEMBER) {
    yield edit({ column: contacts.list, value: readListId(value, path) });
  } else if (columns !== undefined) {
    const { column, field } = columns;
    const set = { column, value: readCell(field, value, dialect, path) };
    // Ids are given in the order of the patches.
    if (batch === undefined && name === "id") {
      yield { table: "files", where: [[column, key]], set };
    } else yield edit(set);
  } else if (name !== undefined) {
    throw leadsNowhere(place);
  } else {
    const isReplacedInPlace = batch === undefined && op === "replace";
    if (op !== "add" && !isReplacedInPlace) yield edit();
    if (op === "remove") return;
    if (batch === undefined && op === "add" && position === undefined) {
      throw new InputError(
        `${place}.key`,
        "is missing: it is the position of the File in the table",
      );
    }
    const at = batch === undefined ? (position ?? 0) : key;
    const record = { document: membersOf(value, path), position: at, path };
    const cells =
      batch === undefined
        ? recordCells(files, record, dialect)
        : contactCells(batch, contacts, record, dialect);
    if (isReplacedInPlace) {
      const [, ...values] = recordCells(files, record, dialect);
      for (const [i, { column }] of [...files.fields.values()].entries()) {
        yield edit({ column, value: values[i] ?? null });
      }
      return;
    }
    yield { table: within.table, rows: [cells] };
  }
}

function* ofBatch(
  { dialect, tables }: Changed,
  { op, value }: PlacedPatch,
  batch: string,
): Generator<Step, void> {
  if (op !== "add") {
    yield { table: "contacts", where: inBatch(tables.contacts, batch) };
    yield { table: "lists", where: inBatch(tables.lists, batch) };
  }
  if (op === "remove") return;
  for (const [table, rows] of rowsOfBatch(dialect, tables, value)) yield { table, rows };
}

/** Removes the Contacts of removed Lists, and the values of List Fields that were removed or changed their type. */
function* ofLists(
  { tables: { contacts, lists } }: Changed,
  { place, value }: PlacedPatch,
  batch: string,
  inversePatches: unknown,
): Generator<Step, void> {
  const after = readLists(value, `${place}.value`);
  yield { table: "lists", where: inBatch(lists, batch) };
  yield { table: "lists", rows: listCells(batch, after) };
  const fieldsAfter = new Map(after.all.map(({ id, fields }) => [id, fields]));
  for (const { id: list, fields } of listsBefore(batch, inversePatches).all) {
    const where = [...inBatch(contacts, batch), [contacts.list, Number(list)] as const];
    const kept = fieldsAfter.get(list);
    if (kept === undefined) yield { table: "contacts", where };
    for (const [name, type] of kept === undefined ? [] : fields) {
      if (kept?.get(name) === type) continue;
      const set = { column: contacts.listFields, listField: listFieldKey(name), value: null };
      yield { table: "contacts", where, set };
    }
  }
}

const inBatch = ({ batch }: { readonly batch: string }, id: string) =>
  [[batch, Number(id)]] as const;

/** The previous Lists of a Batch, from the inverse patches. */
function listsBefore(id: string, inversePatches: unknown): Lists {
  for (const patch of readPatches(inversePatches)) {
    const place = `inverse ${patch.place}`;
    const target = targetOf({ ...patch, place });
    if (target.kind === "lists" && target.batch === id) {
      return readLists(patch.value, `${place}.value`);
    }
  }
  throw new InputError("change.inversePatches", `do not say which Lists Batch ${id} had`);
}
