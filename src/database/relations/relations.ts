// Questions that cross collections (rule C20), answered by collections with fields of others.

import { Collection, type AnyCollection } from "../../collection/collection.ts";
import { equalTo, withAll } from "../../criteria/derived.ts";
import { readCriteria } from "../../criteria/parse.ts";
import { refuseField } from "../../collection/asking.ts";
import { currentDeadline } from "../../engine/algorithms/deadline.ts";
import { Codec } from "../../engine/columns/codec.ts";
import { countRows } from "../../engine/execution/count.ts";
import { selectedBySegment } from "../../engine/execution/selected-rows.ts";
import { deadlineOf, parseSelection, type QueryOptions } from "../../engine/query.ts";
import { ExistenceField, type Naming } from "../../engine/relations/existence-field.ts";
import { Join } from "../../engine/relations/join.ts";
import type { Followed, JoinedField } from "../../engine/relations/joined-field.ts";
import { PathField } from "../../engine/relations/path-field.ts";
import { mostFollowed } from "../../engine/maintenance/most-followed.ts";
import type { CollectionSettings } from "../../engine/settings.ts";
import type { Snapshot } from "../../engine/versions/snapshot.ts";
import { countableField } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import type { JoinedSource } from "../live-query.ts";
import { sourceOf, type Replaced } from "../member.ts";
import { keep, otherOf, QuestionReader, sourcesOf, type OtherField } from "./read-question.ts";
import type { Reference } from "./references.ts";

/** How many combinations of fields of others are kept ready. */
const MOST_JOINS = 16;

/** A question about a collection, which may need fields of others. */
export interface Question {
  readonly asked: unknown;
  /** What is asked, if it crosses collections: the same for all questions that need the same fields. */
  readonly joined: JoinedSource | undefined;
  /** The current version of the asked collection, with the fields of others. */
  readonly collection: () => Collection;
}

/** A collection with fields of others, if it has any. */
interface Joined {
  readonly name: string;
  readonly join: Join | undefined;
  /** The other collection of each field. */
  readonly others: readonly Joined[];
}

export class Relations {
  readonly #reader: QuestionReader;
  readonly #collectionOf: (name: string) => AnyCollection;
  readonly #sources = new WeakMap<Join, JoinedSource>();
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
    const joined = this.#joined(name, fields);
    const { join } = joined;
    const collection = () => this.#collection(joined);
    if (join === undefined) return { asked, joined: undefined, collection };
    const source = this.#sources.get(join) ?? this.#sourceOf(joined, join, fields);
    this.#sources.set(join, source);
    return { asked, joined: source, collection };
  }

  /**
   * The schema of a collection with the fields of others at some paths. Fields of its own may be among these.
   *
   * @throws InputError with the place of the first path that leads nowhere, and the names that are known there
   */
  joinedSchema(name: string, paths: readonly string[], place: string): Schema {
    return this.#schemaWith(name, this.#reader.fieldsAt(name, paths, place));
  }

  #optionsOf(name: string): CollectionSettings {
    return this.#collectionOf(name).state.options;
  }

  #joined(name: string, fields: readonly OtherField[]): Joined {
    return {
      name,
      join: this.#joinOf(name, fields),
      others: fields.map((field) => this.#joined(otherOf(field), field.fields)),
    };
  }

  /** The current version. */
  #collection(joined: Joined): Collection {
    const { state } = this.#collectionOf(joined.name);
    const { join } = joined;
    if (join === undefined) return Collection.of(state);
    const snapshot = this.#snapshot(joined);
    return Collection.of({ ...state, codec: Codec.of(join.schema), snapshot });
  }

  #snapshot({ name, join, others }: Joined): Snapshot {
    const { snapshot } = this.#collectionOf(name).state;
    return (
      join?.of(
        snapshot,
        others.map((each) => this.#snapshot(each)),
      ) ?? snapshot
    );
  }

  #sourceOf(joined: Joined, { schema }: Join, fields: readonly OtherField[]): JoinedSource {
    const sources = new Set(Array.from(sourcesOf(joined.name, fields), (each) => sourceOf(each)));
    const codec = Codec.of(schema);
    return {
      has: (source) => sources.has(source),
      follow: (replaced) => {
        const changes = new Map(replaced.map((each) => [each.source, each.transition]));
        const followed = this.#follow(joined, changes);
        if (followed === undefined) return undefined;
        const { before, after, delta: knownDelta } = followed;
        return {
          before: { snapshot: before, codec },
          after: { snapshot: after, codec },
          knownDelta,
        };
      },
    };
  }

  /** What changes of some collections change in one with fields of others; `undefined` if it is not known. */
  #follow(
    { name, join, others }: Joined,
    changes: ReadonlyMap<string, Replaced["transition"]>,
  ): Followed | undefined {
    const source = sourceOf(name);
    const { snapshot } = this.#collectionOf(name).state;
    const change = changes.get(source);
    const delta = changes.has(source) ? change?.knownDelta : [];
    if (delta === undefined || delta.length > mostFollowed(snapshot)) return undefined;
    const { before, after } = change ?? {};
    const own: Followed = {
      before: before?.snapshot ?? snapshot,
      after: after?.snapshot ?? snapshot,
      delta,
    };
    if (join === undefined) return own;
    const followed: Followed[] = [];
    for (const other of others) {
      const each = this.#follow(other, changes);
      if (each === undefined) return undefined;
      followed.push(each);
    }
    return join.changes(own, followed);
  }

  #schemaWith(name: string, fields: readonly OtherField[]): Schema {
    return this.#joinOf(name, fields)?.schema ?? this.#collectionOf(name).schema;
  }

  /** The join of a collection with fields of others; `undefined` if there are none. */
  #joinOf(name: string, fields: readonly OtherField[]): Join | undefined {
    if (fields.length === 0) return undefined;
    const key = JSON.stringify([name, ...fields.map((field) => field.name)]);
    const join = this.#joins.get(key) ?? this.#newJoin(name, fields);
    keep(this.#joins, key, join, MOST_JOINS);
    return join;
  }

  #newJoin(name: string, fields: readonly OtherField[]): Join {
    const joined = fields.map((field) => this.#joinedField(field));
    return new Join(this.#collectionOf(name).schema, joined, this.#optionsOf(name).budget);
  }

  #joinedField(other: OtherField): JoinedField {
    const { name, reference } = other;
    const { from, field: by, key } = reference;
    if (other.kind === "path") {
      return new PathField(name, { by, key, field: other.field }, other.described);
    }
    return new ExistenceField(
      name,
      key.name,
      by,
      namingBy(by, other.criteria, this.#optionsOf(from)),
    );
  }
}

/** The records that criteria select. Asking for them is part of a question, whose deadline it has. */
function namingBy(name: string, criteria: unknown, options: QueryOptions): Naming {
  return {
    selected(snapshot) {
      const deadline = currentDeadline() ?? deadlineOf(options);
      const asked = parseSelection(snapshot.segments[0].schema, criteria, options);
      return selectedBySegment(snapshot, { ...asked, deadline });
    },
    isNamed(snapshot, value) {
      const { segments } = snapshot;
      const [, field] = countableField(segments[0].schema, name, refuseField);
      // It is asked after a change, and not as part of a question.
      const asked = parseSelection(segments[0].schema, criteria, options);
      const ofValue = withAll(asked.criteria, [equalTo({ name, field, value })]);
      return countRows(segments, { ...asked, criteria: ofValue }) > 0;
    },
  };
}
