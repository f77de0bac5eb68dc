// Changes of the records, with undo and redo.

import { selectedNames } from "../../engine/relations/selected-names.ts";
import { TercetError, type Collection, type DatabaseChange, type Patch } from "../../index.ts";
import { isOn } from "../criteria-list.ts";
import { isSortable, type Change, type Changed, type ChangedEntry } from "../messages.ts";
import type { Edit, Place, Row } from "../messages.ts";

/** Records that can be changed. */
export interface Editable {
  /** As they are now. */
  readonly collection: Collection;
  /** What their patches begin with. */
  readonly path: Patch["path"];
  readonly applyPatches: (patches: readonly Patch[]) => DatabaseChange;
  /** Puts another version of the collection in its place. */
  readonly update: (recipe: (collection: Collection) => Collection) => DatabaseChange;
}

/** The latest change can always be undone, and earlier ones up to these limits. */
const MOST_CHANGES = 100;
const MOST_RECORDS = 1_000_000;

/** A change of more records is undone by its earlier version: patches of a million take a gigabyte. */
const MOST_PATCHED = 100_000;

/** How many patches of a change are shown. */
const MOST_SHOWN = 5;

/** This many fields find a record. */
const MOST_FIELDS = 100;

/** How many records are read at a time. */
const PAGE = 20_000;

interface Step {
  readonly entry: ChangedEntry;
  readonly undo: () => void;
  readonly redo: () => void;
}

export class Changes {
  readonly #data: Editable;
  readonly #asked: () => Collection;
  #done: Step[] = [];
  #undone: Step[] = [];

  /** @param asked the collection of which places are asked: the same records, which may have fields of others */
  constructor(data: Editable, asked: () => Collection = () => data.collection) {
    this.#data = data;
    this.#asked = asked;
  }

  /**
   * Makes a change completely, or not at all.
   *
   * @throws TercetError if a value is not valid, or there is no such record
   */
  run(change: Change): Pick<Changed, "how" | "done" | "undone"> {
    const how = this.#run(change);
    const newestFirst = (steps: readonly Step[]) => steps.map(({ entry }) => entry).toReversed();
    return { how, done: newestFirst(this.#done), undone: newestFirst(this.#undone) };
  }

  #run(change: Change): Changed["how"] {
    if (change.kind === "undo") {
      const step = this.#done.at(-1);
      if (step === undefined) return "nothing";
      step.undo();
      this.#undone.push(step);
      this.#done.pop();
      return "undone";
    }
    if (change.kind === "redo") {
      const step = this.#undone.at(-1);
      if (step === undefined) return "nothing";
      step.redo();
      this.#done.push(step);
      this.#undone.pop();
      return "redone";
    }
    const step = this.#step(change);
    if (step === undefined) return "nothing";
    this.#done.push(step);
    this.#undone = [];
    this.#forget();
    return "done";
  }

  /** Makes a change; `undefined` if it changes no value. */
  #step(change: Edit): Step | undefined {
    const data = this.#data;
    const before = data.collection;
    const selected = "place" in change ? 1 : this.#asked().count(change.criteria);
    const { patches, inversePatches } = this.#make(change, selected > MOST_PATCHED);
    const after = data.collection;
    if (after === before) return undefined;
    const what = change.kind === "set" ? { field: change.field, value: change.value } : {};
    if (selected > MOST_PATCHED) {
      return {
        entry: { ...what, records: selected, patches: [], more: undefined },
        undo: () => void data.update(() => before),
        redo: () => void data.update(() => after),
      };
    }
    const named = new Set(patches.map(({ path }) => path[data.path.length])).size;
    // One that gets another identity has two names.
    const records = Math.min(selected, named);
    const shown = patches.slice(0, MOST_SHOWN);
    return {
      entry: { ...what, records, patches: shown, more: patches.length - shown.length },
      undo: () => void data.applyPatches(inversePatches),
      redo: () => void data.applyPatches(patches),
    };
  }

  /** @param isLarge whether nobody wants its patches */
  #make(change: Edit, isLarge: boolean) {
    const { path, collection, applyPatches, update } = this.#data;
    const made =
      "place" in change
        ? applyPatches([
            patchOf([...path, nameOf(collection, this.#asked(), change.place)], change),
          ])
        : update((draft) => this.#selected(draft, change));
    return isLarge ? { patches: [], inversePatches: [] } : made;
  }

  /** Changes all that match. Criteria on what records do not hold select them as they are asked for. */
  #selected(draft: Collection, change: Exclude<Edit, { readonly place: Place }>): Collection {
    const { criteria } = change;
    const own = draft.schema.places.map(({ name }) => ({ name, operators: [] }));
    if (!isOn(criteria, own)) {
      return draft.applyPatches(patchesOf(selectedNames(this.#asked().state, criteria), change));
    }
    return change.kind === "set"
      ? draft.update(criteria, { [change.field]: change.value })
      : draft.remove(criteria);
  }

  #forget(): void {
    let records = 0;
    const { length } = this.#done;
    for (let i = length - 1; i >= 0; i--) {
      records += this.#done[i]?.entry.records ?? 0;
      if (i === length - 1 || (length - i <= MOST_CHANGES && records <= MOST_RECORDS)) continue;
      this.#done = this.#done.slice(i + 1);
      return;
    }
  }
}

function patchOf(path: Patch["path"], change: Edit): Patch {
  return change.kind === "remove"
    ? { op: "remove", path }
    : { op: "replace", path: [...path, change.field], value: change.value };
}

function* patchesOf(paths: Iterable<Patch["path"]>, change: Edit): Generator<Patch> {
  for (const path of paths) yield patchOf(path, change);
}

type Members = Readonly<Record<string, unknown>>;

/** What names the record that an answer has at a position in the paths of patches. */
function nameOf(
  collection: Collection,
  answering: Collection,
  { asked, position, row }: Place,
): string | number {
  const { fields, places } = collection.schema;
  const stored = places.flatMap(({ name, field }) => (field.stored ? [name] : []));
  const isSame = (a: Members, b: Members) => stored.every((name) => isEqual(a[name], b[name]));
  const page = (offset: number, limit: number) => answering.query({ ...asked, offset, limit });
  const [record] = page(position, 1);
  if (record === undefined || !isShown(record, row)) {
    throw new TercetError("this record has changed since it was shown");
  }
  // Removing makes another collection, whose patches name the records, and changes nothing in this one.
  const own = stored
    .filter((name) => fields[name]?.searchable && isSortable(fields[name]))
    .slice(0, MOST_FIELDS)
    .map((name) => [name, "exactly", record[name] ?? null]);
  const { inversePatches } = collection.withPatches((all) => all.remove(own));
  const same = inversePatches.filter(({ value }) => isSame(value as Members, record));
  // Equal records are in the order of their keys in every answer.
  let rank = 0;
  for (let offset = 0; same.length > 1 && offset < position; offset += PAGE) {
    const before = page(offset, Math.min(PAGE, position - offset));
    rank += before.filter((each) => isSame(each, record)).length;
  }
  const [name] = same[rank]?.path ?? [];
  if (name === undefined) throw new TercetError("this record can't be distinguished from others");
  return name;
}

/** Whether a record has the values of a row, in whatever order. */
function isShown(record: Members, row: Row): boolean {
  const texts = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).sort();
  return isEqual(texts(row), texts(Object.values(record)));
}

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));
