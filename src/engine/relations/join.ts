// Collections with fields of the records to which theirs refer (rule C20): the same segments, in which each row also has
// the values of other records. Nothing is copied: the columns read from the other collection, and their indexes are made
// of those of both.

import type { Schema } from "../../schema/schema.ts";
import type { UniqueConstraint } from "../../schema/unique.ts";
import { textFormColumn } from "../../schema/names.ts";
import { Cache } from "../cache/cache.ts";
import type { ColumnName, Rows } from "../columns/rows.ts";
import type { Segment } from "../versions/segment.ts";
import { Snapshot } from "../versions/snapshot.ts";
import { ReferencedColumn } from "./joined-column.ts";
import { JoinedIndexes } from "./joined-indexes.ts";
import { JoinedRows, type Reader } from "./joined-rows.ts";
import { ReferencedField } from "./referenced-field.ts";

/** A field of other records, in joined ones. */
export interface JoinedField {
  readonly name: string;
  /** The field of the record itself that refers to another one. */
  readonly by: string;
  /** The unique field of the other collection to which it refers. */
  readonly key: UniqueConstraint;
  /** The field of the other record. */
  readonly field: string;
}

interface JoinedSegment {
  readonly others: readonly Snapshot[];
  readonly rows: JoinedRows;
  readonly indexes: JoinedIndexes;
  readonly columns: readonly ReferencedColumn[];
}

/** Joins the versions of a collection with those of others. Each version is joined once. */
export class Join {
  readonly schema: Schema;
  readonly #fields: readonly JoinedField[];
  readonly #cache = new Cache(undefined);
  readonly #segments = new WeakMap<Rows, JoinedSegment>();
  #last:
    | { readonly own: Snapshot; readonly others: readonly Snapshot[]; readonly joined: Snapshot }
    | undefined;

  /**
   * @param schema of the collection, with the joined fields
   * @param fields the joined fields
   */
  constructor(schema: Schema, fields: readonly JoinedField[]) {
    this.schema = schema;
    this.#fields = fields;
  }

  /** @param others the other collection of each joined field */
  of(own: Snapshot, others: readonly Snapshot[]): Snapshot {
    const last = this.#last;
    if (last?.own === own && areSame(last.others, others)) return last.joined;
    const [first, ...rest] = own.segments;
    const joined = new Snapshot(
      [this.#segmentOf(first, others), ...rest.map((each) => this.#segmentOf(each, others))],
      own.nextKey,
      own.lastIds,
    );
    this.#last = { own, others, joined };
    return joined;
  }

  #segmentOf(segment: Segment, others: readonly Snapshot[]): Segment {
    const earlier = this.#segments.get(segment.rows);
    const isCurrent = earlier !== undefined && areSame(earlier.others, others);
    const joined = isCurrent ? earlier : this.#join(segment, others, earlier);
    if (!isCurrent) this.#segments.set(segment.rows, joined);
    return segment.joined(this.schema, joined.rows, joined.indexes, this.#cache);
  }

  #join(
    segment: Segment,
    others: readonly Snapshot[],
    earlier: JoinedSegment | undefined,
  ): JoinedSegment {
    const { schema } = this;
    const columns = this.#fields.map(({ by, key, field }, i) => {
      const of = new ReferencedField(others[i]!, key, field);
      return new ReferencedColumn(segment.rows, segment.indexes, by, of, earlier?.columns[i]);
    });
    const readers = new Map<ColumnName, Reader>();
    this.#fields.forEach(({ name }, i) => {
      readers.set(name, columns[i]!.reader(false));
      readers.set(textFormColumn(schema, name), columns[i]!.reader(true));
    });
    const rows = new JoinedRows(segment.rows, readers);
    const byName = new Map(this.#fields.map(({ name }, i) => [name, columns[i]!]));
    const indexes = new JoinedIndexes(schema, rows, segment.options, segment.indexes, byName);
    return { others, rows, indexes, columns };
  }
}

const areSame = (some: readonly Snapshot[], others: readonly Snapshot[]): boolean =>
  some.every((each, i) => each === others[i]);
