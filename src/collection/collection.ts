// A collection: records in memory, and the methods that change them.

import type { CheckedCriteria } from "../criteria/criteria.ts";
import { describe, InputError } from "../schema/errors.ts";
import { isFunction } from "../schema/input.ts";
import { callable } from "../schema/options.ts";
import type { InputOf } from "../schema/record-types.ts";
import type { Schema } from "../schema/schema.ts";
import type { UniqueName } from "../schema/names.ts";
import { applyPatches, compact, remove, update, updateFields } from "../engine/changes/change.ts";
import { patchesOf, withPatches, type Patch, type Patches } from "../engine/changes/patch.ts";
import { readPatches } from "../engine/changes/read-patches.ts";
import {
  ChangeLog,
  Transition,
  type Change,
  type ChangeListener,
} from "../engine/changes/transition.ts";
import { type ParsedQuery, parseSelection } from "../engine/query.ts";
import {
  buildDue,
  prepare,
  type BuildReport,
  type Preparation,
} from "../engine/versions/build-indexes.ts";
import { inserting, upserting } from "./given-records.ts";
import type { ChangesOf, CollectionState, Recipe, Records, UpsertInput } from "./types.ts";
import { ReadableCollection } from "./readable-collection.ts";

/** A collection, whatever its records. */
export type AnyCollection = Pick<Collection, "schema" | "state"> & {
  isRelated(other: unknown): boolean;
};

/** A changed collection, and the patches between it and the one before. */
export interface Changed<S extends Schema, Input = InputOf<S>> extends Patches {
  readonly collection: Collection<S, Input>;
}

/**
 * Records of one schema, in insertion order. Immutable: neither queries nor later changes to the input affect it. A
 * change makes a new collection that shares everything unchanged with this one. Indexes are built as needed and never
 * change a result.
 */
export class Collection<
  S extends Schema = Schema,
  Input = InputOf<S>,
> extends ReadableCollection<S> {
  readonly #state: CollectionState<S>;
  /** Called with each change of this collection, and of those made from it. */
  readonly #onChange: ChangeListener | undefined;

  private constructor(state: CollectionState<S>, onChange: ChangeListener | undefined) {
    super(state.codec.schema);
    this.#state = state;
    this.#onChange = onChange;
    Object.freeze(this);
  }

  /** @internal @param onChange receives each change of this collection and of those made from it */
  static of<S extends Schema, Input>(
    state: CollectionState<S>,
    onChange?: ChangeListener,
  ): Collection<S, Input> {
    return new Collection(state, onChange);
  }

  /** @internal */
  override get state(): CollectionState<S> {
    return this.#state;
  }

  /** @internal Whether a value is a collection. Reads no property, since the value may be a proxy. */
  static is(value: unknown): value is Collection {
    return typeof value === "object" && value !== null && #onChange in value;
  }

  /** @internal Whether a value is a collection made from this one, or from the same one. */
  isRelated(other: unknown): other is Collection<S, Input> {
    return Collection.is(other) && other.state.snapshot.cache === this.state.snapshot.cache;
  }

  /**
   * The collection with records added at its end. Cost: linear in the added records.
   *
   * @param records one record, or any number of them
   * @throws InputError with the path of the first offending member, such as `records[3].size`, or `record.size` for a
   *   single record
   */
  insert(records: Records<Input> | Input): Collection<S, Input> {
    return this.change(inserting(this.state, records));
  }

  /**
   * The collection with the selected records changed, by a recipe or by an object of values, such as `{ state: "closed"
   * }`. Each record keeps its place. A record whose values do not change stays the same object; if none changes, the
   * result is this collection. Cost: that of the query, and of copying each selected record; with a recipe, also of
   * drafting and checking it.
   *
   * @param change an Immer recipe for the draft of a record, or an object of field values in input form; members that
   *   are `undefined` change nothing
   * @throws CriteriaError; InputError with the path of the first offending member, such as `changes.size`, or
   *   `rows[3].size` after a recipe, where the number is the key that patches use; whatever the recipe throws
   */
  update<const C>(
    criteria: CheckedCriteria<S, C>,
    change: Recipe<S, Input> | ChangesOf<Input>,
  ): Collection<S, Input> {
    const selected = this.#selection(criteria);
    return this.change(
      isFunction(change)
        ? update(this.state, selected, change)
        : updateFields(this.state, selected, change),
    );
  }

  /**
   * The collection with records that replace those with the same value in a unique field, or the same values of a
   * unique combination; a record with a new value, or with `null`, is added at the end. A replaced record keeps only
   * its place: omitted fields get their defaults. With `{ merge: true }`, omitted fields of a replaced record keep their
   * values, and only records that are added get defaults. If the values of a record do not change, it stays the same
   * object; if nothing changes, the result is this collection. Cost: that of loading the records, and a lookup for
   * each, for which the field gets its index.
   *
   * @param records one record, or any number of them, no two with the same value in a unique field
   * @param field the unique field that identifies records, or the fields of a unique combination
   * @param options `{ merge: true }`: records need only the fields that change, and those that identify them; a member
   *   that is `undefined` is omitted. Default: they are complete
   * @throws InputError if these are not unique, or with the path of the first offending member, such as
   *   `records[3].size`, or `record.size` for a single record
   */
  upsert<Merge extends boolean = false>(
    records: Records<UpsertInput<Input, Merge>> | UpsertInput<Input, Merge>,
    field: UniqueName<S> | S["unique"][number],
    options: { readonly merge?: Merge | undefined } = {},
  ): Collection<S, Input> {
    return this.change(upserting(this.state, records, field, options));
  }

  /**
   * The collection without the records that the criteria select; this collection if there are none. Cost: that of the
   * query, plus a little for each removed record. Once more than an eighth of the rows are dead, the others are merged
   * into one segment.
   *
   * @throws CriteriaError
   */
  remove<const C>(criteria: CheckedCriteria<S, C>): Collection<S, Input> {
    return this.change(remove(this.state, this.#selection(criteria)));
  }

  /**
   * The collection that a function returns, and the patches between it and this one. Cost: that of the changes.
   * Patches are computed when first read; until then the result keeps both versions in memory.
   *
   * @param change gets this collection, and returns one that its methods made: `(people) => people.remove([["age",
   *   "less_than", 18]]).insert(more)`
   * @throws InputError if the function returns anything else; whatever the function throws
   */
  withPatches(
    change: (collection: Collection<S, Input>) => Collection<S, Input>,
  ): Changed<S, Input> {
    const log = new ChangeLog();
    const given = Collection.of(this.state, (made) => log.add(made));
    const changed: unknown = callable(change, "change")(given);
    const before = this.state;
    const after = this.isRelated(changed) ? changed.state : undefined;
    const transition = after && new Transition(before, after, log);
    if (after === undefined || !transition?.isKnown) {
      throw new InputError(
        "change",
        `must return a collection made from the one it is given, not ${describe(changed)}`,
      );
    }
    // Changes whose result is not returned are not reported.
    const onChange = this.#onChange;
    if (onChange !== undefined) for (const made of log.all()) onChange(made);
    // A listener expects the version that was last reported.
    const isSame = onChange === undefined ? transition.isVoid : after === before;
    const collection = isSame ? this : Collection.of<S, Input>(after, onChange);
    return withPatches({ collection }, () =>
      patchesOf(transition.delta, before.codec, after.codec),
    );
  }

  /**
   * The collection with patches applied, all of them or none. They may come from any collection that has the same
   * records, which patches identify by the schema's first unique field without nulls. Without such a field, patches
   * identify a record by its key, so records must have the same insertion numbers in both collections. Returns this
   * collection if no value changes. Cost: for each record that the patches name, that of finding, checking and freezing
   * it.
   *
   * @throws InputError with the number of a patch that is invalid, whose record does not exist, or does not match its
   *   `before`; or with the path of the first offending member of the result
   */
  applyPatches(patches: Iterable<Patch>): Collection<S, Input> {
    return this.change(applyPatches(this.state, readPatches(patches)));
  }

  /**
   * The same records with changes merged into one segment, indexes included. This happens automatically after enough
   * changes; call it to choose the time. Cost: linear in the records for each index, and rebuilding those of
   * substrings.
   */
  compact(): Collection<S, Input> {
    return this.change(compact(this.state));
  }

  /** @internal The collection after a change of its state; this one if nothing changed. */
  change(change: Change): Collection<S, Input> {
    const { codec, options, snapshot: before } = this.state;
    const { after: snapshot } = change;
    if (snapshot === before) return this;
    this.#onChange?.(change);
    return Collection.of({ codec, options, snapshot }, this.#onChange);
  }

  /**
   * Builds the given indexes immediately. Cost: linear in the records, and in their distinct values for sorting them.
   *
   * @returns the collection itself
   * @throws InputError if there is no such field; nothing is built then
   */
  prepare(preparation: Preparation<S>): this {
    prepare(this.state.snapshot, this.schema, preparation);
    return this;
  }

  /**
   * Builds the indexes that queries have deferred, with the option `indexes: "deferred"`. The next call continues
   * unfinished ones.
   *
   * @param options `milliseconds`: approximately how long the call may take. Default: until all are built
   * @throws InputError if an option is not valid
   */
  buildDue(options: { readonly milliseconds?: number | undefined } = {}): BuildReport {
    return buildDue([this.state.snapshot], options);
  }

  #selection(criteria: unknown): ParsedQuery {
    return parseSelection(this.schema, criteria, this.state.options);
  }
}
