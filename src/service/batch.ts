// A Batch: the declarations of its Lists, and the Contacts of all its Lists as one collection
// (rules P7, V8).

import { collect } from "../collection/create.ts";
import { Collection } from "../collection/collection.ts";
import { hasSameRows } from "../engine/changes/compare.ts";
import { recode } from "../engine/changes/recode.ts";
import type { ColumnName } from "../engine/columns/rows.ts";
import type { CollectionSettings } from "../engine/settings.ts";
import { Segment } from "../engine/versions/segment.ts";
import { Snapshot } from "../engine/versions/snapshot.ts";
import { readMembers } from "../schema/input.ts";
import type { TextValue } from "../schema/field.ts";
import { fieldOf } from "../schema/names.ts";
import type { BatchContactInput, Contact } from "./contact.ts";
import { LIST, Lists, listsIn, toId, type GivenList, type ListInput } from "./lists.ts";

/** The input for a Batch. */
export interface BatchInput {
  readonly id: number | string | bigint;
  /** The Lists to which the Batch was sent. */
  readonly lists: Iterable<ListInput>;
}

/** The Contacts of a Batch. */
export type BatchContactCollection = Collection<typeof Contact, BatchContactInput>;

/** A Batch: one collection with the Contacts of its Lists, ordered by List (rule P7). Frozen. */
export class Batch {
  readonly id: string;
  readonly contacts: BatchContactCollection;
  /** The ids of its Lists. */
  readonly lists: readonly string[];
  readonly #declared: Lists;

  /** @internal */
  constructor(id: string, declared: Lists, contacts: BatchContactCollection) {
    this.id = id;
    this.contacts = contacts;
    this.lists = declared.ids;
    this.#declared = declared;
    Object.freeze(this);
  }

  /** @internal A Batch of these Lists, with the Contacts of a snapshot. */
  static of(id: string, lists: Lists, options: CollectionSettings, snapshot: Snapshot): Batch {
    return new Batch(id, lists, Collection.of({ codec: lists.codec, options, snapshot }));
  }

  /** @internal Whether a value is a Batch. Reads no property of the value, which may be a proxy. */
  static is(value: unknown): value is Batch {
    return typeof value === "object" && value !== null && #declared in value;
  }

  /** @internal Its Lists with their fields. */
  get declared(): Lists {
    return this.#declared;
  }

  /** @internal The Batch with other Contacts in the same Lists. */
  with(contacts: BatchContactCollection): Batch {
    return contacts === this.contacts ? this : new Batch(this.id, this.#declared, contacts);
  }

  /**
   * @internal Whether another Batch with this id has the same content. Cost: constant; linear in the Contacts if the
   *   same Lists were declared again.
   */
  isSame(other: Batch): boolean {
    if (this.declared === other.declared) return this.contacts === other.contacts;
    return (
      this.declared.isSame(other.declared) && hasSameRows(this.contacts.state, other.contacts.state)
    );
  }

  /** @internal A copy of the Batch for a service: with the service's options, and its own Lists. */
  adopted(options: CollectionSettings): Batch {
    const lists = new Lists(this.#declared.all);
    const { segments, nextKey, lastIds } = this.contacts.state.snapshot.compact();
    const [{ rows, keys }] = segments;
    const base = Segment.of(lists.codec.schema, rows, keys, options);
    return Batch.of(this.id, lists, options, new Snapshot([base], nextKey, lastIds));
  }

  /**
   * @internal The Batch with other Lists. It loses the Contacts of removed Lists, and the values of List
   * Fields that were removed or have another type.
   */
  redeclared(declared: Lists): Batch {
    const { state } = this.contacts;
    const { options } = state;
    const { codec } = declared;
    const typeOf = ({ schema }: Lists["codec"], name: string) => fieldOf(schema, name)?.type;
    const names = codec.columns.map(({ name }) => name);
    const kept = new Map<TextValue, ReadonlySet<ColumnName>>();
    for (const { id, fields } of declared.all) {
      const isKept = (name: ColumnName) =>
        typeof name === "symbol" ||
        (fields.has(name) && typeOf(codec, name) === typeOf(state.codec, name));
      kept.set(id, new Set(names.filter(isKept)));
    }
    const snapshot = recode(state, codec, options, { by: LIST, keeps: (id) => kept.get(id) });
    return Batch.of(this.id, declared, options, snapshot);
  }
}

/**
 * A declared Batch, with its Contacts still to be read.
 *
 * @throws InputError with the path of the first offending member
 */
export function declareBatch(input: unknown, path: string) {
  const given = readMembers(input, path, ["id", "lists"]);
  const id = toId(given.id, `${path}.id`);
  const sources: GivenList[] = [];
  const readAll = function* () {
    for (const list of listsIn(given.lists, `${path}.lists`)) {
      sources.push(list);
      yield list;
    }
  };
  return { id, lists: new Lists(readAll()), sources };
}

/** @throws InputError with the path of the first offending member */
export function loadBatch(input: unknown, path: string, options: CollectionSettings): Batch {
  const { id, lists, sources } = declareBatch(input, path);
  const contacts: BatchContactCollection = collect(lists.codec, options, (loader) => {
    for (const { id: list, contacts, path: at } of sources) {
      loader.add(contacts, `${at}.contacts`, lists.layout.within(list));
    }
  });
  return new Batch(id, lists, contacts);
}
