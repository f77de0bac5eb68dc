// What the patches of a service mean for the rows of its tables. Each is checked as what is inserted is.

import { readPatches, type PlacedPatch } from "../collection/change/read-patches.ts";
import { InputError } from "../schema/errors.ts";
import type { WireValue } from "../schema/field.ts";
import { isCount, membersOf } from "../schema/input.ts";
import { fieldOf } from "../schema/schema.ts";
import { Contact, LIST_FIELDS_MEMBER, LIST_MEMBER } from "../service/contact.ts";
import { File } from "../service/file.ts";
import { readLists, type Lists } from "../service/lists.ts";
import { leadsNowhere, targetOf, type PatchTarget } from "../service/patch-path.ts";
import type { Cell, Dialect, TableDefinition } from "./dialect.ts";
import {
  contactCells,
  LIST_FIELD,
  listCells,
  readCell,
  readListId,
  recordCells,
  rowsOfBatch,
} from "./insert-rows.ts";
import { listFieldKey } from "./list-fields.ts";
import type { Part } from "./shard.ts";
import type { Tables } from "./tables.ts";

/** Which rows of a table are meant: those with these integers in these columns. */
export interface Target {
  readonly table: "files" | "contacts" | "lists";
  readonly where: readonly (readonly [column: string, value: number])[];
}

/** What a column is set to, or a List Field by its key. */
export interface Assignment {
  readonly column: string;
  readonly listField?: string;
  readonly value: WireValue;
}

/** What a patch does: inserts rows, sets something in rows, or removes them. */
export type Step =
  | { readonly into: TableDefinition; readonly rows: Iterable<readonly Cell[]> }
  | (Target & { readonly set?: Assignment });

/** What is changed: the tables, and which of their rows a database holds. */
export interface Changed {
  readonly dialect: Dialect;
  readonly tables: Tables;
  readonly part: Part;
}

/** What all patches mean is checked; what they mean for the rows of other shards is left out. */
export function* stepsOf(
  changed: Changed,
  patches: Iterable<PlacedPatch>,
  inversePatches: unknown,
): Generator<Step, void> {
  for (const patch of patches) {
    const target = targetOf(patch);
    const batch = target.kind === "file" ? undefined : target.batch;
    const position = "within" in target ? Number(target.within[0]) : undefined;
    const isOwn = changed.part.holds(batch, position);
    for (const step of stepsOfOne(changed, patch, target, inversePatches)) if (isOwn) yield step;
  }
}

function stepsOfOne(
  changed: Changed,
  patch: PlacedPatch,
  target: PatchTarget,
  inversePatches: unknown,
): Iterable<Step> {
  switch (target.kind) {
    case "batch":
      return ofBatch(changed, patch, target.batch);
    case "lists": {
      const after = readLists(patch.value, `${patch.place}.value`);
      return ofLists(changed, target.batch, after, listsBefore(target.batch, inversePatches));
    }
    default:
      return ofRecord(changed, patch, target);
  }
}

function* ofRecord(
  { dialect, tables: { files, contacts } }: Changed,
  { place, op, value }: PlacedPatch,
  target: PatchTarget & { readonly kind: "file" | "contact" },
): Generator<Step, void> {
  const [key, name, listField, ...rest] = target.within;
  const path = `${place}.value`;
  if (!isCount(key) || rest.length > 0) throw leadsNowhere(place);
  const batch = target.kind === "contact" ? target.batch : undefined;
  const [schema, table] = batch === undefined ? [File, files] : [Contact, contacts];
  const row: Target =
    batch === undefined
      ? { table: "files", where: [[files.position, key]] }
      : { table: "contacts", where: [...inBatch(contacts, batch), [contacts.position, key]] };
  const isInLists = batch !== undefined && name === LIST_FIELDS_MEMBER;
  if (isInLists && typeof listField === "string") {
    const text = readCell(LIST_FIELD, op === "remove" ? null : value, dialect, path);
    const key = listFieldKey(listField);
    yield { ...row, set: { column: contacts.listFields, listField: key, value: text } };
  } else if (listField !== undefined) {
    throw leadsNowhere(place);
  } else if (batch !== undefined && name === LIST_MEMBER) {
    yield { ...row, set: { column: contacts.list, value: readListId(value, path) } };
  } else if (name !== undefined) {
    const field = typeof name === "string" ? fieldOf(schema, name) : undefined;
    if (typeof name !== "string" || field === undefined) throw leadsNowhere(place);
    const column = table.fields.get(name)?.column ?? name;
    yield { ...row, set: { column, value: readCell(field, value, dialect, path) } };
  } else {
    if (op !== "add") yield row;
    if (op === "remove") return;
    const record = { document: membersOf(value, path), position: key, path };
    const cells =
      batch === undefined
        ? recordCells(File, files, record, dialect)
        : contactCells(batch, contacts, record, dialect);
    yield { into: table, rows: [cells] };
  }
}

function* ofBatch(
  { dialect, tables, part }: Changed,
  { op, value }: PlacedPatch,
  batch: string,
): Generator<Step, void> {
  const { contacts, lists } = tables;
  if (op !== "add") {
    yield { table: "contacts", where: inBatch(contacts, batch) };
    yield { table: "lists", where: inBatch(lists, batch) };
  }
  if (op === "remove") return;
  for (const [into, rows] of rowsOfBatch(dialect, tables, part, value)) {
    yield { into, rows };
  }
}

/** Contacts of Lists that are no more go, and values of List Fields that are no more or of another type. */
function* ofLists(
  { tables: { contacts, lists } }: Changed,
  batch: string,
  after: Lists,
  before: Lists,
): Generator<Step, void> {
  yield { table: "lists", where: inBatch(lists, batch) };
  yield { into: lists, rows: listCells(batch, after) };
  for (const { id: list, fields } of before.all) {
    const where = [...inBatch(contacts, batch), [contacts.list, Number(list)] as const];
    const kept = after.find(list)?.fields;
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

/** The Lists that a Batch had, by the patches that lead back to them. */
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
