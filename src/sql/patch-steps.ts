// What the patches of a service mean for the rows of its tables. Each is checked as what is inserted is.

import { readPatches, type PlacedPatch } from "../collection/change/read-patches.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import { explainRefusal, readField, string, toWire, type WireValue } from "../schema/field.ts";
import { isCount, membersOf } from "../schema/input.ts";
import { toWireInteger } from "../schema/numbers.ts";
import type { Place } from "../schema/place.ts";
import type { Schema } from "../schema/schema.ts";
import { Contact, LIST_FIELDS_MEMBER, LIST_MEMBER } from "../service/contact.ts";
import { File } from "../service/file.ts";
import { readLists, type Lists } from "../service/lists.ts";
import { leadsNowhere, targetOf, type PatchTarget } from "../service/patch-path.ts";
import type { Assignments, ChangedRows, ChangeStatement, Target } from "./changed-rows.ts";
import type { Cell, Dialect, TableDefinition } from "./dialect.ts";
import { listCells, rowsOfBatch } from "./insert-rows.ts";
import { listFieldKey } from "./list-fields.ts";
import type { Table } from "./names.ts";
import { holdsNul } from "./rows.ts";
import type { Part } from "./shard.ts";
import { contactDefinition, definitionOf, listDefinition, type Tables } from "./tables.ts";

/** What a patch does: inserts a row, sets something in rows, or whatever other statements do. */
export type Step =
  | { readonly kind: "insert"; readonly into: TableDefinition; readonly cells: readonly Cell[] }
  | { readonly kind: "set"; readonly target: Target; readonly set: (to: Assignments) => void }
  | { readonly kind: "other"; readonly statements: Iterable<ChangeStatement> };

const LIST_FIELD = string({ nullable: true });

/** What patches of a service mean for its tables. */
export class PatchSteps {
  readonly #dialect: Dialect;
  readonly #tables: Tables;
  readonly #part: Part;
  readonly #changed: ChangedRows;

  constructor(dialect: Dialect, tables: Tables, part: Part, changed: ChangedRows) {
    this.#dialect = dialect;
    this.#tables = tables;
    this.#part = part;
    this.#changed = changed;
  }

  /** What all patches mean is checked; what they mean for the rows of other shards is left out. */
  *of(patches: Iterable<PlacedPatch>, inversePatches: unknown): Generator<Step, void> {
    for (const patch of patches) {
      const target = targetOf(patch);
      const isOwn = this.#isOwn(target);
      for (const step of this.#stepsOf(patch, target, inversePatches)) if (isOwn) yield step;
    }
  }

  #stepsOf(patch: PlacedPatch, target: PatchTarget, inversePatches: unknown): Iterable<Step> {
    switch (target.kind) {
      case "file":
        return this.#ofFile(patch, target.within);
      case "contact":
        return this.#ofContact(patch, target.batch, target.within);
      case "batch":
        return this.#ofBatch(patch, target.batch);
      case "lists": {
        const after = readLists(patch.value, `${patch.place}.value`);
        return this.#ofLists(target.batch, after, listsBefore(target.batch, inversePatches));
      }
    }
  }

  #isOwn(target: PatchTarget): boolean {
    const part = this.#part;
    if (target.kind === "file") return part.hasFile(Number(target.within[0]));
    return target.kind === "contact"
      ? part.hasContact(target.batch, Number(target.within[0]))
      : part.hasLists(target.batch);
  }

  *#ofFile(
    { place, op, value }: PlacedPatch,
    [given, name, ...rest]: readonly unknown[],
  ): Generator<Step, void> {
    const { files } = this.#tables;
    const key = readKey(given, place);
    const target: Target = { table: "files", where: [[files.position, key]] };
    if (rest.length > 0) throw leadsNowhere(place);
    if (name !== undefined) {
      yield this.#setField(target, files, placeOf(File, name, place), value, `${place}.value`);
      return;
    }
    if (op !== "add") yield this.#remove(target);
    if (op !== "remove") {
      const cells = [String(key), ...this.#cellsOf(File, value, `${place}.value`)];
      yield { kind: "insert", into: definitionOf(files, this.#dialect), cells };
    }
  }

  *#ofBatch({ op, value }: PlacedPatch, batch: string): Generator<Step, void> {
    const { contacts, lists } = this.#tables;
    const id = Number(batch);
    if (op !== "add") {
      yield this.#remove({ table: "contacts", where: [[contacts.batch, id]] });
      yield this.#remove({ table: "lists", where: [[lists.batch, id]] });
    }
    if (op !== "remove") yield { kind: "other", statements: this.#insertBatch(value) };
  }

  *#insertBatch(batch: unknown): Generator<ChangeStatement, void> {
    const tables = rowsOfBatch(this.#dialect, this.#tables, this.#part, batch);
    for (const [into, rows] of tables) yield* this.#changed.insert(into, rows);
  }

  *#ofContact(
    { place, op, value }: PlacedPatch,
    batch: string,
    [given, name, listField, ...rest]: readonly unknown[],
  ): Generator<Step, void> {
    const { contacts } = this.#tables;
    const key = readKey(given, place);
    const target: Target = {
      table: "contacts",
      where: [
        [contacts.batch, Number(batch)],
        [contacts.position, key],
      ],
    };
    const valuePlace = `${place}.value`;
    if (rest.length > 0) throw leadsNowhere(place);
    if (name === LIST_FIELDS_MEMBER && typeof listField === "string") {
      const text = this.#listField(op === "remove" ? null : value, valuePlace);
      const set = ({ listFields }: Assignments) =>
        void listFields.set(listFieldKey(listField), text);
      yield { kind: "set", target, set };
    } else if (listField !== undefined) {
      throw leadsNowhere(place);
    } else if (name === LIST_MEMBER) {
      const list = readId(value, valuePlace);
      yield { kind: "set", target, set: ({ columns }) => void columns.set(contacts.list, list) };
    } else if (name !== undefined) {
      yield this.#setField(target, contacts, placeOf(Contact, name, place), value, valuePlace);
    } else {
      if (op !== "add") yield this.#remove(target);
      if (op === "remove") return;
      const document = membersOf(value, valuePlace);
      const cells = [
        batch,
        String(key),
        readId(document[LIST_MEMBER], `${valuePlace}.${LIST_MEMBER}`),
        ...this.#cellsOf(Contact, document, valuePlace),
        this.#listFieldsOf(document[LIST_FIELDS_MEMBER], `${valuePlace}.${LIST_FIELDS_MEMBER}`),
      ];
      yield { kind: "insert", into: contactDefinition(contacts, this.#dialect), cells };
    }
  }

  /** Contacts of Lists that are no more go, and values of List Fields that are no more or of another type. */
  *#ofLists(batch: string, after: Lists, before: Lists): Generator<Step, void> {
    const { contacts, lists } = this.#tables;
    const id = Number(batch);
    yield this.#remove({ table: "lists", where: [[lists.batch, id]] });
    const into = listDefinition(lists);
    for (const cells of listCells(batch, after)) yield { kind: "insert", into, cells };
    for (const { id: list, fields } of before.all) {
      const target: Target = {
        table: "contacts",
        where: [
          [contacts.batch, id],
          [contacts.list, Number(list)],
        ],
      };
      const kept = after.find(list)?.fields;
      if (kept === undefined) {
        yield this.#remove(target);
        continue;
      }
      for (const [name, type] of fields) {
        if (kept.get(name) === type) continue;
        const set = ({ listFields }: Assignments) => void listFields.set(listFieldKey(name), null);
        yield { kind: "set", target, set };
      }
    }
  }

  #setField(
    target: Target,
    { fields }: Table,
    { name, field }: Place,
    given: unknown,
    path: string,
  ): Step {
    const value = toWire(field, given);
    if (value === undefined) throw new InputError(path, explainRefusal(field, given));
    this.#checkText(value, path);
    const column = fields.get(name)?.column ?? name;
    return { kind: "set", target, set: ({ columns }) => void columns.set(column, value) };
  }

  #cellsOf({ places }: Schema, input: unknown, path: string): WireValue[] {
    const given = membersOf(input, path);
    return places.map(({ name, field }) => {
      const [value, reason] = readField(given, name, field);
      if (reason !== undefined) throw new InputError(member(path, name), reason);
      this.#checkText(value, member(path, name));
      return value;
    });
  }

  #listFieldsOf(input: unknown, path: string): Cell {
    const values = Object.create(null) as Record<string, string>;
    for (const [name, given] of Object.entries(membersOf(input ?? {}, path))) {
      const value = this.#listField(given, member(path, name));
      if (value !== null) values[listFieldKey(name)] = value;
    }
    return values;
  }

  #listField(given: unknown, path: string): WireValue {
    const value = toWire(LIST_FIELD, given);
    if (value === undefined) throw new InputError(path, explainRefusal(LIST_FIELD, given));
    this.#checkText(value, path);
    return value;
  }

  #checkText(value: WireValue, path: string): void {
    const { hasNul, name } = this.#dialect;
    if (!hasNul && value?.includes("\0") === true) throw holdsNul(path, name);
  }

  #remove(target: Target): Step {
    return { kind: "other", statements: [this.#changed.remove(target)] };
  }
}

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

function readKey(given: unknown, place: string): number {
  if (isCount(given)) return given;
  throw leadsNowhere(place);
}

function readId(given: unknown, path: string): string {
  const id = toWireInteger(given);
  if (id !== undefined) return id;
  throw new InputError(path, `must be the id of a List, not ${describe(given)}`);
}

function placeOf({ places }: Schema, name: unknown, place: string): Place {
  const found = places.find((each) => each.name === name);
  if (found === undefined) throw leadsNowhere(place);
  return found;
}
