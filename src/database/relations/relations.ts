// Questions that cross collections (rule C20), answered by collections with fields of others.

import { Collection, type AnyCollection } from "../../collection/collection.ts";
import { readCriteria } from "../../criteria/parse.ts";
import { refuseField } from "../../collection/asking.ts";
import { currentDeadline } from "../../engine/algorithms/deadline.ts";
import { Codec } from "../../engine/columns/codec.ts";
import { countBy, readCountByOptions } from "../../engine/execution/count-by.ts";
import { groupValueIn } from "../../engine/execution/value-groups.ts";
import { deadlineOf, parseSelection, type QueryOptions } from "../../engine/query.ts";
import { ExistenceField } from "../../engine/relations/existence-field.ts";
import { Join } from "../../engine/relations/join.ts";
import type { JoinedField } from "../../engine/relations/joined-field.ts";
import { PathField } from "../../engine/relations/path-field.ts";
import type { Snapshot } from "../../engine/versions/snapshot.ts";
import { comparisonText, textFormOfStored, type TextValue } from "../../schema/field.ts";
import { countableField } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import { keep, otherOf, QuestionReader, sourcesOf, type OtherField } from "./read-question.ts";
import type { Reference } from "./references.ts";

/** How many combinations of fields of others are kept ready. */
const MOST_JOINS = 16;

/** A question about a collection, which may need fields of others. */
export interface Question {
  readonly asked: unknown;
  /** Whether it crosses collections. */
  readonly isJoined: boolean;
  /** Every collection on which the answer depends. */
  readonly sources: ReadonlySet<string>;
  /** The current version of the asked collection, with the fields of others. */
  readonly collection: () => Collection;
}

export class Relations {
  readonly #reader: QuestionReader;
  readonly #collectionOf: (name: string) => AnyCollection;
  /** Most recently used last. */
  readonly #joins = new Map<string, Join>();

  /** @param collectionOf the current version of a collection */
  constructor(references: readonly Reference[], collectionOf: (name: string) => AnyCollection) {
    this.#collectionOf = collectionOf;
    this.#reader = new QuestionReader({
      references,
      schemaOf: (name) => collectionOf(name).schema,
      checkCriteria: (name, fields, criteria) => {
        readCriteria(this.#schemaWith(name, fields), criteria, this.#optionsOf(name));
      },
    });
  }

  /**
   * @param asked a copy
   * @throws CriteriaError if a condition on another collection is not valid
   */
  question(name: string, given: unknown): Question {
    const { asked, fields } = this.#reader.read(name, given);
    return {
      asked,
      isJoined: fields.length > 0,
      sources: new Set(sourcesOf(name, fields)),
      collection: () => this.#collection(name, fields),
    };
  }

  /**
   * The schema of a collection with the fields of others at some paths. Fields of its own may be among these.
   *
   * @throws InputError with the place of the first path that leads nowhere, and the names that are known there
   */
  joinedSchema(name: string, paths: readonly string[], place: string): Schema {
    return this.#schemaWith(name, this.#reader.fieldsAt(name, paths, place));
  }

  #optionsOf(name: string): QueryOptions {
    return this.#collectionOf(name).state.options;
  }

  /** The current version of a collection, with fields of others. */
  #collection(name: string, fields: readonly OtherField[]): Collection {
    const { state } = this.#collectionOf(name);
    const join = this.#joinOf(name, fields);
    if (join === undefined) return Collection.of(state);
    const others = fields.map(
      (field) => this.#collection(otherOf(field), field.fields).state.snapshot,
    );
    const snapshot = join.of(state.snapshot, others);
    return Collection.of({ ...state, codec: Codec.of(join.schema), snapshot });
  }

  #schemaWith(name: string, fields: readonly OtherField[]): Schema {
    return this.#joinOf(name, fields)?.schema ?? this.#collectionOf(name).schema;
  }

  /** The join of a collection with fields of others; `undefined` if there are none. */
  #joinOf(name: string, fields: readonly OtherField[]): Join | undefined {
    if (fields.length === 0) return undefined;
    const key = JSON.stringify([name, ...fields.map((field) => field.name)]);
    const join =
      this.#joins.get(key) ??
      new Join(
        this.#collectionOf(name).schema,
        fields.map((field) => this.#joinedField(field)),
      );
    keep(this.#joins, key, join, MOST_JOINS);
    return join;
  }

  #joinedField(other: OtherField): JoinedField {
    const { name, reference } = other;
    const { from, field: by, key } = reference;
    if (other.kind === "path") {
      return new PathField(name, { by, key, field: other.field }, other.described);
    }
    const namedBy = (snapshot: Snapshot) =>
      namedValues(snapshot, other.criteria, by, this.#optionsOf(from));
    return new ExistenceField(name, key.name, namedBy);
  }
}

/**
 * The values of a field in the records that criteria select, by which they are compared. Null names no record, not even
 * one whose key is null (rule C21). It is part of a question, whose deadline it has.
 */
function namedValues(
  snapshot: Snapshot,
  criteria: unknown,
  name: string,
  options: QueryOptions,
): ReadonlySet<TextValue> {
  const { schema } = snapshot.segments[0];
  const deadline = currentDeadline() ?? deadlineOf(options);
  const asked = { ...parseSelection(schema, criteria, options), deadline };
  const [, field] = countableField(schema, name, refuseField);
  const toStored = groupValueIn(schema.form, field);
  const listing = readCountByOptions(schema, name, field);
  const texts = countBy(snapshot, asked, name, toStored, listing).flatMap(({ value }) =>
    value === null ? [] : [comparisonText(field, textFormOfStored(field, value))],
  );
  return new Set(texts);
}
