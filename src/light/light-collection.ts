// A collection without indexes: a third of the code of the other.

import { inserting, upserting } from "../collection/given-records.ts";
import { Queryable } from "../collection/queryable.ts";
import type { ChangesOf, Records, UpsertInput } from "../collection/types.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import { criteriaOptions, type CriteriaOptions } from "../criteria/parse.ts";
import { remove, updateFields } from "../engine/changes/change.ts";
import type { Versioned } from "../engine/changes/delta.ts";
import type { Change } from "../engine/changes/transition.ts";
import { Codec } from "../engine/columns/codec.ts";
import { lastIdsIn } from "../engine/columns/last-ids.ts";
import { Loader, RecordSink } from "../engine/columns/loader.ts";
import { countScanned, scannedPage, scanning } from "../engine/execution/scanning.ts";
import { projected } from "../engine/projection.ts";
import { parseQuery, parseSelection, type QueryOptions } from "../engine/query.ts";
import { Segment } from "../engine/versions/segment.ts";
import { Snapshot } from "../engine/versions/snapshot.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import type { UniqueName } from "../schema/names.ts";
import { readOptions } from "../schema/options.ts";
import type { InputOf } from "../schema/record-types.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";

const { maxCriteria, maxValues } = criteriaOptions;

/** The options of a light collection. */
export type LightOptions = Omit<CriteriaOptions, "unknownOperator">;

/**
 * Makes a light collection. Every record is checked and copied; the input is not kept. Cost: linear in the records and
 * their fields.
 *
 * @param records input records, each of the schema's `InputOf` type; default: none
 * @throws SchemaError if the schema is not one; InputError with the path of the first offending member, such as
 *   `records[3].size`
 */
export function createCollection<const S extends Schema>(
  schema: S,
  records: Records<InputOf<S>> = [],
  options: LightOptions = {},
): LightCollection<S> {
  requireSchema(schema);
  const given = readOptions(options, "options", { maxCriteria, maxValues });
  const codec = Codec.of(schema);
  const sink = new RecordSink(codec);
  new Loader(codec, sink).add(records);
  const rows = sink.finish();
  const base = Segment.of(schema, rows, undefined, { finder: scanning });
  const snapshot = new Snapshot([base], rows.size, lastIdsIn(codec, rows));
  return LightCollection.of({ codec, snapshot }, { ...given, unknownOperator: "error" });
}

/**
 * Records of one schema, in insertion order, without indexes: every question reads all records, except those for one
 * value of a unique field. Immutable like `Collection`, whose methods of the same names give the same results. A change
 * makes a new collection that shares everything unchanged with this one.
 */
export class LightCollection<S extends Schema = Schema> extends Queryable<S> {
  readonly #state: Versioned;
  readonly #options: QueryOptions;

  private constructor(schema: S, state: Versioned, options: QueryOptions) {
    super(schema);
    this.#state = state;
    this.#options = options;
    Object.freeze(this);
  }

  /** @internal */
  static of<S extends Schema>(
    state: Versioned & { readonly codec: Codec<S> },
    options: QueryOptions,
  ): LightCollection<S> {
    return new LightCollection(state.codec.schema, state, options);
  }

  /** @internal */
  override get state(): Versioned {
    return this.#state;
  }

  /** @internal */
  protected override recordsOf(query: unknown): AnyRecord[] {
    const parsed = parseQuery(this.schema, query, this.#options);
    return projected(parsed, scannedPage(this.#state.snapshot, parsed));
  }

  /** @internal */
  protected override countOf(criteria: unknown): number {
    return countScanned(this.#state.snapshot, this.#selection(criteria));
  }

  /**
   * The collection with records added at its end. Cost: linear in the added records.
   *
   * @param records one record, or any number of them
   * @throws InputError with the path of the first offending member, such as `records[3].size`, or `record.size` for a
   *   single record
   */
  insert(records: Records<InputOf<S>> | InputOf<S>): LightCollection<S> {
    return this.#after(inserting(this.#state, records));
  }

  /**
   * The collection with fields of the selected records set, such as `{ state: "closed" }`. Each record keeps its place;
   * one whose values do not change stays the same object.
   *
   * @param changes field values in input form; members that are `undefined` change nothing
   * @throws CriteriaError; InputError with the path of the first offending member, such as `changes.size`
   */
  update<const C>(
    criteria: CheckedCriteria<S, C>,
    changes: ChangesOf<InputOf<S>>,
  ): LightCollection<S> {
    return this.#after(updateFields(this.#state, this.#selection(criteria), changes));
  }

  /**
   * The collection with records that replace those with the same value in a unique field, or the same values of a
   * unique combination; others are added at the end.
   *
   * @param options `{ merge: true }`: omitted fields of a replaced record keep their values; by default they get their
   *   defaults
   * @throws InputError if the field is not unique, or with the path of the first offending member
   */
  upsert<Merge extends boolean = false>(
    records: Records<UpsertInput<InputOf<S>, Merge>> | UpsertInput<InputOf<S>, Merge>,
    field: UniqueName<S> | S["unique"][number],
    options: { readonly merge?: Merge | undefined } = {},
  ): LightCollection<S> {
    return this.#after(upserting(this.#state, records, field, options));
  }

  /**
   * The collection without the records that the criteria select; this collection if there are none.
   *
   * @throws CriteriaError
   */
  remove<const C>(criteria: CheckedCriteria<S, C>): LightCollection<S> {
    return this.#after(remove(this.#state, this.#selection(criteria)));
  }

  #after({ before, after }: Change): LightCollection<S> {
    if (after === before) return this;
    const { codec } = this.#state;
    return new LightCollection(this.schema, { codec, snapshot: after }, this.#options);
  }

  #selection(criteria: unknown) {
    return parseSelection(this.schema, criteria, this.#options);
  }
}
